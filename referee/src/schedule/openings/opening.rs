//! One opening: a start position and moves.

use std::fmt;

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Variant};
use lodestone::protocol::Start;
use thiserror::Error;

/// The beginning of a game.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position before the first move.
    pub position: Box<dyn AnyPosition>,
    /// The same, as engines receive it.
    pub start: Start,
    /// The moves before the players move.
    pub moves: Vec<Move>,
}

impl Opening {
    /// An opening that begins at `position`.
    pub fn new(variant: Variant, position: Box<dyn AnyPosition>, moves: Vec<Move>) -> Opening {
        let fen = position.fen();
        let start = if fen == variant.startpos().fen() {
            Start::Startpos
        } else {
            Start::Fen(fen)
        };
        Opening {
            position,
            start,
            moves,
        }
    }

    /// The position after its moves.
    pub(crate) fn end(&self) -> Box<dyn AnyPosition> {
        let mut position = self.position.clone();
        self.moves.iter().for_each(|&mv| position.play(mv));
        position
    }
}

impl fmt::Display for Opening {
    /// A line of a book.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Startpos => f.write_str("startpos")?,
            Start::Fen(fen) => f.write_str(fen)?,
        }
        if !self.moves.is_empty() {
            f.write_str(" moves")?;
        }
        let mut moves = self.moves.iter();
        moves.try_for_each(|&mv| write!(f, " {}", self.position.move_text(mv)))
    }
}

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// No random opening leaves the game unfinished.
    #[error("{plies} random moves from the start always end the game")]
    NoneFound {
        /// The number of random moves.
        plies: u32,
    },
    /// A book is invalid. The message names the file and the line.
    #[error("{0}")]
    Book(String),
}

/// The index, from 0, of the opening with this number among `count` that repeat.
/// `None` if there are none.
pub const fn index_of(number: u64, count: usize) -> Option<usize> {
    match number.saturating_sub(1).checked_rem(count as u64) {
        Some(index) => Some(index as usize),
        None => None,
    }
}
