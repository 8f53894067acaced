//! The rules of a game, as a value: a built-in game, or one of a rules program.

use std::fmt::{self, Debug};
use std::ops::Deref;
use std::time::Duration;

use lodestone_game::games_json;
use lodestone_game::players;
use lodestone_game::random::Random;
use lodestone_game::{FenError, GameInfo, Setup, Variant};
use serde_json::{Value, json};

use super::position::{BuiltInPosition, Position};
use crate::failure::Stop;
use crate::io::as_text::Text;
use crate::io::text::unknown;

/// The text of the start of a game whose positions have no text.
pub const STARTPOS: &str = "startpos";

/// The built-in players of games that are not built in, the strongest first, and what they do.
pub const OTHER_PLAYERS: [(&str, &str); 2] = [
    ("mcts", "a tree search of random games"),
    ("random", "a random legal move"),
];

/// What people call the game of a rules program: the name in these words, as after `--rules`, or else what the
/// program calls itself, or else the name of its file.
pub fn title_of<'a, 'b>(
    words: impl IntoIterator<Item = &'b str>,
    name: &'a str,
    version: Option<&'a str>,
) -> &'a str {
    let mut words = words.into_iter().peekable();
    let program = words.peek().map(|word| word.trim_start_matches("cmd="));
    let is_named = words.any(|word| word.starts_with("name="));
    let is_built_in = program.is_some_and(|program| Ruleset::from_name(program).is_some());
    version.filter(|_| !is_named && !is_built_in).unwrap_or(name)
}

/// The rules of a game: built-in ones, or those of a program.
pub trait GameRules: Debug + Send + Sync {
    /// The facts of the game.
    fn info(&'static self) -> &'static GameInfo;

    /// The built-in game.
    fn variant(&self) -> Option<Variant> {
        None
    }

    /// The program that has the rules, if they are not built in.
    fn program(&'static self) -> Option<&'static dyn ExternalProgram> {
        None
    }

    /// The start of the game.
    fn startpos(&'static self) -> Box<dyn Position>;

    /// Reads the text of a position.
    ///
    /// # Errors
    /// The text is no position of the game.
    fn parse_fen(&'static self, text: &str) -> Result<Box<dyn Position>, FenError>;

    /// A random start, in a game that has one; else the start of the game.
    ///
    /// # Errors
    /// The rules sent no answer.
    fn random_start(&'static self, setup: Setup, random: &mut Random) -> Result<Box<dyn Position>, Stop>;

    /// The moves of a game as people write them; `None` if the rules have no such notation.
    ///
    /// # Errors
    /// The rules sent no answer, or another one than a list that has the move.
    fn notation(&'static self, _start: &str, _moves: &[&str]) -> Result<Option<Vec<String>>, Stop> {
        Ok(None)
    }

    /// Whether the rules have a notation for people, which [`Position::parse_written`] reads.
    fn reads_notation(&self) -> bool {
        false
    }

    /// Whether [`Position::proven`] may know a result.
    fn proves(&self) -> bool {
        false
    }

    /// Whether games have different starts.
    fn has_random_start(&'static self) -> bool {
        self.info().has_setup
    }
}

/// What only the rules of a program have: the program, and its processes.
pub trait ExternalProgram {
    /// The words that describe it, as after `--rules`.
    fn words(&self) -> &[String];

    /// The options that are set, such as the size of the board. Players receive them as well.
    fn options(&self) -> &[(String, String)];

    /// The defaults of the options that are not set.
    fn defaults(&self) -> &[(String, String)];

    /// What it calls itself, with its options.
    fn version(&self) -> Option<&str>;

    /// The same before it had them.
    fn greeting(&self) -> Option<&str>;

    /// The time of all its answers, and their number.
    fn time_asked(&self) -> (Duration, u64);

    /// Its first failure, as a sentence.
    fn failure(&self) -> Option<String>;

    /// Ends its processes. The next question starts one again.
    fn close(&self);
}

/// The rules of one game. They live until the process ends, so a copy is cheap.
#[derive(Clone, Copy, Debug)]
pub struct Ruleset(&'static dyn GameRules);

impl Ruleset {
    /// The built-in games, the default first.
    pub const ALL: &'static [Ruleset] = &{
        let mut all = [Ruleset(&Variant::ALL[0]); Variant::ALL.len()];
        let mut index = 1;
        while index < all.len() {
            all[index] = Ruleset(&Variant::ALL[index]);
            index += 1;
        }
        all
    };

    #[cfg(any(test, feature = "samples"))]
    /// The built-in game, for tests.
    pub const MAGNETIC_CAVE: Ruleset = Ruleset(&Variant::MagneticCave);
    #[cfg(any(test, feature = "samples"))]
    /// The built-in game, for tests.
    pub const GRIDLOCK: Ruleset = Ruleset(&Variant::Gridlock);

    /// Rules that live until the process ends.
    pub const fn new(rules: &'static dyn GameRules) -> Ruleset {
        Ruleset(rules)
    }

    /// The words that describe the rules program, as after `--rules`; none for a built-in game.
    pub fn words(self) -> &'static [String] {
        self.program().map_or(&[], |program| program.words())
    }

    /// The first failure of the rules program, as a sentence.
    pub fn failure(self) -> Option<String> {
        self.program()?.failure()
    }

    /// The name of the game.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The built-in game with this name, in any letter case.
    pub fn from_name(name: &str) -> Option<Ruleset> {
        Variant::from_name(name).map(Ruleset::from)
    }

    /// The names of the built-in games.
    pub fn names() -> Vec<&'static str> {
        Ruleset::ALL.iter().map(|rules| rules.name()).collect()
    }

    /// The built-in players of all games.
    pub fn all_players() -> Vec<&'static str> {
        let mut names = players::all_names();
        let others = OTHER_PLAYERS.map(|(name, _)| name).into_iter();
        let others = others.filter(|name| !names.contains(name));
        names.extend(others.collect::<Vec<_>>());
        names
    }

    /// The strongest built-in player.
    pub fn strongest(self) -> &'static str {
        match self.variant() {
            Some(_) => players::DEFAULT,
            None => OTHER_PLAYERS[0].0,
        }
    }

    /// Whether positions have a text beside that of the start and moves.
    pub fn has_text(self) -> bool {
        self.startpos().fen() != STARTPOS
    }

    /// What people call the pieces of both sides.
    pub fn side_names(self) -> [String; 2] {
        match self.variant() {
            Some(_) => self.info().side_names(),
            None => ["Player 1", "Player 2"].map(String::from),
        }
    }

    /// What the scripts of pages know about the game: [`games_json::one`], or the few keys of it that are
    /// known for the game of a rules program, with `isOther`.
    pub fn to_json(self) -> Value {
        match self.variant() {
            Some(variant) => games_json::one(variant).parse().unwrap_or_default(),
            None => other_game_json(self.name(), self.info().title),
        }
    }

    /// The name of a built-in game, or what a rules program calls its game.
    pub fn label(self) -> &'static str {
        match self.variant() {
            Some(_) => self.name(),
            None => self.info().title,
        }
    }

    /// The built-in players of the game.
    pub fn players(self) -> Vec<&'static str> {
        self.described_players()
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }

    /// The same, with what they do in a few words.
    pub fn described_players(self) -> Vec<(&'static str, &'static str)> {
        match self.variant() {
            Some(variant) => variant.players(),
            None => OTHER_PLAYERS.to_vec(),
        }
    }
}

impl Deref for Ruleset {
    type Target = &'static dyn GameRules;

    fn deref(&self) -> &&'static dyn GameRules {
        &self.0
    }
}

impl From<Variant> for Ruleset {
    fn from(variant: Variant) -> Ruleset {
        Ruleset::ALL[variant as usize]
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

/// The keys of [`Ruleset::to_json`] for a game that is not built in.
pub(super) fn other_game_json(name: &str, title: &str) -> Value {
    json!({
        "name": name,
        "title": title,
        "isOther": true,
        "signs": GameInfo::of_other_game("", "").signs,
        "pieces": ["Player 1", "Player 2"],
        "hasSetup": false,
    })
}

/// The rules of a built-in game.
impl GameRules for Variant {
    fn info(&'static self) -> &'static GameInfo {
        Variant::info(*self)
    }

    fn variant(&self) -> Option<Variant> {
        Some(*self)
    }

    fn startpos(&'static self) -> Box<dyn Position> {
        Box::new(BuiltInPosition(Variant::startpos(*self)))
    }

    fn parse_fen(&'static self, text: &str) -> Result<Box<dyn Position>, FenError> {
        Ok(Box::new(BuiltInPosition(Variant::parse_fen(*self, text)?)))
    }

    fn random_start(&'static self, setup: Setup, random: &mut Random) -> Result<Box<dyn Position>, Stop> {
        Ok(Box::new(BuiltInPosition(Variant::random_start(
            *self, setup, random,
        ))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_without_a_given_name_gives_a_game_its_title() {
        for (words, title) in [
            (&["./nim"][..], "Nim 2"),
            (&["cmd=./nim", "name=nim"], "nim"),
            (&["gridlock"], "nim"),
        ] {
            assert_eq!(
                title_of(words.iter().copied(), "nim", Some("Nim 2")),
                title,
                "{words:?}"
            );
        }
    }

    #[test]
    fn facts_of_each_game_are_json_about_all_cells_players_and_levels() {
        for (rules, variant) in Ruleset::ALL.iter().zip(Variant::ALL) {
            assert_eq!(Ruleset::from(*variant), *rules);
            let (facts, info) = (rules.to_json(), rules.info());
            assert_eq!(facts["name"], rules.name());
            assert_eq!(facts["rules"], json!(info.rules));
            let count = |key: &str| facts[key].as_array().map(Vec::len);
            assert_eq!(count("cells"), Some(info.rows.len() * info.columns.len()));
            assert_eq!(count("players"), Some(rules.players().len()));
            assert_eq!(count("levels"), Some(players::LEVELS.len()));
            assert_eq!(facts["setup"].is_object(), info.has_setup);
            let start = rules.parse_fen(facts["start"].as_str().unwrap()).unwrap();
            assert_eq!(start.fen(), rules.startpos().fen());
        }
    }
}
