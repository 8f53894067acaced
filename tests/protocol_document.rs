//! `protocol.md` says what the code does: the same words, options and players,
//! and examples that the real engine answers as printed.

mod client;

use lodestone::engine::Options;
use lodestone::game::Variant;
use lodestone::personality;
use lodestone::protocol::{Command, Limits, OptionKind};

const DOCUMENT: &str = include_str!("../protocol.md");

/// The text of the section with this title, up to the next one.
fn section(title: &str) -> &'static str {
    let begin = DOCUMENT
        .find(&format!("\n## {title}\n"))
        .unwrap_or_else(|| panic!("no section {title}"));
    let text = &DOCUMENT[begin + 4..];
    text.find("\n## ").map_or(text, |end| &text[..end])
}

/// The cells of all table rows of a text that begin with a word in code style.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect()
}

/// The words in code style of a text, each cut at its first space.
fn code_words(text: &str) -> Vec<&str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.split(' ').next())
        .collect()
}

#[test]
fn commands_and_limits_are_those_of_the_code() {
    let rows = rows(section("Commands"));
    let documented: Vec<&str> = rows.iter().flat_map(|row| code_words(row[0])).collect();
    let (_, list) = Command::WORDS.split_once('(').unwrap();
    let mut expected: Vec<&str> = list.trim_end_matches(')').split(", ").collect();
    // `go perft N` has a row of its own.
    expected.insert(expected.iter().position(|&word| word == "go").unwrap(), "go");
    expected.extend(Limits::WORDS);
    assert_eq!(documented, expected);
    // The code understands what it lists.
    for limit in Limits::WORDS {
        let command = match limit {
            "infinite" | "ponder" => format!("go {limit}"),
            "searchmoves" => format!("go {limit} a8"),
            _ => format!("go {limit} 1"),
        };
        let Ok(Command::Go(limits)) = Command::parse(&command) else {
            panic!("{command}")
        };
        assert!(limits.unknown.is_empty(), "{command}");
    }
}

#[test]
fn options_are_those_that_the_engine_announces() {
    let rows = rows(section("Options of lodestone"));
    let (options, players): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.len() == 4);
    let announced: Vec<_> = Options::announced().collect();
    assert_eq!(options.len(), announced.len());
    for (row, option) in options.iter().zip(announced) {
        assert_eq!(row[0], format!("`{}`", option.name));
        match option.kind {
            OptionKind::Spin { default, min, max } => {
                assert_eq!(row[1..3], ["spin", &default.to_string()]);
                assert!(row[3].starts_with(&format!("{min} to {max}")), "{row:?}");
            }
            OptionKind::Combo { default, .. } => assert_eq!(row[1..3], ["combo", &format!("`{default}`")]),
            OptionKind::Check { default } => assert_eq!(row[1..3], ["check", &format!("`{default}`")]),
            OptionKind::Button => assert_eq!(row[1..3], ["button", "–"]),
            OptionKind::String { .. } => panic!("{} is not documented", row[0]),
        }
    }
    let documented: Vec<&str> = players.iter().flat_map(|row| code_words(row[0])).collect();
    let mut expected = personality::all_names();
    expected.sort_by_key(|name| documented.iter().position(|word| word == name));
    assert_eq!(documented, expected);
    for row in players {
        let name = code_words(row[0])[0];
        let games: Vec<Variant> = Variant::ALL
            .iter()
            .copied()
            .filter(|variant| variant.personalities().contains(&name))
            .collect();
        let expected = match games[..] {
            [Variant::MagneticCave] => "Magnetic Cave",
            [Variant::Gridlock] => "Gridlock",
            _ => "both",
        };
        assert_eq!(row[1], expected, "{name}");
    }
}

#[test]
fn errors_read_as_printed() {
    let mut lines = section("Lines").lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        if let Some(command) = line.strip_prefix("> ") {
            let reply = lines.next().and_then(|line| line.strip_prefix("< ")).unwrap();
            assert_eq!(client::answers(format!("{command}\n")), [reply], "{command}");
            count += 1;
        }
    }
    assert_eq!(count, 3);
}

#[test]
fn boards_look_as_printed() {
    let board = |title: &str| {
        let text = section(title);
        let block = text.split("```\n").nth(1).unwrap();
        block.trim_end().to_string()
    };
    let cave = "position fen x6o/x6o/xx4oo/8/8/8/8/8 x\nd\n";
    let shown = client::answers(cave).join("\n");
    assert_eq!(
        shown,
        format!("{}\nFen: x6o/x6o/xx4oo/8/8/8/8/8 x", board("Magnetic Cave"))
    );
    let shown = client::answers("setoption name UCI_Variant value gridlock\nd\n").join("\n");
    assert!(
        shown.starts_with(&format!("{}\nFen: ", board("Gridlock"))),
        "{shown}"
    );
}
