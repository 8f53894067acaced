//! The built-in players of the games, and the levels of the computer: their names, and what they do. The
//! engine has their search.

use crate::rules::Game;
use crate::variant::Variant;

/// The default player, the engine at full strength.
pub const DEFAULT: &str = "lodestone";

/// The player that plays random moves.
pub const RANDOM: &str = "random";

/// The frozen baseline.
pub const PLAIN: &str = "plain";

/// The players of the game `G`, the default first: their names, and what they do in a few words.
fn players<G: Game>() -> impl Iterator<Item = (&'static str, &'static str)> {
    let reference = G::REFERENCE_PLAYERS.iter();
    let reference = reference.map(|player| (player.name, player.about));
    let others = [(RANDOM, "a random legal move"), (PLAIN, "a simple baseline")];
    std::iter::once((DEFAULT, "the engine"))
        .chain(reference)
        .chain(others)
}

/// A level of the computer in a game by hand.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Its name, in lower case.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The player; `None` for the default opponent of the game.
    player: Option<&'static str>,
    /// The time of a move.
    pub milliseconds: u32,
    /// The depth limit, in plies.
    depth: Option<u32>,
}

impl Level {
    const fn new(name: &'static str, about: &'static str, player: &'static str, milliseconds: u32) -> Level {
        Level {
            name,
            about,
            player: Some(player),
            milliseconds,
            depth: None,
        }
    }

    /// The player of this level in a game, and the limit of its depth, in plies.
    pub fn player(&self, variant: Variant) -> (&'static str, Option<u32>) {
        match (self.player, variant.info().default_opponent) {
            (Some(player), _) => (player, self.depth),
            // The game has no player that looks four moves ahead by itself.
            (None, RANDOM) => (DEFAULT, Some(4)),
            (None, opponent) => (opponent, self.depth),
        }
    }
}

/// The levels of all games, the weakest first.
pub const LEVELS: [Level; 6] = [
    Level::new("beginner", "plays at random", RANDOM, 1000),
    Level {
        depth: Some(1),
        ..Level::new("easy", "looks one move ahead", DEFAULT, 1000)
    },
    Level {
        player: None,
        ..Level::new("medium", "looks four moves ahead", DEFAULT, 3000)
    },
    Level::new("hard", "the engine, 0.1 seconds per move", DEFAULT, 100),
    Level::new("expert", "the engine, 1 second per move", DEFAULT, 1000),
    Level::new("master", "the engine, 3 seconds per move", DEFAULT, 3000),
];

impl Variant {
    /// The players of this game, the default first: their names, and what they do in a few words.
    pub fn players(self) -> Vec<(&'static str, &'static str)> {
        with_game!(self, G => players::<G>().collect())
    }

    /// The names of all players of this game, the default first.
    ///
    /// ```
    /// use lodestone_game::Variant;
    ///
    /// assert!(Variant::Gridlock.personalities().contains(&"mobility"));
    /// assert!(!Variant::MagneticCave.personalities().contains(&"mobility"));
    /// ```
    pub fn personalities(self) -> Vec<&'static str> {
        self.players().into_iter().map(|(name, _)| name).collect()
    }
}

/// The names of the players of all games, without duplicates.
pub fn all_names() -> Vec<&'static str> {
    let mut all = Vec::new();
    for name in Variant::ALL.iter().flat_map(|variant| variant.personalities()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The first game in [`Variant::ALL`] that has a player with this name.
pub fn variant_of(name: &str) -> Option<Variant> {
    Variant::ALL
        .iter()
        .copied()
        .find(|variant| variant.personalities().contains(&name))
}
