//! Who plays: the values of the option `Personality`.
//!
//! * [`Lodestone`] is `lodestone`, the engine itself;
//! * [`FixedDepth`] is each of the course projects' players, one for
//!   each evaluation that a game lists in [`Evaluate::REFERENCE_PLAYERS`];
//! * [`RandomMover`] is `random`;
//! * [`Plain`] is `plain`, the frozen yardstick.

mod fixed_depth;
mod plain;
mod random_mover;

pub use fixed_depth::FixedDepth;
pub use plain::Plain;
pub use random_mover::RandomMover;

use crate::game::{Evaluate, GameVisitor, Variant, Yardstick};
use crate::search::table::{NoMemory, TranspositionTable};
use crate::search::{Lodestone, Searcher};

/// The name of the engine's own player, the default.
pub const DEFAULT: &str = "lodestone";

/// The player that moves by chance.
pub const RANDOM: &str = "random";

/// What a player is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearcherSettings {
    /// Memory for the table of `lodestone`, in megabytes of 2²⁰ bytes.
    pub hash: usize,
    /// What `random` draws its moves from.
    pub seed: u64,
}

/// The names of the players of the game `G`, the default first.
pub fn names<G: Evaluate>() -> impl Iterator<Item = &'static str> {
    let seeds = G::REFERENCE_PLAYERS.iter().map(|player| player.name);
    std::iter::once(DEFAULT).chain(seeds).chain([RANDOM, "plain"])
}

/// The player of this name, if `G` has one.
///
/// # Errors
/// There is not enough memory for its table.
pub fn make_searcher<G: Evaluate + Yardstick>(
    name: &str,
    ingredients: SearcherSettings,
) -> Result<Option<Box<dyn Searcher<G>>>, NoMemory> {
    Ok(Some(match name {
        DEFAULT => Box::new(Lodestone::new(TranspositionTable::new(ingredients.hash)?)),
        RANDOM => Box::new(RandomMover::new(ingredients.seed)),
        "plain" => Box::new(Plain::new()),
        _ => match G::REFERENCE_PLAYERS.iter().find(|player| player.name == name) {
            Some(player) => Box::new(FixedDepth::new(player)),
            None => return Ok(None),
        },
    }))
}

impl Variant {
    /// The names of the players of this game, the default first.
    ///
    /// ```
    /// use lodestone::game::Variant;
    ///
    /// assert!(Variant::Gridlock.personalities().contains(&"mobility"));
    /// assert!(!Variant::MagneticCave.personalities().contains(&"mobility"));
    /// ```
    pub fn personalities(self) -> Vec<&'static str> {
        struct Names;
        impl GameVisitor for Names {
            type Output = Vec<&'static str>;
            fn visit<G: Evaluate + Yardstick>(self) -> Self::Output {
                names::<G>().collect()
            }
        }
        self.visit(Names)
    }
}

/// The names of the players of all games, each once.
pub fn all_names() -> Vec<&'static str> {
    let mut all = Vec::new();
    for name in Variant::ALL.iter().flat_map(|variant| variant.personalities()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The first game, in the order of [`Variant::ALL`], that this player plays.
pub fn variant_of(name: &str) -> Option<Variant> {
    Variant::ALL
        .iter()
        .copied()
        .find(|variant| variant.personalities().contains(&name))
}
