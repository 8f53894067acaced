//! Outcomes: who won, and by which rule.

use std::fmt;
use std::str::FromStr;

use crate::board::Side;
use crate::score::{Value, win_in};
use crate::text::quoted;

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// This side won.
    Win(Side),
    /// A drawn game.
    Draw,
}

impl fmt::Display for GameResult {
    /// `1-0`, `0-1` or `1/2-1/2`, the first player's points first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::Win(Side::First) => "1-0",
            GameResult::Win(Side::Second) => "0-1",
            GameResult::Draw => "1/2-1/2",
        })
    }
}

impl FromStr for GameResult {
    type Err = String;

    /// Parses the text that `Display` writes.
    fn from_str(text: &str) -> Result<GameResult, String> {
        [
            GameResult::Win(Side::First),
            GameResult::Win(Side::Second),
            GameResult::Draw,
        ]
        .into_iter()
        .find(|result| result.to_string() == text)
        .ok_or_else(|| format!("expected 1-0, 0-1 or 1/2-1/2, found {}", quoted(text)))
    }
}

/// The rule that ended a game, as the word of the result files. Each game
/// defines its own; see [`GameInfo::end_reasons`](super::GameInfo::end_reasons).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndReason(pub &'static str);

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The end of a game by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who won.
    pub result: GameResult,
    /// The rule that ended the game.
    pub reason: EndReason,
}

impl Outcome {
    /// `side` won for `reason`.
    pub const fn win(side: Side, reason: EndReason) -> Outcome {
        Outcome {
            result: GameResult::Win(side),
            reason,
        }
    }

    /// A drawn game, for `reason`.
    pub(crate) const fn draw(reason: EndReason) -> Outcome {
        Outcome {
            result: GameResult::Draw,
            reason,
        }
    }

    /// 1 where `side` won, −1 where it lost, 0 for a draw.
    pub fn points_for(self, side: Side) -> i32 {
        match self.result {
            GameResult::Win(winner) if winner == side => 1,
            GameResult::Win(_) => -1,
            GameResult::Draw => 0,
        }
    }

    /// The value for `side` of a game that ended `ply` plies from the root.
    pub(crate) fn value_for(self, side: Side, ply: u32) -> Value {
        self.points_for(side) * win_in(ply)
    }
}
