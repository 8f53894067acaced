//! The manual documents every option of the referee, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lodestone_game::Variant;
use referee::other_programs;
use referee_core::player::verdict::{FaultKind, OtherEnd};
use referee_core::settings::{SETTINGS, Setting};

use crate::support::{Scene, assert_has};

/// The chapter of the options of a match, which other commands share.
const MATCH: &str = "matches.md";

/// The chapter with a section for each other command.
const OTHERS: &str = "command-line.md";

/// The folder of the manual.
fn manual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn chapter(name: &str) -> String {
    fs::read_to_string(manual().join(name)).unwrap()
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
fn option_name(text: &str) -> Option<String> {
    let name = text.strip_prefix("--")?.split([' ', '=', ',', '[']).next()?;
    Some(name.to_string())
}

/// The names of the options of a subcommand, without dashes.
fn options(command: &str) -> BTreeSet<String> {
    let help = help(command);
    let words = help.lines().map(str::trim_start);
    // Short options come first: `-h, --help`.
    let long = words.map(|line| {
        line.split_once(", ")
            .map_or(line, |(short, long)| if short.len() == 2 { long } else { line })
    });
    // The lists of settings have a table of their own.
    long.filter_map(option_name)
        .filter(|name| !["help", "version", "engine", "each"].contains(&name.as_str()))
        .collect()
}

/// The options in the first column of all tables.
fn documented(text: &str) -> BTreeSet<String> {
    first_column(text)
        .filter_map(option_name)
        .filter(|name| name != "engine" && name != "each")
        .collect()
}

/// The sections of the other commands: the names of the commands, and the text.
fn sections(chapter: &str) -> impl Iterator<Item = (Vec<&str>, &str)> {
    let sections = chapter
        .split("\n## ")
        .filter_map(|section| section.split_once('\n'));
    sections.filter_map(|(title, text)| {
        let commands = title.split(", ").map(|word| word.strip_prefix("referee "));
        Some((commands.collect::<Option<Vec<&str>>>()?, text))
    })
}

#[test]
fn manual_documents_every_option() {
    let of_match = documented(&chapter(MATCH));
    assert_eq!(of_match, options("match"), "options in {MATCH}");
    let others = chapter(OTHERS);
    let (_, shared) = others
        .split_once("These options mean the same everywhere")
        .unwrap();
    let (shared, _) = shared.split_once("\n\n").unwrap();
    let shared: BTreeSet<String> = shared.split('`').filter_map(option_name).collect();
    assert!(shared.is_subset(&of_match), "{shared:?}");
    for (commands, text) in sections(&others) {
        let offered: BTreeSet<String> = commands.iter().flat_map(|command| options(command)).collect();
        let documented = documented(text);
        let unknown: Vec<&String> = documented.difference(&offered).collect();
        assert!(unknown.is_empty(), "{commands:?} do not have {unknown:?}");
        let missing = offered
            .iter()
            .filter(|&name| !documented.contains(name) && !of_match.contains(name));
        let missing: Vec<&String> = missing.collect();
        assert!(missing.is_empty(), "{OTHERS} lacks {missing:?} of {commands:?}");
    }
}

/// Each setting has a row, in the order of the help, with its default in the last cell.
#[test]
fn manual_documents_every_setting() {
    let chapter = chapter(MATCH);
    let heading = "| setting | meaning | default |
";
    let rows = table(&chapter, heading).lines().skip(1).map(|row| {
        let cells = [row.split(" | ").next(), row.rsplit(" | ").next()];
        let row = cells.map(Option::unwrap_or_default).join(" | … | ");
        row.replace(r"\|", "|").replace('`', "")
    });
    let expected = SETTINGS.iter().map(|setting| {
        let default = setting.default_words().replace('`', "");
        format!("| {}={} | … | {default} |", setting.key, setting.value)
    });
    let (rows, expected): (Vec<String>, Vec<String>) = (rows.collect(), expected.collect());
    let wrong = rows.iter().zip(&expected).find(|(row, expected)| row != expected);
    assert_eq!(wrong, None, "a row of docs/matches.md, and what it should be");
    assert_eq!(rows.len(), expected.len());
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
fn manual_mentions_every_command() {
    let help = help("");
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let commands: Vec<&str> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&command| command != "help")
        .collect();
    assert!(commands.len() > 15, "{help}");
    let files = fs::read_dir(manual()).unwrap().map(|file| file.unwrap().path());
    let chapters = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let texts: Vec<String> = chapters.map(|path| fs::read_to_string(path).unwrap()).collect();
    let others = chapter(OTHERS);
    for command in commands {
        let mention = format!("referee {command}");
        assert!(texts.iter().any(|text| text.contains(&mention)), "{command}");
        let has_table = command == "match" || sections(&others).any(|(known, _)| known.contains(&command));
        assert!(
            has_table || options(command).is_empty(),
            "no chapter has the options of {command}"
        );
    }
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
