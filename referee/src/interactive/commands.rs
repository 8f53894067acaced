//! The commands of the prompt.

use std::path::PathBuf;

use referee_core::io::files::typed_file;
use referee_core::io::text::closest;

use super::layout::Row;
use crate::view::drawing::OPEN_SIGN;

/// A command that a person can enter instead of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PromptCommand {
    Help,
    Rules,
    Board,
    /// Lists the legal moves.
    Moves,
    /// Lists the moves so far.
    List,
    Flip,
    Hint,
    Why,
    /// Takes back this many moves of a person.
    Undo(usize),
    Swap,
    /// Shows the level of the engine, or changes it to this one.
    Level(Option<String>),
    Save(PathBuf),
    /// Continues the game in this file, or the one with this number.
    Load(PathBuf, Option<u64>),
    New,
    Resign,
}

/// All commands in the order of the help: the word, its argument (none, optional in brackets, or
/// required), what it does, and whether it is also allowed in a match.
const COMMANDS: [(&str, &str, &str, bool); 15] = [
    ("rules", "", "explains the game", true),
    ("hint", "", "suggests a move", false),
    ("why", "", "shows the engine's score and line", false),
    (
        "undo",
        "[N]",
        "takes back your last move, or N moves, and the replies",
        false,
    ),
    (
        "moves",
        "",
        "lists all legal moves, and marks them on the board with ",
        true,
    ),
    ("list", "", "lists the moves so far", true),
    ("board", "", "shows the board again", true),
    ("flip", "", "turns the board upside down", true),
    ("swap", "", "swaps sides with the computer", false),
    (
        "level",
        "[LEVEL]",
        "shows how strong the computer is; with LEVEL, changes it",
        false,
    ),
    ("save", "FILE", "saves the game to a file", false),
    (
        "load",
        "FILE [N]",
        "continues the game in a file, or game N of it",
        false,
    ),
    ("new", "", "begins another game", false),
    ("resign", "", "resigns the game", true),
    ("help", "", "shows this list", true),
];

/// Splits `games.jsonl 4` into the file and the number of a game.
fn file_and_number(argument: &str) -> (&str, Option<u64>) {
    let split = argument.rsplit_once(char::is_whitespace);
    let numbered = split.and_then(|(file, number)| Some((file.trim_end(), Some(number.parse().ok()?))));
    numbered.unwrap_or((argument, None))
}

impl PromptCommand {
    /// Parses a line; `None` if it does not begin with a command.
    pub fn parse(line: &str) -> Option<Result<PromptCommand, String>> {
        let line = line.trim();
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = if word == "?" { "help" } else { word };
        let known = COMMANDS
            .iter()
            .find(|(known, ..)| known.eq_ignore_ascii_case(word));
        let (word, expected, ..) = *known?;
        Some(PromptCommand::build(word, expected, argument.trim()))
    }

    fn build(word: &str, expected: &str, argument: &str) -> Result<PromptCommand, String> {
        match (expected, argument) {
            ("", "") => {}
            ("", _) => return Err(format!("`{word}` takes no argument; found `{argument}`")),
            (_, "") if !expected.starts_with('[') => {
                return Err(format!("`{word}` needs an argument: `{word} {expected}`"));
            }
            _ => {}
        }
        Ok(match word {
            "rules" => PromptCommand::Rules,
            "hint" => PromptCommand::Hint,
            "why" => PromptCommand::Why,
            "undo" if argument.is_empty() => PromptCommand::Undo(1),
            "undo" => {
                let count = argument.parse().ok().filter(|&count| count > 0);
                let why = "`undo` takes a number of moves, such as `undo 3`";
                PromptCommand::Undo(count.ok_or_else(|| format!("{why}; found `{argument}`"))?)
            }
            "moves" => PromptCommand::Moves,
            "list" => PromptCommand::List,
            "board" => PromptCommand::Board,
            "flip" => PromptCommand::Flip,
            "swap" => PromptCommand::Swap,
            "level" => PromptCommand::Level((!argument.is_empty()).then(|| argument.to_string())),
            "save" => PromptCommand::Save(typed_file(argument)),
            "load" => {
                let (file, number) = file_and_number(argument);
                PromptCommand::Load(typed_file(file), number)
            }
            "new" => PromptCommand::New,
            "resign" => PromptCommand::Resign,
            _ => PromptCommand::Help,
        })
    }

    /// The words of all commands, or of those that are allowed in a match.
    pub fn names(in_match: bool) -> impl Iterator<Item = &'static str> {
        let commands = COMMANDS
            .iter()
            .filter(move |(.., in_matches)| *in_matches || !in_match);
        commands.map(|(word, ..)| *word)
    }

    /// The command that a mistyped line probably means.
    pub fn suggestion(line: &str, in_match: bool) -> Option<&'static str> {
        // Two letters are more likely a mistyped cell.
        let word = line.split_whitespace().next().filter(|word| word.len() > 2)?;
        closest(word, PromptCommand::names(in_match))
    }
}

/// The help: one row per command.
pub(super) fn help(in_match: bool) -> Vec<Row> {
    let commands = COMMANDS
        .iter()
        .filter(|(.., in_matches)| *in_matches || !in_match);
    let row = |(word, argument, help, _): &(&str, &str, &str, bool)| {
        let sign = if *word == "moves" {
            OPEN_SIGN.to_string()
        } else {
            String::new()
        };
        Row::new(format!("  {word} {argument}").trim_end(), format!("{help}{sign}"))
    };
    let quit = Row::new("  q", "quits, at any question");
    commands.map(row).chain([quit]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactive::layout::table;
    use sentences::expect;

    #[test]
    fn parses_every_command_in_any_letter_case() {
        use PromptCommand::{Help, Hint, Level, Load, Save, Undo};
        let parse = |line: &str| PromptCommand::parse(line).unwrap().unwrap();
        for (line, command) in [
            (" HINT ", Hint),
            ("?", Help),
            ("level", Level(None)),
            ("level groups 0.5", Level(Some("groups 0.5".into()))),
            ("Save  My game.txt", Save("My game.txt".into())),
            ("undo", Undo(1)),
            ("undo 3", Undo(3)),
            ("load 'my game'", Load("my game".into(), None)),
            ("load 'my games.jsonl'  4", Load("my games.jsonl".into(), Some(4))),
            ("load my games.jsonl  4", Load("my games.jsonl".into(), Some(4))),
            ("load 4", Load("4".into(), None)),
        ] {
            assert_eq!(parse(line), command, "{line}");
        }
        assert_eq!(PromptCommand::parse("a6"), None);
        assert_eq!(PromptCommand::parse(""), None);
        for (word, argument, ..) in &COMMANDS {
            let argument = if argument.is_empty() { "" } else { " 2" };
            let command = parse(&format!("{word}{argument}"));
            assert_eq!(command == PromptCommand::Help, *word == "help", "{word}");
        }
    }

    #[test]
    fn rejects_missing_and_unexpected_arguments() {
        let error = |line: &str| PromptCommand::parse(line).unwrap().unwrap_err();
        assert_eq!(error("hint 3"), "`hint` takes no argument; found `3`");
        for count in ["0", "x", "-1"] {
            let expected = format!("`undo` takes a number of moves, such as `undo 3`; found `{count}`");
            assert_eq!(error(&format!("undo {count}")), expected);
        }
        expect! {"`load` needs an argument: `load FILE [N]`"}.assert_eq(&error("load"));
    }

    #[test]
    fn suggests_the_nearest_command() {
        assert_eq!(PromptCommand::suggestion("hnit", false), Some("hint"));
        assert_eq!(PromptCommand::suggestion("hnit", true), None);
        for far in ["a9", "hello", "b66", "xyz", "lodestone"] {
            assert_eq!(PromptCommand::suggestion(far, false), None, "{far}");
        }
    }

    #[test]
    fn help_fits_terminals_of_40_and_80_columns() {
        let help = help(false);
        assert!(table(&help, 80).lines().count() < 22);
        assert!(help.iter().all(|row| !row.text.is_empty()));
        for width in [40, 60, 80] {
            let table = table(&help, width);
            assert!(table.lines().all(|line| line.chars().count() <= width), "{table}");
        }
    }
}
