//! What a match leaves behind: its summary and its result file, without what
//! differs from run to run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Scene;

/// The summary of a match: all of standard output but the lines of games and
/// of progress, times, and what is said when a match goes on.
pub fn summary(stdout: &str) -> String {
    let is_passing = |line: &str| {
        line.starts_with("Game ")
            || line.starts_with("Time a move: ")
            || line.contains(" games | ")
            || line.contains(" games are in ")
    };
    let lines = stdout.split_inclusive('\n');
    lines.filter(|line| !is_passing(line)).collect()
}

/// The line of a summary that begins like this, without its beginning.
pub fn line_of<'a>(stdout: &'a str, beginning: &str) -> &'a str {
    let mut lines = stdout.lines().filter_map(|line| line.strip_prefix(beginning));
    lines
        .next()
        .unwrap_or_else(|| panic!("no `{beginning}` in {stdout}"))
}

/// A record without the times of its moves.
pub fn timeless(record: &Value) -> Value {
    let mut record = record.clone();
    record["ms"] = Value::from(record["ms"].as_array().unwrap().len());
    record
}

/// The games of a result file by their numbers, without times. No number is
/// there twice.
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

/// The numbers from 1 to `total`, as they are in a file that is complete.
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

/// The whole lines of a file, as text; nothing where there is none.
pub fn whole_lines(path: &Path) -> String {
    let mut text = fs::read(path).unwrap_or_default();
    let end = text.iter().rposition(|&byte| byte == b'\n');
    text.truncate(end.map_or(0, |end| end + 1));
    String::from_utf8(text).unwrap()
}
