//! Playing strength from game results: pure functions of counts, independent of
//! files, engines and rules.
//!
//! ```
//! use referee_statistics::{Model, Pentanomial, Points, Sprt, Trinomial};
//!
//! let games = Trinomial { wins: 60, draws: 0, losses: 40 };
//! let elo = games.comparison().elo;
//! assert_eq!(elo.value().map(f64::round), Some(70.0));
//!
//! let pair = Pentanomial::of_pair([Points::Win, Points::Draw]);
//! let test = Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalized)?;
//! assert!(test.llr_of_pairs(&pair) > 0.0);
//! # Ok::<(), String>(())
//! ```
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
//! * `sparse` solves the systems of equations of both.
//!
//! `docs/statistics.md` explains the numbers to users. For the first-move
//! advantage, count all games from the first player's point of view and use
//! [`Trinomial::comparison`].

// Exact results are part of the specification of these functions.
#![cfg_attr(test, allow(clippy::float_cmp))]

mod bradley_terry;
pub mod counts;
mod curvature;
pub mod elo;
pub mod estimate;
mod likelihood;
pub mod posterior;
pub mod ratings;
mod samples;
mod sparse;
pub mod sprt;
#[cfg(test)]
mod tests;

pub use counts::{Pentanomial, Points, Sample, Trinomial};
pub use elo::Comparison;
pub use estimate::{Estimate, Interval, format_number};
pub use ratings::{Crosstable, Rating, Ratings, Sampling, Watch};
pub use sprt::{Decision, Model, Sprt};
