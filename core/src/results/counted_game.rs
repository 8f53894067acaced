//! What tables need of a record: everything but moves, scores and sentences.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter;
use std::time::Duration;

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use serde::Serialize;

use super::facts::{FACTS, FactMeans, FactValues, Weight};
use super::record::fingerprint;
use crate::game::PonderOutcome;
use crate::game::clock::{Clock, TimeControl};
use crate::io::files::digest;
use crate::io::untrusted::Untrusted;
use crate::player::verdict::{FaultKind, OtherEnd};
use crate::results::Record;

/// A finished game, as tables count it.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedGame {
    /// The number of the game in the schedule, from 1.
    pub id: u64,
    /// The number of the pair.
    pub pair: u64,
    /// The name of the variant.
    pub variant: String,
    /// The names of the players, the first player's first.
    pub names: [String; 2],
    /// Who won.
    pub result: GameResult,
    /// [`Record::fault`].
    pub fault: Option<(Side, FaultKind)>,
    /// Whether the game was ended by adjudication.
    pub is_adjudicated: bool,
    /// [`Record::content`].
    pub content: u64,
    /// A hash of the opening.
    pub opening: u64,
    /// The moves of each side, the first player's first.
    pub sides: [SideCounts; 2],
    /// The record, if it has an analysis.
    pub analysed: Option<Box<Record>>,
}

/// What is counted of the moves of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideCounts {
    /// The number of moves, without the opening.
    pub moves: u64,
    /// The total time of these moves in milliseconds.
    pub milliseconds: f64,
    /// The time of the longest move in milliseconds, with late answers.
    pub longest: f64,
    /// Whether that is the limit of a move for which no answer came.
    pub is_longest_open: bool,
    /// The number of moves over the limit of a move that were played all the same.
    pub over_limit: u64,
    /// What is recorded beside the times.
    pub facts: FactSums,
    /// Its searches in the opponent's time, if there was any.
    pub ponder: Option<PonderCounts>,
    /// The number of faults of each kind in whose place a random move was played.
    pub replaced: [u64; FaultKind::ALL.len()],
}

impl SideCounts {
    /// Adds the counts of another game.
    pub(crate) fn merge(&mut self, other: &SideCounts) {
        self.moves += other.moves;
        self.milliseconds += other.milliseconds;
        self.lengthen(other.longest, other.is_longest_open);
        self.over_limit += other.over_limit;
        for (sum, other) in self.replaced.iter_mut().zip(other.replaced) {
            *sum += other;
        }
        for (sum, other) in self.facts.0.iter_mut().zip(other.facts.0) {
            sum.sum += other.sum;
            sum.weight += other.weight;
        }
        if let Some(other) = other.ponder {
            let ponder = self.ponder.get_or_insert_default();
            ponder.hits += other.hits;
            ponder.misses += other.misses;
        }
    }

    /// The faults in whose place a random move was played, by kind.
    pub fn replaced(&self) -> BTreeMap<FaultKind, u64> {
        let counts = FaultKind::ALL.into_iter().zip(self.replaced);
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// Enters the time of a move; it is a lower bound if the answer is open.
    fn lengthen(&mut self, time: f64, is_open: bool) {
        if time > self.longest || (time >= self.longest && is_open) {
            (self.longest, self.is_longest_open) = (time, is_open);
        }
    }

    /// The average time of a move in milliseconds; `None` without moves.
    pub fn mean_time(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.milliseconds / self.moves as f64)
    }
}

impl CountedGame {
    /// Counts a game of players with these time controls, by name.
    pub(crate) fn new(record: &Record, times: &HashMap<String, TimeControl>) -> CountedGame {
        let time = |name| times.get(name).copied().unwrap_or(TimeControl::Unlimited);
        let times = [&record.first, &record.second].map(time);
        let opening = record.moves.iter().take(record.opening_plies);
        let opening = iter::once(record.start.as_bytes()).chain(opening.map(Untrusted::as_bytes));
        CountedGame {
            id: record.id,
            pair: record.pair,
            variant: record.variant.shown().to_string(),
            names: [record.first.clone(), record.second.clone()],
            result: record.result,
            fault: record.fault(),
            is_adjudicated: record.reason == OtherEnd::Adjudicated.word(),
            content: record.content(),
            opening: digest(opening),
            sides: sides(record, times),
            analysed: record.analysis.is_some().then(|| Box::new(record.clone())),
        }
    }

    /// The fault that lost the game, or else one in whose place a random move was played, and whose.
    pub(crate) fn failure(&self) -> Option<(Side, FaultKind)> {
        let replaced = |side: Side| Some((side, *self.sides[side.index()].replaced().first_key_value()?.0));
        self.fault.or_else(|| Side::BOTH.into_iter().find_map(replaced))
    }

    /// Its part of the fingerprint of a match.
    pub(crate) fn fingerprint(&self) -> u64 {
        fingerprint(self.content, self.id, self.result)
    }
}

impl From<&Record> for CountedGame {
    fn from(record: &Record) -> CountedGame {
        CountedGame::new(record, &HashMap::new())
    }
}

/// What is counted of the moves of each side after the opening.
fn sides(record: &Record, times: [TimeControl; 2]) -> [SideCounts; 2] {
    let mut sides = [SideCounts::default(); 2];
    let movers = record.movers().unwrap_or_default();
    let movers = movers.get(record.opening_plies..).unwrap_or_default();
    let faulty: HashSet<usize> = record.faults.iter().map(|fault| fault.number).collect();
    for fault in record.replaced() {
        sides[fault.player.index()].replaced[fault.kind as usize] += 1;
    }
    for fault in &record.faults {
        let time = fault.ms.unwrap_or_default();
        sides[fault.player.index()].lengthen(time, fault.kind == FaultKind::Stall);
    }
    let mut clocks = times.map(Clock::new);
    for (index, (side, &ms)) in movers.iter().zip(&record.ms).enumerate() {
        let counts = &mut sides[side.index()];
        let time = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
        let is_over = clocks[side.index()].spend(time);
        if is_over && !faulty.contains(&(record.opening_plies + index + 1)) {
            counts.over_limit += 1;
        }
        counts.moves += 1;
        counts.milliseconds += ms;
        counts.lengthen(ms, false);
    }
    for (at, fact) in FACTS.iter().enumerate() {
        if let (Some(mean), Some(values)) = (&fact.mean, (fact.values)(record)) {
            for (counts, sum) in sides.iter_mut().zip(sums(record, movers, mean.weight, values)) {
                counts.facts.0[at] = sum;
            }
        }
    }
    for (counts, ponder) in sides.iter_mut().zip(pondered(record, movers)) {
        counts.ponder = ponder;
    }
    sides
}

/// The sums of a value over the moves of each side.
fn sums(record: &Record, movers: &[Side], weight: Weight, values: FactValues<'_>) -> [Mean; 2] {
    let mut sums = [Mean::default(); 2];
    for (index, (side, &ms)) in movers.iter().zip(&record.ms).enumerate() {
        let Some(value) = values.at(index).map(|value| value.number()) else {
            continue;
        };
        let sum = &mut sums[side.index()];
        match weight {
            Weight::Moves => sum.add(value, 1.0),
            Weight::Time => sum.add(value, ms),
            Weight::Games => {
                *sum = Mean {
                    sum: value,
                    weight: 1.0,
                }
            }
        }
    }
    sums
}

/// How the searches of a side in its opponent's time ended.
fn pondered(record: &Record, movers: &[Side]) -> [Option<PonderCounts>; 2] {
    let mut sides = [None; 2];
    let outcomes = movers.iter().zip(record.ponder.iter().flatten());
    for (side, outcome) in outcomes.filter_map(|(side, outcome)| Some((side, (*outcome)?))) {
        let ponder: &mut PonderCounts = sides[side.index()].get_or_insert_default();
        match outcome {
            PonderOutcome::Hit => ponder.hits += 1,
            PonderOutcome::Miss => ponder.misses += 1,
        }
    }
    sides
}

/// The searches of one player in its opponents' time (`--ponder`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PonderCounts {
    /// The number of searches after which the opponent played the expected move.
    pub hits: u64,
    /// The number of searches after which it played another one.
    pub misses: u64,
}

/// A weighted mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    /// The mean; `None` without values.
    fn value(self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

/// Sums over the recorded facts of one player's moves, in the order of [`FACTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FactSums([Mean; FACTS.len()]);

impl FactSums {
    /// The mean of each value that some move has.
    pub fn means(&self) -> FactMeans {
        FactMeans(self.0.map(Mean::value))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::samples::{fault, record};

    #[test]
    fn moves_are_counted_for_their_sides() {
        // One move of the opening: the second player is the first to think.
        let sides = CountedGame::from(&record(3, "a", "b")).sides;
        assert_eq!(sides.map(|side| side.moves), [4, 4]);
        assert!((sides[1].milliseconds - (1.5 + 3.25 + 1.0 + 1.0)).abs() < 1e-9);
        let begun_by_second = Record {
            start: "8/8/8/8/8/8/8/8 o".into(),
            ms: vec![1.5, 2.0, 3.25],
            ponder: Some(vec![None, Some(PonderOutcome::Hit), Some(PonderOutcome::Miss)]),
            ..record(3, "a", "b")
        };
        let sides = CountedGame::from(&begun_by_second).sides;
        assert_eq!(sides.map(|side| side.moves), [2, 1]);
        assert_eq!(
            sides.map(|side| side.ponder),
            [
                Some(PonderCounts { hits: 0, misses: 1 }),
                Some(PonderCounts { hits: 1, misses: 0 })
            ]
        );
    }

    #[test]
    fn the_first_move_of_each_side_has_its_own_limit() {
        let first = Duration::from_millis(900);
        let time = TimeControl::per_move(Duration::from_millis(100), Some(first));
        let times = HashMap::from(["a", "b"].map(|name| (name.to_string(), time)));
        // `b` moves first, because the opening has one move.
        for (ms, expected) in [
            ([800.0, 800.0, 50.0, 50.0], [0, 0]),
            ([50.0, 800.0, 50.0, 150.0], [1, 0]),
            ([950.0, 950.0, 150.0, 50.0], [1, 2]),
        ] {
            let game = Record {
                ms: ms.to_vec(),
                ..record(1, "a", "b")
            };
            let over = CountedGame::new(&game, &times).sides.map(|side| side.over_limit);
            assert_eq!(over, expected, "{ms:?}");
        }
        let times = HashMap::from(["a", "b"].map(|name| (name.to_string(), "0.1+0.02".parse().unwrap())));
        let game = Record {
            ms: vec![50.0, 90.0, 90.0, 31.0, 20.0, 5.0],
            ..record(1, "a", "b")
        };
        let over = CountedGame::new(&game, &times).sides.map(|side| side.over_limit);
        assert_eq!(over, [1, 2], "of a clock, until it is above zero again");
    }

    #[test]
    fn a_move_with_a_fault_is_not_over_the_limit() {
        let time = TimeControl::Move(Duration::from_millis(100));
        let times = HashMap::from(["a", "b"].map(|name| (name.to_string(), time)));
        let mut game = record(1, "a", "b");
        game.ms = vec![50.0, 150.0, 150.0, 50.0];
        // The second move after the opening is random, in place of a late one.
        game.faults = vec![fault(3, Side::First, FaultKind::Time, Some(150.0))];
        let over = CountedGame::new(&game, &times).sides.map(|side| side.over_limit);
        assert_eq!(over, [0, 1]);
    }

    #[test]
    fn counts_of_games_are_added() {
        let game = |count| SideCounts {
            moves: count,
            milliseconds: count as f64,
            longest: count as f64,
            over_limit: 2 * count,
            ponder: Some(PonderCounts {
                hits: 3 * count,
                misses: 4 * count,
            }),
            replaced: [5 * count; FaultKind::ALL.len()],
            ..SideCounts::default()
        };
        let mut sum = SideCounts::default();
        for count in [1, 2, 4] {
            sum.merge(&game(count));
        }
        let expected = SideCounts {
            longest: 4.0,
            ..game(7)
        };
        assert_eq!(sum, expected);
    }

    #[test]
    fn means_of_every_second_move() {
        let mut game = record(1, "a", "b");
        game.ms = vec![1.0, 9.0, 3.0];
        game.depth = Some(vec![Some(4), Some(50), Some(7)]);
        game.nps = Some(vec![Some(1000), Some(9), Some(3000)]);
        game.latency = Some(vec![Some(-1.0), Some(9.0), None]);
        game.timeleft = Some(vec![Some(800.0), Some(9.0), Some(600.0)]);
        let mut counts = SideCounts::default();
        assert_eq!(counts.facts.means(), FactMeans::default());
        let second = |game: &Record| CountedGame::from(game).sides[1];
        counts.merge(&second(&game));
        let means = |counts: &SideCounts| -> Vec<(&str, f64)> {
            let means = counts.facts.means();
            means.iter().map(|(mean, value)| (mean.name, value)).collect()
        };
        let expected = [
            ("mean_depth", 5.5),
            // Weighted with the times.
            ("mean_nps", 2500.0),
            ("mean_latency_ms", -1.0),
            // After the last move only.
            ("mean_time_left_ms", 600.0),
        ];
        assert_eq!(means(&counts), expected);
        // A second game with more time left.
        game.timeleft = Some(vec![Some(900.0), None, None]);
        counts.merge(&second(&game));
        assert_eq!(means(&counts)[3], ("mean_time_left_ms", 750.0));
    }
}
