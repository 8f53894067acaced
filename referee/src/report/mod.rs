//! What a match came to: result files read again, summaries, tables and PGN files.
//!
//! * [`archive`]: which result files belong to one match, and their records.
//! * [`Summary`]: the numbers, as `--json` prints them; [`table`]: the same for people.
//! * [`pgn_file`]: files of games as PGN.

pub mod archive;
pub mod pgn_file;
mod summary;
pub mod table;

pub use summary::{MeetingSummary, Number, PlayerSummary, Summary};
