//! Misbehaving bots: the right player loses, for the right reason, in time. The next
//! game has a fresh process, and no process is left.

use std::time::Duration;

use serde_json::Value;

use crate::driver::Driver;
use crate::support::{Bot, Outcome, Scene, assert_quick, rows};

/// Time per move in these tests, in seconds.
const ST: f64 = 0.4;

/// Plays one game, the bot first, against `random`. By default no player loses on time,
/// because the machine may be busy.
fn play(scene: &Scene, bot: Bot<'_>, settings: &str) -> (Value, Outcome) {
    let path = scene.bot("bot", bot);
    let outcome = scene
        .referee(&format!(
            "match --engine cmd={path} {settings} --engine cmd=random --each st={ST} timemargin=5000 \
         --games 1 --board --out games.jsonl"
        ))
        .exits(0);
    scene.assert_no_bot_left();
    let records = scene.records();
    assert_eq!(records.len(), 1);
    (records[0].clone(), outcome)
}

/// The bot runs this at its first move, and loses for this reason.
fn assert_loses(go: &str, reason: &str, detail: &str) -> Outcome {
    let scene = Scene::new();
    let settings = match reason {
        "time" | "stall" => "timemargin=0",
        _ => "",
    };
    let (record, outcome) = play(&scene, Bot::thinking(go), settings);
    assert_eq!(
        (&record["result"], &record["reason"]),
        (&Value::from("0-1"), &Value::from(reason)),
        "{record}"
    );
    assert!(
        record["detail"].as_str().unwrap().starts_with(detail),
        "{record} does not begin with {detail}"
    );
    assert_eq!(record["moves"], Value::Array(vec![]), "no move was played");
    outcome.shows(&format!("Faults of bot: 1 {reason}\n"));
    outcome
}

/// The same, and the match takes less than this time, in seconds.
fn assert_loses_quickly(go: &str, reason: &str, detail: &str, seconds: f64) -> Outcome {
    let mut last = None;
    assert_quick(Duration::from_secs_f64(seconds), || {
        let outcome = assert_loses(go, reason, detail);
        let took = outcome.took;
        last = Some(outcome);
        took
    });
    last.unwrap()
}

#[test]
fn exit_is_a_crash_and_shows_stderr() {
    assert_loses(
        "echo 'out of ideas' >&2; exit 3",
        "crash",
        "bot ended with exit status 3",
    )
    .shows("bot ended with exit status 3; on stderr: `out of ideas` (0-1, crash)\n");
    let go = "printf 'one\ntwo\n' >&2; exit 3";
    assert_loses_quickly(go, "crash", "bot ended", ST + 0.9)
        .shows("; on stderr: `two` (0-1, crash)\n\n  stderr: one\n  stderr: two\n");
}

#[test]
fn killed_bot_is_a_crash() {
    assert_loses("kill -SEGV $$", "crash", "bot was ended by signal 11 (SIGSEGV)");
}

#[test]
fn closed_output_is_a_crash() {
    assert_loses("exec >&-; sleep 60", "crash", "bot closed its output");
}

#[test]
fn crash_is_noticed_while_a_child_holds_the_pipe() {
    assert_loses_quickly(
        "sleep 60 & exit 4",
        "crash",
        "bot ended with exit status 4",
        ST + 0.9,
    );
}

#[test]
fn silence_is_a_stall_after_the_grace_second() {
    let detail = "bot gave no move within 0.400 s";
    let outcome = assert_loses_quickly("sleep 60", "stall", detail, ST + 1.9);
    assert!(
        outcome.took > Duration::from_secs_f64(ST + 1.0),
        "{:?}",
        outcome.took
    );
}

#[test]
fn output_does_not_extend_the_deadline() {
    assert_loses_quickly(
        "while :; do echo info depth 1; sleep 0.02; done",
        "stall",
        "bot gave no move within 0.400 s",
        ST + 1.9,
    );
}

#[test]
fn stopped_process_is_a_stall() {
    assert_loses("kill -STOP $$", "stall", "bot gave no move within 0.400 s");
}

#[test]
fn late_answer_is_a_time_loss() {
    // A stall begins after 1.4 s.
    let outcome = assert_loses("sleep 0.45; legal", "time", "bot answered after ");
    let sentence = outcome
        .stdout
        .lines()
        .find(|line| line.contains("answered"))
        .unwrap();
    let times: Vec<f64> = sentence.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [taken, late] = times[..] else {
        panic!("{sentence}");
    };
    assert!((450.0..1400.0).contains(&taken), "{sentence}");
    assert!((taken - late - 1000.0 * ST).abs() < 0.01, "{sentence}");
}

#[test]
fn answer_within_the_margin_counts() {
    let scene = Scene::new();
    let bot = Bot::thinking("[ $thinks = 2 ] && exit 1; sleep 0.7; legal");
    let (record, _) = play(&scene, bot, "");
    assert_eq!(
        (&record["reason"], &record["moves"][0]),
        (&"crash".into(), &"a1".into())
    );
    assert!(record["ms"][0].as_f64().unwrap() >= 700.0, "{record}");
}

#[test]
fn move_is_judged_in_any_letter_case() {
    assert_loses(
        "echo bestmove D4",
        "illegal",
        "bot played d4, which is illegal: d4 touches neither a wall nor a brick",
    );
    assert_loses(
        "echo bestmove i9",
        "garbage",
        "bot wrote `bestmove i9`, which is not a move: a move is a cell, such as `a8`",
    );
    assert_loses(
        "echo bestmove",
        "garbage",
        "bot wrote `bestmove`, which is not a move: a move is a cell",
    );
    assert_loses(
        "printf 'bestmove \\033[2J\\n'",
        "garbage",
        "bot wrote `bestmove \\u{1b}[2J`, which",
    );

    let scene = Scene::new();
    let bot = Bot::thinking("[ $thinks = 2 ] && exit 1; echo ' bestmove  A8  as I said'");
    let (record, _) = play(&scene, bot, "");
    assert_eq!(
        (&record["reason"], &record["moves"][0]),
        (&"crash".into(), &"a8".into())
    );
}

#[test]
fn answer_before_an_exit_counts() {
    for [code, how] in rows(
        "
        legal; exit 5 | bot ended with exit status 5
        printf 'bestmove a1'; exit 5 | bot ended with exit status 5
        legal; exec >&-; sleep 60 | bot closed its output
    ",
    ) {
        let scene = Scene::new();
        let (record, _) = play(&scene, Bot::thinking(code), "");
        assert_eq!(record["reason"], "crash", "{record}");
        assert_eq!(record["detail"], how, "{record}");
        assert_eq!(record["moves"][0], "a1", "{record}");
        assert_eq!(record["moves"].as_array().unwrap().len(), 2, "{record}");
        assert_eq!(record["ms"].as_array().unwrap().len(), 2, "{record}");
    }
}

#[test]
fn endless_output_is_garbage_at_once() {
    assert_loses_quickly(
        "tr '\\0' a < /dev/zero",
        "garbage",
        "bot wrote a line longer than 64 KiB",
        ST + 1.0,
    );
    assert_loses(
        "yes info string everything is fine",
        "garbage",
        "bot wrote more than 8 MiB without an answer",
    );
}

#[test]
fn flood_on_stderr_is_no_fault() {
    let scene = Scene::new();
    let bot = Bot::thinking("[ $thinks = 2 ] && exit 1; head -c 3000000 /dev/zero >&2; legal");
    let (record, _) = play(&scene, bot, "stderr=log");
    assert_eq!(
        (&record["reason"], &record["moves"][0]),
        (&"crash".into(), &"a1".into())
    );
    let log = std::fs::metadata(scene.path("log")).unwrap();
    assert!(log.len() >= 1_000_000, "the copy holds {} bytes", log.len());
}

#[test]
fn unsolicited_line_is_no_answer() {
    let scene = Scene::new();
    let hasty = scene.bot(
        "hasty",
        Bot::thinking(
            "[ $thinks = 2 ] && exit 1; legal; echo bestmove d4; yes bestmove d4 | head -n 20000; printf 'bestm'; \
             touch written",
        ),
    );
    let slow = Bot::thinking("while [ ! -e written ]; do sleep 0.01; done; legal");
    let slow = scene.bot("slow", slow);
    let outcome = scene.referee(&format!(
        "match {hasty} {slow} --games 1 --each st=60 --out games.jsonl"
    ));
    let record = &scene.records()[0];
    assert_eq!(record["reason"], "crash", "{record}");
    assert_eq!(record["moves"].as_array().unwrap().len(), 2, "{record}");
    outcome.shows("\nLines that hasty wrote out of turn: ");
    outcome.says("hasty wrote out of turn: `bestmove d4`; the referee ignores such lines");
    assert_eq!(
        outcome.stderr.matches("out of turn").count(),
        1,
        "reported once a game"
    );
}

#[test]
fn unsolicited_line_during_a_persons_move_is_no_answer() {
    let scene = Scene::new();
    let hasty = scene.bot(
        "hasty",
        Bot::thinking("[ $thinks = 2 ] && exit 1; legal; sleep 0.1; echo bestmove d4; touch written"),
    );
    let line = format!("match human {hasty} --games 1 --out games.jsonl");
    let mut program = Driver::through_pipes(&scene, &line);
    program.until("your move: ");
    program.enter("h8");
    program.until("hasty (□) plays ");
    program.until("your move: ");
    scene.wait_for_file("written");
    program.enter("h7");
    program.ends(0);
    let record = &scene.records()[0];
    assert_eq!(record["reason"], "crash", "{record}");
    assert_eq!(record["moves"].as_array().unwrap().len(), 3, "{record}");
}

#[test]
fn player_whose_process_failed_first_loses() {
    for leaving in ["exit 6", "sleep 60 & exit 6", "yes | head -n 500000; exit 6"] {
        let scene = Scene::new();
        let hangs = scene.bot("hangs", Bot::thinking("[ $thinks = 2 ] && sleep 60; legal"));
        let leaves = scene.bot("leaves", Bot::thinking(&format!("legal; sleep 0.2; {leaving}")));
        scene.referee(&format!(
            "match {hangs} {leaves} --games 1 --each st=2 --out games.jsonl"
        ));
        scene.assert_no_bot_left();
        let record = &scene.records()[0];
        assert_eq!(
            (&record["result"], &record["detail"]),
            (&"1-0".into(), &"leaves ended with exit status 6".into()),
            "{leaving}"
        );
        assert_eq!(record["moves"].as_array().unwrap().len(), 2, "{record}");
    }
}

#[test]
fn end_by_the_rules_precedes_faults() {
    // Wins with five in column a, then exits: still a win.
    let scene = Scene::new();
    let wins = scene.bot(
        "wins",
        Bot::thinking("echo bestmove a$thinks; [ $thinks = 5 ] && exit 1"),
    );
    let other = scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let outcome = scene.referee(&format!("match {wins} {other} --games 1 --out games.jsonl"));
    let record = &scene.records()[0];
    assert_eq!(
        (&record["result"], &record["reason"]),
        (&"1-0".into(), &"five".into())
    );
    outcome.shows("wins (■) wins: x has five in line");
}

#[test]
fn next_game_has_a_fresh_process_and_both_colours_can_fail() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking("if first_start; then exit 1; else echo bestmove d4; fi"),
    );
    let outcome = scene
        .referee(&format!(
            "match {bot} random --games 4 --each st=3 --out games.jsonl --quiet"
        ))
        .exits(0);
    scene.assert_no_bot_left();
    let records = scene.records();
    let of = |field: &str| -> Vec<&str> {
        records
            .iter()
            .map(|record| record[field].as_str().unwrap())
            .collect()
    };
    assert_eq!(of("reason"), ["crash", "illegal", "illegal", "illegal"]);
    assert_eq!(of("result"), ["0-1", "1-0", "0-1", "1-0"]);
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
    assert!(outcome.stdout.ends_with(last), "{}", outcome.stdout);
}

#[test]
fn bot_that_cannot_restart_loses_its_games() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot {
            start: "first_start || exit 9",
            go: "exit 1",
            ..Bot::default()
        },
    );
    scene
        .referee(&format!(
            "match {bot} random --games 3 --each st=3 --out games.jsonl"
        ))
        .exits(0);
    let details: Vec<Value> = scene
        .records()
        .iter()
        .map(|record| record["detail"].clone())
        .collect();
    assert_eq!(
        details,
        [
            "bot ended with exit status 1",
            "bot ended with exit status 9",
            "bot ended with exit status 9"
        ]
    );
}

#[test]
fn bot_that_exits_between_games_is_restarted() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot::thinking("echo bestmove a$thinks; [ $thinks = 5 ] && exit 0"),
    );
    let other = scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let outcome = scene.referee(&format!("match {bot} {other} --games 4 --out games.jsonl"));
    let reasons: Vec<Value> = scene
        .records()
        .iter()
        .map(|record| record["reason"].clone())
        .collect();
    assert_eq!(reasons, ["five"; 4]);
    assert_eq!(
        scene.processes("bot").len(),
        3,
        "it left when it won, the first and the third game"
    );
    assert_eq!(
        scene.processes("other").len(),
        1,
        "an engine without a fault keeps its process"
    );
    outcome.says("bot ended with exit status 0 between two games");
}

#[test]
fn bot_that_ignores_quit_is_killed_within_a_second() {
    let scene = Scene::new();
    let bot = scene.bot(
        "bot",
        Bot {
            start: "trap '' TERM INT HUP",
            go: "echo bestmove d4",
            quit: "while :; do echo no; sleep 0.01; done",
            ..Bot::default()
        },
    );
    // The winner stays until the end of the match; neither exits on its own.
    let stays = scene.bot(
        "stays",
        Bot {
            quit: "sleep 60 & sleep 60",
            ..Bot::default()
        },
    );
    assert_quick(Duration::from_millis(1900), || {
        let outcome = scene
            .referee(&format!("match {bot} {stays} --games 1 --each st=30"))
            .exits(0);
        outcome.took
    });
    scene.assert_no_bot_left();
}
