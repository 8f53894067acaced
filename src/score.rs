//! Scores: evaluations in centipawns, proven results with their distance, and the
//! protocol's text of both.
//!
//! Inside the search a score is a plain integer, [`Value`]. Outside it is a [`Score`],
//! which distinguishes evaluations from proven results.
//!
//! ```
//! use lodestone::score::{Score, win_in};
//!
//! assert_eq!(Score::from_value(win_in(3)), Score::Win(3));
//! assert_eq!(Score::from_value(-win_in(4)).to_string(), "loss 4");
//! assert_eq!(Score::Cp(-12).to_string(), "cp -12");
//! ```

use std::fmt;
use std::str::FromStr;

use crate::text::quoted;

/// A score inside the search, from the side to move's point of view: an evaluation
/// within ±[`MAX_EVAL`], or a proven win or loss beyond it.
pub type Value = i32;

/// The value of a won position with no ply left to play. A win in `n` plies is
/// `WIN - n`, so shorter wins score higher.
pub const WIN: Value = 32_000;

/// Upper bound on the length of a game, in plies. Gridlock's turn limit is at most
/// 1,000.
pub const MAX_PLIES: u32 = 1_100;

/// Greater than any [`Value`]: the search's initial window.
pub const INFINITE: Value = WIN + 1;

/// The largest evaluation. Values beyond ± this are proven. All values fit into 16
/// bits, as the transposition table requires.
pub const MAX_EVAL: Value = WIN - MAX_PLIES as Value - 1;

/// The value of a win in `plies` plies, at most [`MAX_PLIES`].
pub const fn win_in(plies: u32) -> Value {
    WIN - plies as Value
}

/// Clamps an evaluation to ±[`MAX_EVAL`].
pub fn clamp_eval(value: i32) -> Value {
    value.clamp(-MAX_EVAL, MAX_EVAL)
}

/// Whether `value` is a proven win or loss.
pub const fn is_decisive(value: Value) -> bool {
    value.abs() > MAX_EVAL
}

/// A score with its kind, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An evaluation in the searcher's own unit. For `lodestone` in Magnetic Cave, 400
    /// is one unit of log-odds.
    Cp(i32),
    /// A forced win in at most this many plies.
    Win(u32),
    /// A forced loss, in this many plies along the principal variation.
    Loss(u32),
    /// A proven draw.
    Draw,
}

impl Score {
    /// The score that a search's `value` means. Never [`Score::Draw`]: the value 0 does
    /// not say whether the draw is proven.
    pub const fn from_value(value: Value) -> Score {
        if value > MAX_EVAL {
            Score::Win((WIN - value) as u32)
        } else if value < -MAX_EVAL {
            Score::Loss((WIN + value) as u32)
        } else {
            Score::Cp(value)
        }
    }

    /// Whether this is a proven result rather than an evaluation.
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

impl FromStr for Score {
    type Err = String;

    /// Parses the text that `Display` writes.
    fn from_str(text: &str) -> Result<Score, String> {
        let score = text.split_once(' ').and_then(|(kind, number)| {
            Some(match kind {
                "cp" => Score::Cp(number.parse().ok()?),
                "win" => Score::Win(number.parse().ok()?),
                "loss" => Score::Loss(number.parse().ok()?),
                "draw" if number == "0" => Score::Draw,
                _ => return None,
            })
        });
        score.ok_or_else(|| {
            format!(
                "expected a score such as `cp 12` or `win 5`, found {}",
                quoted(text)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_scores_parse() {
        for score in [Score::Cp(-12), Score::Win(5), Score::Loss(4), Score::Draw] {
            assert_eq!(score.to_string().parse(), Ok(score));
        }
        for text in ["", "cp", "cp x", "win -1", "draw 1", "mate 3"] {
            let error = text.parse::<Score>().unwrap_err();
            assert!(error.ends_with(&format!("found `{text}`")), "{error}");
        }
    }

    #[test]
    fn shorter_wins_and_longer_losses_are_better() {
        assert!(win_in(1) > win_in(3));
        assert!(-win_in(4) > -win_in(2));
        assert!(win_in(MAX_PLIES) > MAX_EVAL);
        assert!(!is_decisive(clamp_eval(i32::MAX)));
        assert!(is_decisive(win_in(MAX_PLIES)) && is_decisive(-win_in(0)));
    }
}
