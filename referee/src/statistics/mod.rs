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
//! * [`ratings`]: any number of players on one scale. `reachability` says which of
//!   them can be compared, `bradley_terry` fits, `rating_fit` puts both together
//!   and `bootstrap` draws results again for the intervals.
//! * `distribution` and `normal`: means, variances and the bell curve.
//!
//! `docs/statistics.md` explains the numbers to users. The advantage of moving
//! first needs nothing of its own: count all games as the first player sees
//! them, and compare ([`Trinomial::comparison`]).

// Exactly the number that is asserted, where that is what must come out.
#![cfg_attr(test, allow(clippy::float_cmp))]

mod bootstrap;
mod bradley_terry;
pub mod counts;
mod distribution;
pub mod elo;
pub mod estimate;
mod likelihood;
mod normal;
mod rating_fit;
pub mod ratings;
mod reachability;
pub mod sprt;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod properties;

pub use counts::{Pentanomial, Points, Sample, Trinomial};
pub use elo::Comparison;
pub use estimate::{Estimate, Interval, format_number};
pub use ratings::{Bootstrap, Crosstable, Rating, RatingRow, Ratings};
pub use sprt::{Decision, Model, Sprt};
