//! The games: rules, evaluation and facts behind traits, and the list of the games.
//!
//! * [`Game`]: the rules, and the facts of one game in [`GameInfo`].
//! * [`Evaluate`]: what the search needs beyond the rules.
//! * [`RootStrategy`]: what only the search at the root asks: solvers, exact values, weak opponents.
//! * [`ProofSearch`]: what a game's own solver needs.
//! * [`RootSearch`]: what a game's solver at the root needs.
//! * [`Yardstick`]: what the frozen player `plain` needs.
//! * [`Variant`]: one of the games. Generic code reaches a game through
//!   [`Variant::visit`], once per command. Code that needs only the rules, such
//!   as a referee, uses [`AnyPosition`].
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

mod any;
mod diagram;
mod evaluate;
pub mod fen;
mod info;
mod outcome;
mod proof;
mod registry;
mod root_strategy;
mod rules;
mod variant;

pub use any::AnyPosition;
pub use diagram::Diagram;
pub use evaluate::{Contempt, Evaluate, Forced, ReferencePlayer, Yardstick};
pub use fen::FenError;
pub use info::{GameInfo, Setup};
pub use outcome::{EndReason, GameResult, Outcome};
pub use proof::{ProofNode, ProofOrdering, ProofSearch};
pub use registry::GameVisitor;
pub use root_strategy::{ExactMove, RootResult, RootSearch, RootStrategy, SolverFact, SwindleLimits};
pub use rules::{Game, MoveError, PausingPerft, perft};

// Each game: its folder, and its line in the list.
pub mod gridlock;
pub mod magnetic_cave;

registry::games! {
    /// 8×8; five in line win.
    MagneticCave => magnetic_cave::MagneticCave,
    /// 7×7; the side that cannot move loses.
    Gridlock => gridlock::Gridlock,
}
