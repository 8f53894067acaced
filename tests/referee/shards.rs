//! Matches on several machines: shards, and what is made of their files.

use std::thread;
use std::time::Duration;

use referee_core::results::host_name;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::recorded::games;
use crate::support::{Bot, Scene, assert_ends, assert_lacks, assert_rows, assert_starts, expect, rows};

/// Two deterministic players of different strength.
const STRONGER: &str = "--engine cmd=plain depth=2 --engine cmd=squares depth=1 --each timemargin=60000 \
    --openings random:4 --quiet --concurrency 2";
const AS_STRONG: &str = "--engine cmd=plain name=one depth=2 --engine cmd=plain name=other depth=2 \
    --each timemargin=60000 --openings random:4 --quiet --concurrency 2";

/// Plays all shards of a match; returns their files.
fn play_shards(scene: &Scene, options: &str, count: u64) -> String {
    let files = (0..count).map(|shard| {
        let file = format!("shard-{shard}.jsonl");
        scene
            .referee(&format!("match {options} --shard {shard}/{count} --out {file}"))
            .succeeds();
        file
    });
    files.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_decision_is_printed_for_people_and_for_programs() {
    let scene = Scene::new();
    let files = play_shards(&scene, &format!("{STRONGER} --games 30"), 2);
    let decided = scene
        .referee(&format!("report --sprt-decide elo0=0 elo1=300 {files}"))
        .exits(0);
    let lines: Vec<&str> = decided.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_starts(lines[0], "LLR: ");
    assert_ends(lines[0], " (-2.94, 2.94) [0.00, 300.00] H1 accepted");
    assert_starts(lines[1], "Decided by ");

    // Without the other shard, only the pairs before its first one count.
    let undecided = scene
        .referee("report --sprt-decide elo0=0 elo1=300 shard-0.jsonl")
        .exits(10);
    undecided.shows(
        expect! {"Not decided by 1 pair; 14 later games do not count before games 3 and 4 are finished"},
    );
    let undecided = scene
        .referee("report --sprt-decide elo0=0 elo1=300 shard-0.jsonl --json")
        .exits(10);
    let undecided: Value = serde_json::from_str(&undecided.stdout).unwrap();
    assert_eq!(undecided["sprt"]["accepted"], Value::Null);
    assert_eq!(undecided["sprt"]["pairs"], 1);
}

#[test]
fn refuses_files_that_a_sequential_test_cannot_use() {
    let scene = Scene::new();
    for [players, file] in rows(
        "random plain | a.jsonl
         random groups | b.jsonl
         random plain groups | three.jsonl
         random plain --no-swap | single.jsonl",
    ) {
        let each = "--each depth=1 st=60 --openings random:2 --quiet";
        scene
            .referee(&format!("match {players} {each} --out {file}"))
            .exits(0);
    }
    let table = expect![[r#"
        elo0=0 elo1=5 a.jsonl b.jsonl | --sprt-decide: the files belong to 2 matches; give the files of one match
        elo0=0 elo1=5 three.jsonl | --sprt-decide: the test compares two players; the match has 3
        elo0=0 elo1=5 single.jsonl | and --no-swap played none
        elo0=5 elo1=5 a.jsonl | `elo0=5` must be less than `elo1=5`
        elo0=5 a.jsonl | `elo1` is missing
        elo0=0 elo1=5 elo2=7 a.jsonl | unknown key `elo2`
        elo0=0 elo1=5 a.jsonl --csv | cannot be used with
    "#]];
    assert_rows(table, |[words]| {
        scene.refused(&format!("report --sprt-decide {words}"))
    });
    assert_lacks(scene.referee("report a.jsonl").stdout, "LLR");
}

/// A bot whose first three processes crash, and end three games. While there is a file `hold`, the
/// fourth one creates the file `waits` and thinks for a minute.
const HOLDING: &str =
    "if [ -e hold ] && [ $(wc -l < \"$0.pids\") -gt 3 ]; then touch waits; sleep 60; else exit 1; fi";

#[test]
fn sigterm_ends_a_shard_with_its_games_saved_and_sigcont_does_not() {
    let scene = Scene::new();
    scene.bot("bot", Bot::thinking(HOLDING));
    scene.file("hold", "");
    let line = "match ./bot random --each st=60 --openings random:2 --games 12 --quiet --shard 0/2 --out games.jsonl";
    let mut referee = scene.start(line);
    scene.wait_for_file("waits");
    referee.signal(Signal::CONT);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(
        referee.child.try_wait().unwrap(),
        None,
        "SIGCONT is no reason to stop"
    );
    // As `scancel` does.
    referee.signal(Signal::CONT);
    let outcome = referee.end_by(Signal::TERM).exits(143);
    assert!(outcome.took < Duration::from_secs(10), "{:?}", outcome.took);
    assert_eq!(games(&scene, "games.jsonl").len(), 3);
    scene.assert_no_bot_left();

    scene.remove("hold");
    scene.referee(line).exits(0);
    let ids: Vec<u64> = games(&scene, "games.jsonl").into_keys().collect();
    assert_eq!(ids, [1, 2, 5, 6, 9, 10]);
    // Both runs were on this machine.
    let lines = scene.results("games.jsonl");
    let runs: Vec<&Value> = lines.iter().filter_map(|line| line.get("run")).collect();
    assert_eq!(runs, [&json!({"host": host_name()})]);
    // A shard is missing.
    scene.referee("report games.jsonl").exits(1);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn shards_decide_a_sequential_test_like_one_process() {
        let (test, book) = ("elo0=0 elo1=100", STRONGER.replace("random:4", "book.txt"));
        for (options, test, games, accepted) in [
            (STRONGER, test, 30, Some("H1")),
            (AS_STRONG, test, 60, Some("H0")),
            (&book, test, 20, Some("inconclusive")),
            (AS_STRONG, "elo0=0 elo1=5 alpha=0.01 model=logistic", 12, None),
        ] {
            let scene = Scene::new();
            scene.file("book.txt", "a1\nstartpos moves a1 h1 a2\na3\nh5\n");
            let line = format!("match {options} --games {games} --sprt {test} --out whole.jsonl");
            scene.referee(&line).exits(0);
            let verdict = scene.results("whole.jsonl").pop().unwrap();

            let files = play_shards(&scene, &format!("{options} --games {games}"), 3);
            let decide = |status: i32| -> Value {
                let outcome = scene.referee(&format!("report --sprt-decide {test} {files} --json"));
                assert_eq!(outcome.stderr, "");
                serde_json::from_str(&outcome.exits(status).stdout).unwrap()
            };
            let found = decide(if accepted.is_some() { 0 } else { 10 });
            assert_eq!(found["sprt"]["accepted"], json!(accepted), "{found}");
            if accepted.is_none() {
                assert_eq!(found["sprt"]["pairs"], games / 2);
                continue;
            }
            assert_eq!(found, verdict, "{options}");
            // A gap stops the test in front of it.
            let last = 2 * verdict["sprt"]["pairs"].as_u64().unwrap();
            let name = format!("shard-{}.jsonl", (last / 2 - 1) % 3);
            let shard = scene.text(&name);
            let gap = format!("{{\"id\":{last},");
            let rest: String = shard
                .split_inclusive('\n')
                .filter(|line| !line.starts_with(&gap))
                .collect();
            assert_eq!(rest.lines().count() + 1, shard.lines().count());
            scene.file(&name, &rest);
            let found = &decide(10)["sprt"];
            assert_eq!(
                [&found["accepted"], &found["pairs"]],
                [&Value::Null, &json!(last / 2 - 1)]
            );
        }
    }
}
