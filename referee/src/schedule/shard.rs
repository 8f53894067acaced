//! The part of a schedule that one machine plays.

use std::fmt;
use std::str::FromStr;

use super::{Fixture, Schedule};

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

    /// How many games of a schedule, not of a Swiss tournament, belong to the
    /// part. It takes no longer for many games than for few.
    pub const fn games(self, schedule: &Schedule) -> u64 {
        // Where the number of games is odd, the last pairs are half pairs.
        let boards = schedule.boards();
        let whole = boards.saturating_mul(schedule.games / 2);
        let all = boards.saturating_mul(schedule.games.div_ceil(2));
        self.pairs(whole).saturating_add(self.pairs(all))
    }

    /// How many of so many pairs belong to the part.
    const fn pairs(self, pairs: u64) -> u64 {
        pairs.saturating_sub(self.index).div_ceil(self.count)
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

    #[test]
    fn games_of_a_part_are_counted_without_looking_at_each() {
        use crate::schedule::{Calendar, Format};

        for format in [Format::RoundRobin, Format::Gauntlet] {
            for (players, games, count) in [(2, 1, 2), (3, 3, 2), (4, 5, 7), (5, 4, 3), (2, 2, 9)] {
                let schedule = Schedule {
                    format,
                    players,
                    games,
                    rounds: 1,
                };
                let calendar = Calendar::new(schedule);
                for index in 0..count {
                    let shard = Shard { index, count };
                    let fixtures = (1..=schedule.total()).filter_map(|id| calendar.fixture(id));
                    let counted = fixtures.filter(|fixture| shard.has(fixture)).count();
                    assert_eq!(shard.games(&schedule), counted as u64, "{shard} of {schedule:?}");
                }
            }
        }
    }
}
