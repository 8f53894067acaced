//! The games of files: by built-in rules, by those of a program that the user has given, or by none. Without rules,
//! moves and turns are those of the record.

use std::fmt;
use std::sync::Arc;

use lodestone_game::board::Side;
use lodestone_game::{FenError, GameInfo, Outcome};
use serde_json::Value;

use super::line::PositionLine;
use super::position::{GameMove, MoveError, Position};
use super::ruleset::{Ruleset, other_game_json};
use crate::failure::Stop;
use crate::io::as_text::Text;
use crate::io::text::printable;

/// The facts of a game whose rules are not known. Its names are in its file.
static UNKNOWN: GameInfo = GameInfo::of_other_game("", "");

/// The game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileGame {
    /// Its rules are known.
    Known(Ruleset),
    /// Nothing but its names are known, which are safe to show.
    Unknown {
        /// The short name.
        name: String,
        /// The name for people.
        title: String,
    },
}

impl FileGame {
    /// The game with this name. With a `title`, its rules came from a program. `rules` are those of the command: if they
    /// come from a program, they are the rules of all such games, and of one with their name.
    ///
    /// # Errors
    /// There is no game with this name.
    pub fn new(name: &str, title: Option<&str>, rules: Option<Ruleset>) -> Result<FileGame, String> {
        match (rules.filter(|rules| rules.variant().is_none()), title) {
            (Some(rules), _) if title.is_some() || rules.name() == name => Ok(FileGame::Known(rules)),
            (_, Some(title)) => {
                let [name, title] = [name, title].map(|text| printable(text, usize::MAX));
                Ok(FileGame::Unknown { name, title })
            }
            _ => Ruleset::read(name).map(FileGame::Known),
        }
    }

    /// Its rules, if they are known.
    pub const fn rules(&self) -> Option<Ruleset> {
        match self {
            FileGame::Known(rules) => Some(*rules),
            FileGame::Unknown { .. } => None,
        }
    }

    /// The facts of the game, without names if its rules are not known.
    pub fn info(&self) -> &'static GameInfo {
        self.rules().map_or(&UNKNOWN, |rules| rules.info())
    }

    /// Its short name.
    pub fn name(&self) -> &str {
        match self {
            FileGame::Known(rules) => rules.name(),
            FileGame::Unknown { name, .. } => name,
        }
    }

    /// Its name for people.
    pub fn title(&self) -> &str {
        match self {
            FileGame::Known(rules) => rules.info().title,
            FileGame::Unknown { title, .. } => title,
        }
    }

    /// The name of a built-in game, or what a rules program calls its game.
    pub fn label(&self) -> &str {
        match self {
            FileGame::Known(rules) => rules.label(),
            FileGame::Unknown { title, .. } => title,
        }
    }

    /// As [`Ruleset::to_json`].
    pub fn to_json(&self) -> Value {
        match self {
            FileGame::Known(rules) => rules.to_json(),
            FileGame::Unknown { name, title } => other_game_json(name, title),
        }
    }

    /// The first position of a game; `turns` are the sides that made its moves, if its rules are not known.
    ///
    /// # Errors
    /// The text is no position of the game.
    pub fn start(&self, text: &str, turns: Vec<Side>) -> Result<Box<dyn Position>, FenError> {
        match self {
            FileGame::Known(rules) => rules.parse_fen(text),
            FileGame::Unknown { .. } => Ok(Box::new(RecordedPosition {
                line: PositionLine::of_text(&printable(text, usize::MAX)),
                turns: Arc::new(turns),
            })),
        }
    }
}

impl fmt::Display for FileGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position of a game whose rules are not known.
#[derive(Clone, Debug)]
struct RecordedPosition {
    line: PositionLine,
    /// The sides that made the moves of the game; alternating, the first player first, beyond them.
    turns: Arc<Vec<Side>>,
}

impl Position for RecordedPosition {
    fn info(&self) -> &'static GameInfo {
        &UNKNOWN
    }

    fn fen(&self) -> String {
        self.line.start_and_moves()
    }

    fn side_to_move(&self) -> Side {
        let plies = self.line.plies;
        let alternating = Side::BOTH[plies % 2];
        self.turns.get(plies).copied().unwrap_or(alternating)
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn explain(&self, _: Outcome) -> String {
        String::new()
    }

    fn legal_moves(&self) -> Vec<GameMove> {
        Vec::new()
    }

    fn parse_move(&self, text: &str) -> Result<GameMove, MoveError> {
        Ok(GameMove {
            // Without rules, it is only shown.
            text: printable(text, usize::MAX),
        })
    }

    fn after(&self, mv: &GameMove) -> Result<Box<dyn Position>, Stop> {
        Ok(Box::new(RecordedPosition {
            line: self.line.after(&mv.text),
            turns: Arc::clone(&self.turns),
        }))
    }

    fn symmetry_key(&self) -> u64 {
        crate::io::files::digest([&*self.line.start_and_moves()])
    }

    fn board(&self) -> String {
        String::new()
    }

    fn boxed_clone(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::Setup;
    use lodestone_game::random::Random;

    use super::*;
    use crate::game::GameRules;

    /// The rules of a program with this name.
    #[derive(Debug)]
    struct Named(GameInfo);

    impl GameRules for Named {
        fn info(&'static self) -> &'static GameInfo {
            &self.0
        }

        fn startpos(&'static self) -> Box<dyn Position> {
            unreachable!("no test plays it")
        }

        fn parse_fen(&'static self, _: &str) -> Result<Box<dyn Position>, FenError> {
            unreachable!("no test plays it")
        }

        fn random_start(&'static self, _: Setup, _: &mut Random) -> Result<Box<dyn Position>, Stop> {
            unreachable!("no test plays it")
        }
    }

    static NIM: Named = Named(GameInfo::of_other_game("nim", "Nim"));
    static MISERE: Named = Named(GameInfo::of_other_game("misere", "Misère"));

    #[test]
    fn each_reader_of_a_file_gives_its_rules() {
        let [nim, misere] = [&NIM, &MISERE].map(|rules| Ruleset::new(rules));
        assert_eq!(nim.to_json()["title"], "Nim");
        let game = |name, title, rules| FileGame::new(name, title, rules);
        for rules in [nim, misere] {
            assert_eq!(
                game("nim", Some("Nim 2"), Some(rules)),
                Ok(FileGame::Known(rules))
            );
            assert_eq!(
                game("gridlock", None, Some(rules)).unwrap().rules(),
                Some(Ruleset::GRIDLOCK)
            );
        }
        assert_eq!(game("nim", None, Some(nim)), Ok(FileGame::Known(nim)));
        assert!(game("nim", None, Some(misere)).is_err());
        for rules in [None, Some(Ruleset::GRIDLOCK)] {
            let unknown = game("nim", Some("Nim\u{1b}2"), rules).unwrap();
            assert_eq!(
                (unknown.rules(), unknown.name(), unknown.label()),
                (None, "nim", "Nim\\u{1b}2")
            );
        }
    }
}
