//! Each record of a result file, judged once more by a second implementation
//! of the rules.
//!
//! Plays a few games itself. Run with `--ignored` and `RECORDS=FOLDER` in the
//! environment, it judges all `*.jsonl` files of that folder, and demands that
//! nobody was at fault in them.

#[path = "../naive/mod.rs"]
mod naive;

use std::path::{Path, PathBuf};
use std::process::Command;

use naive::{Position, Rules};
use serde_json::Value;

/// What became of the records of one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Judged {
    games: u64,
    /// Games that ended by a fault, which the rules cannot judge.
    faults: u64,
}

/// Replays every record of a file and asserts that the rules agree.
fn judge(file: &Path) -> Judged {
    let text = std::fs::read_to_string(file).unwrap();
    let mut judged = Judged::default();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if record.get("moves").is_none() {
            continue;
        }
        judged.games += 1;
        assert_eq!(record["id"], judged.games, "{line}");
        judged.faults += u64::from(!is_judged_by_rules(&record));
    }
    judged
}

/// Whether the game ended by the rules; asserts that it ended as they say.
fn is_judged_by_rules(record: &Value) -> bool {
    let text = |field: &str| record[field].as_str().unwrap();
    let rules = match text("variant") {
        "magnetic-cave" => Rules::MagneticCave,
        "gridlock" => Rules::Gridlock,
        other => panic!("{other}"),
    };
    let mut position = Position::parse(rules, text("start")).unwrap();
    for one in record["moves"].as_array().unwrap() {
        let one = one.as_str().unwrap();
        assert_eq!(position.outcome(), None, "goes on after its end: {record}");
        assert!(
            position.legal_moves().iter().any(|legal| legal == one),
            "{one} in {record}"
        );
        position = position.play(one).unwrap();
    }
    let said = (text("result"), text("reason"));
    if let Some(outcome) = position.outcome() {
        assert_eq!(said, outcome, "{record}");
        return true;
    }
    assert!(
        !["five", "full", "blocked", "mobility"].contains(&said.1),
        "{record}"
    );
    let loser = if position.side_to_move() == 'x' {
        "0-1"
    } else {
        "1-0"
    };
    assert_eq!(said.0, loser, "{record}");
    false
}

/// Plays a match and gives back its result file.
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
fn the_referee_judges_as_the_rules_do() {
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
            assert_eq!(judge(&file), Judged { games: 10, faults: 0 });
        }
    }
    // The turn limit and the blocked player both end games of Gridlock.
    let line =
        "match random plain --variant gridlock --games 10 --pieces 12 --turns 9 --each depth=1 --quiet";
    assert_eq!(judge(&play(folder.path(), "short.jsonl", line)).faults, 0);
}

#[test]
#[ignore = "judges the files that RECORDS names; .ci/run plays them and runs this"]
fn given_records_are_true_and_without_faults() {
    let folder = std::env::var_os("RECORDS").expect("RECORDS names a folder");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "jsonl") {
            let judged = judge(&file);
            println!("{}: {judged:?}", file.display());
            assert!(
                judged.games > 0 && judged.faults == 0,
                "{}: {judged:?}",
                file.display()
            );
            files += 1;
        }
    }
    assert!(files > 0, "no *.jsonl file in the folder");
}
