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
//! | `limits`, `options`, [`task`] | what a search is asked: limits, deadlines, options, observer |
//! | `memory` | available memory |
//! | [`table`] | transposition table |
//! | `proof_table` | the proofs in it |
//! | `swindle` | a line that saves or wins a game if the opponent errs as expected |
//! | [`ordering`] | move ordering: table move, killers, history |
//! | `shared_proof` | what threads tell each other: node counts, and what they know of a proof |
//! | `thread` | the state of one search thread |
//! | `solver` | alpha-beta to the end of the game |
//! | `proof` | a game's own solver at the root: the result, a move and a line that keep it |
//! | `principal_variation` | search below the root: principal variation search, late move reductions, reverse futility pruning, internal iterative reduction |
//! | `exact_play` | play where the game knows the exact result of every move |
//! | `root_solver` | a game's solver at the root, in turn with the iterations |
//! | `swindle_search` | finds such a line |
//! | `iterative_deepening` | search at the root: aspiration windows, MultiPV, switch to the solver |
//! | `lazy_smp` | several threads at one search |
//! | `lodestone` | the player [`Lodestone`] |
//! | `best_move` | one search with one call, and the best move without search |

mod best_move;
mod exact_play;
mod iterative_deepening;
mod lazy_smp;
mod limits;
mod lodestone;
mod memory;
mod options;
pub mod ordering;
mod principal_variation;
mod proof;
mod proof_table;
mod root_solver;
mod shared_proof;
mod solver;
mod swindle;
mod swindle_search;
pub mod table;
pub mod task;
mod thread;

pub use best_move::{BestMove, best_move, fallback_move};
pub use limits::{Deadlines, Pause, SearchLimits, StopToken};
pub use lodestone::Lodestone;
pub use options::{SearchOptions, SearchParameters};
pub use swindle::{ShallowOpponent, shallow_opponent};
pub use task::{LastReport, Observer, Progress, Searcher, Task};
