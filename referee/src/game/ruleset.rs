//! The rules of a game, as a value: a built-in game, or one of a rules program.

use std::fmt::{self, Debug};
use std::time::Duration;

use lodestone::board::Side;
use lodestone::game::{FenError, GameInfo, Setup, Variant};
use lodestone::personality;
use lodestone::random::Random;

use super::position::{BuiltInPosition, Position};
use crate::io::as_text::Text;
use crate::io::interrupt::Stop;
use crate::io::text::unknown;

/// The text of the start of a game whose positions have no text.
pub(crate) const STARTPOS: &str = "startpos";

/// The built-in players of games that are not built in.
const OTHER_PLAYERS: [&str; 2] = ["mcts", "random"];

/// The rules of a game.
pub trait GameRules: Debug + Send + Sync {
    /// The facts of the game.
    fn info(&self) -> &'static GameInfo;

    /// The built-in game.
    fn variant(&self) -> Option<Variant> {
        None
    }

    /// The start of the game.
    fn startpos(&self) -> Box<dyn Position>;

    /// Reads the text of a position.
    ///
    /// # Errors
    /// The text is no position of the game.
    fn parse_fen(&self, text: &str) -> Result<Box<dyn Position>, FenError>;

    /// A random start, in a game that has one; else the start of the game.
    ///
    /// # Errors
    /// The rules gave no answer.
    fn random_start(&self, setup: Setup, random: &mut Random) -> Result<Box<dyn Position>, Stop>;

    /// The first position of a recorded game, if the rules are not known; `turns` are the sides that
    /// made its moves.
    fn recorded_start(&self, _text: &str, _turns: Vec<Side>) -> Option<Box<dyn Position>> {
        None
    }

    /// Whether games have different starts.
    fn has_random_start(&self) -> bool {
        self.info().has_setup
    }

    /// The options of the rules, such as the size of the board.
    fn options(&self) -> &[(String, String)] {
        &[]
    }

    /// What the rules program calls itself.
    fn version(&self) -> Option<&str> {
        None
    }

    /// The words that describe the rules program, as after `--rules`.
    fn words(&self) -> &[String] {
        &[]
    }

    /// The time of all answers of the rules program, and their number.
    fn time_asked(&self) -> (Duration, u64) {
        (Duration::ZERO, 0)
    }

    /// The first failure of the rules program, as a sentence.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Ends the processes of the rules program. The next question starts one again.
    fn close(&self) {}
}

/// The rules of one game. They live until the process ends, so a copy is cheap.
#[derive(Clone, Copy, Debug)]
pub struct Ruleset(&'static dyn GameRules);

impl Ruleset {
    /// The built-in game Magnetic Cave.
    pub const MAGNETIC_CAVE: Ruleset = Ruleset(&BuiltInRules(Variant::MagneticCave));

    /// The built-in game Gridlock.
    pub const GRIDLOCK: Ruleset = Ruleset(&BuiltInRules(Variant::Gridlock));

    /// The built-in games, the default first.
    pub const ALL: &'static [Ruleset] = &[Ruleset::MAGNETIC_CAVE, Ruleset::GRIDLOCK];

    /// Rules that live until the process ends.
    pub(crate) const fn new(rules: &'static dyn GameRules) -> Ruleset {
        Ruleset(rules)
    }

    /// The name of the game.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The first position of a recorded game, if the rules are not known.
    pub(crate) fn recorded_start(self, text: &str, turns: Vec<Side>) -> Option<Box<dyn Position>> {
        self.0.recorded_start(text, turns)
    }

    /// The built-in game with this name, in any letter case.
    pub fn from_name(name: &str) -> Option<Ruleset> {
        Variant::from_name(name).map(Ruleset::from)
    }

    /// The names of the built-in games.
    pub(crate) fn names() -> Vec<&'static str> {
        Ruleset::ALL.iter().map(|rules| rules.name()).collect()
    }

    /// The facts of the game.
    pub fn info(self) -> &'static GameInfo {
        self.0.info()
    }

    /// The built-in game.
    pub fn variant(self) -> Option<Variant> {
        self.0.variant()
    }

    /// The start of the game.
    pub fn startpos(self) -> Box<dyn Position> {
        self.0.startpos()
    }

    /// Reads the text of a position.
    ///
    /// # Errors
    /// The text is no position of the game.
    pub fn parse_fen(self, text: &str) -> Result<Box<dyn Position>, FenError> {
        self.0.parse_fen(text)
    }

    /// A random start, in a game that has one; else the start of the game.
    ///
    /// # Errors
    /// The rules gave no answer.
    pub fn random_start(self, setup: Setup, random: &mut Random) -> Result<Box<dyn Position>, Stop> {
        self.0.random_start(setup, random)
    }

    /// Whether nothing but the name of the game is known.
    pub(crate) fn is_recorded(self) -> bool {
        self.recorded_start(STARTPOS, Vec::new()).is_some()
    }

    /// The built-in players of all games.
    pub(crate) fn all_players() -> Vec<&'static str> {
        let mut names = personality::all_names();
        let others = OTHER_PLAYERS.into_iter().filter(|name| !names.contains(name));
        names.extend(others.collect::<Vec<_>>());
        names
    }

    /// The strongest built-in player.
    pub fn strongest(self) -> &'static str {
        match self.variant() {
            Some(_) => personality::DEFAULT,
            None => OTHER_PLAYERS[0],
        }
    }

    /// Whether positions have a text beside that of the start and moves.
    pub(crate) fn has_text(self) -> bool {
        self.startpos().fen() != STARTPOS
    }

    /// The built-in players of the game.
    pub fn players(self) -> Vec<&'static str> {
        match self.variant() {
            Some(variant) => variant.personalities(),
            None => OTHER_PLAYERS.to_vec(),
        }
    }

    /// Whether games have different starts.
    pub(crate) fn has_random_start(self) -> bool {
        self.0.has_random_start()
    }

    /// The words that describe the rules program, as after `--rules`; none for a built-in game.
    pub fn words(self) -> &'static [String] {
        self.0.words()
    }

    /// What the rules program calls itself.
    pub(crate) fn version(self) -> Option<&'static str> {
        self.0.version()
    }

    /// The time of all answers of the rules program, and their number.
    pub(crate) fn time_asked(self) -> (Duration, u64) {
        self.0.time_asked()
    }

    /// The first failure of the rules program, as a sentence.
    pub(crate) fn failure(self) -> Option<String> {
        self.0.failure()
    }

    /// Ends the processes of the rules program.
    pub(crate) fn close(self) {
        self.0.close();
    }

    /// The options of the rules, which players receive as well.
    pub(crate) fn options(self) -> &'static [(String, String)] {
        self.0.options()
    }
}

impl From<Variant> for Ruleset {
    fn from(variant: Variant) -> Ruleset {
        match variant {
            Variant::MagneticCave => Ruleset::MAGNETIC_CAVE,
            Variant::Gridlock => Ruleset::GRIDLOCK,
        }
    }
}

impl Default for Ruleset {
    fn default() -> Ruleset {
        Variant::default().into()
    }
}

impl PartialEq for Ruleset {
    /// Whether both are rules of the same game.
    fn eq(&self, other: &Ruleset) -> bool {
        self.name() == other.name() && self.variant() == other.variant()
    }
}

impl Eq for Ruleset {}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Text for Ruleset {
    fn text(&self) -> impl fmt::Display {
        self.name()
    }

    /// Reads the name of a built-in game.
    fn read(text: &str) -> Result<Ruleset, String> {
        Ruleset::from_name(text).ok_or_else(|| unknown("variant", text, &Ruleset::names()))
    }
}

/// The rules of a built-in game.
#[derive(Debug)]
struct BuiltInRules(Variant);

impl GameRules for BuiltInRules {
    fn info(&self) -> &'static GameInfo {
        self.0.info()
    }

    fn variant(&self) -> Option<Variant> {
        Some(self.0)
    }

    fn startpos(&self) -> Box<dyn Position> {
        Box::new(BuiltInPosition(self.0.startpos()))
    }

    fn parse_fen(&self, text: &str) -> Result<Box<dyn Position>, FenError> {
        Ok(Box::new(BuiltInPosition(self.0.parse_fen(text)?)))
    }

    fn random_start(&self, setup: Setup, random: &mut Random) -> Result<Box<dyn Position>, Stop> {
        Ok(Box::new(BuiltInPosition(self.0.random_start(setup, random))))
    }
}
