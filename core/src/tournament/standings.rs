//! The standings of a match: counts of results, times and faults.
//!
//! They depend only on the set of records, not on their order, so a report agrees
//! with the match itself.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use fixedbitset::FixedBitSet;
use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::random::mix;

use crate::io::untrusted::Untrusted;
use crate::player::verdict::FaultKind;
use crate::results::analysis::MISTAKE;
use crate::results::counted_game::{CountedGame, SideCounts};
use crate::results::{AnalysisTally, Record};
use crate::schedule::ScheduledGame;
use serde::Serialize;

use crate::statistics::{Comparison, Pentanomial, Points, Sample, Trinomial};

/// The standings of a match.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The players' names, in the order of their numbers.
    pub names: Vec<String>,
    /// The statistics of each player.
    pub players: Vec<PlayerStats>,
    /// The results of each two players.
    pub meetings: Meetings,
    /// The opponents of each player so far.
    opponents: Vec<Vec<usize>>,
    /// All games from the first player's point of view.
    pub first_mover: Trinomial,
    /// The same without games that repeat others move by move, for statistics.
    pub first_mover_sample: Trinomial,
    /// The number of games that were ended by adjudication.
    pub adjudicated: u64,
    /// A hash of games and results, independent of order and times.
    pub fingerprint: u64,
}

/// The games of all pairings, and which of them repeat others.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// Whether two games make a pair.
    has_pairs: bool,
    /// The key is the two players' numbers, the smaller first; the counts are from
    /// its point of view.
    pub all: BTreeMap<[usize; 2], Meeting>,
    /// Pairs with one finished game, by pair number, and whether it repeats no other game.
    half_pairs: HashMap<u64, (MeetingGame, bool)>,
    /// The hashes of all games.
    games_seen: HashSet<u64>,
    /// The hashes of all pairs.
    pairs_seen: HashSet<u64>,
}

/// What [`Meetings`] need of a game.
#[derive(Clone, Copy, Debug)]
pub struct MeetingGame {
    /// The number of its pair.
    pub pair: u64,
    /// The players' numbers, the smaller first.
    pub players: [usize; 2],
    /// The points of the player with the smaller number.
    pub points: Points,
    /// The hash of the game.
    pub content: u64,
}

/// The statistics of one player.
#[derive(Clone, Debug, Default)]
pub struct PlayerStats {
    pub games: Trinomial,
    /// The number of games as first player.
    pub first_moves: u64,
    /// Its moves.
    pub counts: SideCounts,
    /// Games lost by a fault or forfeited, by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Games won by a fault of the opponent.
    pub gifts: u64,
}

/// The results of a player, for lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing<'a> {
    /// Its place, such as `3`, or `2=` for a shared one.
    pub place: String,
    pub name: &'a str,
    /// 1 for a win, ½ for a draw; a bye counts as won.
    pub points: f64,
    /// The number of games.
    pub played: u64,
    /// The number of games won.
    pub won: u64,
    /// The number of games drawn.
    pub drawn: u64,
    /// The number of games lost.
    pub lost: u64,
    /// The number of these lost by a fault.
    pub faults: u64,
}

/// The games between two players, from the point of view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    pub games: Trinomial,
    /// The games for statistics: those that repeat others move by move are left
    /// out.
    pub sample: Sample,
}

impl Standings {
    /// Standings without games. Without pairs (`--no-swap`), each game counts alone.
    pub(crate) fn new(names: Vec<String>, has_pairs: bool) -> Standings {
        Standings {
            players: vec![PlayerStats::default(); names.len()],
            opponents: vec![Vec::new(); names.len()],
            names,
            meetings: Meetings::new(has_pairs),
            first_mover: Trinomial::default(),
            first_mover_sample: Trinomial::default(),
            adjudicated: 0,
            fingerprint: 0,
        }
    }

    /// Adds players without games, behind those there are.
    pub(crate) fn add_players(&mut self, names: Vec<String>) {
        self.players.resize(names.len(), PlayerStats::default());
        self.opponents.resize(names.len(), Vec::new());
        self.names = names;
    }

    pub(crate) fn add(&mut self, scheduled: &ScheduledGame, game: &CountedGame) {
        let points = points_of(game.result, Side::First);
        self.first_mover += points.into();
        if !self.meetings.has_seen(game.content) {
            self.first_mover_sample += points.into();
        }
        self.adjudicated += u64::from(game.is_adjudicated);
        self.fingerprint = self.fingerprint.wrapping_add(game.fingerprint());
        for (side, player) in Side::BOTH.into_iter().zip(scheduled.seats) {
            if let Some(player) = self.players.get_mut(player) {
                player.add(game, side);
            }
        }
        let game = MeetingGame::new(scheduled.pair, scheduled.seats, game.result, game.content);
        if !self.meetings.all.contains_key(&game.players) {
            let [one, other] = game.players;
            for (player, opponent) in [(one, other), (other, one)] {
                if let Some(opponents) = self.opponents.get_mut(player) {
                    opponents.push(opponent);
                }
            }
        }
        self.meetings.add(game);
    }

    /// The games between two players, from the first one's point of view.
    pub fn meeting(&self, one: usize, other: usize) -> Meeting {
        let key = [one.min(other), one.max(other)];
        let meeting = self.meetings.all.get(&key).copied().unwrap_or_default();
        if one < other { meeting } else { meeting.reversed() }
    }

    /// The opponents of a player so far.
    pub(crate) fn opponents(&self, player: usize) -> &[usize] {
        self.opponents.get(player).map_or(&[], Vec::as_slice)
    }

    /// The number of games.
    pub const fn games(&self) -> u64 {
        self.first_mover.games()
    }

    /// The number of games that do not repeat another move by move.
    pub fn distinct_games(&self) -> u64 {
        self.meetings.games_seen.len() as u64
    }
}

impl MeetingGame {
    /// A game between the players with these numbers, the first player's first.
    pub fn new(pair: u64, [first, second]: [usize; 2], result: GameResult, content: u64) -> MeetingGame {
        let points = points_of(result, Side::First);
        let (players, points) = if first < second {
            ([first, second], points)
        } else {
            ([second, first], points.reversed())
        };
        MeetingGame {
            pair,
            players,
            points,
            content,
        }
    }
}

impl Meetings {
    /// No meetings yet; `has_pairs` says whether two games are a pair.
    pub fn new(has_pairs: bool) -> Meetings {
        Meetings {
            has_pairs,
            ..Meetings::default()
        }
    }

    /// Whether a game with this hash was added.
    pub(crate) fn has_seen(&self, content: u64) -> bool {
        self.games_seen.contains(&content)
    }

    /// Adds a game, and returns all games of its players. A game counts alone in the sample until
    /// its pair is complete.
    pub fn add(&mut self, game: MeetingGame) -> &Meeting {
        let meeting = self.all.entry(game.players).or_default();
        meeting.games += game.points.into();
        let is_new = self.games_seen.insert(game.content);
        let other = self.half_pairs.remove(&game.pair);
        let singles = &mut meeting.sample.singles;
        if let Some((other, was_new)) = other {
            if was_new {
                *match other.points {
                    Points::Win => &mut singles.wins,
                    Points::Draw => &mut singles.draws,
                    Points::Loss => &mut singles.losses,
                } -= 1;
            }
            let digest = pair_digest([game.content, other.content]);
            if self.pairs_seen.insert(digest) {
                meeting.sample.pairs += Pentanomial::of_pair([game.points, other.points]);
            }
            return meeting;
        }
        if is_new {
            *singles += game.points.into();
        }
        if self.has_pairs {
            self.half_pairs.insert(game.pair, (game, is_new));
        }
        meeting
    }
}

impl PlayerStats {
    fn add(&mut self, game: &CountedGame, side: Side) {
        self.games += points_of(game.result, side).into();
        self.first_moves += u64::from(side == Side::First);
        self.counts.merge(&game.sides[side.index()]);
        match game.fault {
            Some((loser, kind)) if loser == side => *self.faults.entry(kind).or_default() += 1,
            Some(_) => self.gifts += 1,
            None => {}
        }
    }

    /// Whether it lost games by its faults, and neither won nor drew one by its own moves; or all its moves were
    /// random ones in place of them.
    pub(crate) fn has_only_failed(&self) -> bool {
        let replaced: u64 = self.counts.replaced.iter().sum();
        if replaced > 0 && replaced == self.counts.moves {
            return true;
        }
        !self.faults.is_empty() && self.games.draws == 0 && self.games.wins == self.gifts
    }
}

impl Meeting {
    /// Compares the two players by pairs if there are any: the two games of a pair
    /// are not independent.
    pub fn comparison(&self) -> Comparison {
        if self.sample.pairs.pairs() > 0 {
            self.sample.pairs.comparison()
        } else {
            self.sample.singles.comparison()
        }
    }

    /// The same games from the opponent's point of view.
    pub const fn reversed(&self) -> Meeting {
        Meeting {
            games: self.games.reversed(),
            sample: self.sample.reversed(),
        }
    }
}

/// A hash of two games in any order, from their hashes.
fn pair_digest([one, other]: [u64; 2]) -> u64 {
    mix(one.min(other)).wrapping_add(one.max(other))
}

pub fn points_of(result: GameResult, side: Side) -> Points {
    match result {
        GameResult::Draw => Points::Draw,
        GameResult::Win(winner) if winner == side => Points::Win,
        GameResult::Win(_) => Points::Loss,
    }
}

/// A player's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The player's number.
    pub player: usize,
    /// The rank: 1 plus the number of players above.
    pub rank: usize,
    /// Whether another player has the same rank.
    pub is_shared: bool,
    /// Whether it is a reference player of a ladder, which takes no place from the submissions.
    pub is_reference: bool,
}

impl fmt::Display for Place {
    /// Such as `3`, `2=` for a shared rank, or `(2)` for a reference player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.rank;
        f.pad(&match (self.is_reference, self.is_shared) {
            (true, _) => format!("({rank})"),
            (false, true) => format!("{rank}="),
            (false, false) => rank.to_string(),
        })
    }
}

/// Ranks players by their scores, the highest first. Players with equal scores share a
/// rank, and the ranks after them are left out: 1, 2, 2, 4. They stay in the order of their
/// numbers.
pub fn ranked<S: PartialOrd>(scores: &[S]) -> Vec<Place> {
    let mut players: Vec<usize> = (0..scores.len()).collect();
    players.sort_by(|&one, &other| scores[other].partial_cmp(&scores[one]).unwrap_or(Ordering::Equal));
    let equal = players.chunk_by(|&one, &other| scores[one] == scores[other]);
    let places = equal.scan(1, |rank, players| {
        let (first, is_shared) = (*rank, players.len() > 1);
        *rank += players.len();
        Some(players.iter().map(move |&player| Place {
            player,
            rank: first,
            is_shared,
            is_reference: false,
        }))
    });
    places.flatten().collect()
}

/// The counts of the players over all games with an analysis. It may come from a second copy
/// of a game, and all games count, also those after the end of a sequential test.
#[derive(Clone, Debug)]
pub struct Analyses {
    /// The ids of the games.
    games: FixedBitSet,
    players: Vec<AnalysisTally>,
}

impl Analyses {
    /// No games.
    pub(crate) fn new(players: usize) -> Analyses {
        Analyses {
            games: FixedBitSet::new(),
            players: vec![AnalysisTally::default(); players],
        }
    }

    /// Adds players without analysed games, up to this number.
    pub(crate) fn add_players(&mut self, players: usize) {
        self.players.resize(players, AnalysisTally::default());
    }

    /// Adds the analysis of a game, if the record has one and no other copy had.
    pub(crate) fn add(&mut self, scheduled: &ScheduledGame, record: &Record) -> Result<(), String> {
        let Some(analysis) = &record.analysis else {
            return Ok(());
        };
        if self.games.contains(record.id as usize) {
            return Ok(());
        }
        let played = record.moves.get(record.opening_plies..).unwrap_or_default();
        let played: Vec<&str> = played.iter().map(Untrusted::raw).collect();
        let moves = analysis.of_moves(&played)?;
        self.games.grow_and_insert(record.id as usize);
        for player in scheduled.seats {
            if let Some(tally) = self.players.get_mut(player) {
                tally.games += 1;
            }
        }
        let sides = record.movers()?.into_iter().skip(record.opening_plies);
        for (found, side) in moves.iter().zip(sides) {
            let tally = scheduled.seats.get(side.index());
            if let Some(tally) = tally.and_then(|&player| self.players.get_mut(player)) {
                tally.add(found, MISTAKE);
            }
        }
        Ok(())
    }

    /// The counts of a player; `None` without analysed games.
    pub fn of_player(&self, player: usize) -> Option<&AnalysisTally> {
        self.players.get(player).filter(|tally| tally.games > 0)
    }

    /// The number of games with an analysis.
    pub fn games(&self) -> usize {
        self.games.count_ones(..)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::player::verdict::OtherEnd;
    use crate::samples::analysis;
    use crate::samples::record;
    use crate::schedule::{Calendar, round_robin as calendar};

    fn names(count: usize) -> Vec<String> {
        ["a", "b", "c", "d"][..count]
            .iter()
            .map(|name| (*name).into())
            .collect()
    }

    /// A game of the calendar with this result. Games with different `variation`
    /// have different moves.
    fn played(calendar: &Calendar, id: u64, result: &str, variation: u32) -> (ScheduledGame, Record) {
        let scheduled = calendar.get(id).unwrap();
        let names = names(4);
        let [first, second] = scheduled.seats.map(|seat| names[seat].as_str());
        let mut record = record(id, first, second);
        record.pair = scheduled.pair;
        record.result = result.parse().unwrap();
        record.moves.push(format!("variation {variation}").into());
        (scheduled, record)
    }

    fn standings(players: usize, games: &[(u64, &str, u32)]) -> Standings {
        let calendar = calendar(players, 4);
        let mut standings = Standings::new(names(players), true);
        for &(id, result, variation) in games {
            let (scheduled, record) = played(&calendar, id, result, variation);
            standings.add(&scheduled, &CountedGame::from(&record));
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
        assert_eq!(one.meetings.all[&[0, 1]], meeting);
        assert_eq!(one.meeting(1, 0), meeting.reversed());
        let players = &one.players;
        assert_eq!((players[0].games.points(), players[1].games.points()), (1.5, 1.5));
        assert_eq!((players[0].first_moves, players[1].first_moves), (2, 1));
        assert_eq!(one.first_mover.wins, 1);
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
            assert_eq!(one.fingerprint, other.fingerprint);
            assert_eq!(one.meetings.all, other.meetings.all);
        }
        assert_ne!(one.fingerprint, standings(3, &games[1..]).fingerprint);
    }

    #[test]
    fn adjudicated_games_are_counted() {
        let mut one = standings(2, &[(1, "1-0", 1)]);
        let (scheduled, mut record) = played(&calendar(2, 4), 2, "0-1", 1);
        record.reason = OtherEnd::Adjudicated.word().into();
        one.add(&scheduled, &CountedGame::from(&record));
        assert_eq!((one.games(), one.adjudicated), (2, 1));
    }

    #[test]
    fn repeated_games_do_not_count_in_the_sample() {
        let one = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (3, "1-0", 1), (4, "0-1", 1)]);
        let meeting = one.meeting(0, 1);
        assert_eq!(meeting.games.wins, 4);
        assert_eq!(meeting.sample.pairs.pairs(), 1);
        assert_eq!((one.games(), one.distinct_games()), (4, 2));
        assert_eq!((one.first_mover.games(), one.first_mover_sample.games()), (4, 2));

        let one = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (3, "1-0", 1), (4, "0-1", 2)]);
        assert_eq!(
            one.meeting(0, 1).sample.pairs.pairs(),
            2,
            "one of its games is new"
        );
        assert_eq!(one.distinct_games(), 3);

        // The games of the second pair end in the other order.
        let turned = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (4, "0-1", 1), (3, "1-0", 1)]);
        assert_eq!(turned.meeting(0, 1).sample.pairs.pairs(), 1);

        let half = standings(2, &[(1, "1-0", 1), (2, "0-1", 1), (3, "1-0", 1)]);
        assert_eq!(half.meeting(0, 1).sample.singles.games(), 0);
    }

    #[test]
    fn without_pairs_the_single_games_are_compared() {
        let half = standings(2, &[(1, "1-0", 1), (3, "1/2-1/2", 2)]);
        assert_eq!(half.meeting(0, 1).comparison().score, Some(0.75));
    }

    #[test]
    fn a_player_that_comes_later_has_opponents() {
        let mut standings = Standings::new(names(2), true);
        standings.add_players(names(4));
        let (scheduled, record) = played(&calendar(4, 4), 1, "1-0", 1);
        let later = ScheduledGame {
            seats: [3, 1],
            ..scheduled
        };
        standings.add(&later, &CountedGame::from(&record));
        assert_eq!(
            (standings.opponents(3), standings.opponents(1)),
            (&[1][..], &[3][..])
        );
    }

    #[test]
    fn times_and_faults_belong_to_the_right_player() {
        // After one ply of opening the second player searches first; its times are
        // 1.5, 3.25, 1 and 1 ms.
        let calendar = calendar(2, 2);
        let (scheduled, mut game) = played(&calendar, 1, "1-0", 1);
        game.reason = "time".into();
        let mut standings = Standings::new(names(2), true);
        standings.add(&scheduled, &CountedGame::from(&game));
        let [a, b] = [0, 1].map(|player| &standings.players[player]);
        let faults = [&a.faults, &b.faults];
        let (a, b) = (&a.counts, &b.counts);
        assert_eq!((a.moves, b.moves), (4, 4));
        assert_eq!((b.milliseconds, b.longest), (6.75, 3.25));
        assert_eq!(b.mean_time(), Some(6.75 / 4.0));
        assert_eq!((a.milliseconds, a.longest), (2.0 + 0.001 + 2.0, 2.0));
        assert!(faults[0].is_empty());
        assert_eq!(faults[1][&FaultKind::Time], 1);

        // It loses the second game in the same way, and wins none; the opponent gets both as gifts.
        let (swapped, mut second) = played(&calendar, 2, "0-1", 1);
        second.reason = "time".into();
        standings.add(&swapped, &CountedGame::from(&second));
        let [a, b] = [0, 1].map(|player| &standings.players[player]);
        assert_eq!((b.faults[&FaultKind::Time], b.gifts), (2, 0));
        assert_eq!((a.faults.len(), a.gifts), (0, 2));

        // If the second player moves first in the start, one ply of opening lets the
        // first player search first.
        game.start = "8/8/8/8/8/8/8/8 o".into();
        let mut standings = Standings::new(names(2), true);
        standings.add(&scheduled, &CountedGame::from(&game));
        assert!((standings.players[0].counts.longest - 3.25).abs() < 1e-9);
    }

    #[test]
    fn a_player_that_wins_by_its_own_moves_has_not_only_failed() {
        let has_only_failed = |wins: u64, gifts: u64, faults: u64| {
            let stats = PlayerStats {
                games: Trinomial {
                    wins,
                    draws: 0,
                    losses: 3,
                },
                gifts,
                faults: (faults > 0)
                    .then_some((FaultKind::Crash, faults))
                    .into_iter()
                    .collect(),
                ..PlayerStats::default()
            };
            stats.has_only_failed()
        };
        assert!(has_only_failed(0, 0, 3));
        assert!(has_only_failed(2, 2, 3), "its opponents gave it these games");
        assert!(!has_only_failed(2, 1, 3), "it won one itself");
        assert!(!has_only_failed(0, 0, 0), "it lost by its moves");
    }

    #[test]
    fn equal_scores_share_a_rank() {
        let places = ranked(&[1.0, 3.0, 2.5, 3.0, 0.5, 0.5]);
        let texts: Vec<String> = places
            .iter()
            .map(|place| format!("{place} {}", place.player))
            .collect();
        assert_eq!(texts, ["1= 1", "1= 3", "3 2", "4 0", "5= 4", "5= 5"]);
        assert_eq!(format!("{:>4}", places[0]), "  1=");
        assert!(ranked::<f64>(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn ranks_follow_the_scores(half_points in prop::collection::vec(0..8_u8, 0..12)) {
            let places = ranked(&half_points);
            prop_assert_eq!(places.len(), half_points.len());
            for one in &places {
                for other in &places {
                    let scores = [half_points[one.player], half_points[other.player]];
                    prop_assert_eq!(scores[0] > scores[1], one.rank < other.rank);
                    prop_assert!(one.player == other.player || scores[0] != scores[1] || one.is_shared);
                }
            }
            prop_assert!(places.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
        }
    }

    fn scheduled(id: u64) -> ScheduledGame {
        crate::tournament::Tournament::new(&crate::samples::header())
            .unwrap()
            .calendar()
            .get(id)
            .unwrap()
    }

    #[test]
    fn the_first_copy_with_an_analysis_counts() {
        let scheduled = scheduled(1);
        let mut analyses = Analyses::new(2);
        let mut game = record(1, "a", "b");
        analyses.add(&scheduled, &game).unwrap();
        assert_eq!((analyses.games(), analyses.of_player(0)), (0, None));
        let mut moves = [("", "", ""); 8];
        // Move 3 is the first player's.
        moves[1] = ("b1", "win 9", "draw 0");
        game.analysis = Some(Box::new(analysis(&moves)));
        analyses.add(&scheduled, &game).unwrap();
        analyses.add(&scheduled, &game).unwrap();
        assert_eq!(analyses.games(), 1);
        let mistakes = [0, 1].map(|player| analyses.of_player(scheduled.seats[player]).unwrap().mistakes);
        assert_eq!(mistakes, [1, 0]);
        game.id = 2;
        game.moves.pop();
        assert!(analyses.add(&scheduled, &game).unwrap_err().contains("8 values"));
    }
}
