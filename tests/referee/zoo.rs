//! The zoo of misbehaving bots: verdict, message and time for each.
//!
//! Each bot of `tests/zoo` plays one game as the first player. The table of reasons in
//! docs/results.md decides the verdict.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fates::Fate::{self, Loses, Plays, Refused};
use crate::fates::{FATES, LIMITED, settings};
use crate::support::{LOCALE, Scene, for_all, zoo};

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
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    let start = Instant::now();
    let child = command
        .args([
            "match",
            "--variant",
            variant,
            "--games",
            "1",
            "--openings",
            "random:2",
            "--quiet",
        ])
        .args(["--out", "games.jsonl", "--engine"])
        .arg(format!("cmd={}", zoo().display()))
        .arg(format!("name={animal}"))
        .args(words(animal, settings))
        .args(["--engine", "cmd=random", "st=20"])
        .args(options.split_whitespace())
        .current_dir(scene.path(""))
        .env_remove("RUST_LOG")
        .envs(LOCALE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (output, memory) = watched(child);
    let took = start.elapsed();
    scene.assert_no_process_left();
    let text = std::fs::read_to_string(scene.path("games.jsonl")).unwrap_or_default();
    Seen {
        status: output.status.code(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        record: text
            .lines()
            .find(|line| line.contains("\"moves\":"))
            .map(|line| serde_json::from_str(line).unwrap()),
        took,
        memory,
    }
}

/// A bot's settings; its name is the argument of the zoo by default.
fn words(animal: &str, settings: &str) -> Vec<String> {
    let mut words = shlex::split(settings).unwrap();
    if !words.iter().any(|word| word.starts_with("args=")) {
        words.push(format!("args={animal}"));
    }
    words
}

/// Exit status and peak memory of a process.
fn watched(child: Child) -> (std::process::Output, u64) {
    let status = format!("/proc/{}/status", child.id());
    let (done, finished) = std::sync::mpsc::channel::<()>();
    let watcher = std::thread::spawn(move || {
        let mut most = 0;
        loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
            most = most.max(peak.unwrap_or(0));
            if finished.recv_timeout(Duration::from_millis(10))
                != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                return most;
            }
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    (output, watcher.join().unwrap())
}

/// Plays a bot and asserts its outcome. Returns what was observed.
fn observe(animal: &str, variant: &str, settings: &str, options: &str, fate: Fate) -> Seen {
    let seen = play(animal, variant, settings, options);
    assert_seen(animal, &seen, fate);
    seen
}

/// Asserts the observed outcome.
fn assert_seen(animal: &str, seen: &Seen, fate: Fate) {
    if let Refused(message) = fate {
        assert_eq!(seen.status, Some(3), "{animal}: {}", seen.stderr);
        assert!(seen.stderr.contains(message), "{animal}: {}", seen.stderr);
        assert!(seen.record.is_none(), "{animal}");
        return;
    }
    assert_eq!(seen.status, Some(0), "{animal}: {}", seen.stderr);
    let record = seen
        .record
        .as_ref()
        .unwrap_or_else(|| panic!("{animal} has no record: {}", seen.stderr));
    let text = |field: &str| record[field].as_str().unwrap();
    if let Loses(reason, detail) = fate {
        let end = (text("reason"), text("result"));
        assert_eq!(end, (reason, "0-1"), "{animal}: {record}");
        assert!(text("detail").contains(detail), "{animal}: {record}");
    } else {
        let by_rules = ["five", "full", "blocked", "mobility"];
        assert!(by_rules.contains(&text("reason")), "{animal}: {record}");
    }
    // Its output must not reach a terminal unescaped.
    assert!(!text("detail").contains(char::is_control), "{animal}: {record}");
    assert!(!seen.stderr.contains('\x1b'), "{animal}: {}", seen.stderr);
    // Not even gigabytes of output fill the referee's memory.
    assert!(seen.memory < 32_000, "{animal}: {} kB", seen.memory);
}

/// The bot that needs Gridlock's pieces.
const IN_GRIDLOCK: &str = "moves-for-the-other-side";

#[test]
fn every_bot_has_its_expected_outcome() {
    for_all(FATES, |&(animal, fate)| {
        observe(animal, "magnetic-cave", settings(animal, fate), "", fate);
    });
}

/// Plays every `step`th bot from `first` on at a level; the outcome is that without a sandbox.
#[cfg(target_os = "linux")]
fn play_sandboxed(step: usize, first: usize, level: &str) {
    if !crate::sandbox::offers(level) {
        return;
    }
    let bots: Vec<_> = FATES.iter().skip(first).step_by(step).collect();
    for_all(&bots, |&&(animal, fate)| {
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
fn sandbox_changes_no_outcome() {
    play_sandboxed(4, 1, "on");
}

#[test]
#[cfg(target_os = "linux")]
fn strict_sandbox_changes_no_outcome() {
    play_sandboxed(4, 3, "strict");
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
fn moving_the_opponents_piece_is_illegal() {
    let fate = Loses("illegal", "which is illegal");
    observe(IN_GRIDLOCK, "gridlock", "st=20", "", fate);
}

#[test]
fn starttime_lets_a_slow_starter_play() {
    for (settings, fate) in [
        (
            "args='starts-slowly 1.5' st=3 starttime=0.5",
            Refused("gave no `uciok` within 0.500 s"),
        ),
        (
            "args='starts-slowly 1.5' st=3 starttime=0.5",
            Refused("`starttime=SECONDS` gives a slow starter more time"),
        ),
        ("args='starts-slowly 0.6' st=3 starttime=20", Plays),
    ] {
        observe("starts-slowly", "magnetic-cave", settings, "", fate);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn exceeding_a_resource_limit_loses() {
    for_all(LIMITED, |&(animal, options, fate)| {
        observe(animal, "magnetic-cave", &format!("st=20 {options}"), "", fate);
    });
}

/// The expected outcomes as rows.
const DOCUMENT: &str = include_str!("../../docs/faults.md");

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
    assert!(animals.lines().count() >= 30);
    let count = format!("contains {} bots", animals.lines().count());
    assert!(DOCUMENT.contains(&count), "{count}");
    let mut rows: Vec<String> = Vec::new();
    for animal in animals.lines() {
        // It has its own test, because Magnetic Cave has no pieces.
        let fate = FATES.iter().find(|(known, _)| *known == animal);
        let fate = fate.map_or(Loses("illegal", ""), |&(_, fate)| fate);
        assert!(
            FATES.iter().any(|(known, _)| *known == animal) || animal == IN_GRIDLOCK,
            "{animal}"
        );
        rows.push(row(animal, "", fate.word()));
    }
    for (animal, options, fate) in LIMITED {
        rows.push(row(animal, options, fate.word()));
    }
    for row in rows {
        let found = DOCUMENT.lines().filter(|line| line.starts_with(&row)).count();
        assert_eq!(found, 1, "{row}");
    }
}

#[test]
#[ignore = "prints the table of docs/faults.md with what was measured"]
fn table_of_faults() {
    println!("| bot | verdict | in the record | whole command | peak memory |");
    println!("|---|---|---|---|---|");
    let print = |animal: &str, options: &str, fate: Fate, seen: &Seen| {
        let said = match &seen.record {
            _ if matches!(fate, Plays) => String::new(),
            Some(record) => record["detail"].as_str().unwrap_or_default().to_string(),
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
    for &(animal, fate) in FATES {
        let seen = observe(animal, "magnetic-cave", settings(animal, fate), "", fate);
        print(animal, "", fate, &seen);
    }
    let fate = Loses("illegal", "");
    print(IN_GRIDLOCK, "", fate, &play(IN_GRIDLOCK, "gridlock", "st=20", ""));
    for &(animal, options, fate) in LIMITED {
        let seen = observe(animal, "magnetic-cave", &format!("st=20 {options}"), "", fate);
        print(animal, options, fate, &seen);
    }
}
