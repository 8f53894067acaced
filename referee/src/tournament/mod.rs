//! A match from its first line to its last: which games there are, which of
//! them are over, and what they came to. Whether the records were just played
//! or come from files makes no difference.

pub mod forfeits;
pub mod missing;
pub mod standings;

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use lodestone::board::Side;
use lodestone::game::Variant;

use self::forfeits::Forfeits;
use self::standings::Standings;
use crate::results::transcripts::FailedGames;
use crate::results::{Accepted, Header, Record, SprtVerdict};
use crate::schedule::{Calendar, Fixture, Format, Shard};
use crate::statistics::{Decision, Sprt};

/// The state of a match.
#[derive(Clone, Debug)]
pub struct Tournament {
    variant: Variant,
    calendar: Calendar,
    shard: Shard,
    /// How many games there are in the shard.
    total: u64,
    /// The ids of the finished games.
    finished: FixedBitSet,
    /// The number of finished games.
    played: u64,
    standings: Standings,
    test: Option<Test>,
    /// The pairings that are given up, where they may be.
    forfeits: Option<Forfeits>,
    /// The games that were lost by faults.
    failed: FailedGames,
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

impl Tournament {
    /// The match that a header describes, before its first game.
    ///
    /// # Errors
    /// A sentence, where the header describes none.
    pub fn new(header: &Header) -> Result<Tournament, String> {
        let schedule = header.schedule()?;
        let shard = header.shard();
        if schedule.format == Format::Swiss && shard != Shard::WHOLE {
            return Err("a Swiss tournament has no parts".into());
        }
        let calendar = Calendar::new(schedule);
        let total = if shard == Shard::WHOLE {
            schedule.total()
        } else {
            shard.games(&schedule)
        };
        Ok(Tournament {
            variant: header.variant,
            calendar,
            shard,
            total,
            finished: FixedBitSet::new(),
            played: 0,
            standings: Standings::new(header.names()),
            test: header.schedule.sprt.map(|sprt| Test {
                sprt,
                pairs: 0,
                waiting: BTreeMap::new(),
                verdict: None,
            }),
            forfeits: header.schedule.forfeit_after.map(Forfeits::new),
            failed: FailedGames::default(),
            early: Vec::new(),
        })
    }

    /// Takes a record into account; one of a game that is over already changes
    /// nothing.
    ///
    /// # Errors
    /// A sentence, where there is no such game in the schedule.
    pub fn enter(&mut self, record: Record) -> Result<(), String> {
        if self.is_over(record.id) {
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
        self.finished.grow_and_insert(record.id as usize);
        self.played += 1;
        self.calendar.enter(record.id, record.result);
        if let Some(forfeits) = &mut self.forfeits {
            let culprit = record.culprit().and_then(|side| fixture.seats.get(side.index()));
            forfeits.enter(record.id, culprit.copied(), &self.calendar, self.shard);
        }
        self.failed.enter(&record);
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
            test.ends(Accepted::Inconclusive, llr);
        }
    }

    /// The game that is played.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The games of the schedule.
    #[must_use]
    pub const fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The part of the schedule that is played here.
    #[must_use]
    pub const fn shard(&self) -> Shard {
        self.shard
    }

    /// How many games of the schedule are played here.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How many of them are over, those that a test does not count included.
    #[must_use]
    pub const fn played(&self) -> u64 {
        self.played
    }

    /// Whether this game is over.
    #[must_use]
    pub fn is_over(&self, id: u64) -> bool {
        self.finished.contains(id as usize)
    }

    /// The largest number of a game that is over; 0 where there is none.
    #[must_use]
    pub fn last_over(&self) -> u64 {
        self.finished.maximum().unwrap_or(0) as u64
    }

    /// Who has lost a game that is not over yet because its pairing is given up,
    /// and after how many faults in a row; `None` where it is to be played.
    pub fn forfeit(&self, fixture: &Fixture) -> Option<(Side, u64)> {
        let forfeits = self.forfeits.as_ref()?;
        let loser = forfeits.loser(fixture.id, &self.calendar)?;
        let mut seats = Side::BOTH.into_iter().zip(fixture.seats);
        let (side, _) = seats.find(|(_, player)| *player == loser)?;
        Some((side, forfeits.after()))
    }

    /// The games that were lost by faults.
    pub const fn failed(&self) -> &FailedGames {
        &self.failed
    }

    /// How many records are there of games that do not count, because their
    /// round of a Swiss tournament cannot be paired: a result before it lacks.
    #[must_use]
    pub const fn early(&self) -> usize {
        self.early.len()
    }

    /// The counts so far.
    #[must_use]
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// What the players of a game are called, the first player's name first.
    #[must_use]
    pub fn names_of(&self, fixture: &Fixture) -> [&str; 2] {
        let names = self.standings.names();
        fixture
            .seats
            .map(|seat| names.get(seat).map_or("", String::as_str))
    }

    /// A player's points: a win is one, a tie half of one, and a round off counts
    /// as won.
    #[must_use]
    pub fn points(&self, player: usize) -> f64 {
        let games = self.standings.players().get(player);
        games.map_or(0.0, |player| player.games.points()) + self.calendar.games_off(player) as f64
    }

    /// The points of a player's opponents together, which tell who of a Swiss
    /// tournament had the harder way (Buchholz). An opponent counts once,
    /// however many games were played.
    #[must_use]
    pub fn opponents_points(&self, player: usize) -> f64 {
        let meetings = self.standings.opponents(player);
        meetings.fold(0.0, |sum, opponent| sum + self.points(opponent))
    }

    /// The players by their points, and where those are equal by their
    /// opponents' points, by their numbers at last.
    #[must_use]
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<(usize, f64, f64)> = (0..self.standings.names().len())
            .map(|player| (player, self.points(player), self.opponents_points(player)))
            .collect();
        ranking.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.2.total_cmp(&one.2)));
        ranking.into_iter().map(|(player, _, _)| player).collect()
    }

    /// Whether a test may end the match.
    pub const fn is_tested(&self) -> bool {
        self.test.is_some()
    }

    /// The test that may end the match, and its log-likelihood ratio so far.
    #[must_use]
    pub fn test(&self) -> Option<(&Sprt, f64)> {
        let test = self.test.as_ref()?;
        let llr = match &test.verdict {
            Some(verdict) => verdict.llr,
            None => test.llr(&self.standings),
        };
        Some((&test.sprt, llr))
    }

    /// What the test found, once it did.
    #[must_use]
    pub fn verdict(&self) -> Option<&SprtVerdict> {
        self.test.as_ref()?.verdict.as_ref()
    }

    /// Whether no more game is to be played.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.verdict().is_some() || self.played >= self.total
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
                Decision::AcceptH0 => self.ends(Accepted::H0, llr),
                Decision::AcceptH1 => self.ends(Accepted::H1, llr),
            }
        }
    }

    fn has_next_pair(&self) -> bool {
        let first = 2 * self.pairs + 1;
        self.waiting.contains_key(&first) && self.waiting.contains_key(&(first + 1))
    }

    /// The log-likelihood ratio of the pairs counted so far.
    fn llr(&self, standings: &Standings) -> f64 {
        self.sprt.llr_of_pairs(&standings.meeting(0, 1).sample.pairs)
    }

    fn ends(&mut self, accepted: Accepted, llr: f64) {
        self.verdict = Some(SprtVerdict {
            accepted,
            pairs: self.pairs,
            llr,
        });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::results::header_tests::header_of;
    use crate::results::tests::record;
    use crate::statistics::Model;

    const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

    /// A match of this many players, and what else its header says.
    pub(crate) fn tournament(
        players: usize,
        games: u64,
        change: impl Fn(&mut Header),
    ) -> (Header, Tournament) {
        let mut header = header_of(&NAMES[..players]);
        header.schedule.games = games;
        change(&mut header);
        let tournament = Tournament::new(&header).unwrap();
        (header, tournament)
    }

    /// The record of a game of the schedule, unlike any other game's.
    pub(crate) fn game(tournament: &Tournament, id: u64, result: &str) -> Record {
        let fixture = tournament.calendar().fixture(id).unwrap();
        let [first, second] = tournament.names_of(&fixture);
        let mut record = record(id, first, second);
        record.pair = fixture.pair;
        record.round = fixture.round;
        record.result = result.parse().unwrap();
        record.moves.push(format!("game {id}"));
        record
    }

    /// The games of this part that are not over.
    fn missing(tournament: &Tournament) -> Vec<u64> {
        let ids = 1..=tournament.calendar().schedule().total();
        let fixture = |id| tournament.calendar().fixture(id);
        let is_here = |id| fixture(id).is_some_and(|fixture| tournament.shard().has(&fixture));
        ids.filter(|&id| !tournament.is_over(id) && is_here(id)).collect()
    }

    fn enter(tournament: &mut Tournament, id: u64, result: &str) {
        let record = game(tournament, id, result);
        tournament.enter(record).unwrap();
    }

    #[test]
    fn a_game_counts_once_and_only_if_it_is_in_the_schedule() {
        let (_, mut one) = tournament(3, 2, |_| {});
        assert_eq!((one.total(), one.played()), (6, 0));
        enter(&mut one, 2, "1-0");
        enter(&mut one, 2, "0-1");
        assert_eq!(one.played(), 1);
        assert_eq!(one.standings().games(), 1);
        assert_eq!(missing(&one), [1, 3, 4, 5, 6]);

        let mut wrong = game(&one, 1, "1-0");
        wrong.id = 7;
        assert_eq!(
            one.enter(wrong.clone()).unwrap_err(),
            "there is no game 7 in the schedule"
        );
        wrong.id = 3;
        let error = one.enter(wrong.clone()).unwrap_err();
        assert!(error.starts_with("game 3 is between "), "{error}");
        wrong.variant = "gridlock".into();
        assert_eq!(
            one.enter(wrong).unwrap_err(),
            "game 3 is of gridlock, not of magnetic-cave"
        );
        assert_eq!(one.played(), 1);
    }

    #[test]
    fn a_part_has_its_games_and_no_others() {
        let shard =
            |text: &str| tournament(3, 3, |header| header.schedule.shard = Some(text.parse().unwrap())).1;
        let (mut first, second) = (shard("0/2"), shard("1/2"));
        assert_eq!(first.total() + second.total(), 9);
        let ids = missing(&first);
        assert_eq!(ids.len() as u64, first.total());
        let other = missing(&second)[0];
        let error = first.enter(game(&second, other, "1-0")).unwrap_err();
        assert!(error.ends_with("does not belong to shard 0/2"), "{error}");
        for id in ids {
            enter(&mut first, id, "1-0");
        }
        assert!(first.is_finished());
    }

    #[test]
    fn swiss_records_may_come_in_any_order() {
        let swiss = |header: &mut Header| {
            header.schedule.format = Format::Swiss;
            header.schedule.rounds = Some(2);
        };
        let (_, mut straight) = tournament(5, 2, swiss);
        let mut records = Vec::new();
        for id in 1..=straight.total() {
            let result = if id % 3 == 0 { "1/2-1/2" } else { "1-0" };
            records.push(game(&straight, id, result));
            straight.enter(records[records.len() - 1].clone()).unwrap();
        }
        assert!(straight.is_finished());
        let (_, mut reversed) = tournament(5, 2, swiss);
        for record in records.into_iter().rev() {
            reversed.enter(record).unwrap();
        }
        assert!(reversed.is_finished());
        assert_eq!(
            straight.standings().fingerprint(),
            reversed.standings().fingerprint()
        );
        assert_eq!(straight.ranking(), reversed.ranking());
        let points: f64 = (0..5).map(|player| straight.points(player)).sum();
        assert!((points - 12.0).abs() < 1e-9, "8 games, and 2 off in each round");
    }

    #[test]
    fn a_test_looks_at_pairs_in_their_order() {
        let sprt = |header: &mut Header| {
            header.schedule.sprt = Some(Sprt::new(0.0, 400.0, 0.05, 0.05, Model::Logistic).unwrap());
        };
        let results = |id: u64| if id % 2 == 1 { "1-0" } else { "0-1" };
        let (_, mut straight) = tournament(2, 40, sprt);
        let mut id = 0;
        while straight.verdict().is_none() {
            id += 1;
            enter(&mut straight, id, results(id));
        }
        let verdict = straight.verdict().unwrap().clone();
        assert_eq!(verdict.accepted, Accepted::H1, "a won every game");
        assert_eq!(2 * verdict.pairs, id);
        assert!(id < 20, "{id}");

        // The first pair comes last, behind others that were lost.
        let (_, mut turned) = tournament(2, 40, sprt);
        for id in 3..=40 {
            let result = if id <= 2 * verdict.pairs {
                results(id)
            } else {
                results(id + 1)
            };
            enter(&mut turned, id, result);
            assert!(turned.verdict().is_none(), "the first pair is missing");
        }
        assert_eq!(turned.standings().games(), 0);
        enter(&mut turned, 1, "1-0");
        enter(&mut turned, 2, "0-1");
        assert_eq!(turned.verdict(), Some(&verdict));
        assert_eq!(
            turned.standings().games(),
            2 * verdict.pairs,
            "no game beyond the verdict"
        );
        assert_eq!(
            turned.standings().fingerprint(),
            straight.standings().fingerprint()
        );
        assert!(turned.is_finished());
    }

    #[test]
    fn what_waits_for_its_turn_is_counted_at_the_end() {
        let sprt = |header: &mut Header| {
            header.schedule.sprt = Some(Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalized).unwrap());
        };
        let (_, mut one) = tournament(2, 5, sprt);
        for id in [1, 2, 3, 5] {
            enter(&mut one, id, "1/2-1/2");
        }
        assert_eq!(one.standings().games(), 2);
        one.give_up_test();
        assert_eq!(
            one.verdict().map(|verdict| verdict.accepted),
            Some(Accepted::Inconclusive)
        );

        let (_, mut one) = tournament(2, 5, sprt);
        for id in [1, 2, 3, 5] {
            enter(&mut one, id, "1/2-1/2");
        }
        one.close();
        assert_eq!(one.standings().games(), 4);
        assert_eq!(one.verdict(), None);
    }
}
