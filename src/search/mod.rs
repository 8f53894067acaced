//! The search: iterative deepening principal variation search with a
//! transposition table, generic over the game.
//!
//! ```text
//! engine ── Task ──▶ Searcher::search ──▶ best move
//!    ▲                    │
//!    └───── Observer ◀────┘   the best move so far, and progress to show
//! ```
//!
//! * [`task`]: what a search is asked, when it has to end, whom it tells.
//! * [`Lodestone`]: the player `lodestone`: `lazy_smp` (its threads),
//!   `iterative_deepening` (the root), `principal_variation` (below the root),
//!   `solver` (the search to the end of the game), `thread` (the state of one thread).
//! * [`table`]: what is remembered of positions.
//! * [`ordering`]: which move is looked at first.
//! * `impression`: a move for when there was no time to search.

mod fallback;
mod iterative_deepening;
mod lazy_smp;
mod lodestone;
mod node_count;
mod options;
pub mod ordering;
mod principal_variation;
mod solver;
pub mod table;
pub mod task;
mod thread;

pub use fallback::fallback_move;
pub use lodestone::Lodestone;
pub use options::SearchOptions;
pub use task::{Deadlines, LastReport, Observer, Progress, SearchLimits, Searcher, StopToken, Task};
