//! The value of a position or a move in a book.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::score::{Score, Value, WIN};
use crate::text::quoted;

/// A value for the side to move: an evaluation, or a proven result without its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookScore {
    /// Proven: the side to move wins.
    Win,
    /// Proven: with best play the game is drawn.
    Draw,
    /// Proven: the side to move loses.
    Loss,
    /// An evaluation, in centipawns.
    Cp(i32),
}

impl BookScore {
    /// The value as a number; a draw is 0.
    pub const fn value(self) -> Value {
        match self {
            BookScore::Win => WIN,
            BookScore::Draw => 0,
            BookScore::Loss => -WIN,
            BookScore::Cp(value) => value,
        }
    }

    /// Whether this is a proven result.
    pub const fn is_proven(self) -> bool {
        !matches!(self, BookScore::Cp(_))
    }

    /// The same value for the other side.
    #[must_use]
    pub const fn negated(self) -> BookScore {
        match self {
            BookScore::Win => BookScore::Loss,
            BookScore::Draw => BookScore::Draw,
            BookScore::Loss => BookScore::Win,
            BookScore::Cp(value) => BookScore::Cp(-value),
        }
    }

    /// The value of a position, from the values of all its moves: the best one. It is proven if
    /// that is a win, or if all are proven. Without moves it is a draw.
    pub fn best(moves: &[BookScore]) -> BookScore {
        let by_value = |one: &&BookScore, other: &&BookScore| one.compare(**other);
        let best = moves.iter().max_by(by_value).copied();
        match best.unwrap_or(BookScore::Draw) {
            BookScore::Draw if !moves.iter().all(|mv| mv.is_proven()) => BookScore::Cp(0),
            best => best,
        }
    }

    /// Compares by value.
    pub fn compare(self, other: BookScore) -> Ordering {
        self.value().cmp(&other.value())
    }

    /// The score of a position with at most this many plies to the end of the game.
    pub(crate) const fn score(self, plies_left: u32) -> Score {
        match self {
            BookScore::Win => Score::Win(plies_left),
            BookScore::Draw => Score::Draw,
            BookScore::Loss => Score::Loss(plies_left),
            BookScore::Cp(value) => Score::Cp(value),
        }
    }
}

impl From<Score> for BookScore {
    fn from(score: Score) -> BookScore {
        match score {
            Score::Win(_) => BookScore::Win,
            Score::Draw => BookScore::Draw,
            Score::Loss(_) => BookScore::Loss,
            Score::Cp(value) => BookScore::Cp(value),
        }
    }
}

/// The proven results and their words.
const WORDS: [(BookScore, &str); 3] = [
    (BookScore::Win, "win"),
    (BookScore::Draw, "draw"),
    (BookScore::Loss, "loss"),
];

impl fmt::Display for BookScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match WORDS.iter().find(|(score, _)| score == self) {
            Some((_, word)) => f.write_str(word),
            None => write!(f, "{}", self.value()),
        }
    }
}

impl FromStr for BookScore {
    type Err = String;

    /// Parses the text that `Display` writes.
    fn from_str(text: &str) -> Result<BookScore, String> {
        let word = WORDS.iter().find(|(_, word)| *word == text);
        word.map(|&(score, _)| score)
            .or_else(|| text.parse().ok().map(BookScore::Cp))
            .ok_or_else(|| {
                format!(
                    "expected centipawns, `win`, `draw` or `loss`, found {}",
                    quoted(text)
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::BookScore::{Cp, Draw, Loss, Win};
    use super::*;

    #[test]
    fn a_position_is_proven_by_a_win_or_by_all_moves() {
        for (moves, best) in [
            (&[Cp(-3), Cp(5)][..], Cp(5)),
            (&[Cp(900), Win], Win),
            (&[Loss, Draw], Draw),
            (&[Loss, Loss], Loss),
            (&[Cp(-8), Draw], Cp(0)),
            (&[Cp(8), Draw], Cp(8)),
            (&[Loss, Cp(-700)], Cp(-700)),
        ] {
            assert_eq!(BookScore::best(moves), best, "{moves:?}");
        }
    }

    #[test]
    fn written_values_parse() {
        for score in [Win, Draw, Loss, Cp(0), Cp(-17)] {
            assert_eq!(score.to_string().parse(), Ok(score));
            assert_eq!(score.negated().value(), -score.value());
        }
        assert!("won".parse::<BookScore>().is_err());
    }
}
