//! `referee check`: each fault of `tests/faulty` is found by its check, and the command.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use referee::check::CHECKS;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::check_faults::{FAULTS, SLOW};
use crate::support::{Bot, Scene, assert_has_all, assert_lacks, example, for_all, run};

/// The exit status after Ctrl-C.
const INTERRUPTED: i32 = 130;

/// What `referee check --json` printed.
struct Checked {
    status: Option<i32>,
    /// The objects of the checks, without the summary.
    checks: Vec<Value>,
    summary: Value,
}

impl Checked {
    /// Checks `tests/faulty` with a fault or a habit.
    fn of(name: &str, options: &str) -> Checked {
        Checked::program(&Checked::words(name, options), false)
    }

    fn words(name: &str, options: &str) -> String {
        format!("{options} -- {} {name}", example("faulty").display())
    }

    /// Runs `referee check --json` with these words, and asserts that no process is left. If
    /// asked for, interrupts it after the first failed check.
    fn program(words: &str, is_interrupted: bool) -> Checked {
        let scene = Scene::new();
        let mut referee = scene.command(&format!("check --json {words}"));
        let mut child = referee
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut checks: Vec<Value> = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let check: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if is_interrupted && check["status"] == "failed" && !checks.iter().any(has_failed) {
                kill_process(Pid::from_child(&child), Signal::INT).unwrap();
            }
            checks.push(check);
        }
        let output = child.wait_with_output().unwrap();
        scene.assert_no_process_left();
        let stderr = if is_interrupted {
            "referee: interrupted\n"
        } else {
            ""
        };
        assert_eq!(String::from_utf8_lossy(&output.stderr), stderr, "{words}");
        let summary = checks.pop().unwrap();
        Checked {
            status: output.status.code(),
            checks,
            summary: summary["summary"].clone(),
        }
    }

    /// The names of the checks with this status.
    fn with_status(&self, status: &str) -> Vec<&str> {
        let checks = self.checks.iter().filter(|check| check["status"] == status);
        checks.map(|check| check["check"].as_str().unwrap()).collect()
    }

    /// The first failed check of the highest level, and its report.
    fn first_failed(&self) -> Option<(&str, String)> {
        let of_level = |level: &&str| {
            let mut checks = self.checks.iter();
            checks.find(|check| has_failed(check) && check["level"] == *level)
        };
        let failed = ["required", "recommended", "optional"]
            .iter()
            .find_map(of_level)?;
        Some((failed["check"].as_str()?, report(failed)))
    }
}

fn has_failed(check: &Value) -> bool {
    check["status"] == "failed"
}

/// What a failed check says to its reader.
fn report(check: &Value) -> String {
    let parts = ["problem", "stderr", "expected", "hint"];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
    parts
        .map(|part| format!("{part}: {}", text(&check[part])))
        .join("\n")
}

#[test]
fn each_fault_fails_its_check_first() {
    for_all(FAULTS, |&(fault, options, expected, phrase)| {
        let is_slow = SLOW.contains(&fault);
        let checked = Checked::program(&Checked::words(fault, options), is_slow);
        let (name, report) = checked.first_failed().unwrap_or_default();
        let is_unfit = checked
            .checks
            .iter()
            .any(|check| has_failed(check) && check["level"] == "required");
        let status = if is_slow { INTERRUPTED } else { i32::from(is_unfit) };
        assert!(
            name == expected && report.contains(phrase) && checked.status == Some(status),
            "{fault}: status {:?}, failed {:?}, expected {expected} with `{phrase}`\n{report}",
            checked.status,
            checked.with_status("failed"),
        );
    });
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
    let listed: Vec<String> = listed("fault").into_iter().map(|(name, _)| name).collect();
    let rows: Vec<&str> = FAULTS.iter().map(|(fault, ..)| *fault).collect();
    assert_eq!(rows, listed);
    assert!(SLOW.iter().all(|fault| rows.contains(fault)));
    assert!(FAULTS.iter().all(|(.., phrase)| !phrase.is_empty()));
}

/// The section of docs/check.md about faults.
const DOCUMENT: &str = include_str!("../../docs/check.md");

/// The rows of its table.
fn rows() -> Vec<String> {
    let described = listed("fault");
    let describe = |name: &str| {
        described
            .iter()
            .find(|(listed, _)| listed == name)
            .map(|(_, what)| what)
    };
    let row = |&(fault, options, check, phrase): &(&str, &str, &str, &str)| {
        let what = describe(fault).unwrap();
        let options = if options.is_empty() {
            String::new()
        } else {
            format!(" (`{options}`)")
        };
        format!(
            "| {what}{options} | `{check}` | {} |",
            phrase.trim_matches([' ', ',', ';', ':'])
        )
    };
    FAULTS.iter().map(row).collect()
}

#[test]
fn the_document_has_every_fault_and_its_check() {
    let rows = rows();
    let count = format!("{} bots", rows.len());
    assert!(DOCUMENT.contains(&count), "{count}");
    let table = DOCUMENT.split("| fault | first failed check |").nth(1).unwrap();
    let found: Vec<&str> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(found, rows);
}

#[test]
#[ignore = "prints the table of docs/check.md"]
fn table_of_checks() {
    println!("{}", rows().join("\n"));
}

/// The four combinations of game and dialect.
const GAMES: [&str; 4] = [
    "--variant magnetic-cave",
    "--variant gridlock",
    "--variant magnetic-cave --proto ugi",
    "--variant gridlock --proto ugi",
];

/// Asserts that a bot passes all checks that its dialect has.
fn assert_passes(words: &str, checked: &Checked) {
    let skipped: &[&str] = if words.contains("ugi") { &[] } else { &["queries"] };
    if let Some((name, report)) = checked.first_failed() {
        panic!("{words}: {name}\n{report}");
    }
    let is_fit = checked.status == Some(0) && checked.summary["fit"] == true;
    assert!(
        is_fit && checked.with_status("skipped") == skipped && checked.checks.len() == CHECKS.len(),
        "{words}: status {:?}, {}",
        checked.status,
        checked.summary
    );
}

#[test]
fn correct_bot_passes_all_checks_in_both_games_and_dialects() {
    for_all(&GAMES, |options| {
        assert_passes(options, &Checked::of("correct", options));
    });
}

#[test]
fn lodestone_passes_all_checks() {
    for_all(&GAMES[1..3], |options| {
        assert_passes(options, &Checked::program(&format!("{options} lodestone"), false));
    });
}

#[test]
fn unusual_but_correct_bots_pass_all_checks() {
    let habits = listed("habit");
    assert!(habits.len() > 10);
    for_all(&habits, |(habit, _)| {
        let checked = Checked::of(habit, "");
        if habit != "no-options" {
            return assert_passes(habit, &checked);
        }
        let skipped = checked.with_status("skipped");
        let is_right = skipped == ["options", "option-ranges", "queries"] && checked.status == Some(0);
        assert!(
            is_right && checked.with_status("failed").is_empty(),
            "{habit}: {:?}, {skipped:?}",
            checked.first_failed()
        );
    });
}

/// A bot that creates the file `waits` when a search begins, and does not answer.
const WAITS: Bot<'_> = Bot {
    start: ":",
    uci: "echo id name waits; echo uciok",
    isready: "echo readyok",
    query: ":",
    go: "touch waits",
    quit: "exit 0",
};

#[test]
fn interrupt_shows_the_results_so_far_and_ends_the_bot() {
    let scene = Scene::new();
    let bot = scene.bot("bot", WAITS);
    for options in ["", "--json"] {
        scene
            .interrupted(&format!("check {options} {bot}"))
            .exits(INTERRUPTED);
        scene.assert_no_bot_left();
    }
}

#[test]
fn only_the_named_checks_run() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::default());
    let outcome = scene
        .referee(&format!("check --only quit --only startpos {bot}"))
        .succeeds();
    let text = &outcome.stdout;
    assert!(
        text.contains("  ok    startpos ") && text.contains("  ok    quit "),
        "{text}"
    );
    assert!(text.contains("2 checks: 2 passed.\n"), "{text}");
    assert_lacks(&text, "is fit for a match");

    let outcome = scene.referee(&format!("check --json --only id {bot}"));
    // A recommended check does not change the exit status.
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let lines: Vec<Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["check"], &lines[0]["status"]),
        (&"id".into(), &"failed".into())
    );
    assert_eq!(
        lines[1]["summary"]["failed_recommended"],
        serde_json::json!(["id"])
    );
}

#[test]
fn failed_check_shows_the_dialogue() {
    let scene = Scene::new();
    let bot = scene.bot("bot", Bot::thinking("echo bestmove d4"));
    let outcome = scene.referee(&format!("check --only startpos {bot}")).exits(1);
    assert_has_all(
        &outcome.stdout,
        [
            "Checking bot: Magnetic Cave, UCI\n",
            "  FAIL  startpos ",
            "  position startpos\n",
            "  go movetime 100\n",
            "  bestmove d4\n",
            "        problem   bot played d4, which is illegal: d4 touches neither a wall nor\n",
            "        expected  one of 16 legal moves, such as `bestmove a8`\n",
            "        see       protocol.md, \"For bot authors: the minimum\"\n",
            "Failed, required: startpos.\nbot is not fit for a match yet.\n",
        ],
    );
}

#[test]
fn wrong_commands_are_rejected() {
    let scene = Scene::new();
    for (words, status, message) in [
        (
            "--only fenn lodestone",
            2,
            "unknown check `fenn`; did you mean `fen`?",
        ),
        ("--variant chess lodestone", 2, "`chess`"),
        ("--proto uxi lodestone", 2, "uxi"),
        ("human", 2, "a person cannot be checked"),
        ("./no-such-bot", 3, "no-such-bot"),
        ("-- ./no-such-bot --json", 3, "no-such-bot"),
        ("", 2, "Usage"),
        (
            "--only handshake cmd=lodestone option.Hash=0",
            1,
            "does not take `option.Hash=0`",
        ),
    ] {
        let outcome = scene.referee(&format!("check {words}")).exits(status);
        let text = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(text.contains(message), "{words}: {text}");
    }
}

#[test]
fn arguments_after_the_program_are_its_own() {
    let scene = Scene::new();
    let bot = scene.script(
        "bot",
        "#!/bin/sh\necho \"$@\" >> arguments\nwhile read -r line; do case $line in uci) echo uciok ;; isready) \
         echo readyok ;; quit) exit ;; esac; done\n",
    );
    for words in [
        format!("{bot} --only fen --json"),
        format!("-- {bot} --only fen --json"),
    ] {
        scene.remove("arguments");
        scene.referee(&format!("check --only isready {words}")).exits(0);
        let arguments = scene.text("arguments");
        assert_eq!(arguments, "--only fen --json\n");
    }
}
