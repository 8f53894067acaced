//! Result files: JSON Lines, a header and one record a finished game.

mod record;
mod store;

pub use record::{EngineEntry, Header, Record, ScheduleEntry};
pub use store::Store;
