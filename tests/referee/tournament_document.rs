//! The ten lines of docs/tournament.md, from a folder of submissions to a
//! table, run as they stand there.

use std::process::Command;

use crate::recorded::line_of;
use crate::support::{Bot, LOCALE, Outcome, Scene, assert_has_all, assert_starts, rows, run};

/// The lines of the document.
const DOCUMENT: &str = include_str!("../../docs/tournament.md");

/// The one block of the document that is a shell's.
fn ten_lines() -> &'static str {
    let mut blocks = DOCUMENT.split("```sh\n").skip(1);
    let block = blocks.next().expect("a block for the shell");
    assert!(blocks.next().is_none(), "one block for the shell");
    block.split("```").next().unwrap_or_default()
}

/// Three submissions in a folder, and `referee` on the path.
fn course() -> Scene {
    let scene = Scene::new();
    for [name, go] in rows(
        "alice | legal
         bob | echo info score cp 5; legal
         carol | [ $thinks = 3 ] && exit 1; legal",
    ) {
        let folder = format!("submissions/{name}");
        scene.folder(&folder);
        scene.bot(&format!("{folder}/run"), Bot::thinking(go));
    }
    scene.folder("bin");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_referee"), scene.path("bin/referee")).unwrap();
    scene
}

/// Runs lines in a shell that stops at the first that fails.
fn shell(scene: &Scene, lines: &str) -> Outcome {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("/bin/sh");
    command
        .args(["-e", "-c", lines])
        .current_dir(scene.path(""))
        .env("PATH", format!("{}:{path}", scene.path("bin").display()))
        .env_remove("RUST_LOG")
        .envs(LOCALE);
    run(&mut command, "")
}

#[test]
fn ten_lines_lead_from_submissions_to_a_table() {
    let scene = course();
    let lines = ten_lines();
    assert!(lines.lines().count() <= 10, "{lines}");
    let outcome = shell(&scene, lines).exits(0);

    let records = scene.results("cup.jsonl").split_off(1);
    assert_eq!(records.len(), 12, "three pairings of four games");
    let table = scene.text("table.txt");
    assert_has_all(
        &table,
        [
            "alice",
            "bob",
            "carol",
            "Rank Name",
            "Points against",
            "alice vs bob",
        ],
    );
    assert_has_all(&table, ["Faults of carol: 8 crash"]);
    // The third command found nothing left to play and showed the same table.
    outcome.shows("12 of 12 games are in cup.jsonl already");
    let (_, last) = outcome.stdout.rsplit_once("\nFingerprint").unwrap();
    assert_starts(last, line_of(&table, "Fingerprint"));
    for name in ["alice", "bob", "carol"] {
        scene.assert_no_bot_left_in(&format!("submissions/{name}"));
    }
}
