//! The standings of a match: counts of results, times and faults.
//!
//! They depend only on the set of records, not on their order, so a report agrees
//! with the match itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use lodestone::board::Side;
use lodestone::game::GameResult;
use lodestone::random::mix;

use crate::player::verdict::FaultKind;
use crate::results::counted_game::{ClaimCounts, CountedGame, FactSums, PonderCounts};
use crate::schedule::Fixture;
use crate::statistics::{Comparison, Pentanomial, Points, Sample, Trinomial};

/// The standings of a match.
#[derive(Clone, Debug)]
pub struct Standings {
    names: Vec<String>,
    players: Vec<PlayerStats>,
    /// The key is the two players' numbers, the smaller first; the counts are from
    /// its point of view.
    meetings: BTreeMap<[usize; 2], Meeting>,
    /// Whether two games make a pair.
    has_pairs: bool,
    /// Pairs with one finished game, by pair number.
    half_pairs: HashMap<u64, HalfPair>,
    /// The digests of all games.
    games_seen: HashSet<u64>,
    /// The digests of all pairs.
    pairs_seen: HashSet<u64>,
    first_mover: Trinomial,
    /// The number of games that were ended by adjudication.
    adjudicated: u64,
    fingerprint: u64,
}

/// The statistics of one player.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayerStats {
    /// All games.
    pub games: Trinomial,
    /// The number of games as first player.
    pub first_moves: u64,
    /// The number of moves, without openings.
    pub moves: u64,
    /// The total time of these moves in milliseconds.
    pub milliseconds: f64,
    /// The time of the longest move in milliseconds.
    pub longest: f64,
    /// What is recorded beside the times.
    pub facts: FactSums,
    /// Games lost by a fault or forfeited, by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Its claims about results, if any game has them checked.
    pub claims: Option<ClaimCounts>,
    /// Its searches in the opponent's time, if there was any.
    pub ponder: Option<PonderCounts>,
}

/// The games between two players, from the point of view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// All games.
    pub games: Trinomial,
    /// The games for statistics: those that repeat others move by move are left
    /// out.
    pub sample: Sample,
}

/// The first finished game of a pair.
#[derive(Clone, Copy, Debug)]
struct HalfPair {
    /// The digest of the game.
    content: u64,
    /// The points of the player with the smaller number.
    points: Points,
    players: [usize; 2],
    /// Whether the game does not repeat an earlier one.
    is_new: bool,
}

impl Standings {
    /// Standings without games. Without pairs (`--no-swap`), each game counts alone.
    pub(crate) fn new(names: Vec<String>, has_pairs: bool) -> Standings {
        Standings {
            has_pairs,
            players: vec![PlayerStats::default(); names.len()],
            names,
            meetings: BTreeMap::new(),
            half_pairs: HashMap::new(),
            games_seen: HashSet::new(),
            pairs_seen: HashSet::new(),
            first_mover: Trinomial::default(),
            adjudicated: 0,
            fingerprint: 0,
        }
    }

    /// Adds a game of the schedule.
    pub(crate) fn add(&mut self, fixture: &Fixture, game: &CountedGame) {
        let [first, second] = fixture.seats;
        let points = points_of(game.result, Side::First);
        self.first_mover += points.into();
        self.adjudicated += u64::from(game.is_adjudicated);
        self.fingerprint = self.fingerprint.wrapping_add(game.fingerprint());
        for (side, player) in Side::BOTH.into_iter().zip(fixture.seats) {
            if let Some(player) = self.players.get_mut(player) {
                player.add(game, side);
            }
        }
        let (players, points) = if first < second {
            ([first, second], points)
        } else {
            ([second, first], points.reversed())
        };
        let content = game.content;
        let half = HalfPair {
            content,
            points,
            players,
            is_new: self.games_seen.insert(content),
        };
        let meeting = self.meetings.entry(players).or_default();
        meeting.games += points.into();
        if !self.has_pairs {
            if half.is_new {
                meeting.sample.singles += points.into();
            }
            return;
        }
        match self.half_pairs.remove(&fixture.pair) {
            None => {
                self.half_pairs.insert(fixture.pair, half);
            }
            Some(other) => {
                if self.pairs_seen.insert(pair_digest([content, other.content])) {
                    meeting.sample.pairs += Pentanomial::of_pair([points, other.points]);
                }
            }
        }
    }

    /// The players' names, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The statistics of each player, in the order of their numbers.
    pub(crate) fn players(&self) -> &[PlayerStats] {
        &self.players
    }

    /// The games of all pairings. The key is the players' numbers, the smaller
    /// first.
    pub(crate) fn meetings(&self) -> BTreeMap<[usize; 2], Meeting> {
        let mut meetings = self.meetings.clone();
        for half in self.half_pairs.values().filter(|half| half.is_new) {
            if let Some(meeting) = meetings.get_mut(&half.players) {
                meeting.sample.singles += half.points.into();
            }
        }
        meetings
    }

    /// The games between two players, from the first one's point of view.
    pub(crate) fn meeting(&self, one: usize, other: usize) -> Meeting {
        let key = [one.min(other), one.max(other)];
        let mut meeting = self.meetings.get(&key).copied().unwrap_or_default();
        let halves = self.half_pairs.values();
        for half in halves.filter(|half| half.is_new && half.players == key) {
            meeting.sample.singles += half.points.into();
        }
        if one < other { meeting } else { meeting.reversed() }
    }

    /// The opponents of a player so far.
    pub(crate) fn opponents(&self, player: usize) -> impl Iterator<Item = usize> + '_ {
        self.meetings.keys().filter_map(move |&[one, other]| {
            if one == player {
                Some(other)
            } else {
                (other == player).then_some(one)
            }
        })
    }

    /// All games from the first player's point of view.
    pub(crate) const fn first_mover(&self) -> Trinomial {
        self.first_mover
    }

    /// The number of games.
    pub(crate) const fn games(&self) -> u64 {
        self.first_mover.games()
    }

    /// The number of games that were ended by adjudication.
    pub(crate) const fn adjudicated(&self) -> u64 {
        self.adjudicated
    }

    /// The number of games that do not repeat another move by move.
    pub(crate) fn distinct_games(&self) -> u64 {
        self.games_seen.len() as u64
    }

    /// A digest of games and results, independent of order and times.
    pub(crate) const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

impl PlayerStats {
    fn add(&mut self, game: &CountedGame, side: Side) {
        self.games += points_of(game.result, side).into();
        self.first_moves += u64::from(side == Side::First);
        let counts = &game.sides[side.index()];
        self.moves += counts.moves;
        self.milliseconds += counts.milliseconds;
        self.longest = self.longest.max(counts.longest);
        self.facts.merge(&counts.facts);
        if let Some(kind) = game.fault.filter(|_| game.culprit() == Some(side)) {
            *self.faults.entry(kind).or_default() += 1;
        }
        if let Some(claims) = &counts.claims {
            self.claims.get_or_insert_default().add(claims);
        }
        if let Some(ponder) = &counts.ponder {
            let sum = self.ponder.get_or_insert_default();
            sum.hits += ponder.hits;
            sum.misses += ponder.misses;
        }
    }

    /// The average time of a move in milliseconds; `None` without moves.
    pub(crate) fn mean_time(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.milliseconds / self.moves as f64)
    }
}

impl Meeting {
    /// Compares the two players by pairs if there are any: the two games of a pair
    /// are not independent.
    pub(crate) fn comparison(&self) -> Comparison {
        if self.sample.pairs.pairs() > 0 {
            self.sample.pairs.comparison()
        } else {
            self.sample.singles.comparison()
        }
    }

    /// The same games from the opponent's point of view.
    pub(crate) const fn reversed(&self) -> Meeting {
        Meeting {
            games: self.games.reversed(),
            sample: self.sample.reversed(),
        }
    }
}

/// A digest of two games in any order, from their digests.
pub fn pair_digest([one, other]: [u64; 2]) -> u64 {
    mix(one.min(other)).wrapping_add(one.max(other))
}

/// The points of one side.
pub const fn points_of(result: GameResult, side: Side) -> Points {
    match (result, side) {
        (GameResult::Draw, _) => Points::Draw,
        (GameResult::Win(Side::First), Side::First) | (GameResult::Win(Side::Second), Side::Second) => {
            Points::Win
        }
        (GameResult::Win(_), _) => Points::Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Record;
    use crate::results::tests::record;
    use crate::schedule::{Fixtures, round_robin as fixtures};

    fn names(count: usize) -> Vec<String> {
        ["a", "b", "c", "d"][..count]
            .iter()
            .map(|name| (*name).into())
            .collect()
    }

    /// A game of the fixtures with this result. Games with different `variation`
    /// have different moves.
    fn played(fixtures: &Fixtures, id: u64, result: &str, variation: u32) -> (Fixture, Record) {
        let fixture = fixtures.get(id).unwrap();
        let names = names(4);
        let [first, second] = fixture.seats.map(|seat| names[seat].as_str());
        let mut record = record(id, first, second);
        record.pair = fixture.pair;
        record.result = result.parse().unwrap();
        record.moves.push(format!("variation {variation}"));
        (fixture, record)
    }

    fn standings(players: usize, games: &[(u64, &str, u32)]) -> Standings {
        let fixtures = fixtures(players, 4);
        let mut standings = Standings::new(names(players), true);
        for &(id, result, variation) in games {
            let (fixture, record) = played(&fixtures, id, result, variation);
            standings.add(&fixture, &CountedGame::from(&record));
        }
        standings
    }

    #[test]
    fn incomplete_pair_counts_as_a_single_game() {
        let one = standings(2, &[(1, "1-0", 1), (2, "1/2-1/2", 1), (3, "0-1", 2)]);
        let meeting = one.meeting(0, 1);
        assert_eq!(
            (meeting.games.wins, meeting.games.draws, meeting.games.losses),
            (1, 1, 1)
        );
        assert_eq!(meeting.sample.pairs.bins(), [0, 0, 0, 1, 0]);
        assert_eq!(meeting.sample.singles.losses, 1);
        assert_eq!(meeting.sample.singles.games(), 1);
        assert_eq!(one.meetings()[&[0, 1]], meeting);
        assert_eq!(one.meeting(1, 0), meeting.reversed());
        let players = one.players();
        assert_eq!((players[0].games.points(), players[1].games.points()), (1.5, 1.5));
        assert_eq!((players[0].first_moves, players[1].first_moves), (2, 1));
        assert_eq!(one.first_mover().wins, 1);
    }

    #[test]
    fn standings_do_not_depend_on_the_order() {
        let games = [
            (1, "1-0", 1),
            (2, "1/2-1/2", 1),
            (3, "0-1", 2),
            (4, "1-0", 2),
            (5, "1-0", 1),
        ];
        let one = standings(3, &games);
        for turn in 1..games.len() {
            let mut turned = games;
            turned.rotate_left(turn);
            let other = standings(3, &turned);
            assert_eq!(one.fingerprint(), other.fingerprint());
            assert_eq!(one.meetings(), other.meetings());
        }
        assert_ne!(one.fingerprint(), standings(3, &games[1..]).fingerprint());
    }

    #[test]
    fn repeated_games_do_not_count_in_the_sample() {
        let one = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (3, "1-0", 1), (4, "0-1", 1)]);
        let meeting = one.meeting(0, 1);
        assert_eq!(meeting.games.wins, 4);
        assert_eq!(meeting.sample.pairs.pairs(), 1);
        assert_eq!((one.games(), one.distinct_games()), (4, 2));

        let one = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (3, "1-0", 1), (4, "0-1", 2)]);
        assert_eq!(
            one.meeting(0, 1).sample.pairs.pairs(),
            2,
            "one of its games is new"
        );
        assert_eq!(one.distinct_games(), 3);

        let half = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (3, "1-0", 1)]);
        assert_eq!(half.meeting(0, 1).sample.singles.games(), 0);
    }

    #[test]
    fn times_and_faults_belong_to_the_right_player() {
        // After one ply of opening the second player searches first; its times are
        // 1.5, 3.25, 1 and 1 ms.
        let fixtures = fixtures(2, 2);
        let (fixture, mut game) = played(&fixtures, 1, "1-0", 1);
        game.reason = "time".into();
        let mut standings = Standings::new(names(2), true);
        standings.add(&fixture, &CountedGame::from(&game));
        let [a, b] = standings.players() else { panic!() };
        assert_eq!((a.moves, b.moves), (4, 4));
        assert_eq!((b.milliseconds, b.longest), (6.75, 3.25));
        assert_eq!(b.mean_time(), Some(6.75 / 4.0));
        assert_eq!((a.milliseconds, a.longest), (2.0 + 0.001 + 2.0, 2.0));
        assert!(a.faults.is_empty());
        assert_eq!(b.faults[&FaultKind::Time], 1);

        // If the second player moves first in the start, one ply of opening lets the
        // first player search first.
        game.start = "8/8/8/8/8/8/8/8 o".into();
        let mut standings = Standings::new(names(2), true);
        standings.add(&fixture, &CountedGame::from(&game));
        assert!((standings.players()[0].longest - 3.25).abs() < 1e-9);
    }
}
