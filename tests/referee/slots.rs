//! Concurrent games: processes, cores, and the progress on screen.

use std::fs;
use std::num::NonZero;
use std::thread::available_parallelism;

use crate::driver::Driver;
use crate::recorded::{assert_complete, games};
use crate::support::{
    Bot, COLUMN_A, COLUMN_H, Scene, assert_has, assert_lacks, assert_rows, assert_starts, expect,
};

fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

#[test]
fn engines_keep_running_between_games() {
    for (slots, more) in [(1, ""), (2, ""), (2, "--affinity")] {
        if !more.is_empty() && cores() < slots {
            println!("not looked at: {slots} slots of their own on {} core", cores());
            continue;
        }
        let scene = Scene::new();
        let [one, other] = scene.columns();
        let line = format!("match {one} {other} --games 10 --each st=60 --concurrency {slots} {more}");
        scene.referee(&format!("{line} --out games.jsonl")).exits(0);
        assert_complete(&games(&scene, "games.jsonl"), 10);
        for name in ["one", "other"] {
            let processes = scene.processes(name).len();
            assert!(
                (1..=slots).contains(&processes),
                "{processes} processes of {name}"
            );
            let received = ["ucinewgame", "quit"].map(|line| scene.count(name, line));
            assert_eq!(received, [10, processes], "{name}");
        }
        scene.assert_no_bot_left();
    }
}

#[test]
fn pins_each_slot_to_a_core() {
    if cores() < 2 || !fs::exists("/proc/self/status").unwrap() {
        println!("not looked at: two cores and Linux are needed");
        return;
    }
    let scene = Scene::new();
    // Records the cores on which each process may run.
    let start = r#"sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status >> "$0.cores""#;
    // A game lasts until both slots have started, so that neither plays all of them.
    let waits = format!(r#"until [ "$(wc -l < "$0.cores")" -ge 2 ]; do sleep 0.01; done; {COLUMN_A}"#);
    for (name, go) in [("one", waits.as_str()), ("other", COLUMN_H)] {
        scene.bot(
            name,
            Bot {
                start,
                ..Bot::thinking(go)
            },
        );
    }
    let cores_with = |option: &str| -> Vec<String> {
        let line = "match ./one ./other --games 8 --each st=60 --concurrency 2";
        scene.referee(&format!("{line} {option}")).succeeds();
        let mut cores: Vec<String> = Vec::new();
        for file in ["one.cores", "other.cores"] {
            cores.extend(scene.text(file).lines().map(String::from));
            scene.remove(file);
        }
        cores.sort();
        cores.dedup();
        cores
    };
    let is_single = |core: &String| core.parse::<usize>().is_ok();
    let pinned = cores_with("--affinity");
    assert!(
        pinned.len() == 2 && pinned.iter().all(is_single),
        "two slots, two cores: {pinned:?}"
    );
    let listed = [pinned[1].as_str(), &pinned[0]].join(",");
    assert_eq!(cores_with(&format!("--affinity={listed}")), pinned);
    let free = cores_with("");
    assert!(!free.iter().any(is_single), "any core: {free:?}");
}

#[test]
fn warns_about_more_games_than_cores() {
    let scene = Scene::new();
    let each = "--each depth=1 timemargin=60000 --quiet";
    let line = format!("match squares plain --games 4 --openings random:4 {each} --out games.jsonl");
    let (cores, slots) = (cores(), cores() + 1);
    let crowded = scene.referee(&format!("{line} --concurrency {slots}")).exits(0);
    crowded.says(format!("--concurrency {slots}: "));
    crowded.says(expect! {"cores, so engines take time from each other"});
    assert_complete(&games(&scene, "games.jsonl"), 4);
    scene.referee(&format!("{line} --concurrency {cores}")).succeeds();

    // An engine with threads counts as several, and with `--ponder` both think.
    let line = format!("match --engine cmd=squares option.Threads=2 --engine cmd=plain {each}");
    let third = cores.div_ceil(3) + 1;
    let table = expect![[r#"
        --concurrency CORES | and `option.Threads=2`: there are CORES cores
        --concurrency THIRD --ponder
            | with --ponder and `option.Threads=2`: there are CORES cores, so threads take
    "#]];
    assert_rows(table, |[options]| {
        let options = options
            .replace("CORES", &cores.to_string())
            .replace("THIRD", &third.to_string());
        let outcome = scene.referee(&format!("{line} {options}")).exits(0);
        let warnings = outcome.stderr.matches("the results may suffer");
        assert_eq!(warnings.count(), 1, "{}", outcome.stderr);
        outcome.stderr.replace(&format!("{cores} cores"), "CORES cores")
    });
}

const MANY: &str = "match squares plain --openings random:4 --each depth=1 timemargin=60000";

#[test]
fn a_terminal_shows_progress_and_then_the_summary() {
    let scene = Scene::new();
    let mut program = Driver::on_terminal(&scene, &format!("{MANY} --games 12"));
    program.until(" of 12 games | ");
    program.until("Score of squares vs plain: ");
    program.ends(0);
    let screen = program.screen();
    assert_lacks(screen.join("\n"), " games | ");
    let games: Vec<&String> = screen.iter().filter(|line| line.starts_with("Game ")).collect();
    assert!(!games.is_empty(), "{screen:#?}");
    for line in games {
        let (_, rest) = line.split_once(':').unwrap();
        assert!(rest.contains(" - "), "whole lines: {screen:#?}");
    }
    assert_has(screen.join("\n"), "\nPoints: squares ");
}

#[test]
fn a_file_shows_the_duration_once_and_progress_every_ten_games() {
    let scene = Scene::new();
    let shown = scene.referee(&format!("{MANY} --games 12")).succeeds().stdout;
    let lines = |part: &str| {
        shown
            .lines()
            .filter(|line| line.contains(part))
            .collect::<Vec<_>>()
    };
    let (progress, forecast) = (lines(" games | "), lines(" to go: "));
    assert_eq!((progress.len(), forecast.len()), (1, 1), "{shown}");
    assert_starts(progress[0], "10 of 12 games | about ");
    assert_starts(forecast[0], "about ");
    assert_has(forecast[0], " to go: 4 of 12 games in ");
    assert!(!shown.contains('\r') && !shown.contains('\u{1b}'));
    let quiet = scene.referee(&format!("{MANY} --games 12 --quiet")).stdout;
    for part in [" games | ", " to go: ", "Game "] {
        assert_lacks(&quiet, part);
    }
    let long = scene.referee(&format!("{MANY} --games 30")).stdout;
    assert_eq!(long.matches(" of 30 games | ").count(), 2, "{long}");
}
