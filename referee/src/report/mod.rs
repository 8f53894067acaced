//! Reports on result files.
//!
//! * [`Summary`]: the numbers of a match (`--json`); [`table`]: the same as text, in tables
//!   that fit the terminal (`text_table`); [`csv`]: for spreadsheets. All take their `columns` from one list.
//! * [`match_report`]: the report on the files of a match; [`page`]: its page of HTML.

pub mod cells;
mod columns;
pub mod csv;
pub mod match_report;
mod missing;
pub mod page;
pub mod plot;
mod summary;
pub mod table;
pub mod text_table;

pub use summary::{Number, PlayerSummary, Summary, sampling};
pub use table::analysis_table;
