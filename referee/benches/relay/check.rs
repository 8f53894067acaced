//! What `cargo test` checks: the benchmark runs, and its figures make sense.

use std::process::Command;

use serde_json::Value;

use crate::measure::{self, MAX_CALLS};
use crate::{calls, stub};

/// Runs all checks.
pub fn all() {
    measure::check_half_move();
    calls::check_total();
    stub::check_moves();
    prints_a_table();
    prints_json();
    says_that_strace_is_missing();
    refuses_wrong_arguments();
    println!("relay: all checks passed");
}

/// This program, as `cargo bench` starts it.
fn bench(args: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.arg("--bench").args(args.split(' '));
    command
}

fn run(mut command: Command) -> String {
    let output = command.output().expect("the benchmark starts");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{stdout}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    stdout
}

fn prints_a_table() {
    let stdout = run(bench("--half-moves 200 --rounds 1"));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[0],
        "Half-moves a round: 200; rounds: 1. Each half-move takes:"
    );
    for (line, begin) in lines[2..]
        .iter()
        .zip(["referee ", "bare loop ", "bridged ", "ratio "])
    {
        assert!(line.starts_with(begin), "{stdout}");
    }
    // Some machines have strace, some do not.
    let is_counted = !lines[2].ends_with(" -");
    let why = lines
        .iter()
        .any(|line| line.starts_with("system calls not counted: strace "));
    assert_ne!(is_counted, why, "{stdout}");
}

fn prints_json() {
    let stdout = run(bench("--half-moves 200 --rounds 2 --json"));
    let figures: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(
        (&figures["half_moves"], &figures["rounds"]),
        (&200.into(), &2.into())
    );
    let number = |part: &str, key: &str| figures[part][key].as_f64().expect("a number");
    for part in ["referee", "bare"] {
        let [best, median] = ["best_us", "median_us"].map(|key| number(part, key));
        assert!(0.0 < best && best <= median, "{figures}");
    }
    assert!(number("ratio", "best") > 0.0, "{figures}");
    assert!(number("ratio", "median") > 0.0, "{figures}");
    if figures["not_counted"].is_null() {
        let [bare, referee] = ["bare", "referee"].map(|part| number(part, "system_calls"));
        assert!(bare > 5.0, "{figures}");
        assert!((bare..=MAX_CALLS).contains(&referee), "{figures}");
    } else {
        assert!(figures["referee"]["system_calls"].is_null(), "{figures}");
    }
}

fn says_that_strace_is_missing() {
    let mut command = bench("--half-moves 20 --rounds 1");
    command.env("PATH", "");
    let stdout = run(command);
    let end = "\nsystem calls not counted: strace is not installed\n";
    assert!(stdout.ends_with(end), "{stdout}");
}

fn refuses_wrong_arguments() {
    for (args, message) in [
        (
            "--half-moves 0",
            "invalid value '0' for '--half-moves <N>': 0 is not in 1..=10000000",
        ),
        ("--rounds x", "invalid value 'x' for '--rounds <N>'"),
        ("--part both", "[possible values: referee, bare, bridged]"),
        ("--part bare --json", "cannot be used with"),
    ] {
        let output = bench(args).output().expect("the benchmark starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(message), "{stderr}");
    }
}
