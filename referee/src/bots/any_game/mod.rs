//! Built-in players of every game that has a rules program: `random` and `mcts`.
//!
//! * [`session`]: the player as a bot, and the time of a search.
//! * [`search`]: UCT with random playouts, as long as the session lets it.
//! * [`tree`]: the positions that the search knows.

mod search;
mod session;
mod tree;

pub(crate) use session::run;

/// A built-in player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RulesPlayer {
    /// Uniformly random legal moves.
    Random,
    /// Monte Carlo tree search.
    Mcts,
}

impl RulesPlayer {
    pub const ALL: [RulesPlayer; 2] = [RulesPlayer::Random, RulesPlayer::Mcts];

    pub const fn name(self) -> &'static str {
        match self {
            RulesPlayer::Random => "random",
            RulesPlayer::Mcts => "mcts",
        }
    }

    pub fn from_name(name: &str) -> Option<RulesPlayer> {
        RulesPlayer::ALL.into_iter().find(|player| player.name() == name)
    }
}
