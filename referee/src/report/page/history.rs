//! How the numbers of a match developed: Elo and the log-likelihood ratio over the games.
//!
//! Games are taken in the order of the schedule, pairs when they are complete, as a
//! sequential test does. So the curves do not depend on the order in which games ended.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use lodestone_game::board::Side;
use referee_core::game::Ruleset;
use referee_core::io::interrupt;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::verdict::FaultKind;
use referee_core::results::{Header, Record};
use referee_core::tournament::Tournament;
use referee_core::tournament::standings::{Meeting, MeetingGame, Meetings, points_of};
use referee_statistics::{Crosstable, Sample, Sampling, Sprt, Trinomial};

use crate::report::summary::Summary;
use crate::report::table;

/// The largest number of points of the curve of two players.
const MAX_POINTS: usize = 200;

/// The largest number of points of the curves of all pairings together.
const MAX_ALL_POINTS: usize = 4_000;

/// The curves of a pairing start with this number of games: before it they swing too much.
pub const MIN_GAMES: u64 = 4;

/// The largest number of pairings with curves of fewer than [`MIN_GAMES`] games, which are not drawn.
const MAX_SHORT_CURVES: usize = 1000;

/// The largest number of openings in the list.
pub const MAX_OPENINGS: usize = 200;

/// The most moves on a page, which are about 30 MB.
const MAX_SIZE: u64 = 2_000_000;

/// What a game takes besides its moves, as a number of moves.
const GAME_SIZE: u64 = 10;

/// The largest number of points of the ratings.
const MAX_RATINGS: usize = 40;

/// The least number of points that many games have.
const MIN_RATINGS: usize = 4;

/// The largest number of pairings at all points together: rating them takes about a second.
const MAX_RATED_PAIRINGS: usize = 200_000;

/// The games of a match, with what the curves need.
#[derive(Debug)]
pub struct History {
    /// The number of each player, by its name.
    players: HashMap<String, usize>,
    has_pairs: bool,
    games: BTreeMap<u64, PastGame>,
    /// What the games have in common.
    pub tally: Tally,
    /// When the first and the last of its games began, if that is recorded.
    pub times: Option<[Timestamp; 2]>,
    /// The games with an analysis.
    analysed: HashSet<u64>,
}

/// A game of a match.
#[derive(Clone, Copy, Debug)]
struct PastGame {
    meeting: MeetingGame,
    /// The number of its moves.
    moves: u32,
}

/// Passes each record of a match to a function. A game may come several times.
pub type Records<'a> = dyn Fn(&mut dyn FnMut(&Record) -> Result<(), String>) -> Result<(), String> + 'a;

pub struct PageMatch<'a> {
    /// The header of the whole match.
    pub header: &'a Header,
    /// The state of the match.
    pub tournament: &'a Tournament,
    /// The numbers.
    pub summary: &'a Summary,
    /// The development of the numbers.
    pub history: &'a History,
    /// What a reader should know of the data, such as missing games.
    pub notes: Vec<String>,
    /// The sandboxes of its runs.
    pub runs: &'a [String],
    /// The games that the page holds; `None`: all. See [`History::held`].
    pub held: Option<HashSet<u64>>,
    /// The transcripts by game number.
    pub transcripts: HashMap<u64, String>,
    /// The time for boards by a rules program; `None` without a limit.
    pub boards_time: Option<Duration>,
    /// The rules of the command.
    pub rules: Option<Ruleset>,
    /// The games.
    pub records: Box<Records<'a>>,
}

impl PageMatch<'_> {
    /// The title: the event, or players, format and game.
    pub fn title(&self) -> String {
        let event = self.header.event.as_ref();
        event.map_or_else(|| table::heading(self.header), |event| event.shown().to_string())
    }
}

/// A point of a curve of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistoryPoint {
    /// The number of games so far.
    pub games: u64,
    /// The games so far, from the view of the player with the smaller number.
    pub meeting: Meeting,
    /// The log-likelihood ratio, if there is a sequential test.
    pub llr: Option<f64>,
}

impl History {
    /// A history without games.
    pub fn new(header: &Header) -> History {
        History {
            players: header.names().into_iter().zip(0..).collect(),
            has_pairs: !header.schedule.no_swap,
            games: BTreeMap::new(),
            tally: Tally::new(header.engines.len()),
            times: None,
            analysed: HashSet::new(),
        }
    }

    /// Adds a game. A second record of a game is ignored.
    pub fn add(&mut self, record: &Record) {
        let number = |name: &String| self.players.get(name).copied();
        let (Some(first), Some(second)) = (number(&record.first), number(&record.second)) else {
            return;
        };
        if record.analysis.is_some() {
            self.analysed.insert(record.id);
        }
        if let Some(began) = record.started {
            let [first, last] = self.times.unwrap_or([began; 2]);
            self.times = Some([first.min(began), last.max(began)]);
        }
        if let Entry::Vacant(place) = self.games.entry(record.id) {
            let (seats, content) = ([first, second], record.content());
            place.insert(PastGame {
                meeting: MeetingGame::new(record.pair, seats, record.result, content),
                moves: record.moves.len() as u32,
            });
            self.tally.add(record, seats);
        }
    }

    /// Whether a copy of this game has an analysis.
    pub fn is_analysed(&self, id: u64) -> bool {
        self.analysed.contains(&id)
    }

    /// The games that a page holds; `None` if it holds all. Of very many games these are the analysed ones, those to
    /// which its tables lead, and the last ones.
    pub fn held(&self) -> Option<HashSet<u64>> {
        let size = |game: &PastGame| u64::from(game.moves) + GAME_SIZE;
        if self.games.values().map(size).sum::<u64>() <= MAX_SIZE {
            return None;
        }
        let faults = self.tally.faults.values().flat_map(|fault| &fault.games);
        let openings = self.tally.listed_openings().into_iter();
        let linked = openings
            .map(|(_, opening)| opening.game)
            .chain(faults.map(|&(id, _)| id));
        let analysed = self.analysed.iter().copied();
        let last = self.games.keys().rev().copied();
        let (mut held, mut used) = (HashSet::new(), 0);
        for id in analysed.chain(linked).chain(last) {
            used += self
                .games
                .get(&id)
                .filter(|_| !held.contains(&id))
                .map_or(0, size);
            if used > MAX_SIZE {
                break;
            }
            held.insert(id);
        }
        Some(held)
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Removes the games after those of this number of pairs, as a sequential test does.
    pub fn truncate(&mut self, pairs: u64) {
        self.games.split_off(&(2 * pairs + 1));
    }

    /// The curve of each pairing.
    pub fn meetings(&self, sprt: Option<&Sprt>) -> BTreeMap<[usize; 2], Vec<HistoryPoint>> {
        let mut counts: BTreeMap<[usize; 2], u64> = BTreeMap::new();
        for game in self.games.values() {
            *counts.entry(game.meeting.players).or_default() += 1;
        }
        let least = if counts.len() > MAX_SHORT_CURVES {
            MIN_GAMES
        } else {
            0
        };
        let max = (MAX_ALL_POINTS / counts.len().max(1)).clamp(8, MAX_POINTS) as u64;
        let mut curves: BTreeMap<[usize; 2], Vec<HistoryPoint>> = BTreeMap::new();
        self.walk(|players, meeting| {
            let games = meeting.games.games();
            let total = counts.get(&players).copied().unwrap_or(games);
            if total < least {
                return;
            }
            let step = total.div_ceil(max).max(1);
            // Two games of a pair belong together.
            let step = if self.has_pairs {
                step.next_multiple_of(2)
            } else {
                step
            };
            if games.is_multiple_of(step) || games == total {
                let llr = sprt.map(|sprt| sprt.llr_of_pairs(&meeting.sample.pairs));
                curves.entry(players).or_default().push(HistoryPoint {
                    games,
                    meeting: *meeting,
                    llr,
                });
            }
        });
        curves
    }

    /// The ratings of all players after some numbers of games; `None` without a rating. Of very many pairings there
    /// are few points.
    pub fn ratings(&self) -> Vec<(u64, Vec<Option<f64>>)> {
        let total = self.games.len();
        let pairings: HashSet<[usize; 2]> = self.games.values().map(|game| game.meeting.players).collect();
        let most = (MAX_RATED_PAIRINGS / pairings.len().max(1)).clamp(MIN_RATINGS, MAX_RATINGS);
        let step = total.div_ceil(most).max(1);
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
            // Nothing is written after a signal.
            let watch = &mut |_| interrupt::check().map_err(|signal| signal.to_string());
            let Ok(ratings) = table.try_ratings(Sampling::NONE, watch) else {
                return;
            };
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
        let mut meetings = Meetings::new(self.has_pairs);
        for game in self.games.values() {
            take(game.meeting.players, meetings.add(game.meeting));
        }
    }
}

/// The largest number of different messages of a fault that are kept.
const MAX_MESSAGES: usize = 3;

/// The largest number of games of a fault that are listed.
pub const MAX_GAMES: usize = 12;

/// What the games of a match have in common.
#[derive(Debug)]
pub struct Tally {
    /// By player number.
    pub players: Vec<PlayerTally>,
    /// The openings: the start and the moves.
    pub openings: BTreeMap<(String, Vec<String>), OpeningTally>,
    /// The faults by player number and kind.
    pub faults: BTreeMap<(usize, FaultKind), FaultTally>,
}

/// The games of a player.
#[derive(Clone, Debug, Default)]
pub struct PlayerTally {
    /// The time of each move, in milliseconds.
    pub times: Vec<f32>,
    /// The number of moves of each game.
    pub lengths: Vec<f32>,
    /// The games as first and as second player.
    pub seats: [Trinomial; 2],
}

/// The games of an opening.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpeningTally {
    /// The number of the first of its games.
    pub game: u64,
    /// Its games, from the first player's point of view.
    pub counts: Trinomial,
}

/// The faults of a player of one kind.
#[derive(Clone, Debug, Default)]
pub struct FaultTally {
    /// The number of games that it lost by them.
    pub lost: u64,
    /// The number of those in whose place a random move was played.
    pub replaced: u64,
    /// The first of them: the numbers of the games, and of the moves before.
    pub games: Vec<(u64, usize)>,
    /// The first different messages.
    pub messages: Vec<String>,
}

impl Tally {
    /// A tally of this number of players, without games.
    pub fn new(players: usize) -> Tally {
        Tally {
            players: vec![PlayerTally::default(); players],
            openings: BTreeMap::new(),
            faults: BTreeMap::new(),
        }
    }

    /// Adds a game between the players with these numbers.
    pub fn add(&mut self, record: &Record, seats: [usize; 2]) {
        let movers = record.movers().unwrap_or_default();
        for (seat, side) in Side::BOTH.into_iter().enumerate() {
            let Some(player) = self.players.get_mut(seats[seat]) else {
                continue;
            };
            player.seats[seat] += points_of(record.result, side).into();
            player.lengths.push(record.moves.len() as f32);
            let movers = movers.iter().skip(record.opening_plies).zip(&record.ms);
            let own = movers.filter(|(mover, _)| **mover == side);
            player.times.extend(own.map(|(_, &ms)| ms as f32));
        }
        let played_first = record
            .moves
            .iter()
            .take(record.opening_plies)
            .map(|mv| mv.shown().to_string())
            .collect();
        let opening = self
            .openings
            .entry((record.start.shown().to_string(), played_first))
            .or_insert(OpeningTally {
                game: record.id,
                counts: Trinomial::default(),
            });
        opening.game = opening.game.min(record.id);
        opening.counts += points_of(record.result, Side::First).into();
        for fault in record.replaced() {
            let tally = self.faults.entry((seats[fault.player.index()], fault.kind));
            let tally = tally.or_default();
            tally.replaced += 1;
            tally.enter(record.id, fault.number, &fault.detail);
        }
        if let Some((side, kind)) = record.fault() {
            let tally = self.faults.entry((seats[side.index()], kind)).or_default();
            tally.lost += 1;
            tally.enter(record.id, record.moves.len(), &record.detail);
        }
    }
}

impl Tally {
    /// The openings in the list: those of the most games first.
    pub fn listed_openings(&self) -> Vec<(&[String], &OpeningTally)> {
        let total = |opening: &OpeningTally| opening.counts.games();
        let share = |opening: &OpeningTally| opening.counts.points() / total(opening).max(1) as f64;
        let openings = self.openings.iter();
        let mut sorted: Vec<_> = openings
            .map(|((_, moves), opening)| (moves.as_slice(), opening))
            .collect();
        sorted.sort_by(|(_, one), (_, other)| {
            let by_games = total(other).cmp(&total(one));
            let by_share = share(other).total_cmp(&share(one));
            by_games.then(by_share).then(one.game.cmp(&other.game))
        });
        sorted.truncate(MAX_OPENINGS);
        sorted
    }
}

impl FaultTally {
    /// Keeps where a fault happened and its message, unless there are enough of them.
    fn enter(&mut self, game: u64, moves: usize, detail: &Untrusted) {
        self.games.push((game, moves));
        self.games.sort_unstable();
        self.games.truncate(MAX_GAMES);
        let message = detail.shown().to_string();
        if self.messages.len() < MAX_MESSAGES && !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }
}

/// The values below which these shares of the values lie; `None` without values.
pub fn quantiles<const N: usize>(values: &[f32], shares: [f64; N]) -> Option<[f64; N]> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some(shares.map(|share| f64::from(sorted[((share * sorted.len() as f64) as usize).min(last)])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::samples::record;
    use referee_core::samples::{game, tournament};
    use referee_statistics::Points;

    #[test]
    fn curves_end_with_the_numbers_of_the_summary() {
        let (header, mut tournament) = tournament(3, 20, |_| ());
        let mut history = History::new(&header);
        // In reverse, as no match does: the order must not matter.
        for id in (1..=tournament.total()).rev() {
            let result = ["1-0", "1/2-1/2", "0-1", "1-0"][(id * id % 4) as usize];
            let mut record = game(&tournament, id, result);
            record.started = Timestamp::from_second((7 * id % 61) as i64).ok();
            history.add(&record);
            tournament.add(&record).unwrap();
        }
        let times = history.times.unwrap().map(Timestamp::as_second);
        assert_eq!(times, [1, 60], "when the first and the last game began");
        let curves = history.meetings(None);
        for (&players, &meeting) in &tournament.standings.meetings.all {
            let last = curves[&players].last().unwrap();
            assert_eq!(last.meeting, meeting);
            assert_eq!(last.games, 20);
        }
        let ratings = history.ratings();
        assert!(ratings.len() <= MAX_RATINGS && ratings.last().unwrap().0 == 60);
        history.truncate(5);
        assert_eq!(history.games.len(), 10);
    }

    #[test]
    fn long_matches_have_few_points() {
        for (players, games, most) in [(2, 5000, MAX_POINTS), (9, 400, MAX_ALL_POINTS / 36)] {
            let (header, tournament) = tournament(players, games, |_| ());
            let mut history = History::new(&header);
            for id in 1..=tournament.total() {
                history.add(&game(&tournament, id, "1-0"));
            }
            let curves = history.meetings(None);
            let curve = &curves[&[0, 1]];
            assert!(curve.len() <= most && curve.len() > most / 2);
            assert_eq!(curve.last().unwrap().games, games);
        }
    }

    #[test]
    fn a_page_holds_the_last_games_and_those_of_its_tables() {
        let (header, tournament) = tournament(2, 20, |_| ());
        let mut history = History::new(&header);
        for id in 1..=20 {
            let mut record = game(&tournament, id, "1-0");
            if id == 3 {
                record.reason = "crash".into();
            }
            history.add(&record);
        }
        assert_eq!(history.held(), None);
        for past in history.games.values_mut() {
            past.moves = (MAX_SIZE / 10) as u32;
        }
        let held = history.held().unwrap();
        let mut held: Vec<u64> = held.into_iter().collect();
        held.sort_unstable();
        // All games have the opening of the first one.
        let last = 20 - (held.len() as u64 - 3);
        assert_eq!(held, [1, 3].into_iter().chain(last..=20).collect::<Vec<_>>());
        assert!((5..=9).contains(&held.len()), "{held:?}");
    }

    #[test]
    fn moves_count_for_their_player() {
        let mut tally = Tally::new(2);
        let mut game = record(1, "a", "b");
        // One move of the opening, so the second player moves first after it.
        game.ms = vec![2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0];
        tally.add(&game, [0, 1]);
        assert_eq!(tally.players[0].times, [1.0; 4]);
        assert_eq!(tally.players[1].times, [2.0; 4]);
        let [won, lost] = [Points::Win, Points::Loss].map(Trinomial::from);
        assert_eq!(tally.players[0].seats, [won, Trinomial::default()]);
        assert_eq!(tally.players[1].seats, [Trinomial::default(), lost]);
        game.start = "8/8/8/8/8/8/8/x7 o".into();
        tally.add(&game, [1, 0]);
        assert_eq!(tally.players[1].times[4..], [2.0; 4]);
        assert_eq!(tally.openings.len(), 2);
        // Players who do not move in turn.
        game.turns = Some("111222212".into());
        tally.add(&game, [0, 1]);
        assert_eq!(tally.players[0].times.len(), 4 + 4 + 3);
        assert_eq!(tally.players[1].times.len(), 4 + 4 + 5);
    }

    #[test]
    fn faults_keep_their_first_games_and_messages() {
        let mut tally = Tally::new(2);
        for id in (1..=20).rev() {
            let mut game = record(id, "a", "b");
            game.reason = "crash".into();
            game.detail = format!("message {}", id % 5).into();
            tally.add(&game, [0, 1]);
        }
        let fault = &tally.faults[&(1, FaultKind::Crash)];
        assert_eq!(
            (fault.lost, fault.games.len(), fault.messages.len()),
            (20, MAX_GAMES, MAX_MESSAGES)
        );
        assert_eq!(fault.games[0], (1, 9));
    }

    #[test]
    fn quantiles_of_values() {
        let values: Vec<f32> = (1..=100_u8).map(f32::from).collect();
        assert_eq!(quantiles(&values, [0.0, 0.5, 1.0]), Some([1.0, 51.0, 100.0]));
        assert_eq!(quantiles(&[], [0.5]), None);
    }
}
