//! Lodestone: an engine for board games that speaks a UCI-style text protocol. The rules, types
//! and protocol are shared with the referee.
//!
//! # Modules
//!
//! Roughly from the bottom up; `tests/engine/modules` refuses modules that import each other in a cycle.
//!
//! * [`board`]: sides, cells, bitboards and moves.
//! * [`random`]: reproducible random numbers.
//! * [`lines`]: a bounded line buffer.
//! * [`text`]: untrusted text made safe to show.
//! * [`logging`]: messages of the programs on standard error.
//! * [`score`]: evaluations and proven results.
//! * [`game`]: the rules behind one trait; one folder per game.
//! * [`protocol`]: typed commands and replies, parsed and formatted.
//! * [`search`]: iterative deepening principal variation search and a solver.
//! * `strategy`: what each game adds to the search at the root.
//! * [`personality`]: the engine's players: `lodestone`, the reference players, `random`,
//!   and `plain`, the frozen baseline.
//! * [`games_json`]: the facts of the games as JSON, for scripts of pages.
//! * [`book`]: opening books that the engine computed for itself.
//! * [`engine`]: session, options, time management.
//! * [`usage`]: the command line, for its help, man page and completions.
//!
//! The path of a `go` command: a line of standard input with its time of arrival →
//! the session → [`protocol::Command::Go`] → [`engine::time::budget`] → a
//! [`search::Searcher`] in a worker thread, which publishes its best move so far → end of
//! the search or deadline, whichever comes first → [`protocol::Reply::BestMove`] → one
//! write, one flush.
//!
//! # In another program
//!
//! Legal moves, a move, and the engine's answer. [`Game`](game::Game) has the rules,
//! [`search::best_move`] asks a player. `examples/library.rs` does the same for two games.
//!
//! ```
//! use std::time::Duration;
//!
//! use lodestone::game::{Game, magnetic_cave::MagneticCave};
//! use lodestone::search::{Lodestone, SearchLimits, best_move};
//!
//! let mut position = MagneticCave::startpos();
//! assert_eq!(position.legal_moves().len(), 16);
//! position = position.play(position.parse_move("a8")?);
//! let mut engine = Lodestone::with_hash(16)?; // megabytes
//! let limits = SearchLimits::time(Duration::from_millis(50));
//! let best = best_move(&mut engine, &position, limits).ok_or("the game is over")?;
//! println!("{}, {:?}", MagneticCave::move_text(best.mv), best.report);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If the game is known only by its name, [`game::Variant::startpos`] gives a position of
//! any game.
// The tour is for readers of the code: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
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

// First, because the modules below use its macro `with_game!`.
#[macro_use]
pub mod game;

pub mod board;
pub mod book;
pub mod engine;
pub mod games_json;
pub mod lines;
pub mod logging;
pub mod personality;
pub mod protocol;
pub mod random;
pub mod score;
pub mod search;
mod strategy;
pub mod text;
pub mod usage;

/// The version with the commit, if it is known, and the target:
/// `0.4.0 (0123456789ab, x86_64-unknown-linux-gnu)`.
pub const VERSION: &str = env!("LODESTONE_VERSION");
