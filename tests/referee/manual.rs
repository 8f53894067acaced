//! The manual documents every option of the referee, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use lodestone::game::Variant;
use referee::other_programs;
use referee_core::player::verdict::{ADJUDICATED, FaultKind};
use referee_core::settings::SETTINGS;

use crate::support::{Scene, assert_has};

/// The subcommands, each with the chapter that has a table of its options.
const CHAPTERS: [(&str, &str); 16] = [
    ("match", "matches.md"),
    ("ladder", "ladder.md"),
    ("tune", "testing.md"),
    ("play", "play.md"),
    ("serve", "serve.md"),
    ("report", "reports.md"),
    ("openings", "openings.md"),
    ("show", "showing-games.md"),
    ("analyze", "analysis.md"),
    ("check", "check.md"),
    ("grade", "your-course.md"),
    ("collect", "your-course.md"),
    ("rules", "rules.md"),
    ("verify", "rules.md"),
    ("adapt", "adapt.md"),
    ("new-bot", "your-game.md"),
];

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

#[test]
fn manual_documents_every_option() {
    let mut offered: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (command, file) in CHAPTERS {
        let options = options(command);
        assert!(!options.is_empty(), "{command}");
        offered.entry(file).or_default().extend(options);
    }
    for (file, offered) in offered {
        let chapter = chapter(file);
        let documented: BTreeSet<String> = first_column(&chapter)
            .filter_map(option_name)
            .filter(|name| name != "engine" && name != "each")
            .collect();
        assert_eq!(documented, offered, "options in {file}");
    }
}

/// Each setting has a row, in the order of the help, with its default in the last cell.
#[test]
fn manual_documents_every_setting() {
    let chapter = chapter("matches.md");
    let rows = table(&chapter, "| setting | meaning | default |\n")
        .lines()
        .skip(1);
    let documented = rows.map(|row| {
        let cells = [row.split(" | ").next(), row.rsplit(" | ").next()];
        let row = cells.map(Option::unwrap_or_default).join(" | … | ");
        row.replace("\\|", "|").replace('`', "")
    });
    let expected = SETTINGS.iter().map(|setting| {
        let default = setting.default_words();
        format!(
            "| {}={} | … | {} |",
            setting.key,
            setting.value,
            default.replace('`', "")
        )
    });
    assert_eq!(documented.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let default = |key| {
        SETTINGS
            .iter()
            .find(|setting| setting.key == key)
            .unwrap()
            .default_words()
    };
    let protocol = self::chapter("protocol.md");
    assert_has(
        &protocol,
        &format!("`timemargin` (default {} ms)", default("timemargin")),
    );
    assert_has(
        &protocol,
        &format!("An engine has {} seconds (`starttime`)", default("starttime")),
    );
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
        .chain(["resign", ADJUDICATED, "rules", "limit", "repetition"])
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
    assert!(commands.len() >= CHAPTERS.len(), "{help}");
    let files = fs::read_dir(manual()).unwrap().map(|file| file.unwrap().path());
    let chapters = files.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let texts: Vec<String> = chapters.map(|path| fs::read_to_string(path).unwrap()).collect();
    for command in commands {
        let mention = format!("referee {command}");
        assert!(texts.iter().any(|text| text.contains(&mention)), "{command}");
        let has_table = CHAPTERS.iter().any(|(known, _)| *known == command);
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
