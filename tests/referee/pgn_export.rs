//! PGN files of matches and reports.

use crate::recorded::moves;
use crate::report::{between, play, report};
use crate::support::{Bot, COLUMN_H, Scene, assert_lacks, assert_rows, assert_starts, expect};

/// The values of a tag in a PGN file.
fn tags(text: &str, name: &str) -> Vec<String> {
    let begin = format!("[{name} \"");
    let value = |line: &str| Some(line.strip_prefix(&begin)?.strip_suffix("\"]")?.to_string());
    text.lines().filter_map(value).collect()
}

/// Asserts that a PGN file has the games of a result file, in schedule order.
fn assert_same_games(scene: &Scene, pgn: &str, results: &str) {
    let text = scene.text(pgn);
    let mut records = scene.results(results);
    records.retain(|record| record.get("moves").is_some());
    records.sort_by_key(|record| record["id"].as_u64());
    for (tag, field) in [
        ("White", "first"),
        ("Black", "second"),
        ("Result", "result"),
        ("Start", "start"),
    ] {
        let values = records.iter().map(|record| record[field].as_str().unwrap());
        let values: Vec<String> = values
            .map(|value| value.replace('\\', "\\\\").replace('"', "\\\""))
            .collect();
        assert_eq!(tags(&text, tag), values);
    }
    let rounds = records
        .iter()
        .map(|record| format!("{}.{}", record["round"], record["id"]));
    assert_eq!(tags(&text, "Round"), rounds.collect::<Vec<_>>());
    // The moves are the words in braces, without the move numbers.
    let played: Vec<Vec<&str>> = text
        .split("\n\n")
        .filter_map(|part| Some(part.split_once('}')?.0.trim_start_matches('{').split_whitespace()))
        .map(|words| words.filter(|word| !word.ends_with('.')).collect())
        .collect();
    assert_eq!(played, records.iter().map(moves).collect::<Vec<_>>());
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
        assert_eq!(scene.text("match.pgn"), scene.text("report.pgn"));
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
    let rounds = tags(&scene.text("all.pgn"), "Round");
    let numbers = rounds
        .iter()
        .map(|round| round.split_once('.').unwrap().1.parse::<u64>().unwrap());
    assert!(numbers.eq(1..=12), "{rounds:?}");
}

#[test]
fn resumed_match_rewrites_the_pgn_file() {
    let scene = Scene::new();
    let players = between(&["a", "b"]) + " --pgn games.pgn";
    play(&scene, &players);
    assert_same_games(&scene, "games.pgn", "games.jsonl");
    for _ in 0..2 {
        let line = format!("match {players} --games 5 --out games.jsonl");
        scene.referee(&line).exits(0);
        assert_same_games(&scene, "games.pgn", "games.jsonl");
        // A finished match writes a deleted file again.
        scene.remove("games.pgn");
    }
}

#[test]
fn interrupted_match_writes_its_pgn_file() {
    for out in ["--out games.jsonl", ""] {
        let scene = Scene::new();
        let go = "[ $games -lt 3 ] || { touch waits; sleep 60; }; echo bestmove a$thinks";
        scene.bot("one", Bot::thinking(go));
        scene.bot("other", Bot::thinking(COLUMN_H));
        let line = "match ./one ./other --games 6 --each timemargin=5000 --quiet --pgn games.pgn";
        scene.interrupted(&format!("{line} {out}")).exits(130);
        let text = scene.text("games.pgn");
        assert_eq!(tags(&text, "White"), ["one", "other"]);
        assert_eq!(tags(&text, "TimeControl"), ["1/3", "1/3"]);
        let files = tags(&text, "ResultFile").len();
        assert_eq!(files, if out.is_empty() { 0 } else { 2 });
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

    let table = expect![[r#"
        match --pgn only.pgn | it is not empty
        match --pgn notes.txt | it is not empty
        match --out new.jsonl --pgn only.pgn | it was not exported from a result file
        match --out new.jsonl --pgn chess.pgn | it was not exported from a result file
        match --out new.jsonl --pgn new.jsonl | this is the file of --out
        match --out new.jsonl --pgn no/new.pgn | No such file or directory
        match --pgn no/new.pgn | No such file or directory
        match --pgn . | Is a directory
        report games.jsonl --pgn games.jsonl | this is one of the files to read
        report games.jsonl --pgn only.pgn | it was not exported from a result file
        report games.jsonl --pgn . | is a directory
    "#]];
    assert_rows(table, |[line]| {
        let line = line.replace("match", &format!("match {players}"));
        let error = scene.refused(&line);
        assert_starts(&error, "referee: --pgn ");
        assert!(!scene.path("new.jsonl").exists(), "{line}");
        error
    });
    assert_eq!(
        [scene.text("only.pgn"), scene.text("notes.txt")],
        [only, "notes\n".into()]
    );
    assert_eq!(scene.text("games.jsonl"), results);

    // An export of another match.
    report(&scene, "games.jsonl --pgn kept.pgn");
    let kept = scene.text("kept.pgn");
    let line = format!("match {players} --seed 2 --out new.jsonl --pgn kept.pgn");
    scene.assert_refused(&line, expect! {"it holds the games of another match or shard"});
    assert_eq!(scene.text("kept.pgn"), kept);
}

#[test]
fn match_without_finished_games_leaves_no_pgn_file() {
    let scene = Scene::new();
    scene.bot("mute", Bot::greeting("exit 0"));
    scene.bot("one", Bot::thinking("touch waits; sleep 60"));
    for out in ["", "--out games.jsonl"] {
        let options = format!("random --quiet --pgn games.pgn {out}");
        scene.referee(&format!("match ./mute {options}")).exits(3);
        assert!(!scene.path("games.pgn").exists());
        scene.interrupted(&format!("match ./one {options}")).exits(130);
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
        let outcome = scene.referee(&line).exits(4);
        outcome.says("No space left on device");
        // A device has no end that could be torn.
        assert_lacks(&outcome.stderr, "Invalid argument");
    }
    let records = scene.records();
    let games = records.iter().filter(|record| record.get("moves").is_some());
    assert_eq!(games.count(), 4, "the results are saved");
}
