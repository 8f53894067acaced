//! Scores: evaluations in centipawns, proven results with their distance, and the
//! protocol's text of both.
//!
//! Inside the search a score is a plain integer, [`Value`]. Outside it is a [`Score`],
//! which distinguishes evaluations from proven results.
//!
//! ```
//! use lodestone_game::score::Score;
//!
//! assert_eq!(Score::Win(3).to_string(), "win 3");
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
pub(crate) const MAX_PLIES: u32 = 1_100;

/// Greater than any [`Value`]: the search's initial window.
pub const INFINITE: Value = WIN + 1;

/// The largest evaluation. Values beyond ± this are proven. All values fit into 16
/// bits, as the transposition table requires.
pub const MAX_EVAL: Value = WIN - MAX_PLIES as Value - 1;

/// The value of a win in `plies` plies, at most `MAX_PLIES`.
#[inline]
pub const fn win_in(plies: u32) -> Value {
    WIN - plies as Value
}

/// Clamps an evaluation to ±[`MAX_EVAL`].
#[inline]
pub fn clamp_eval(value: i32) -> Value {
    value.clamp(-MAX_EVAL, MAX_EVAL)
}

/// Whether `value` is a proven win or loss.
#[inline]
pub const fn is_decisive(value: Value) -> bool {
    value.abs() > MAX_EVAL
}

/// The words for a score in an `info` line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreWords {
    /// `cp N`, `win N`, `loss N` and `draw 0`, in plies.
    #[default]
    Result,
    /// `cp N` and `mate N`, in moves, as clients for chess expect. A draw is `cp 0`.
    Mate,
}

/// A score with its kind, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An evaluation in the searcher's own unit. For `lodestone` in Magnetic Cave, 400
    /// is one unit of log-odds.
    Cp(i32),
    /// A forced win in at most this many plies.
    Win(u32),
    /// A forced loss, in this many plies along the principal variation; at most this many if
    /// that does not reach the end.
    Loss(u32),
    /// A proven draw.
    Draw,
}

impl Score {
    /// The score that a search's `value` means. Never [`Score::Draw`]: the value 0 does
    /// not say whether the draw is proven.
    #[inline]
    pub const fn from_value(value: Value) -> Score {
        if value > MAX_EVAL {
            Score::Win((WIN - value) as u32)
        } else if value < -MAX_EVAL {
            Score::Loss((WIN + value) as u32)
        } else {
            Score::Cp(value)
        }
    }

    /// The score that `mate N` means. A positive `N` is a win in `N` own moves, which is at
    /// most `2N - 1` plies. Otherwise it is a loss in `-N` moves of each side.
    pub(crate) const fn from_mate(moves: i32) -> Score {
        let plies = moves.unsigned_abs().saturating_mul(2);
        if moves > 0 {
            Score::Win(plies - 1)
        } else {
            Score::Loss(plies)
        }
    }

    /// The text of this score in an `info` line.
    ///
    /// `mate N` has the smallest `N` for which `go mate N` accepts the win. A loss has the
    /// number of the opponent's win after the next ply.
    pub(crate) fn in_words(self, words: ScoreWords) -> String {
        match (words, self) {
            (ScoreWords::Mate, Score::Win(plies)) => format!("mate {}", plies / 2 + 1),
            (ScoreWords::Mate, Score::Loss(0)) => "mate 0".to_string(),
            (ScoreWords::Mate, Score::Loss(plies)) => format!("mate -{}", plies.div_ceil(2)),
            (ScoreWords::Mate, Score::Draw) => Score::Cp(0).to_string(),
            (ScoreWords::Mate, Score::Cp(_)) | (ScoreWords::Result, _) => self.to_string(),
        }
    }

    /// Whether this is a proven result rather than an evaluation.
    #[inline]
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
    fn a_mate_counts_moves() {
        let mate = |score: Score| score.in_words(ScoreWords::Mate);
        let wins = [1, 2, 3, 4, 5].map(|plies| mate(Score::Win(plies)));
        assert_eq!(wins, ["mate 1", "mate 2", "mate 2", "mate 3", "mate 3"]);
        let losses = [0, 1, 2, 3, 4].map(|plies| mate(Score::Loss(plies)));
        assert_eq!(losses, ["mate 0", "mate -1", "mate -1", "mate -2", "mate -2"]);
        assert_eq!(mate(Score::Draw), "cp 0");
        assert_eq!(mate(Score::Cp(-12)), "cp -12");
        for moves in 1..100 {
            assert_eq!(mate(Score::from_mate(moves)), format!("mate {moves}"));
            assert_eq!(mate(Score::from_mate(-moves)), format!("mate -{moves}"));
        }
    }

    #[test]
    fn a_win_and_the_loss_one_ply_later_count_the_same_moves() {
        for plies in 1..20 {
            let [loss, win] =
                [Score::Loss(plies), Score::Win(plies - 1)].map(|score| score.in_words(ScoreWords::Mate));
            assert_eq!(loss.replace('-', ""), win, "{plies}");
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
