//! The zoo of misbehaving bots, with the outcomes of the table for Linux.

use std::time::Instant;

use crate::fates::Fate::{self, Loses, Plays, Refused};
use crate::fates::{FATES, LIMITED};
use crate::scene::{Scene, zoo};

/// Bots that need signals, sessions or descriptors of Unix, and why they are not in this table.
const NOT_HERE: [(&str, &str); 11] = [
    ("segfaults", "sends itself a signal"),
    ("closes-its-input", "replaces a descriptor"),
    ("closes-its-output", "replaces a descriptor"),
    ("stops-itself", "sends itself a signal"),
    ("ignores-sigterm", "has a handler for a signal"),
    ("becomes-another", "replaces its program"),
    ("kills-its-group", "sends a signal to its group"),
    ("kills-its-parent", "sends a signal to its parent"),
    ("stops-its-parent", "sends a signal to its parent"),
    ("forks-on", "300 processes under Wine; played with a limit"),
    ("forks-slowly", "300 processes under Wine; played with a limit"),
];

/// The table is in parts, so that several bots play at the same time.
const PARTS: usize = 4;

/// Time limit of one command in seconds, ten times what a busy machine needs.
const PATIENCE: f64 = 120.0;

/// The limits of a bot, which leave time for a busy machine. Only a stall needs a short one.
fn settings(animal: &str, fate: Fate) -> &'static str {
    match (animal, fate) {
        // They use up the time for a start.
        ("never-greets" | "never-ready", _) => "st=30",
        ("hangs-at-ucinewgame", _) => "st=2 starttime=10",
        ("answers-late", _) => "st=0.3 starttime=60",
        (_, Loses("stall", _)) => "st=2 starttime=60",
        _ => "st=30 starttime=60",
    }
}

/// Plays one bot and prints its row of the table. Returns what is wrong with the outcome.
fn failure(animal: &str, options: &[&str], fate: Fate) -> Option<String> {
    let scene = Scene::new();
    let cmd = format!("cmd={}", zoo().display());
    let (name, args) = (format!("name={animal}"), format!("args={animal}"));
    // A limit must end it before its time is over.
    let own = if options.is_empty() {
        settings(animal, fate)
    } else {
        "st=60 starttime=60"
    };
    let own = own.split_whitespace();
    let words = ["match", "--games", "1", "--openings", "random:2", "--quiet"];
    let words = words
        .into_iter()
        .chain(["--out", "games.jsonl", "--engine", &cmd, &name, &args]);
    let words: Vec<&str> = words
        .chain(own)
        .chain(["--engine", "cmd=random", "st=30", "starttime=60"])
        .chain(options.iter().copied())
        .collect();
    let start = Instant::now();
    let outcome = scene.run(&words);
    let took = start.elapsed().as_secs_f64();
    let record = scene.records("games.jsonl").pop();
    let text = |field: &str| {
        record
            .as_ref()
            .and_then(|record| record[field].as_str())
            .unwrap_or_default()
    };
    let is_right = match fate {
        Refused(message) => outcome.status == Some(3) && outcome.stderr.contains(message),
        Loses(reason, detail) => {
            let detail = detail.replace("within 0.300 s", "within 2.000 s");
            let detail = detail.replace("within 1.000 s", "within 10.000 s");
            outcome.status == Some(0)
                && (text("reason"), text("result")) == (reason, "0-1")
                && text("detail").contains(&detail)
        }
        Plays => outcome.status == Some(0) && ["five", "full"].contains(&text("reason")),
    };
    println!(
        "| `{animal}` | {} | {} | {took:.1} s |",
        fate.word(),
        text("detail")
    );
    let is_escaped = !text("detail").contains(char::is_control) && !outcome.stderr.contains('\x1b');
    (!is_right || !is_escaped || took > PATIENCE)
        .then(|| format!("{animal}, after {took:.1} s: {outcome:?} {record:?}, expected {fate:?}\n"))
}

/// Plays the bots of one part.
fn failures(part: usize) -> String {
    let bots = FATES.iter().skip(part).step_by(PARTS);
    let here = bots.filter(|(animal, _)| !NOT_HERE.iter().any(|(name, _)| name == animal));
    here.filter_map(|&(animal, fate)| failure(animal, &[], fate))
        .collect()
}

#[test]
fn bots_have_the_outcomes_of_linux_1() {
    let failures = failures(0);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn bots_have_the_outcomes_of_linux_2() {
    let failures = failures(1);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn bots_have_the_outcomes_of_linux_3() {
    let failures = failures(2);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn bots_have_the_outcomes_of_linux_4() {
    let failures = failures(3);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn limits_end_resource_hogs() {
    for &(animal, options, fate) in LIMITED {
        let options: Vec<&str> = options.split_whitespace().collect();
        let failure = failure(animal, &options, fate);
        assert!(failure.is_none(), "{failure:?}");
    }
}

#[test]
fn every_bot_that_is_left_out_exists() {
    for (name, why) in NOT_HERE {
        assert!(FATES.iter().any(|(animal, _)| *animal == name), "{name}: {why}");
    }
}
