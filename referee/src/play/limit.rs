//! When a run of a ladder ends, although there is always another game.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::schedule::{Fixture, Shard};
use crate::tournament::Tournament;

/// The probability with which an order is certain.
const CERTAIN: f64 = 0.95;

/// When a run ends. Games that have begun are played to their ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunLimit {
    /// The number of games of this run.
    pub games: Option<u64>,
    /// The time from its beginning. It stands still while the machine sleeps, and does not depend on the
    /// clock of the day.
    pub time: Option<Duration>,
    /// The time of its end by the clock of the day.
    pub until: Option<Timestamp>,
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
    /// Whether no more games begin. `start` are the number of games so far and the time when the run
    /// began, `in_play` is the number of games in play.
    pub fn is_reached(&mut self, tournament: &Tournament, start: (u64, Instant), in_play: u64) -> bool {
        let begun = tournament.played() - start.0 + in_play;
        self.games.is_some_and(|games| begun >= games)
            || self.time.is_some_and(|time| start.1.elapsed() >= time)
            || self.until.is_some_and(|until| Timestamp::now() >= until)
            || self
                .rounds
                .is_some_and(|rounds| tournament.fixtures().paired() > rounds)
            || self.is_settled(tournament)
    }

    /// Whether this part of the ladder has the game.
    pub fn has(&self, fixture: &Fixture) -> bool {
        self.shard.is_none_or(|shard| shard.has(fixture))
    }

    /// It changes only between rounds.
    fn is_settled(&mut self, tournament: &Tournament) -> bool {
        let Some(first) = self.settle else {
            return false;
        };
        let paired = tournament.fixtures().paired();
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
