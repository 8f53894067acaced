//! What can be said at the board beside a move.

use std::fmt::Write as _;
use std::path::PathBuf;

use lodestone::game::Variant;

use crate::display::OPEN_SIGN;
use crate::io::nearest::nearest;

/// Something said at the board that is no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptCommand {
    /// Which commands are there?
    Help,
    /// The board once more.
    Board,
    /// Which moves are there?
    Moves,
    /// The board the other way up.
    Flip,
    /// Which move would the engine play?
    Hint,
    /// What does the engine expect?
    Why,
    /// Take the last own move back.
    Undo,
    /// Change sides with the engine.
    Swap,
    /// How strong is the engine, or so strong it is to be.
    Level(Option<String>),
    /// Write the game to this file.
    Save(PathBuf),
    /// Go on with the game in this file.
    Load(PathBuf),
    /// Give the game up.
    Resign,
}

/// One command.
struct CommandSyntax {
    word: &'static str,
    /// What stands behind it.
    argument: Argument,
    about: &'static str,
    /// Whether it is fair in a match, too.
    in_matches: bool,
    build: fn(&str) -> PromptCommand,
}

/// What stands behind a command's word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Optional(&'static str),
    Required(&'static str),
}

const fn syntax(word: &'static str, about: &'static str, build: fn(&str) -> PromptCommand) -> CommandSyntax {
    CommandSyntax {
        word,
        argument: Argument::None,
        about,
        in_matches: false,
        build,
    }
}

/// Every command in the order of the help.
const COMMANDS: [CommandSyntax; 12] = [
    syntax("hint", "a move that the engine would play", |_| {
        PromptCommand::Hint
    }),
    syntax(
        "why",
        "what the engine expects: score, line, proven or not",
        |_| PromptCommand::Why,
    ),
    syntax("undo", "takes your last move back, and the reply to it", |_| {
        PromptCommand::Undo
    }),
    CommandSyntax {
        in_matches: true,
        ..syntax("moves", "every move there is, marked on the board with ", |_| {
            PromptCommand::Moves
        })
    },
    CommandSyntax {
        in_matches: true,
        ..syntax("board", "the board once more", |_| PromptCommand::Board)
    },
    CommandSyntax {
        in_matches: true,
        ..syntax("flip", "turns the board upside down, and back", |_| {
            PromptCommand::Flip
        })
    },
    syntax("swap", "you and the computer change sides", |_| {
        PromptCommand::Swap
    }),
    CommandSyntax {
        argument: Argument::Optional("LEVEL"),
        ..syntax(
            "level",
            "how strong the computer is; with LEVEL, changes it",
            |level| PromptCommand::Level((!level.is_empty()).then(|| level.to_string())),
        )
    },
    CommandSyntax {
        argument: Argument::Required("FILE"),
        ..syntax("save", "writes the game to a file", |file| {
            PromptCommand::Save(file.into())
        })
    },
    CommandSyntax {
        argument: Argument::Required("FILE"),
        ..syntax("load", "goes on with the game in a file", |file| {
            PromptCommand::Load(file.into())
        })
    },
    CommandSyntax {
        in_matches: true,
        ..syntax("resign", "gives the game up", |_| PromptCommand::Resign)
    },
    CommandSyntax {
        in_matches: true,
        ..syntax("help", "this list", |_| PromptCommand::Help)
    },
];

impl PromptCommand {
    /// What a line says; `None` where it does not begin with a command.
    ///
    /// # Errors
    /// Where something is missing behind the command, or too much.
    pub fn parse(line: &str) -> Option<Result<PromptCommand, String>> {
        let line = line.trim();
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = if word == "?" { "help" } else { word };
        let syntax = COMMANDS
            .iter()
            .find(|syntax| syntax.word.eq_ignore_ascii_case(word))?;
        let argument = argument.trim();
        Some(match syntax.argument {
            Argument::None if !argument.is_empty() => Err(format!(
                "nothing is expected behind `{}`, found `{argument}`",
                syntax.word
            )),
            Argument::Required(what) if argument.is_empty() => Err(format!(
                "`{word}` needs a {what} behind it: `{word} {what}`",
                word = syntax.word
            )),
            _ => Ok((syntax.build)(argument)),
        })
    }

    /// The word of every command, in a match or elsewhere.
    pub fn names(in_match: bool) -> impl Iterator<Item = &'static str> {
        let commands = COMMANDS
            .iter()
            .filter(move |syntax| syntax.in_matches || !in_match);
        commands.map(|syntax| syntax.word)
    }

    /// The command that a line which is no move may have meant.
    #[must_use]
    pub fn suggestion(line: &str, in_match: bool) -> Option<&'static str> {
        // Two letters are rather a slip of a cell than of a command.
        let word = line.split_whitespace().next().filter(|word| word.len() > 2)?;
        nearest(word, PromptCommand::names(in_match))
    }
}

/// All commands, a line each.
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
        let _ = write!(lines, "\n  {command:<15}{}{mark}", syntax.about);
    }
    lines + "\n  q              leaves, at every question"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_understood_in_any_case() {
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
                " x"
            };
            parse(&format!("{}{argument}", syntax.word));
        }
    }

    #[test]
    fn too_much_and_too_little_are_refused() {
        let error = |line: &str| PromptCommand::parse(line).unwrap().unwrap_err();
        assert_eq!(error("undo 3"), "nothing is expected behind `undo`, found `3`");
        assert_eq!(error("load"), "`load` needs a FILE behind it: `load FILE`");
    }

    #[test]
    fn a_slip_is_recognised() {
        assert_eq!(PromptCommand::suggestion("hnit", false), Some("hint"));
        assert_eq!(PromptCommand::suggestion("hnit", true), None);
        assert_eq!(PromptCommand::suggestion("a9", false), None);
    }

    #[test]
    fn the_help_fits_a_terminal() {
        for variant in Variant::ALL {
            let help = help(*variant, false);
            assert!(help.lines().count() < 24);
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        }
    }
}
