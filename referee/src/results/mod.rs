//! Result files: JSON Lines with a header and one record per finished game.
//!
//! * [`Header`]: game, schedule and engines.
//! * [`Record`]: a finished game.
//! * [`Facts`]: what else a record keeps of each move.
//! * [`Analysis`]: what an engine says of each move after the game; [`mistakes`]: the moves that
//!   lose much.
//! * [`Reader`]: reads a file line by line; [`Store`]: appends to a file, and
//!   resumes an interrupted match.
//! * [`game_file`]: finds a game in a file of any format.
//! * [`StoredGame`]: one game from such a file; [`replay`]: its positions and
//!   facts move by move.
//! * [`saved_game`]: one game that was saved by hand.
//! * [`pgn`]: games as PGN; [`transcripts`]: transcripts of games lost by a fault.

mod analysis;
mod facts;
pub mod game_file;
mod header;
pub mod mistakes;
pub mod pgn;
pub mod pgn_reader;
mod reader;
mod record;
pub mod replay;
mod run_facts;
pub mod saved_game;
mod store;
mod stored_game;
mod text_digest;
pub mod transcripts;

pub use analysis::{Analysis, AnalysisTally, MAX_ANALYSIS_LINE, MoveAnalysis};
pub use facts::{FactFields, Facts};
pub use header::{EngineEntry, Header, ScheduleEntry, Unfit, VERSION};
pub use reader::{Accepted, Line, ReadError, Reader, SprtEnd, SprtVerdict, read_line};
pub use record::{Record, content_digest, fingerprint};
pub use text_digest::digest;

#[cfg(test)]
pub(crate) use analysis::tests as analysis_tests;
#[cfg(test)]
pub(crate) use header::tests as header_tests;
#[cfg(test)]
pub(crate) use record::tests;
pub use run_facts::SandboxRun;
pub use store::{OpenError, Store, host_name, unfit_in};
pub use stored_game::StoredGame;
