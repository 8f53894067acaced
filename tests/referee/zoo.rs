//! The zoo: bots that do everything wrong, what the referee makes of each, in
//! which words, and how long that takes.
//!
//! Each animal of `tests/zoo` plays one game as the first player. What it gets
//! is decided by the table of reasons in docs/results.md.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{LOCALE, Scene, zoo};

/// What becomes of an animal's game.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// The command ends with status 3 before the first game, saying this.
    Refused(&'static str),
    /// It loses for this reason; the detail says this.
    Loses(&'static str, &'static str),
    /// The game goes on to its end by the rules.
    Plays,
}

use Fate::{Loses, Plays, Refused};

/// An animal, its fate, and the seconds that the whole command may take.
const FATES: &[(&str, Fate, f64)] = &[
    (
        "exits-at-start",
        Refused("exits-at-start ended with exit status 3"),
        3.0,
    ),
    (
        "exits-at-uci",
        Refused("exits-at-uci ended with exit status 3"),
        3.0,
    ),
    (
        "exits-at-isready",
        Refused("exits-at-isready ended with exit status 3"),
        3.0,
    ),
    (
        "never-greets",
        Refused("never-greets gave no `uciok` within 10.000 s"),
        13.0,
    ),
    (
        "never-ready",
        Refused("never-ready gave no `readyok` within 10.000 s"),
        13.0,
    ),
    ("starts-slowly", Plays, 8.0),
    ("exits-thinking", Loses("crash", "ended with exit status 3"), 4.0),
    (
        "exits-after-its-move",
        Loses("crash", "ended with exit status 0"),
        4.0,
    ),
    (
        "answers-and-exits",
        Loses("crash", "ended with exit status 0"),
        4.0,
    ),
    (
        "segfaults",
        Loses("crash", "was ended by signal 11 (SIGSEGV)"),
        5.0,
    ),
    ("answers-twice", Plays, 5.0),
    ("answers-early", Plays, 5.0),
    ("answers-late", Loses("time", "too late"), 5.0),
    ("hangs", Loses("stall", "gave no move within 0.300 s"), 5.0),
    (
        "talks-and-hangs",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("plays-an-illegal-move", Loses("illegal", "d4"), 4.0),
    (
        "plays-the-last-move-again",
        Loses("illegal", "which is illegal"),
        4.0,
    ),
    ("shouts", Plays, 5.0),
    ("says-more", Plays, 5.0),
    (
        "has-no-line-end",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    (
        "has-no-line-end-and-exits",
        Loses("crash", "ended with exit status 0"),
        4.0,
    ),
    (
        "plays-nonsense",
        Loses("garbage", "`e2e4q`, which is no move at all"),
        4.0,
    ),
    ("plays-nothing", Loses("garbage", "`bestmove`"), 4.0),
    ("resigns-by-0000", Loses("garbage", "0000"), 4.0),
    ("plays-nul", Loses("garbage", "no move at all"), 4.0),
    ("is-no-text", Loses("garbage", "no move at all"), 4.0),
    ("writes-garbage", Plays, 5.0),
    (
        "never-ends-its-line",
        Loses("garbage", "a line longer than 64 KiB"),
        4.0,
    ),
    (
        "floods",
        Loses("garbage", "more than 8 MiB without an answer"),
        4.0,
    ),
    ("writes-byte-by-byte", Plays, 8.0),
    (
        "drips-for-ever",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("floods-stderr", Plays, 30.0),
    (
        "closes-its-input",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("closes-its-output", Loses("crash", "closed its output"), 4.0),
    ("never-reads", Loses("stall", "gave no move within 0.300 s"), 5.0),
    ("stops-itself", Loses("stall", "gave no move within 0.300 s"), 5.0),
    ("ignores-sigterm", Plays, 5.0),
    ("refuses-to-quit", Plays, 5.0),
    ("leaves-a-child", Loses("crash", "ended with exit status 0"), 5.0),
    ("leaves-a-stubborn-child", Plays, 5.0),
    ("leaves-a-child-with-a-session", Plays, 8.0),
    ("forks-on", Loses("stall", "gave no move within 0.300 s"), 8.0),
    ("eats-memory", Loses("stall", "gave no move within 0.300 s"), 8.0),
    ("spins", Loses("stall", "gave no move within 0.300 s"), 6.0),
    // In UCI nobody is asked; `ugi.rs` has what becomes of them in UGI.
    ("greets-in-uci", Plays, 5.0),
    ("lies-about-the-result", Plays, 5.0),
    ("answers-nonsense", Plays, 5.0),
    ("answers-questions-twice", Plays, 5.0),
    ("answers-no-query", Plays, 5.0),
    ("exits-at-a-query", Plays, 5.0),
    ("hangs-at-a-query", Plays, 5.0),
    ("floods-at-a-query", Plays, 5.0),
];

/// What came of one animal's command.
struct Seen {
    status: Option<i32>,
    stderr: String,
    record: Option<Value>,
    took: Duration,
    /// The most memory that the referee had, in kB.
    memory: u64,
}

/// Lets an animal play; `settings` are its own.
fn play(animal: &str, variant: &str, settings: &str) -> Seen {
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
        .arg(format!("args={animal}"))
        .arg(format!("name={animal}"))
        .args(settings.split(' '))
        .args(["--engine", "cmd=random", "st=5"])
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
            .nth(1)
            .map(|line| serde_json::from_str(line).unwrap()),
        took,
        memory,
    }
}

/// The end of a process, and the most memory that it had.
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

/// Asserts an animal's fate.
fn assert_fate(animal: &str, variant: &str, settings: &str, fate: Fate, seconds: f64) {
    let seen = play(animal, variant, settings);
    let took = seen.took.as_secs_f64();
    assert!(took < seconds, "{animal} took {took} s: {}", seen.stderr);
    if let Refused(message) = fate {
        assert_eq!(seen.status, Some(3), "{animal}: {}", seen.stderr);
        assert!(seen.stderr.contains(message), "{animal}: {}", seen.stderr);
        assert!(seen.record.is_none(), "{animal}");
        return;
    }
    assert_eq!(seen.status, Some(0), "{animal}: {}", seen.stderr);
    let record = seen
        .record
        .unwrap_or_else(|| panic!("{animal} has no record: {}", seen.stderr));
    let text = |field: &str| record[field].as_str().unwrap();
    if let Loses(reason, detail) = fate {
        let seen = (text("reason"), text("result"));
        assert_eq!(seen, (reason, "0-1"), "{animal}: {record}");
        assert!(text("detail").contains(detail), "{animal}: {record}");
    } else {
        let by_rules = ["five", "full", "blocked", "mobility"];
        assert!(by_rules.contains(&text("reason")), "{animal}: {record}");
    }
    // Not even an animal that writes gigabytes gets into the referee's memory.
    assert!(seen.memory < 32_000, "{animal}: {} kB", seen.memory);
}

/// How long an animal may think: floods of stderr take their time.
fn settings(animal: &str) -> &'static str {
    match animal {
        "floods-stderr" => "st=20",
        "starts-slowly"
        | "greets-in-uci"
        | "lies-about-the-result"
        | "answers-nonsense"
        | "answers-questions-twice"
        | "answers-no-query"
        | "exits-at-a-query"
        | "hangs-at-a-query"
        | "floods-at-a-query"
        | "answers-twice"
        | "answers-early"
        | "shouts"
        | "says-more"
        | "writes-garbage"
        | "writes-byte-by-byte"
        | "ignores-sigterm"
        | "refuses-to-quit"
        | "leaves-a-stubborn-child"
        | "leaves-a-child-with-a-session" => "st=3",
        _ => "st=0.3",
    }
}

/// Plays every `step`th animal from `first` on.
fn play_every(step: usize, first: usize) {
    for &(animal, fate, seconds) in FATES.iter().skip(first).step_by(step) {
        assert_fate(animal, "magnetic-cave", settings(animal), fate, seconds);
    }
}

// Three tests, so that they run at the same time.

#[test]
fn every_animal_meets_its_fate_1() {
    play_every(3, 0);
}

#[test]
fn every_animal_meets_its_fate_2() {
    play_every(3, 1);
}

#[test]
fn every_animal_meets_its_fate_3() {
    play_every(3, 2);
}

#[test]
fn whoever_moves_the_other_sides_pieces_plays_an_illegal_move() {
    let fate = Loses("illegal", "which is illegal");
    assert_fate("moves-for-the-other-side", "gridlock", "st=0.3", fate, 4.0);
}

#[test]
fn the_table_has_every_animal() {
    let output = Command::new(zoo()).output().unwrap();
    let animals = String::from_utf8(output.stdout).unwrap();
    let known: Vec<&str> = FATES.iter().map(|(animal, ..)| *animal).collect();
    for animal in animals
        .lines()
        .filter(|animal| *animal != "moves-for-the-other-side")
    {
        assert!(known.contains(&animal), "{animal}");
    }
    assert!(animals.lines().count() >= 30);
}

#[test]
#[ignore = "prints the table of docs/faults.md with what was measured"]
fn table_of_faults() {
    println!("| bot | verdict | in the record | time to the end | peak memory |");
    println!("|---|---|---|---|---|");
    for &(animal, ..) in FATES {
        let seen = play(animal, "magnetic-cave", settings(animal));
        let (reason, detail) = match &seen.record {
            Some(record) => (record["reason"].to_string(), record["detail"].to_string()),
            None => ("not started".into(), seen.stderr.trim().replace('\n', " ")),
        };
        println!(
            "| `{animal}` | {} | {} | {:.2} s | {:.1} MB |",
            reason.trim_matches('"'),
            detail.trim_matches('"'),
            seen.took.as_secs_f64(),
            seen.memory as f64 / 1000.0
        );
    }
}
