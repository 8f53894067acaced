//! A match from its first line to its last: which games there are, which of
//! them are over, and what they came to. Whether the records were just played
//! or come from files makes no difference.

use std::collections::BTreeMap;

use lodestone::game::Variant;

use crate::results::{Header, Record, SprtVerdict};
use crate::schedule::{Calendar, Fixture, Format, Shard};
use crate::standings::Standings;
use crate::statistics::{Decision, Sprt};

/// The state of a match.
#[derive(Clone, Debug)]
pub struct Tournament {
    variant: Variant,
    calendar: Calendar,
    shard: Shard,
    /// How many games there are in the shard.
    total: u64,
    done: Done,
    standings: Standings,
    test: Option<Test>,
    /// Records of rounds that are not paired yet, as they may stand in a file
    /// that somebody sorted.
    early: Vec<Record>,
}

/// A sequential test that may end the match.
///
/// It looks at pairs in the order of the schedule, not in the order in which
/// they ended: short games would come first, and they need not be like the
/// others. So it finds the same whatever the number of games at a time, and
/// the games beyond the pair that decided it do not count.
#[derive(Clone, Debug)]
struct Test {
    sprt: Sprt,
    /// So many pairs have been looked at.
    pairs: u64,
    /// Games whose turn has not come, by their numbers.
    waiting: BTreeMap<u64, (Fixture, Record)>,
    verdict: Option<SprtVerdict>,
}

/// The numbers of the games that are over.
#[derive(Clone, Debug, Default)]
struct Done {
    bits: Vec<u64>,
    count: u64,
}

impl Done {
    fn place(id: u64) -> (usize, u64) {
        ((id / 64) as usize, 1 << (id % 64))
    }

    fn contains(&self, id: u64) -> bool {
        let (word, bit) = Done::place(id);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Whether the number is new.
    fn insert(&mut self, id: u64) -> bool {
        let (word, bit) = Done::place(id);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let Some(bits) = self.bits.get_mut(word) else {
            return false;
        };
        let is_new = *bits & bit == 0;
        *bits |= bit;
        self.count += u64::from(is_new);
        is_new
    }
}

impl Tournament {
    /// The match that a header describes, before its first game.
    ///
    /// # Errors
    /// A sentence, where the header describes none.
    pub fn new(header: &Header) -> Result<Tournament, String> {
        let schedule = header.schedule()?;
        let shard = header.shard()?;
        let sprt = header.schedule.sprt.as_deref();
        let sprt = sprt.map(|words| Sprt::parse(words.split(' '))).transpose()?;
        let calendar = Calendar::new(schedule);
        let total = if shard == Shard::WHOLE {
            schedule.total()
        } else {
            let ids = 1..=schedule.total();
            ids.filter(|&id| calendar.fixture(id).is_some_and(|fixture| shard.has(&fixture)))
                .count() as u64
        };
        Ok(Tournament {
            variant: header.variant()?,
            calendar,
            shard,
            total,
            done: Done::default(),
            standings: Standings::new(header.names()),
            test: sprt.map(|sprt| Test {
                sprt,
                pairs: 0,
                waiting: BTreeMap::new(),
                verdict: None,
            }),
            early: Vec::new(),
        })
    }

    /// Takes a record into account; one of a game that is over already changes
    /// nothing.
    ///
    /// # Errors
    /// A sentence, where there is no such game in the schedule.
    pub fn enter(&mut self, record: Record) -> Result<(), String> {
        if self.done.contains(record.id) {
            return Ok(());
        }
        let Some(fixture) = self.calendar.fixture(record.id) else {
            let is_early = (1..=self.calendar.schedule().total()).contains(&record.id);
            if is_early && self.calendar.schedule().format == Format::Swiss {
                self.early.push(record);
                return Ok(());
            }
            return Err(format!("there is no game {} in the schedule", record.id));
        };
        self.check(&fixture, &record)?;
        self.done.insert(record.id);
        self.calendar.enter(record.id, record.result);
        match &mut self.test {
            None => self.standings.add(&fixture, &record),
            Some(test) => test.add(fixture, record, &mut self.standings),
        }
        if !self.early.is_empty() {
            // A round may have been paired by this.
            for record in std::mem::take(&mut self.early) {
                self.enter(record)?;
            }
        }
        Ok(())
    }

    /// Whether the record can be that of the game.
    fn check(&self, fixture: &Fixture, record: &Record) -> Result<(), String> {
        let id = record.id;
        if record.variant != self.variant.name() {
            return Err(format!(
                "game {id} is of {}, not of {}",
                record.variant, self.variant
            ));
        }
        let names = self.names_of(fixture);
        if names != [&record.first, &record.second] || record.pair != fixture.pair {
            return Err(format!(
                "game {id} is between {} and {} (pair {}), not between {} and {} (pair {})",
                names[0], names[1], fixture.pair, record.first, record.second, record.pair
            ));
        }
        if !self.shard.has(fixture) {
            return Err(format!("game {id} does not belong to shard {}", self.shard));
        }
        Ok(())
    }

    /// Counts, at the end, what still waits for its turn in a test: the half
    /// of a pair, or games behind one that is missing.
    pub fn close(&mut self) {
        if let Some(test) = &mut self.test
            && test.verdict.is_none()
        {
            for (fixture, record) in std::mem::take(&mut test.waiting).into_values() {
                self.standings.add(&fixture, &record);
            }
        }
    }

    /// The openings are used up: the test ends without a decision.
    pub fn give_up_test(&mut self) {
        if let Some(test) = self.test.as_mut().filter(|test| test.verdict.is_none()) {
            let llr = test.llr(&self.standings);
            test.ends("inconclusive", llr);
        }
    }

    /// The game that is played.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The games of the schedule.
    pub const fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The part of the schedule that is played here.
    pub const fn shard(&self) -> Shard {
        self.shard
    }

    /// How many games of the schedule are played here.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How many of them are over, those that a test does not count included.
    pub const fn played(&self) -> u64 {
        self.done.count
    }

    /// Whether this game is over.
    pub fn is_over(&self, id: u64) -> bool {
        self.done.contains(id)
    }

    /// The counts so far.
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// What the players of a game are called, the first player's name first.
    pub fn names_of(&self, fixture: &Fixture) -> [&str; 2] {
        let names = self.standings.names();
        fixture
            .seats
            .map(|seat| names.get(seat).map_or("", String::as_str))
    }

    /// A player's points: a win is one, a tie half of one, and a round off counts
    /// as won.
    pub fn points(&self, player: usize) -> f64 {
        let games = self.standings.players().get(player);
        games.map_or(0.0, |player| player.games.points()) + self.calendar.games_off(player) as f64
    }

    /// The points of a player's opponents together, which tell who of a Swiss
    /// tournament had the harder way (Buchholz). An opponent counts once,
    /// however many games were played.
    pub fn opponents_points(&self, player: usize) -> f64 {
        let meetings = self.standings.players_met(player);
        meetings.map(|opponent| self.points(opponent)).sum()
    }

    /// The players by their points, and where those are equal by their
    /// opponents' points, by their numbers at last.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<(usize, f64, f64)> = (0..self.standings.names().len())
            .map(|player| (player, self.points(player), self.opponents_points(player)))
            .collect();
        ranking.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.2.total_cmp(&one.2)));
        ranking.into_iter().map(|(player, _, _)| player).collect()
    }

    /// The test that may end the match, and its log-likelihood ratio so far.
    pub fn test(&self) -> Option<(&Sprt, f64)> {
        let test = self.test.as_ref()?;
        let llr = match &test.verdict {
            Some(verdict) => verdict.llr,
            None => test.llr(&self.standings),
        };
        Some((&test.sprt, llr))
    }

    /// What the test found, once it did.
    pub fn verdict(&self) -> Option<&SprtVerdict> {
        self.test.as_ref()?.verdict.as_ref()
    }

    /// Whether no more game is to be played.
    pub fn is_finished(&self) -> bool {
        self.verdict().is_some() || self.done.count >= self.total
    }

    /// The games of the shard that are not over, in their order; none where a
    /// test ended the match. A Swiss round that is not paired counts as well.
    pub fn missing(&self) -> impl Iterator<Item = u64> + '_ {
        let last = if self.is_finished() {
            0
        } else {
            self.calendar.schedule().total()
        };
        (1..=last).filter(|&id| !self.done.contains(id) && self.is_here(id))
    }

    /// Whether a game belongs to this part of the schedule.
    fn is_here(&self, id: u64) -> bool {
        self.shard == Shard::WHOLE
            || self
                .calendar
                .fixture(id)
                .is_some_and(|fixture| self.shard.has(&fixture))
    }
}

impl Test {
    /// Takes a game, and counts every pair whose turn has come.
    fn add(&mut self, fixture: Fixture, record: Record, standings: &mut Standings) {
        if self.verdict.is_some() {
            return;
        }
        self.waiting.insert(fixture.id, (fixture, record));
        // Two players: pair n has the games 2n − 1 and 2n.
        while self.verdict.is_none() && self.has_next_pair() {
            self.pairs += 1;
            for id in [2 * self.pairs - 1, 2 * self.pairs] {
                if let Some((fixture, record)) = self.waiting.remove(&id) {
                    standings.add(&fixture, &record);
                }
            }
            let llr = self.llr(standings);
            match self.sprt.decision(llr) {
                Decision::Continue => {}
                Decision::AcceptH0 => self.ends("H0", llr),
                Decision::AcceptH1 => self.ends("H1", llr),
            }
        }
    }

    fn has_next_pair(&self) -> bool {
        let first = 2 * self.pairs + 1;
        self.waiting.contains_key(&first) && self.waiting.contains_key(&(first + 1))
    }

    /// The log-likelihood ratio of the pairs counted so far.
    fn llr(&self, standings: &Standings) -> f64 {
        self.sprt.llr_of_pairs(&standings.meeting(0, 1).evidence.pairs)
    }

    fn ends(&mut self, accepted: &str, llr: f64) {
        self.waiting.clear();
        self.verdict = Some(SprtVerdict {
            accepted: accepted.to_string(),
            pairs: self.pairs,
            llr,
        });
    }
}
