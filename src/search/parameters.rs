//! The parameters of the search that can be tuned.
//!
//! They are constants, [`SearchParameters::DEFAULT`]. A build with the cargo feature `tune` has
//! a spin option for each of them, for `referee tune`.

use crate::score::Value;

// What each technique is worth in games: `docs/magnetic-cave-experiments.md`.

/// The parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchParameters {
    /// Reverse futility pruning: how far the evaluation must exceed beta, per ply of depth.
    pub reverse_futility_margin: Value,
    /// Reverse futility pruning: the maximum depth, in plies.
    pub reverse_futility_max_depth: u32,
    /// Late move reductions: the plies by which a move is reduced, in percent of
    /// log₂(depth) · log₂(number of the move).
    pub late_move_reduction: u32,
    /// Late move reductions: how many moves of a node are searched to full depth.
    pub full_depth_moves: usize,
    /// Half the width of the first aspiration window.
    pub aspiration_width: Value,
}

impl SearchParameters {
    /// The parameters that a build without the feature `tune` uses.
    pub const DEFAULT: SearchParameters = SearchParameters {
        reverse_futility_margin: 60,
        reverse_futility_max_depth: 3,
        late_move_reduction: 50,
        full_depth_moves: 3,
        aspiration_width: 24,
    };
}

impl Default for SearchParameters {
    fn default() -> SearchParameters {
        SearchParameters::DEFAULT
    }
}
