//! Whole matches, their records and their output.

use jiff::Timestamp;
use lodestone_game::Variant;
use lodestone_game::board::Side;
use lodestone_game::score::Score;
use serde_json::{Value, json};

use crate::recorded::{moves, text};
use crate::support::{
    Bot, COLUMN_H, Scene, assert_ends, assert_has, assert_lacks, assert_rows, assert_starts, expect, run,
};

/// Fills column a and claims to win.
const CLAIMING: &str = "echo info score win 3; echo bestmove a$thinks";

/// A generous time limit: these tests are not about time, and the machine may be busy.
const PATIENT: &str = "timemargin=5000";

/// The bots `one` and `other`; the first player wins.
fn claiming_and_other(scene: &Scene) -> String {
    scene.bot("one", Bot::thinking(CLAIMING));
    scene.bot("other", Bot::thinking(COLUMN_H));
    "match ./one ./other --each st=3".to_string()
}

/// Plays the moves of a record, and asserts that its result follows from the rules. Only for
/// games without faults.
pub fn assert_follows_rules(record: &Value) {
    let text = |field: &str| text(record, field);
    let variant = Variant::from_name(text("variant")).unwrap();
    let mut position = variant.parse_fen(text("start")).unwrap();
    let moves = moves(record);
    for text in &moves {
        assert_eq!(position.outcome(), None, "{record}");
        let mv = position.parse_move(text).unwrap();
        assert_eq!(position.move_text(mv), *text);
        position.play(mv);
    }
    let outcome = position.outcome().expect("the game is over");
    assert_eq!(text("result"), outcome.result.to_string());
    assert_eq!(text("reason"), outcome.reason.to_string());
    assert_eq!(text("detail"), position.explain(outcome));

    let thoughts = moves.len() - record["opening_plies"].as_u64().unwrap() as usize;
    let [times, scores] = ["ms", "score"].map(|field| record[field].as_array().unwrap());
    assert_eq!([times.len(), scores.len()], [thoughts; 2]);
    // On a busy machine, the referee may stand still during a move, which then takes no time.
    let standing = times.iter().filter(|time| time.as_f64().unwrap() <= 0.0).count();
    assert!(standing <= 1, "{record}");
}

/// The keys of a JSON object in their order.
fn keys(line: &str) -> String {
    let object: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_by_key(|key| line.find(&format!("\"{key}\":")).unwrap());
    keys.join(" ")
}

#[test]
fn built_in_engines_play_both_games() {
    for (variant, partner) in [("magnetic-cave", "squares"), ("gridlock", "mobility")] {
        let scene = Scene::new();
        let line = format!("match lodestone {partner} --variant {variant} --games 3 --openings random:3");
        let line = format!("{line} --each st=0.01 {PATIENT} --out games.jsonl");
        let shown = scene.referee(&line).succeeds().stdout;
        let records = scene.records();
        let mut points = [0.0; 2];
        for (index, record) in records.iter().enumerate() {
            assert_follows_rules(record);
            let numbers = ["id", "pair", "opening_plies"].map(|field| &record[field]);
            assert_eq!(numbers, [index + 1, index / 2 + 1, 3]);
            let seats = if index == 1 {
                [partner, "lodestone"]
            } else {
                ["lodestone", partner]
            };
            assert_eq!([&record["first"], &record["second"]], seats);
            let share = match text(record, "result") {
                "1-0" => 1.0,
                "0-1" => 0.0,
                _ => 0.5,
            };
            points[index % 2] += share;
            points[1 - index % 2] += 1.0 - share;
        }
        assert_eq!(records.len(), 3);
        let opening = |game: usize| (&records[game]["start"], moves(&records[game])[..3].join(" "));
        assert_eq!(opening(0), opening(1), "a pair has one opening");
        assert_ne!(opening(0), opening(2));
        assert_has(&shown, format!("[{:.3}] 3\n", points[0] / 3.0));
        assert_ends(
            &shown,
            format!("Points: lodestone {}, {partner} {}\n", points[0], points[1]),
        );
    }
}

#[test]
fn program_of_a_player_is_in_its_folder() {
    let scene = Scene::new();
    for (name, go) in [("new", CLAIMING), ("old", COLUMN_H)] {
        scene.folder(name);
        scene.bot(&format!("{name}/engine"), Bot::thinking(go));
    }
    scene.script("engine", "#!/bin/sh\ntouch ran\n");
    for (runs, cmd) in [(1, "./engine"), (2, "engine")] {
        let line =
            format!("match --engine cmd={cmd} dir=new --engine cmd={cmd} dir=old --each st=3 {PATIENT}");
        let outcome = scene
            .referee(&format!("{line} --quiet --out {runs}.jsonl"))
            .exits(0);
        assert_eq!(outcome.stderr, "");
        outcome.shows(expect! {"Score of new/engine vs old/engine:"});
        for dir in ["new", "old"] {
            assert_eq!(scene.processes(&format!("{dir}/engine")).len(), runs);
        }
    }
    assert!(!scene.path("ran").exists() && !scene.path("new/ran").exists());

    // A program of the current folder plays in the folders of its data. Such a match resumes.
    scene.bot("bot", Bot::thinking(CLAIMING));
    let line = format!("match --engine cmd=./bot dir=new --engine cmd=./bot dir=old --each st=3 {PATIENT}");
    for games in [2, 4] {
        let outcome = scene.referee(&format!("{line} --quiet --out games.jsonl --games {games}"));
        outcome.succeeds().shows(expect! {"Score of bot vs bot-2: "});
    }
    let table = expect![[r#"
        new | neither `new/engin` nor `./engin` exists: there is no file `engin` in /
        no | `dir=no` is not a folder
    "#]];
    assert_rows(table, |[dir]| {
        let said = [
            "match --engine cmd=random --engine",
            "check",
            "play --second random --first",
        ]
        .map(|command| {
            let outcome = scene.referee(&format!("{command} cmd=./engin dir={dir}"));
            assert!(matches!(outcome.status, Some(2 | 3)), "{outcome:?}");
            outcome.stderr
        });
        said.concat()
    });
    let outcome = scene.referee("check --only handshake cmd=./engine dir=new");
    assert_starts(outcome.stdout, "Checking engine: ");
}

#[test]
fn a_result_file_has_the_documented_form() {
    let scene = Scene::new();
    scene.bot("one", Bot::thinking(CLAIMING));
    let uci = "echo option name A type string default x; echo uciok";
    scene.bot(
        "other",
        Bot {
            uci,
            ..Bot::thinking(COLUMN_H)
        },
    );
    let before = Timestamp::now();
    let line = "match --engine cmd=./one name=First tc=60+1 --engine cmd=./other args=-x st=2 timemargin=50 option.A=b \
                --games 1 --seed 7 --out games.jsonl";
    scene.referee(line).exits(0);
    let mut header = scene.results("games.jsonl").remove(0);
    for (engine, program) in ["./one", "./other"].into_iter().enumerate() {
        let engine = header["engines"][engine].as_object_mut().unwrap();
        let digests = engine.remove("sha256").unwrap();
        assert_eq!(digests[program].as_str().unwrap().len(), 64, "{digests}");
    }
    let one = json!({"name": "First", "cmd": "./one", "tc": "60+1", "timemargin": 50});
    let options = json!([["A", "b"]]);
    let other = json!({"name": "other", "cmd": "./other", "args": ["-x"], "options": options, "st": "2", "timemargin": 50});
    let expected = json!({
        "header": 1,
        "variant": "magnetic-cave",
        "seed": 7,
        "schedule": {"format": "round-robin", "games": 1},
        "engines": [one, other],
    });
    assert_eq!(header, expected);
    let mut record = scene.records().remove(0);
    let [started, ended] = ["started", "ended"].map(|name| {
        let time = record.as_object_mut().unwrap().remove(name).unwrap();
        let text = time.as_str().unwrap().to_string();
        assert_eq!(text.len(), "2026-11-26T22:30:00Z".len(), "{text}");
        text.parse::<Timestamp>().unwrap()
    });
    assert!(before.as_second() <= started.as_second() && started <= ended && ended <= Timestamp::now());
    let times = record["ms"].take();
    for time in times.as_array().unwrap() {
        let decimals = time
            .to_string()
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        assert!(decimals <= 3, "{times}");
    }
    let expected = json!({
        "id": 1,
        "variant": "magnetic-cave",
        "round": 1,
        "pair": 1,
        "first": "First",
        "second": "other",
        "start": "8/8/8/8/8/8/8/8 x",
        "moves": ["a1", "h1", "a2", "h2", "a3", "h3", "a4", "h4", "a5"],
        "opening_plies": 0,
        "ms": null,
        "score": ["win 3", null, "win 3", null, "win 3", null, "win 3", null, "win 3"],
        "result": "1-0",
        "reason": "five",
        "detail": "x has five in line, a5 to a1",
    });
    assert_eq!(record, expected);
    let text = scene.text("games.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(keys(lines[0]), "header variant seed schedule engines");
    let fields = "id variant round pair first second start moves opening_plies ms score result reason detail started ended";
    assert_eq!(keys(lines[1]), fields);
    assert_ends(&text, "}\n");
}

#[test]
fn the_seed_determines_the_openings() {
    let starts = |engines: &str, seed: &str| {
        let scene = Scene::new();
        let line =
            format!("match {engines} --variant gridlock --turns 6 --openings random:2 --games 4 {seed}");
        scene
            .referee(&format!("{line} --each st=0.5 {PATIENT} --out games.jsonl"))
            .exits(0);
        let records = scene.records();
        let start = |record: &Value| format!("{} {}", record["start"], moves(record)[..2].join(" "));
        records.iter().map(start).collect::<Vec<_>>()
    };
    let one = starts("random plain", "");
    assert_eq!(one, starts("mobility random", "--seed 1"), "the default is fixed");
    assert_ne!(one, starts("random plain", "--seed 2"));
}

#[test]
fn shows_the_boards_of_few_games_and_a_line_per_game_of_many() {
    let scene = Scene::new();
    let line = claiming_and_other(&scene);
    let shown = scene.referee(&line).stdout;
    assert_starts(
        &shown,
        "Game 1 of 2: one (■) against other (□)\n  a b c d e f g h\n8 · ",
    );
    assert_eq!(
        shown.matches("  a b c d e f g h\n").count(),
        2 * 2 * 10,
        "two lines a board"
    );
    let (first, _) = shown
        .split_once("Game 2 of 2: other (■) against one (□)\n")
        .unwrap();
    let lines: Vec<&str> = first.lines().collect();
    expect![[r#"
        8 · · · · · · · · 8
        7 · · · · · · · · 7
        6 · · · · · · · · 6
        5 ■ · · · · · · · 5
        4 ■ · · · · · · □ 4
        3 ■ · · · · · · □ 3
        2 ■ · · · · · · □ 2
        1 ■ · · · · · · □ 1
          a b c d e f g h

        one (■) wins: ■ has five in line, a5 to a1 (1-0, five)
    "#]]
    .assert_eq(&lines[lines.len() - 12..].join("\n"));
    let moves: Vec<&str> = shown.lines().filter(|line| line.contains(" plays ")).collect();
    assert_starts(moves[0], "1. one (■) plays a1 in 0.0");
    assert_ends(moves[0], " s, score win in 3 plies");
    assert_starts(moves[1], "2. other (□) plays h1 in 0.0");
    assert_ends(moves[1], " s");
    assert_has(&shown, expect! {"Score of one vs other: 1 - 1 - 0 [0.500] 2"});

    let line = line + " --games 3";
    let shown = scene.referee(&line).stdout;
    let (games, _) = shown.split_once("----").unwrap();
    expect![[r#"
        Game 1 of 3: one (■) - other (□): 1-0, five: ■ has five in line, a5 to a1
        Game 2 of 3: other (■) - one (□): 1-0, five: ■ has five in line, h5 to h1
        Game 3 of 3: one (■) - other (□): 1-0, five: ■ has five in line, a5 to a1
    "#]]
    .assert_eq(games);
    let quiet = scene.referee(&format!("{line} --quiet")).stdout;
    assert_starts(&quiet, "----");
    assert_has(&quiet, expect! {"Score of one vs other: 2 - 1 - 0 [0.667] 3"});
    let boards = scene.referee(&format!("{line} --board")).stdout;
    assert_eq!(boards.matches(" plays ").count(), 27);
}

#[test]
fn records_mate_scores_in_plies() {
    let scene = Scene::new();
    scene.bot(
        "one",
        Bot::thinking("echo info score mate 2; echo bestmove a$thinks"),
    );
    scene.bot(
        "other",
        Bot::thinking("echo info score mate -3; echo bestmove h$thinks"),
    );
    scene
        .referee("match ./one ./other --games 1 --each st=3 --out games.jsonl")
        .exits(0);
    let scores = &scene.records()[0]["score"];
    assert_eq!([&scores[0], &scores[1]], ["win 3", "loss 6"]);
}

#[test]
fn an_engine_with_mate_scores_reports_the_proven_result() {
    let scene = Scene::new();
    let line =
        format!("match --variant gridlock --turns 8 --games 1 --each st=1 {PATIENT} --out games.jsonl");
    let mut command = scene.command(&format!("{line} --engine cmd=random --engine cmd=lodestone"));
    run(command.arg("option.Mate Scores=true"), "").succeeds();
    let record = &scene.records()[0];
    assert_follows_rules(record);
    let last: Score = record["score"][7].as_str().unwrap().parse().unwrap();
    let expected = match text(record, "result") {
        "0-1" => Score::Win(1),
        "1-0" => Score::Loss(2),
        _ => Score::Cp(0),
    };
    assert_eq!(last, expected, "{record}");
}

#[test]
fn default_match_has_two_games_of_built_in_engines() {
    for (variant, partner) in [("magnetic-cave", "squares"), ("gridlock", "mobility")] {
        let scene = Scene::new();
        let line = format!("match --variant {variant} --each depth=1 {PATIENT} --out games.jsonl");
        scene.referee(&line).succeeds().shows(" plays ");
        let engines = &scene.results("games.jsonl")[0]["engines"];
        let header = [&engines[0]["cmd"], &engines[1]["cmd"], &engines[0]["st"]];
        assert_eq!(header, ["lodestone", partner, "0.2"]);
        assert_eq!(scene.records().len(), 2);
        scene.records().iter().for_each(assert_follows_rules);
    }
}

#[test]
fn records_the_score_from_the_movers_view() {
    for (variant, nodes) in [("magnetic-cave", 20_000), ("gridlock", 3000)] {
        let scene = Scene::new();
        let line = format!(
            "match lodestone random --variant {variant} --games 4 --each nodes={nodes} st=60 {PATIENT}"
        );
        let outcome = scene.referee(&format!("{line} --openings random:2 --out games.jsonl"));
        assert_lacks(&outcome.stdout, "Faults");
        let records = scene.records();
        assert_eq!(records.len(), 4);
        for record in &records {
            assert_follows_rules(record);
            let side = if record["first"] == "lodestone" {
                Side::First
            } else {
                Side::Second
            };
            let scores = record["score"].as_array().unwrap();
            let of = |side: Side| scores.iter().skip(side.index()).step_by(2);
            assert!(
                of(side.opponent()).all(Value::is_null),
                "`random` says nothing: {record}"
            );
            if record["reason"] == "five" && variant == "magnetic-cave" {
                let proven = json!(Score::Win(1).to_string());
                assert_eq!(of(side).next_back(), Some(&proven), "a proven win: {record}");
            }
        }
    }
}

#[test]
fn a_test_that_decides_no_one_sided_match_says_so_at_its_start() {
    let scene = Scene::new();
    for (model, warns) in [("bayesian", true), ("logistic", false)] {
        let line = format!("match squares random --games 2 --quiet --sprt elo0=0 elo1=5 model={model}");
        let said = scene.referee(&line).exits(0).stderr;
        assert_eq!(
            said.contains("the LLR is 0 until both players have won a game"),
            warns,
            "{said}"
        );
    }
}
