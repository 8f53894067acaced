//! One opening: a position and moves.

use std::fmt;

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Variant};
use lodestone::protocol::Start;

/// How a game begins.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position before the first move.
    pub position: Box<dyn AnyPosition>,
    /// The same as engines are told.
    pub start: Start,
    /// What is played before the players are asked.
    pub moves: Vec<Move>,
}

impl Opening {
    /// An opening that begins at `position`.
    #[must_use]
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

    /// The position behind its moves.
    #[must_use]
    pub fn end(&self) -> Box<dyn AnyPosition> {
        let mut position = self.position.clone();
        self.moves.iter().for_each(|&one| position.play(one));
        position
    }
}

impl fmt::Display for Opening {
    /// As a line of a book.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Startpos => f.write_str("startpos")?,
            Start::Fen(fen) => f.write_str(fen)?,
        }
        if !self.moves.is_empty() {
            f.write_str(" moves")?;
        }
        let mut moves = self.moves.iter();
        moves.try_for_each(|&one| write!(f, " {}", self.position.move_text(one)))
    }
}

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningError {
    /// None was found that leaves anything to play.
    NoneDrawn {
        /// How many random moves there should be.
        plies: u32,
    },
    /// A book cannot be used: which, where and why, as a sentence.
    Book(String),
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningError::NoneDrawn { plies } => {
                write!(f, "{plies} random moves from the start end the game")
            }
            OpeningError::Book(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for OpeningError {}

/// The place of the opening with this number among `count` that are played
/// over and over, from 0.
pub const fn place_of(number: u64, count: usize) -> Option<usize> {
    match number.saturating_sub(1).checked_rem(count as u64) {
        Some(place) => Some(place as usize),
        None => None,
    }
}
