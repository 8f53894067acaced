//! Summaries and result files without times, so that two runs can be compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Scene;

/// The summary of a match: stdout without games, progress, times and resumption.
pub fn summary(stdout: &str) -> String {
    let is_transient = |line: &str| {
        line.starts_with("Game ")
            || line.starts_with("Time a move: ")
            || line.contains(" games | ")
            || line.contains(" to go: ")
            || line.contains(" games are in ")
    };
    let lines = stdout.split_inclusive('\n');
    lines.filter(|line| !is_transient(line)).collect()
}

/// The rest of the first line of a summary that starts with `beginning`.
pub fn line_of<'a>(stdout: &'a str, beginning: &str) -> &'a str {
    let mut lines = stdout.lines().filter_map(|line| line.strip_prefix(beginning));
    lines
        .next()
        .unwrap_or_else(|| panic!("no `{beginning}` in {stdout}"))
}

/// A record with the number of move times in place of the times, and without its start and end.
pub fn timeless(record: &Value) -> Value {
    let mut record = record.clone();
    record["ms"] = Value::from(record["ms"].as_array().unwrap().len());
    for time in ["started", "ended"] {
        record.as_object_mut().unwrap().remove(time);
    }
    record
}

/// The games of a result file by id, without times. Asserts that ids are unique.
pub fn games(scene: &Scene, name: &str) -> BTreeMap<u64, Value> {
    let mut games = BTreeMap::new();
    for line in scene.results(name) {
        if line.get("moves").is_some() {
            let id = line["id"].as_u64().unwrap();
            let is_twice = games.insert(id, timeless(&line)).is_some();
            assert!(!is_twice, "game {id} is in {name} twice");
        }
    }
    games
}

/// Asserts that the games are those with the ids from 1 to `total`.
pub fn assert_complete(games: &BTreeMap<u64, Value>, total: u64) {
    assert!(
        games.keys().copied().eq(1..=total),
        "{total} games expected, there are {:?}",
        games.keys()
    );
}

/// The headers of a result file.
pub fn headers(scene: &Scene, name: &str) -> Vec<Value> {
    let lines = scene.results(name).into_iter();
    lines.filter(|line| line.get("header").is_some()).collect()
}

/// The complete lines of a file; empty if it does not exist.
pub fn complete_lines(path: &Path) -> String {
    let mut text = fs::read(path).unwrap_or_default();
    let end = text.iter().rposition(|&byte| byte == b'\n');
    text.truncate(end.map_or(0, |end| end + 1));
    String::from_utf8(text).unwrap()
}

/// The text of a field.
pub fn text<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} in {record}"))
}

/// The texts of a field of all records.
pub fn column<'a>(records: &'a [Value], field: &str) -> Vec<&'a str> {
    records.iter().map(|record| text(record, field)).collect()
}

/// The moves of a record.
pub fn moves(record: &Value) -> Vec<&str> {
    let moves = record["moves"].as_array().unwrap();
    moves.iter().map(|mv| mv.as_str().unwrap()).collect()
}

/// Asserts that the rules ended a game.
#[track_caller]
pub fn assert_by_rules(record: &Value) {
    assert!(
        ["five", "full", "blocked", "mobility"].contains(&text(record, "reason")),
        "{record}"
    );
}

/// The JSON of a report, whatever its exit status.
pub fn json_report(scene: &Scene, words: &str) -> Value {
    serde_json::from_str(&scene.referee(&format!("report --json {words}")).stdout).unwrap()
}

/// A player of a report.
pub fn player<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut players = report["players"].as_array().unwrap().iter();
    players
        .find(|player| player["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {report}"))
}

/// The times in the sentence about a late answer, in milliseconds: how long it waited for a processor, if that is worth a
/// word, what it took without that, and how much too late it was.
pub fn times_in(sentence: &str) -> [f64; 3] {
    let begin = sentence
        .find(" waited ")
        .or_else(|| sentence.find(" answered after "));
    let words = sentence[begin.unwrap_or_default()..].split(' ');
    let times: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    match times[..] {
        [taken, late] => [0.0, taken, late],
        [waited, taken, late] => [waited, taken, late],
        _ => panic!("{sentence}"),
    }
}

/// The time that passed until the late answer of such a sentence, or more: a wait of less than a tenth of the delay is
/// not worth a word.
pub fn passed(sentence: &str) -> f64 {
    match times_in(sentence) {
        [0.0, taken, late] => taken + late / 10.0,
        [waited, taken, _] => waited + taken,
    }
}
