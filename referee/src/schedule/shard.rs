//! The part of a schedule that one machine plays.

use std::fmt;
use std::str::FromStr;

use super::Fixture;

/// Part `index` of `count`, counted from 0. Both games of a pair are in the
/// same part, and more games change nothing about those that there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The whole schedule.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Whether this game belongs to the part.
    #[must_use]
    pub const fn has(self, fixture: &Fixture) -> bool {
        Shard::index_of(fixture, self.count) == self.index
    }

    /// To which of `count` parts, at least one, a game belongs, from 0.
    #[must_use]
    pub const fn index_of(fixture: &Fixture, count: u64) -> u64 {
        fixture.pair.wrapping_sub(1) % count
    }

    /// Which part, from 0.
    #[must_use]
    pub const fn index(self) -> u64 {
        self.index
    }

    /// How many parts there are.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.count
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Shard { index, count }),
            _ => Err("expected K/N with K from 0 to N − 1, such as 0/8".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_read_and_written() {
        assert_eq!("3/8".parse::<Shard>().unwrap().to_string(), "3/8");
        for text in ["", "1", "8/8", "-1/8", "0/0", "1/2/3", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
