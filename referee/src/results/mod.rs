//! Result files: JSON Lines, a header and one record a finished game.
//!
//! * [`Header`]: what was played; two headers are the same where the match is.
//! * [`Record`]: a finished game.
//! * [`Reader`]: a file line by line; [`Store`]: a file that is being written,
//!   again and again until the match is done.
//! * [`archive`]: files that are read again, and which of them belong together.
//! * [`pgn`]: games for rating programs and databases; [`pgn_file`]: files of
//!   them.

mod append_only;
pub mod archive;
mod header;
pub mod pgn;
pub mod pgn_file;
mod reader;
mod record;
mod store;

pub use header::{EngineEntry, Header, ScheduleEntry, VERSION};
pub use reader::{Line, Placed, ReadError, Reader, SprtEnd, SprtVerdict};
pub use record::{Record, digest};

#[cfg(test)]
pub(crate) use header::tests as header_tests;
#[cfg(test)]
pub(crate) use record::tests;
pub use store::{OpenError, Store};
