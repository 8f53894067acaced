//! What the games of players say of their strength: pure functions of counts,
//! which know nothing of files, engines or rules.
//!
//! * [`counts`]: games and pairs of games, as one player sees them.
//! * [`estimate`]: a number with its interval, which may be infinite or
//!   undefined but never "not a number".
//! * [`elo`]: two players: score, Elo, normalized Elo, likelihood of
//!   superiority.
//! * [`sprt`]: the test that says when enough games have been played;
//!   `likelihood` finds what it has to maximise.
//! * `distribution` and `normal`: means, variances and the bell curve.
//!
//! `docs/statistics.md` explains the numbers to users. The advantage of moving
//! first needs nothing of its own: count all games as the first player sees
//! them, and compare ([`Trinomial::comparison`]).

// Exactly the number that is asserted, where that is what must come out.
#![cfg_attr(test, allow(clippy::float_cmp))]

pub mod counts;
mod distribution;
pub mod elo;
pub mod estimate;
mod likelihood;
mod normal;
pub mod sprt;

pub use counts::{Pentanomial, Points, Record, Trinomial};
pub use elo::Comparison;
pub use estimate::{Estimate, Interval, shown};
pub use sprt::{Decision, Model, Sprt};
