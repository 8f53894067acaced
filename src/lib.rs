//! Lodestone: a game engine for Magnetic Cave and Gridlock that speaks a
//! UCI-style text protocol, and the rules and types that its referee shares.
//!
//! # A guided tour
//!
//! From the bottom up; each module knows only those above it in this list.
//!
//! * [`board`]: sides, cells, bitboards and moves, the small values that all
//!   games share.
//! * [`random`]: random numbers that never change, for schedules and players.
//! * [`memory`]: how much memory the machine can still give.
//! * [`score`]: judged values, proven results and their text.
//! * [`game`]: the rules behind one trait, and one folder a game.
//! * [`protocol`]: typed commands and replies, and their text both ways.
//! * [`search`]: iterative deepening principal variation search.
//! * [`personality`]: who plays: the engine, the course projects' players, the
//!   frozen yardstick.
//! * [`engine`]: the program: events, options, time, who answers
//!   of standard output.
//!
//! One `go` on its way: a line of standard input, stamped with its arrival →
//! the session → [`protocol::Command::Go`] → [`engine::time::budget`] →
//! a [`search::Searcher`] in a thread of its own, which publishes its best move
//! so far → the end of the search or the deadline, whichever comes first →
//! [`protocol::Reply::BestMove`] → one write, one flush.
//!
//! ```
//! use lodestone::game::Variant;
//!
//! let start = Variant::MagneticCave.startpos();
//! assert_eq!(start.legal_moves().len(), 16);
//! ```
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::print_stdout
    )
)]

pub mod board;
pub mod engine;
pub mod game;
pub mod memory;
pub mod personality;
pub mod protocol;
mod quoted;
pub mod random;
pub mod score;
pub mod search;
