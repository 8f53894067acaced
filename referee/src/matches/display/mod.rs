//! What people and programs see while a match runs: boards, moves, progress, events.

mod cutechess;
mod event;
mod match_display;
mod status;

pub use event::ReadEvent;
pub(crate) use event::{Event, TunedOptions};
pub(crate) use match_display::{FEW_GAMES, MatchDisplay, OutputMode, print};
pub(crate) use status::Pace;
