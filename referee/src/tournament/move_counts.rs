//! What is counted of a player's moves: its claims, and its searches in the opponents' time.

use serde::Serialize;

/// The searches of one player in its opponents' time (`--ponder`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct PonderCounts {
    /// The number of searches after which the opponent played the expected move.
    pub hits: u64,
    /// The number of searches after which it played another one.
    pub misses: u64,
}

/// The claims of one player about results (`--check-claims`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ClaimCounts {
    /// The number of right claims.
    pub right: u64,
    /// The number of wrong claims.
    pub wrong: u64,
    /// The number of claims that were neither proven nor refuted.
    pub unverified: u64,
    /// The number of moves whose line of play has an illegal move.
    pub illegal_lines: u64,
}

impl ClaimCounts {
    /// Adds the counts of other games.
    pub(crate) fn add(&mut self, other: &ClaimCounts) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.unverified += other.unverified;
        self.illegal_lines += other.illegal_lines;
    }
}
