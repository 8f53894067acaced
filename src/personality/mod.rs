//! The engine's players, chosen by the option `Personality`.
//!
//! * `lodestone`: [`Lodestone`], the engine's full strength.
//! * The reference players: [`FixedDepth`] with each evaluation in
//!   [`Game::REFERENCE_PLAYERS`].
//! * `random`: [`RandomMover`].
//! * `plain`: [`Plain`], the frozen baseline.

mod fixed_depth;
mod plain;

pub(crate) use fixed_depth::FixedDepth;
pub use plain::Plain;

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::players::{DEFAULT, PLAIN, RANDOM};
use lodestone_game::random::Random;

use crate::game::Yardstick;
use crate::search::table::NoMemory;
use crate::search::{Lodestone, RootStrategy, Searcher, Task};

/// The options that [`make_searcher`] needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearcherSettings {
    /// Size of `lodestone`'s transposition table, in megabytes of 2²⁰ bytes.
    pub hash: usize,
    /// Seed of `random`.
    pub seed: u64,
}

/// Makes the player with this name; `None` if `G` has no such player.
///
/// # Errors
/// There is not enough memory for the transposition table.
pub fn make_searcher<G: RootStrategy + Yardstick>(
    name: &str,
    settings: SearcherSettings,
) -> Result<Option<Box<dyn Searcher<G>>>, NoMemory> {
    Ok(Some(match name {
        DEFAULT => Box::new(Lodestone::with_hash(settings.hash)?),
        RANDOM => Box::new(RandomMover::new(settings.seed)),
        PLAIN => Box::new(Plain::new()),
        _ => match G::REFERENCE_PLAYERS.iter().find(|player| player.name == name) {
            Some(player) => Box::new(FixedDepth::new(player)),
            None => return Ok(None),
        },
    }))
}

// The player `random`: uniformly random legal moves.

/// The player `random`. A move depends only on the seed and the position, so a match can
/// be reproduced and resumed.
#[derive(Debug)]
pub(crate) struct RandomMover {
    seed: u64,
}

impl RandomMover {
    /// A player with this seed.
    pub(crate) const fn new(seed: u64) -> RandomMover {
        RandomMover { seed }
    }
}

impl<G: Game> Searcher<G> for RandomMover {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        let mut random = Random::substream(self.seed, root.key());
        random.choose(&task.moves).copied().unwrap_or(task.moves[0])
    }

    fn new_game(&mut self) {}

    fn evaluate(&self, _: &G) -> Option<i32> {
        None
    }
}
