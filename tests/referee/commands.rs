//! Every command of the README and the manual, run as it stands there.
//!
//! The first word behind the three backticks says what a block is:
//!
//! * `sh`: commands, run in the order of the chapter. Each ends with status 0.
//! * `console`: commands behind `$ `, and what they print. Times and sizes are not compared; `…` stands
//!   for any text, and a line of its own for any lines.
//! * Everything else is not run.
//!
//! A second word `long` leaves a block to the long checks, `elsewhere` to another check. As a reader
//! does, all chapters run one after the other in one folder with a copy of `examples/`, in the order of
//! the table of contents, and with the programs on the path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use regex_lite::Regex;
use tempfile::TempDir;

/// Chapters with blocks that these tests cannot run, and the check that runs them.
const ELSEWHERE: [(&str, &str); 17] = [
    ("CONTRIBUTING.md", "cargo's own commands"),
    (
        "README.md",
        "the commands for a checkout are those of `.ci/run`; installing: tests/packages",
    ),
    ("RELEASING.md", "a release"),
    ("adapt.md", "tests/referee/adapt_rules.rs: Connect Four in C"),
    (
        "any-program.md",
        "the tests `bridges`: engines of other protocols",
    ),
    ("browser.md", ".ci/run --long: the engine in WebAssembly"),
    ("chess.md", "tests/rules_programs/engines.sh"),
    ("cluster.md", "tests/cluster/check.sh"),
    ("install.md", "tests/packages/check.sh"),
    ("ladder.md", "tests/cluster/check.sh"),
    ("matches.md", "a person plays: tests/referee/by_hand.rs"),
    (
        "other-programs.md",
        "tests/referee/config.rs: files of cutechess and fastchess",
    ),
    ("reports.md", "tests/page: the engine in the page"),
    ("rules.md", "tests/referee/new_bot.rs: rules in Rust"),
    (
        "sandbox.md",
        "a group that systemd delegates: on a machine with systemd",
    ),
    ("serve.md", "serve/tests, tests/serve"),
    ("windows.md", "tests/every_system under Wine"),
];

/// The message of a kernel without a part of the sandbox, which is no fault of the manual.
const NO_SANDBOX: &str = "the sandbox needs";

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    Long,
    Elsewhere,
}

/// A command, and what it prints if the chapter says so.
struct Step {
    line: usize,
    when: When,
    command: String,
    prints: Option<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The documents with commands, in the order in which they are read. `CHAPTER=your-course.md,grading.md`
/// selects some.
fn documents() -> Vec<PathBuf> {
    let contents = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let chapters = contents.lines().filter_map(|line| {
        let (_, link) = line.split_once("](")?;
        Some(format!("docs/{}", link.strip_suffix(')')?))
    });
    let mut documents = vec!["README.md".to_string()];
    documents.extend(chapters);
    documents.extend(["CONTRIBUTING.md", "RELEASING.md"].map(String::from));
    if let Ok(selected) = std::env::var("CHAPTER") {
        documents.retain(|path| selected.split(',').any(|name| Path::new(path).ends_with(name)));
    }
    documents.into_iter().map(|path| root().join(path)).collect()
}

/// The lines of a session: each command with what stands below it.
fn session(text: &str, line: usize) -> Vec<(usize, String, Option<String>)> {
    let mut steps: Vec<(usize, String, Option<String>)> = Vec::new();
    let mut continues = false;
    for (place, text) in text.lines().enumerate() {
        let command = text.strip_prefix("$ ").filter(|_| !continues);
        if let Some(command) = command {
            steps.push((line + place, format!("{command}\n"), Some(String::new())));
        } else if let Some((_, command, prints)) = steps.last_mut() {
            let text_so_far = if continues {
                command
            } else {
                prints.as_mut().unwrap()
            };
            text_so_far.push_str(text);
            text_so_far.push('\n');
        }
        continues = (command.is_some() || continues) && text.ends_with('\\');
    }
    steps
}

fn steps(document: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let words: Vec<&str> = info.split_whitespace().collect();
        let block: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| !line.starts_with("```"))
            .collect();
        let text = block.join("\n") + "\n";
        let when = match words.get(1) {
            None => When::Always,
            Some(&"long") => When::Long,
            Some(&"elsewhere") => When::Elsewhere,
            Some(word) => panic!("line {}: `{word}` is neither `long` nor `elsewhere`", number + 1),
        };
        let commands = match words.first() {
            Some(&"sh") => vec![(number + 2, text, None)],
            Some(&"console") => session(&text, number + 2),
            _ => Vec::new(),
        };
        steps.extend(commands.into_iter().map(|(line, command, prints)| Step {
            line,
            when,
            command,
            prints,
        }));
    }
    steps
}

/// A reader follows all chapters in one folder: a result file or a table of one must not stand in the way of another.
#[test]
fn no_chapter_writes_a_file_of_another() {
    let outputs = Regex::new(r"(?:--out|--csv|--pgn|>)[ =]([\w.-]+\.(?:jsonl|csv|pgn|txt|toml))").unwrap();
    let mut writers: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for step in steps(&text) {
            for found in outputs.captures_iter(&step.command) {
                writers
                    .entry(found[1].to_string())
                    .or_default()
                    .insert(path.clone());
            }
        }
    }
    assert!(writers.len() > 20, "{writers:?}");
    writers.retain(|_, chapters| chapters.len() > 1);
    assert!(writers.is_empty(), "{writers:?}");
}

/// A text without times, sizes and the width of columns.
fn timeless(text: &str) -> String {
    static TIMES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b\d[\d.,:]*\s?(ms|µs|s|min|h|seconds?|minutes?|MB|kB|GB|MiB)\b").unwrap()
    });
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        TIMES.replace_all(&words.join(" "), "TIME").into_owned()
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

/// Whether a command printed what the chapter shows.
fn is_shown(shown: &str, printed: &str) -> bool {
    let lines = timeless(shown);
    let lines = lines.lines().map(|line| match line {
        "…" => r"(?:.*\n)*?".to_string(),
        line => format!("{}\n", regex_lite::escape(line).replace('…', ".*")),
    });
    let pattern = format!("^{}$", lines.collect::<String>());
    let printed = timeless(printed);
    // A command prints its progress only on a machine that is slow.
    let printed = printed.lines().filter(|line| !line.starts_with("TIME: "));
    let printed = printed.map(|line| format!("{line}\n"));
    Regex::new(&pattern)
        .unwrap()
        .is_match(&printed.collect::<String>())
}

/// Runs a command in the folder; says what is wrong.
fn run(step: &Step, folder: &Path) -> Result<(), String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let script = match step.prints {
        // What stands on the terminal, in its order.
        Some(_) => format!("exec 2>&1\n{}", step.command),
        None => step.command.clone(),
    };
    let output = Command::new("/bin/sh")
        .args(["-e", "-c", &script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join(".programs").display()))
        .env("LC_ALL", "C.UTF-8")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // As if the wheel were installed.
        .env("PYTHONPATH", root().join("python"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && format!("{printed}{errors}").contains(NO_SANDBOX) {
        println!("SKIPPED: {}", step.command.trim());
        return Ok(());
    }
    match &step.prints {
        Some(shown) if is_shown(shown, &printed) => Ok(()),
        Some(_) => Err(format!("printed:\n{printed}")),
        None if output.status.success() => Ok(()),
        None => Err(format!("{}:\n{printed}{errors}", output.status)),
    }
}

/// A folder as a reader has it: the examples, and the programs on the path.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let copied = Command::new("cp")
        // The module for Python is a link there.
        .arg("-RL")
        .arg(root().join("examples"))
        .arg(folder.path())
        .status();
    assert!(copied.unwrap().success());
    let programs = folder.path().join(".programs");
    fs::create_dir(&programs).unwrap();
    let referee = Path::new(env!("CARGO_BIN_EXE_referee"));
    // `cargo test` builds the programs of packages with tests from outside, under these names.
    for (name, built) in [
        ("referee", "referee"),
        ("lodestone", "lodestone-under-test"),
        ("lodestone-solver", "lodestone-solver-under-test"),
    ] {
        let program = referee.with_file_name(built);
        assert!(
            program.is_file(),
            "`cargo build --workspace` makes {}",
            program.display()
        );
        std::os::unix::fs::symlink(program, programs.join(name)).unwrap();
    }
    folder
}

/// Runs the commands of one document up to the first that fails.
fn run_document(document: &Path, folder: &Path, with_long: bool) -> Result<usize, String> {
    let name = document.file_name().unwrap().to_string_lossy();
    let steps = steps(&fs::read_to_string(document).unwrap());
    let is_due = |step: &&Step| step.when == When::Always || step.when == When::Long && with_long;
    let begin = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut count = 0;
    for step in steps.iter().filter(is_due) {
        let begin = Instant::now();
        run(step, folder).map_err(|error| format!("{name}:{}:\n{}{error}", step.line, step.command))?;
        slowest = slowest.max(begin.elapsed());
        count += 1;
    }
    println!(
        "{name}: {count} in {:.1?}, the slowest {slowest:.1?}",
        begin.elapsed()
    );
    Ok(count)
}

fn run_all(with_long: bool) {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("SKIPPED: the sample's bots need python3");
        return;
    }
    let folder = folder();
    let results: Vec<Result<usize, String>> = documents()
        .iter()
        .map(|document| run_document(document, folder.path(), with_long))
        .collect();
    let errors: Vec<String> = results.iter().filter_map(|result| result.clone().err()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    let count: usize = results.into_iter().flatten().sum();
    println!("{count} blocks and commands");
}

#[test]
#[ignore = "minutes: with the blocks that are marked as long"]
fn every_long_command_works_as_written() {
    run_all(true);
}

#[test]
fn every_block_that_is_not_run_here_has_another_check() {
    let mut found = BTreeSet::new();
    for document in documents() {
        let steps = steps(&fs::read_to_string(&document).unwrap());
        if steps.iter().any(|step| step.when == When::Elsewhere) {
            found.insert(document.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    let known: Vec<&str> = ELSEWHERE.iter().map(|(name, _)| *name).collect();
    if std::env::var("CHAPTER").is_err() {
        assert_eq!(found.iter().collect::<Vec<_>>(), known);
    }
}

#[test]
fn compares_all_but_times() {
    let printed = "Game 1 of 2: ada beats ben\nTook  1.25 s, 3 MB\nlast line";
    assert!(is_shown(
        "Game 1 of 2: ada beats ben\nTook 9 s, 40 MB\nlast line\n",
        printed
    ));
    assert!(is_shown("Game 1 of …: ada beats ben\n…\nlast line", printed));
    assert!(is_shown("…\nlast line", printed));
    assert!(is_shown("", ""));
    assert!(!is_shown("", printed));
    assert!(!is_shown("Game 1 of 2: ben beats ada\n…", printed));
    assert!(!is_shown("Game 1 of 2: ada beats ben\nlast line", printed));
    assert!(!is_shown("…\nlast", printed));
    let steps = session("$ one \\\n  two\nthree\n$ four\n", 7);
    assert_eq!(
        steps,
        [
            (7, "one \\\n  two\n".into(), Some("three\n".into())),
            (10, "four\n".into(), Some(String::new())),
        ]
    );
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn every_command_works_as_written() {
        run_all(false);
    }
}
