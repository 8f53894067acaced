//! Reports on result files.
//!
//! * [`archive`]: reads result files and groups them by match.
//! * [`Summary`]: the numbers of a match (`--json`); [`table`]: the same as text.
//! * [`pgn_file`]: PGN files.

pub mod archive;
pub mod pgn_file;
mod summary;
pub mod table;

pub use summary::{MeetingSummary, Number, PlayerSummary, Summary};
