//! One player's rating.

use std::fmt;

use super::estimate::format_number;

/// A player's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rating {
    /// A rating in Elo; the mean of all finite ratings is 0.
    Finite(f64),
    /// Infinitely above the main component: it is reachable from this player, but
    /// not vice versa.
    AboveAll,
    /// Infinitely below the main component: this player is reachable from it, but
    /// not vice versa.
    BelowAll,
    /// Neither is reachable from the other.
    Incomparable,
}

impl Rating {
    /// The range of possible Elo.
    pub const fn ends(self) -> (f64, f64) {
        match self {
            Rating::Finite(elo) => (elo, elo),
            Rating::AboveAll => (f64::INFINITY, f64::INFINITY),
            Rating::BelowAll => (f64::NEG_INFINITY, f64::NEG_INFINITY),
            Rating::Incomparable => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}

impl fmt::Display for Rating {
    /// Such as `85.55`, `inf`, `-inf` or `undefined`. The precision defaults to two
    /// decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elo = match *self {
            Rating::Incomparable => None,
            rating => Some(rating.ends().0),
        };
        f.write_str(&format_number(elo, f.precision().unwrap_or(2)))
    }
}
