//! `referee check`: the check that finds each fault of `tests/faulty`, and the command.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use crate::support::{Outcome, Scene, example, run};

/// How many bots are checked at the same time. Most of them wait.
const AT_ONCE: usize = 6;

/// Fault, options of the command, first check that fails, and a part of its report that
/// names the fault.
pub const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("exits-at-start", "", "handshake", ""),
    ("no-uciok", "", "handshake", ""),
    ("late-uciok", "", "handshake", ""),
    ("wrong-uciok", "", "handshake", ""),
    ("never-flushes", "", "handshake", ""),
    ("uciok-for-ugi", "--proto ugi", "handshake", ""),
    ("banner", "", "output", ""),
    ("debug-line", "", "output", ""),
    ("prints-board", "", "output", ""),
    ("no-readyok", "", "isready", ""),
    ("wrong-readyok", "", "isready", ""),
    ("exits-at-go", "", "startpos", ""),
    ("no-answer", "", "startpos", ""),
    ("move-without-bestmove", "", "startpos", ""),
    ("capital-bestmove", "", "startpos", ""),
    ("answers-on-stderr", "", "startpos", ""),
    ("numbers-for-move", "", "startpos", ""),
    ("unflushed-bestmove", "", "startpos", ""),
    ("two-bestmoves", "", "startpos", ""),
    ("always-illegal", "", "startpos", ""),
    ("ignores-moves", "", "long-game", ""),
    ("last-move-only", "", "long-game", ""),
    ("short-line-buffer", "--variant gridlock", "long-game", ""),
    ("exits-at-long-line", "--variant gridlock", "long-game", ""),
    ("keeps-board", "", "long-game", ""),
    ("only-startpos", "", "fen", ""),
    ("exits-at-fen", "", "fen", ""),
    ("flips-fen", "", "fen", ""),
    ("ignores-moves-after-fen", "", "fen", ""),
    ("ignores-side-to-move", "--variant gridlock", "long-game", ""),
    ("illegal-every-hundredth", "", "random-positions", ""),
    ("exits-on-few-moves", "", "long-game", ""),
    ("vertical-support", "", "long-game", ""),
    ("wraps-around-edge", "--variant gridlock", "long-game", ""),
    ("passes-on-only-move", "", "only-move", ""),
    ("always-half-second", "", "movetime-200", ""),
    ("fifty-ms-late", "", "movetime-200", ""),
    ("late-at-one-second", "", "movetime-1000", ""),
    ("ignores-quit", "", "quit", ""),
    ("sleeps-at-end-of-input", "", "end-of-input", ""),
    ("loops-at-end-of-input", "", "end-of-input", ""),
    ("leaves-child", "", "no-leftovers", ""),
    ("leaves-child-in-session", "", "no-leftovers", ""),
    ("no-id", "", "id", ""),
    ("id-without-name", "", "id", ""),
    ("exits-at-new-game", "", "startpos", ""),
    ("exits-at-unknown-command", "", "unknown-command", ""),
    ("reports-unknown-command", "", "unknown-command", ""),
    ("no-crlf", "", "crlf", ""),
    ("plays-on-when-finished", "", "finished", ""),
    ("silent-when-finished", "", "finished", ""),
    ("exits-when-finished", "", "finished", ""),
    ("ignores-turn-limit", "--variant gridlock", "finished", ""),
    ("ignores-clock", "", "increment", ""),
    ("opponents-clock", "", "increment", ""),
    ("spends-increment-early", "", "increment", ""),
    ("exits-at-increment", "", "increment", ""),
    ("slow-on-empty-clock", "", "low-clock", ""),
    ("hundred-ms-minimum", "", "movetime-50", ""),
    ("ignores-stop", "", "stop", ""),
    ("exits-at-infinite", "", "stop", ""),
    ("answers-idle-stop", "", "stop-idle", ""),
    ("no-readyok-while-searching", "", "isready-searching", ""),
    ("isready-ends-search", "", "isready-searching", ""),
    ("ignores-quit-while-searching", "", "quit-searching", ""),
    ("exits-at-second-game", "", "two-games", ""),
    ("illegal-in-second-game", "", "two-games", ""),
    ("leaks-memory", "", "memory", ""),
    ("spin-without-range", "", "options", ""),
    ("default-out-of-range", "", "options", ""),
    ("exits-at-option-range", "", "option-ranges", ""),
    ("hangs-at-option-range", "", "option-ranges", ""),
    ("ignores-depth", "", "depth", ""),
    ("exits-at-depth", "", "depth", ""),
    ("ignores-nodes", "", "nodes", ""),
    ("exits-at-broken-position", "", "broken-position", ""),
    ("hangs-at-broken-position", "", "broken-position", ""),
    ("wrong-turn", "--proto ugi", "queries", ""),
    ("wrong-result", "--proto ugi", "queries", ""),
    ("no-response", "--proto ugi", "queries", ""),
];

/// What `referee check --json` printed.
struct Checked {
    status: Option<i32>,
    /// The objects of the checks, without the summary.
    checks: Vec<Value>,
    summary: Value,
}

impl Checked {
    /// Checks `tests/faulty` with a fault or a habit, and asserts that no process is left.
    fn of(name: &str, options: &str) -> Checked {
        Checked::program(&format!("{options} -- {} {name}", example("faulty").display()))
    }

    fn program(words: &str) -> Checked {
        let scene = Scene::new();
        let outcome = scene.referee(&format!("check --json {words}"));
        scene.assert_no_process_left();
        assert_eq!(outcome.stderr, "", "{words}");
        let mut checks = objects(&outcome);
        let summary = checks.pop().unwrap();
        Checked {
            status: outcome.status,
            checks,
            summary: summary["summary"].clone(),
        }
    }

    /// The names of the checks with this status.
    fn with_status(&self, status: &str) -> Vec<&str> {
        let checks = self.checks.iter().filter(|check| check["status"] == status);
        checks.map(|check| check["check"].as_str().unwrap()).collect()
    }

    /// The first failed check, and its report.
    fn first_failed(&self) -> Option<(&str, String)> {
        let failed = self.checks.iter().find(|check| check["status"] == "failed")?;
        Some((failed["check"].as_str()?, report(failed)))
    }
}

fn objects(outcome: &Outcome) -> Vec<Value> {
    let lines = outcome.stdout.lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What a failed check says to its reader.
fn report(check: &Value) -> String {
    let parts = ["problem", "stderr", "expected", "hint"];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
    parts
        .map(|part| format!("{part}: {}", text(&check[part])))
        .join("\n")
}

/// Does a job for all items, some at a time, and asserts that none has a complaint.
fn for_all<T: Sync>(items: &[T], job: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(complaint) = job(item) {
                        complaints.lock().unwrap().push(complaint);
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// Asserts the first failed check of every third fault.
fn assert_found(first: usize) {
    let faults: Vec<_> = FAULTS.iter().skip(first).step_by(3).collect();
    for_all(&faults, |&&(fault, options, expected, phrase)| {
        let checked = Checked::of(fault, options);
        let (name, report) = checked.first_failed().unwrap_or_default();
        let is_required = checked
            .checks
            .iter()
            .any(|check| check["status"] == "failed" && check["level"] == "required");
        if name == expected && report.contains(phrase) && checked.status == Some(i32::from(is_required)) {
            return Ok(());
        }
        Err(format!(
            "{fault}: status {:?}, failed {:?}, expected {expected} with `{phrase}`\n{report}",
            checked.status,
            checked.with_status("failed"),
        ))
    });
}

// Three tests, which run in parallel.

#[test]
fn each_fault_fails_its_check_first_1() {
    assert_found(0);
}

#[test]
fn each_fault_fails_its_check_first_2() {
    assert_found(1);
}

#[test]
fn each_fault_fails_its_check_first_3() {
    assert_found(2);
}

/// The names of the faults or habits of `tests/faulty`, with what they do.
fn listed(kind: &str) -> Vec<(String, String)> {
    let list = run(&mut Command::new(example("faulty")), "").stdout;
    let fields = list.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let of_kind = fields.filter(|fields| fields[0] == kind);
    of_kind
        .map(|fields| (fields[1].to_string(), fields[2].to_string()))
        .collect()
}

#[test]
fn every_fault_has_its_check() {
    let mut listed: Vec<String> = listed("fault").into_iter().map(|(name, _)| name).collect();
    let mut rows: Vec<&str> = FAULTS.iter().map(|(fault, ..)| *fault).collect();
    listed.sort_unstable();
    rows.sort_unstable();
    assert_eq!(rows, listed);
}

/// The four combinations of game and dialect.
const GAMES: [&str; 4] = [
    "--variant magnetic-cave",
    "--variant gridlock",
    "--variant magnetic-cave --proto ugi",
    "--variant gridlock --proto ugi",
];

/// Complains unless a bot passes all checks that its dialect has.
fn passes(words: &str, checked: &Checked) -> Result<(), String> {
    let skipped: &[&str] = if words.contains("ugi") { &[] } else { &["queries"] };
    if let Some((name, report)) = checked.first_failed() {
        return Err(format!("{words}: {name}\n{report}"));
    }
    if checked.with_status("skipped") != skipped || checked.status != Some(0) || checked.checks.len() < 34 {
        return Err(format!(
            "{words}: status {:?}, {}",
            checked.status, checked.summary
        ));
    }
    Ok(())
}

#[test]
fn correct_bot_passes_all_checks_in_both_games_and_dialects() {
    for_all(&GAMES, |options| {
        passes(options, &Checked::of("correct", options))
    });
}

#[test]
fn lodestone_passes_all_checks_in_both_games_and_dialects() {
    for_all(&GAMES, |options| {
        passes(options, &Checked::program(&format!("{options} lodestone")))
    });
}

#[test]
fn unusual_but_correct_bots_pass_all_checks() {
    let habits = listed("habit");
    assert!(habits.len() > 10);
    for_all(&habits, |(habit, _)| {
        let checked = Checked::of(habit, "");
        if habit != "no-options" {
            return passes(habit, &checked);
        }
        assert_eq!(
            checked.with_status("skipped"),
            ["options", "option-ranges", "queries"]
        );
        assert_eq!(checked.with_status("failed"), [""; 0]);
        Ok(())
    });
}
