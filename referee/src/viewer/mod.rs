//! Shows one stored game to a person: step by step on a terminal, all boards elsewhere.
//!
//! * [`GameText`]: the facts of a game as text, and all boards one after the other.
//! * [`list`]: the games of a file.
//! * `layout`: what one screen shows; `keys`: what the keys mean. Both are pure.
//! * [`terminal`]: the terminal itself.

mod game_text;
mod keys;
mod layout;
pub mod list;
pub mod terminal;

pub use game_text::GameText;
