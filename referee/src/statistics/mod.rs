//! Playing strength from game results: pure functions of counts, independent of
//! files, engines and rules.
//!
//! * [`counts`]: game and pair counts from one player's point of view.
//! * [`estimate`]: a value with its confidence interval; it may be infinite or
//!   undefined, but is never NaN.
//! * [`elo`]: two players: score, Elo, normalized Elo, likelihood of superiority.
//! * [`sprt`]: the sequential probability ratio test; `likelihood` computes its
//!   maximum likelihood estimates.
//! * [`ratings`]: any number of players on one scale. `bradley_terry` fits the
//!   ratings.
//! * [`posterior`]: players of a ladder, who come and go in versions.
//!
//! `docs/statistics.md` explains the numbers to users. For the first-move
//! advantage, count all games from the first player's point of view and use
//! [`Trinomial::comparison`].

// Exact results are part of the specification of these functions.
#![cfg_attr(test, allow(clippy::float_cmp))]

mod bradley_terry;
pub(crate) mod counts;
pub(crate) mod elo;
pub(crate) mod estimate;
mod likelihood;
pub(crate) mod posterior;
pub(crate) mod ratings;
pub(crate) mod sprt;
#[cfg(test)]
mod tests;

pub use counts::{Pentanomial, Points, Sample, Trinomial};
pub use elo::Comparison;
pub use estimate::{Estimate, Interval, format_number};
pub use ratings::{Bootstrap, Crosstable, Rating, Ratings};
pub use sprt::{Decision, Model, Sprt};
