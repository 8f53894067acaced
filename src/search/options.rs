//! The options of a search.

#[cfg(feature = "tune")]
use super::parameters::SearchParameters;

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
