//! The zoo of misbehaving bots, with the outcomes of the table for Linux.

use std::time::Instant;

use crate::fates::Fate::{self, Loses, Plays, Refused};
use crate::fates::{fates, limited};
use crate::scene::{Scene, words, zoo};

/// Bots that are not in this table. They send signals, replace a descriptor or their program, have a
/// handler for a signal, or start 300 processes, which Wine takes too long for without a limit.
const NOT_HERE: &str = "segfaults closes-its-input closes-its-output stops-itself ignores-sigterm becomes-another \
    kills-its-group kills-its-parent stops-its-parent forks-on forks-slowly";

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
fn failure(animal: &str, options: &str, fate: Fate) -> Option<String> {
    let scene = Scene::new();
    // A limit must end it before its time is over.
    let own = if options.is_empty() {
        settings(animal, fate)
    } else {
        "st=60 starttime=60"
    };
    let cmd = format!("cmd={}", zoo().display());
    let line = format!(
        "name={animal} args={animal} {own} {options} --engine cmd=random st=30 starttime=60 --games 1 \
         --openings random:2 --quiet --out games.jsonl"
    );
    let command: Vec<&str> = ["match", "--engine", &cmd]
        .into_iter()
        .chain(words(&line))
        .collect();
    let start = Instant::now();
    let outcome = scene.run(&command);
    let took = start.elapsed().as_secs_f64();
    let record = scene.records("games.jsonl").pop().unwrap_or_default();
    let text = |field: &str| record[field].as_str().unwrap_or_default();
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
fn assert_outcomes(part: usize) {
    let bots = fates().into_iter().skip(part).step_by(PARTS);
    let here = bots.filter(|(animal, _)| !words(NOT_HERE).contains(animal));
    let failures: String = here
        .filter_map(|(animal, fate)| failure(animal, "", fate))
        .collect();
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn bots_have_the_outcomes_of_linux_1() {
    assert_outcomes(0);
}

#[test]
fn bots_have_the_outcomes_of_linux_2() {
    assert_outcomes(1);
}

#[test]
fn bots_have_the_outcomes_of_linux_3() {
    assert_outcomes(2);
}

#[test]
fn bots_have_the_outcomes_of_linux_4() {
    assert_outcomes(3);
}

#[test]
fn limits_end_resource_hogs() {
    for (animal, options, fate) in limited() {
        let failure = failure(animal, options, fate);
        assert!(failure.is_none(), "{failure:?}");
    }
}

#[test]
fn every_bot_that_is_left_out_exists() {
    for name in words(NOT_HERE) {
        assert!(fates().iter().any(|(animal, _)| *animal == name), "{name}");
    }
}
