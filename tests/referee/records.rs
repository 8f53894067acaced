//! Replays result files with a second implementation of the rules.
//!
//! The tests play a few games. With `--ignored` and `RECORDS=FOLDER` in the
//! environment, all `*.jsonl` files of that folder are checked, and must have no
//! games lost by a fault.

// The tests choose the names of their files.
#![allow(clippy::disallowed_methods)]

#[path = "../naive/lib.rs"]
mod naive;

use std::path::{Path, PathBuf};
use std::process::Command;

use naive::{Position, Rules};
use serde_json::Value;

/// The number of records of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checked {
    games: u64,
    /// Games that ended by a fault, of which only the moves are checked.
    faults: u64,
}

/// Replays every record of a file and asserts that the rules agree.
fn check(file: &Path) -> Checked {
    let text = std::fs::read_to_string(file).unwrap();
    let mut checked = Checked::default();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if record.get("moves").is_none() {
            continue;
        }
        checked.games += 1;
        assert_eq!(record["id"], checked.games, "{line}");
        checked.faults += u64::from(!ended_by_rules(&record));
    }
    checked
}

/// Whether the game ended by the rules. Asserts moves and result.
fn ended_by_rules(record: &Value) -> bool {
    let text = |field: &str| record[field].as_str().unwrap();
    let mut position = Position::parse(Rules::of(text("variant")), text("start")).unwrap();
    for mv in record["moves"].as_array().unwrap() {
        let mv = mv.as_str().unwrap();
        assert_eq!(position.outcome(), None, "moves after the end: {record}");
        assert!(
            position.legal_moves().iter().any(|legal| legal == mv),
            "{mv} in {record}"
        );
        position = position.play(mv).unwrap();
    }
    let recorded = (text("result"), text("reason"));
    if let Some(outcome) = position.outcome() {
        assert_eq!(recorded, outcome, "{record}");
        return true;
    }
    assert!(
        !["five", "full", "blocked", "mobility"].contains(&recorded.1),
        "{record}"
    );
    let loser = if position.side_to_move() == 'x' {
        "0-1"
    } else {
        "1-0"
    };
    assert_eq!(recorded.0, loser, "{record}");
    false
}

/// Plays a match and returns the path of its result file.
fn play(folder: &Path, name: &str, line: &str) -> PathBuf {
    let file = folder.join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(line.split(' '))
        .arg("--out")
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    file
}

#[test]
fn records_agree_with_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    for (variant, partner) in [("magnetic-cave", "squares"), ("gridlock", "mobility")] {
        for (number, openings) in ["--openings random:3", "--openings random:1"]
            .into_iter()
            .enumerate()
        {
            let line = format!(
                "match random {partner} --variant {variant} {openings} --games 10 --seed 9 --each depth=1 --quiet"
            );
            let file = play(folder.path(), &format!("{variant}-{number}.jsonl"), &line);
            assert_eq!(check(&file), Checked { games: 10, faults: 0 });
        }
    }
    // Short games of Gridlock end by blockade or the turn limit.
    let line =
        "match random plain --variant gridlock --games 10 --pieces 12 --turns 9 --each depth=1 --quiet";
    assert_eq!(check(&play(folder.path(), "short.jsonl", line)).faults, 0);
}

#[test]
#[ignore = "checks the files in the folder RECORDS; .ci/run creates them"]
fn given_records_agree_with_the_rules_and_have_no_faults() {
    let folder = std::env::var_os("RECORDS").expect("RECORDS names a folder");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "jsonl") {
            let checked = check(&file);
            println!("{}: {checked:?}", file.display());
            assert!(
                checked.games > 0 && checked.faults == 0,
                "{}: {checked:?}",
                file.display()
            );
            files += 1;
        }
    }
    assert!(files > 0, "no *.jsonl file in the folder");
}
