//! Rules programs: programs that answer questions about the positions of a game.
//!
//! * [`program`]: a rules program as a child process; questions and typed answers.
//! * [`check`]: random games that look for contradictions, with statistics; `second`: the same questions
//!   to a second process.
//! * [`compare`]: two rules programs on the same moves.
//! * [`external`]: the rules of a program, as a match plays by them.
//! * [`player`]: built-in players of every game.
//!
//! A rules program is no more trusted than an engine: each answer has a deadline and a bound, and
//! every fault is a sentence with the position.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod external;
pub(crate) mod player;
pub mod program;
mod second;

pub(crate) use program::{DEFAULT_TIMEOUT, RulesError, RulesProgram};

/// The random games of a check or a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GamesPlan {
    pub games: u64,
    /// The seed of the random moves.
    pub seed: u64,
    /// The number of moves after which a game is stopped.
    pub max_plies: usize,
}

/// The most positions that are visited move by move from the start.
const MAX_VISITED: usize = 2000;
