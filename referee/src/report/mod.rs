//! Reports on result files.
//!
//! * [`archive`]: reads result files and groups them by match.
//! * [`Summary`]: the numbers of a match (`--json`); [`table`]: the same as text, in tables
//!   that fit the terminal (`text_table`); [`csv`]: for spreadsheets.
//! * [`pgn_file`]: PGN files; [`page`]: pages of HTML.

mod analysis_table;
pub mod archive;
pub mod csv;
mod line_stream;
pub mod page;
pub mod pgn_file;
mod summary;
pub mod table;
pub mod text_table;

pub use analysis_table::analysis_table;
pub use summary::{Number, RESAMPLES, Summary};
