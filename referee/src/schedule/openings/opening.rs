//! Why there is no opening, and the order of openings that repeat.

use thiserror::Error;

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// No random opening leaves the game unfinished.
    #[error("{plies} random moves from the start always end the game")]
    NoneFound {
        /// The number of random moves.
        plies: u32,
    },
    /// The rules gave no answer.
    #[error("{0}")]
    Rules(String),
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
