//! The zoo of misbehaving bots, with the outcomes of the table for Linux.

use std::time::Instant;

use crate::scene::{Scene, words, zoo};
use crate::zoo_table::{Row, all, limited};

/// Bots that are not in this table. They send signals, replace a descriptor or their program, have a
/// handler for a signal, or start 300 processes, which Wine takes too long for without a limit.
const NOT_HERE: &str = "segfaults closes-its-input closes-its-output stops-itself ignores-sigterm becomes-another \
    kills-its-group kills-its-parent stops-its-parent forks-on forks-slowly";

/// The table is in parts, so that several bots play at the same time.
const PARTS: usize = 4;

/// Time limit of one command in seconds, ten times what a busy machine needs.
const PATIENCE: f64 = 120.0;

/// The limits of a bot, which leave time for a busy machine. Only a stall needs a short one.
fn settings(row: Row) -> String {
    let st = match (row.name, row.verdict) {
        ("answers-late", _) => 0.6,
        (_, "stall") => 2.0,
        _ => 30.0,
    };
    // Some use up the time for a start.
    format!("{} starttime=60", row.settings()).replace("starttime=2 starttime=60", "starttime=10")
        + &format!(" st={st}")
}

/// Plays one bot and prints its row of the table. Returns what is wrong with the outcome.
fn failure(row: Row) -> Option<String> {
    let Row { name, verdict, .. } = row;
    let scene = Scene::new();
    let cmd = format!("cmd={}", zoo().display());
    let line = format!(
        "name={name} args={name} {} --engine cmd=random st=30 starttime=60 --games 1 --openings random:2 --quiet --out \
         games.jsonl {}",
        settings(row),
        row.game()
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
    let is_right = match verdict {
        "not started" => outcome.status == Some(3),
        "plays on" => outcome.status == Some(0) && !record["result"].is_null() && record["faults"].is_null(),
        reason => outcome.status == Some(0) && (text("reason"), text("result")) == (reason, "0-1"),
    };
    println!("| `{name}` | {verdict} | {} | {took:.1} s |", text("detail"));
    let is_escaped = !text("detail").contains(char::is_control) && !outcome.stderr.contains('\x1b');
    (!is_right || !is_escaped || took > PATIENCE)
        .then(|| format!("{name}, after {took:.1} s: {outcome:?} {record:?}, expected {verdict}\n"))
}

/// Plays the bots of one part.
fn assert_outcomes(part: usize) {
    let bots = all().into_iter().skip(part).step_by(PARTS);
    let here = bots.filter(|row| !words(NOT_HERE).contains(&row.name));
    let failures: String = here.filter_map(failure).collect();
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
    for row in limited() {
        let failure = failure(row);
        assert!(failure.is_none(), "{failure:?}");
    }
}

#[test]
fn every_bot_that_is_left_out_exists() {
    for name in words(NOT_HERE) {
        assert!(Row::of(name).is_some(), "{name}");
    }
}
