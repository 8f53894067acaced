//! A match on the page.

use std::collections::BTreeMap;

use super::history::History;
use crate::report::summary::Summary;
use crate::report::table;
use crate::results::{Header, Record};
use crate::tournament::Tournament;

/// Passes each record of a match to a function. A game may come several times.
pub type Records<'a> = dyn Fn(&mut dyn FnMut(&Record) -> Result<(), String>) -> Result<(), String> + 'a;

pub struct PageMatch<'a> {
    /// The header of the whole match.
    pub header: &'a Header,
    /// The state of the match.
    pub tournament: &'a Tournament,
    /// The numbers.
    pub summary: &'a Summary,
    /// The development of the numbers.
    pub history: &'a History,
    /// What a reader should know of the data, such as missing games.
    pub notes: Vec<String>,
    /// The transcripts by game number.
    pub transcripts: BTreeMap<u64, String>,
    /// The games in progress.
    pub running: Vec<Record>,
    /// The games.
    pub records: Box<Records<'a>>,
}

impl PageMatch<'_> {
    /// The title: players, limits, openings and seed.
    pub fn title(&self) -> String {
        table::title(self.header)
    }
}
