//! The manual documents every option of the referee, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use lodestone::game::Variant;
use referee::config::other_programs::OPTIONS;
use referee::player::verdict::FaultKind;

/// The subcommands, each with the chapter that has a table of its options.
const CHAPTERS: [(&str, &str); 5] = [
    ("match", "matches.md"),
    ("play", "play.md"),
    ("report", "reports.md"),
    ("openings", "openings.md"),
    ("show", "results.md"),
];

fn chapter(name: &str) -> String {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    fs::read_to_string(manual.join(name)).unwrap()
}

/// What `referee` prints for `--help` after some words.
fn help(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_referee"))
        .args(words)
        .arg("--help")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The words in code style in the first column of all tables.
fn first_column(chapter: &str) -> impl Iterator<Item = &str> {
    let rows = chapter.lines().filter(|line| line.starts_with("| `"));
    // A `|` inside of code is escaped.
    let cells = rows.filter_map(|row| row[2..].split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2))
}

/// `name` of `--name VALUE`.
fn option_name(text: &str) -> Option<String> {
    let name = text.strip_prefix("--")?.split([' ', '=', ',']).next()?;
    Some(name.to_string())
}

#[test]
fn manual_documents_every_option() {
    for (command, file) in CHAPTERS {
        let help = help(&[command]);
        let words = help.lines().map(str::trim_start);
        // Short options come first: `-h, --help`.
        let long = words.map(|line| {
            line.split_once(", ")
                .map_or(line, |(short, long)| if short.len() == 2 { long } else { line })
        });
        // The example and the list of settings are not indented like options.
        let offered: BTreeSet<String> = long
            .filter(|line| line.starts_with("--"))
            .filter_map(option_name)
            .filter(|name| !["help", "version", "engine", "each"].contains(&name.as_str()))
            .collect();
        let chapter = chapter(file);
        let documented: BTreeSet<String> = first_column(&chapter)
            .filter_map(option_name)
            .filter(|name| name != "engine")
            .collect();
        assert!(offered.len() > 2, "{command}: {help}");
        assert_eq!(documented, offered, "options of {command}, in {file}");
    }
}

#[test]
fn manual_documents_every_setting() {
    let help = help(&["match"]);
    let (_, list) = help.split_once("\nSettings").expect("a list of settings");
    let key = |word: &str| {
        let (key, _) = word.split_once('=')?;
        let is_key = key.chars().all(|c| c.is_ascii_alphabetic() || c == '.');
        is_key.then(|| key.to_string())
    };
    let mut offered: BTreeSet<String> = list.split_whitespace().filter_map(key).collect();
    // The example of the help sets an option.
    offered.retain(|key| !key.starts_with("option.") || key == "option.NAME");
    let chapter = chapter("matches.md");
    let documented: BTreeSet<String> = first_column(&chapter).filter_map(key).collect();
    assert!(offered.len() > 10, "{help}");
    assert_eq!(documented, offered);
}

#[test]
fn manual_documents_every_reason() {
    let chapter = chapter("results.md");
    let (_, table) = chapter.split_once("| `reason` | meaning |\n").unwrap();
    let table = table.split("\n\n").next().unwrap();
    let documented: BTreeSet<&str> = first_column(table).collect();
    let by_rules = Variant::ALL.iter().flat_map(|variant| variant.info().end_reasons);
    let faults = FaultKind::ALL.map(|kind| kind.to_string());
    let expected: BTreeSet<&str> = by_rules
        .map(|reason| reason.0)
        .chain(faults.iter().map(String::as_str))
        .chain(["resign"])
        .collect();
    assert_eq!(documented, expected);
}

#[test]
fn manual_lists_the_options_of_other_programs() {
    let chapter = chapter("command-line.md");
    let (_, table) = chapter.split_once("| there | here |\n|---|---|\n").unwrap();
    let rows: Vec<&str> = table.lines().take_while(|line| !line.is_empty()).collect();
    let expected: Vec<String> = OPTIONS
        .iter()
        .map(|(other, ours)| format!("| `-{other}` | {} |", ours.replace('|', "\\|")))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn manual_mentions_every_command() {
    let help = help(&[]);
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let commands: Vec<&str> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&command| command != "help")
        .collect();
    assert!(commands.len() >= CHAPTERS.len(), "{help}");
    for command in commands {
        let mut chapters = CHAPTERS.iter().map(|(_, file)| *file).chain(["command-line.md"]);
        let found = chapters.any(|file| chapter(file).contains(&format!("referee {command}")));
        assert!(found, "{command}");
    }
}
