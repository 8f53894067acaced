//! Parts of the program `referee`: how it plays games, and what it reads and counts of results.
//! This is a match without a command line. It is no interface for others, and any version may change it: use the crate
//! `referee`.
//!
//! ```
//! use referee_core::game::clock::parse_seconds;
//!
//! assert_eq!(parse_seconds("2.5")?.as_millis(), 2500);
//! # Ok::<(), String>(())
//! ```
//!
//! Roughly from the bottom up; `tests/engine/modules` refuses modules that import each other in a cycle:
//!
//! * [`system`]: what differs between Unix and Windows.
//! * [`io`]: lines, text, files, signals.
//! * [`failure`]: why a game, a match or a command stops.
//! * [`process`]: child processes, their supervisor and their pipes.
//! * [`schedule`]: which games there are, and how they begin.
//! * [`game`]: a game in progress, its clocks, its board as text, and who observes it.
//! * [`player`]: an engine as a player; answers and verdicts.
//! * [`rules`]: the rules of games that programs know.
//! * [`arbiter`]: plays one game, and ends games before their end.
//! * [`settings`]: what a player is, as users and files write it.
//! * [`results`]: result files, PGN, transcripts, and values from results.
//! * [`tournament`]: the state of a match: standings, forfeits.

// The tour is for readers of the code: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// No interface for others.
// The type of an error says what can fail.
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::new_without_default,
    clippy::return_self_not_must_use
)]
// Linux uses everything.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod arbiter;
pub mod failure;
pub mod game;
pub mod io;
pub mod player;
pub mod process;
pub mod results;
pub mod rules;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod schedule;
pub mod settings;
pub mod system;
pub mod tournament;

use referee_statistics as statistics;
