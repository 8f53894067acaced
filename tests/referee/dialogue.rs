//! The lines that a bot receives.

use crate::support::{Bot, Scene};

/// Announces options of several types.
const WITH_OPTIONS: &str = "echo id name Other; echo option name Move Overhead type spin default 10 min 0 max 100; \
    echo option name UCI_Variant type combo default chess var chess var gridlock; \
    echo option name Clear Hash type button; echo uciok";

/// Wins in five moves, or loses against the other one.
const COLUMN_A: &str = "echo bestmove a$thinks";
const COLUMN_H: &str =
    "echo info depth 3 score cp 12; echo info string well; echo bestmove h$thinks ponder a1";

#[test]
fn match_follows_the_documented_dialogue() {
    let scene = Scene::new();
    let one = scene.bot(
        "one",
        Bot {
            uci: WITH_OPTIONS,
            go: COLUMN_A,
            ..Bot::default()
        },
    );
    let other = scene.bot("other", Bot::thinking(COLUMN_H));
    let outcome = scene
        .referee(&format!(
            "match --engine cmd={one} option.move=x --engine cmd={other} --each st=1"
        ))
        .exits(2);
    assert_eq!(outcome.stderr, "referee: one announces no option `move`\n");

    let outcome = scene
        .command(&format!("match --engine cmd={one} st=2.5"))
        .args(["option.move overhead=7", "option.Clear Hash="])
        .args([
            "--engine",
            &format!("cmd={other}"),
            "tc=40/60+0.5",
            "depth=9",
            "nodes=1000",
        ])
        .args(["--out", "games.jsonl"])
        .output()
        .unwrap();
    assert!(outcome.status.success(), "{outcome:?}");
    let received = scene.received("one").split_off(1);
    assert_eq!(
        received[..10],
        [
            "uci",
            "setoption name UCI_Variant value magnetic-cave",
            "setoption name Move Overhead value 7",
            "setoption name Clear Hash",
            "isready",
            "ucinewgame",
            "isready",
            "position startpos",
            "go movetime 2500",
            "position startpos moves a1 h1",
        ]
    );
    assert_eq!(received.iter().filter(|line| *line == "ucinewgame").count(), 2);
    assert_eq!(received.last().unwrap(), "quit");

    // The refused match had started it, too.
    let received = scene.received("other").split_off(3);
    assert_eq!(
        received[..5],
        [
            "uci",
            "isready",
            "ucinewgame",
            "isready",
            "position startpos moves a1"
        ]
    );
    assert_eq!(
        received[5],
        "go wtime 2500 btime 60000 winc 0 binc 500 movestogo 40 depth 9 nodes 1000"
    );
    let second_go: Vec<&str> = received[7].split(' ').collect();
    assert_eq!(second_go[..4], ["go", "wtime", "2500", "btime"]);
    let left: i64 = second_go[4].parse().unwrap();
    assert!(
        (60_000..60_500).contains(&left),
        "{left} ms are left of 60 s and half a second more"
    );
    assert_eq!(second_go[5..9], ["winc", "0", "binc", "500"]);
    assert_eq!(second_go[9..11], ["movestogo", "39"]);

    let scores = &scene.records()[0]["score"];
    assert_eq!(
        (&scores[0], &scores[1]),
        (&serde_json::Value::Null, &"cp 12".into())
    );
}

#[test]
fn random_start_and_opening_are_sent_in_full() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("exit 1"));
    scene.referee(&format!(
        "match random {bot} --variant gridlock --pieces 3 --turns 30 --openings random:4 --games 1 --out games.jsonl"
    ));
    let record = &scene.records()[0];
    let moves: Vec<&str> = record["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    let start = record["start"].as_str().unwrap();
    assert!(start.ends_with(" x 0 30"), "{start}");
    assert_eq!((moves.len(), &record["opening_plies"]), (5, &4.into()));
    let position = format!("position fen {start} moves {}", moves.join(" "));
    assert!(
        scene.received("bot").contains(&position),
        "{:?} lacks {position}",
        scene.received("bot")
    );
    assert!(
        scene.received("bot").contains(&"go movetime 3000".to_string()),
        "the assignment's time holds"
    );
}

#[test]
fn settings_determine_how_a_program_starts() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot {
            start: "printf '%s\\n' \"$PWD\" \"$@\" > started; echo a banner is no fault",
            go: "exit 1",
            ..Bot::default()
        },
    );
    scene.folder("home");
    let outcome = scene
        .command("match --each dir=home --games 1 --engine")
        .args([
            &format!("cmd={bot}"),
            "args=-v 'two words' \"\"",
            "--engine",
            "cmd=random",
        ])
        .output()
        .unwrap();
    assert!(outcome.status.success(), "{outcome:?}");
    assert!(outcome.stderr.is_empty(), "{outcome:?}");
    let started = scene.text("home/started");
    let home = scene.path("home").canonicalize().unwrap();
    assert_eq!(started, format!("{}\n-v\ntwo words\n\n", home.display()));
}
