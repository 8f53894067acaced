//! Each command once, with real processes.

use crate::scene::{Scene, program, wait_for, words};

#[test]
fn match_report_and_show() {
    let scene = Scene::new();
    let words = words(
        "match --engine cmd=groups --engine cmd=random --each st=5 --games 2 --out games.jsonl --pgn games.pgn --quiet",
    );
    scene.run(&words).succeeded();
    assert_eq!(scene.records("games.jsonl").len(), 2);
    let pgn = std::fs::read_to_string(scene.path("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 2, "{pgn}");
    let report = scene.run(&["report", "games.jsonl"]).succeeded();
    assert!(report.contains("groups") && report.contains("random"), "{report}");
    scene
        .run(&["report", "games.jsonl", "--html", "page.html"])
        .succeeded();
    let shown = scene.run(&["show", "games.jsonl", "--game", "1"]).succeeded();
    assert!(shown.contains("a b c d e f g h"), "{shown}");
    // Complete: nothing is played again.
    scene.run(&words).succeeded();
    assert_eq!(scene.records("games.jsonl").len(), 2);
}

#[test]
fn second_referee_does_not_write_to_the_same_file() {
    let scene = Scene::new();
    let words = words("match lodestone lodestone --each st=600 --games 2 --quiet --out games.jsonl");
    let mut first = scene.command(&words).spawn().unwrap();
    wait_for("the result file", || scene.path("games.jsonl").exists());
    let second = scene.run(&words);
    first.kill().unwrap();
    first.wait().unwrap();
    second.assert_failed(2, "another referee is writing to it");
}

#[test]
fn check_of_a_correct_bot() {
    let scene = Scene::new();
    let bot = program();
    let bot = bot.to_str().unwrap();
    let checked = scene.run(&["check", "--json", "--", bot, "builtin", "random"]);
    let (lines, status) = (checked.stdout.lines().count(), checked.status);
    assert!(
        status == Some(0) && lines > 10,
        "{}{}",
        checked.stdout,
        checked.stderr
    );
}

#[test]
fn play_through_pipes() {
    let scene = Scene::new();
    let play = words("play --first human --second random --variant magnetic-cave");
    let quit = scene.run_with(&play, "a1\nquit\n").succeeded();
    assert!(quit.contains("A B C D E F G H"), "{quit}");
    // Without a line end, and at the end of input.
    scene.run_with(&play, "a1").succeeded();
    let both = ["play", "--first", "random", "--second", "random"];
    let game = scene.run_with(&both, "").succeeded();
    assert!(game.contains("won!") || game.contains("tie"), "{game}");
}
