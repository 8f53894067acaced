//! What can be said at the board beside a move.

use std::fmt::Write as _;
use std::path::PathBuf;

use lodestone::game::Variant;

use crate::display::OPEN_SIGN;
use crate::games::sample_move;
use crate::io::nearest::nearest;

/// Something said at the board that is no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Talk {
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
struct Entry {
    word: &'static str,
    /// What stands behind it.
    argument: Argument,
    about: &'static str,
    /// Whether it is fair in a match, too.
    in_matches: bool,
    talk: fn(&str) -> Talk,
}

/// What stands behind a command's word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    None,
    Optional(&'static str),
    Needed(&'static str),
}

const fn entry(word: &'static str, about: &'static str, talk: fn(&str) -> Talk) -> Entry {
    Entry {
        word,
        argument: Argument::None,
        about,
        in_matches: false,
        talk,
    }
}

/// Every command in the order of the help.
const ENTRIES: [Entry; 12] = [
    entry("hint", "a move that the engine would play", |_| Talk::Hint),
    entry(
        "why",
        "what the engine expects: score, line, proven or not",
        |_| Talk::Why,
    ),
    entry("undo", "takes your last move back, and the reply to it", |_| {
        Talk::Undo
    }),
    Entry {
        in_matches: true,
        ..entry("moves", "every move there is, marked on the board with ", |_| {
            Talk::Moves
        })
    },
    Entry {
        in_matches: true,
        ..entry("board", "the board once more", |_| Talk::Board)
    },
    Entry {
        in_matches: true,
        ..entry("flip", "turns the board upside down, and back", |_| Talk::Flip)
    },
    entry("swap", "you and the computer change sides", |_| Talk::Swap),
    Entry {
        argument: Argument::Optional("LEVEL"),
        ..entry(
            "level",
            "how strong the computer is; with LEVEL, changes it",
            |level| Talk::Level((!level.is_empty()).then(|| level.to_string())),
        )
    },
    Entry {
        argument: Argument::Needed("FILE"),
        ..entry("save", "writes the game to a file", |file| {
            Talk::Save(file.into())
        })
    },
    Entry {
        argument: Argument::Needed("FILE"),
        ..entry("load", "goes on with the game in a file", |file| {
            Talk::Load(file.into())
        })
    },
    Entry {
        in_matches: true,
        ..entry("resign", "gives the game up", |_| Talk::Resign)
    },
    Entry {
        in_matches: true,
        ..entry("help", "this list", |_| Talk::Help)
    },
];

impl Talk {
    /// What a line says; `None` where it does not begin with a command.
    ///
    /// # Errors
    /// Where something is missing behind the command, or too much.
    pub fn parse(line: &str) -> Option<Result<Talk, String>> {
        let line = line.trim();
        let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = if word == "?" { "help" } else { word };
        let entry = ENTRIES
            .iter()
            .find(|entry| entry.word.eq_ignore_ascii_case(word))?;
        let argument = argument.trim();
        Some(match entry.argument {
            Argument::None if !argument.is_empty() => Err(format!(
                "nothing is expected behind `{}`, found `{argument}`",
                entry.word
            )),
            Argument::Needed(what) if argument.is_empty() => Err(format!(
                "`{word}` needs a {what} behind it: `{word} {what}`",
                word = entry.word
            )),
            _ => Ok((entry.talk)(argument)),
        })
    }

    /// The word of every command, in a match or elsewhere.
    pub fn words(in_match: bool) -> impl Iterator<Item = &'static str> {
        let entries = ENTRIES.iter().filter(move |entry| entry.in_matches || !in_match);
        entries.map(|entry| entry.word)
    }

    /// The command that a line which is no move may have meant.
    #[must_use]
    pub fn meant(line: &str, in_match: bool) -> Option<&'static str> {
        // Two letters are rather a slip of a cell than of a command.
        let word = line.split_whitespace().next().filter(|word| word.len() > 2)?;
        nearest(word, Talk::words(in_match))
    }
}

/// All commands, a line each.
#[must_use]
pub fn help(variant: Variant, in_match: bool) -> String {
    let mut lines = format!("Type a move such as {}, or:", sample_move(variant));
    for entry in ENTRIES.iter().filter(|entry| entry.in_matches || !in_match) {
        let command = match entry.argument {
            Argument::None => entry.word.to_string(),
            Argument::Needed(what) => format!("{} {what}", entry.word),
            Argument::Optional(what) => format!("{} [{what}]", entry.word),
        };
        let mark = if entry.word == "moves" {
            OPEN_SIGN.to_string()
        } else {
            String::new()
        };
        let _ = write!(lines, "\n  {command:<15}{}{mark}", entry.about);
    }
    lines + "\n  q              leaves, at every question"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_understood_in_any_case() {
        let parse = |line: &str| Talk::parse(line).unwrap().unwrap();
        assert_eq!(parse(" HINT "), Talk::Hint);
        assert_eq!(parse("?"), Talk::Help);
        assert_eq!(parse("level"), Talk::Level(None));
        assert_eq!(parse("level groups 0.5"), Talk::Level(Some("groups 0.5".into())));
        assert_eq!(parse("Save  My game.txt"), Talk::Save("My game.txt".into()));
        assert_eq!(Talk::parse("a6"), None);
        assert_eq!(Talk::parse(""), None);
        for entry in &ENTRIES {
            let argument = if entry.argument == Argument::None {
                ""
            } else {
                " x"
            };
            parse(&format!("{}{argument}", entry.word));
        }
    }

    #[test]
    fn too_much_and_too_little_are_refused() {
        let error = |line: &str| Talk::parse(line).unwrap().unwrap_err();
        assert_eq!(error("undo 3"), "nothing is expected behind `undo`, found `3`");
        assert_eq!(error("load"), "`load` needs a FILE behind it: `load FILE`");
    }

    #[test]
    fn a_slip_is_recognised() {
        assert_eq!(Talk::meant("hnit", false), Some("hint"));
        assert_eq!(Talk::meant("hnit", true), None);
        assert_eq!(Talk::meant("a9", false), None);
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
