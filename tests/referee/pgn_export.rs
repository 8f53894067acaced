//! PGN files of matches and reports.

use std::fs;

use crate::report::{between, play, report};
use crate::support::{Bot, Scene};

/// The values of a tag in a PGN file.
fn tags(text: &str, name: &str) -> Vec<String> {
    let begin = format!("[{name} \"");
    text.lines()
        .filter_map(|line| Some(line.strip_prefix(&begin)?.strip_suffix("\"]")?.to_string()))
        .collect()
}

/// Asserts that a PGN file has the games of a result file, in schedule order.
fn assert_same_games(scene: &Scene, pgn: &str, results: &str) {
    let text = scene.text(pgn);
    let mut records = scene.results(results);
    records.retain(|record| record.get("moves").is_some());
    records.sort_by_key(|record| record["id"].as_u64());
    let of = |field: &str| -> Vec<String> {
        let values = records.iter().map(|record| record[field].as_str().unwrap());
        values
            .map(|value| value.replace('\\', "\\\\").replace('"', "\\\""))
            .collect()
    };
    assert_eq!(tags(&text, "White"), of("first"));
    assert_eq!(tags(&text, "Black"), of("second"));
    assert_eq!(tags(&text, "Result"), of("result"));
    assert_eq!(tags(&text, "Start"), of("start"));
    let rounds: Vec<String> = records
        .iter()
        .map(|record| format!("{}.{}", record["round"], record["id"]))
        .collect();
    assert_eq!(tags(&text, "Round"), rounds);
    // The moves are the words in braces, without the move numbers.
    let moves: Vec<String> = text
        .split("\n\n")
        .filter_map(|part| Some(part.split_once('}')?.0.to_string()))
        .map(|moves| {
            let words = moves.trim_start_matches('{').split_whitespace();
            words
                .filter(|word| !word.ends_with('.'))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let expected: Vec<String> = records
        .iter()
        .map(|record| {
            let moves = record["moves"].as_array().unwrap().iter();
            moves.map(|mv| mv.as_str().unwrap()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(moves, expected);
}

#[test]
fn match_and_report_write_the_same_pgn() {
    for options in [
        between(&["a\\", "say\"so\"", "\u{fc}"]) + " --games 4 --concurrency 2",
        between(&["a", "b"]) + " --games 4 --variant gridlock",
    ] {
        let scene = Scene::new();
        play(&scene, &(options + " --pgn match.pgn"));
        assert_same_games(&scene, "match.pgn", "games.jsonl");
        report(&scene, "games.jsonl games.jsonl --pgn report.pgn");
        let read = |name: &str| scene.text(name);
        assert_eq!(read("match.pgn"), read("report.pgn"));
    }
}

#[test]
fn exports_shards_to_one_pgn_file() {
    let scene = Scene::new();
    let players = between(&["a", "b", "c"]);
    for shard in 0..2 {
        let line = format!("match {players} --games 4 --shard {shard}/2 --out {shard}.jsonl");
        scene.referee(&line).exits(0);
    }
    report(&scene, "1.jsonl 0.jsonl --pgn all.pgn");
    let text = scene.text("all.pgn");
    let numbers: Vec<String> = tags(&text, "Round")
        .iter()
        .map(|round| round.split_once('.').unwrap().1.to_string())
        .collect();
    assert_eq!(numbers, (1..=12).map(|id| id.to_string()).collect::<Vec<_>>());
}

#[test]
fn resumed_match_rewrites_the_pgn_file() {
    let scene = Scene::new();
    let players = between(&["a", "b"]) + " --pgn games.pgn";
    play(&scene, &players);
    assert_same_games(&scene, "games.pgn", "games.jsonl");
    let line = format!("match {players} --games 5 --out games.jsonl");
    scene.referee(&line).exits(0);
    assert_same_games(&scene, "games.pgn", "games.jsonl");
    // A finished match writes a deleted file again.
    fs::remove_file(scene.path("games.pgn")).unwrap();
    scene.referee(&line).exits(0);
    assert_same_games(&scene, "games.pgn", "games.jsonl");
}

#[test]
fn interrupted_match_writes_its_pgn_file() {
    for out in ["--out games.jsonl", ""] {
        let scene = Scene::new();
        let one = scene.bot(
            "one",
            Bot::thinking("[ $games -lt 3 ] || { touch waits; sleep 60; }; echo bestmove a$thinks"),
        );
        let other = scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
        scene
            .interrupted(&format!(
                "match {one} {other} --games 6 --each timemargin=5000 --quiet --pgn games.pgn {out}"
            ))
            .exits(130);
        let text = scene.text("games.pgn");
        assert_eq!(tags(&text, "White"), ["one", "other"]);
        assert_eq!(tags(&text, "TimeControl"), ["1/3", "1/3"]);
        assert_eq!(
            tags(&text, "ResultFile").len(),
            if out.is_empty() { 0 } else { 2 }
        );
        if !out.is_empty() {
            assert_same_games(&scene, "games.pgn", "games.jsonl");
        }
    }
}

#[test]
fn replaces_only_an_older_export_of_the_match() {
    let scene = Scene::new();
    let players = between(&["a", "b"]);
    play(&scene, &players);
    let results = scene.text("games.jsonl");
    scene.file("notes.txt", "notes\n");
    scene.file("chess.pgn", "[Event \"x\"]\n\n1. e4 *\n");
    // A match without a result file.
    scene.referee(&format!("match {players} --pgn only.pgn")).exits(0);
    let only = scene.text("only.pgn");
    assert_eq!(tags(&only, "White"), ["a", "b"]);

    for (line, why) in [
        (format!("match {players} --pgn only.pgn"), "it is not empty"),
        (format!("match {players} --pgn notes.txt"), "it is not empty"),
        (
            format!("match {players} --out new.jsonl --pgn only.pgn"),
            "it was not exported from a result file",
        ),
        (
            format!("match {players} --out new.jsonl --pgn chess.pgn"),
            "it was not exported from a result file",
        ),
        (
            format!("match {players} --out new.jsonl --pgn new.jsonl"),
            "it was not exported from a result file",
        ),
        (
            format!("match {players} --out new.jsonl --pgn no/new.pgn"),
            "No such file or directory",
        ),
        (
            format!("match {players} --pgn no/new.pgn"),
            "No such file or directory",
        ),
        (format!("match {players} --pgn ."), "Is a directory"),
        (
            "report games.jsonl --pgn games.jsonl".into(),
            "it was not exported from a result file",
        ),
        (
            "report games.jsonl --pgn only.pgn".into(),
            "it was not exported from a result file",
        ),
        ("report games.jsonl --pgn .".into(), "is a directory"),
    ] {
        let outcome = scene.referee(&line);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(
            outcome.stderr.starts_with("referee: --pgn ") && outcome.stderr.contains(why),
            "{line}: {}",
            outcome.stderr
        );
        assert!(!scene.path("new.jsonl").exists(), "{line}");
    }
    let read = |name: &str| scene.text(name);
    assert_eq!((read("only.pgn"), read("notes.txt")), (only, "notes\n".into()));
    assert_eq!(read("games.jsonl"), results);

    // An export of another match.
    report(&scene, "games.jsonl --pgn kept.pgn");
    let kept = read("kept.pgn");
    let outcome = scene
        .referee(&format!(
            "match {players} --seed 2 --out new.jsonl --pgn kept.pgn"
        ))
        .exits(2);
    assert!(
        outcome
            .stderr
            .contains("it holds the games of another match or shard")
    );
    assert_eq!(read("kept.pgn"), kept);
}

#[test]
fn failed_start_leaves_no_pgn_file() {
    let scene = Scene::new();
    let mute = scene.bot("mute", Bot::greeting("exit 0"));
    for out in ["", "--out games.jsonl"] {
        scene
            .referee(&format!("match {mute} random --quiet --pgn games.pgn {out}"))
            .exits(3);
        assert!(!scene.path("games.pgn").exists());
    }
}

#[test]
fn match_without_finished_games_leaves_no_pgn_file() {
    let scene = Scene::new();
    let one = scene.bot("one", Bot::thinking("touch waits; sleep 60"));
    for out in ["", "--out games.jsonl"] {
        scene
            .interrupted(&format!("match {one} random --quiet --pgn games.pgn {out}"))
            .exits(130);
        assert!(!scene.path("games.pgn").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn reports_a_full_disk() {
    let scene = Scene::new();
    let players = between(&["a", "b"]);
    play(&scene, &players);
    for line in [
        format!("match {players} --pgn /dev/full"),
        format!("match {players} --games 4 --out games.jsonl --pgn /dev/full"),
        "report games.jsonl --pgn /dev/full".into(),
    ] {
        scene.referee(&line).exits(4).says("No space left on device");
    }
    let records = scene.records();
    let games = records.iter().filter(|record| record.get("moves").is_some());
    assert_eq!(games.count(), 4, "the results are saved");
}
