//! A tournament of six by the commands of docs/tournament.md, without a shell.

use std::fs;

use crate::scene::{Scene, program};

/// The commands of the block for a shell: their words after `referee`, and the file for their output.
fn commands() -> Vec<(Vec<&'static str>, Option<&'static str>)> {
    let document = include_str!("../../docs/tournament.md");
    let block = document.split("```sh\n").nth(1).unwrap_or_default();
    let block = block.split("```").next().unwrap_or_default();
    let mut commands: Vec<Vec<&str>> = Vec::new();
    let mut continues = false;
    for line in block.lines().filter(|line| !line.starts_with('#')) {
        let words = line.trim_end_matches('\\').split_whitespace();
        match commands.last_mut() {
            Some(command) if continues => command.extend(words),
            _ => commands.push(words.collect()),
        }
        continues = line.ends_with('\\');
    }
    commands
        .into_iter()
        .map(|command| {
            assert_eq!(command.first(), Some(&"referee"), "{command:?}");
            let mut parts = command.split(|word| *word == ">");
            let words = parts.next().unwrap_or_default().iter().skip(1).copied();
            (
                words.collect(),
                parts.next().and_then(|file| file.first().copied()),
            )
        })
        .collect()
}

/// Writes a submission that is a built-in player.
fn write_submission(scene: &Scene, name: &str, player: &str) {
    let folder = scene.path("submissions").join(name);
    fs::create_dir_all(&folder).unwrap();
    let referee = program();
    let script = format!("@\"{}\" builtin {player}\r\n", referee.display());
    fs::write(folder.join("run.cmd"), script).unwrap();
}

#[test]
fn six_submissions_play_by_the_commands_of_the_manual() {
    let scene = Scene::new();
    let players = ["random", "groups", "squares"].iter().cycle();
    let names = ["alice", "bob", "carol", "dave", "erin", "frank"];
    for (name, player) in names.iter().zip(players) {
        write_submission(&scene, name, player);
    }
    // A folder without a program is left out with a warning.
    fs::create_dir(scene.path("submissions/grace")).unwrap();
    let commands = commands();
    assert_eq!(commands.len(), 4, "{commands:?}");
    for (words, file) in commands {
        let outcome = scene.run(&words);
        assert_eq!(outcome.status, Some(0), "{words:?}: {outcome:?}");
        if words.contains(&"--engines") {
            assert!(outcome.stderr.contains("has no "), "{}", outcome.stderr);
        }
        if let Some(file) = file {
            fs::write(scene.path(file), outcome.stdout).unwrap();
        }
    }
    // 15 pairings of four games. The third command found nothing left to play.
    assert_eq!(scene.records("cup.jsonl").len(), 60);
    let table = fs::read_to_string(scene.path("table.txt")).unwrap();
    assert!(table.contains("Points against"), "{table}");
    for name in names {
        assert!(table.contains(name), "{table}");
    }
}
