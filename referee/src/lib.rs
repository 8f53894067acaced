//! The referee: lets programs play Magnetic Cave and Gridlock against each
//! other, or against a person, and judges them by the rules.
//!
//! * [`schedule`]: which games there are; [`openings`]: how they begin.
//! * [`player`]: an engine or a person, alike to the
//! * [`arbiter`], which plays one game on a [`clock`] and gives a [`verdict`].
//! * [`process`]: engines as child processes, and the pipes to them;
//!   [`lines`]: bytes to lines; [`console`]: the person at the keyboard;
//!   [`interrupt`]: Ctrl-C and SIGTERM.
//! * [`show`]: what people see.
//!
//! An engine is never trusted: every wait has one deadline, every buffer a
//! bound, every process a group that is killed as a whole.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod arbiter;
pub mod clock;
pub mod console;
pub mod interrupt;
pub mod lines;
mod nearest;
pub mod openings;
pub mod player;
pub mod process;
pub mod schedule;
pub mod show;
pub mod verdict;
