//! The referee: lets programs play Magnetic Cave and Gridlock against each
//! other, or against a person, and judges them by the rules.
//!
//! * [`process`]: engines as child processes, and the pipes to them;
//!   [`lines`]: bytes to lines; [`interrupt`]: Ctrl-C and SIGTERM.
//! * [`show`]: what people see.
//!
//! An engine is never trusted: every wait has one deadline, every buffer a
//! bound, every process a group that is killed as a whole.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod interrupt;
pub mod lines;
pub mod process;
pub mod show;
