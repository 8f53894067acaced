//! Games and shards of a schedule that are missing in the result files.

use std::collections::BTreeSet;
use std::fmt;

use referee_core::schedule::Shard;
use referee_core::tournament::Tournament;
use serde::Serialize;

/// The maximum number of ranges in the text.
const MAX_RANGES: usize = 20;

/// The missing games and shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The number of missing games.
    pub games: u64,
    /// The expected number of games.
    pub of: u64,
    /// The first and last id of each range of missing games. Up to the last game
    /// present, games of missing shards are left out.
    pub runs: Vec<[u64; 2]>,
    /// The first and last index of each range of shards without a file.
    pub shards: Vec<[u64; 2]>,
    /// The number of shards, if all files belong to shards of the same number.
    pub shard_count: Option<u64>,
}

impl Missing {
    /// The missing games of a match. `tournament` is the whole match with the games
    /// of all files, `shards` are the shards of the files, and `last` is the id of
    /// the last expected game.
    pub fn new(tournament: &Tournament, shards: &[Shard], last: u64) -> Missing {
        let seen = last.min(tournament.last_finished());
        let calendar = tournament.calendar();
        let is_expected = |id: u64| !calendar.is_void(id);
        let is_played = |id: u64| tournament.is_over(id) && is_expected(id);
        let expected = last.saturating_sub(calendar.void_games(Shard::WHOLE));
        let mut missing = Missing {
            of: expected,
            ..Missing::default()
        };
        // A ladder can always go on.
        if tournament.is_finished() || tournament.is_endless() {
            return missing;
        }
        missing.games = expected - (1..=seen).filter(|&id| is_played(id)).count() as u64;
        if missing.games == 0 {
            return missing;
        }
        let present = present(shards);
        if let Some((present, count)) = &present {
            missing.shard_count = Some(*count);
            let mut next = 0;
            for &shard in present.iter().chain([count]) {
                if next < shard {
                    missing.shards.push([next, shard - 1]);
                }
                next = shard + 1;
            }
        }
        // Games without a known pairing are those of formats without shards.
        let has_file = |id: u64| match (&present, calendar.get(id)) {
            (Some((present, count)), Some(scheduled)) => {
                present.contains(&Shard::index_of(&scheduled, *count))
            }
            _ => true,
        };
        for id in (1..=seen).filter(|&id| !tournament.is_over(id) && is_expected(id) && has_file(id)) {
            extend(&mut missing.runs, id, id);
        }
        // All games after the last one present are missing. There may be too many
        // to iterate, so void games among them are not left out.
        if let Some(first) = (seen + 1..=last).find(|&id| is_expected(id) && has_file(id)) {
            extend(&mut missing.runs, first, last);
        }
        missing
    }

    /// Whether nothing is missing.
    pub const fn is_empty(&self) -> bool {
        self.games == 0
    }
}

/// Adds a range behind the others, or to the last one if nothing is between them.
fn extend(ranges: &mut Vec<[u64; 2]>, first: u64, last: u64) {
    match ranges.last_mut() {
        Some([_, end]) if *end + 1 == first => *end = last,
        _ => ranges.push([first, last]),
    }
}

/// The shards that have files, and the number of shards of the match; `None` unless all files
/// belong to shards of the same number.
fn present(shards: &[Shard]) -> Option<(BTreeSet<u64>, u64)> {
    let count = shards.first()?.count();
    let is_split = count > 1 && shards.iter().all(|shard| shard.count() == count);
    is_split.then(|| (shards.iter().map(|shard| shard.index()).collect(), count))
}

/// The end of a list with more than [`MAX_RANGES`] ranges.
fn more(runs: &[[u64; 2]]) -> String {
    let rest = runs.iter().skip(MAX_RANGES);
    match rest.fold(0_u64, |sum, [first, last]| sum.saturating_add(last - first + 1)) {
        0 => String::new(),
        numbers => format!(" and {numbers} more"),
    }
}

impl fmt::Display for Missing {
    /// Several lines without a trailing line break; empty if nothing is missing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
        write!(f, "Missing: {} of {} games", self.games, self.of)?;
        if let Some(count) = self.shard_count {
            for [first, last] in self.shards.iter().take(MAX_RANGES) {
                if first == last {
                    write!(f, "\n  shard {first}/{count}: no file")?;
                } else {
                    write!(f, "\n  shards {first}/{count} to {last}/{count}: no files")?;
                }
            }
            let more = more(&self.shards);
            if !more.is_empty() {
                write!(f, "\n {more}")?;
            }
        }
        let runs = self.runs.iter().take(MAX_RANGES).map(|[first, last]| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}–{last}")
            }
        });
        let word = match self.runs.as_slice() {
            [] => return Ok(()),
            [[first, last]] if first == last => "game",
            _ => "games",
        };
        let runs = runs.collect::<Vec<_>>().join(", ");
        write!(f, "\n  {word} {runs}{}", more(&self.runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::samples::{self, header, record};
    use referee_core::schedule::Format;
    use sentences::expect;

    /// A match of 40 games between two players, with the games for which `has` is
    /// true.
    fn tournament(has: impl Fn(u64) -> bool) -> Tournament {
        let mut header = header();
        header.schedule.games = 40;
        let mut tournament = Tournament::new(&header).unwrap();
        for id in (1..=40).filter(|&id| has(id)) {
            let scheduled = tournament.calendar().get(id).unwrap();
            let [first, second] = tournament.names_of(&scheduled).map(String::from);
            tournament.add(&record(id, &first, &second)).unwrap();
        }
        tournament
    }

    fn missing_of(has: impl Fn(u64) -> bool) -> Missing {
        Missing::new(&tournament(has), &[Shard::WHOLE], 40)
    }

    fn shards(all: &[&str]) -> Vec<Shard> {
        all.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn groups_missing_games_in_ranges() {
        let missing = missing_of(|id| !matches!(id, 3 | 7..=12 | 38..));
        assert_eq!(missing.runs, [[3, 3], [7, 12], [38, 40]]);
        expect![[r#"
            Missing: 10 of 40 games
              games 3, 7–12, 38–40"#]]
        .assert_eq(&missing.to_string());
        let missing = missing_of(|id| id != 40);
        assert_eq!(missing.runs, [[40, 40]]);
        let missing = missing_of(|_| false);
        assert_eq!(missing.runs, [[1, 40]]);
        let missing = missing_of(|_| true);
        assert!(missing.is_empty() && missing.runs.is_empty());
        assert_eq!(missing.to_string(), "");
    }

    #[test]
    fn games_that_a_knockout_did_not_need_are_not_missing() {
        let (_, mut knockout) = samples::tournament(4, 2, |header| {
            header.schedule.format = Format::Knockout;
        });
        // The same player wins both games of a pairing, so the others of the round, up to 16, are not needed.
        samples::play(&mut knockout, &["1-0", "1-0", "0-1", "0-1"]);
        let all = knockout.calendar().schedule().total();
        let missing = Missing::new(&knockout, &[Shard::WHOLE], all);
        assert_eq!((missing.games, missing.runs), (2, vec![[17, 24]]));
    }

    #[test]
    fn limits_the_number_of_ranges() {
        let missing = missing_of(|id| id % 2 == 0);
        assert_eq!(missing.runs.len(), 20);
        assert!(missing.to_string().ends_with("37, 39"), "{missing}");
        let missing = missing_of(|id| id % 2 == 0 && id < 40);
        assert!(missing.to_string().ends_with("37, 39–40"), "{missing}");
        let runs: Vec<[u64; 2]> = (0..22).map(|index| [3 * index, 3 * index + 1]).collect();
        assert_eq!(more(&runs), " and 4 more");
    }

    #[test]
    fn names_missing_shards_instead_of_their_games() {
        // Pairs 1, 4, 7, … are in shard 0/3, pairs 2, 5, … in 1/3.
        let pair = |id: u64| (id - 1) / 2;
        let one = tournament(|id| pair(id).is_multiple_of(3) && id != 1 && id < 37);
        let missing = Missing::new(&one, &shards(&["0/3", "0/3"]), 40);
        assert_eq!(missing.shards, [[1, 2]]);
        assert_eq!(missing.runs, [[1, 1], [37, 40]]);
        expect![[r#"
            Missing: 29 of 40 games
              shards 1/3 to 2/3: no files
              games 1, 37–40"#]]
        .assert_eq(&missing.to_string());

        let one = tournament(|id| pair(id) % 3 != 1);
        let missing = Missing::new(&one, &shards(&["2/3", "0/3"]), 40);
        assert!(missing.runs.is_empty(), "{missing}");
        expect![[r#"
            Missing: 14 of 40 games
              shard 1/3: no file"#]]
        .assert_eq(&missing.to_string());

        // With shards of different numbers, only games are named.
        let missing = Missing::new(&one, &shards(&["2/3", "0/4"]), 40);
        assert_eq!((missing.shards.len(), missing.shard_count), (0, None));
        assert_eq!(missing.runs.len(), 7);
    }

    #[test]
    fn handles_a_huge_schedule_quickly() {
        let mut header = header();
        header.schedule.games = u64::MAX;
        let tournament = Tournament::new(&header).unwrap();
        let missing = Missing::new(&tournament, &[Shard::WHOLE], u64::MAX);
        assert_eq!(missing.runs, [[1, u64::MAX]]);
    }
}
