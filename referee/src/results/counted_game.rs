//! What tables need of a record: everything but moves, scores and sentences.
//!
//! Reports read millions of records. [`CountedGame::parse`] reads a line in one pass, and skips
//! what is not counted.

use std::fmt;

use jiff::Timestamp;
use lodestone::board::Side;
use lodestone::game::GameResult;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::game::PonderOutcome;
use crate::game::adjudication::ADJUDICATED;
use crate::io::as_text;
use crate::io::files::digest;
use crate::io::text::is_printable;
use crate::player::verdict::FaultKind;
use crate::results::record::{times, turn_digit};
use crate::results::{Facts, Record, content_digest, fingerprint};

/// A finished game, as tables count it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountedGame {
    /// The number of the game in the schedule, from 1.
    pub id: u64,
    /// The number of the pair.
    pub pair: u64,
    /// The name of the variant.
    pub variant: String,
    /// The names of the players, the first player's first.
    pub names: [String; 2],
    pub result: GameResult,
    /// The fault for which the loser lost.
    pub fault: Option<FaultKind>,
    /// Whether the game was ended by adjudication.
    pub is_adjudicated: bool,
    /// [`Record::content`].
    pub content: u64,
    /// A digest of the opening.
    pub opening: u64,
    /// The moves of each side, the first player's first.
    pub sides: [SideCounts; 2],
    /// The record, if it has an analysis.
    pub analysed: Option<Box<Record>>,
}

/// What is counted of the moves of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SideCounts {
    /// The number of moves, without the opening.
    pub moves: u64,
    /// The total time of these moves in milliseconds.
    pub milliseconds: f64,
    /// The time of the longest move in milliseconds.
    pub longest: f64,
    /// What is recorded beside the times.
    pub facts: FactSums,
    /// Its searches in the opponent's time, if there was any.
    pub ponder: Option<PonderCounts>,
}

impl SideCounts {
    /// Adds the counts of another game.
    pub(crate) fn merge(&mut self, other: &SideCounts) {
        self.moves += other.moves;
        self.milliseconds += other.milliseconds;
        self.longest = self.longest.max(other.longest);
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

    /// The average time of a move in milliseconds; `None` without moves.
    pub(crate) fn mean_time(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.milliseconds / self.moves as f64)
    }
}

/// The fields of a record that are counted, borrowed from its line.
#[derive(Deserialize)]
struct CountedFields<'a> {
    /// Makes the line a header.
    header: Option<IgnoredAny>,
    analysis: Option<IgnoredAny>,
    id: u64,
    variant: &'a str,
    #[serde(rename = "round")]
    _round: u64,
    pair: u64,
    first: &'a str,
    second: &'a str,
    start: &'a str,
    turns: Option<&'a str>,
    moves: JoinedMoves,
    opening_plies: usize,
    #[serde(deserialize_with = "times")]
    ms: Vec<f64>,
    #[serde(rename = "score")]
    _score: IgnoredAny,
    result: &'a str,
    reason: &'a str,
    #[serde(rename = "detail")]
    _detail: IgnoredAny,
    #[serde(rename = "final")]
    _final: Option<IgnoredAny>,
    #[serde(rename = "points")]
    _points: Option<IgnoredAny>,
    #[serde(default, rename = "started", with = "as_text::optional")]
    _started: Option<Timestamp>,
    #[serde(default, rename = "ended", with = "as_text::optional")]
    _ended: Option<Timestamp>,
    ponder: Option<Vec<Option<PonderOutcome>>>,
    depth: Option<Vec<Option<u32>>>,
    nps: Option<Vec<Option<u64>>>,
    latency: Option<Vec<Option<f64>>>,
    timeleft: Option<Vec<Option<f64>>>,
}

/// Moves, each with a line break behind it.
struct JoinedMoves(String);

impl<'de> Deserialize<'de> for JoinedMoves {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<JoinedMoves, D::Error> {
        struct Moves;

        impl<'de> Visitor<'de> for Moves {
            type Value = JoinedMoves;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of moves")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut moves: A) -> Result<JoinedMoves, A::Error> {
                let mut joined = String::with_capacity(512);
                while let Some(mv) = moves.next_element::<&str>()? {
                    joined.push_str(mv);
                    joined.push('\n');
                }
                Ok(JoinedMoves(joined))
            }
        }

        deserializer.deserialize_seq(Moves)
    }
}

/// The facts of a game that are counted for a side.
struct Moves<'a> {
    start: &'a str,
    /// [`Record::turns`].
    turns: Option<&'a str>,
    opening_plies: usize,
    ms: &'a [f64],
    facts: &'a Facts,
    ponder: &'a [Option<PonderOutcome>],
}

impl CountedGame {
    /// The game of a line with a record; `None` for any other line, and for one that only
    /// [`Reader`](crate::results::Reader) can read or explain.
    pub(crate) fn parse(line: &[u8]) -> Option<CountedGame> {
        let mut line: CountedFields = serde_json::from_slice(line).ok()?;
        let mut names = line.first.chars().chain(line.second.chars());
        if line.header.is_some() || line.analysis.is_some() || !names.all(is_printable) {
            return None;
        }
        let facts = Facts {
            depth: line.depth.take(),
            nps: line.nps.take(),
            latency: line.latency.take(),
            timeleft: line.timeleft.take(),
            ..Facts::default()
        };
        let CountedFields {
            start,
            first,
            second,
            reason,
            moves: JoinedMoves(moves),
            ..
        } = &line;
        let parts = Moves {
            start,
            turns: line.turns,
            opening_plies: line.opening_plies,
            ms: &line.ms,
            facts: &facts,
            ponder: line.ponder.as_deref().unwrap_or_default(),
        };
        let opening = moves.split_inclusive('\n').take(line.opening_plies);
        let opening: usize = opening.map(str::len).sum();
        let result: GameResult = line.result.parse().ok()?;
        Some(CountedGame {
            id: line.id,
            pair: line.pair,
            variant: line.variant.into(),
            names: [(*first).into(), (*second).into()],
            result,
            fault: fault(result, reason),
            is_adjudicated: *reason == ADJUDICATED,
            content: content_digest([first, second, start], moves, reason),
            opening: opening_digest(start, moves.get(..opening)?),
            sides: Side::BOTH.map(|side| parts.of(side)),
            analysed: None,
        })
    }

    /// The side that lost by a fault.
    pub(crate) const fn culprit(&self) -> Option<Side> {
        match self.result {
            GameResult::Win(winner) if self.fault.is_some() => Some(winner.opponent()),
            _ => None,
        }
    }

    /// Its part of the fingerprint of a match.
    pub(crate) fn fingerprint(&self) -> u64 {
        fingerprint(self.content, self.id, self.result)
    }
}

impl From<&Record> for CountedGame {
    fn from(record: &Record) -> CountedGame {
        let parts = Moves {
            start: &record.start,
            turns: record.turns.as_deref(),
            opening_plies: record.opening_plies,
            ms: &record.ms,
            facts: &record.facts,
            ponder: record.ponder.as_deref().unwrap_or_default(),
        };
        let mut opening = String::new();
        for mv in record.moves.iter().take(record.opening_plies) {
            opening.push_str(mv);
            opening.push('\n');
        }
        CountedGame {
            id: record.id,
            pair: record.pair,
            variant: record.variant.clone(),
            names: [record.first.clone(), record.second.clone()],
            result: record.result,
            fault: fault(record.result, &record.reason),
            is_adjudicated: record.reason == ADJUDICATED,
            content: record.content(),
            opening: opening_digest(&record.start, &opening),
            sides: Side::BOTH.map(|side| parts.of(side)),
            analysed: record.analysis.is_some().then(|| Box::new(record.clone())),
        }
    }
}

/// The fault in a reason, if the game was lost by one.
fn fault(result: GameResult, reason: &str) -> Option<FaultKind> {
    match result {
        GameResult::Win(_) => FaultKind::from_word(reason),
        GameResult::Draw => None,
    }
}

fn opening_digest(start: &str, moves: &str) -> u64 {
    digest([start, moves])
}

/// The values of the own moves.
fn own<T>(values: &[T], is_own: impl Fn(usize) -> bool) -> impl Iterator<Item = &T> {
    let numbered = values.iter().enumerate();
    numbered
        .filter(move |(index, _)| is_own(*index))
        .map(|(_, value)| value)
}

impl Moves<'_> {
    /// What is counted of the moves of a side.
    fn of(&self, side: Side) -> SideCounts {
        // The start may have the second player to move.
        let starts = self.start.split(' ').nth(1) != Some("o");
        let is_first_thinker = starts == self.opening_plies.is_multiple_of(2);
        let skipped = usize::from((side == Side::First) != is_first_thinker);
        let digit = turn_digit(side) as u8;
        let is_own = |index: usize| match self.turns {
            Some(turns) => turns.as_bytes().get(self.opening_plies + index) == Some(&digit),
            None => index % 2 == skipped,
        };
        let mut counts = SideCounts::default();
        for time in own(self.ms, is_own).copied() {
            counts.moves += 1;
            counts.milliseconds += time;
            counts.longest = counts.longest.max(time);
        }
        counts.facts.add(self.facts, self.ms, is_own);
        for outcome in own(self.ponder, is_own).flatten() {
            let ponder = counts.ponder.get_or_insert_default();
            *match outcome {
                PonderOutcome::Hit => &mut ponder.hits,
                PonderOutcome::Miss => &mut ponder.misses,
            } += 1;
        }
        counts
    }
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

/// Sums over the recorded facts of one player's moves: depth, speed, latency and time left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FactSums([Mean; 4]);

/// Means over the recorded facts of one player's moves; `None` where nothing is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(clippy::struct_field_names)] // their names in JSON
pub struct FactMeans {
    /// Depth of a move, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_depth: Option<f64>,
    /// Nodes per second; each move counts by its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_nps: Option<f64>,
    /// Measured minus reported time of a move, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_latency_ms: Option<f64>,
    /// Time on the clock after the last move of a game, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_time_left_ms: Option<f64>,
}

impl FactSums {
    /// Adds the own moves of a game after its opening. `ms` are the times of all its moves after
    /// the opening.
    pub(crate) fn add(&mut self, all: &Facts, ms: &[f64], is_own: impl Fn(usize) -> bool) {
        if all.is_empty() {
            return;
        }
        let FactSums([depths, speeds, latencies, last]) = self;
        let mut time_left = None;
        for (index, &ms) in ms.iter().enumerate().filter(|(index, _)| is_own(*index)) {
            let facts = all.of_move(index);
            if let Some(depth) = facts.depth {
                depths.add(depth.into(), 1.0);
            }
            if let Some(nps) = facts.nps {
                speeds.add(nps as f64, ms);
            }
            if let Some(latency) = facts.latency {
                latencies.add(latency, 1.0);
            }
            time_left = facts.timeleft.or(time_left);
        }
        if let Some(time_left) = time_left {
            last.add(time_left, 1.0);
        }
    }

    pub(crate) fn means(&self) -> FactMeans {
        let [depth, nps, latency, time_left] = self.0.map(Mean::value);
        FactMeans {
            mean_depth: depth,
            mean_nps: nps,
            mean_latency_ms: latency,
            mean_time_left_ms: time_left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::record;

    /// Parses the line of a record.
    fn parsed(record: &Record) -> Option<CountedGame> {
        CountedGame::parse(&serde_json::to_vec(record).unwrap())
    }

    #[test]
    fn line_is_counted_like_its_record() {
        let plain = record(3, "a", "b");
        let mut full = Record {
            start: "8/8/8/8/8/8/8/8 o".into(),
            opening_plies: 2,
            ms: vec![1.5, 2.0, 3.25, 0.001, 1.0, 1.0, 1.0],
            reason: "crash".into(),
            ponder: Some(vec![None, Some(PonderOutcome::Hit), Some(PonderOutcome::Miss)]),
            started: Some(Timestamp::UNIX_EPOCH),
            ..plain.clone()
        };
        full.facts.depth = Some(vec![Some(4), None, Some(7)]);
        full.facts.nps = Some(vec![Some(1000), Some(9), Some(3000)]);
        full.facts.pv = Some(vec![Some("a1 a2".into()), None, None]);
        full.facts.timeleft = Some(vec![Some(800.0), Some(9.5), None]);
        let adjudicated = Record {
            reason: ADJUDICATED.into(),
            result: GameResult::Draw,
            ..plain.clone()
        };
        for record in [plain, full, adjudicated] {
            let counted = CountedGame::from(&record);
            assert_eq!(counted.content, record.content());
            assert_eq!(counted.culprit(), record.culprit());
            assert_eq!(parsed(&record), Some(counted));
        }
        let sides = CountedGame::from(&record(3, "a", "b")).sides;
        // One move of the opening: the second player is the first to think.
        assert_eq!(sides.map(|side| side.moves), [4, 4]);
        assert!((sides[1].milliseconds - (1.5 + 3.25 + 1.0 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn other_lines_are_left_to_the_reader() {
        let text = serde_json::to_string(&record(3, "a", "b")).unwrap();
        for (from, to) in [
            ("{", "{\"header\":1,"),
            ("\"id\":3,", ""),
            ("\"1-0\"", "\"2-0\""),
            ("\"first\":\"a\"", "\"first\":\"\\u0061\""),
            ("\"first\":\"a\"", "\"first\":\"a\u{202e}\""),
            ("\"score\":", "\"scores\":"),
            ("}", ""),
            ("}", ",\"analysis\":{}}"),
            ("}", ",\"started\":\"today\"}"),
        ] {
            let line = text.replacen(from, to, 1);
            assert_ne!(line, text);
            assert_eq!(CountedGame::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn means_of_every_second_move() {
        let mut game = record(1, "a", "b");
        game.ms = vec![1.0, 9.0, 3.0];
        game.facts.depth = Some(vec![Some(4), Some(50), Some(7)]);
        game.facts.nps = Some(vec![Some(1000), Some(9), Some(3000)]);
        game.facts.latency = Some(vec![Some(-1.0), Some(9.0), None]);
        game.facts.timeleft = Some(vec![Some(800.0), Some(9.0), Some(600.0)]);
        let mut sums = FactSums::default();
        assert_eq!(sums.means(), FactMeans::default());
        sums.add(&game.facts, &game.ms, |index| index % 2 == 0);
        let means = sums.means();
        assert_eq!(means.mean_depth, Some(5.5));
        assert_eq!(means.mean_nps, Some(2500.0), "weighted with the times");
        assert_eq!(means.mean_latency_ms, Some(-1.0));
        assert_eq!(means.mean_time_left_ms, Some(600.0), "after the last move only");
        // A second game with more time left.
        game.facts.timeleft = Some(vec![Some(900.0), None, None]);
        sums.add(&game.facts, &game.ms, |index| index % 2 == 0);
        assert_eq!(sums.means().mean_time_left_ms, Some(750.0));
    }
}
