//! What the referee adds to a half-move, as it measures it itself.

use serde_json::Value;

use crate::support::Scene;

/// The most system calls that a half-move may take, in all processes together.
const MOST_CALLS: f64 = 6.0;

#[test]
fn the_referee_and_a_bare_loop_are_measured_side_by_side() {
    let outcome = Scene::new().referee("bench-relay --half-moves 200 --rounds 1");
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert_eq!(outcome.stderr, "");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "Half-moves a round: 200; rounds: 1. Each half-move takes:"
    );
    for (line, begin) in lines[2..].iter().zip(["referee ", "bare loop ", "ratio "]) {
        assert!(line.starts_with(begin), "{}", outcome.stdout);
    }
    // Whether there is strace differs from machine to machine.
    let is_counted = !lines[2].ends_with(" -");
    let why = lines
        .iter()
        .any(|line| line.starts_with("system calls not counted: strace "));
    assert_ne!(is_counted, why, "{}", outcome.stdout);
}

#[test]
fn the_figures_can_be_had_for_programs() {
    let outcome = Scene::new().referee("bench-relay --half-moves 200 --rounds 2 --json");
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let figures: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        (&figures["half_moves"], &figures["rounds"]),
        (&200.into(), &2.into())
    );
    for part in ["referee", "bare"] {
        let [best, median] = ["best_us", "median_us"].map(|key| figures[part][key].as_f64().unwrap());
        assert!(0.0 < best && best <= median, "{figures}");
    }
    assert!(figures["ratio"]["best"].as_f64().unwrap() > 0.0, "{figures}");
    assert!(figures["ratio"]["median"].as_f64().unwrap() > 0.0, "{figures}");
    if figures["not_counted"].is_null() {
        let calls = |part: &str| figures[part]["system_calls"].as_f64().unwrap();
        assert!(calls("bare") > 5.0, "{figures}");
        assert!(
            (calls("bare")..=MOST_CALLS).contains(&calls("referee")),
            "{figures}"
        );
    } else {
        assert!(figures["referee"]["system_calls"].is_null(), "{figures}");
    }
}

#[test]
fn without_strace_nothing_is_counted_and_that_is_said() {
    let scene = Scene::new();
    let mut command = scene.command("bench-relay --half-moves 20 --rounds 1");
    let outcome = crate::support::run(command.env("PATH", scene.path("")), "");
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    assert!(
        outcome
            .stdout
            .ends_with("\nsystem calls not counted: strace is not installed\n"),
        "{}",
        outcome.stdout
    );
}
