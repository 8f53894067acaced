//! The state of a match: its games, which of them are finished, and the score. Records from
//! files and records of games just played are treated alike.

pub(crate) mod forfeits;
pub mod standings;
pub mod tuner;

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use lodestone_game::board::Side;

use self::forfeits::Forfeits;
use self::standings::{Analyses, Place, PlayerStats, Standing, Standings, ranked};

use crate::game::clock::TimeControl;
use crate::results::counted_game::CountedGame;
use crate::results::transcripts::{FailedGame, FailedGames};
use crate::results::{Accepted, Header, Record, SprtVerdict};
use crate::schedule::{Calendar, LadderRounds, Pairings, RankedBy, ScheduledGame, Shard};
use crate::statistics::{Decision, Sprt};

/// The state of a match.
#[derive(Debug)]
pub struct Tournament {
    /// The name of the game.
    variant: String,
    calendar: Calendar,
    shard: Shard,
    /// The number of games in the shard that are to be played; in a knockout it changes.
    total: u64,
    /// The ids of the finished games.
    finished: FixedBitSet,
    /// The number of finished games.
    played: u64,
    /// The number of finished games that are void here: another shard has played them.
    void_played: u64,
    /// Whether each player is beside the submissions of a ladder.
    references: Vec<bool>,
    /// The time controls of the players, by name.
    times: HashMap<String, TimeControl>,
    /// The counts of all finished games; after the verdict of a test, of the tested pairs.
    pub standings: Standings,
    test: Option<SequentialTest>,
    /// The forfeited pairings, with `--forfeit-after`.
    forfeits: Option<Forfeits>,
    /// The games lost by faults.
    pub failed: FailedGames,
    /// What the analysed games say about the players.
    pub analyses: Analyses,
    /// Records that do not count because an earlier result is missing, so that their round of a
    /// Swiss tournament is not paired yet, as in a file that is out of order.
    pub early: Vec<CountedGame>,
}

/// A sequential test that can end the match.
///
/// It takes pairs in the order of the schedule, not of their ends: short games end first,
/// and would bias the test. The verdict therefore does not depend on the concurrency, and
/// games after the deciding pair do not count.
#[derive(Clone, Debug)]
struct SequentialTest {
    sprt: Sprt,
    /// The number of pairs tested.
    pairs: u64,
    /// The counts of these pairs.
    counted: Standings,
    /// Finished games whose turn has not come, by id.
    waiting: HashMap<u64, (ScheduledGame, CountedGame)>,
    verdict: Option<SprtVerdict>,
    /// Whether it ends without a decision where the openings repeat.
    needs_openings: bool,
    /// The hash of the first opening, if its game has been tested.
    first_opening: Option<u64>,
}

impl Tournament {
    /// The match of a header, before its first game.
    pub fn new(header: &Header) -> Result<Tournament, String> {
        let schedule = header.schedule()?;
        let shard = header.shard();
        let total = if shard == Shard::WHOLE {
            schedule.total()
        } else {
            shard.games(&schedule)
        };
        let has_pairs = !schedule.no_swap;
        let calendar = Calendar::new(schedule, header.is_unfit());
        let total = total.saturating_sub(calendar.void_games(shard));
        Ok(Tournament {
            variant: header.variant.clone(),
            calendar,
            shard,
            total,
            finished: FixedBitSet::new(),
            played: 0,
            void_played: 0,
            references: header.references(),
            times: header.times(),
            standings: Standings::new(header.names(), has_pairs),
            test: header.schedule.sprt.map(|sprt| SequentialTest {
                sprt,
                pairs: 0,
                counted: Standings::new(header.names(), true),
                waiting: HashMap::new(),
                verdict: None,
                needs_openings: false,
                first_opening: None,
            }),
            forfeits: header.schedule.forfeit_after.map(Forfeits::new),
            failed: FailedGames::default(),
            analyses: Analyses::new(header.names().len()),
            early: Vec::new(),
        })
    }

    /// The match of a header that was played without this test, which ends it as `--sprt` would:
    /// also where the openings begin to repeat.
    pub fn tested_later(header: &Header, sprt: Sprt) -> Result<Tournament, String> {
        let mut header = header.clone();
        header.schedule.sprt = Some(sprt);
        let mut tournament = Tournament::new(&header)?;
        if let Some(test) = &mut tournament.test {
            test.needs_openings = true;
        }
        Ok(tournament)
    }

    /// Goes on with the header of a later run of the same ladder: with more players and stages.
    pub fn go_on(&mut self, header: &Header) -> Result<(), String> {
        self.calendar.go_on(header.schedule()?, header.is_unfit())?;
        self.references = header.references();
        self.times = header.times();
        self.standings.add_players(header.names());
        self.analyses.add_players(header.engines.len());
        Ok(())
    }

    /// Adds a record. Of a second record of the same game only the analysis is used, if the
    /// first one has none.
    pub fn add(&mut self, record: &Record) -> Result<(), String> {
        self.add_game(CountedGame::new(record, &self.times))
    }

    /// Takes the pairings of a round of a ladder from its file.
    pub fn take_pairings(&mut self, pairings: &Pairings) {
        if let Some(ladder) = self.calendar.ladder_mut() {
            ladder.take(pairings);
        }
    }

    /// Pairs the next round of a ladder, if that is due.
    pub fn pair_next(&mut self) -> Option<Pairings> {
        self.calendar.ladder_mut()?.pair_next()
    }

    /// [`Tournament::add`] of a game that has been counted.
    pub fn add_game(&mut self, record: CountedGame) -> Result<(), String> {
        if self.is_over(record.id) {
            let scheduled = self.calendar.get(record.id);
            return scheduled.map_or(Ok(()), |scheduled| self.add_analysis(&scheduled, &record));
        }
        let Some(scheduled) = self.calendar.get(record.id) else {
            let id = &record.id;
            let is_early = (1..=self.calendar.schedule().total()).contains(id);
            let ladder = self.calendar.ladder();
            if ladder.is_some_and(|ladder| ladder.is_in_last_round(*id)) {
                return Err(format!(
                    "game {id} comes before the line with the pairings of its round"
                ));
            }
            if is_early && self.calendar.schedule().format.follows_results() {
                self.early.push(record);
                return Ok(());
            }
            return Err(format!("there is no game {id} in the schedule"));
        };
        self.check(&scheduled, &record)?;
        self.add_analysis(&scheduled, &record)?;
        self.finished.grow_and_insert(record.id as usize);
        self.played += 1;
        self.void_played += u64::from(self.calendar.is_void(record.id));
        let paired = self.calendar.paired();
        if let Some(ladder) = self.calendar.ladder_mut()
            && self.standings.meetings.has_seen(record.content)
        {
            ladder.add_repeat(record.id);
        }
        self.calendar.add_result(record.id, record.result);
        if let Some(forfeits) = &mut self.forfeits {
            let culprit = record.fault.map(|(side, _)| scheduled.seats[side.index()]);
            forfeits.add(record.id, culprit, &self.calendar, self.shard);
        }
        self.failed.enter(FailedGame::of(&record));
        match &mut self.test {
            None => self.standings.add(&scheduled, &record),
            Some(test) if test.verdict.is_some() => {}
            Some(test) => {
                // Of a match that was played without the test, only the verdict matters.
                if !test.needs_openings {
                    self.standings.add(&scheduled, &record);
                }
                test.add(scheduled, record);
                if test.verdict.is_some() {
                    self.standings.clone_from(&test.counted);
                }
            }
        }
        self.add_early(paired)
    }

    fn add_analysis(&mut self, scheduled: &ScheduledGame, game: &CountedGame) -> Result<(), String> {
        match &game.analysed {
            Some(record) => self.analyses.add(scheduled, record),
            None => Ok(()),
        }
    }

    /// Adds the records of games that are paired only now. `paired` is [`Calendar::paired`] before
    /// the last result.
    fn add_early(&mut self, paired: usize) -> Result<(), String> {
        if self.early.is_empty() || self.calendar.paired() == paired {
            return Ok(());
        }
        let early = std::mem::take(&mut self.early);
        early.into_iter().try_for_each(|record| self.add_game(record))
    }

    /// Checks that the record belongs to the game.
    fn check(&self, scheduled: &ScheduledGame, record: &CountedGame) -> Result<(), String> {
        let id = record.id;
        if record.variant != *self.variant {
            return Err(format!(
                "game {id} is of {}, not of {}",
                record.variant, self.variant
            ));
        }
        let names = self.names_of(scheduled);
        if names != record.names || record.pair != scheduled.pair {
            return Err(format!(
                "game {id} is between {} and {} (pair {}), not between {} and {} (pair {})",
                names[0], names[1], scheduled.pair, record.names[0], record.names[1], record.pair
            ));
        }
        if !self.shard.has(scheduled) {
            return Err(format!("game {id} does not belong to shard {}", self.shard));
        }
        Ok(())
    }

    /// Ends the test without a decision, because the openings are exhausted.
    pub fn end_test_undecided(&mut self) {
        if let Some(test) = self.test.as_mut().filter(|test| test.verdict.is_none()) {
            test.end(Accepted::Inconclusive, test.llr());
            self.standings.clone_from(&test.counted);
        }
    }

    /// The games of the schedule.
    pub const fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// The part of the schedule that this match plays.
    pub const fn shard(&self) -> Shard {
        self.shard
    }

    /// The number of games in the shard that are to be played, as far as the results tell.
    pub fn total(&self) -> u64 {
        let schedule = self.calendar.schedule();
        match self.calendar.ladder() {
            Some(ladder) if self.is_endless() => ladder.paired_total(),
            None if schedule.format.properties().has_bracket => {
                schedule.total() - self.calendar.void_games(Shard::WHOLE)
            }
            _ => self.total,
        }
    }

    /// The games of the schedule that this match does not play, in their order: those of other shards, and of unfit
    /// players.
    pub fn left_out(&self) -> Vec<u64> {
        let all = self.calendar.schedule().total();
        if self.total() == all {
            return Vec::new();
        }
        let is_elsewhere = |id| self.calendar.get(id).is_some_and(|game| !self.shard.has(&game));
        (1..=all)
            .filter(|&id| self.calendar.is_void(id) || is_elsewhere(id))
            .collect()
    }

    /// The first game without a record on which the pairings of others depend that have one.
    pub fn missing_before_others(&self) -> Option<u64> {
        let ladder = self.calendar.ladder();
        let is_open = ladder.is_some_and(|ladder| !ladder.has_all_closed_stages());
        let is_early = !self.early.is_empty() || is_open;
        is_early.then(|| self.calendar.first_missing()).flatten()
    }

    /// Whether it is a ladder that goes on: its total is that of the rounds so far.
    pub fn is_endless(&self) -> bool {
        let stage = self.calendar.schedule().stages.last();
        stage.is_some_and(|stage| stage.rounds.is_none())
    }

    /// The number of finished games, including those that a test does not count.
    pub const fn played(&self) -> u64 {
        self.played
    }

    /// Whether this game is finished.
    pub fn is_over(&self, id: u64) -> bool {
        self.finished.contains(id as usize)
    }

    /// The largest id of a finished game; 0 if there is none.
    pub fn last_finished(&self) -> u64 {
        self.finished.maximum().unwrap_or(0) as u64
    }

    /// The loser of a game whose pairing is forfeited, and after how many faults in a row.
    /// `None` if the game is to be played.
    pub fn forfeit(&self, scheduled: &ScheduledGame) -> Option<(Side, u64)> {
        let forfeits = self.forfeits.as_ref()?;
        let loser = forfeits.loser(scheduled.id, &self.calendar)?;
        let mut seats = Side::BOTH.into_iter().zip(scheduled.seats);
        let (side, _) = seats.find(|(_, player)| *player == loser)?;
        Some((side, forfeits.after))
    }

    /// The names of the players of a game, the first player's first.
    pub fn names_of(&self, scheduled: &ScheduledGame) -> [&str; 2] {
        let names = &self.standings.names;
        scheduled
            .seats
            .map(|seat| names.get(seat).map_or("", String::as_str))
    }

    /// The points of a player: 1 for a win, ½ for a draw. The games of a bye count as won.
    pub fn points(&self, player: usize) -> f64 {
        let games = self.standings.players.get(player);
        games.map_or(0.0, |player| player.games.points()) + self.calendar.bye_games(player) as f64
    }

    /// The sum of the points of a player's opponents (Buchholz score), a tie-break of Swiss
    /// tournaments. Each opponent counts once.
    pub fn opponents_points(&self, player: usize) -> f64 {
        let opponents = self.standings.opponents(player).iter();
        opponents.fold(0.0, |sum, &opponent| sum + self.points(opponent))
    }

    /// Whether a player belongs in tables: all but the unfit ones without games, and those who have left
    /// a ladder.
    pub fn takes_part(&self, player: usize) -> bool {
        let games = self.standings.players.get(player);
        let has_games = games.is_some_and(|player| player.games.games() > 0);
        let ladder = self.calendar.ladder();
        let has_left = ladder.is_some_and(|ladder| ladder.has_left(player));
        !self.calendar.is_unfit(player) || has_games && !has_left
    }

    /// Whether a player of a ladder has no rating: losses by faults say nothing about its moves, so the model
    /// would leave it near its predecessor or the mean. A new version without games is rated like its predecessor.
    pub fn is_unrated(&self, player: usize) -> bool {
        let stats = self.standings.players.get(self.last_played(player));
        self.calendar.ladder().is_some() && stats.is_some_and(PlayerStats::has_only_failed)
    }

    /// The last version with games of the player of a ladder; the player itself if there is none.
    fn last_played(&self, player: usize) -> usize {
        let predecessors = &self.calendar.schedule().predecessors;
        let before = |&version: &usize| predecessors.get(version).copied().flatten();
        let has_games = |&version: &usize| {
            let stats = self.standings.players.get(version);
            stats.is_some_and(|stats| stats.games.games() > 0)
        };
        std::iter::successors(Some(player), before)
            .find(has_games)
            .unwrap_or(player)
    }

    /// The players, the best first: by points, in a Swiss tournament with equal points by
    /// their opponents' points, and in a gauntlet by the share of points, because the first
    /// player has more games than the others. In a knockout, by the rounds that they passed. In a
    /// ladder, by their ratings, because the better players have the stronger opponents; those without one
    /// come last. Its reference players take no places: they have the ranks at which submissions would stand.
    pub fn ranking(&self) -> Vec<Place> {
        let ranked_by = self.calendar.schedule().format.properties().ranked_by;
        let ladder = self.calendar.ladder();
        let ratings = ladder.map_or(Vec::new(), LadderRounds::ratings);
        let scores: Vec<[f64; 2]> = (0..self.standings.names.len())
            .map(|player| match ranked_by {
                // Below all others, and left out.
                _ if !self.takes_part(player) => [f64::NEG_INFINITY, 0.0],
                _ if self.is_unrated(player) => [f64::MIN, self.points(self.last_played(player))],
                RankedBy::Points => [self.points(player), 0.0],
                RankedBy::Rounds => [self.calendar.rounds_passed(player) as f64, 0.0],
                RankedBy::Ratings => [ratings.get(player).copied().unwrap_or_default(), 0.0],
                RankedBy::OpponentsPoints => [self.points(player), self.opponents_points(player)],
                RankedBy::Share => {
                    let games = self
                        .standings
                        .players
                        .get(player)
                        .map_or(0, |player| player.games.games());
                    [self.points(player) / games.max(1) as f64, 0.0]
                }
            })
            .collect();
        let mut ranking = ranked(&scores);
        ranking.retain(|place| self.takes_part(place.player));
        let is_reference = |place: &Place| self.references.get(place.player) == Some(&true);
        let mut above = 0;
        for equal in ranking.chunk_by_mut(|one, other| one.rank == other.rank) {
            let submissions = equal.iter().filter(|place| !is_reference(place)).count();
            for place in equal {
                *place = Place {
                    rank: above + 1,
                    is_shared: submissions > 1,
                    is_reference: is_reference(place),
                    ..*place
                };
            }
            above += submissions;
        }
        ranking
    }

    /// The results of the players, the best first.
    pub fn table(&self) -> Vec<Standing<'_>> {
        let ranking = self.ranking().into_iter();
        let row = |place: Place| {
            let stats = self.standings.players.get(place.player)?;
            Some(Standing {
                place: place.to_string(),
                name: self.standings.names.get(place.player)?,
                points: self.points(place.player),
                played: stats.games.games(),
                won: stats.games.wins,
                drawn: stats.games.draws,
                lost: stats.games.losses,
                faults: stats.faults.values().sum(),
            })
        };
        ranking.filter_map(row).collect()
    }

    /// The least probability with which one of the first players of a ladder is stronger than one below.
    pub fn certainty_of_first(&self, first: usize) -> f64 {
        let mut ranking = self.ranking();
        ranking.retain(|place| !self.is_unrated(place.player));
        let players: Vec<usize> = ranking.iter().map(|place| place.player).collect();
        let Some(ladder) = self.calendar.ladder() else {
            return 0.0;
        };
        let posterior = ladder.posterior(&[players]);
        let above = ranking.iter().take(first).enumerate();
        let pairs =
            above.flat_map(|(place, above)| ranking[place + 1..].iter().map(move |below| (above, below)));
        let certain = pairs.map(|(above, below)| posterior.superiority(above.player, below.player));
        certain.fold(1.0, f64::min)
    }

    /// Whether a test can end the match.
    pub const fn is_tested(&self) -> bool {
        self.test.is_some()
    }

    /// The test that can end the match, and the log-likelihood ratio of the pairs tested.
    pub fn test(&self) -> Option<(&Sprt, f64)> {
        let test = self.test.as_ref()?;
        let llr = match &test.verdict {
            Some(verdict) => verdict.llr,
            None => test.llr(),
        };
        Some((&test.sprt, llr))
    }

    /// The numbers of tested pairs, and of finished games behind them that wait for the games
    /// between.
    pub fn tested_pairs(&self) -> (u64, usize) {
        let test = self.test.as_ref();
        test.map_or((0, 0), |test| match test.verdict {
            Some(_) => (test.pairs, 0),
            None => (test.pairs, test.waiting.len()),
        })
    }

    /// The verdict of the test; `None` while it is undecided.
    pub fn verdict(&self) -> Option<&SprtVerdict> {
        self.test.as_ref()?.verdict.as_ref()
    }

    /// Whether all games up to the claimed end of a test are here, and do not decide it so.
    pub fn contradicts(&self, claim: &SprtVerdict) -> bool {
        let last = self.total.min(claim.pairs.saturating_mul(2));
        let is_known = || (1..=last).all(|id| self.is_over(id));
        let is_so = |own: &SprtVerdict| (own.accepted, own.pairs) == (claim.accepted, claim.pairs);
        claim.accepted != Accepted::Inconclusive && !self.verdict().is_some_and(is_so) && is_known()
    }

    /// Whether no games remain to be played.
    pub fn is_finished(&self) -> bool {
        let is_played = || !self.is_endless() && self.played - self.void_played >= self.total();
        self.verdict().is_some() || is_played()
    }
}

impl SequentialTest {
    /// Adds a game to an undecided test, and tests all pairs whose turn has come.
    fn add(&mut self, scheduled: ScheduledGame, record: CountedGame) {
        if scheduled.id == 1 {
            self.first_opening = Some(record.opening);
        }
        self.waiting.insert(scheduled.id, (scheduled, record));
        while self.verdict.is_none() {
            // With two players, pair n has the games 2n − 1 and 2n.
            let ids = [2 * self.pairs + 1, 2 * self.pairs + 2];
            let next = ids.map(|id| self.waiting.get(&id).map(|(_, game)| game.opening));
            let is_first = |opening: &Option<u64>| opening.is_some() && *opening == self.first_opening;
            if self.needs_openings && self.pairs > 0 && next.iter().any(is_first) {
                // Openings repeat from the first after the last distinct one.
                return self.end(Accepted::Inconclusive, self.llr());
            }
            if next.contains(&None) {
                return;
            }
            self.pairs += 1;
            for id in ids {
                if let Some((scheduled, record)) = self.waiting.remove(&id) {
                    self.counted.add(&scheduled, &record);
                }
            }
            let llr = self.llr();
            match self.sprt.decision(llr) {
                Decision::Continue => {}
                Decision::AcceptH0 => self.end(Accepted::H0, llr),
                Decision::AcceptH1 => self.end(Accepted::H1, llr),
            }
        }
    }

    /// The log-likelihood ratio of the pairs tested so far.
    fn llr(&self) -> f64 {
        self.sprt.llr_of_pairs(&self.counted.meeting(0, 1).sample.pairs)
    }

    fn end(&mut self, accepted: Accepted, llr: f64) {
        self.verdict = Some(SprtVerdict {
            accepted,
            pairs: self.pairs,
            llr,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::UnfitPlayer;
    use crate::samples::{enter, game, play, tournament};
    use crate::schedule::Format;
    use crate::statistics::Model;
    use sentences::expect;

    /// The unfinished games of the shard.
    fn missing(tournament: &Tournament) -> Vec<u64> {
        let ids = 1..=tournament.calendar().schedule().total();
        let scheduled = |id| tournament.calendar().get(id);
        let is_here = |id| scheduled(id).is_some_and(|scheduled| tournament.shard().has(&scheduled));
        ids.filter(|&id| !tournament.is_over(id) && is_here(id)).collect()
    }

    #[test]
    fn counts_each_game_of_the_schedule_once() {
        let (_, mut one) = tournament(3, 2, |_| {});
        assert_eq!((one.total(), one.played()), (6, 0));
        enter(&mut one, 2, "1-0");
        enter(&mut one, 2, "0-1");
        assert_eq!(one.played(), 1);
        assert_eq!(one.standings.games(), 1);
        assert_eq!(missing(&one), [1, 3, 4, 5, 6]);

        let mut wrong = game(&one, 1, "1-0");
        wrong.id = 7;
        assert_eq!(one.add(&wrong).unwrap_err(), "there is no game 7 in the schedule");
        wrong.id = 3;
        let error = one.add(&wrong).unwrap_err();
        assert!(error.starts_with("game 3 is between "), "{error}");
        wrong.variant = "gridlock".into();
        expect! {"game 3 is of gridlock, not of magnetic-cave"}.assert_eq(&one.add(&wrong).unwrap_err());
        assert_eq!(one.played(), 1);
    }

    #[test]
    fn games_of_a_player_that_does_not_start_end_no_match() {
        // They were played before it was left out.
        let (_, mut one) = tournament(3, 2, |header| header.unfit.push(UnfitPlayer::new("a", "x")));
        let ids = || 1..=one.calendar().schedule().total();
        let (void, rest): (Vec<u64>, Vec<u64>) = ids().partition(|id| one.calendar().is_void(*id));
        assert_eq!((void.len(), rest.len()), (4, 2));
        for (ids, is_finished) in [(void, false), (rest, true)] {
            for id in ids {
                enter(&mut one, id, "1-0");
            }
            assert_eq!(one.is_finished(), is_finished);
        }
    }

    #[test]
    fn a_gauntlet_ranks_by_the_share_of_points() {
        let (_, mut one) = tournament(3, 2, |header| header.schedule.format = Format::Gauntlet);
        // `a` beats `b` twice, and `c` beats `a`.
        play(&mut one, &["1-0", "0-1", "0-1", "1-0"]);
        let points = [0, 1, 2].map(|player| one.points(player) as u64);
        assert_eq!(points, [2, 0, 2]);
        let ranking = one
            .ranking()
            .iter()
            .map(|place| (place.rank, place.player))
            .collect::<Vec<_>>();
        assert_eq!(ranking, [(1, 2), (2, 0), (3, 1)]);
    }

    #[test]
    fn a_shard_takes_its_own_games_only() {
        let shard =
            |text: &str| tournament(3, 3, |header| header.schedule.shard = Some(text.parse().unwrap())).1;
        let (mut first, second) = (shard("0/2"), shard("1/2"));
        assert_eq!(first.total() + second.total(), 9);
        let ids = missing(&first);
        assert_eq!(ids.len() as u64, first.total());
        let other = missing(&second)[0];
        let error = first.add(&game(&second, other, "1-0")).unwrap_err();
        assert!(error.ends_with("does not belong to shard 0/2"), "{error}");
        for id in ids {
            enter(&mut first, id, "1-0");
        }
        assert!(first.is_finished());
    }

    #[test]
    fn takes_swiss_records_in_any_order() {
        let swiss = |header: &mut Header| {
            header.schedule.format = crate::schedule::Format::Swiss;
            header.schedule.rounds = Some(2);
        };
        let (_, mut straight) = tournament(5, 2, swiss);
        let mut records = Vec::new();
        for id in 1..=straight.total() {
            let result = if id % 3 == 0 { "1/2-1/2" } else { "1-0" };
            records.push(game(&straight, id, result));
            straight.add(&records[records.len() - 1]).unwrap();
        }
        assert!(straight.is_finished());
        let mut beyond = records[0].clone();
        beyond.id = 9;
        assert_eq!(
            straight.add(&beyond).unwrap_err(),
            "there is no game 9 in the schedule"
        );
        let (_, mut reversed) = tournament(5, 2, swiss);
        for record in records.into_iter().rev() {
            reversed.add(&record).unwrap();
        }
        assert!(reversed.is_finished());
        assert_eq!(straight.standings.fingerprint, reversed.standings.fingerprint);
        assert_eq!(straight.ranking(), reversed.ranking());
        let points: f64 = (0..5).map(|player| straight.points(player)).sum();
        assert!(
            (points - 12.0).abs() < 1e-9,
            "8 games, and a bye of 2 games in each round"
        );
    }

    #[test]
    fn a_win_is_a_point_and_a_draw_half_a_point_for_both() {
        let (_, mut one) = tournament(2, 4, |_| {});
        // `a` and `b` change colours after each game.
        for (id, result, points) in [
            (1, "1-0", "1 0"),
            (2, "1/2-1/2", "1.5 0.5"),
            (3, "1/2-1/2", "2 1"),
            (4, "1-0", "2 2"),
        ] {
            enter(&mut one, id, result);
            assert_eq!(
                format!("{} {}", one.points(0), one.points(1)),
                points,
                "game {id}"
            );
        }
    }

    #[test]
    fn opponents_points_include_those_of_byes() {
        let (_, mut swiss) = tournament(3, 2, |header| {
            header.schedule.format = crate::schedule::Format::Swiss;
            header.schedule.rounds = Some(2);
        });
        // `c` has the bye of the first round; then `b` has it, and `a` meets `c`.
        for id in 1..=swiss.total() {
            enter(&mut swiss, id, "1/2-1/2");
        }
        let both = |player| (swiss.points(player), swiss.opponents_points(player));
        assert_eq!(
            format!("{:?}", [0, 1, 2].map(both)),
            "[(2.0, 6.0), (3.0, 2.0), (3.0, 2.0)]"
        );
    }

    #[test]
    fn a_test_takes_pairs_in_the_order_of_the_schedule() {
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

        // The first pair comes last.
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
        assert!(turned.test().unwrap().1.abs() < 1e-9, "no pair is tested");
        enter(&mut turned, 1, "1-0");
        enter(&mut turned, 2, "0-1");
        assert_eq!(turned.verdict(), Some(&verdict));
        assert_eq!(
            turned.standings.games(),
            2 * verdict.pairs,
            "games after the verdict do not count"
        );
        assert_eq!(turned.standings.fingerprint, straight.standings.fingerprint);
        assert!(turned.is_finished());
    }

    #[test]
    fn counts_all_finished_games_before_the_verdict() {
        let sprt = |header: &mut Header| {
            header.schedule.sprt = Some(Sprt::new(0.0, 5.0, 0.05, 0.05, Model::Normalized).unwrap());
        };
        let (_, mut one) = tournament(2, 6, sprt);
        // Pairs 2 and 3 wait for game 2, and count at once.
        for (played, id) in [1, 3, 4, 6].into_iter().zip(1..) {
            enter(&mut one, played, "1-0");
            assert_eq!((one.played(), one.standings.games()), (id, id));
            let points: f64 = (0..2).map(|player| one.points(player)).sum();
            assert!((points - id as f64).abs() < 1e-9, "{points} points of {id} games");
        }
        assert!(one.test().unwrap().1.abs() < 1e-9, "no pair is tested");
        enter(&mut one, 2, "1-0");
        assert_eq!(one.standings.games(), 5);
        assert_eq!(one.verdict(), None);

        one.end_test_undecided();
        let verdict = one.verdict().unwrap();
        assert_eq!((verdict.accepted, verdict.pairs), (Accepted::Inconclusive, 2));
        assert_eq!(one.standings.games(), 4, "the half pair was not tested");
    }

    #[test]
    fn test_of_a_match_played_without_one() {
        let (header, one) = tournament(2, 10, |_| ());
        let opened = |id: u64, openings: u64| {
            let mut record = game(&one, id, "1-0");
            record.moves[0] = format!("opening {}", id.div_ceil(2) % openings).into();
            record
        };
        let sprt = crate::results::sprt::read("elo0=0 elo1=5").unwrap();
        let mut waits = Tournament::tested_later(&header, sprt).unwrap();
        for id in [1, 2, 4, 5, 6] {
            waits.add(&opened(id, 10)).unwrap();
        }
        assert_eq!((waits.tested_pairs(), waits.verdict()), ((1, 3), None));

        let mut repeats = Tournament::tested_later(&header, sprt).unwrap();
        for id in 1..=5 {
            repeats.add(&opened(id, 2)).unwrap();
            let accepted = repeats.verdict().map(|verdict| verdict.accepted);
            assert_eq!(accepted, (id > 4).then_some(Accepted::Inconclusive));
        }
        assert_eq!(repeats.tested_pairs(), (2, 0));
    }
}
