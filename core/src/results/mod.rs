//! Result files: JSON Lines with a header and one record per finished game. The winners of the games in a file:
//!
//! ```
//! use referee_core::results::{Line, Reader};
//!
//! let file = r#"{"id": 1, "variant": "gridlock", "round": 1, "pair": 1, "first": "ada", "second": "ben",
//!     "start": "xo5/7/7/7/7/7/5xo x 0 1", "moves": ["a1b1"], "opening_plies": 0, "ms": [2], "score": [null],
//!     "result": "1-0", "reason": "mobility", "detail": "ada has more free cells"}"#.replace('\n', " ");
//! let mut reader = Reader::new(file.as_bytes());
//! let mut winners = Vec::new();
//! while let Some(found) = reader.next_line()? {
//!     if let Line::Record(game) = found.line {
//!         winners.extend(game.winner().map(str::to_owned));
//!     }
//! }
//! assert_eq!(winners, ["ada"]);
//! # Ok::<(), referee_core::results::ReadError>(())
//! ```
//!
//! * [`Header`]: game, schedule and engines.
//! * [`Record`]: a finished game.
//! * [`FactFields`]: what else a record keeps of each move.
//! * [`Analysis`]: what an engine says of each move after the game; [`analysis`] also has the
//!   moves that lose much.
//! * [`Reader`]: reads a file line by line; [`Store`]: appends to a file, and
//!   resumes an interrupted match.
//! * [`archive`]: the matches in any number of files, whose lines several threads read
//!   (`line_stream`); [`counted_game`]: what tables need of a record.
//! * [`tuning`]: the values of options that the games of `referee tune` lead to.
//! * [`game_counter`]: counts the games of a file that grows.
//! * [`game_file`]: finds a game in a file of any format.
//! * [`StoredGame`]: one game from such a file, with its positions and the facts of its moves.
//! * [`pgn`]: games as PGN; [`transcripts`]: transcripts of games lost by a fault.

pub mod analysis;
pub mod archive;
pub mod counted_game;
mod differences;
mod engine_entry;
pub mod facts;
pub mod game_counter;
pub mod game_file;
mod header;
mod line_stream;
pub mod pgn;
mod pgn_tokens;
mod reader;
pub mod record;
mod recording;
pub mod sprt;
mod store;
pub mod stored_game;
pub mod transcripts;
pub mod tuning;

pub use analysis::{Analysis, AnalysisTally, MAX_ANALYSIS_LINE, MoveAnalysis};
pub use differences::MOST_DIFFERENCES;
pub use engine_entry::{EngineEntry, Submission};
pub use facts::FactFields;
pub use header::Header;
pub use header::UnfitPlayer;
pub use header::{ProgramChange, RulesEntry, ScheduleEntry, VERSION};
pub use reader::{Accepted, SandboxRun, SprtVerdict, read_line};
pub use reader::{Line, ReadError, Reader};
pub use record::Record;
pub use record::RecordedFault;
pub use transcripts::folder_beside;

pub use store::host_name;
pub use store::{LockedFile, OpenError, ReadFile, Store, read_content, unfit_in};
pub use stored_game::{StoredGame, StoredMove};
