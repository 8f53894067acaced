//! Takes the place of `tables` where its library does not compile.

use referee_rules::GameResult;

use crate::position::Position;

/// Tables, which cannot be there.
pub enum Tables {}

impl Tables {
    /// Refuses the path.
    pub fn open(_: &str) -> Result<Tables, String> {
        Err("Syzygy tables cannot be read on this kind of processor; leave the option out".into())
    }

    /// No result.
    pub fn result(&self, _: &Position) -> Option<GameResult> {
        None
    }
}
