//! The outcome distribution of a game or of a pair.

use super::counts::{Pentanomial, Trinomial};

/// Counts of `N` evenly spaced outcomes from 0 to 1 in ascending order: `N` is 3
/// for a game (0, ½, 1) and 5 for a pair (0, ¼, ½, ¾, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution<const N: usize>(pub [f64; N]);

impl From<&Trinomial> for Distribution<3> {
    fn from(games: &Trinomial) -> Self {
        Distribution([games.losses, games.draws, games.wins].map(|count| count as f64))
    }
}

impl From<&Pentanomial> for Distribution<5> {
    fn from(pairs: &Pentanomial) -> Self {
        Distribution(pairs.bins().map(|count| count as f64))
    }
}

impl<const N: usize> Distribution<N> {
    /// Games per observation: 1 for games, 2 for pairs.
    pub const GAMES: f64 = (N as f64 - 1.0) / 2.0;

    /// The outcomes, from 0 to 1.
    pub fn values() -> [f64; N] {
        std::array::from_fn(|place| place as f64 / (N as f64 - 1.0))
    }

    /// The number of observations.
    pub fn size(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The mean outcome; `None` without observations.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self
            .0
            .iter()
            .zip(Self::values())
            .map(|(count, value)| count * value)
            .sum();
        let size = self.size();
        (size > 0.0).then(|| sum / size)
    }

    /// The population variance, given the mean; NaN without observations.
    /// Exactly 0 where all outcomes are equal: sums of fewer than 2⁵¹ outcomes
    /// are exact.
    pub fn variance(&self, mean: f64) -> f64 {
        let squares = self.0.iter().zip(Self::values());
        let sum: f64 = squares.map(|(count, value)| count * (value - mean).powi(2)).sum();
        sum / self.size()
    }
}
