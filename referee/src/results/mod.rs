//! Result files: JSON Lines with a header and one record per finished game.
//!
//! * [`Header`]: game, schedule and engines.
//! * [`Record`]: a finished game.
//! * [`Reader`]: reads a file line by line; [`Store`]: appends to a file, and
//!   resumes an interrupted match.
//! * [`saved_game`]: one game that was saved by hand.
//! * [`pgn`]: games as PGN; [`transcripts`]: transcripts of games lost by a fault.

mod header;
pub mod pgn;
mod reader;
mod record;
pub mod saved_game;
mod store;
pub mod transcripts;

pub use header::{EngineEntry, Header, ScheduleEntry, VERSION};
pub use reader::{Accepted, Line, LocatedLine, ReadError, Reader, SprtEnd, SprtVerdict};
pub use record::{Record, digest};

#[cfg(test)]
pub(crate) use header::tests as header_tests;
#[cfg(test)]
pub(crate) use record::tests;
pub use store::{OpenError, Store};
