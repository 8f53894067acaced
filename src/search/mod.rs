//! The search: iterative deepening principal variation search with a
//! transposition table, generic over the game.
//!
//! ```text
//! engine ── Task ──▶ Searcher::think ──▶ best move
//!    ▲                    │
//!    └───── Observer ◀────┘   the best move so far, and progress to show
//! ```
//!
//! * [`task`]: what a search is asked, when it has to end, whom it tells.
//! * [`principal_variation`]: the search of the `lodestone` personality below the
//!   root, `deepening` at the root.
//! * `exact`: the search to the end of the game.
//! * [`table`]: what is remembered of positions.
//! * [`ordering`]: which move is looked at first.
//! * `impression`: a move for when there was no time to search.
//! * `threads`: several threads at one search.

mod deepening;
mod exact;
mod fallback;
pub mod ordering;
pub mod principal_variation;
pub mod table;
pub mod task;
mod threads;

pub use fallback::fallback_move;
pub use principal_variation::Lodestone;
pub use task::{Deadlines, LastReport, Observer, Progress, SearchLimits, Searcher, StopToken, Task};
