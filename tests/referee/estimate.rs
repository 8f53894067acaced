//! `referee estimate`: a trial of a few games, and what follows from it.

use std::fs;

use serde_json::Value;

use crate::support::{Bot, Scene};

/// The numbers of an estimate, as JSON.
fn numbers(scene: &Scene, line: &str) -> Value {
    let outcome = scene.referee(&format!("estimate --json {line}"));
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{line}");
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn a_trial_is_spread_over_the_schedule_and_leaves_nothing() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("sleep 0.01; echo bestmove a$thinks"));
    scene.bot("other", Bot::thinking("echo bestmove h$thinks"));
    let files = || fs::read_dir(scene.path("")).unwrap().count();
    let before = files();
    let found = numbers(
        &scene,
        "--trial 6 --hours 0.5 -- --engine cmd=./bot --engine cmd=./other --engine cmd=random st=20 --games 2000 \
         --openings random:2 --concurrency 4 --out whole.jsonl --pgn whole.pgn --html whole.html --log whole.log",
    );
    // Three pairings. With 999 shards, the pairings would not all be in the first one.
    assert_eq!(found["games"], 6000);
    assert_eq!(found["trial"]["games"], 6);
    assert_eq!(found["slots"], 4);
    let seconds = found["seconds_a_game"]["value"].as_f64().unwrap();
    assert!((0.01..10.0).contains(&seconds), "{found}");
    let hours = found["hours"]["value"].as_f64().unwrap();
    assert!((hours * 3600.0 / seconds / 6000.0 - 1.0).abs() < 1e-6, "{found}");
    assert!(found["slowest_shard"].as_f64().unwrap() <= 0.5, "{found}");
    let per_game = found["bytes_a_game"].as_f64().unwrap();
    assert!((200.0..5000.0).contains(&per_game), "{found}");
    if cfg!(target_os = "linux") {
        let memory = &found["memory"];
        let [referee, engines, shard, request] =
            ["referee", "engines", "shard", "request"].map(|name| memory[name].as_u64().unwrap());
        assert!(referee > 0 && engines > 0, "{memory}");
        assert_eq!(shard, referee + 4 * engines);
        assert!(request >= shard && request % 64 == 0, "{memory}");
    }
    // The trial writes nothing but the notes of the bots.
    assert!(!scene.path("whole.jsonl").exists() && !scene.path("whole.pgn").exists());
    assert!(!scene.path("whole.log").exists() && !scene.path("whole.html").exists());
    let notes = |name: &str| name.starts_with("bot") || name.starts_with("other");
    let new = fs::read_dir(scene.path("")).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        !notes(name.to_str().unwrap())
    });
    assert_eq!(new.count(), 0, "{before} files before");
    scene.assert_no_bot_left();
}

#[test]
fn a_result_file_takes_the_place_of_the_trial() {
    let scene = Scene::new();
    let line = "match plain random --each depth=2 timemargin=60000 --games 40 --openings random:2 --quiet";
    assert_eq!(
        scene
            .referee(&format!("{line} --shard 1/4 --out part.jsonl"))
            .status,
        Some(0)
    );
    let found = numbers(&scene, "--from part.jsonl");
    assert_eq!(found["games"], 40);
    assert_eq!(found["trial"]["games"], 10);
    assert_eq!(found["trial"]["seconds"], Value::Null);
    assert_eq!(found["memory"], Value::Null);
    assert_eq!(found["shards"], 1);
    // The size of the records alone.
    let text = fs::read_to_string(scene.path("part.jsonl")).unwrap();
    let records: usize = text.lines().skip(1).map(|line| line.len() + 1).sum();
    assert_eq!(found["bytes_a_game"].as_f64(), Some(records as f64 / 10.0));
}

#[test]
fn a_sequential_test_has_its_length_in_the_estimate() {
    let scene = Scene::new();
    let line =
        "--trial 8 -- plain groups --each depth=1 timemargin=60000 --games 100 --openings random:4 --sprt";
    let outcome = scene.referee(&format!("estimate {line} elo0=0 elo1=10 model=logistic"));
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    for part in [
        "Trial:   8 of 100 games in ",
        " s, one at a time; the start took ",
        "Shards:  1 for 1 h, 1 game at a time in each; about 100 games a shard",
        "Files:   1 result file, ",
        "SPRT:    elo0=0 elo1=10 alpha=0.05 beta=0.05 model=logistic; ",
        "\n         at elo0: ",
        "\n         halfway: ",
        "\n         the match may end undecided: it has 100 games\n",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    // The default model does not depend on the games of the trial.
    let found = numbers(&scene, &format!("{line} elo0=0 elo1=10"));
    assert_eq!(found["sprt"]["uncertainty"], 1.0);
    let games = found["sprt"]["games"].as_array().unwrap();
    let [h0, halfway, h1] = [0, 1, 2].map(|index: usize| games[index].as_f64().unwrap());
    // ln(19)² / (10 / 347.4)² games, and 2 · 0.9 · ln(19) / (10 / 347.4)².
    assert!((halfway / 10_465.0 - 1.0).abs() < 0.001, "{halfway}");
    assert!(
        (h0 / 6397.0 - 1.0).abs() < 0.001 && (h1 / h0 - 1.0).abs() < 1e-9,
        "{h0} {h1}"
    );
}

#[test]
fn wrong_commands_are_refused() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking("sleep 1.3; echo bestmove a$thinks"));
    for (line, message) in [
        ("", "required"),
        ("-- human random", "a person cannot play a trial"),
        ("-- plain random --shard 0/8", "leave out --shard"),
        ("-- plain random --games many", "invalid value 'many'"),
        ("--trial 1 -- plain random", "invalid value '1'"),
        ("--hours 0 -- plain random", "expected hours from 0.001"),
        ("--from nowhere.jsonl", "nowhere.jsonl"),
        ("--from a.jsonl -- plain random", "cannot be used with"),
        (
            "--hours 0.001 --trial 2 -- ./bot random --each st=20",
            "--hours 0.001: a game alone takes ",
        ),
    ] {
        scene.assert_refused(&format!("estimate {line}"), message);
    }
    let missing = scene.referee("estimate -- ./bot ./missing");
    assert_eq!(missing.status, Some(3), "{missing:?}");
    assert!(missing.stderr.contains("missing"), "{missing:?}");
    scene.assert_no_bot_left();
}

#[test]
fn an_interrupted_trial_leaves_no_engine() {
    let scene = Scene::new();
    scene.bot(
        "bot",
        Bot::thinking("echo > waits; sleep 20; echo bestmove a$thinks"),
    );
    let status = scene.interrupted("estimate -- ./bot random --each st=30");
    assert_eq!(status, Some(130));
    scene.assert_no_bot_left();
}
