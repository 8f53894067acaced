//! Result files: JSON Lines, a header and one record a finished game.
//!
//! * [`Header`]: what was played; two headers are the same where the match is.
//! * [`Record`]: a finished game.
//! * [`Reader`]: a file line by line; [`Store`]: a file that is being written,
//!   again and again until the match is done.
//! * [`pgn`]: a game as PGN; [`transcripts`]: what was said in games lost by a fault.

mod header;
pub mod pgn;
mod reader;
mod record;
mod store;
mod text;
pub mod transcripts;

pub use header::{EngineEntry, Header, ScheduleEntry, VERSION};
pub use reader::{Accepted, Line, LocatedLine, ReadError, Reader, SprtEnd, SprtVerdict};
pub use record::{Record, digest};

#[cfg(test)]
pub(crate) use header::tests as header_tests;
#[cfg(test)]
pub(crate) use record::tests;
pub use store::{OpenError, Store};
