//! The zoo of misbehaving bots: verdict, message and time for each.
//!
//! Each bot of `tests/zoo` plays one game as the first player. The table of reasons in
//! docs/results.md decides the verdict.

use std::process::{Child, Command, Output};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fates::Fate::{self, Loses, Plays, Refused};
use crate::fates::{fates, limited, settings};
use crate::recorded::{assert_by_rules, text};
use crate::support::{Running, Scene, assert_has, assert_lacks, assert_quick, for_all, zoo};

/// The outcome of one bot's command.
struct Seen {
    status: Option<i32>,
    stderr: String,
    record: Option<Value>,
    took: Duration,
    /// Peak memory of the referee, in kB.
    memory: u64,
}

/// Plays a bot; `settings` are its own, `options` those of the command.
fn play(animal: &str, variant: &str, settings: &str, options: &str) -> Seen {
    let scene = Scene::new();
    let line = format!("match --variant {variant} --games 1 --openings random:2 --quiet --out games.jsonl");
    let mut command = scene.command(&format!("{line} {options} --engine"));
    // The name is the argument of the zoo by default.
    command
        .arg(format!("cmd={}", zoo().display()))
        .arg(format!("name={animal}"));
    command.args(shlex::split(settings).unwrap());
    if !settings.contains("args=") {
        command.arg(format!("args={animal}"));
    }
    command.args(["--engine", "cmd=random", "st=20"]);
    let start = Instant::now();
    let (output, memory) = watched(Running::start(command).child);
    let took = start.elapsed();
    scene.assert_no_process_left();
    let text = std::fs::read_to_string(scene.path("games.jsonl")).unwrap_or_default();
    let record = text.lines().find(|line| line.contains("\"moves\":"));
    Seen {
        status: output.status.code(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        record: record.map(|line| serde_json::from_str(line).unwrap()),
        took,
        memory,
    }
}

/// Exit status and peak memory of a process.
fn watched(child: Child) -> (Output, u64) {
    let status = format!("/proc/{}/status", child.id());
    let (done, finished) = channel::<()>();
    let watcher = thread::spawn(move || {
        let mut most = 0;
        loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
            most = most.max(peak.unwrap_or(0));
            if finished.recv_timeout(Duration::from_millis(10)) != Err(RecvTimeoutError::Timeout) {
                return most;
            }
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    (output, watcher.join().unwrap())
}

/// The longest time of a command: one waits 10 s for an engine, the others less than 3 s.
const PATIENCE: Duration = Duration::from_secs(30);

/// Plays a bot and asserts its outcome. Returns what was observed.
fn observe(animal: &str, variant: &str, settings: &str, options: &str, fate: Fate) -> Seen {
    let mut last = None;
    assert_quick(PATIENCE, || {
        let seen = last.insert(play(animal, variant, settings, options));
        assert_seen(animal, seen, fate);
        seen.took
    });
    last.unwrap()
}

/// Asserts the observed outcome.
fn assert_seen(animal: &str, seen: &Seen, fate: Fate) {
    let status = if matches!(fate, Refused(_)) { 3 } else { 0 };
    assert_eq!(seen.status, Some(status), "{animal}: {}", seen.stderr);
    // Its output must not reach a terminal unescaped.
    assert_lacks(&seen.stderr, "\x1b");
    let Some(record) = &seen.record else {
        let Refused(message) = fate else {
            panic!("{animal} has no record: {}", seen.stderr)
        };
        return assert_has(&seen.stderr, message);
    };
    match fate {
        Refused(_) => panic!("{animal}: {record}"),
        Plays => assert_by_rules(record),
        Loses(reason, detail) => {
            let end = ["reason", "result"].map(|field| text(record, field));
            assert_eq!(end, [reason, "0-1"], "{animal}: {record}");
            assert_has(text(record, "detail"), detail);
        }
    }
    assert!(
        !text(record, "detail").contains(char::is_control),
        "{animal}: {record}"
    );
    // Not even gigabytes of output fill the referee's memory. A debug build has 20 MB without any,
    // and was once seen with 36 MB on a busy machine.
    assert!(seen.memory < 64_000, "{animal}: {} kB", seen.memory);
}

/// The bot that needs Gridlock's pieces.
const IN_GRIDLOCK: &str = "moves-for-the-other-side";

#[test]
fn every_bot_has_its_expected_outcome() {
    for_all(&fates(), |&(animal, fate)| {
        observe(animal, "magnetic-cave", settings(animal, fate), "", fate);
    });
    let fate = Loses("illegal", "which is illegal");
    observe(IN_GRIDLOCK, "gridlock", "st=20", "", fate);
}

/// Plays every `step`th bot from `first` on at a level; the outcome is that without a sandbox.
#[cfg(target_os = "linux")]
fn play_sandboxed(step: usize, first: usize, level: &str) {
    if !crate::sandbox::offers(level) {
        return;
    }
    let bots: Vec<_> = fates().into_iter().skip(first).step_by(step).collect();
    for_all(&bots, |&(animal, fate)| {
        // Some only wait, and some exceed a limit that a sandbox has by default.
        let is_left_out = ["never-greets", "never-ready", "forks-on", "forks-slowly"].contains(&animal);
        if !is_left_out {
            let options = format!("--sandbox={level}");
            observe(animal, "magnetic-cave", settings(animal, fate), &options, fate);
        }
    });
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "plays the whole zoo at both levels"]
fn sandbox_changes_no_outcome_of_any_bot() {
    for level in ["on", "strict"] {
        play_sandboxed(1, 0, level);
    }
}

#[test]
fn starttime_lets_a_slow_starter_play() {
    for (settings, fate) in [
        (
            "args='starts-slowly 20' st=3 starttime=0.5",
            Refused("sent no `uciok` within 0.500 s"),
        ),
        ("args='starts-slowly 0.6' st=3 starttime=20", Plays),
    ] {
        observe("starts-slowly", "magnetic-cave", settings, "", fate);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn exceeding_a_resource_limit_loses() {
    for_all(&limited(), |&(animal, options, fate)| {
        observe(animal, "magnetic-cave", &format!("st=20 {options}"), "", fate);
    });
}

/// The expected outcomes as rows.
const DOCUMENT: &str = include_str!("../../docs/notes/faults.md");

/// The beginning of a row of the document.
fn row(animal: &str, options: &str, word: &str) -> String {
    let options = if options.is_empty() {
        String::new()
    } else {
        format!(" with `{options}`")
    };
    format!("| `{animal}`{options} | {word} |")
}

#[test]
fn the_document_has_every_animal_and_its_fate() {
    let output = Command::new(zoo()).output().unwrap();
    let animals = String::from_utf8(output.stdout).unwrap();
    let count = animals.lines().count();
    assert!(count >= 30);
    assert_has(DOCUMENT, format!("contains {count} bots"));
    let fates = fates();
    let mut rows: Vec<String> = Vec::new();
    for animal in animals.lines() {
        let fate = fates
            .iter()
            .find(|(known, _)| *known == animal)
            .map(|(_, fate)| *fate);
        // It has its own game, because Magnetic Cave has no pieces.
        let fate = fate.or((animal == IN_GRIDLOCK).then_some(Loses("illegal", "")));
        let fate = fate.unwrap_or_else(|| panic!("{animal} has no expected outcome"));
        rows.push(row(animal, "", fate.word()));
    }
    rows.extend(
        limited()
            .iter()
            .map(|(animal, options, fate)| row(animal, options, fate.word())),
    );
    for row in rows {
        let found = DOCUMENT.lines().filter(|line| line.starts_with(&row)).count();
        assert_eq!(found, 1, "{row}");
    }
}

#[test]
#[ignore = "prints the table of docs/notes/faults.md with what was measured"]
fn table_of_faults() {
    println!("| bot | verdict | in the record | whole command | peak memory |");
    println!("|---|---|---|---|---|");
    let print = |animal: &str, variant: &str, settings: &str, options: &str, fate: Fate| {
        let seen = observe(animal, variant, settings, options, fate);
        let said = match &seen.record {
            _ if matches!(fate, Plays) => String::new(),
            Some(record) => text(record, "detail").to_string(),
            None => seen.stderr.lines().next().unwrap_or_default().to_string(),
        };
        println!(
            "{} {} | {:.2} s | {:.1} MB |",
            row(animal, options, fate.word()),
            said.replace('|', "\\|"),
            seen.took.as_secs_f64(),
            seen.memory as f64 / 1000.0
        );
    };
    for (animal, fate) in fates() {
        print(animal, "magnetic-cave", settings(animal, fate), "", fate);
    }
    print(IN_GRIDLOCK, "gridlock", "st=20", "", Loses("illegal", ""));
    for (animal, options, fate) in limited() {
        print(animal, "magnetic-cave", &format!("st=20 {options}"), "", fate);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    #[cfg(target_os = "linux")]
    fn sandbox_changes_no_outcome() {
        play_sandboxed(4, 1, "on");
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    #[cfg(target_os = "linux")]
    fn strict_sandbox_changes_no_outcome() {
        play_sandboxed(4, 3, "strict");
    }
}
