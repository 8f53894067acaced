//! The commands of the prompt.

use std::path::PathBuf;

use lodestone::game::Variant;

use PromptCommand::{
    Board, Flip, Help, Hint, Level, List, Load, Moves, New, Resign, Rules, Save, Scroll, Swap, Undo, Why,
};

use super::console::Row;
use crate::game::drawing::OPEN_SIGN;
use crate::io::files::typed_file;
use crate::io::suggest::closest;

/// A command that a person can enter instead of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptCommand {
    /// Lists the commands.
    Help,
    /// Explains the game.
    Rules,
    /// Shows the board.
    Board,
    /// Lists the legal moves.
    Moves,
    /// Lists the moves so far.
    List,
    /// Turns the board upside down.
    Flip,
    /// Redraws the board in place, or lets the screen scroll.
    Scroll,
    /// Asks the adviser for a move.
    Hint,
    /// Shows the scores and lines of the engines.
    Why,
    /// Takes back this many moves of a person.
    Undo(usize),
    /// Swaps sides with the engine.
    Swap,
    /// Shows the level of the engine, or changes it to this one.
    Level(Option<String>),
    /// Saves the game to this file.
    Save(PathBuf),
    /// Continues the game in this file, or the one with this number.
    Load(PathBuf, Option<u64>),
    /// Begins another game.
    New,
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
    build: fn(&str) -> Result<PromptCommand, String>,
}

/// The argument of a command, by its name in the help.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Optional(&'static str),
    Required(&'static str),
}

/// A command without an argument that is also allowed in a match.
const fn anywhere(
    word: &'static str,
    help: &'static str,
    build: fn(&str) -> Result<PromptCommand, String>,
) -> CommandSyntax {
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
    build: fn(&str) -> Result<PromptCommand, String>,
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
const COMMANDS: [CommandSyntax; 16] = [
    anywhere("rules", "explains the game", |_| Ok(Rules)),
    by_hand("hint", Argument::None, "suggests a move", |_| Ok(Hint)),
    by_hand("why", Argument::None, "shows the engine's score and line", |_| {
        Ok(Why)
    }),
    by_hand(
        "undo",
        Argument::Optional("N"),
        "takes back your last move, or N moves, and the replies",
        |count| Ok(Undo(moves_to_undo(count)?)),
    ),
    anywhere(
        "moves",
        "lists all legal moves, and marks them on the board with ",
        |_| Ok(Moves),
    ),
    anywhere("list", "lists the moves so far", |_| Ok(List)),
    anywhere("board", "shows the board again, as Ctrl-L does", |_| Ok(Board)),
    anywhere("flip", "turns the board upside down", |_| Ok(Flip)),
    anywhere(
        "scroll",
        "keeps earlier boards on the screen, or redraws one board",
        |_| Ok(Scroll),
    ),
    by_hand("swap", Argument::None, "swaps sides with the computer", |_| {
        Ok(Swap)
    }),
    by_hand(
        "level",
        Argument::Optional("LEVEL"),
        "shows how strong the computer is; with LEVEL, changes it",
        |level| Ok(Level((!level.is_empty()).then(|| level.to_string()))),
    ),
    by_hand(
        "save",
        Argument::Required("FILE"),
        "saves the game to a file",
        |file| Ok(Save(typed_file(file))),
    ),
    by_hand(
        "load",
        Argument::Required("FILE [N]"),
        "continues the game in a file, or game N of it",
        |argument| {
            let (file, number) = file_and_number(argument);
            Ok(Load(typed_file(file), number))
        },
    ),
    by_hand("new", Argument::None, "begins another game", |_| Ok(New)),
    anywhere("resign", "resigns the game", |_| Ok(Resign)),
    anywhere("help", "shows this list", |_| Ok(Help)),
];

/// Splits `games.jsonl 4` into the file and the number of a game.
fn file_and_number(argument: &str) -> (&str, Option<u64>) {
    let split = argument.rsplit_once(char::is_whitespace);
    let numbered = split.and_then(|(file, number)| Some((file.trim_end(), Some(number.parse().ok()?))));
    numbered.unwrap_or((argument, None))
}

/// The argument of `undo`; 1 if there is none.
fn moves_to_undo(count: &str) -> Result<usize, String> {
    if count.is_empty() {
        return Ok(1);
    }
    let number = count.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("`undo` takes a number of moves, such as `undo 3`; found `{count}`"))
}

impl PromptCommand {
    /// Parses a line; `None` if it does not begin with a command.
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
            _ => (syntax.build)(argument),
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
    pub fn suggestion(line: &str, in_match: bool) -> Option<&'static str> {
        // Two letters are more likely a mistyped cell.
        let word = line.split_whitespace().next().filter(|word| word.len() > 2)?;
        closest(word, PromptCommand::names(in_match))
    }
}

/// The help: one row per command.
pub fn help(in_match: bool) -> Vec<Row> {
    let commands = COMMANDS.iter().filter(|syntax| syntax.in_matches || !in_match);
    let row = |syntax: &CommandSyntax| {
        let word = syntax.word;
        let name = match syntax.argument {
            Argument::None => format!("  {word}"),
            Argument::Required(what) => format!("  {word} {what}"),
            Argument::Optional(what) => format!("  {word} [{what}]"),
        };
        if word == "moves" {
            return Row::new(name, format!("{}{OPEN_SIGN}", syntax.help));
        }
        Row::new(name, syntax.help)
    };
    let quit = Row::new("  q", "quits, at any question");
    commands.map(row).chain([quit]).collect()
}

/// The line above [`help`].
pub fn help_title(variant: Variant) -> String {
    let info = variant.info();
    format!("Type a move such as {}, or:", info.shown(info.sample_move))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactive::console::table;

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
        assert_eq!(PromptCommand::parse("a6"), None);
        assert_eq!(PromptCommand::parse(""), None);
        for syntax in &COMMANDS {
            let argument = if syntax.argument == Argument::None {
                ""
            } else {
                " 2"
            };
            parse(&format!("{}{argument}", syntax.word));
        }
        assert_eq!(parse("undo"), PromptCommand::Undo(1));
        assert_eq!(parse("undo 3"), PromptCommand::Undo(3));
        assert_eq!(
            parse("load 'my game'"),
            PromptCommand::Load("my game".into(), None)
        );
        assert_eq!(
            parse("load 'my games.jsonl'  4"),
            PromptCommand::Load("my games.jsonl".into(), Some(4))
        );
        assert_eq!(
            parse("load my games.jsonl  4"),
            PromptCommand::Load("my games.jsonl".into(), Some(4))
        );
        assert_eq!(parse("load 4"), PromptCommand::Load("4".into(), None));
    }

    #[test]
    fn rejects_missing_and_unexpected_arguments() {
        let error = |line: &str| PromptCommand::parse(line).unwrap().unwrap_err();
        assert_eq!(error("hint 3"), "`hint` takes no argument; found `3`");
        for count in ["0", "x", "-1"] {
            let expected = format!("`undo` takes a number of moves, such as `undo 3`; found `{count}`");
            assert_eq!(error(&format!("undo {count}")), expected);
        }
        assert_eq!(error("load"), "`load` needs an argument: `load FILE [N]`");
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
