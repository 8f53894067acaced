//! The rules of games that programs know.
//!
//! * [`program`]: a rules program as a child process; questions and typed answers.
//! * [`external`]: the rules of a program, as a match plays by them.
//! * `written`: the move that people mean, by the names of the moves.
//!
//! A rules program is no more trusted than an engine: each answer has a deadline and a bound, and
//! every fault is a sentence with the position.

pub mod external;
pub mod program;
mod written;

use crate::io::text::printable;

pub use program::{DEFAULT_TIMEOUT, RulesError, RulesFault, RulesProgram};

/// The number of seeds of `query setup`.
pub const SETUP_SEEDS: u64 = 1 << 32;

/// What a program calls itself, for people.
pub(crate) fn version_of(id_name: &str) -> String {
    printable(id_name, 100)
}
