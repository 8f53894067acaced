//! The lines that a bot receives.

use crate::recorded::moves;
use crate::support::{Bot, COLUMN_A, Scene, assert_ends, expect, run};

/// Announces options of several types.
const WITH_OPTIONS: &str = "echo id name Other; echo option name Move Overhead type spin default 10 min 0 max 100; \
    echo option name UCI_Variant type combo default chess var chess var gridlock; \
    echo option name Clear Hash type button; echo uciok";

#[test]
fn match_follows_the_documented_dialogue() {
    let scene = Scene::new();
    scene.bot(
        "one",
        Bot {
            uci: WITH_OPTIONS,
            ..Bot::thinking(COLUMN_A)
        },
    );
    let go = "echo info depth 3 score cp 12; echo info string well; echo bestmove h$thinks ponder a1";
    scene.bot("other", Bot::thinking(go));
    let line = "match --engine cmd=./one option.move=x --engine cmd=./other --each st=1";
    let outcome = scene.referee(line).exits(2);
    assert_eq!(outcome.stderr, "referee: one announces no option `move`\n");
    let line = "match ./one ./other --each st=1 option.move=x";
    let outcome = scene.referee(line).exits(2);
    let error = "referee: no player announces an option of `--each`: one announces no option `move`\n";
    assert_eq!(outcome.stderr, error);

    // The refused match had started them.
    scene.remove("one.received");
    scene.remove("other.received");
    let other = "--engine cmd=./other tc=40/60+0.5 depth=9 nodes=1000";
    let mut command = scene.command(&format!(
        "match {other} --reverse --out games.jsonl --engine cmd=./one st=2.5"
    ));
    // `other` does not know the option for all players.
    let settings = ["option.Clear Hash=", "--each", "option.move overhead=7"];
    run(command.args(settings), "").exits(0);
    let received = scene.received("one");
    assert_eq!(
        received[..10].join("\n"),
        "uci
setoption name UCI_Variant value magnetic-cave
setoption name Move Overhead value 7
setoption name Clear Hash
isready
ucinewgame
isready
position startpos
go movetime 2500
position startpos moves a1 h1"
    );
    assert_eq!(scene.count("one", "ucinewgame"), 2);
    assert_eq!(received.last().unwrap(), "quit");

    let received = scene.received("other");
    assert_eq!(
        received[..6].join("\n"),
        "uci
isready
ucinewgame
isready
position startpos moves a1
go wtime 2500 btime 60000 winc 0 binc 500 movestogo 40 depth 9 nodes 1000"
    );
    let left = received[7].strip_prefix("go wtime 2500 btime ").unwrap();
    let (left, rest) = left.split_once(' ').unwrap();
    let is_right = (60_000..60_500).contains(&left.parse().unwrap());
    assert!(is_right, "{left} ms are left of 60 s and half a second more");
    assert_eq!(rest, "winc 0 binc 500 movestogo 39 depth 9 nodes 1000");

    let scores = &scene.records()[0]["score"];
    assert_eq!(
        [&scores[0], &scores[1]],
        [&serde_json::Value::Null, &"cp 12".into()]
    );
}

#[test]
fn random_start_and_opening_are_sent_in_full() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("exit 1"));
    let line = "match random ./bot --variant gridlock --pieces 3 --turns 30 --openings random:4 --games 1";
    scene.referee(&format!("{line} --out games.jsonl")).exits(0);
    let record = &scene.records()[0];
    let (moves, start) = (moves(record), record["start"].as_str().unwrap());
    assert_ends(start, " x 0 30");
    assert_eq!((moves.len(), &record["opening_plies"]), (5, &4.into()));
    let position = format!("position fen {start} moves {}", moves.join(" "));
    assert_eq!(
        scene.count("bot", &position),
        1,
        "{:?} lacks {position}",
        scene.received("bot")
    );
    assert_eq!(
        scene.count("bot", "go movetime 3000"),
        1,
        "the assignment's time holds"
    );
}

#[test]
fn settings_determine_how_a_program_starts() {
    let scene = Scene::new();
    let start = "printf '%s\\n' \"$PWD\" \"$@\" > started; echo a banner is no fault";
    scene.bot(
        "bot",
        Bot {
            start,
            ..Bot::thinking("exit 1")
        },
    );
    scene.folder("home");
    let mut command = scene.command("match --each dir=home --games 1 --engine cmd=random --engine cmd=./bot");
    run(command.arg("args=-v 'two words' \"\""), "").succeeds();
    let home = scene.path("home").canonicalize().unwrap();
    assert_eq!(
        scene.text("home/started"),
        format!("{}\n-v\ntwo words\n\n", home.display())
    );
}

/// Announces what a bot can be told about its games.
const WANTS_TO_KNOW: &str = "echo option name UCI_Side type combo default none var none var p1 var p2; \
    echo option name UCI_Result type string default; echo uciok";

#[test]
fn a_bot_that_announces_it_learns_its_side_before_each_game_and_the_result_after_it() {
    let scene = Scene::new();
    scene.bot(
        "curious",
        Bot {
            uci: WANTS_TO_KNOW,
            ..Bot::default()
        },
    );
    scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let outcome = scene
        .referee("match ./curious ./other --out games.jsonl --each st=5")
        .exits(0);
    assert!(
        !outcome.stderr.contains("unexpected output"),
        "{}",
        outcome.stderr
    );
    assert!(!scene.received("other").join("\n").contains("setoption"));
    let received = scene.received("curious");
    let told = |line: &&String| !line.starts_with("go ");
    let received: Vec<&String> = received.iter().filter(told).collect();
    let place = |wanted: &str| received.iter().position(|line| line.as_str() == wanted);
    let records = scene.records();
    for (game, side) in [(0, "p1"), (1, "p2")] {
        let begun = place(&format!("setoption name UCI_Side value {side}")).unwrap();
        assert_eq!(received[begun + 1..begun + 3], ["ucinewgame", "isready"]);
        let last = format!("position startpos moves {}", moves(&records[game]).join(" "));
        let ended = place(&last).unwrap();
        let result = match records[game]["result"].as_str().unwrap() {
            "1-0" => "p1win",
            "0-1" => "p2win",
            _ => "draw",
        };
        let expected = format!("setoption name UCI_Result value {result}");
        assert_eq!(received[ended + 1], &expected, "game {}", game + 1);
    }
    assert_eq!(received.last().unwrap().as_str(), "quit");

    // Its side is known wherever it is asked for moves, and nobody else sets the option.
    scene.remove("curious.received");
    scene
        .referee("analyze games.jsonl --game 1 --engine cmd=./curious")
        .exits(0);
    assert!(
        scene
            .received("curious")
            .contains(&"setoption name UCI_Side value none".into())
    );
    for option in ["UCI_Side", "uci_result"] {
        let line = format!("match --engine cmd=./curious option.{option}=p1 --engine cmd=./other");
        let outcome = scene.referee(&line).exits(2);
        outcome.says(format!("`option.{option}`: "));
        outcome.says(expect! {"the referee sets this option itself, in each game; leave it out"});
    }
}

#[test]
fn what_a_bot_writes_about_the_result_is_no_answer() {
    let scene = Scene::new();
    scene.bot(
        "chatty",
        Bot {
            uci: WANTS_TO_KNOW,
            quit: "exit 0 ;; *UCI_Result*) echo what a game",
            ..Bot::thinking(COLUMN_A)
        },
    );
    scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let outcome = scene
        .referee("match ./chatty ./other --games 4 --each st=5")
        .exits(0);
    assert!(
        !outcome.stderr.contains("unexpected output"),
        "{}",
        outcome.stderr
    );
}
