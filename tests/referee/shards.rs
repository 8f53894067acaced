//! Matches on several machines: shards, and what is made of their files.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use referee::results::host_name;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::recorded::{games, summary};
use crate::support::{Bot, Scene, assert_ends, rows};

/// Two deterministic players of different strength.
const STRONGER: &str = "--engine cmd=plain depth=2 --engine cmd=squares depth=1 --each timemargin=60000 \
    --openings random:4 --quiet --concurrency 2";
const AS_STRONG: &str = "--engine cmd=plain name=one depth=2 --engine cmd=plain name=other depth=2 \
    --each timemargin=60000 --openings random:4 --quiet --concurrency 2";

/// Plays all shards of a match; returns their files.
fn play_shards(scene: &Scene, options: &str, count: u64) -> String {
    let mut files = Vec::new();
    for shard in 0..count {
        let file = format!("shard-{shard}.jsonl");
        let line = format!("match {options} --shard {shard}/{count} --out {file}");
        scene.referee(&line).succeeds();
        files.push(file);
    }
    files.join(" ")
}

#[test]
fn shards_decide_a_sequential_test_like_one_process() {
    let book = "a1\nstartpos moves a1 h1 a2\na3\nh5\n";
    for (options, test, games, accepted) in [
        (STRONGER.to_string(), "elo0=0 elo1=100", 30, Some("H1")),
        (AS_STRONG.to_string(), "elo0=0 elo1=100", 60, Some("H0")),
        (
            STRONGER.replace("random:4", "book.txt"),
            "elo0=0 elo1=100",
            20,
            Some("inconclusive"),
        ),
        (
            AS_STRONG.to_string(),
            "elo0=0 elo1=5 alpha=0.01 model=logistic",
            12,
            None,
        ),
    ] {
        let scene = Scene::new();
        scene.file("book.txt", book);
        let line = format!("match {options} --games {games} --sprt {test} --out whole.jsonl");
        scene.referee(&line).exits(0);
        let end = scene.results("whole.jsonl").pop().unwrap();
        let verdict = accepted.map(|_| end);

        let files = play_shards(&scene, &format!("{options} --games {games}"), 3);
        let decide = |files: &str| scene.referee(&format!("report --sprt-decide {test} {files} --json"));
        let outcome = decide(&files);
        assert_eq!(outcome.stderr, "");
        let found: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(found["sprt"]["accepted"], json!(accepted), "{found}");
        if let Some(verdict) = verdict {
            assert_eq!((outcome.status, found), (Some(0), verdict.clone()), "{options}");
            // A gap stops the test in front of it.
            let last = 2 * verdict["sprt"]["pairs"].as_u64().unwrap();
            let name = format!("shard-{}.jsonl", (last / 2 - 1) % 3);
            let text = scene.text(&name);
            let gap = format!("{{\"id\":{last},");
            let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with(&gap)).collect();
            assert_eq!(rest.len() + 1, text.lines().count());
            scene.file(&name, &(rest.join("\n") + "\n"));
            let outcome = decide(&files);
            let found: Value = serde_json::from_str(&outcome.stdout).unwrap();
            assert_eq!(
                (
                    outcome.status,
                    &found["sprt"]["accepted"],
                    &found["sprt"]["pairs"]
                ),
                (Some(10), &Value::Null, &json!(last / 2 - 1))
            );
        } else {
            assert_eq!(
                (outcome.status, &found["sprt"]["pairs"]),
                (Some(10), &json!(games / 2))
            );
        }
    }
}

#[test]
fn a_decision_is_printed_for_people() {
    let scene = Scene::new();
    let files = play_shards(&scene, &format!("{STRONGER} --games 30"), 2);
    let decided = scene
        .referee(&format!("report --sprt-decide elo0=0 elo1=300 {files}"))
        .exits(0);
    let lines: Vec<&str> = decided.stdout.lines().collect();
    assert!(
        lines[0].starts_with("LLR: ") && lines[0].ends_with(" (-2.94, 2.94) [0.00, 300.00] H1 accepted"),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("Decided by ") && lines.len() == 2,
        "{lines:?}"
    );

    // Without the other shard, only the pairs before its first one count.
    let undecided = scene
        .referee("report --sprt-decide elo0=0 elo1=300 shard-0.jsonl")
        .exits(10);
    assert_ends(
        &undecided.stdout,
        "\nNot decided by 1 pair; 14 later games do not count before games 3 and 4 are finished\n",
    );
}

#[test]
fn refuses_files_that_a_sequential_test_cannot_use() {
    let scene = Scene::new();
    let players = "--each depth=1 st=60 --openings random:2 --quiet";
    for [line, file] in rows(
        "
        random plain | a.jsonl
        random groups | b.jsonl
        random plain groups | three.jsonl
        random plain --no-swap | single.jsonl
    ",
    ) {
        let line = format!("match {line} {players} --out {file}");
        scene.referee(&line).exits(0);
    }
    for [words, why] in rows(
        "
        elo0=0 elo1=5 a.jsonl b.jsonl | --sprt-decide: the files are of 2 matches; name those of one
        elo0=0 elo1=5 three.jsonl | --sprt-decide: the test compares two players; the match has 3
        elo0=0 elo1=5 single.jsonl | and --no-swap played none
        elo0=5 elo1=5 a.jsonl | `elo0=5` must be less than `elo1=5`
        elo0=5 a.jsonl | `elo1` is missing
        elo0=0 elo1=5 elo2=7 a.jsonl | unknown key `elo2`
        elo0=0 elo1=5 a.jsonl --csv | cannot be used with
    ",
    ) {
        scene.assert_refused(&format!("report --sprt-decide {words}"), why);
    }
    let whole = scene.referee("report a.jsonl");
    assert!(!summary(&whole.stdout).contains("LLR"));
}

/// A bot whose first three processes crash, and end three games. While there is a file `hold`, the
/// fourth one creates the file `waits` and thinks for a minute.
const HOLDING: &str =
    "if [ -e hold ] && [ $(wc -l < \"$0.pids\") -gt 3 ]; then touch waits; sleep 60; else exit 1; fi";

const HELD_MATCH: &str =
    "match ./bot random --each st=60 --openings random:2 --games 12 --quiet --shard 0/2 --out games.jsonl";

/// A running match of which three games are finished.
fn start_held(scene: &Scene) -> Child {
    scene.bot("bot", Bot::thinking(HOLDING));
    scene.file("hold", "");
    scene.remove("waits");
    let child = scene
        .command(HELD_MATCH)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the bot", || scene.path("waits").exists());
    child
}

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_mins(1);
    while !is_there() {
        assert!(Instant::now() < until, "{what} is late");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Resumes the match to its end.
fn assert_resumes(scene: &Scene) {
    fs::remove_file(scene.path("hold")).unwrap();
    scene.referee(HELD_MATCH).exits(0);
    let ids: Vec<u64> = games(scene, "games.jsonl").into_keys().collect();
    assert_eq!(ids, [1, 2, 5, 6, 9, 10]);
    // Both runs were on this machine.
    let runs = scene.results("games.jsonl");
    let runs: Vec<&Value> = runs.iter().filter_map(|line| line.get("run")).collect();
    assert_eq!(runs, [&json!({"host": host_name()})]);
    scene.referee("report games.jsonl").exits(1);
}

#[test]
fn sigterm_ends_a_shard_with_its_games_saved_and_sigcont_does_not() {
    let scene = Scene::new();
    let mut child = start_held(&scene);
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::CONT).unwrap();
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "SIGCONT is no reason to stop");
    let begin = Instant::now();
    // As `scancel` does.
    kill_process(pid, Signal::CONT).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(143));
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(games(&scene, "games.jsonl").len(), 3);
    scene.assert_no_bot_left();
    assert_resumes(&scene);
}

#[test]
fn killed_shard_resumes_at_once() {
    let scene = Scene::new();
    let mut child = start_held(&scene);
    child.kill().unwrap();
    child.wait().unwrap();
    // A line that was being written.
    let mut file = OpenOptions::new()
        .append(true)
        .open(scene.path("games.jsonl"))
        .unwrap();
    file.write_all(b"{\"id\":9,\"var").unwrap();
    drop(file);
    assert_resumes(&scene);
}

#[test]
fn second_writer_is_refused() {
    let scene = Scene::new();
    let mut child = start_held(&scene);
    let before = fs::read(scene.path("games.jsonl")).unwrap();
    scene.assert_refused(HELD_MATCH, "--out games.jsonl: another referee is writing to it");
    assert_eq!(fs::read(scene.path("games.jsonl")).unwrap(), before);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_resumes(&scene);
}
