//! What a game or a pair brings, as a distribution: the common ground of counts
//! of games and counts of pairs.

use super::counts::{Pentanomial, Trinomial};

/// How often each of `N` evenly spaced values from 0 to 1 was seen, the lowest
/// first: three for a game (0, ½, 1), five for a pair (0, ¼, ½, ¾, 1).
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
    /// How many games one of the counted things has.
    pub const GAMES: f64 = (N as f64 - 1.0) / 2.0;

    /// The values.
    pub fn values() -> [f64; N] {
        std::array::from_fn(|place| place as f64 / (N as f64 - 1.0))
    }

    /// How many were seen.
    pub fn size(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The mean value; `None` where nothing was seen.
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

    /// The mean squared distance from `mean`, which is the variance where `mean`
    /// is the mean. Only for what has a mean. Exactly 0 where one value alone was
    /// seen: the sums of fewer than 2⁵¹ of them have no rounding.
    pub fn variance(&self, mean: f64) -> f64 {
        let squares = self.0.iter().zip(Self::values());
        let sum: f64 = squares.map(|(count, value)| count * (value - mean).powi(2)).sum();
        sum / self.size()
    }
}
