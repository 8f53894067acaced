//! The rules of the games in result files: those of `--rules`, or none. Without rules, moves and turns
//! are those of the record.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lodestone_game::board::Side;
use lodestone_game::random::Random;
use lodestone_game::{FenError, GameInfo, Outcome, Setup};

use super::line::PositionLine;
use super::position::{GameMove, MoveError, Position};
use super::ruleset::{GameRules, Ruleset, STARTPOS};
use crate::failure::Stop;
use crate::io::as_text::Text;
use crate::io::text::printable;

/// The games of which files have been read.
static GAMES: Mutex<Vec<Ruleset>> = Mutex::new(Vec::new());

/// The rules of `--rules`.
static LOADED: OnceLock<Ruleset> = OnceLock::new();

impl Ruleset {
    /// The rules of the game of a result file. With a `title`, they came from a program, and are those of
    /// `--rules`, or unknown.
    ///
    /// # Errors
    /// There is no game with this name.
    pub fn of_file(name: &str, title: Option<&str>) -> Result<Ruleset, String> {
        match (LOADED.get(), title) {
            (Some(rules), _) if title.is_some() || rules.name() == name => Ok(*rules),
            (_, Some(title)) => Ok(Ruleset::titled(name, title)),
            _ => Ruleset::read(name),
        }
    }

    /// A game of which nothing but the name is known.
    pub fn recorded(name: &str) -> Ruleset {
        Ruleset::titled(name, name)
    }

    /// A game of which nothing but name and title are known. Both become safe to show.
    fn titled(name: &str, title: &str) -> Ruleset {
        let [name, title] = [name, title].map(|text| printable(text, usize::MAX));
        let mut games = GAMES.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = games.iter();
        if let Some(rules) = known.find(|rules| rules.name() == name && rules.info().title == title) {
            return *rules;
        }
        let [name, title]: [&'static str; 2] = [name, title].map(|text| &*text.leak());
        let rules = RecordedRules(GameInfo::of_other_game(name, title));
        let rules = Ruleset::new(Box::leak(Box::new(rules)));
        games.push(rules);
        rules
    }

    /// Makes these the rules of `--rules`, by which files of other games are read.
    pub fn set_loaded(self) {
        let _ = LOADED.set(self);
    }
}

/// A game without rules.
#[derive(Debug)]
struct RecordedRules(GameInfo);

impl GameRules for RecordedRules {
    fn info(&'static self) -> &'static GameInfo {
        &self.0
    }

    fn startpos(&'static self) -> Box<dyn Position> {
        self.start(STARTPOS, Vec::new())
    }

    fn parse_fen(&'static self, text: &str) -> Result<Box<dyn Position>, FenError> {
        Ok(self.start(text, Vec::new()))
    }

    fn random_start(&'static self, _: Setup, _: &mut Random) -> Result<Box<dyn Position>, Stop> {
        Ok(self.startpos())
    }

    fn recorded_start(&'static self, text: &str, turns: Vec<Side>) -> Option<Box<dyn Position>> {
        Some(self.start(text, turns))
    }
}

impl RecordedRules {
    fn start(&'static self, text: &str, turns: Vec<Side>) -> Box<dyn Position> {
        Box::new(RecordedPosition {
            rules: self,
            line: PositionLine::of_text(&printable(text, usize::MAX)),
            turns: Arc::new(turns),
        })
    }
}

/// A position of a recorded game.
#[derive(Clone, Debug)]
struct RecordedPosition {
    rules: &'static RecordedRules,
    line: PositionLine,
    /// The sides that made the moves of the game; alternating, the first player first, beyond them.
    turns: Arc<Vec<Side>>,
}

impl Position for RecordedPosition {
    fn info(&self) -> &'static GameInfo {
        &self.rules.0
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
            cells: None,
        })
    }

    fn after(&self, mv: &GameMove) -> Result<Box<dyn Position>, Stop> {
        Ok(Box::new(RecordedPosition {
            line: self.line.after(&mv.text),
            turns: Arc::clone(&self.turns),
            ..*self
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
