//! A tournament of six submissions: trial, tournament, resumption, and the table again.

use std::fs;

use crate::scene::{Scene, program};

/// What an instructor types, after `referee`.
const COMMANDS: [&str; 4] = [
    "match --engines submissions --games 2 --each st=1 --openings random:2 --quiet",
    "match --engines submissions --games 4 --each st=3 --openings random:4 --concurrency 2 \
     --out cup.jsonl --save-config cup.toml --quiet",
    "match --config cup.toml",
    "report cup.jsonl --crosstable --head-to-head",
];

/// Writes a submission that is a built-in player.
fn write_submission(scene: &Scene, name: &str, player: &str) {
    let folder = scene.path("submissions").join(name);
    fs::create_dir_all(&folder).unwrap();
    let referee = program();
    let script = format!("@\"{}\" builtin {player}\r\n", referee.display());
    fs::write(folder.join("run.cmd"), script).unwrap();
}

#[test]
fn six_submissions_play_a_tournament() {
    let scene = Scene::new();
    let players = ["random", "groups", "squares"].iter().cycle();
    let names = ["alice", "bob", "carol", "dave", "erin", "frank"];
    for (name, player) in names.iter().zip(players) {
        write_submission(&scene, name, player);
    }
    // A folder without a program is left out with a warning.
    fs::create_dir(scene.path("submissions/grace")).unwrap();
    let mut table = String::new();
    for command in COMMANDS {
        let words: Vec<&str> = command.split_whitespace().collect();
        let outcome = scene.run(&words);
        assert_eq!(outcome.status, Some(0), "{words:?}: {outcome:?}");
        if words.contains(&"--engines") {
            assert!(outcome.stderr.contains("has no "), "{}", outcome.stderr);
        }
        table = outcome.stdout;
    }
    // 15 pairings of four games. The third command found nothing left to play.
    assert_eq!(scene.records("cup.jsonl").len(), 60);
    assert!(table.contains("Points against"), "{table}");
    for name in names {
        assert!(table.contains(name), "{table}");
    }
}
