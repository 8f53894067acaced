//! What people and programs see while a match runs: boards, moves, progress, events.

mod board;
mod cutechess;
mod event;
mod match_display;
mod status;
mod watch;

pub use board::{BoardDrawing, BoardStyle, OPEN_SIGN, beside, board_columns};
pub use event::{Event, TunedOptions};
pub use match_display::{Intervals, MatchDisplay, OutputMode};
pub use status::Pace;
