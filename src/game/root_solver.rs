//! What a game's solver at the root needs from the search: limits, and memory in the
//! transposition table.

use crate::board::Move;

/// The search around a game's solver, see [`Evaluate::solve_root`](super::Evaluate::solve_root).
pub trait RootSearch {
    /// Counts a position. Returns false if the solver must stop.
    fn enter(&mut self) -> bool;

    /// What was stored under a key.
    fn find(&self, key: u64) -> Option<SolverFact>;

    /// Stores a fact. Facts of greater depth stay longer.
    fn store(&mut self, key: u64, fact: SolverFact);
}

/// What a solver stores of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverFact {
    /// The move that decided.
    pub best: Option<Move>,
    /// The solver's own code of what is known.
    pub code: u16,
    /// The depth of the search for it, in plies, at most 255.
    pub depth: u8,
}

/// The proven result of a root position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootResult {
    /// A move that keeps the result.
    pub best: Move,
    /// The result for the side to move: 1 for a win, 0 for a draw, −1 for a loss.
    pub points: i32,
}
