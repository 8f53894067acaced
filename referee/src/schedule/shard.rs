//! The part of a schedule that one machine plays.

use std::fmt;
use std::str::FromStr;

use super::{Fixture, Schedule};
use crate::io::as_text::Text;

/// Part `index` of `count`, counted from 0. Both games of a pair are in the same part, and
/// more games per pairing do not move the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The whole schedule.
    pub(crate) const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Whether the part contains this game.
    pub(crate) const fn has(self, fixture: &Fixture) -> bool {
        Shard::index_of(fixture, self.count) == self.index
    }

    /// The part, from 0, of a game among `count` parts, at least 1.
    pub(crate) const fn index_of(fixture: &Fixture, count: u64) -> u64 {
        fixture.pair.wrapping_sub(1) % count
    }

    /// The number of games of a schedule in this part. Not for Swiss tournaments and knockouts.
    pub(crate) const fn games(self, schedule: &Schedule) -> u64 {
        let boards = schedule.boards();
        let [begun, ended] = schedule.games_of_pairs();
        let begun = self.pairs(boards.saturating_mul(begun));
        begun.saturating_add(self.pairs(boards.saturating_mul(ended)))
    }

    /// The number of games of one pairing, the one with number `board` from 0, in this part.
    /// Not for Swiss tournaments.
    pub(crate) fn games_of(self, schedule: &Schedule, board: u64) -> u64 {
        let boards = schedule.boards();
        let is_here = |pair: u64| pair.wrapping_mul(boards).wrapping_add(board) % self.count == self.index;
        // Every `period`th pair is in this part, from the first one on.
        let Some(first) = (0..self.count).find(|&pair| is_here(pair)) else {
            return 0;
        };
        let period = self.count / gcd(boards, self.count);
        let pairs = |all: u64| all.saturating_sub(first).div_ceil(period);
        let [begun, ended] = schedule.games_of_pairs();
        pairs(begun).saturating_add(pairs(ended))
    }

    /// The number of pairs in this part, of all `pairs`.
    const fn pairs(self, pairs: u64) -> u64 {
        pairs.saturating_sub(self.index).div_ceil(self.count)
    }

    /// The index of the part, from 0.
    pub const fn index(self) -> u64 {
        self.index
    }

    /// The number of parts.
    pub const fn count(self) -> u64 {
        self.count
    }
}

/// The greatest common divisor (Euclid).
const fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
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

impl Text for Shard {
    fn text(&self) -> impl fmt::Display {
        self
    }

    fn read(text: &str) -> Result<Shard, String> {
        text.parse().map_err(|why| format!("shard: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Format;

    #[test]
    fn games_of_all_pairings_make_up_the_shard() {
        for (players, games) in [(2, 1), (2, 8), (3, 5), (5, 4), (6, 3)] {
            for (format, no_swap) in [
                (Format::RoundRobin, false),
                (Format::Gauntlet, false),
                (Format::Pyramid, true),
            ] {
                let schedule = Schedule {
                    format,
                    players,
                    games,
                    rounds: 1,
                    no_swap,
                    ..Schedule::default()
                };
                for count in [1, 2, 3, 4, 6, 10, 64] {
                    for index in 0..count {
                        let shard = Shard { index, count };
                        let boards = 0..schedule.boards();
                        let games: u64 = boards.map(|board| shard.games_of(&schedule, board)).sum();
                        assert_eq!(
                            games,
                            shard.games(&schedule),
                            "{format} {players} {games} {shard}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn parses_and_writes_a_shard() {
        assert_eq!("3/8".parse::<Shard>().unwrap().to_string(), "3/8");
        for text in ["", "1", "8/8", "-1/8", "0/0", "1/2/3", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn counts_the_games_of_a_part() {
        use crate::schedule::Fixtures;

        for (format, seeds, no_swap) in [
            (Format::RoundRobin, 0, false),
            (Format::Gauntlet, 0, false),
            (Format::Gauntlet, 2, false),
            (Format::Pyramid, 0, true),
        ] {
            for (players, games, count) in [(2, 1, 2), (3, 3, 2), (4, 5, 7), (5, 4, 3), (2, 2, 9)] {
                let schedule = Schedule {
                    format,
                    players,
                    games,
                    rounds: 1,
                    seeds: seeds.min(players - 1),
                    no_swap,
                    reverse: no_swap,
                };
                let fixtures = Fixtures::new(schedule, Vec::new());
                for index in 0..count {
                    let shard = Shard { index, count };
                    let fixtures = (1..=schedule.total()).filter_map(|id| fixtures.get(id));
                    let counted = fixtures.filter(|fixture| shard.has(fixture)).count();
                    assert_eq!(shard.games(&schedule), counted as u64, "{shard} of {schedule:?}");
                }
            }
        }
    }
}
