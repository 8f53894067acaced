//! The search: iterative deepening principal variation search with a transposition
//! table, and a solver for the end of the game. Generic over the game.
//!
//! ```text
//! engine ── Task ──▶ Searcher::search ──▶ best move
//!    ▲                    │
//!    └───── Observer ◀────┘   best move so far, progress reports
//! ```
//!
//! The modules, from the bottom up:
//!
//! | module | what it does |
//! |---|---|
//! | [`task`] | what a search is asked: moves, limits, deadlines, options, observer |
//! | `memory` | available memory |
//! | [`table`] | transposition table |
//! | `ordering` | move ordering: table move, killers, history |
//! | `thread` | the state of one search thread, and what a game adds at the root: [`RootStrategy`] |
//! | `principal_variation` | search below the root: principal variation search, late move reductions, reverse futility pruning, internal iterative reduction |
//! | `solver` | alpha-beta to the end of the game |
//! | `iterative_deepening` | search at the root: aspiration windows, MultiPV |
//! | `lodestone` | the player [`Lodestone`], with several threads at one search |
//! | `best_move` | one search with one call, and the best move without search |

mod best_move;
mod iterative_deepening;
mod lodestone;
mod memory;
mod ordering;
mod principal_variation;
mod solver;
pub mod table;
pub mod task;
mod thread;

pub(crate) use best_move::fallback_move;
pub use best_move::{BestMove, best_move};
pub use lodestone::Lodestone;
pub(crate) use task::{Deadlines, ShallowOpponent, Silent};
pub use task::{
    LastReport, Observer, Pause, Progress, SearchLimits, SearchOptions, Searcher, StopToken, Task,
};
pub use thread::RootStrategy;
pub(crate) use thread::{RootState, SearchThread};

#[cfg(test)]
pub(crate) use {lodestone::tests::search_in_slices, thread::with_thread};
