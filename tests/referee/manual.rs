//! The help explains every option, and the manual agrees with the help and the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lodestone_game::Variant;
use referee::other_programs;
use referee_core::player::verdict::{FaultKind, OtherEnd};
use referee_core::settings::{SETTINGS, Setting};

use crate::support::{Scene, assert_has};

/// The chapter of the options of a match.
const MATCH: &str = "matches.md";

/// The chapter with a row for each command.
const COMMANDS: &str = "command-line.md";

/// The folder of the manual.
fn manual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn chapter(name: &str) -> String {
    fs::read_to_string(manual().join(name)).unwrap()
}

/// The names and texts of all chapters.
fn chapters() -> Vec<(String, String)> {
    let paths = fs::read_dir(manual()).unwrap().map(|file| file.unwrap().path());
    let chapters = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let names = chapters.filter_map(|path| path.file_name()?.to_str().map(str::to_string));
    names.map(|name| (name.clone(), chapter(&name))).collect()
}

/// What `referee` prints for `--help` of a command, or of all.
fn help(command: &str) -> String {
    Scene::new().referee(&format!("{command} --help")).stdout
}

/// The rows of the table with this heading.
fn table<'a>(chapter: &'a str, heading: &str) -> &'a str {
    let (_, table) = chapter.split_once(heading).unwrap();
    table.split("\n\n").next().unwrap()
}

/// The words in code style in the first column of all tables.
fn first_column(chapter: &str) -> impl Iterator<Item = &str> {
    let rows = chapter.lines().filter(|line| line.starts_with("| `"));
    // A `|` inside of code is escaped.
    let cells = rows.filter_map(|row| row[2..].split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2))
}

/// `name` of `--name VALUE`.
fn option_name(text: &str) -> Option<&str> {
    text.strip_prefix("--")?.split([' ', '=', ',', '[']).next()
}

/// The commands that `referee --help` lists.
fn commands() -> Vec<String> {
    let help = help("");
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let commands: Vec<String> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&command| command != "help")
        .map(str::to_string)
        .collect();
    assert!(commands.len() > 15, "{help}");
    commands
}

/// The options in a help, without dashes, each with the line that explains it.
fn options(help: &str) -> Vec<(&str, &str)> {
    let (help, _) = help.split_once("\nExamples:\n").unwrap();
    let lines: Vec<&str> = help.lines().collect();
    let pairs = lines.windows(2).filter_map(|pair| {
        let option = pair[0].strip_prefix("  ")?.trim_start();
        // Short options come first: `-h, --help`.
        let long = option.split_once(", ").map_or(
            option,
            |(short, long)| if short.len() == 2 { long } else { option },
        );
        Some((option_name(long)?, pair[1].trim_start()))
    });
    pairs.collect()
}

/// What the manual says of an option is only what its help does not say.
#[test]
fn help_explains_every_option() {
    for command in commands() {
        let help = help(&command);
        for (name, text) in options(&help) {
            let is_sentence = text.starts_with(char::is_uppercase) && text.contains(' ');
            assert!(is_sentence, "{command} --{name}: {text}");
        }
    }
}

/// Options of other programs in the tables of the manual.
const OF_OTHER_PROGRAMS: [&str; 1] = ["compliance"];

#[test]
fn tables_have_only_options_that_exist() {
    let helps: Vec<String> = commands().iter().map(|command| help(command)).collect();
    let known = helps.iter().flat_map(|help| options(help)).map(|(name, _)| name);
    let known: BTreeSet<&str> = known.chain(OF_OTHER_PROGRAMS).collect();
    let of_match = help("match");
    let of_match: BTreeSet<&str> = options(&of_match).into_iter().map(|(name, _)| name).collect();
    let mut count = 0;
    for (chapter, text) in chapters() {
        let known = if chapter == MATCH { &of_match } else { &known };
        for name in first_column(&text).filter_map(option_name) {
            assert!(known.contains(name), "{chapter}: --{name}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// A row of a setting has its name and value as in the help, and its default in the last cell.
#[test]
fn rows_of_settings_agree_with_the_help() {
    let chapter = chapter(MATCH);
    let heading = "| setting | meaning | default |\n";
    let rows = table(&chapter, heading).lines().skip(1).map(|row| {
        let cells = [row.split(" | ").next(), row.rsplit(" | ").next()];
        let row = cells.map(Option::unwrap_or_default).join(" | … | ");
        row.replace(r"\|", "|").replace('`', "")
    });
    let expected: Vec<String> = SETTINGS
        .iter()
        .map(|setting| {
            let default = setting.default_words().replace('`', "");
            format!("| {}={} | … | {default} |", setting.key, setting.value)
        })
        .collect();
    let rows: Vec<String> = rows.collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        assert!(
            expected.contains(&row),
            "{row}\nis none of\n{}",
            expected.join("\n")
        );
    }
    let protocol = self::chapter("protocol.md");
    for (key, before, after) in [
        ("timemargin", "`timemargin` (default ", " ms)"),
        ("starttime", "An engine has ", " seconds (`starttime`)"),
    ] {
        let default = Setting::find(key).unwrap().default_words();
        assert_has(&protocol, format!("{before}{default}{after}"));
    }
}

#[test]
fn manual_documents_every_reason() {
    let chapter = chapter("results.md");
    let documented: BTreeSet<&str> = first_column(table(&chapter, "| `reason` | meaning |\n")).collect();
    let by_rules = Variant::ALL.iter().flat_map(|variant| variant.info().end_reasons);
    let faults = FaultKind::ALL.map(|kind| kind.to_string());
    let expected: BTreeSet<&str> = by_rules
        .map(|reason| reason.0)
        .chain(faults.iter().map(String::as_str))
        .chain(OtherEnd::ALL.map(OtherEnd::word))
        .chain(["rules"])
        .collect();
    assert_eq!(documented, expected);
}

/// Forfeits are not a fault of their own: `results.md` describes them.
#[test]
fn manual_documents_every_fault() {
    let chapter = chapter("faults.md");
    let documented: Vec<&str> = first_column(table(&chapter, "| verdict | when |\n")).collect();
    let kinds = FaultKind::ALL
        .into_iter()
        .filter(|kind| *kind != FaultKind::Forfeit);
    assert_eq!(documented, kinds.map(|kind| kind.to_string()).collect::<Vec<_>>());
}

#[test]
fn every_command_has_a_row() {
    let chapter = chapter(COMMANDS);
    let documented: Vec<&str> = first_column(table(&chapter, "| command | chapter |\n"))
        .filter_map(|command| command.strip_prefix("referee ")?.split(' ').next())
        .collect();
    assert_eq!(documented, commands());
}

/// The options that the programs document, and the letters of the programs.
const LISTS: [&str; 3] = [
    include_str!("other_programs/fastchess.txt"),
    include_str!("other_programs/cutechess-cli.txt"),
    include_str!("other_programs/c-chess-cli.txt"),
];

#[test]
fn the_table_has_every_documented_option() {
    for (column, list) in LISTS.into_iter().enumerate() {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        let documented: BTreeSet<&str> = lines.collect();
        let listed = other_programs::options().filter(|option| option.programs[column]);
        let listed: BTreeSet<&str> = listed.map(|option| option.name).collect();
        assert!(documented.len() > 20, "{column}");
        assert_eq!(listed, documented, "{column}");
    }
    let names: BTreeSet<&str> = other_programs::options().map(|option| option.name).collect();
    assert_eq!(names.len(), other_programs::options().count(), "each once");
}

/// The chapter has the rows that need an explanation, several options in a row.
#[test]
fn the_chapter_agrees_with_the_table() {
    let chapter = chapter("other-programs.md");
    let rows: Vec<&str> = table(&chapter, "| there | here |\n").lines().skip(1).collect();
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows {
        let (_, here) = row.split_once(" | ").unwrap();
        let ours: Vec<&str> = here.split(['`', ' ']).filter_map(option_name).collect();
        for name in first_column(row) {
            let name = name.trim_start_matches('-');
            let option = other_programs::options().find(|option| option.name == name);
            let advice = option.unwrap_or_else(|| panic!("{name}")).advice;
            for option in &ours {
                assert!(
                    advice.contains(&format!("--{option}")),
                    "{name}: --{option}: {advice}"
                );
            }
        }
    }
}
