//! Scores as expected points, and the moves that lose many of them.
//!
//! A score becomes expected points, from 0 for a loss to 1 for a win:
//! `1 / (1 + exp(-cp / 400))`. 400 centipawns are one unit of log-odds, as in the scores of
//! `lodestone`; lichess uses 272 in the same formula, for chess. A proven win is 1, a proven
//! draw 0.5, a proven loss 0, and so is the result of a game that ended by the rules.

use lodestone::board::Side;
use lodestone::game::GameResult;
use lodestone::score::Score;

/// The least fall of the expected points with a mistake.
pub const MISTAKE: f64 = 0.1;

/// The least fall of the expected points with a blunder.
pub(crate) const BLUNDER: f64 = 0.15;

/// Centipawns in one unit of log-odds.
const UNIT: f64 = 400.0;

/// A move that cost its player much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    /// Whether the expected points fell by [`BLUNDER`] or more.
    pub is_blunder: bool,
    /// Whose scores are compared.
    pub judge: Judge,
    /// The judge's assessment before the move.
    pub before: Assessment,
    /// The judge's assessment after the move.
    pub after: Assessment,
}

impl Mistake {
    /// Whether the judge's expected points rose, as they do if it is the opponent.
    pub(crate) fn is_rise(&self) -> bool {
        self.after.expected_points() > self.before.expected_points()
    }
}

/// Whose scores show a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// A player: the mover, or its opponent if the mover reports no scores.
    Player(Side),
    /// The engine of an analysis, from the mover's point of view.
    Analysis,
}

/// What a player thinks of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assessment {
    /// The score that it reported.
    Score(Score),
    /// The game is over, with this result, and the player had this side.
    Result(GameResult, Side),
}

impl Assessment {
    /// The expected points, from 0 for a loss to 1 for a win.
    pub(crate) fn expected_points(self) -> f64 {
        match self {
            Assessment::Score(Score::Cp(value)) => 1.0 / (1.0 + (-f64::from(value) / UNIT).exp()),
            _ if self.is_win() => 1.0,
            _ if self.is_loss() => 0.0,
            _ => 0.5,
        }
    }

    /// Whether the player has won or has a proven win.
    pub(crate) fn is_win(self) -> bool {
        match self {
            Assessment::Score(score) => matches!(score, Score::Win(_)),
            Assessment::Result(result, player) => result == GameResult::Win(player),
        }
    }

    /// Whether the player has lost or has a proven loss.
    pub(crate) fn is_loss(self) -> bool {
        match self {
            Assessment::Score(score) => matches!(score, Score::Loss(_)),
            Assessment::Result(result, player) => result == GameResult::Win(player.opponent()),
        }
    }
}
