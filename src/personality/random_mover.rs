//! The player `random`: uniformly random legal moves.

use crate::board::Move;
use crate::game::Game;
use crate::random::Random;
use crate::search::{Searcher, Task};

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
