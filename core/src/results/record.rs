//! The record of a finished game: one line of a result file.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use jiff::Timestamp;
use lodestone_game::GameResult;
use lodestone_game::board::Side;
use lodestone_game::random::mix;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::analysis::Analysis;
use super::facts::{self, Column, FactFields, MoveFacts, at, column};
use super::pgn_tokens::can_be_written;
use crate::arbiter::Finished;
use crate::failure::Stop;
use crate::game::PonderOutcome;
use crate::game::Ruleset;
use crate::io::as_text;
use crate::io::files::digest;
use crate::io::text::printable;
use crate::io::untrusted::Untrusted;
use crate::player::verdict::{FaultKind, Verdict};
use crate::schedule::ScheduledGame;

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The number of the game in the schedule, from 1.
    pub id: u64,
    /// The name of the variant.
    pub variant: Untrusted,
    /// The round of the tournament, from 1.
    pub round: u64,
    /// The number of the pair: two games with one opening and colours swapped.
    pub pair: u64,
    /// The name of the first player.
    #[serde(deserialize_with = "as_text::printable_name")]
    pub first: String,
    /// The name of the second player.
    #[serde(deserialize_with = "as_text::printable_name")]
    pub second: String,
    /// The FEN of the position before `moves`.
    pub start: Untrusted,
    /// Who made each of `moves`, `1` or `2` a move, unless the players moved in turn, the first player
    /// first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Untrusted>,
    /// All moves from `start`, the opening included, in lower case.
    #[serde(deserialize_with = "list")]
    pub moves: Vec<Untrusted>,
    /// The same as people write them, once [`Record::add_notation`] has asked for it. Files do not have it.
    #[serde(skip)]
    pub written: Option<WrittenMoves>,
    /// The number of `moves` that belong to the opening.
    pub opening_plies: usize,
    /// The time of each move after the opening, in milliseconds.
    #[serde(deserialize_with = "times")]
    pub ms: Vec<f64>,
    /// The last exact score that the engine reported for each move after the opening.
    #[serde(deserialize_with = "list")]
    pub score: Vec<Option<Untrusted>>,
    /// The depth of the search for each of these moves, in plies. This and the next ones, up to `pv`, are kept with
    /// `--record`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Column<u32>,
    /// The length of the deepest line, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seldepth: Column<u32>,
    /// The number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Column<u64>,
    /// Nodes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nps: Column<u64>,
    /// The fill level of the transposition table, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashfull: Column<u32>,
    /// The measured time minus the time that the engine reported, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Column<f64>,
    /// The time left on the mover's clock after the move, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeleft: Column<f64>,
    /// The principal variation: up to 64 moves, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv: Column<Untrusted>,
    /// `1-0`, `0-1` or `1/2-1/2`.
    #[serde(with = "as_text")]
    pub result: GameResult,
    /// The reason of the result, a word of `docs/results.md`.
    pub reason: Untrusted,
    /// The reason of the result as a sentence.
    pub detail: Untrusted,
    /// The last position as text, if the rules came from a program.
    #[serde(rename = "final", default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Untrusted>,
    /// The points of both sides, if the rules count points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Untrusted>,
    /// When the referee began the game, in whole seconds. Not part of the game's identity.
    #[serde(default, with = "as_text::optional", skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// When it ended.
    #[serde(default, with = "as_text::optional", skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    /// For each move after the opening, how the search in the opponent's time before it
    /// ended. `None` if there was no such search in the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ponder: Option<Vec<Option<PonderOutcome>>>,
    /// The faults of both players, the one that ended the game included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<RecordedFault>,
    /// What an engine says of the moves, after `referee analyze`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Box<Analysis>>,
}

/// A fault in a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedFault {
    /// The number of the move that the player did not make, from 1. In `moves` stands the one that
    /// was drawn instead, or nothing if the fault ended the game.
    #[serde(rename = "move")]
    pub number: usize,
    /// The player.
    #[serde(with = "player_digit")]
    pub player: Side,
    /// The kind.
    #[serde(rename = "reason")]
    pub kind: FaultKind,
    /// What happened, as a sentence.
    pub detail: Untrusted,
    /// The same for people who know no protocol, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<Untrusted>,
    /// The time of a late answer, or the limit if none came, in milliseconds.
    #[serde(
        default,
        deserialize_with = "time_of_fault",
        skip_serializing_if = "Option::is_none"
    )]
    pub ms: Option<f64>,
}

/// A side as a number, 1 or 2.
mod player_digit {
    use lodestone_game::board::Side;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
    pub fn serialize<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(side.index() as u8 + 1)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
        match u8::deserialize(deserializer)? {
            1 => Ok(Side::First),
            2 => Ok(Side::Second),
            other => Err(D::Error::custom(format!(
                "`player`: expected 1 or 2, found {other}"
            ))),
        }
    }
}

/// Reads a list with a value for each move, with room for the moves of most games.
fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a sequence")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::with_capacity(64);
            while let Some(value) = values.next_element()? {
                list.push(value);
            }
            Ok(list)
        }
    }
    deserializer.deserialize_seq(Reader(PhantomData))
}

/// The longest time of a move in a file, in milliseconds: three years.
const MAX_MS: f64 = 1e11;

/// Reads times in milliseconds.
fn times<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let times: Vec<f64> = list(deserializer)?;
    times.iter().try_for_each(|time| check_time(*time))?;
    Ok(times)
}

/// Reads the time of a fault in milliseconds.
fn time_of_fault<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let time = Option::<f64>::deserialize(deserializer)?;
    time.map_or(Ok(()), check_time)?;
    Ok(time)
}

/// Checks a time in milliseconds: only such a one becomes a [`Duration`].
fn check_time<E: serde::de::Error>(time: f64) -> Result<(), E> {
    if (0.0..=MAX_MS).contains(&time) {
        return Ok(());
    }
    Err(E::custom(format!(
        "`ms`: {time} is not the time of a move in milliseconds"
    )))
}

/// The moves of a game as people write them.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenMoves {
    pub(crate) moves: Vec<String>,
    /// Whether they begin at the usual start of the game.
    pub(crate) is_from_startpos: bool,
}

impl Record {
    /// The record of a game that has just ended. `names` are those of the players, the first player's first.
    pub fn new(
        ruleset: Ruleset,
        scheduled: &ScheduledGame,
        names: [&str; 2],
        finished: &Finished,
        fields: Option<&FactFields>,
    ) -> Record {
        let Finished { game, verdict, .. } = finished;
        let detail = Untrusted::from(verdict.detail(names));
        let faults = recorded_faults(finished, names, &detail);
        let [first, second] = names.map(String::from);
        let thoughts = game.thoughts();
        let has = |name| fields.is_some_and(|fields| fields.has(name));
        let start = game.first_position().fen();
        let position = game.position();
        // In a built-in game, the moves say the rest.
        let is_built_in = ruleset.variant().is_some();
        let turns = (!is_built_in).then(|| turns_text(game.movers(), begins_second(&start)));
        Record {
            id: scheduled.id,
            variant: ruleset.name().into(),
            round: scheduled.round,
            pair: scheduled.pair,
            first,
            second,
            start: start.into(),
            turns: turns.flatten(),
            moves: game.moves().iter().map(|mv| mv.as_str().into()).collect(),
            written: None,
            opening_plies: game.opening_plies(),
            ms: thoughts
                .iter()
                .map(|thought| milliseconds(thought.time))
                .collect(),
            score: thoughts
                .iter()
                .map(|thought| thought.info.score.map(|score| score.to_string().into()))
                .collect(),
            depth: column(has("depth"), thoughts, |thought| thought.info.depth),
            seldepth: column(has("seldepth"), thoughts, |thought| thought.info.seldepth),
            nodes: column(has("nodes"), thoughts, |thought| thought.info.nodes),
            nps: column(has("nps"), thoughts, |thought| thought.info.nps),
            hashfull: column(has("hashfull"), thoughts, |thought| thought.info.hashfull),
            latency: column(has("latency"), thoughts, |thought| {
                let passed = thought.time + thought.waited;
                Some((passed.as_micros() as f64 - thought.info.time? as f64 * 1000.0) / 1000.0)
            }),
            timeleft: column(has("timeleft"), thoughts, |thought| {
                thought.time_left.map(milliseconds)
            }),
            pv: column(has("pv"), thoughts, |thought| facts::line(&thought.info.pv)),
            result: verdict.result(),
            reason: verdict.reason().into(),
            detail,
            last: (!is_built_in).then(|| position.fen().into()),
            points: position.points().map(Untrusted::from),
            started: whole_seconds(finished.started),
            ended: whole_seconds(finished.ended),
            ponder: thoughts
                .iter()
                .any(|thought| thought.pondered.is_some())
                .then(|| thoughts.iter().map(|thought| thought.pondered).collect()),
            faults,
            analysis: None,
        }
    }

    /// The sides that made the moves, as far as they are recorded.
    pub fn turns(&self) -> Result<Vec<Side>, String> {
        let side = |digit| match digit {
            '1' => Ok(Side::First),
            '2' => Ok(Side::Second),
            _ => Err(format!(
                "`turns`: expected digits 1 and 2, found `{}`",
                printable(&digit.to_string(), 1)
            )),
        };
        self.turns
            .iter()
            .flat_map(|turns| turns.raw().chars())
            .map(side)
            .collect()
    }

    /// Asks the rules for the notation of people, if they have one.
    ///
    /// # Errors
    /// The rules program sent no answer, or does not list a move.
    pub(crate) fn add_notation(&mut self, rules: Ruleset) -> Result<(), Stop> {
        let moves: Vec<&str> = self.moves.iter().map(Untrusted::raw).collect();
        let written = rules.notation(self.start.raw(), &moves)?;
        let written = written.filter(|written| written.iter().all(|word| can_be_written(word)));
        self.written = written.map(|moves| WrittenMoves {
            moves,
            is_from_startpos: self.start == *rules.startpos().fen(),
        });
        Ok(())
    }

    /// The sides that made the moves.
    pub fn movers(&self) -> Result<Vec<Side>, String> {
        let turns = self.turns()?;
        if !turns.is_empty() {
            return Ok(turns);
        }
        let begins_second = begins_second(self.start.raw());
        let is_second = |ply: usize| begins_second == ply.is_multiple_of(2);
        let side = |ply| if is_second(ply) { Side::Second } else { Side::First };
        Ok((0..self.moves.len()).map(side).collect())
    }

    /// What is kept of a move, counted from 0 after the opening.
    pub(crate) fn facts_of(&self, index: usize) -> MoveFacts {
        MoveFacts {
            depth: at(self.depth.as_deref(), index),
            seldepth: at(self.seldepth.as_deref(), index),
            nodes: at(self.nodes.as_deref(), index),
            nps: at(self.nps.as_deref(), index),
            hashfull: at(self.hashfull.as_deref(), index),
            latency: at(self.latency.as_deref(), index),
            timeleft: at(self.timeleft.as_deref(), index),
            pv: at(self.pv.as_deref(), index),
        }
    }

    /// The names of the recorded fields (`--record`), and the numbers of their values.
    pub(crate) fn fact_lengths(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.facts()
            .into_iter()
            .filter_map(|(name, length)| Some((name, length?)))
    }

    /// The names of all fields that can be recorded, and the numbers of their values.
    fn facts(&self) -> [(&'static str, Option<usize>); facts::NAMES.len()] {
        [
            ("depth", self.depth.as_ref().map(Vec::len)),
            ("seldepth", self.seldepth.as_ref().map(Vec::len)),
            ("nodes", self.nodes.as_ref().map(Vec::len)),
            ("nps", self.nps.as_ref().map(Vec::len)),
            ("hashfull", self.hashfull.as_ref().map(Vec::len)),
            ("latency", self.latency.as_ref().map(Vec::len)),
            ("timeleft", self.timeleft.as_ref().map(Vec::len)),
            ("pv", self.pv.as_ref().map(Vec::len)),
        ]
    }

    /// The name of the winner; `None` after a draw.
    pub fn winner(&self) -> Option<&str> {
        self.result.winner().map(|side| self.name(side))
    }
    /// The faults that did not end the game: a random move was played instead.
    pub fn replaced(&self) -> impl Iterator<Item = &RecordedFault> {
        let moves = self.moves.len();
        self.faults.iter().filter(move |fault| fault.number <= moves)
    }

    /// The side that lost by a fault, and the fault.
    pub fn fault(&self) -> Option<(Side, FaultKind)> {
        let loser = self.result.winner()?.opponent();
        Some((loser, FaultKind::from_word(self.reason.raw())?))
    }

    /// The name of the player of a side.
    pub fn name(&self, side: Side) -> &str {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }

    /// A hash of players, start, moves and reason: equal for games that repeat
    /// each other.
    pub fn content(&self) -> u64 {
        let moves = self.moves.iter().map(Untrusted::as_bytes);
        let texts = [
            self.first.as_bytes(),
            self.second.as_bytes(),
            self.start.as_bytes(),
        ];
        digest(texts.into_iter().chain(moves).chain([self.reason.as_bytes()]))
    }
}

/// A hash of [`Record::content`], id and result. The sum over all games is the fingerprint of a
/// match: equal for two runs with the same games.
pub fn fingerprint(content: u64, id: u64, result: GameResult) -> u64 {
    mix(content ^ mix(id)) ^ digest([result.to_string().as_str()])
}

/// The sign of a side in [`Record::turns`].
pub const fn turn_digit(side: Side) -> char {
    match side {
        Side::First => '1',
        Side::Second => '2',
    }
}

/// The value of [`Record::turns`]; `None` where the start and alternating turns give the same.
fn turns_text(movers: impl Iterator<Item = Side>, begins_second: bool) -> Option<Untrusted> {
    let turns: Vec<Side> = movers.collect();
    let in_turn = Side::BOTH.iter().cycle();
    if !begins_second && turns.iter().zip(in_turn).all(|(one, other)| one == other) {
        return None;
    }
    let digits: String = turns.iter().map(|side| turn_digit(*side)).collect();
    Some(digits.into())
}

/// Whether the second player makes the first move. The second word of a start is read as the side to move, as in the
/// built-in games.
fn begins_second(start: &str) -> bool {
    start.split(' ').nth(1) == Some("o")
}

/// The faults of both players in a game with this end.
fn recorded_faults(finished: &Finished, names: [&str; 2], detail: &Untrusted) -> Vec<RecordedFault> {
    let opening_plies = finished.game.opening_plies();
    let movers = finished.game.movers().skip(opening_plies);
    let thoughts = (opening_plies + 1..).zip(movers.zip(finished.game.thoughts()));
    let replaced = thoughts.filter_map(|(number, (player, thought))| {
        let fault = thought.fault.as_deref()?;
        Some(RecordedFault {
            number,
            player,
            kind: FaultKind::from_word(&fault.reason)?,
            detail: fault.detail.as_str().into(),
            plain: plain(&fault.plain, &fault.detail),
            ms: fault.time.map(milliseconds),
        })
    });
    let last = match &finished.verdict {
        Verdict::Fault { culprit, fault } => Some(RecordedFault {
            number: finished.game.moves().len() + 1,
            player: *culprit,
            kind: fault.kind(),
            detail: detail.clone(),
            plain: plain(&fault.plain_sentence(names[culprit.index()]), detail.raw()),
            ms: fault.time().map(milliseconds),
        }),
        _ => None,
    };
    replaced.chain(last).collect()
}

/// A sentence for people who know no protocol, if it differs from the other.
fn plain(plain: &str, detail: &str) -> Option<Untrusted> {
    (plain != detail).then(|| plain.into())
}

/// A time without its fraction of a second.
fn whole_seconds(time: Timestamp) -> Option<Timestamp> {
    Timestamp::from_second(time.as_second()).ok()
}

/// A duration in milliseconds, with three decimals.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use lodestone_game::protocol::Info;

    use super::*;
    use crate::game::{Game, MoveSequence, Thought};
    use crate::samples::record;

    fn thoughts() -> [Thought; 2] {
        let info = Info {
            depth: Some(7),
            seldepth: Some(12),
            nodes: Some(1234),
            nps: Some(40_000),
            hashfull: Some(3),
            time: Some(2),
            pv: ["a6", "b6"].map(String::from).into(),
            ..Info::default()
        };
        let thought = Thought {
            time: Duration::from_micros(2250),
            info,
            ..Thought::default()
        };
        [thought, Thought::default()]
    }

    /// The record of a game with these thoughts.
    fn recorded(thoughts: &[Thought], fields: Option<&str>) -> Record {
        let rules = Ruleset::default();
        let times = ["1.50225".parse().unwrap(); 2];
        let mut game = Game::new(&MoveSequence::new(rules, rules.startpos()), times);
        for thought in thoughts {
            let mv = game.position().legal_moves()[0].clone();
            let after = game.position().after(&mv).unwrap();
            game.push(mv, after, thought.clone());
        }
        let scheduled = ScheduledGame {
            id: 1,
            round: 1,
            pair: 1,
            seats: [0, 1],
            opening: 1,
        };
        let fields = fields.map(|fields| fields.parse().unwrap());
        let finished = Finished {
            game,
            verdict: Verdict::Resigned { loser: Side::Second },
            started: Timestamp::UNIX_EPOCH,
            ended: Timestamp::UNIX_EPOCH,
        };
        Record::new(rules, &scheduled, ["a", "b"], &finished, fields.as_ref())
    }

    #[test]
    fn fields_that_were_not_asked_for_are_absent() {
        let json = |fields: Option<&str>| {
            let record = recorded(&thoughts(), fields);
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
            let (_, facts) = text.split_once(r#""score":[null,null],"#).unwrap();
            facts.split_once(r#""result""#).unwrap().0.to_string()
        };
        assert_eq!(json(None), "");
        assert_eq!(json(Some("nodes")), r#""nodes":[1234,null],"#);
        assert_eq!(
            json(Some("all")),
            r#""depth":[7,null],"seldepth":[12,null],"nodes":[1234,null],"nps":[40000,null],"hashfull":[3,null],"latency":[0.25,null],"timeleft":[1500.0,1502.25],"pv":["a6 b6",null],"#
        );
        let empty = recorded(&[], Some("all"));
        assert_eq!(
            empty.fact_lengths().count(),
            8,
            "a game without moves has empty fields"
        );
    }

    #[test]
    fn facts_of_one_move() {
        let record = recorded(&thoughts(), Some("depth,pv"));
        let first = record.facts_of(0);
        assert_eq!(
            (first.depth, first.pv.as_ref().map(Untrusted::raw)),
            (Some(7), Some("a6 b6"))
        );
        assert_eq!(record.facts_of(1), MoveFacts::default());
        assert_eq!(record.facts_of(2), MoveFacts::default());
    }

    #[test]
    fn movers_follow_from_the_start_or_are_recorded() {
        let mut game = record(1, "a", "b");
        game.moves.truncate(3);
        let movers = |game: &Record| {
            game.movers()
                .unwrap()
                .iter()
                .map(|side| side.index())
                .collect::<Vec<_>>()
        };
        assert_eq!(movers(&game), [0, 1, 0]);
        game.start = "8/8/8/8/8/8/8/x7 o".into();
        assert_eq!(movers(&game), [1, 0, 1]);
        game.turns = Some("112".into());
        assert_eq!(movers(&game), [0, 0, 1]);
    }

    #[test]
    fn record_round_trips() {
        let game = record(3, "a", "b");
        let text = serde_json::to_string(&game).unwrap();
        assert!(text.contains(r#""result":"1-0","reason":"five""#), "{text}");
        assert!(
            text.ends_with(r#""detail":"x has five in line, a5 to a1"}"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), game);
        let times = r#","started":"2026-11-26T22:30:00Z","ended":"2026-11-26T22:30:07Z"}"#;
        let dated = text.replacen('}', times, 1);
        let game = serde_json::from_str::<Record>(&dated).unwrap();
        assert_eq!(serde_json::to_string(&game).unwrap(), dated);
        let foreign = text.replacen(r#""a""#, r#""\u001b[1ma\u202e""#, 1);
        let game = serde_json::from_str::<Record>(&foreign).unwrap();
        assert_eq!(game.first, r"\u{1b}[1ma\u{202e}");
        let wrong = text.replace("1-0", "2-0");
        let error = serde_json::from_str::<Record>(&wrong).unwrap_err().to_string();
        assert!(
            error.starts_with("expected 1-0, 0-1 or 1/2-1/2, found `2-0`"),
            "{error}"
        );
    }

    #[test]
    fn identity_ignores_times_and_scores() {
        let fingerprint = |game: &Record| fingerprint(game.content(), game.id, game.result);
        let game = record(3, "a", "b");
        let mut other = game.clone();
        other.ms[0] = 7.0;
        other.started = Some(Timestamp::UNIX_EPOCH);
        other.score[1] = Some("cp 3".into());
        assert_eq!(fingerprint(&game), fingerprint(&other));
        assert_eq!(game.content(), record(4, "a", "b").content());
        for other in [
            record(4, "a", "b"),
            record(3, "ab", ""),
            Record {
                moves: game.moves[..8].to_vec(),
                ..game.clone()
            },
            Record {
                result: GameResult::Draw,
                ..game.clone()
            },
            Record {
                reason: "time".into(),
                ..game.clone()
            },
        ] {
            assert_ne!(fingerprint(&game), fingerprint(&other), "{other:?}");
        }
    }
}
