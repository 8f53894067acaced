//! Checks of rules programs, which answer questions about the positions of a game.
//! The programs themselves, and matches by their rules, are in `referee_core::rules`.
//!
//! * [`check`]: random games that look for contradictions, with statistics; `second`: the same questions
//!   to a second process.
//! * [`compare`]: two rules programs on the same moves.
//! * [`options`]: the same with other values of the options.
//! * [`replay`]: games that were played, by the same or other rules.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod options;
pub(crate) mod replay;
mod second;

use std::time::Instant;

use lodestone_game::random::Random;
use referee_core::rules::SETUP_SEEDS;

/// The random games of a check or a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GamesPlan {
    pub games: u64,
    /// The seed of the random moves.
    pub seed: u64,
    /// The number of moves after which a game is stopped.
    pub max_plies: usize,
    /// The most positions that are visited move by move from the start.
    pub visits: usize,
    /// When they are stopped, if they are not over.
    pub until: Option<Instant>,
}

impl GamesPlan {
    fn is_stopped(self) -> bool {
        self.until.is_some_and(|until| Instant::now() > until)
    }

    /// The seed of `query setup` for a game, from 0: that of the opening with this number in a match with the
    /// same seed.
    const fn setup_seed(self, game: u64) -> u64 {
        Random::substream(self.seed, game + 1).below(SETUP_SEEDS)
    }
}
