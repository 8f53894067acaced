//! Why there is no opening, and the order of openings that repeat.

use thiserror::Error;

use crate::failure::Failure;
use crate::failure::Stop;
use crate::io::interrupt;

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// No random opening leaves the game unfinished.
    #[error("{plies} random moves from the start always end the game{}", if *is_external { ADVICE } else { "" })]
    NoneFound {
        /// The number of random moves.
        plies: u32,
        /// Whether the rules come from a program, which may be wrong.
        is_external: bool,
    },
    /// The rules sent no answer, or a signal came first.
    #[error("{0}")]
    Rules(String),
    /// A book is invalid. The message names the file and the line.
    #[error("{0}")]
    Book(String),
}

/// What to do if the rules of a program end all games at once.
const ADVICE: &str = "; `referee rules` looks for the cause";

impl OpeningError {
    /// The failure of a command; `option` is the one that asks for openings.
    pub fn failure(self, option: &str) -> Failure {
        // After a signal, no opening is looked for.
        if let Err(signal) = interrupt::check() {
            return signal.into();
        }
        match self {
            OpeningError::Rules(why) => Stop::Rules(why).into(),
            error => Failure::Usage(format!("{option}: {error}")),
        }
    }
}

impl From<Stop> for OpeningError {
    fn from(stop: Stop) -> OpeningError {
        OpeningError::Rules(stop.to_string())
    }
}

/// The index, from 0, of the opening with this number among `count` that repeat.
/// `None` if there are none.
pub const fn index_of(number: u64, count: usize) -> Option<usize> {
    match number.saturating_sub(1).checked_rem(count as u64) {
        Some(index) => Some(index as usize),
        None => None,
    }
}
