//! Games played by hand: one or two people at a keyboard, optionally against an engine.
//!
//! * [`console`]: questions and answers, on a terminal or through pipes; [`layout`]: text of any width.
//! * [`menu`]: the questions of plain `referee`.
//! * [`prompt`]: shows the board and reads a move or one of the [`commands`].
//! * [`human`]: a person as a player of a match.
//! * [`session`]: plays games one after the other and executes the commands.
//! * [`thinking`]: what a terminal shows while an engine thinks.
//! * [`messages`]: the texts of a game, worded as in the course projects where they have one.

pub(crate) mod commands;
pub(crate) mod console;
mod execute;
pub(crate) mod human;
mod layout;
pub(crate) mod menu;
pub(crate) mod messages;
pub(crate) mod prompt;
pub(crate) mod session;
mod thinking;
