//! Goes through finished games with an engine.
//!
//! * [`GameList`]: the games of the files.
//! * [`Analyst`]: searches the positions of one game with an engine process.
//! * `values`: joins what it found to the values of the moves. Pure.
//! * [`queue`]: several games at a time, delivered in their order.
//! * [`GameSummary`]: the mistakes of a game, as text and JSON.

mod analyst;
mod games;
pub(crate) mod queue;
mod summary;
mod values;

pub(crate) use analyst::{Analyst, AnalystSpec};
pub(crate) use games::GameList;
pub use summary::GameSummary;
pub(crate) use summary::{PlayerRows, move_table};
