//! Whole matches, their records and their output.

use jiff::Timestamp;
use lodestone::board::Side;
use lodestone::game::Variant;
use lodestone::score::Score;
use serde_json::{Value, json};

use crate::support::{Bot, Scene, assert_ends, assert_starts, rows, run};

/// Fills column a or h, and wins in five moves if the opponent does nothing.
const COLUMN_A: &str = "echo info score win 3; echo bestmove a$thinks";
const COLUMN_H: &str = "echo bestmove h$thinks";

/// A generous time limit: these tests are not about time, and the machine may be busy.
const PATIENT: &str = "timemargin=5000";

/// Plays the moves of a record, and asserts that its result follows from the rules. Only for
/// games without faults.
pub fn assert_follows_rules(record: &Value) {
    let text = |field: &str| record[field].as_str().unwrap();
    let variant = Variant::from_name(text("variant")).unwrap();
    let mut position = variant.parse_fen(text("start")).unwrap();
    let moves = record["moves"].as_array().unwrap();
    for text in moves {
        assert_eq!(position.outcome(), None, "{record}");
        let mv = position.parse_move(text.as_str().unwrap()).unwrap();
        assert_eq!(position.move_text(mv), text.as_str().unwrap());
        position.play(mv);
    }
    let outcome = position.outcome().expect("the game is over");
    assert_eq!(text("result"), outcome.result.to_string());
    assert_eq!(text("reason"), outcome.reason.to_string());
    assert_eq!(text("detail"), position.explain(outcome));

    let thoughts = moves.len() - record["opening_plies"].as_u64().unwrap() as usize;
    let times = record["ms"].as_array().unwrap();
    assert_eq!(times.len(), thoughts);
    assert!(times.iter().all(|time| time.as_f64().unwrap() > 0.0), "{record}");
    assert_eq!(record["score"].as_array().unwrap().len(), thoughts);
}

/// The keys of a JSON object in their order.
fn keys(line: &str) -> Vec<String> {
    let mut keys: Vec<(usize, String)> = serde_json::from_str::<serde_json::Map<String, Value>>(line)
        .unwrap()
        .into_iter()
        .map(|(key, _)| (line.find(&format!("\"{key}\":")).unwrap(), key))
        .collect();
    keys.sort();
    keys.into_iter().map(|(_, key)| key).collect()
}

#[test]
fn built_in_engines_play_both_games() {
    for (variant, partner) in [("magnetic-cave", "squares"), ("gridlock", "mobility")] {
        let scene = Scene::new();
        let outcome = scene.referee(&format!(
            "match lodestone {partner} --variant {variant} --games 3 --openings random:3 --each st=0.05 {PATIENT} --out games.jsonl"
        )).succeeds();
        let records = scene.records();
        let seats = [
            ["lodestone", partner],
            [partner, "lodestone"],
            ["lodestone", partner],
        ];
        let mut points = [0.0; 2];
        for (index, record) in records.iter().enumerate() {
            assert_follows_rules(record);
            assert_eq!(record["id"], json!(index + 1));
            assert_eq!(record["pair"], json!(index / 2 + 1));
            assert_eq!(record["opening_plies"], json!(3));
            assert_eq!([&record["first"], &record["second"]], seats[index]);
            let share = match record["result"].as_str().unwrap() {
                "1-0" => 1.0,
                "0-1" => 0.0,
                _ => 0.5,
            };
            points[index % 2] += share;
            points[1 - index % 2] += 1.0 - share;
        }
        assert_eq!(records.len(), 3);
        let opening = |record: &Value| {
            (
                record["start"].clone(),
                record["moves"].as_array().unwrap()[..3].to_vec(),
            )
        };
        assert_eq!(
            opening(&records[0]),
            opening(&records[1]),
            "a pair has one opening"
        );
        assert_ne!(opening(&records[0]), opening(&records[2]));
        let share = format!("[{:.3}] 3\n", points[0] / 3.0);
        outcome.shows(&share);
        assert!(outcome.stdout.ends_with(&format!(
            "Points: lodestone {}, {partner} {}\n",
            points[0], points[1]
        )));
    }
}

#[test]
fn program_of_a_player_is_in_its_folder() {
    let scene = Scene::new();
    let write = |name: &str, go| {
        scene.folder(name);
        scene.bot(&format!("{name}/engine"), Bot::thinking(go));
    };
    write("new", COLUMN_A);
    write("old", COLUMN_H);
    scene.script("engine", "#!/bin/sh\ntouch ran\n");
    let here = scene.path("engine").canonicalize().unwrap();
    for (runs, cmd) in [(1, "./engine"), (2, "engine")] {
        let warnings: String = ["new", "old"]
            .map(|dir| {
                format!(
                    "referee: warning: `cmd={cmd}` means `{dir}/engine`, in the folder `dir`, and not {}\n",
                    here.display()
                )
            })
            .concat();
        let outcome = scene.referee(&format!(
            "match --engine cmd={cmd} dir=new --engine cmd={cmd} dir=old --each st=3 {PATIENT} --quiet --out {}.jsonl",
            cmd.len()
        ));
        assert_eq!((outcome.status, outcome.stderr), (Some(0), warnings));
        let score = "Score of new/engine vs old/engine: ";
        assert!(outcome.stdout.contains(score), "{}", outcome.stdout);
        for dir in ["new", "old"] {
            assert_eq!(scene.processes(&format!("{dir}/engine")).len(), runs);
        }
    }
    assert!(!scene.path("ran").exists() && !scene.path("new/ran").exists());

    // A program of the current folder plays in the folders of its data.
    scene.bot("bot", Bot::thinking(COLUMN_A));
    let line = format!(
        "match --engine cmd=./bot dir=new --engine cmd=./bot dir=old --each st=3 {PATIENT} --quiet --out games.jsonl"
    );
    scene.referee(&line).succeeds().shows("Score of bot vs bot-2: ");
    // Such a match resumes.
    scene.referee(&format!("{line} --games 4")).succeeds();

    for [dir, message] in rows(
        "
        new | neither `new/engin` nor `./engin` exists: there is no file `engin` in /
        no | `dir=no` is not a folder
    ",
    ) {
        for command in [
            "match --engine cmd=random --engine",
            "check",
            "play --second random --first",
        ] {
            let outcome = scene.referee(&format!("{command} cmd=./engin dir={dir}"));
            assert!(matches!(outcome.status, Some(2 | 3)), "{outcome:?}");
            assert!(outcome.stderr.contains(message), "{command}: {}", outcome.stderr);
        }
    }
    let outcome = scene.referee("check --only handshake cmd=./engine dir=new");
    assert!(outcome.stdout.starts_with("Checking engine: "), "{outcome:?}");
}

#[test]
fn a_result_file_has_the_documented_form() {
    let scene = Scene::new();
    let one = scene.bot("one", Bot::thinking(COLUMN_A));
    scene.bot("other", Bot::thinking(COLUMN_H));
    let line = format!(
        "match --engine cmd={one} name=First tc=60+1 --engine cmd=./other args=-x st=2 timemargin=50 option.A=b \
         --games 1 --seed 7 --out games.jsonl"
    );
    scene.bot(
        "other",
        Bot {
            uci: "echo option name A type string default x; echo uciok",
            go: COLUMN_H,
            ..Bot::default()
        },
    );
    let before = Timestamp::now();
    scene.referee(&line).exits(0);
    let mut header = scene.results("games.jsonl").remove(0);
    for (engine, program) in ["./one", "./other"].into_iter().enumerate() {
        let digests = header["engines"][engine]
            .as_object_mut()
            .unwrap()
            .remove("sha256")
            .unwrap();
        assert_eq!(digests[program].as_str().unwrap().len(), 64, "{digests}");
    }
    assert_eq!(
        header,
        json!({
            "header": 1,
            "variant": "magnetic-cave",
            "seed": 7,
            "schedule": {"format": "round-robin", "games": 1},
            "engines": [
                {"name": "First", "cmd": "./one", "tc": "60+1", "timemargin": 0},
                {"name": "other", "cmd": "./other", "args": ["-x"], "options": [["A", "b"]], "st": "2", "timemargin": 50},
            ]
        })
    );
    let mut record = scene.records().remove(0);
    let [started, ended] = ["started", "ended"].map(|name| {
        let time = record.as_object_mut().unwrap().remove(name).unwrap();
        let text = time.as_str().unwrap().to_string();
        assert_eq!(text.len(), "2026-11-26T22:30:00Z".len(), "{text}");
        text.parse::<Timestamp>().unwrap()
    });
    assert!(before.as_second() <= started.as_second() && started <= ended && ended <= Timestamp::now());
    record["ms"] = Value::Null;
    assert_eq!(
        record,
        json!({
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
        })
    );
    let text = scene.text("games.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        keys(lines[0]),
        ["header", "variant", "seed", "schedule", "engines"]
    );
    let fields = "id variant round pair first second start moves opening_plies ms score result reason detail started ended";
    assert_eq!(keys(lines[1]).join(" "), fields);
    assert!(text.ends_with("}\n"));
    let decimals = |time: &Value| {
        time.to_string()
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len())
    };
    let times = &scene.records()[0]["ms"];
    assert!(
        times.as_array().unwrap().iter().all(|time| decimals(time) <= 3),
        "{times}"
    );
}

#[test]
fn the_seed_determines_the_openings() {
    let starts = |engines: &str, seed: &str| {
        let scene = Scene::new();
        scene.referee(&format!(
            "match {engines} --variant gridlock --turns 6 --openings random:2 --games 4 {seed} --each st=0.5 {PATIENT} --out games.jsonl"
        ));
        scene
            .records()
            .iter()
            .map(|record| {
                format!(
                    "{} {} {}",
                    record["start"], record["moves"][0], record["moves"][1]
                )
            })
            .collect::<Vec<_>>()
    };
    let one = starts("random plain", "");
    assert_eq!(one, starts("mobility random", "--seed 1"), "the default is fixed");
    assert_ne!(one, starts("random plain", "--seed 2"));
}

#[test]
fn shows_the_boards_of_few_games() {
    let scene = Scene::new();
    let one = scene.bot("one", Bot::thinking(COLUMN_A));
    let other = scene.bot("other", Bot::thinking(COLUMN_H));
    let outcome = scene.referee(&format!("match {one} {other} --each st=3"));
    let shown = &outcome.stdout;
    assert_starts(
        &shown,
        "Game 1 of 2: one (■) against other (□)\n  a b c d e f g h\n8 · ",
    );
    assert_eq!(
        shown.matches("  a b c d e f g h\n").count(),
        2 * 2 * 10,
        "two lines a board"
    );
    let last = "\
8 · · · · · · · · 8
7 · · · · · · · · 7
6 · · · · · · · · 6
5 ■ · · · · · · · 5
4 ■ · · · · · · □ 4
3 ■ · · · · · · □ 3
2 ■ · · · · · · □ 2
1 ■ · · · · · · □ 1
  a b c d e f g h

one (■) wins: x has five in line, a5 to a1 (1-0, five)

Game 2 of 2: other (■) against one (□)
";
    assert!(shown.contains(last), "{shown}");
    let moves: Vec<&str> = shown.lines().filter(|line| line.contains(" plays ")).collect();
    assert!(moves[0].starts_with("1. one (■) plays a1 in 0.0"), "{}", moves[0]);
    assert!(moves[0].ends_with(" s, score win 3"), "{}", moves[0]);
    assert!(
        moves[1].starts_with("2. other (□) plays h1 in 0.0"),
        "{}",
        moves[1]
    );
    assert!(moves[1].ends_with(" s"), "{}", moves[1]);
    assert_ends(
        &shown,
        "Score of one vs other: 1 - 1 - 0 [0.500] 2\nPoints: one 1, other 1\n",
    );
}

#[test]
fn records_mate_scores_in_plies() {
    let scene = Scene::new();
    let one = scene.bot(
        "one",
        Bot::thinking("echo info score mate 2; echo bestmove a$thinks"),
    );
    let other = scene.bot(
        "other",
        Bot::thinking("echo info score mate -3; echo bestmove h$thinks"),
    );
    scene.referee(&format!(
        "match {one} {other} --games 1 --each st=3 --out games.jsonl"
    ));
    let scores = &scene.records()[0]["score"];
    assert_eq!((&scores[0], &scores[1]), (&json!("win 3"), &json!("loss 6")));
}

#[test]
fn an_engine_with_mate_scores_reports_the_proven_result() {
    let scene = Scene::new();
    let line = format!(
        "match --variant gridlock --turns 8 --games 1 --each st=1 {PATIENT} --out games.jsonl \
         --engine cmd=random --engine cmd=lodestone"
    );
    run(scene.command(&line).arg("option.Mate Scores=true"), "").succeeds();
    let record = &scene.records()[0];
    assert_follows_rules(record);
    let last: Score = record["score"][7].as_str().unwrap().parse().unwrap();
    let expected = match record["result"].as_str().unwrap() {
        "0-1" => Score::Win(1),
        "1-0" => Score::Loss(2),
        _ => Score::Cp(0),
    };
    assert_eq!(last, expected, "{record}");
}

#[test]
fn shows_a_line_per_game_of_many() {
    let scene = Scene::new();
    let one = scene.bot("one", Bot::thinking(COLUMN_A));
    let other = scene.bot("other", Bot::thinking(COLUMN_H));
    let command = format!("match {one} {other} --games 3 --each st=3");
    let score = "Score of one vs other: 2 - 1 - 0 [0.667] 3\nPoints: one 2, other 1\n";
    let games = "Game 1 of 3: one (■) - other (□): 1-0, five: x has five in line, a5 to a1\n\
                 Game 2 of 3: other (■) - one (□): 1-0, five: x has five in line, h5 to h1\n\
                 Game 3 of 3: one (■) - other (□): 1-0, five: x has five in line, a5 to a1\n";
    let shown = scene.referee(&command).stdout;
    assert!(shown.starts_with(&format!("{games}----")), "{shown}");
    assert!(shown.ends_with(score), "{shown}");
    let quiet = scene.referee(&format!("{command} --quiet")).stdout;
    assert!(quiet.starts_with("----") && quiet.ends_with(score), "{quiet}");
    let boards = scene.referee(&format!("{command} --board")).stdout;
    assert_eq!(boards.matches(" plays ").count(), 27);
}

#[test]
fn default_match_has_two_games_of_built_in_engines() {
    for (variant, partner) in [("magnetic-cave", "squares"), ("gridlock", "mobility")] {
        let scene = Scene::new();
        let outcome = scene
            .referee(&format!(
                "match --variant {variant} --each depth=1 {PATIENT} --out games.jsonl"
            ))
            .succeeds();
        let header = &scene.results("games.jsonl")[0];
        assert_eq!(
            [&header["engines"][0]["cmd"], &header["engines"][1]["cmd"]],
            ["lodestone", partner]
        );
        assert_eq!(header["engines"][0]["st"], "0.2");
        assert_eq!(scene.records().len(), 2);
        scene.records().iter().for_each(assert_follows_rules);
        assert!(outcome.stdout.contains(" plays "), "boards are shown");
    }
}

#[test]
fn beats_a_random_opponent_without_faults() {
    for variant in ["magnetic-cave", "gridlock"] {
        let scene = Scene::new();
        let line = format!(
            "match lodestone random --variant {variant} --games 4 --each st=0.03 {PATIENT} --out games.jsonl"
        );
        let outcome = scene.referee(&line);
        assert!(!outcome.stdout.contains("Faults"), "{}", outcome.stdout);
        let records = scene.records();
        assert_eq!(records.len(), 4);
        records.iter().for_each(assert_follows_rules);
    }
}

#[test]
fn records_the_score_from_the_movers_view() {
    // A proven win is recorded.
    let scene = Scene::new();
    scene.referee(&format!(
        "match lodestone random --games 2 --each st=0.1 {PATIENT} --out games.jsonl"
    ));
    for record in scene.records() {
        let side = if record["first"] == "lodestone" {
            Side::First
        } else {
            Side::Second
        };
        let scores = record["score"].as_array().unwrap();
        let mut own = scores.iter().skip(side.index()).step_by(2);
        assert_eq!(
            own.next_back(),
            Some(&json!(Score::Win(1).to_string())),
            "{record}"
        );
        let mut others = scores.iter().skip(side.opponent().index()).step_by(2);
        assert!(others.all(Value::is_null), "`random` says nothing: {record}");
    }
}
