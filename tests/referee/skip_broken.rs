//! `--skip-broken`: a tournament without the submissions that do not start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::recorded::{headers, json_report, moves, text};
use crate::support::{Outcome, Scene, assert_has, assert_lacks, assert_rows, expect, joined};

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
    for name in FIT {
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
    --each st=3 starttime=4 timemargin=60000 --out";

/// Plays into this file with these options; the command must succeed.
#[track_caller]
fn play(scene: &Scene, file: &str, options: &str) -> Outcome {
    scene.referee(&format!("{MATCH} {file} {options}")).exits(0)
}

fn players(record: &Value) -> [&str; 2] {
    ["first", "second"].map(|seat| text(record, seat))
}

/// The games of a result file by id: players, pair, round, start and opening.
fn schedule(scene: &Scene, file: &str) -> BTreeMap<u64, Vec<String>> {
    let mut records = scene.results(file);
    records.retain(|line| line.get("moves").is_some());
    let game = |record: &Value| {
        let fields = ["first", "second", "pair", "round", "start"].map(|field| record[field].to_string());
        [&fields[..], &[moves(record)[..2].join(" ")]].concat()
    };
    records
        .iter()
        .map(|record| (record["id"].as_u64().unwrap(), game(record)))
        .collect()
}

/// The names of these players.
fn names(players: &Value) -> Vec<&str> {
    players
        .as_array()
        .unwrap()
        .iter()
        .map(|player| text(player, "name"))
        .collect()
}

/// The report on these files, which must be complete.
fn report(scene: &Scene, files: &str) -> Value {
    scene.referee(&format!("report --json {files}")).exits(0);
    let report = json_report(scene, files);
    assert_eq!(report["missing"]["games"], 0);
    report
}

#[test]
fn plays_and_reports_the_other_games_as_without_unfit_engines() {
    let scene = course();
    let outcome = play(&scene, "games.jsonl", "");
    let table = expect![[r#"
        bob | not in the match: bob cannot be started: `course/bob/run` does not exist: there is no file `run` in /
        dave | not in the match: dave did not complete the handshake: it ended with exit status 7; on stderr: `no config`
        finn | not in the match: finn did not complete the handshake: it sent no `uciok` within 4.000 s
        hal | not in the match: hal cannot be started: `course/hal/run` is not executable; run `chmod +x course/hal/run`
    "#]];
    assert_rows(table, |[_]| outcome.stderr.clone());
    assert_lacks(&outcome.stderr, " more, which are listed");
    assert_eq!(names(&scene.results("games.jsonl")[0]["unfit"]), UNFIT);
    // Nobody waits for games that are not played.
    let line = format!("{MATCH} lines.jsonl").replace("--quiet ", "");
    let lines = scene.referee(&line).exits(0).stdout;
    assert_has(&lines, "\nGame 12 of 12 (number ");
    assert_lacks(&lines, " of 56");
    outcome.shows(expect! {"Not playing: dave: did not complete the handshake: it ended with exit status 7; on stderr: `no config`"});

    // No game of theirs is missing.
    let complete = report(&scene, "games.jsonl");
    assert_eq!([&complete["games"], &complete["scheduled"]], [12, 12]);
    assert_eq!(names(&complete["unfit"]), UNFIT);
    let ranked = BTreeSet::from_iter(names(&complete["players"]));
    assert_eq!(ranked, BTreeSet::from(FIT));
    let table = scene.referee("report games.jsonl");
    table.shows(expect! {"Round robin of 8, 4 not playing (magnetic-cave,"});
    for name in UNFIT {
        table.shows(format!(" {name}: "));
    }
    let csv = scene.referee("report --csv games.jsonl").exits(0);
    assert_eq!(csv.stdout.lines().count(), 1 + FIT.len());
    csv.says(expect! {"Not playing: dave: did"});

    // The same games as in a tournament in which all play.
    let played = schedule(&scene, "games.jsonl");
    for name in UNFIT {
        write(&scene, name, &works());
    }
    play(&scene, "all.jsonl", "");
    assert_eq!(scene.results("all.jsonl")[0]["unfit"], Value::Null);
    let is_fit = |name: &String| FIT.contains(&name.trim_matches('"'));
    let mut all = schedule(&scene, "all.jsonl");
    assert_eq!(all.len(), 8 * 7);
    all.retain(|_, game| is_fit(&game[0]) && is_fit(&game[1]));
    assert_eq!(all.len(), 4 * 3);
    assert_eq!(played, all);

    // Without its last game the file is incomplete by this game.
    let file = scene.text("games.jsonl");
    let (rest, last) = file.trim_end().rsplit_once('\n').unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    scene.file("games.jsonl", &format!("{rest}\n"));
    let outcome = scene.referee("report games.jsonl").exits(1);
    outcome
        .shows(expect! {"Missing: 1 of 12 games"})
        .shows(last["id"].to_string());
}

#[test]
fn swiss_tournament_pairs_the_fit_engines() {
    let scene = course();
    write(&scene, "bob", &works());
    play(&scene, "games.jsonl", "--format swiss rounds=3");
    assert_eq!(
        names(&scene.results("games.jsonl")[0]["unfit"]),
        ["dave", "finn", "hal"]
    );
    let records = scene.records();
    // Five players: two boards of two games in each round.
    assert_eq!(records.len(), 3 * 2 * 2);
    for round in 1..=3 {
        let games: Vec<&Value> = records.iter().filter(|game| game["round"] == round).collect();
        let seats: BTreeSet<&str> = games.iter().flat_map(|game| players(game)).collect();
        assert_eq!((games.len(), seats.len()), (4, 4), "round {round}");
    }
    let complete = report(&scene, "games.jsonl");
    assert_eq!(complete["scheduled"], 12);
    let players = complete["players"].as_array().unwrap();
    let byes: u64 = players
        .iter()
        .map(|player| player["points_off"].as_u64().unwrap())
        .sum();
    assert_eq!(byes, 6, "a bye of two games in each round");
}

#[test]
fn match_without_two_fit_engines_does_not_begin() {
    let scene = course();
    let dave = "--engine cmd=./course/dave/run name=dave";
    let two = "--engine cmd=random --engine cmd=plain";
    let table = expect![[r#"
        DAVE --engine cmd=random --sprt elo0=0 elo1=5 | no game can be played: dave did not complete the handshake
        --engine cmd=./course/bob/run DAVE --engine cmd=random
            | no game can be played: 2 engines cannot play: run cannot be started: `./course/bob/run` does not exist
        --format gauntlet DAVE TWO | no game can be played: dave did not complete the handshake
    "#]];
    assert_rows(table, |[line]| {
        // The others of the gauntlet play no games against each other.
        let line = line.replace("DAVE", dave).replace("TWO", two);
        let outcome = scene
            .referee(&format!("match {line} --skip-broken --out games.jsonl"))
            .exits(3);
        assert!(!scene.path("games.jsonl").exists(), "{line}");
        joined(&outcome.stderr)
    });
    // A gauntlet does without one of the others.
    let line = format!("match --format gauntlet --engine cmd=random {dave} --engine cmd=plain --skip-broken");
    scene
        .referee(&format!(
            "{line} --each depth=1 timemargin=60000 --out games.jsonl"
        ))
        .exits(0);
    let ids: Vec<Value> = scene
        .records()
        .iter()
        .map(|record| record["id"].clone())
        .collect();
    assert_eq!(ids, [2, 4]);
    report(&scene, "games.jsonl");
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
    for option in ["--skip-broken", ""] {
        scene.remove("games.jsonl");
        let line = MATCH.replace("--skip-broken", option);
        let outcome = scene.referee(&format!("{line} games.jsonl")).exits(0);
        for text in [outcome.stdout, scene.referee("report games.jsonl").stdout] {
            assert_has(&text, " bob: ");
            if has_name {
                assert_has(
                    text,
                    expect! {"Not playing: caf�: `course/caf�` has a name that cannot be printed"},
                );
            }
        }
    }
}

#[test]
fn without_the_option_a_broken_engine_stops_the_command() {
    let scene = course();
    for name in ["ivy", "jim"] {
        write(&scene, name, "#!/bin/sh\r\nexec ./bot\r\n");
    }
    let line = "match --engines course --each starttime=1 --out games.jsonl --save-config match.toml";
    let outcome = scene.referee(line).exits(3);
    outcome.says(expect! {"4 engines cannot play:"});
    outcome.says(expect! {"dave did not complete the handshake"});
    outcome.says(expect! {"finn did not complete the handshake"});
    outcome.says(expect! {"ivy cannot be started: `course/ivy/run` has Windows line endings (CRLF)"});
    outcome.says(expect! {"jim cannot be started: `course/jim/run` has Windows line endings (CRLF)"});
    assert!(!scene.path("games.jsonl").exists() && !scene.path("match.toml").exists());
    // An option that an engine lacks is a wrong command, not a broken engine.
    let line =
        "match --engine cmd=random option.NoSuch=1 --engine cmd=plain --engine cmd=squares --skip-broken";
    scene.referee(line).exits(2);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn marks_hold_for_the_whole_match() {
        let scene = course();
        play(&scene, "games.jsonl", "");
        let expected = schedule(&scene, "games.jsonl");
        let file = scene.text("games.jsonl");
        let begun: String = file.split_inclusive('\n').take(6).collect();
        // An engine that works now stays out, with the option and without it.
        write(&scene, "dave", &works());
        for option in ["--skip-broken", ""] {
            scene.file("games.jsonl", &begun);
            // Without the option, a folder without `run` is no player of the command.
            if option.is_empty() {
                write(&scene, "bob", &works());
                write(&scene, "hal", &works());
            }
            let line = MATCH.replace("--skip-broken", option);
            scene.referee(&format!("{line} games.jsonl")).succeeds();
            assert_eq!(schedule(&scene, "games.jsonl"), expected);
        }

        // More games keep the marks, too.
        play(&scene, "games.jsonl", "--games 4");
        let headers = headers(&scene, "games.jsonl");
        assert_eq!(headers.len(), 2);
        assert_eq!(headers[0]["unfit"], headers[1]["unfit"]);
        assert_eq!(report(&scene, "games.jsonl")["games"], 24);

        // An engine that played before must start again.
        scene.file("games.jsonl", &begun);
        write(&scene, "eve", "#!/bin/sh\nexit 1\n");
        let outcome = scene.referee(&format!("{MATCH} games.jsonl"));
        outcome
            .exits(3)
            .says(expect! {"eve did not complete the handshake"});
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn shards_are_complete_without_unfit_engines() {
        let scene = course();
        for shard in 0..3 {
            play(&scene, &format!("{shard}.jsonl"), &format!("--shard {shard}/3"));
        }
        assert_eq!(report(&scene, "0.jsonl 1.jsonl 2.jsonl")["games"], 12);
        scene
            .referee("report 0.jsonl 2.jsonl")
            .exits(1)
            .shows(expect! {"shard 1/3: no file"});
    }
}
