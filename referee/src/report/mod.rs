//! Reports on result files.
//!
//! * [`Summary`]: the numbers of a match (`--json`); [`table`]: the same as text, in tables
//!   that fit the terminal (`text_table`); [`csv`]: for spreadsheets.
//! * [`match_report`]: the report on the files of a match; [`page`]: its page of HTML.

pub(crate) mod csv;
pub(crate) mod match_report;
pub(crate) mod page;
pub(crate) mod plot;
mod summary;
pub(crate) mod table;
pub(crate) mod text_table;

pub(crate) use summary::{Number, PlayerSummary, RESAMPLES, Summary};
pub(crate) use table::analysis_table;
