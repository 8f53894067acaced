//! What people see while a match runs: boards, moves, progress, events.

mod board;
mod events;
mod screen;
mod status;

pub use board::{Drawing, Look, OPEN_SIGN};
pub use events::Event;
pub use screen::{Detail, GameView, Screen};
