//! The options of a search.

use crate::score::Value;

/// The options of a search, with the engine's defaults. All threads of a search share
/// one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Number of search threads, at least 1.
    pub threads: usize,
    /// MultiPV: number of best lines to find, at least 1.
    pub multipv: usize,
    /// Contempt in percent, 0 to 100: how far to count on the opponent's mistakes. It
    /// applies only where [`multipv`](Self::multipv) is 1.
    pub contempt: u8,
    /// The parameters to tune.
    #[cfg(feature = "tune")]
    pub parameters: SearchParameters,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            multipv: 1,
            // More wins against the reference players than 0, with hardly a loss
            // (`docs/evaluation.md`).
            contempt: 30,
            #[cfg(feature = "tune")]
            parameters: SearchParameters::DEFAULT,
        }
    }
}

impl SearchOptions {
    /// The defaults without contempt: the search treats both players as equals.
    pub fn without_contempt() -> SearchOptions {
        SearchOptions {
            contempt: 0,
            ..SearchOptions::default()
        }
    }
}

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
