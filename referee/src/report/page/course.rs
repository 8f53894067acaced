//! How the numbers of a match developed: Elo and the log-likelihood ratio over the games.
//!
//! Games are taken in the order of the schedule, pairs when they are complete, as a
//! sequential test does. So the curves do not depend on the order in which games ended.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use lodestone::board::Side;
use lodestone::game::GameResult;
use lodestone::random::mix;

use super::tally::Tally;
use crate::results::{Header, Record};
use crate::statistics::{Bootstrap, Crosstable, Pentanomial, Points, Sample, Sprt};
use crate::tournament::standings::Meeting;

/// The largest number of points of the curve of two players.
const MAX_POINTS: usize = 200;

/// The largest number of points of the curves of all pairings together.
const MAX_ALL_POINTS: usize = 4_000;

/// The largest number of points of the ratings.
const MAX_RATINGS: usize = 40;

/// The games of a match, with what the curves need.
#[derive(Debug)]
pub struct Course {
    /// The number of each player, by its name.
    players: HashMap<String, usize>,
    has_pairs: bool,
    games: BTreeMap<u64, CourseGame>,
    tally: Tally,
    /// The games with an analysis.
    analysed: HashSet<u64>,
}

#[derive(Clone, Copy, Debug)]
struct CourseGame {
    pair: u64,
    /// The players' numbers, the smaller first.
    players: [usize; 2],
    /// The points of the player with the smaller number.
    points: Points,
    /// The digest of the game's content.
    content: u64,
}

/// A point of a curve of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoursePoint {
    /// The number of games so far.
    pub games: u64,
    /// The games so far, from the view of the player with the smaller number.
    pub meeting: Meeting,
    /// The log-likelihood ratio, if there is a sequential test.
    pub llr: Option<f64>,
}

impl Course {
    /// A course without games.
    pub fn new(header: &Header) -> Course {
        Course {
            players: header.names().into_iter().zip(0..).collect(),
            has_pairs: !header.schedule.no_swap,
            games: BTreeMap::new(),
            tally: Tally::new(header.engines.len()),
            analysed: HashSet::new(),
        }
    }

    /// Adds a game. A second record of a game is ignored.
    pub fn add(&mut self, record: &Record) {
        let number = |name: &String| self.players.get(name).copied();
        let (Some(first), Some(second)) = (number(&record.first), number(&record.second)) else {
            return;
        };
        let points = match record.result {
            GameResult::Win(Side::First) => Points::Win,
            GameResult::Draw => Points::Draw,
            GameResult::Win(Side::Second) => Points::Loss,
        };
        let (players, points) = if first < second {
            ([first, second], points)
        } else {
            ([second, first], points.reversed())
        };
        if record.analysis.is_some() {
            self.analysed.insert(record.id);
        }
        if let Entry::Vacant(place) = self.games.entry(record.id) {
            place.insert(CourseGame {
                pair: record.pair,
                players,
                points,
                content: record.content(),
            });
            self.tally.add(record, [first, second]);
        }
    }

    /// Whether a copy of this game has an analysis.
    pub fn is_analysed(&self, id: u64) -> bool {
        self.analysed.contains(&id)
    }

    /// What the games have in common.
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Removes the games after those of this number of pairs, as a sequential test does.
    pub fn truncate(&mut self, pairs: u64) {
        self.games.split_off(&(2 * pairs + 1));
    }

    /// The curve of each pairing.
    pub fn meetings(&self, sprt: Option<&Sprt>) -> BTreeMap<[usize; 2], Vec<CoursePoint>> {
        let mut counts: BTreeMap<[usize; 2], u64> = BTreeMap::new();
        for game in self.games.values() {
            *counts.entry(game.players).or_default() += 1;
        }
        let max = (MAX_ALL_POINTS / counts.len().max(1)).clamp(8, MAX_POINTS) as u64;
        let mut curves: BTreeMap<[usize; 2], Vec<CoursePoint>> = BTreeMap::new();
        self.walk(|players, meeting| {
            let games = meeting.games.games();
            let total = counts.get(&players).copied().unwrap_or(games);
            let step = total.div_ceil(max).max(1);
            // Two games of a pair belong together.
            let step = if self.has_pairs {
                step.next_multiple_of(2)
            } else {
                step
            };
            if games.is_multiple_of(step) || games == total {
                let llr = sprt.map(|sprt| sprt.llr_of_pairs(&meeting.sample.pairs));
                curves.entry(players).or_default().push(CoursePoint {
                    games,
                    meeting: *meeting,
                    llr,
                });
            }
        });
        curves
    }

    /// The ratings of all players after some numbers of games; `None` without a rating.
    pub fn ratings(&self) -> Vec<(u64, Vec<Option<f64>>)> {
        let total = self.games.len();
        let step = total.div_ceil(MAX_RATINGS).max(1);
        let mut samples: BTreeMap<[usize; 2], Sample> = BTreeMap::new();
        let mut points = Vec::new();
        let mut games = 0;
        self.walk(|players, meeting| {
            samples.insert(players, meeting.sample);
            games += 1;
            if games % step != 0 && games != total {
                return;
            }
            let mut table = Crosstable::new(self.players.len());
            for (&players, &sample) in &samples {
                table.add(players, sample);
            }
            let ratings = table.ratings(Bootstrap {
                resamples: 0,
                seed: 1,
            });
            let elos = ratings
                .players
                .iter()
                .map(|rating| rating.map(|rating| rating.elo));
            points.push((games as u64, elos.collect()));
        });
        points
    }

    /// Calls `take` after each game with its players and their games so far.
    fn walk(&self, mut take: impl FnMut([usize; 2], &Meeting)) {
        let mut meetings: HashMap<[usize; 2], Meeting> = HashMap::new();
        let mut seen = HashSet::new();
        let mut pairs_seen = HashSet::new();
        let mut half_pairs: HashMap<u64, (CourseGame, bool)> = HashMap::new();
        for game in self.games.values() {
            let meeting = meetings.entry(game.players).or_default();
            meeting.games += game.points.into();
            let is_new = seen.insert(game.content);
            match half_pairs.remove(&game.pair).filter(|_| self.has_pairs) {
                None => {
                    if is_new {
                        meeting.sample.singles += game.points.into();
                    }
                    if self.has_pairs {
                        half_pairs.insert(game.pair, (*game, is_new));
                    }
                }
                Some((other, was_new)) => {
                    if was_new {
                        remove(&mut meeting.sample, other.points);
                    }
                    let contents = [game.content.min(other.content), game.content.max(other.content)];
                    if pairs_seen.insert(mix(contents[0]).wrapping_add(contents[1])) {
                        meeting.sample.pairs += Pentanomial::of_pair([game.points, other.points]);
                    }
                }
            }
            take(game.players, meeting);
        }
    }
}

/// Removes a single game that has become part of a pair.
const fn remove(sample: &mut Sample, points: Points) {
    let count = match points {
        Points::Win => &mut sample.singles.wins,
        Points::Draw => &mut sample.singles.draws,
        Points::Loss => &mut sample.singles.losses,
    };
    *count = count.saturating_sub(1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::tests::{game, tournament};

    #[test]
    fn curves_end_with_the_numbers_of_the_summary() {
        let (header, mut tournament) = tournament(3, 20, |_| ());
        let mut course = Course::new(&header);
        // In reverse, as no match does: the order must not matter.
        for id in (1..=tournament.total()).rev() {
            let result = ["1-0", "1/2-1/2", "0-1", "1-0"][(id * id % 4) as usize];
            let record = game(&tournament, id, result);
            course.add(&record);
            tournament.add(record).unwrap();
        }
        let curves = course.meetings(None);
        for (players, meeting) in tournament.standings().meetings() {
            let last = curves[&players].last().unwrap();
            assert_eq!(last.meeting, meeting);
            assert_eq!(last.games, 20);
        }
        let ratings = course.ratings();
        assert!(ratings.len() <= MAX_RATINGS && ratings.last().unwrap().0 == 60);
        course.truncate(5);
        assert_eq!(course.games.len(), 10);
    }

    #[test]
    fn long_matches_have_few_points() {
        let (header, tournament) = tournament(2, 5000, |_| ());
        let mut course = Course::new(&header);
        for id in 1..=5000 {
            course.add(&game(&tournament, id, "1-0"));
        }
        let curves = course.meetings(None);
        let curve = &curves[&[0, 1]];
        assert!(curve.len() <= MAX_POINTS && curve.len() > MAX_POINTS / 2);
        assert_eq!(curve.last().unwrap().games, 5000);
    }
}
