//! What courses ask for: faults that do not lose (`--on-fault random`) and are counted, a time for the first move,
//! other games each time against `random`, tables.

use serde_json::{Value, json};

use crate::recorded::{column, games, json_report, moves, passed, player, text};
use crate::support::{
    Bot, COLUMN_H, Outcome, Scene, assert_has, assert_lacks, assert_starts, expect, json_lines, page_data,
};

/// Fails at its first moves of the game: an illegal move, no move, and an exit. Its moves are counted by
/// those of the position, because its process starts again.
const FAILS: &str = "set -- $position; case $# in 2|4) echo bestmove d4;; 5|6) echo bestmove none;; \
                     7|8) exit 3;; *) legal;; esac";

/// Two games against a bot, without time faults on a busy machine.
fn play(scene: &Scene, go: &str, options: &str) -> Outcome {
    scene.bot("bot", Bot::thinking(go));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match ./bot ./other --each st=2 timemargin=60000 --out games.jsonl --html games.html --quiet";
    scene.referee(&format!("{line} {options}"))
}

/// The reasons of the faults of a game.
fn reasons(record: &Value) -> Vec<&str> {
    let faults = record["faults"].as_array().map_or(&[][..], Vec::as_slice);
    faults
        .iter()
        .map(|fault| fault["reason"].as_str().unwrap())
        .collect()
}

#[test]
fn a_random_move_takes_the_place_of_a_fault_and_the_game_goes_on() {
    let scene = Scene::new();
    let outcome = play(&scene, FAILS, "--on-fault random").exits(0);
    scene.assert_no_bot_left();
    let records = scene.records();
    assert_eq!(column(&records, "reason"), ["five"; 2]);
    for record in &records {
        assert_eq!(reasons(record), ["illegal", "garbage", "crash"], "{record}");
    }
    assert_eq!(records[0]["faults"][1]["move"], json!(3));
    assert_eq!(records[1]["faults"][0]["player"], json!(2));
    assert_eq!(scene.processes("bot").len(), 3, "one more after each exit");
    outcome.shows(expect! {"Random moves after faults of bot: 2 illegal, 2 garbage, 2 crash"});
    outcome.shows(expect! {"Transcript: games.faults/game-000001-bot-illegal.txt"});

    let report = json_report(&scene, "games.jsonl");
    assert_eq!(player(&report, "bot")["faults"], json!({}));
    assert_eq!(
        player(&report, "bot")["replaced"],
        json!({"illegal": 2, "garbage": 2, "crash": 2})
    );
    let csv = scene.referee("report games.jsonl --csv").exits(0).stdout;
    assert_has(csv.lines().next().unwrap(), ",random_moves");
    assert_has(&csv, ",6\r\n");
    let page = scene.text("games.html");
    assert_has(&page, "2 random moves after crash");
    let faults = &page_data(&page)["matches"][0]["games"][0]["faults"];
    assert_eq!(faults[0][0], 0, "{faults}");
    assert_starts(faults[0][1].as_str().unwrap(), "bot played d4, which is illegal");
    let show = scene.referee("show games.jsonl --game 1").exits(0);
    show.shows(expect! {"A random move: bot played d4, which is illegal"});

    // The same command draws the same moves.
    let again = Scene::new();
    play(&again, FAILS, "--on-fault random").exits(0);
    assert_eq!(games(&again, "games.jsonl"), games(&scene, "games.jsonl"));
    // Another seed draws others.
    let other = Scene::new();
    play(&other, FAILS, "--on-fault random --seed 2").exits(0);
    assert_ne!(moves(&other.records()[0]), moves(&records[0]));
}

#[test]
fn a_limit_and_the_setting_of_a_player() {
    for (options, ends) in [
        ("--on-fault random limit=4", ["five", "five"]),
        ("--on-fault random limit=3", ["crash", "crash"]),
        ("--on-fault random limit=1", ["illegal", "illegal"]),
        ("--on-fault lose", ["illegal", "illegal"]),
    ] {
        let scene = Scene::new();
        play(&scene, FAILS, options).exits(0);
        assert_eq!(column(&scene.records(), "reason"), ends, "{options}");
    }
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(FAILS));
    let line = "match --engine cmd=./bot onfault=random:3 --engine cmd=./bot name=strict --each st=2 timemargin=60000 \
                --out games.jsonl";
    scene.referee(line).exits(0);
    assert_eq!(
        scene.results("games.jsonl")[0]["engines"][0]["onfault"],
        "random:3"
    );
    let records = scene.records();
    assert_eq!(
        column(&records, "result"),
        ["1-0", "0-1"],
        "`strict` loses by its first fault"
    );
    assert_eq!(reasons(&records[0]), ["illegal", "illegal"]);
    scene.assert_refused(
        &format!("{line} --on-fault lose limit=2"),
        expect! {"`limit` is for `random`, not for `lose`"},
    );
}

#[test]
fn late_and_missing_answers_are_the_longest_moves() {
    for (go, reason, column) in [
        ("sleep 0.3; legal", "time", ",random_moves"),
        ("sleep 60", "stall", ",random_moves,unanswered"),
    ] {
        let scene = Scene::new();
        // At the first move, also of a game that is played again because the machine was busy.
        let go = format!("case $position in *moves*) legal ;; *) {go} ;; esac");
        scene.bot("bot", Bot::thinking(&go));
        scene.bot("other", Bot::thinking(COLUMN_H));
        let line = "match --engine cmd=./bot st=0.1 --engine cmd=./other --on-fault random --games 1 \
                    --out games.jsonl";
        scene.referee(line).exits(0);
        let record = &scene.records()[0];
        // A busy machine may delay other moves.
        let fault = &record["faults"][0];
        assert_eq!(
            (fault["move"].as_u64(), fault["reason"].as_str()),
            (Some(1), Some(reason)),
            "{record}"
        );
        let taken = fault["ms"].as_f64().unwrap();
        if reason == "time" {
            assert!(passed(text(fault, "detail")) >= 300.0, "{record}");
        } else {
            assert!(taken >= 100.0, "{record}");
        }
        assert_eq!(record["ms"][0].as_f64(), Some(taken), "the clock of the record");
        let report = json_report(&scene, "games.jsonl");
        assert!(player(&report, "bot")["longest_ms"].as_f64() >= Some(taken));
        // A fault was not played; a busy machine may delay the other moves.
        let is_fault = |ply: &usize| {
            let mut faults = record["faults"].as_array().unwrap().iter();
            faults.any(|fault| fault["move"] == ply + 1)
        };
        let of_bot = (0..record["ms"].as_array().unwrap().len()).step_by(2);
        let late = of_bot.filter(|ply| record["ms"][*ply].as_f64() > Some(100.0) && !is_fault(ply));
        let over_limit = player(&report, "bot")["over_limit"].as_u64().unwrap_or(0);
        assert_eq!(over_limit, late.count() as u64, "{record}");
        let csv = scene.referee("report games.jsonl --csv").exits(0).stdout;
        assert_has(csv.lines().next().unwrap(), column);
    }
}

#[test]
fn late_moves_that_are_played_are_counted() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("sleep 0.3; legal"));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match --engine cmd=./bot st=0.1 first=60 timemargin=60000 --engine cmd=./other st=60 --games 4 \
                --max-plies 6 --html page.html --out games.jsonl";
    let outcome = scene.referee(line).exits(0);
    outcome.shows(expect! {"Moves over the limit, within timemargin: bot 8"});
    assert_eq!(
        player(&json_report(&scene, "games.jsonl"), "bot")["over_limit"],
        8
    );
    let csv = scene.referee("report games.jsonl --csv").exits(0).stdout;
    assert_has(&csv, ",over_limit\r\n");
    assert_has(scene.text("page.html"), ">Over the limit<");
}

#[test]
fn the_first_move_has_its_own_time() {
    let scene = Scene::new();
    scene.bot("bot", Bot::default());
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = "match ./bot ./other --each st=2 first=30 --games 2 --out games.jsonl";
    scene.referee(line).exits(0);
    assert_eq!(scene.results("games.jsonl")[0]["engines"][0]["first"], "30");
    assert_eq!(scene.count("bot", "go movetime 30000"), 2);
    let moves: usize = scene.records().iter().map(|record| moves(record).len()).sum();
    let both = |line| scene.count("bot", line) + scene.count("other", line);
    assert_eq!(both("go movetime 2000"), moves - 4);
    scene.assert_refused(
        "match ./bot ./other --each tc=2 first=30",
        expect! {"`first` needs `st`"},
    );
}

#[test]
fn games_against_a_random_player_differ() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(COLUMN_H));
    let line = "match ./bot random --each st=60 --games 12 --quiet --out";
    let outcome = scene.referee(&format!("{line} games.jsonl")).exits(0);
    assert_lacks(&outcome.stdout, " of 12");
    scene.referee(&format!("{line} again.jsonl")).exits(0);
    assert_eq!(games(&scene, "games.jsonl"), games(&scene, "again.jsonl"));
    let line = "match --engine cmd=./bot --engine cmd=random option.Seed=5 --each st=60 --games 12 --quiet";
    scene
        .referee(line)
        .exits(0)
        .shows(expect! {"Distinct games: 2 of 12"});
}

#[test]
fn json_and_quiet_give_the_summary_alone() {
    let line = "match squares random --each depth=1 st=60 --games 4 --json --quiet";
    let events = json_lines(&Scene::new().referee(line).exits(0).stdout);
    assert_eq!(column(&events, "event"), ["end"]);
    assert_eq!(events[0]["games"], 4);
}

#[test]
fn no_openings_can_be_asked_for() {
    let scene = Scene::new();
    let [one, other] = scene.columns();
    let line = format!("match {one} {other} --each st=60 --out games.jsonl");
    scene.referee(&format!("{line} --openings none")).exits(0);
    assert_eq!(
        scene.results("games.jsonl")[0]["schedule"]["openings"],
        Value::Null
    );
    assert_eq!(scene.records()[0]["opening_plies"], 0);
    // It is the same match as one without the option.
    scene.referee(&line).exits(0);
}

#[test]
fn a_match_writes_its_table() {
    let scene = Scene::new();
    let [one, other] = scene.columns();
    let line = format!("match {one} {other} --each st=60 --out games.jsonl --csv table.csv");
    scene.referee(&line).exits(0);
    let report = scene.referee("report games.jsonl --csv").exits(0);
    assert_eq!(scene.text("table.csv"), report.stdout);
    // Written again, and over nothing else.
    scene.referee(&line).exits(0);
    scene.file("table.csv", "notes");
    scene.assert_refused(&line, expect! {"it has no table of a match"});
}
