//! `--skip-broken`: a tournament without the submissions that do not start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::support::{Outcome, Scene, assert_has, assert_has_all};

/// A submission that plays.
fn works() -> String {
    format!(
        "#!/bin/sh\nexec '{}' builtin random\n",
        env!("CARGO_BIN_EXE_referee")
    )
}

/// Writes the program of a submission.
fn write(scene: &Scene, name: &str, program: &str) {
    scene.folder(&format!("course/{name}"));
    scene.script(&format!("course/{name}/run"), program);
}

/// A course: `ann`, `cleo`, `eve` and `gil` play. `bob` has no program, `dave` exits, `finn`
/// never answers, and `hal` is not executable.
fn course() -> Scene {
    let scene = Scene::new();
    for name in ["ann", "cleo", "eve", "gil"] {
        write(&scene, name, &works());
    }
    scene.folder("course/bob");
    write(&scene, "dave", "#!/bin/sh\necho 'no config' >&2\nexit 7\n");
    write(&scene, "finn", "#!/bin/sh\nsleep 60\n");
    scene.folder("course/hal");
    scene.file("course/hal/run", "#!/bin/sh\n");
    scene
}

const FIT: [&str; 4] = ["ann", "cleo", "eve", "gil"];
const UNFIT: [&str; 4] = ["bob", "dave", "finn", "hal"];

const MATCH: &str = "match --engines course --skip-broken --quiet --openings random:2 --concurrency 2 \
    --each st=3 starttime=4 timemargin=60000";

/// Plays with these options; the command must succeed.
fn play(scene: &Scene, options: &str) -> Outcome {
    let outcome = scene.referee(&format!("{MATCH} {options}")).exits(0);
    outcome
}

fn players(record: &Value) -> [&str; 2] {
    ["first", "second"].map(|seat| record[seat].as_str().unwrap())
}

/// The games of a result file by id: players, pair, start and opening.
fn schedule(scene: &Scene, file: &str) -> BTreeMap<u64, Vec<Value>> {
    let lines = scene.results(file);
    let records = lines.iter().filter(|line| line.get("moves").is_some());
    records
        .map(|record| {
            let opening = &record["moves"].as_array().unwrap()[..2];
            let fields = ["first", "second", "pair", "round", "start"].map(|field| record[field].clone());
            let game = fields.into_iter().chain(opening.iter().cloned());
            (record["id"].as_u64().unwrap(), game.collect())
        })
        .collect()
}

/// The unfit players of the first header.
fn unfit(scene: &Scene, file: &str) -> Vec<String> {
    let header = &scene.results(file)[0];
    let unfit = header["unfit"].as_array().unwrap();
    let name = |player: &Value| player["name"].as_str().unwrap().to_string();
    unfit.iter().map(name).collect()
}

/// The report on these files, which must be complete.
fn report(scene: &Scene, files: &str) -> Value {
    let outcome = scene.referee(&format!("report --json {files}")).exits(0);
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn plays_the_other_games_as_without_unfit_engines() {
    let scene = course();
    let outcome = play(&scene, "--out games.jsonl");
    assert_has_all(
        &outcome.stderr,
        [
            "not in the match: bob cannot be started: `course/bob/run` does not exist: there is no file `run` in /",
            "not in the match: dave does not complete the handshake: dave ended with exit status 7\n",
            "stderr: no config\n",
            "not in the match: finn does not complete the handshake: finn gave no `uciok` within 4.000 s",
            "not in the match: hal cannot be started: `course/hal/run` is not executable; `chmod +x course/hal/run`",
        ],
    );
    assert_eq!(unfit(&scene, "games.jsonl"), UNFIT);
    let line = "Unfit, not played: dave: does not complete the handshake: dave ended with exit status 7\n";
    assert!(outcome.stdout.contains(line), "{}", outcome.stdout);

    // The same games as in a tournament in which all play.
    let played = schedule(&scene, "games.jsonl");
    for name in UNFIT {
        write(&scene, name, &works());
    }
    play(&scene, "--out all.jsonl");
    assert_eq!(scene.results("all.jsonl")[0]["unfit"], Value::Null);
    let is_fit = |game: &Value| FIT.contains(&game.as_str().unwrap());
    let mut all = schedule(&scene, "all.jsonl");
    assert_eq!(all.len(), 8 * 7);
    all.retain(|_, game| is_fit(&game[0]) && is_fit(&game[1]));
    assert_eq!(all.len(), 4 * 3);
    assert_eq!(played, all);
}

#[test]
fn report_names_unfit_engines_and_counts_no_game_of_theirs_as_missing() {
    let scene = course();
    play(&scene, "--out games.jsonl");
    let complete = report(&scene, "games.jsonl");
    assert_eq!(
        (&complete["games"], &complete["scheduled"]),
        (&12.into(), &12.into())
    );
    assert_eq!(complete["missing"]["games"], 0);
    let names = |players: &Value| -> Vec<String> {
        let players = players.as_array().unwrap().iter();
        players
            .map(|player| player["name"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(names(&complete["unfit"]), UNFIT);
    let ranked: BTreeSet<String> = names(&complete["players"]).into_iter().collect();
    assert_eq!(ranked, FIT.map(String::from).into());
    let text = scene.referee("report games.jsonl").stdout;
    assert_has(&text, "Round robin of 8, 4 unfit (magnetic-cave, ");
    for name in UNFIT {
        assert!(text.contains(&format!("\nUnfit, not played: {name}: ")), "{text}");
    }

    let csv = scene.referee("report --csv games.jsonl");
    assert_eq!((csv.status, csv.stdout.lines().count()), (Some(0), 1 + FIT.len()));
    csv.says("Unfit, not played: dave: does");

    // Without its last game the file is incomplete by this game.
    let file = scene.text("games.jsonl");
    let (rest, last) = file.trim_end().rsplit_once('\n').unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    scene.file("games.jsonl", &format!("{rest}\n"));
    let outcome = scene.referee("report games.jsonl").exits(1);
    let missing = "\nMissing: 1 of 12 games\n  game";
    assert!(outcome.stdout.contains(missing), "{}", outcome.stdout);
    outcome.shows(&last["id"].to_string());
}

#[test]
fn marks_hold_for_the_whole_match() {
    let scene = course();
    play(&scene, "--out games.jsonl");
    let file = scene.text("games.jsonl");
    let expected = schedule(&scene, "games.jsonl");
    let kept: Vec<&str> = file.lines().take(6).collect();
    // An engine that works now stays out, with the option and without it.
    write(&scene, "dave", &works());
    let without = MATCH.replace("--skip-broken", "");
    for line in [MATCH, without.as_str()] {
        scene.file("games.jsonl", &(kept.join("\n") + "\n"));
        // Without the option, a folder without `run` is no player of the command.
        if line != MATCH {
            write(&scene, "bob", &works());
            write(&scene, "hal", &works());
        }
        scene.referee(&format!("{line} --out games.jsonl")).succeeds();
        assert_eq!(schedule(&scene, "games.jsonl"), expected);
    }

    // More games keep the marks, too.
    play(&scene, "--out games.jsonl --games 4");
    let headers: Vec<Value> = scene.results("games.jsonl");
    let headers: Vec<&Value> = headers
        .iter()
        .filter(|line| line.get("header").is_some())
        .collect();
    assert_eq!(headers.len(), 2);
    assert_eq!(headers[0]["unfit"], headers[1]["unfit"]);
    assert_eq!(report(&scene, "games.jsonl")["games"], 24);

    // An engine that played before must start again.
    scene.file("games.jsonl", &(kept.join("\n") + "\n"));
    write(&scene, "eve", "#!/bin/sh\nexit 1\n");
    scene
        .referee(&format!("{MATCH} --out games.jsonl"))
        .exits(3)
        .says("eve does not complete the handshake");
}

#[test]
fn swiss_tournament_pairs_the_fit_engines() {
    let scene = course();
    write(&scene, "bob", &works());
    play(&scene, "--format swiss rounds=3 --out games.jsonl");
    assert_eq!(unfit(&scene, "games.jsonl"), ["dave", "finn", "hal"]);
    let records = scene.records();
    // Five players: two boards of two games in each round.
    assert_eq!(records.len(), 3 * 2 * 2);
    for round in 1..=3 {
        let games: Vec<&Value> = records.iter().filter(|game| game["round"] == round).collect();
        let seats: BTreeSet<&str> = games.iter().flat_map(|game| players(game)).collect();
        assert_eq!((games.len(), seats.len()), (4, 4), "round {round}");
    }
    let complete = report(&scene, "games.jsonl");
    assert_eq!(complete["missing"]["games"], 0);
    assert_eq!(complete["scheduled"], 12);
    let byes = complete["players"].as_array().unwrap();
    let byes: u64 = byes
        .iter()
        .map(|player| player["points_off"].as_u64().unwrap())
        .sum();
    assert_eq!(byes, 6, "a bye of two games in each round");
}

#[test]
fn shards_are_complete_without_unfit_engines() {
    let scene = course();
    for shard in 0..3 {
        play(&scene, &format!("--shard {shard}/3 --out {shard}.jsonl"));
    }
    let complete = report(&scene, "0.jsonl 1.jsonl 2.jsonl");
    assert_eq!(
        (&complete["games"], &complete["missing"]["games"]),
        (&12.into(), &0.into())
    );
    scene
        .referee("report 0.jsonl 2.jsonl")
        .exits(1)
        .shows("shard 1/3: no file");
}

#[test]
fn match_without_two_fit_engines_does_not_begin() {
    let scene = course();
    for (line, cause) in [
        (
            "match --engine cmd=./course/dave/run name=dave --engine cmd=random --sprt elo0=0 elo1=5",
            "no game can be played: dave does not complete the handshake",
        ),
        (
            "match --engine cmd=./course/bob/run --engine cmd=./course/dave/run --engine cmd=random",
            "no game can be played: 2 engines cannot play:\n  ./course/bob/run cannot be started",
        ),
        // The others play no games against each other.
        (
            "match --format gauntlet --engine cmd=./course/dave/run name=dave --engine cmd=random --engine cmd=plain",
            "no game can be played: dave does not complete the handshake",
        ),
    ] {
        let outcome = scene
            .referee(&format!("{line} --skip-broken --out games.jsonl"))
            .exits(3);
        assert!(outcome.stderr.contains(cause), "{line}: {}", outcome.stderr);
        assert!(!scene.path("games.jsonl").exists(), "{line}");
    }
    // A gauntlet does without one of the others.
    scene.referee(
        "match --format gauntlet --engine cmd=random --engine cmd=./course/dave/run name=dave --engine cmd=plain \
         --each depth=1 timemargin=60000 --skip-broken --out games.jsonl",
    ).exits(0);
    let ids: Vec<Value> = scene
        .records()
        .iter()
        .map(|record| record["id"].clone())
        .collect();
    assert_eq!(ids, [2, 4]);
    assert_eq!(report(&scene, "games.jsonl")["missing"]["games"], 0);
}

#[test]
fn submission_that_is_left_out_is_in_the_summary() {
    use std::os::unix::ffi::OsStrExt;
    let scene = course();
    let folder = scene.path("course").join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    // Not every file system has such names.
    let has_name = fs::create_dir(&folder).is_ok();
    for name in ["dave", "finn", "hal"] {
        write(&scene, name, &works());
    }
    for line in [MATCH.to_string(), MATCH.replace("--skip-broken", "")] {
        scene.remove("games.jsonl");
        let outcome = scene.referee(&format!("{line} --out games.jsonl")).exits(0);
        for text in [outcome.stdout, scene.referee("report games.jsonl").stdout] {
            assert!(text.contains("\nUnfit, not played: bob: "), "{text}");
            let unprintable =
                "\nUnfit, not played: caf\u{fffd}: `course/caf\u{fffd}` has a name that cannot be printed";
            assert!(!has_name || text.contains(unprintable), "{text}");
        }
    }
}

#[test]
fn without_the_option_a_broken_engine_stops_the_command() {
    let scene = course();
    for name in ["ivy", "jim"] {
        write(&scene, name, "#!/bin/sh\r\nexec ./bot\r\n");
    }
    let outcome = scene
        .referee("match --engines course --each starttime=1 --out games.jsonl --save-config match.toml")
        .exits(3);
    assert_has_all(
        &outcome.stderr,
        [
            "4 engines cannot play:\n  dave does not complete the handshake",
            "\n  finn does not complete the handshake",
            "\n  ivy cannot be started: `course/ivy/run` has Windows line ends (CRLF)",
            "\n  jim cannot be started: `course/jim/run` has Windows line ends (CRLF)",
        ],
    );
    assert!(!scene.path("games.jsonl").exists());
    assert!(!scene.path("match.toml").exists());
    // An option that an engine lacks is a wrong command, not a broken engine.
    scene
        .referee(
            "match --engine cmd=random option.NoSuch=1 --engine cmd=plain --engine cmd=squares --skip-broken",
        )
        .exits(2);
}
