//! What a search thinks of a position: judged values, proven results with
//! their distance, and the text of both.
//!
//! Inside the search a score is a plain [`Value`], so that comparing costs
//! nothing; outside it is a [`Score`], which says what kind it is.
//!
//! ```
//! use lodestone::score::{Score, win_in};
//!
//! assert_eq!(Score::from_value(win_in(3)), Score::Win(3));
//! assert_eq!(Score::from_value(-win_in(4)).to_string(), "loss 4");
//! assert_eq!(Score::Cp(-12).to_string(), "cp -12");
//! ```

use std::fmt;

/// A score as the search computes with it, from the view of the side to move:
/// a judged value within ±[`MAX_EVAL`], or a proven result beyond it.
pub type Value = i32;

/// A win on the board now. A win in `n` plies is worth `WIN - n`, so that the
/// shorter win is the better one.
pub const WIN: Value = 32_000;

/// More plies than any game lasts: Gridlock's turn limit is at most 1000.
pub const MAX_PLIES: u32 = 1_100;

/// Greater than any [`Value`]: the search's initial window.
pub const INFINITE: Value = WIN + 1;

/// Judged values stay within ± this; whatever lies beyond is proven. Everything
/// fits into 16 bits, which the transposition table relies on.
pub const MAX_EVAL: Value = WIN - MAX_PLIES as Value - 1;

/// The worth of a win that takes `plies` more plies, at most [`MAX_PLIES`].
pub const fn win_in(plies: u32) -> Value {
    WIN - plies as Value
}

/// A judged value pulled into the range of judged values.
pub fn clamp_eval(value: i32) -> Value {
    value.clamp(-MAX_EVAL, MAX_EVAL)
}

/// Whether `value` is a proven win or loss.
pub const fn is_decisive(value: Value) -> bool {
    value.abs() > MAX_EVAL
}

/// A score with its kind, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An estimate in hundredths of whatever unit the player counts in.
    Cp(i32),
    /// A forced win in at most this many plies from here.
    Win(u32),
    /// Lost, in this many plies on the line shown.
    Loss(u32),
    /// A proven tie.
    Draw,
}

impl Score {
    /// The score that a search's `value` stands for. A tie is never among them:
    /// the value 0 does not say whether it was proven.
    pub const fn from_value(value: Value) -> Score {
        if value > MAX_EVAL {
            Score::Win((WIN - value) as u32)
        } else if value < -MAX_EVAL {
            Score::Loss((WIN + value) as u32)
        } else {
            Score::Cp(value)
        }
    }

    /// Whether nothing can change this score any more.
    pub const fn is_proven(self) -> bool {
        !matches!(self, Score::Cp(_))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Cp(value) => write!(f, "cp {value}"),
            Score::Win(plies) => write!(f, "win {plies}"),
            Score::Loss(plies) => write!(f, "loss {plies}"),
            Score::Draw => write!(f, "draw 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_wins_and_longer_losses_are_better() {
        assert!(win_in(1) > win_in(3));
        assert!(-win_in(4) > -win_in(2));
        assert!(win_in(MAX_PLIES) > MAX_EVAL);
        assert!(!is_decisive(clamp_eval(i32::MAX)));
        assert!(is_decisive(win_in(MAX_PLIES)) && is_decisive(-win_in(0)));
    }
}
