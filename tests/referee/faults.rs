//! Misbehaving bots: the right player loses, for the right reason, in time. The next
//! game has a fresh process, and no process is left. The zoo has most of them.

use std::time::Duration;

use serde_json::Value;

use crate::driver::Driver;
use crate::recorded::{column, moves, passed, text, times_in};
use crate::support::{Bot, COLUMN_H, Outcome, Scene, assert_ends, assert_has, assert_starts, expect};

/// Time per move in these tests, in seconds.
const ST: f64 = 0.4;

/// Plays one game, the bot first, against `random`. By default no player loses on time,
/// because the machine may be busy.
fn play(scene: &Scene, bot: Bot<'_>, settings: &str) -> (Value, Outcome) {
    scene.bot("bot", bot);
    let players = format!("--engine cmd=./bot {settings} --engine cmd=random --each st={ST} timemargin=5000");
    let outcome = scene
        .referee(&format!("match {players} --games 1 --board --out games.jsonl"))
        .exits(0);
    scene.assert_no_bot_left();
    let mut records = scene.records();
    assert_eq!(records.len(), 1);
    (records.remove(0), outcome)
}

#[test]
fn resigning_is_no_fault() {
    let scene = Scene::new();
    let go = "echo info depth 3 score cp -900; echo bestmove Resign";
    let (record, outcome) = play(&scene, Bot::thinking(go), "onfault=random");
    let fields = ["result", "reason", "detail"].map(|field| text(&record, field));
    assert_eq!(fields, ["0-1", "resign", "bot resigned"]);
    assert_eq!(record["faults"], Value::Null);
    outcome.shows(expect! {"random (□) wins: bot resigned (0-1, resign)"});
    assert!(!outcome.stdout.contains("Faults of bot"), "{}", outcome.stdout);
    scene.referee("verify games.jsonl").exits(0);
    let pgn = scene.referee("report games.jsonl --pgn games.pgn").exits(0);
    drop(pgn);
    assert!(scene.text("games.pgn").contains("[Termination \"normal\"]"));
}

#[test]
fn a_stall_begins_a_second_after_the_time() {
    let (record, outcome) = play(&Scene::new(), Bot::thinking("sleep 60"), "timemargin=0");
    assert_eq!(text(&record, "reason"), "stall");
    assert!(
        outcome.took > Duration::from_secs_f64(ST + 1.0),
        "{:?}",
        outcome.took
    );
}

#[test]
fn late_answer_is_a_time_loss_unless_within_the_margin() {
    // A stall begins after 1.4 s.
    let (record, outcome) = play(&Scene::new(), Bot::thinking("sleep 0.45; legal"), "timemargin=0");
    assert_eq!(text(&record, "reason"), "time", "{record}");
    let sentence = outcome
        .stdout
        .lines()
        .find(|line| line.contains("answered"))
        .unwrap();
    let [_, taken, late] = times_in(sentence);
    assert!(passed(sentence) >= 450.0 && taken < 1400.0, "{sentence}");
    assert!((taken - late - 1000.0 * ST).abs() < 0.01, "{sentence}");

    let scene = Scene::new();
    let bot = Bot::thinking("[ $thinks = 2 ] && exit 1; sleep 0.7; legal");
    let (record, _) = play(&scene, bot, "");
    assert_eq!((text(&record, "reason"), moves(&record)[0]), ("crash", "a1"));
    assert!(record["ms"][0].as_f64().unwrap() >= 1000.0 * ST, "{record}");
}

#[test]
#[cfg(target_os = "linux")] // processor time of a move
fn processor_time_of_a_move_is_no_wall_clock() {
    let limits =
        "match --engine cmd=./bot st=60 cpu-move=0.3 --engine cmd=random st=60 --games 1 --out games.jsonl";
    // In the bot itself, and in a child that has ended before the answer.
    let burn = "while :; do :; done";
    let in_child = "(ulimit -t 1; while :; do :; done) & wait; legal";
    for go in [burn, in_child] {
        let scene = Scene::new();
        scene.bot("bot", Bot::thinking(go));
        let outcome = scene.referee(limits).exits(0);
        outcome.shows("Faults of bot: 1 cpu\n");
        scene.assert_no_bot_left();
        let record = &scene.records()[0];
        assert_eq!([text(record, "result"), text(record, "reason")], ["0-1", "cpu"]);
        let detail = text(record, "detail");
        assert_starts(detail, "bot used 0.");
        assert_ends(detail, " s of processor time for a move; the limit is 0.30 s");
        assert_eq!(
            scene.received("bot")[4..6],
            ["position startpos", "go movetime 300"]
        );
    }
    // Time alone does not count, nor what earlier moves have used.
    let scene = Scene::new();
    let go = "i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; sleep 0.35; legal";
    scene.bot("bot", Bot::thinking(go));
    scene.referee(&format!("{limits} --max-plies 5")).exits(0);
    assert_eq!(text(&scene.records()[0], "reason"), "limit");

    // So `check` says it, for the match that it is for.
    let check = "check --only whole-game cmd=./bot st=60 cpu-move=0.3";
    scene.bot("bot", Bot::thinking(burn));
    scene
        .referee(check)
        .exits(1)
        .shows(expect! {"expected  `bestmove` within 300 ms of processor time"});
    scene.assert_no_bot_left();

    // In place of a loss, a random move.
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(&format!("[ $games = 2 ] || {burn}; legal")));
    scene
        .referee(&format!("{limits} --on-fault random --max-plies 2"))
        .exits(0);
    assert_eq!(scene.records()[0]["faults"][0]["reason"], "cpu");
}

#[test]
fn answer_before_an_exit_counts() {
    for (code, how) in [
        ("legal; exit 5", "bot ended with exit status 5"),
        ("printf 'bestmove a1'; exit 5", "bot ended with exit status 5"),
        ("legal; exec >&-; sleep 60", "bot closed its output"),
    ] {
        let (record, _) = play(&Scene::new(), Bot::thinking(code), "");
        let fault = ["reason", "detail"].map(|field| text(&record, field));
        assert_eq!(fault, ["crash", how], "{code}");
        let times = record["ms"].as_array().unwrap().len();
        assert_eq!(
            (moves(&record)[0], moves(&record).len(), times),
            ("a1", 2, 2),
            "{record}"
        );
    }
}

#[test]
fn flood_on_stderr_is_no_fault() {
    let scene = Scene::new();
    let bot = Bot::thinking("[ $thinks = 2 ] && exit 1; head -c 3000000 /dev/zero >&2; legal");
    let (record, _) = play(&scene, bot, "stderr=log");
    assert_eq!((text(&record, "reason"), moves(&record)[0]), ("crash", "a1"));
    let log = std::fs::metadata(scene.path("log")).unwrap();
    assert!(log.len() >= 1_000_000, "the copy holds {} bytes", log.len());
}

#[test]
fn unsolicited_line_is_no_answer() {
    let scene = Scene::new();
    let go = "[ $thinks = 3 ] && exit 1; legal; echo bestmove d4; yes bestmove d4 | head -n 20000; \
              [ $thinks = 1 ] || printf 'bestm'; touch written";
    scene.bot("hasty", Bot::thinking(go));
    let go = "while [ ! -e written ]; do sleep 0.01; done; rm written; legal";
    scene.bot("slow", Bot::thinking(go));
    let outcome = scene.referee("match ./hasty ./slow --games 1 --each st=60 --out games.jsonl");
    let record = &scene.records()[0];
    assert_eq!(
        (text(record, "reason"), moves(record).len()),
        ("crash", 4),
        "{record}"
    );
    outcome.shows("\nUnexpected lines from hasty: ");
    outcome.says(expect! {"unexpected output from hasty: `bestmove d4` (ignored)"});
    assert_eq!(
        outcome.stderr.matches("unexpected output").count(),
        1,
        "reported once a game"
    );

    // The same while a person is to move.
    let scene = Scene::new();
    // What it says of its next move may be about another `go`.
    let go = "[ $thinks = 2 ] && { echo info string error: lost; echo bestmove e5; }; legal; sleep 0.1; \
              echo bestmove d4; touch written";
    scene.bot("hasty", Bot::thinking(go));
    let mut program = Driver::through_pipes(&scene, "match human ./hasty --games 1 --out games.jsonl");
    program.talk(expect![[r#"
        your move: > h8
        hasty (□) plays
        your move:
    "#]]);
    scene.wait_for_file("written");
    program.enter("h7");
    program.ends(0);
    let record = &scene.records()[0];
    assert_eq!(
        (text(record, "reason"), moves(record).len()),
        ("illegal", 3),
        "{record}"
    );
    assert_has(
        text(record, "detail"),
        expect! {"hasty played e5, which is illegal: e5 touches neither a wall nor a brick; earlier in the game it wrote `bestmove d4` after its answer"},
    );
}

#[test]
fn player_whose_process_failed_first_loses() {
    for leaving in ["exit 6", "sleep 60 & exit 6", "yes | head -n 500000; exit 6"] {
        let scene = Scene::new();
        scene.bot("hangs", Bot::thinking("[ $thinks = 2 ] && sleep 60; legal"));
        scene.bot("leaves", Bot::thinking(&format!("legal; sleep 0.2; {leaving}")));
        scene.referee("match ./hangs ./leaves --games 1 --each st=2 --out games.jsonl");
        scene.assert_no_bot_left();
        let record = &scene.records()[0];
        let end = ["result", "detail"].map(|field| text(record, field));
        assert_eq!(end, ["1-0", "leaves ended with exit status 6"], "{leaving}");
        assert_eq!(moves(record).len(), 2, "{record}");
    }
}

#[test]
fn end_by_the_rules_precedes_faults_and_a_bot_that_exits_is_restarted() {
    // Wins with five in column a, then exits: still a win.
    let scene = Scene::new();
    scene.bot(
        "wins",
        Bot::thinking("echo bestmove a$thinks; [ $thinks = 5 ] && exit 0"),
    );
    scene.bot("other", Bot::thinking(COLUMN_H));
    let outcome = scene.referee("match ./wins ./other --games 4 --board --out games.jsonl");
    let records = scene.records();
    assert_eq!(column(&records, "reason"), ["five"; 4]);
    assert_eq!(column(&records, "result"), ["1-0"; 4]);
    outcome.shows(expect! {"wins (■) wins: ■ has five in line"});
    assert_eq!(
        scene.processes("wins").len(),
        3,
        "it left when it won, the first and the third game"
    );
    assert_eq!(
        scene.processes("other").len(),
        1,
        "an engine without a fault keeps its process"
    );
    outcome.says(expect! {"Between two games, wins ended with exit status 0; it is restarted"});
}

#[test]
fn next_game_has_a_fresh_process_and_both_colours_can_fail() {
    let scene = Scene::new();
    let go = "if first_start; then exit 1; else echo bestmove d4; fi";
    scene.bot("bot", Bot::thinking(go));
    let outcome = scene.referee("match ./bot random --games 4 --each st=3 --out games.jsonl --quiet");
    let outcome = outcome.exits(0);
    scene.assert_no_bot_left();
    let records = scene.records();
    assert_eq!(
        column(&records, "reason"),
        ["crash", "illegal", "illegal", "illegal"]
    );
    assert_eq!(column(&records, "result"), ["0-1", "1-0", "0-1", "1-0"]);
    assert_eq!(
        scene.processes("bot").len(),
        4,
        "one for each game, as each ended in a fault"
    );
    let last = "Score of bot vs random: 0 - 4 - 0 [0.000] 4\nPoints: bot 0, random 4\n\
                Faults of bot: 3 illegal, 1 crash\nTranscript: games.faults/game-000001-bot-crash.txt\n\
                Transcript: games.faults/game-000002-bot-illegal.txt\n\
                Transcript: games.faults/game-000003-bot-illegal.txt\n\
                Transcript: games.faults/game-000004-bot-illegal.txt\n";
    assert_ends(&outcome.stdout, last);
}

#[test]
fn bot_that_ignores_quit_is_killed() {
    let scene = Scene::new();
    scene.bot(
        "bot",
        Bot {
            start: "trap '' TERM INT HUP",
            go: "echo bestmove d4",
            quit: "while :; do echo no; sleep 0.01; done",
            ..Bot::default()
        },
    );
    // The winner stays until the end of the match; neither exits on its own.
    let quit = "sleep 60 & sleep 60; touch slept";
    scene.bot(
        "stays",
        Bot {
            quit,
            ..Bot::default()
        },
    );
    scene
        .referee("match ./bot ./stays --games 1 --each st=30")
        .exits(0);
    assert!(!scene.path("slept").exists());
    scene.assert_no_bot_left();
}
