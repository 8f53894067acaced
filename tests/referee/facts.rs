//! What records keep of each move beside time and score (`--record`).

use serde_json::{Value, json};

use crate::recorded::{json_report, player};
use crate::support::{
    Bot, Outcome, Scene, assert_has, assert_has_all, assert_lacks, assert_rows, assert_starts, expect, joined,
};

/// A match of a bot that reports everything, and one that reports nothing.
const MATCH: &str = "match --engine cmd=./talks --engine cmd=./silent --each tc=60+1 --quiet";

fn scene() -> Scene {
    let scene = Scene::new();
    let go = "echo 'info depth 7 seldepth 12 score cp 34 nodes 1234 nps 40000 hashfull 15 time 2 pv a1 h1 a2'\n\
              echo 'info depth 9 nodes 9999'\nlegal";
    scene.bot("talks", Bot::thinking(go));
    // It loses on purpose, so that games are short.
    let go = "[ $thinks -gt 4 ] && echo bestmove 0000 || legal";
    scene.bot("silent", Bot::thinking(go));
    scene
}

#[track_caller]
fn played(scene: &Scene, options: &str) -> Outcome {
    scene.referee(&format!("{MATCH} {options}")).succeeds()
}

/// The values of a field for the moves of one player; `talks` moves first in game 1.
fn of_player<'a>(record: &'a Value, field: &str, is_talker: bool) -> impl Iterator<Item = &'a Value> {
    let values = record[field]
        .as_array()
        .unwrap_or_else(|| panic!("{field} in {record}"));
    assert_eq!(values.len(), record["ms"].as_array().unwrap().len(), "{field}");
    let is_first = (record["first"] == "talks") == is_talker;
    values.iter().skip(usize::from(!is_first)).step_by(2)
}

/// The same for numbers.
fn numbers(record: &Value, field: &str, is_talker: bool) -> impl Iterator<Item = f64> {
    of_player(record, field, is_talker).map(|value| value.as_f64().unwrap())
}

#[test]
fn records_what_engines_report() {
    let scene = scene();
    let files = "--out games.jsonl --pgn games.pgn event=Cup site=Hall";
    let outcome = played(&scene, &format!("--record all {files}"));
    let fields = "depth,seldepth,nodes,nps,hashfull,latency,timeleft,pv";
    assert_eq!(scene.results("games.jsonl")[0]["record"], fields);
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
                of_player(&record, field, true).all(|found| *found == value),
                "{field}"
            );
            assert!(of_player(&record, field, false).all(Value::is_null), "{field}");
        }
        let latencies = numbers(&record, "latency", true).zip(numbers(&record, "ms", true));
        for (latency, ms) in latencies {
            // A wait for a processor is no part of `ms`, and is looked for in answers of 10 ms or more.
            let waited = latency - (ms - 2.0);
            let is_looked_for = ms + waited >= 10.0;
            assert!(
                waited.abs() < 1e-6 || is_looked_for && waited > 0.0,
                "{latency} {ms}"
            );
        }
        for is_talker in [true, false] {
            let mut left = 60_000.0;
            let times = numbers(&record, "timeleft", is_talker).zip(numbers(&record, "ms", is_talker));
            for (timeleft, ms) in times {
                left += 1000.0 - ms;
                assert!((timeleft - left).abs() < 0.1, "{timeleft} {left}");
            }
        }
    }

    // Two games have no means in the summary, but in the report.
    assert_lacks(&outcome.stdout, "Depth:");
    let report = json_report(&scene, "games.jsonl");
    let (talks, silent) = (player(&report, "talks"), player(&report, "silent"));
    assert_eq!(talks["mean_depth"], 7.0);
    let speed = talks["mean_nps"].as_f64().unwrap();
    assert!((speed - 40000.0).abs() < 1e-3, "{speed}");
    assert!(talks["mean_latency_ms"].is_number());
    assert!(silent["mean_time_left_ms"].as_f64().unwrap() > 50_000.0);
    assert!(silent.get("mean_depth").is_none());
    let csv = scene.referee("report games.jsonl --csv").stdout;
    assert_has(&csv, ",mean_depth,mean_nps,mean_latency_ms,mean_time_left_ms\r\n");
    assert_has(&csv, ",7.0,40000.0,");

    let shown = joined(&scene.referee("show games.jsonl --game 1").stdout);
    let facts = "score +0.34, depth 7/12, 1234 nodes, 40 knps, table 1.5 % full, latency ";
    assert_has_all(shown, [facts, " s left ", "Line: a1 h1 a2"]);
    let pgn = scene.text("games.pgn");
    assert_starts(&pgn, "[Event \"Cup\"]\n[Site \"Hall\"]\n");
    scene.referee("report games.jsonl --pgn again.pgn").exits(0);
    assert_eq!(scene.text("again.pgn"), pgn);
    let comment = ", n=1234, sd=12, nps=40000, hashfull=15, pv=\"a1 h1 a2\"} {1... ";
    assert_has(joined(&pgn), comment);
    scene.referee("show games.pgn --game 2").exits(0).shows("moves");
}

#[test]
fn summary_has_the_means_of_each_player() {
    let scene = scene();
    let four = "--games 4 --openings random:2 --record depth,nps";
    let outcome = played(&scene, four);
    outcome
        .shows("Depth: talks 7.0\n")
        .shows("Speed: talks 40 knps\n");
    assert_lacks(&outcome.stdout, "Latency");
    let third = played(&scene, &format!("--engine cmd=./silent name=third {four}")).stdout;
    let heading = third.lines().find(|line| line.starts_with("Rank ")).unwrap();
    assert!(joined(heading).ends_with("Depth Speed"), "{third}");
}

#[test]
fn nothing_changes_without_the_option() {
    let scene = scene();
    played(&scene, "--out games.jsonl --pgn games.pgn");
    let lines = scene.results("games.jsonl");
    assert!(lines[0].get("record").is_none());
    for record in &lines[1..] {
        // The games end by a fault, which is among them.
        assert_eq!(record.as_object().unwrap().len(), 17, "{record}");
    }
    for line in scene.text("games.jsonl").lines().skip(1) {
        assert_has_all(line, [",\"score\":[", "],\"result\":\""]);
    }
    let pgn = scene.text("games.pgn");
    assert_eq!(pgn.matches('{').count(), 2, "a comment for each game: {pgn}");
    let csv = scene.referee("report games.jsonl --csv").stdout;
    assert_starts(&csv, "match,");
    assert_has(&csv, ",variant,format\r\n");
}

#[test]
fn records_of_a_file_have_the_same_fields() {
    let scene = scene();
    played(&scene, "--record depth --out games.jsonl");
    let table = expect![[r#"
        | it was written with `--record depth`, now no `--record`. All records of a file
        --record depth,pv | it was written with `--record depth`, now `--record depth,pv`. All records of a file
    "#]];
    assert_rows(table, |[options]| {
        let line = format!("{MATCH} {options} --out games.jsonl");
        joined(&scene.referee(&line).exits(2).stderr)
    });
    // The order of the names does not matter.
    played(&scene, "--record depth,depth --out games.jsonl");
    assert_eq!(scene.records().len(), 2);

    // Files of one match may differ.
    played(&scene, "--shard 0/2 --record depth --out one.jsonl");
    played(&scene, "--shard 1/2 --out two.jsonl");
    let outcome = scene.referee("report one.jsonl two.jsonl --json").exits(0);
    assert_eq!(outcome.stdout.lines().count(), 1, "one match");
}
