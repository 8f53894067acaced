//! The Python package: those of its tests about figures that would be wrong without anybody noticing. `.ci/run` runs
//! all of `python/tests`.

use std::process::Command;

/// Clocks and increments, scores, colours, ports, and what is answered before a search. They need no other program.
const TESTS: [&str; 6] = [
    "test_bot.Searches",
    "test_bot.WithABot.test_what_was_asked_before_a_search_is_answered_before_it",
    "test_engine.Scores",
    "test_engine.Searching.test_a_limit_ends_a_search",
    "test_results.Files.test_scores_and_turns_of_other_games",
    "test_bridge.Clients.test_a_fixed_port",
];

#[test]
fn python_tests_of_clocks_scores_colours_and_ports_pass() {
    let is_new = "import sys; sys.exit(sys.version_info < (3, 9))";
    let status = Command::new("python3").args(["-c", is_new]).status();
    if !status.is_ok_and(|status| status.success()) {
        println!("SKIPPED: python3 is not installed, or older than 3.9");
        return;
    }
    let python = concat!(env!("CARGO_MANIFEST_DIR"), "/../python");
    let path = std::env::join_paths([python, &format!("{python}/tests")]).unwrap();
    let mut command = Command::new("python3");
    command
        .args(["-B", "-m", "unittest"])
        .args(TESTS)
        .env("PYTHONPATH", path);
    let output = command.output().unwrap();
    let failures = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failures}");
}
