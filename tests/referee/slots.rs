//! Concurrent games: processes, cores, and the progress on screen.

use std::fs;
use std::thread::available_parallelism;

use crate::driver::Driver;
use crate::recorded::{assert_complete, games};
use crate::support::{Bot, Scene, rows};

/// Fills a column, so the first player wins.
const COLUMN_A: &str = "echo bestmove a$thinks";
const COLUMN_H: &str = "echo bestmove h$thinks";

/// A bot that records the cores on which each of its processes may run.
fn bot_with_cores(scene: &Scene, name: &str, go: &str) -> String {
    scene.bot(
        name,
        Bot {
            start: r#"[ ! -e /proc/$$/status ] || sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status >> "$0.cores""#,
            ..Bot::thinking(go)
        },
    )
}

#[test]
fn engines_keep_running_between_games() {
    for (slots, more) in [(1, ""), (2, ""), (2, "--affinity")] {
        if !more.is_empty() && cores() < slots {
            println!("not looked at: {slots} slots of their own on {} core", cores());
            continue;
        }
        let scene = Scene::new();
        let one = scene.bot("one", Bot::thinking(COLUMN_A));
        let other = scene.bot("other", Bot::thinking(COLUMN_H));
        scene
            .referee(&format!(
                "match {one} {other} --games 10 --each st=60 --concurrency {slots} {more} --out games.jsonl"
            ))
            .exits(0);
        assert_complete(&games(&scene, "games.jsonl"), 10);
        for name in ["one", "other"] {
            let processes = scene.processes(name).len();
            assert!(
                (1..=slots).contains(&processes),
                "{processes} processes of {name}"
            );
            let begun = scene
                .received(name)
                .iter()
                .filter(|line| *line == "ucinewgame")
                .count();
            assert_eq!(begun, 10, "{name}");
            let quits = scene.received(name).iter().filter(|line| *line == "quit").count();
            assert_eq!(quits, processes, "{name}");
        }
        scene.assert_no_bot_left();
    }
}

fn cores() -> usize {
    available_parallelism().map_or(1, std::num::NonZero::get)
}

#[test]
fn pins_each_slot_to_a_core() {
    if cores() < 2 || !fs::exists("/proc/self/status").unwrap() {
        println!("not looked at: two cores and Linux are needed");
        return;
    }
    let scene = Scene::new();
    // A game lasts until both slots have started, so that neither plays all of them.
    let waits = format!(r#"until [ "$(wc -l < "$0.cores")" -ge 2 ]; do sleep 0.01; done; {COLUMN_A}"#);
    let one = bot_with_cores(&scene, "one", &waits);
    let other = bot_with_cores(&scene, "other", COLUMN_H);
    let cores_with = |option: &str| -> Vec<String> {
        scene
            .referee(&format!(
                "match {one} {other} --games 8 --each st=60 --concurrency 2 {option}"
            ))
            .succeeds();
        let mut cores = Vec::new();
        for name in ["one", "other"] {
            let path = scene.path(&format!("{name}.cores"));
            cores.extend(fs::read_to_string(&path).unwrap().lines().map(String::from));
            fs::remove_file(path).unwrap();
        }
        cores.sort();
        cores
    };
    let mut pinned = cores_with("--affinity");
    assert!(
        pinned.iter().all(|core| core.parse::<usize>().is_ok()),
        "single cores: {pinned:?}"
    );
    pinned.dedup();
    assert_eq!(pinned.len(), 2, "two slots, two cores");
    let listed = pinned.iter().rev().cloned().collect::<Vec<_>>().join(",");
    let mut of_list = cores_with(&format!("--affinity={listed}"));
    of_list.dedup();
    assert_eq!(of_list, pinned);
    let free = cores_with("");
    assert!(
        free.iter().all(|list| list.parse::<usize>().is_err()),
        "any core: {free:?}"
    );
}

#[test]
fn refuses_cores_that_do_not_exist_or_do_not_suffice() {
    let scene = Scene::new();
    for [options, why] in rows(
        "
        --affinity=1023 | --affinity: there is no core 1023; the cores are 0
        --affinity=0 --concurrency 2 | --affinity: 2 games at a time need a core each; the list has 1
        --affinity=3-1 | the range 3-1 is empty; did you mean 1-3?
    ",
    ) {
        let outcome = scene.referee(&format!("match squares plain {options}")).exits(2);
        let stderr = outcome.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stderr.contains(why), "{options}: {stderr}");
    }
}

#[test]
fn warns_about_more_games_than_cores() {
    let scene = Scene::new();
    let line = "match squares plain --games 4 --openings random:4 --each depth=1 timemargin=60000 --quiet --out games.jsonl";
    let slots = cores() + 1;
    let outcome = scene.referee(&format!("{line} --concurrency {slots}")).exits(0);
    let warning = format!(
        "--concurrency {slots}: there are {} cores, so engines take time from each other",
        cores()
    );
    assert!(outcome.stderr.contains(&warning), "{}", outcome.stderr);
    assert_complete(&games(&scene, "games.jsonl"), 4);
    scene
        .referee(&format!("{line} --concurrency {}", cores()))
        .succeeds();

    // An engine with threads counts as several, and with `--ponder` both think.
    let line = "match --engine cmd=squares option.Threads=2 --engine cmd=plain --each depth=1 timemargin=60000 --quiet";
    for (options, warning) in [
        (
            format!("--concurrency {}", cores()),
            format!(
                "--concurrency {} and `option.Threads=2`: there are {} cores",
                cores(),
                cores()
            ),
        ),
        (
            format!("--concurrency {} --ponder", cores().div_ceil(3) + 1),
            format!(
                " with --ponder and `option.Threads=2`: there are {} cores, so threads take",
                cores()
            ),
        ),
    ] {
        let outcome = scene.referee(&format!("{line} {options}")).exits(0);
        assert_eq!(
            outcome.stderr.matches("the results may suffer").count(),
            1,
            "{}",
            outcome.stderr
        );
        assert!(outcome.stderr.contains(&warning), "{}", outcome.stderr);
    }
}

const TWELVE: &str = "match squares plain --games 12 --openings random:4 --each depth=1 timemargin=60000";

#[test]
fn a_terminal_shows_progress_and_then_the_summary() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, TWELVE);
    program.until(" of 12 games | ");
    program.until("Score of squares vs plain: ");
    program.ends(0);
    let screen = program.screen();
    assert!(
        screen.iter().all(|line| !line.contains(" games | ")),
        "{screen:#?}"
    );
    let games = screen.iter().filter(|line| line.starts_with("Game ")).count();
    assert!(games > 0, "{screen:#?}");
    for line in &screen {
        let (title, rest) = line.split_once(':').unwrap_or((line, ""));
        assert!(
            !title.starts_with("Game ") || rest.contains(" - "),
            "whole lines: {screen:#?}"
        );
    }
    assert!(
        screen.iter().any(|line| line.starts_with("Points: squares ")),
        "{screen:#?}"
    );
}

#[test]
fn a_file_shows_the_duration_once_and_progress_every_ten_games() {
    let scene = Scene::new();
    let outcome = scene.referee(TWELVE).succeeds();
    let progress: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.contains(" games | "))
        .collect();
    assert_eq!(progress.len(), 1, "{}", outcome.stdout);
    assert!(progress[0].starts_with("10 of 12 games | about "), "{progress:?}");
    let forecast: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.contains(" to go: "))
        .collect();
    assert_eq!(forecast.len(), 1, "{}", outcome.stdout);
    assert!(
        forecast[0].starts_with("about ") && forecast[0].contains(" to go: 4 of 12 games in "),
        "{forecast:?}"
    );
    assert!(!outcome.stdout.contains('\r') && !outcome.stdout.contains('\u{1b}'));
    let quiet = scene.referee(&format!("{TWELVE} --quiet"));
    assert!(
        !quiet.stdout.contains(" games | ")
            && !quiet.stdout.contains(" to go: ")
            && !quiet.stdout.contains("Game "),
        "{}",
        quiet.stdout
    );
    let long = scene.referee(&TWELVE.replace("--games 12", "--games 30"));
    assert_eq!(
        long.stdout.matches(" of 30 games | ").count(),
        2,
        "{}",
        long.stdout
    );
}
