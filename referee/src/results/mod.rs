//! Result files: JSON Lines, a header and one record a finished game.
//!
//! * [`Header`]: what was played; two headers are the same where the match is.
//! * [`Record`]: a finished game.
//! * [`Reader`]: a file line by line; [`Store`]: a file that is being written,
//!   again and again until the match is done.

mod header;
mod reader;
mod record;
mod store;

pub use header::{EngineEntry, Header, ScheduleEntry, VERSION};
pub use reader::{Line, Placed, ReadError, Reader, SprtEnd, SprtVerdict};
pub use record::{Record, digest};

#[cfg(test)]
pub(crate) use header::tests::header_of;
#[cfg(test)]
pub(crate) use record::tests;
pub use store::{OpenError, Store};
