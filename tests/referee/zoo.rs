//! The zoo of bad bots: what becomes of each, and what match, check, ladder, feedback and page say of it.
//!
//! The rows of `tests/zoo/table.rs` are the facts, and `tests/zoo/said` has the sentences, which
//! `UPDATE_EXPECT=1 cargo test --workspace --test end_to_end zoo::` renews.

use std::ffi::OsString;
use std::process::{Child, Command, Output};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use expect_test::expect_file;
use regex_lite::Regex;
use serde_json::Value;

use crate::recorded::{assert_by_rules, text};
use crate::support::{Running, Scene, for_all, joined, json_lines, run, zoo};
use crate::zoo_table::{Row, all, group, limited};

/// The ways in which a bot meets the referee.
type Way = fn(&Row, &Scene) -> Vec<String>;
const WAYS: [(&str, Way); 5] = [
    ("match", in_a_match),
    ("check", in_a_check),
    ("ladder", in_a_ladder),
    ("feedback", in_feedback),
    ("page", on_the_page),
];

/// Its name is the folder of its submission.
fn scene(row: &Row) -> Scene {
    let scene = Scene::new();
    scene.folder(&format!("all/{}", row.name));
    let run = format!("#!/bin/sh\nexec '{}' {}\n", zoo().display(), row.name);
    scene.script(&format!("all/{}/run", row.name), &run);
    scene
}

/// Runs the referee; its output, its messages and its peak memory in kB.
fn watched(scene: &Scene, line: &str) -> (Output, u64) {
    let child: Child = Running::start(scene.command(line)).child;
    let status = format!("/proc/{}/status", child.id());
    let (done, finished) = channel::<()>();
    let watcher = thread::spawn(move || {
        let mut most = 0;
        loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
            most = most.max(peak.unwrap_or(0));
            if finished.recv_timeout(Duration::from_millis(10)) != Err(RecvTimeoutError::Timeout) {
                return most;
            }
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    scene.assert_no_process_left();
    (output, watcher.join().unwrap())
}

/// Plays one game, the bot first, and asserts what became of it.
fn play(row: &Row, scene: &Scene, options: &str) -> (Option<Value>, String) {
    let line = format!(
        "match {} {options} --games 1 --openings random:2 --quiet --out games.jsonl --engine cmd=all/{} {} --engine \
         cmd=random st=100",
        row.game(),
        row.name,
        row.settings_of_game()
    );
    let (output, memory) = watched(scene, &line);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(!messages.contains('\x1b'), "{row:?}: {messages}");
    // Not even gigabytes of output fill the referee's memory. A debug build has 20 MB without any, and was once seen
    // with 36 MB on a busy machine.
    assert!(memory < 64_000, "{row:?}: {memory} kB");
    let status = if row.verdict == "not started" { 3 } else { 0 };
    assert_eq!(output.status.code(), Some(status), "{row:?}: {messages}");
    if status == 3 {
        return (None, messages);
    }
    let record = scene.records().remove(0);
    if row.verdict == "plays on" {
        assert_by_rules(&record);
    } else {
        let end = ["reason", "result"].map(|field| text(&record, field));
        assert_eq!(end, [row.verdict, "0-1"], "{row:?}: {record}");
    }
    assert!(
        !text(&record, "detail").contains(char::is_control),
        "{row:?}: {record}"
    );
    (Some(record), messages)
}

/// The verdict, and the messages.
fn in_a_match(row: &Row, scene: &Scene) -> Vec<String> {
    let (record, messages) = play(row, scene, "");
    let mut notes = notes(&messages);
    let verdict = match &record {
        Some(_) if row.verdict == "plays on" => row.verdict.to_string(),
        Some(record) => format!("{}: {}", row.verdict, text(record, "detail")),
        None => notes.next().unwrap().replace("referee", row.verdict),
    };
    std::iter::once(verdict).chain(notes).collect()
}

/// The first check that fails. Where there is none, some that do not.
fn in_a_check(row: &Row, scene: &Scene) -> Vec<String> {
    let only = match row.check {
        "-" => "--only startpos --only long-game",
        "output" => "--only startpos --only long-game --only output",
        check => &format!("--only {check}"),
    };
    let line = format!(
        "check --json {} {only} cmd=all/{} {}",
        row.game(),
        row.name,
        row.settings()
    );
    let run = || {
        let mut checks = json_lines(&scene.referee(&line).stdout);
        checks.retain(has_failed);
        checks
    };
    let is_right = |checks: &Vec<Value>| match row.check {
        "-" => checks.is_empty(),
        check => checks.iter().any(|failed| failed["check"] == check),
    };
    // A busy machine excuses a late answer.
    let checks = (0..10).map(|_| run()).find(is_right);
    let checks = checks.unwrap_or_else(|| panic!("{row:?}: {:?}", run()));
    let said = |check: &Value| {
        let stderr = check["stderr"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let stderr = stderr
            .map(|line| format!(" Stderr: {line}"))
            .collect::<Vec<_>>()
            .concat();
        let part = |name: &str| check[name].as_str().unwrap_or("-").to_string();
        let [name, problem, expected, hint] = ["check", "problem", "expected", "hint"].map(part);
        format!("{name}: {problem}. Expected: {expected}. Try: {hint}.{stderr}")
    };
    match &*checks {
        [] => vec!["nothing".into()],
        _ => checks.iter().map(said).collect(),
    }
}

/// Plays two games in a ladder, and shows its notes.
fn in_a_ladder(row: &Row, scene: &Scene) -> Vec<String> {
    // It needs two players that start.
    let other = if row.verdict == "not started" {
        "--engine cmd=groups"
    } else {
        ""
    };
    let line = format!(
        "ladder all --engine cmd=random st=100 {other} {} --each {} --games 2 --openings random:2 --sandbox=off \
         --out ladder.jsonl --feedback feedback --reviews 0 --html page.html --csv grades.csv",
        row.game(),
        row.settings_of_game()
    );
    let (output, _) = watched(scene, &line);
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(0), "{row:?}: {stdout}{stderr}");
    let grades = scene.text("grades.csv");
    let grade = grades.lines().find(|line| line.contains(row.name)).unwrap();
    let is_note = |line: &&str| line.contains(&format!("{}:", row.name));
    let cells: Vec<&str> = grade.split(',').collect();
    // Who plays on as the first player may fail as the second, or in the second game.
    let is_right = match row.verdict {
        "not started" => cells[8].is_empty(),
        "plays on" => ["0", "1"].contains(&cells[8]),
        _ => cells[8] == "2",
    };
    assert!(is_right, "{row:?}: {grade}");
    stdout
        .lines()
        .filter(is_note)
        .map(String::from)
        .chain(notes(&stderr))
        .collect()
}

/// What its author reads, without the game.
fn in_feedback(row: &Row, scene: &Scene) -> Vec<String> {
    let feedback = scene.text(&format!("feedback/{}.txt", row.name));
    let said = feedback
        .split_once("\nFaults\n")
        .map_or(&*feedback, |(_, rest)| rest);
    let is_of_game = |line: &str| line.starts_with("      ") || line.starts_with("Slowest moves");
    vec![joined(
        &said
            .lines()
            .take_while(|line| !is_of_game(line))
            .collect::<Vec<_>>()
            .join("\n"),
    )]
}

/// The faults on the page of the ladder, and who does not play.
fn on_the_page(row: &Row, scene: &Scene) -> Vec<String> {
    let page = scene.text("page.html");
    let (_, body) = page.split_once("<body").unwrap();
    let parts = body
        .split("class=\"fault-group\"")
        .skip(1)
        .map(|part| part.split("Games: ").next());
    let paragraphs = body
        .split("<p")
        .skip(1)
        .filter_map(|part| part.split("</p>").next());
    let absent = paragraphs.filter(|part| part.contains(&format!("{}: ", row.name)));
    let code = Regex::new("</?code>").unwrap();
    let inline = Regex::new("</?a[^>]*>").unwrap();
    let tags = Regex::new("^[^<]*?>|<[^>]*>").unwrap();
    let plain = |part: &str| {
        let text = code.replace_all(part, "`");
        joined(&tags.replace_all(&inline.replace_all(&text, ""), " "))
    };
    parts.flatten().chain(absent).map(plain).collect()
}

fn has_failed(check: &Value) -> bool {
    check["status"] == "failed"
}

/// Messages without what every run says.
fn notes(messages: &str) -> impl Iterator<Item = String> {
    // Whether a line is read before the next request is chance; `faults.rs` has what is said of it.
    let is_chance =
        |line: &str| line.contains("unexpected output from") || line.contains("referee was suspended for");
    let is_usual = |line: &&str| !is_chance(line) && !line.trim().is_empty();
    messages
        .lines()
        .filter(is_usual)
        .map(String::from)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Replaces what differs between two runs.
pub fn redacted(text: &str) -> String {
    const REPLACED: [(&str, &str); 7] = [
        // For answers that are late by about as much as these.
        (
            "; stop the search a little earlier, or let the match allow this with `timemargin=[0-9]+`",
            "",
        ),
        (
            "waited [0-9.]+ m?s for a processor, because other programs used them; without that, it ",
            "",
        ),
        // What a program did meanwhile depends on the machine. Unit tests have these sentences.
        (
            r"it (waited [0-9.]+ s of [0-9.]+ s for a processor, because other programs used them|was computing \([^)]*\)|used [0-9.]+ s of processor time in [0-9.]+ s|used no processor time, as a program does that waits for input, sleeps, or has not flushed its answer)(, and computed for [0-9.]+ s)?",
            "EFFORT",
        ),
        ("it has written nothing since `[a-z]+`: EFFORT", "EFFORT"),
        (
            r"\b[0-9]+(\.[0-9]+)?( ms| s| MB| processes| `info` lines| more answers| other lines| positions have)\b",
            "N$2",
        ),
        // A busy machine excuses a late answer, so that the next one loses.
        ("game 2, move [0-9]+", "game 2, move N"),
        (r#"/[^ `'"]*/\.tmp[^/]*/"#, ""),
    ];
    let text = text
        .replace("&#x27;", "'")
        .replace("&#39;", "'")
        .replace("&quot;", "\"");
    REPLACED.iter().fold(text, |text, (pattern, with)| {
        Regex::new(pattern)
            .unwrap()
            .replace_all(&text, *with)
            .into_owned()
    })
}

/// What is said of a bot: a line for each sentence, with the ways that say it. What the match says is `…` in the others.
fn said_of(row: &Row) -> String {
    let scene = scene(row);
    let mut detail = String::new();
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for (way, say) in WAYS {
        let sentences = match row.is_without(way) {
            Some(reason) => vec![format!("left out: {reason}")],
            None => say(row, &scene),
        };
        let sentences = match &*sentences {
            [] => vec!["nothing".into()],
            _ => sentences
                .iter()
                .map(|sentence| redacted(&sentence.replace(row.name, "BOT")))
                .collect(),
        };
        if way == "match" {
            let cause = ["handshake: ", ": "]
                .iter()
                .find_map(|end| sentences[0].split_once(end));
            detail = cause.map_or(String::new(), |(_, detail)| detail.into());
        }
        for sentence in sentences {
            let is_of_match = way != "match" && detail.len() > 20;
            let sentence = if is_of_match {
                sentence.replace(&detail, "…").replace("…. ….", "….")
            } else {
                sentence
            };
            match said.iter_mut().find(|(other, _)| *other == sentence) {
                Some((_, ways)) => ways.push(way),
                None => said.push((sentence, vec![way])),
            }
        }
    }
    let lines = said
        .iter()
        .map(|(sentence, ways)| format!("{}: {sentence}\n", ways.join(", ")));
    lines.collect()
}

/// Asks all the ways, again if the machine was so busy that this is what is said.
fn said_when_idle(row: &Row) -> String {
    // These say nothing else.
    let is_silent = "no-answer unflushed-bestmove hangs never-reads becomes-another spins forks-on forks-slowly eats-memory \
         lets-a-child-eat floods-stderr"
        .split(' ')
        .any(|name| name == row.name);
    let is_of_bot = |said: &String| is_silent || !said.contains("sent no move within N s; EFFORT");
    let mut attempts = (0..10).map(|_| said_of(row));
    attempts.find(is_of_bot).unwrap_or_else(|| said_of(row))
}

/// Asks all the ways about each bot of a group.
fn assert_said(name: &str) {
    for_all(&group(name), |row| {
        expect_file![format!("../zoo/said/{}.txt", row.name)].assert_eq(&said_when_idle(row));
    });
}

/// The bots of this kind that the program lists.
pub fn listed(kind: &str) -> Vec<String> {
    let list = run(&mut Command::new(zoo()), "").stdout;
    let fields = list.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let of_kind = fields.filter(|fields| fields[0] == kind);
    of_kind.map(|fields| fields[1].into()).collect()
}

#[test]
fn each_bot_has_a_row() {
    let mut rows: Vec<&str> = all().iter().map(|row| row.name).collect();
    rows.sort_unstable();
    let mut bots = listed("fault");
    bots.sort_unstable();
    assert_eq!(rows, bots);
    let said = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/zoo/said")).unwrap();
    let name = |file: &OsString| Some(file.to_str()?.strip_suffix(".txt")?.to_string());
    let mut said: Vec<String> = said
        .map(|file| name(&file.unwrap().file_name()).unwrap())
        .collect();
    said.sort_unstable();
    assert_eq!(said, bots, "no bot, no file");
}

#[test]
fn start() {
    assert_said("start");
}

#[test]
fn answers() {
    assert_said("answers");
}

#[test]
fn moves() {
    assert_said("moves");
}

#[test]
fn time() {
    assert_said("time");
}

#[test]
#[cfg(target_os = "linux")]
fn processes() {
    assert_said("processes");
}

#[test]
fn unseen() {
    assert_said("unseen");
}

/// Most of the sentences with numbers, so only the facts.
#[test]
#[cfg(target_os = "linux")]
fn exceeding_a_resource_limit_loses() {
    for_all(&limited(), |row| drop(play(row, &scene(row), "")));
}

#[test]
fn starttime_lets_a_slow_starter_play() {
    let scene = Scene::new();
    scene.program("zoo", zoo());
    let line = "match --games 1 --quiet --engine cmd=random --engine cmd=./zoo args=starts-slowly,";
    for (seconds, starttime, status) in [("20", "0.5", 3), ("0.6", "20", 0)] {
        let mut command =
            scene.command(&line.replace("args=starts-slowly,", &format!("starttime={starttime}")));
        command.arg(format!("args=starts-slowly {seconds}"));
        run(&mut command, "").exits(status);
    }
}

/// Plays every `step`th bot from `first` on at a level; the outcome is that without a sandbox.
#[cfg(target_os = "linux")]
fn play_sandboxed(step: usize, first: usize, level: &str) {
    if !crate::sandbox::offers(level) {
        return;
    }
    // Some exceed a limit that a sandbox has by default.
    let is_limited = |row: &Row| ["forks-on", "forks-slowly"].contains(&row.name);
    let rows: Vec<Row> = all().into_iter().filter(|row| !is_limited(row)).collect();
    let rows: Vec<Row> = rows.into_iter().skip(first).step_by(step).collect();
    for_all(&rows, |row| {
        drop(play(row, &scene(row), &format!("--sandbox={level}")));
    });
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "plays the whole zoo at both levels"]
fn sandbox_changes_no_outcome_of_any_bot() {
    for level in ["on", "strict"] {
        play_sandboxed(1, 0, level);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    #[cfg(target_os = "linux")]
    fn sandbox_changes_no_outcome() {
        play_sandboxed(4, 1, "on");
    }

    #[test]
    #[ignore = "long: .ci/run --long"]
    #[cfg(target_os = "linux")]
    fn strict_sandbox_changes_no_outcome() {
        play_sandboxed(4, 3, "strict");
    }
}
