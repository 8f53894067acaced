//! Lodestone: an engine for board games that speaks a UCI-style text protocol. The rules of the
//! games, the protocol and small tools are in the package `lodestone-game`, which the referee uses as well.
//!
//! # Modules
//!
//! Roughly from the bottom up; `tests/engine/modules` refuses modules that import each other in a cycle.
//!
//! * [`game`]: what the engine knows of each game.
//! * [`search`]: iterative deepening principal variation search and a solver.
//! * `strategy`: what each game adds to the search at the root.
//! * [`personality`]: the engine's players: `lodestone`, the reference players, `random`,
//!   and `plain`, the frozen baseline.
//! * [`book`]: opening books that the engine computed for itself.
//! * [`engine`]: session and options.
//!
//! The path of a `go` command: a line of standard input with its time of arrival →
//! the session → [`Go`](lodestone_game::protocol::Command::Go) → [`budget`](lodestone_game::time::budget) → a
//! [`search::Searcher`] in a worker thread, which publishes its best move so far → end of
//! the search or deadline, whichever comes first → [`BestMove`](lodestone_game::protocol::Reply::BestMove) → one
//! write, one flush.
//!
//! # In another program
//!
//! Legal moves, a move, and the engine's answer. [`Game`](lodestone_game::Game) has the rules,
//! [`search::best_move`] asks a player. `examples/library.rs` does the same for two games.
//!
//! ```
//! use std::time::Duration;
//!
//! use lodestone::search::{Lodestone, SearchLimits, best_move};
//! use lodestone_game::Game;
//! use lodestone_game::magnetic_cave::MagneticCave;
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
//! If the game is known only by its name, [`Variant::startpos`](lodestone_game::Variant::startpos) gives a position of
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

pub mod book;
pub mod engine;
pub mod game;
pub mod personality;
pub mod search;
mod strategy;
