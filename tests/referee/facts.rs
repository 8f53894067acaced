//! What records keep of each move beside time and score (`--record`).

use serde_json::{Value, json};

use crate::support::{Bot, Outcome, Scene, assert_has, assert_has_all};

/// A match of a bot that reports everything, and one that reports nothing.
const MATCH: &str = "match --engine cmd=./talks --engine cmd=./silent --each tc=60+1 --quiet";

/// The fields in the order of the record.
const FIELDS: [&str; 8] = [
    "depth", "seldepth", "nodes", "nps", "hashfull", "latency", "timeleft", "pv",
];

fn scene() -> Scene {
    let scene = Scene::new();
    let go = "echo 'info depth 7 seldepth 12 score cp 34 nodes 1234 nps 40000 hashfull 15 time 2 pv a1 h1 a2'\n\
              echo 'info depth 9 nodes 9999'\nlegal";
    scene.bot("talks", Bot::thinking(go));
    // It loses on purpose, so that games are short.
    let go = "[ $thinks -gt 4 ] && echo bestmove resign || legal";
    scene.bot("silent", Bot::thinking(go));
    scene
}

fn played(scene: &Scene, options: &str) -> Outcome {
    let outcome = scene.referee(&format!("{MATCH} {options}")).succeeds();
    outcome
}

/// The values of a field for the moves of one player; `talks` moves first in game 1.
fn of_player<'a>(record: &'a Value, field: &str, is_talker: bool) -> Vec<&'a Value> {
    let values = record[field]
        .as_array()
        .unwrap_or_else(|| panic!("{field} in {record}"));
    assert_eq!(values.len(), record["ms"].as_array().unwrap().len(), "{field}");
    let is_first = (record["first"] == "talks") == is_talker;
    values.iter().skip(usize::from(!is_first)).step_by(2).collect()
}

#[test]
fn records_what_engines_report() {
    let scene = scene();
    let outcome = played(
        &scene,
        "--record all --out games.jsonl --pgn games.pgn event=Cup site=Hall",
    );
    let header = &scene.results("games.jsonl")[0];
    assert_eq!(header["record"], FIELDS.join(","));
    for record in scene.records() {
        for (field, value) in [
            ("depth", json!(7)),
            ("seldepth", json!(12)),
            ("nodes", json!(1234)),
            ("nps", json!(40000)),
            ("hashfull", json!(15)),
            ("pv", json!("a1 h1 a2")),
        ] {
            assert!(
                of_player(&record, field, true)
                    .iter()
                    .all(|found| **found == value)
            );
            assert!(
                of_player(&record, field, false)
                    .iter()
                    .all(|found| found.is_null())
            );
        }
        let ms = of_player(&record, "ms", true);
        for (latency, ms) in of_player(&record, "latency", true).iter().zip(ms) {
            let difference = latency.as_f64().unwrap() - (ms.as_f64().unwrap() - 2.0);
            assert!(difference.abs() < 1e-6, "{latency} {ms}");
        }
        for is_talker in [true, false] {
            let mut left = 60_000.0;
            let ms = of_player(&record, "ms", is_talker);
            for (timeleft, ms) in of_player(&record, "timeleft", is_talker).iter().zip(ms) {
                left += 1000.0 - ms.as_f64().unwrap();
                assert!(
                    (timeleft.as_f64().unwrap() - left).abs() < 0.1,
                    "{timeleft} {left}"
                );
            }
        }
    }

    assert!(
        outcome.stdout.is_empty() || !outcome.stdout.contains("Depth:"),
        "two games"
    );
    let report: Value = serde_json::from_str(&scene.referee("report games.jsonl --json").stdout).unwrap();
    let player = |name: &str| {
        let players = report["players"].as_array().unwrap().iter();
        players.into_iter().find(|player| player["name"] == name).unwrap()
    };
    assert_eq!(player("talks")["mean_depth"], 7.0);
    let speed = player("talks")["mean_nps"].as_f64().unwrap();
    assert!((speed - 40000.0).abs() < 1e-3, "{speed}");
    assert!(player("talks")["mean_latency_ms"].is_number());
    assert!(player("silent")["mean_time_left_ms"].as_f64().unwrap() > 50_000.0);
    assert!(player("silent").get("mean_depth").is_none());
    let csv = scene.referee("report games.jsonl --csv").stdout;
    let (heading, _) = csv.split_once("\r\n").unwrap();
    assert!(heading.ends_with(",mean_depth,mean_nps,mean_latency_ms,mean_time_left_ms"));
    assert!(csv.contains(",7.0,40000.0,"), "{csv}");

    let shown = scene.referee("show games.jsonl --game 1").stdout;
    let shown = shown.replace('\n', " ");
    assert_has_all(
        &shown,
        [
            "score +0.34, depth 7/12, 1234 nodes, 40 knps, table 1.5 % full, latency ",
            " s left ",
            "Line: a1 h1 a2",
        ],
    );
    let pgn = scene.text("games.pgn");
    assert!(pgn.starts_with("[Event \"Cup\"]\n[Site \"Hall\"]\n"), "{pgn}");
    scene.referee("report games.jsonl --pgn again.pgn").exits(0);
    assert_eq!(scene.text("again.pgn"), pgn);
    let pgn = pgn.replace('\n', " ");
    assert_has(
        &pgn,
        ", n=1234, sd=12, nps=40000, hashfull=15, pv=\"a1 h1 a2\"} {1... ",
    );
    let from_pgn = scene.referee("show games.pgn --game 2").exits(0);
    assert!(from_pgn.stdout.contains("moves"), "{}", from_pgn.stdout);
}

#[test]
fn summary_has_the_means_of_each_player() {
    let scene = scene();
    let four = "--games 4 --openings random:2 --record depth,nps";
    let outcome = played(&scene, four);
    assert_has_all(&outcome.stdout, ["Depth: talks 7.0\n", "Speed: talks 40 knps\n"]);
    assert!(!outcome.stdout.contains("Latency"));
    let third = played(&scene, &format!("--engine cmd=./silent name=third {four}"));
    let heading = third
        .stdout
        .lines()
        .find(|line| line.starts_with("Rank "))
        .unwrap();
    let heading: Vec<&str> = heading.split_whitespace().collect();
    assert!(heading.ends_with(&["Depth", "Speed"]), "{}", third.stdout);
}

#[test]
fn nothing_changes_without_the_option() {
    let scene = scene();
    played(&scene, "--out games.jsonl --pgn games.pgn");
    let lines = scene.results("games.jsonl");
    assert!(lines[0].get("record").is_none());
    let text = scene.text("games.jsonl");
    let keys = "\"moves\",\"opening_plies\",\"ms\",\"score\",\"result\",\"reason\",\"detail\",\"started\"";
    for line in text.lines().skip(1) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record.as_object().unwrap().len(), 16, "{line}");
        let places: Vec<usize> = keys.split(',').map(|key| line.find(key).unwrap()).collect();
        assert!(places.is_sorted(), "{line}");
        assert!(
            line.contains(",\"score\":[") && line.contains("],\"result\":\""),
            "{line}"
        );
    }
    let pgn = scene.text("games.pgn");
    assert_eq!(pgn.matches('{').count(), 2, "a comment for each game: {pgn}");
    let csv = scene.referee("report games.jsonl --csv").stdout;
    assert!(
        csv.starts_with("match,") && csv.contains(",variant,format\r\n"),
        "{csv}"
    );
}

#[test]
fn records_of_a_file_have_the_same_fields() {
    let scene = scene();
    played(&scene, "--record depth --out games.jsonl");
    for (options, found) in [
        ("", "no `--record`"),
        ("--record depth,pv", "`--record depth,pv`"),
    ] {
        let outcome = scene
            .referee(&format!("{MATCH} {options} --out games.jsonl"))
            .exits(2);
        let why = format!("it was written with `--record depth`, now {found}. All records of a file");
        let stderr = outcome.stderr.replace('\n', " ").replace("  ", " ");
        assert!(stderr.contains(&why), "{stderr}");
    }
    played(
        &scene,
        "--games 4 --openings random:2 --record depth --out other.jsonl",
    );
    // The order of the names does not matter.
    played(&scene, "--record depth,depth --out games.jsonl");
    assert_eq!(scene.records().len(), 2);

    // Files of one match may differ.
    played(&scene, "--shard 0/2 --record depth --out one.jsonl");
    played(&scene, "--shard 1/2 --out two.jsonl");
    let outcome = scene.referee("report one.jsonl two.jsonl --json").exits(0);
    assert_eq!(outcome.stdout.lines().count(), 1, "one match");
}

#[test]
fn unknown_fields_are_named() {
    let scene = Scene::new();
    let outcome = scene.referee("match --record dpeth").exits(2);
    let names = "unknown field `dpeth`; did you mean `depth`? The fields are depth, seldepth, nodes, nps, \
                 hashfull, latency, timeleft, pv, all";
    let stderr = outcome.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(stderr.contains(names), "{stderr}");
}
