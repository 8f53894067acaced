//! When a run of a ladder ends, although there is always another game.

use std::time::{Duration, Instant};

use jiff::civil::Time;
use jiff::{Timestamp, Zoned};
use referee_core::failure::Failure;
use referee_core::schedule::{ScheduledGame, Shard};
use referee_core::tournament::Tournament;

/// The probability with which an order is certain.
const CERTAIN: f64 = 0.95;

/// The time at which all of a run is to be over, from the starts before its games to its last file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndOfRun {
    began: Instant,
    /// The time from its beginning. It stands still while the machine sleeps, and does not depend on the
    /// clock of the day.
    time: Option<Duration>,
    /// The time of its end by the clock of the day.
    until: Option<Timestamp>,
}

impl EndOfRun {
    /// The end of a run that begins now.
    pub fn new(time: Option<Duration>, until: Option<Time>) -> Result<EndOfRun, Failure> {
        Ok(EndOfRun {
            began: Instant::now(),
            time,
            until: until.map(|time| next(&Zoned::now(), time)).transpose()?,
        })
    }

    /// The time that is left; `None` without an end.
    pub fn left(&self) -> Option<Duration> {
        let time = self.time.map(|time| time.saturating_sub(self.began.elapsed()));
        let until = self.until.map(|until| {
            let left = until.duration_since(Timestamp::now());
            Duration::try_from(left).unwrap_or_default()
        });
        time.into_iter().chain(until).min()
    }

    /// Whether no time is left.
    pub fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}

/// The next time at which the clocks of a place show this time of the day. If they are put forward past 02:30, then
/// 03:30 is meant; if they are put back, both 02:30 count.
fn next(now: &Zoned, time: Time) -> Result<Timestamp, Failure> {
    let failed = |error: jiff::Error| Failure::Usage(format!("--until: {error}"));
    let today = now.date();
    let days = [today, today.tomorrow().map_err(failed)?];
    for wanted in days.map(|day| day.to_datetime(time)) {
        let shown = now.time_zone().to_ambiguous_zoned(wanted);
        for found in [shown.clone().earlier(), shown.later()] {
            let found = found.map_err(failed)?;
            // If there is no such time, the earlier one is 01:30.
            if found > *now && found.datetime() >= wanted {
                return Ok(found.timestamp());
            }
        }
    }
    Err(Failure::Usage(
        "--until: there is no such time on the next day".into(),
    ))
}

/// When a run ends. Games that have begun are played to their ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLimit {
    /// The number of games of this run.
    pub games: Option<u64>,
    /// The time of its end.
    pub end: Option<EndOfRun>,
    /// The time that the files after the last game take.
    pub closing: Duration,
    /// The longest game of this run: one that begins may take as long.
    pub longest: Duration,
    /// The number of first players whose order is to be certain.
    pub settle: Option<u64>,
    /// The number of paired rounds with which it ends.
    pub rounds: Option<usize>,
    /// The games of each round that are played.
    pub shard: Option<Shard>,
    /// Whether the order was certain when this number of rounds was paired.
    pub(super) settled: Option<(usize, bool)>,
}

impl RunLimit {
    /// Whether no more games begin. `before` is the number of games before this run, and `in_play` of those in
    /// play.
    pub fn is_reached(&mut self, tournament: &Tournament, before: u64, in_play: u64) -> bool {
        let begun = tournament.played() - before + in_play;
        let left = self.end.and_then(|end| end.left());
        self.games.is_some_and(|games| begun >= games)
            || left.is_some_and(|left| left <= self.closing + self.longest)
            || self
                .rounds
                .is_some_and(|rounds| tournament.calendar().paired() > rounds)
            || self.is_settled(tournament)
    }

    /// Whether this part of the ladder has the game.
    pub fn has(&self, scheduled: &ScheduledGame) -> bool {
        self.shard.is_none_or(|shard| shard.has(scheduled))
    }

    /// It changes only between rounds.
    fn is_settled(&mut self, tournament: &Tournament) -> bool {
        let Some(first) = self.settle else {
            return false;
        };
        let paired = tournament.calendar().paired();
        match self.settled {
            Some((known, is_settled)) if known == paired => is_settled,
            _ => {
                let is_settled = tournament.certainty_of_first(first as usize) >= CERTAIN;
                self.settled = Some((paired, is_settled));
                is_settled
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    /// The times are computed by hand: Berlin is one hour ahead of UTC, and two from 2026-03-29 01:00 to 2026-10-25 01:00
    /// UTC.
    #[test]
    fn the_end_is_a_time_of_the_clocks_of_a_place() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        for (now, time, end) in [
            ("2026-01-10T22:00:00Z", "06:00", "2026-01-11T05:00:00Z"),
            ("2026-01-10T04:59:59Z", "06:00", "2026-01-10T05:00:00Z"),
            ("2026-01-10T05:00:00Z", "06:00", "2026-01-11T05:00:00Z"),
            ("2026-07-10T22:30:00Z", "00:20", "2026-07-11T22:20:00Z"),
            // In this night, 02:00 to 03:00 is left out.
            ("2026-03-28T22:00:00Z", "02:30", "2026-03-29T01:30:00Z"),
            ("2026-03-28T22:00:00Z", "06:00", "2026-03-29T04:00:00Z"),
            ("2026-03-29T02:00:00Z", "02:30", "2026-03-30T00:30:00Z"),
            ("2026-03-29T21:00:00Z", "02:30", "2026-03-30T00:30:00Z"),
            // In this night, 02:00 to 03:00 comes twice.
            ("2026-10-24T21:00:00Z", "02:30", "2026-10-25T00:30:00Z"),
            ("2026-10-25T00:40:00Z", "02:30", "2026-10-25T01:30:00Z"),
            ("2026-10-25T01:30:00Z", "02:30", "2026-10-26T01:30:00Z"),
        ] {
            let at: Timestamp = now.parse().unwrap();
            let found = next(
                &at.to_zoned(berlin.clone()),
                Time::strptime("%H:%M", time).unwrap(),
            );
            assert_eq!(found.unwrap().to_string(), end, "{now} {time}");
        }
    }
}
