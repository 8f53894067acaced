//! Games by hand: one or two people at a keyboard, perhaps against an engine.
//!
//! * [`console`]: the person at the keyboard: questions and answers.
//! * [`menu`]: what `referee` alone asks, and [`level`]: how strong the engine
//!   is to be.
//! * [`table`]: where people sit: the board as they see it, and what they say,
//!   a move or one of the commands of [`talk`].
//! * [`human`]: a person as a player of a match.
//! * [`session`]: the games that are played there, one after the other, and
//!   what is asked for meanwhile.
//! * [`adviser`]: an engine that is asked for hints.
//! * [`transcript`]: a game as a file.
//! * [`wording`]: the sentences, those of the course projects where they have
//!   one.

pub mod adviser;
pub mod console;
pub mod human;
pub mod level;
pub mod menu;
mod requests;
pub mod session;
pub mod table;
pub mod talk;
pub mod transcript;
pub mod wording;
