//! What Lodestone, a game engine, shares with its referee: the rules of the games, the protocol, and small tools.
//! The search is in the package `lodestone-engine`.
//!
//! Roughly from the bottom up; `tests/engine/modules` refuses modules that import each other in a cycle:
//!
//! * [`board`]: sides, cells, bitboards and moves.
//! * [`random`]: reproducible random numbers.
//! * [`text`]: untrusted text made safe to show.
//! * [`lines`]: a bounded line buffer; [`input`]: lines from a client with the times of their arrival.
//! * [`logging`]: messages of the programs on standard error.
//! * [`score`]: evaluations and proven results.
//! * [`Game`]: the rules, and the facts of one game in [`GameInfo`]; [`fen`]: positions as text.
//! * [`magnetic_cave`], [`gridlock`]: the games.
//! * [`Variant`]: one of the games. Code that needs only the rules, such as a referee, uses [`AnyPosition`].
//! * [`players`]: the names of the engine's players, and the levels of the computer.
//! * [`protocol`]: typed commands and replies, parsed and formatted.
//! * [`time`]: time management.
//! * [`games_json`]: the facts of the games as JSON, for scripts of pages.
//! * [`usage`]: the command line of `lodestone`, for its help, man page and completions.
//!
//! What the search calls is `#[inline]`: only such functions are inlined in another package, and the search would
//! need twice the time without it.
//!
//! ```
//! use lodestone_game::Variant;
//!
//! let mut position = Variant::from_name("magnetic-cave").unwrap().startpos();
//! let corner = position.parse_move("a8").unwrap();
//! position.play(corner);
//! assert_eq!(position.fen(), "x7/8/8/8/8/8/8/8 o");
//! assert!(position.parse_move("d4").is_err());
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

// First, because the modules below use its macro `with_game!`.
#[macro_use]
mod variant;

mod any;
pub mod board;
pub mod fen;
pub mod games_json;
pub mod gridlock;
mod info;
pub mod input;
pub mod lines;
pub mod logging;
pub mod magnetic_cave;
pub mod players;
pub mod protocol;
pub mod random;
mod rules;
pub mod score;
pub mod text;
pub mod time;
pub mod usage;

pub use any::{AnyPosition, Diagram, Facade};
pub use fen::FenError;
pub use info::{EndReason, GameInfo, GameResult, Outcome, Samples, Setup};
pub use rules::{Game, MoveError, PausingPerft, ReferencePlayer, perft};
pub use variant::Variant;

/// The version with the commit, if it is known, and the target:
/// `0.4.0 (0123456789ab, x86_64-unknown-linux-gnu)`.
pub const VERSION: &str = env!("LODESTONE_VERSION");
