//! The player `random`: any legal move, all equally likely.

use crate::board::Move;
use crate::game::Game;
use crate::random::Random;
use crate::search::{Task, Thinker};

/// The player `random`. Its choice depends on the seed, on how many games it
/// has played, and on the position; on nothing else, so a match with it can be
/// played again.
#[derive(Debug)]
pub struct RandomMover {
    seed: u64,
    games: u64,
}

impl RandomMover {
    /// A player that draws its moves from `seed`.
    pub fn new(seed: u64) -> RandomMover {
        RandomMover { seed, games: 0 }
    }
}

impl<G: Game> Thinker<G> for RandomMover {
    fn think(&mut self, root: &G, task: &Task<'_>) -> Move {
        let mut random = Random::part(self.seed ^ root.key(), self.games);
        random.choose(&task.moves).copied().unwrap_or(task.moves[0])
    }

    fn new_game(&mut self) {
        self.games += 1;
    }

    fn evaluate(&self, _: &G) -> Option<i32> {
        None
    }
}
