//! The games: rules, evaluation and facts behind traits, and the list of the games.
//!
//! * [`Game`]: the rules, and the facts of one game in [`GameInfo`].
//! * [`Evaluate`]: what the search needs beyond the rules.
//! * [`Yardstick`]: what the frozen player `plain` needs.
//! * [`Variant`]: one of the games. Code that needs only the rules, such as a referee, uses
//!   [`AnyPosition`].
//!
//! ```
//! use lodestone::game::Variant;
//!
//! let mut position = Variant::from_name("magnetic-cave").unwrap().startpos();
//! let corner = position.parse_move("a8").unwrap();
//! position.play(corner);
//! assert_eq!(position.fen(), "x7/8/8/8/8/8/8/8 o");
//! assert!(position.parse_move("d4").is_err());
//! ```

#[macro_use]
mod variant;

mod any;
mod evaluate;
pub mod fen;
mod info;
mod rules;

pub(crate) use any::Facade;
pub use any::{AnyPosition, Diagram};
pub(crate) use evaluate::ReferencePlayer;
pub use evaluate::{Contempt, Evaluate, Forced, Yardstick};
pub use fen::FenError;
pub use info::{EndReason, GameInfo, GameResult, Outcome, Samples, Setup};
pub(crate) use rules::PausingPerft;
pub use rules::{Game, MoveError, perft};
pub use variant::Variant;

pub mod gridlock;
pub mod magnetic_cave;
