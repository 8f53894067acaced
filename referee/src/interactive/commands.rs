//! The commands of the prompt.

use std::fmt::Write as _;
use std::path::PathBuf;

use lodestone::game::Variant;

use PromptCommand::{Board, Flip, Help, Hint, Level, Load, Moves, Resign, Save, Swap, Undo, Why};

use crate::display::OPEN_SIGN;
use crate::io::suggest::closest;

/// A command that a person can enter instead of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptCommand {
    /// Lists the commands.
    Help,
    /// Shows the board.
    Board,
    /// Lists the legal moves.
    Moves,
    /// Turns the board upside down.
    Flip,
    /// Asks the adviser for a move.
    Hint,
    /// Shows the scores and lines of the engines.
    Why,
    /// Takes back the last move of a person.
    Undo,
    /// Swaps sides with the engine.
    Swap,
    /// Shows the level of the engine, or changes it to this one.
    Level(Option<String>),
    /// Saves the game to this file.
    Save(PathBuf),
    /// Continues the game in this file, or the one with this number.
    Load(PathBuf, Option<u64>),
    /// Resigns the game.
    Resign,
}

/// The syntax and help of one command.
struct CommandSyntax {
    word: &'static str,
    argument: Argument,
    help: &'static str,
    /// Whether it is also allowed in a match.
    in_matches: bool,
    build: fn(&str) -> PromptCommand,
}

/// The argument of a command, by its name in the help.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Optional(&'static str),
    Required(&'static str),
}

/// A command without an argument that is also allowed in a match.
const fn anywhere(word: &'static str, help: &'static str, build: fn(&str) -> PromptCommand) -> CommandSyntax {
    CommandSyntax {
        in_matches: true,
        ..by_hand(word, Argument::None, help, build)
    }
}

/// A command of games by hand.
const fn by_hand(
    word: &'static str,
    argument: Argument,
    help: &'static str,
    build: fn(&str) -> PromptCommand,
) -> CommandSyntax {
    CommandSyntax {
        word,
        argument,
        help,
        in_matches: false,
        build,
    }
}

/// All commands in the order of the help.
const COMMANDS: [CommandSyntax; 12] = [
    by_hand("hint", Argument::None, "suggests a move", |_| Hint),
    by_hand("why", Argument::None, "shows the engine's score and line", |_| {
        Why
    }),
    by_hand(
        "undo",
        Argument::None,
        "takes back your last move and the reply to it",
        |_| Undo,
    ),
    anywhere(
        "moves",
        "lists all legal moves, and marks them on the board with ",
        |_| Moves,
    ),
    anywhere("board", "shows the board again", |_| Board),
    anywhere("flip", "turns the board upside down", |_| Flip),
    by_hand("swap", Argument::None, "swaps sides with the computer", |_| Swap),
    by_hand(
        "level",
        Argument::Optional("LEVEL"),
        "shows how strong the computer is; with LEVEL, changes it",
        |level| Level((!level.is_empty()).then(|| level.to_string())),
    ),
    by_hand(
        "save",
        Argument::Required("FILE"),
        "saves the game to a file",
        |file| Save(file.into()),
    ),
    by_hand(
        "load",
        Argument::Required("FILE [N]"),
        "continues the game in a file, or game N of it",
        |argument| {
            let (file, number) = file_and_number(argument);
            Load(file.into(), number)
        },
    ),
    anywhere("resign", "resigns the game", |_| Resign),
    anywhere("help", "shows this list", |_| Help),
];

/// Splits `games.jsonl 4` into the file and the number of a game.
fn file_and_number(argument: &str) -> (&str, Option<u64>) {
    let split = argument.rsplit_once(char::is_whitespace);
    let numbered = split.and_then(|(file, number)| Some((file.trim_end(), Some(number.parse().ok()?))));
    numbered.unwrap_or((argument, None))
}

impl PromptCommand {
    /// Parses a line; `None` if it does not begin with a command.
    ///
    /// # Errors
    /// If the argument is missing, or the command takes none.
    pub fn parse(line: &str) -> Option<Result<PromptCommand, String>> {
        let line = line.trim();
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = if word == "?" { "help" } else { word };
        let syntax = COMMANDS
            .iter()
            .find(|syntax| syntax.word.eq_ignore_ascii_case(word))?;
        let argument = argument.trim();
        Some(match syntax.argument {
            Argument::None if !argument.is_empty() => {
                Err(format!("`{}` takes no argument; found `{argument}`", syntax.word))
            }
            Argument::Required(what) if argument.is_empty() => Err(format!(
                "`{word}` needs an argument: `{word} {what}`",
                word = syntax.word
            )),
            _ => Ok((syntax.build)(argument)),
        })
    }

    /// The words of all commands, or of those that are allowed in a match.
    pub fn names(in_match: bool) -> impl Iterator<Item = &'static str> {
        let commands = COMMANDS
            .iter()
            .filter(move |syntax| syntax.in_matches || !in_match);
        commands.map(|syntax| syntax.word)
    }

    /// The command that a mistyped line probably means.
    #[must_use]
    pub fn suggestion(line: &str, in_match: bool) -> Option<&'static str> {
        // Two letters are more likely a mistyped cell.
        let word = line.split_whitespace().next().filter(|word| word.len() > 2)?;
        closest(word, PromptCommand::names(in_match))
    }
}

/// The help: one line per command.
#[must_use]
pub fn help(variant: Variant, in_match: bool) -> String {
    let info = variant.info();
    let mut lines = format!("Type a move such as {}, or:", info.shown(info.sample_move));
    for syntax in COMMANDS.iter().filter(|syntax| syntax.in_matches || !in_match) {
        let command = match syntax.argument {
            Argument::None => syntax.word.to_string(),
            Argument::Required(what) => format!("{} {what}", syntax.word),
            Argument::Optional(what) => format!("{} [{what}]", syntax.word),
        };
        let mark = if syntax.word == "moves" {
            OPEN_SIGN.to_string()
        } else {
            String::new()
        };
        let _ = write!(lines, "\n  {command:<15}{}{mark}", syntax.help);
    }
    lines + "\n  q              quits, at any question"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_command_in_any_letter_case() {
        let parse = |line: &str| PromptCommand::parse(line).unwrap().unwrap();
        assert_eq!(parse(" HINT "), PromptCommand::Hint);
        assert_eq!(parse("?"), PromptCommand::Help);
        assert_eq!(parse("level"), PromptCommand::Level(None));
        assert_eq!(
            parse("level groups 0.5"),
            PromptCommand::Level(Some("groups 0.5".into()))
        );
        assert_eq!(
            parse("Save  My game.txt"),
            PromptCommand::Save("My game.txt".into())
        );
        assert_eq!(
            parse("load my games.jsonl  4"),
            PromptCommand::Load("my games.jsonl".into(), Some(4))
        );
        assert_eq!(parse("load 4"), PromptCommand::Load("4".into(), None));
        assert_eq!(PromptCommand::parse("a6"), None);
        assert_eq!(PromptCommand::parse(""), None);
        for syntax in &COMMANDS {
            let argument = if syntax.argument == Argument::None {
                ""
            } else {
                " x"
            };
            parse(&format!("{}{argument}", syntax.word));
        }
    }

    #[test]
    fn rejects_missing_and_unexpected_arguments() {
        let error = |line: &str| PromptCommand::parse(line).unwrap().unwrap_err();
        assert_eq!(error("undo 3"), "`undo` takes no argument; found `3`");
        assert_eq!(error("load"), "`load` needs an argument: `load FILE [N]`");
    }

    #[test]
    fn suggests_the_nearest_command() {
        assert_eq!(PromptCommand::suggestion("hnit", false), Some("hint"));
        assert_eq!(PromptCommand::suggestion("hnit", true), None);
        assert_eq!(PromptCommand::suggestion("a9", false), None);
    }

    #[test]
    fn help_fits_a_terminal_of_80_columns() {
        for variant in Variant::ALL {
            let help = help(*variant, false);
            assert!(help.lines().count() < 24);
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        }
    }
}
