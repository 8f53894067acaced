//! What outlives a referee that was killed: nothing of its engines, and all its finished games.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::process::Child;

use crate::scene::{Scene, wait_for, words, zoo};

fn kill(mut referee: Child) {
    referee.kill().unwrap();
    referee.wait().unwrap();
}

/// Whether another process holds the lock of a file.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::options().read(true).write(true).open(path) else {
        return false;
    };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

#[test]
fn child_of_an_engine_ends_with_a_killed_referee() {
    let scene = Scene::new();
    let cmd = format!("cmd={}", zoo().display());
    let mut words = words("match --quiet --engine cmd=random --engine starttime=60");
    words.extend([&*cmd, "args=child starts-a-holder"]);
    let referee = scene.command(&words).spawn().unwrap();
    let held = scene.path("held");
    wait_for("the start of the engine's child", || is_locked(&held));
    kill(referee);
    wait_for("the end of the engine's child", || !is_locked(&held));
}

#[test]
fn match_goes_on_after_a_killed_referee() {
    let scene = Scene::new();
    let words = words("match random random --games 300 --quiet --concurrency 2 --out games.jsonl");
    let referee = scene.command(&words).spawn().unwrap();
    wait_for("a finished game", || scene.records("games.jsonl").len() > 1);
    kill(referee);
    let before = scene.records("games.jsonl");
    assert!(before.len() < 300, "the match was over before it was killed");
    scene.run(&words).succeeded();
    let after = scene.records("games.jsonl");
    let games: BTreeSet<String> = after.iter().map(|record| record["id"].to_string()).collect();
    assert_eq!((after.len(), games.len()), (300, 300));
    assert_eq!(after[..before.len()], before);
}
