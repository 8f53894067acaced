//! The log of a match (`--log`).

use std::fs;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::support::{Bot, COLUMN_A, COLUMN_H, Outcome, Scene, assert_has, expect, joined};

/// Plays two games of `one`, which answers each `go` with these commands, against `two`, which fills
/// column h.
fn logged(one: &str, options: &str) -> (Scene, Outcome) {
    let scene = Scene::new();
    scene.bot("one", Bot::thinking(one));
    scene.bot("two", Bot::thinking(COLUMN_H));
    let outcome = scene.referee(&format!(
        "match ./one ./two --each st=20 --quiet --out games.jsonl {options}"
    ));
    (scene, outcome)
}

#[test]
fn a_log_has_games_and_on_request_every_line() {
    let go = "echo info depth 1; echo bestmove a$thinks";
    let (scene, outcome) = logged(go, "--log match.log engines=on");
    outcome.succeeds();
    let text = scene.text("match.log");
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split_once("Z ").expect("a time").1)
        .collect();
    for line in "[slot 1] one > uci
[slot 1] two < uciok
[slot 1 game 1] INFO game 1 begins: one against two
[slot 1 game 1] one > ucinewgame
[slot 1 game 1] one > position startpos
[slot 1 game 1] one > go movetime 20000
[slot 1 game 1] one < info depth 1
[slot 1 game 1] one < bestmove a1
[slot 1 game 1] two > position startpos moves a1
[slot 1 game 1] INFO game 1: 1-0, five: x has five in line, a5 to a1
[slot 1 game 2] two < bestmove h5"
        .lines()
    {
        assert!(lines.contains(&line), "`{line}` is not in\n{text}");
    }
    for bot in ["one", "two"] {
        // All but `quit`, which comes after the last game.
        let received = scene.received(bot);
        let sent = format!(" {bot} > ");
        let logged = lines.iter().filter_map(|line| Some(line.split_once(&sent)?.1));
        assert_eq!(logged.collect::<Vec<_>>(), received[..received.len() - 1]);
    }
}

#[test]
fn a_log_has_levels_and_compression() {
    let (scene, outcome) = logged(COLUMN_A, "--log match.log level=warn");
    outcome.exits(0);
    assert_eq!(scene.text("match.log"), "");

    // A game lasts until both slots have started, so that neither plays all of them.
    let waits = r#"until [ "$(wc -l < "$0.pids")" -ge 2 ]; do sleep 0.01; done; echo bestmove a$thinks"#;
    let (scene, outcome) = logged(waits, "--log match.log.gz --games 4 --concurrency 2");
    outcome.exits(0);
    let bytes = fs::read(scene.path("match.log.gz")).unwrap();
    let mut text = String::new();
    MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text.matches(" begins: ").count(), 4, "{text}");
    assert!(
        text.contains("[slot 2 game ") && !text.contains(" bestmove "),
        "{text}"
    );
}

#[test]
fn a_file_that_is_no_log_is_kept() {
    let scene = Scene::new();
    scene.folder("sub/ada");
    let run = scene.bot("sub/ada/run", Bot::default());
    let before = scene.text(&run);
    scene.assert_refused(
        "match sub/ada random --each depth=1 --log sub/ada/run",
        expect! {"--log sub/ada/run: the file exists and is not a log of the referee, so it is not overwritten"},
    );
    assert_eq!(scene.text(&run), before);
}

#[test]
fn a_log_that_cannot_be_written_costs_no_game() {
    if !fs::exists("/dev/full").unwrap() {
        println!("not looked at: /dev/full is needed");
        return;
    }
    let (scene, outcome) = logged(COLUMN_A, "--log /dev/full engines=on");
    assert_has(
        joined(&outcome.exits(4).stderr),
        expect! {"--log /dev/full: No space left"},
    );
    assert_eq!(scene.records().len(), 2);

    let (scene, outcome) = logged(COLUMN_A, "--log no/match.log");
    outcome.exits(2);
    assert!(!scene.path("games.jsonl").exists());
}
