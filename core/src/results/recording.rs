//! The record of a game that has just ended.

use std::time::Duration;

use jiff::Timestamp;
use lodestone_game::board::Side;

use super::facts::FactFields;
use super::record::{Column, Record, RecordedFault, begins_second, turn_digit};
use crate::arbiter::Finished;
use crate::game::{Ruleset, Thought};
use crate::io::untrusted::Untrusted;
use crate::player::verdict::{FaultKind, Verdict};
use crate::schedule::ScheduledGame;

/// The largest number of moves of a recorded principal variation.
const MAX_LINE: usize = 64;

/// The largest length of a move in a recorded principal variation, in bytes.
const MAX_MOVE: usize = 8;

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
            depth: column(has("depth"), thoughts, |thought| {
                thought.info.depth.map(u64::from)
            }),
            seldepth: column(has("seldepth"), thoughts, |thought| {
                thought.info.seldepth.map(u64::from)
            }),
            nodes: column(has("nodes"), thoughts, |thought| thought.info.nodes),
            nps: column(has("nps"), thoughts, |thought| thought.info.nps),
            hashfull: column(has("hashfull"), thoughts, |thought| {
                thought.info.hashfull.map(u64::from)
            }),
            latency: column(has("latency"), thoughts, |thought| {
                let passed = thought.time + thought.waited;
                Some((passed.as_micros() as f64 - thought.info.time? as f64 * 1000.0) / 1000.0)
            }),
            timeleft: column(has("timeleft"), thoughts, |thought| {
                thought.time_left.map(milliseconds)
            }),
            pv: column(has("pv"), thoughts, |thought| line(&thought.info.pv)),
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
}

/// The values of a field, if it is kept.
fn column<T>(is_kept: bool, thoughts: &[Thought], value: impl Fn(&Thought) -> Option<T>) -> Column<T> {
    is_kept.then(|| thoughts.iter().map(value).collect())
}

/// The beginning of a principal variation, up to the first word that cannot be a move.
fn line(words: &[String]) -> Option<Untrusted> {
    let is_move = |word: &&String| {
        word.len() <= MAX_MOVE && word.chars().all(|character| character.is_ascii_alphanumeric())
    };
    let moves: Vec<&str> = words
        .iter()
        .take(MAX_LINE)
        .take_while(is_move)
        .map(String::as_str)
        .collect();
    (!moves.is_empty()).then(|| moves.join(" ").into())
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
    use sentences::expect;

    use super::super::facts::{self, FACTS, MoveFacts};
    use super::*;
    use crate::game::{Game, MoveSequence};

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
        expect![[r#""depth":[7,null],"seldepth":[12,null],"nodes":[1234,null],"nps":[40000,null],"hashfull":[3,null],"latency":[0.25,null],"timeleft":[1500.0,1502.25],"pv":["a6 b6",null],"#]].assert_eq(&json(Some("all")));
        let empty = recorded(&[], Some("all"));
        let kept = facts::kept(&empty);
        assert_eq!(kept.count(), FACTS.len(), "a game without moves has empty fields");
    }

    #[test]
    fn each_name_is_that_of_a_field_and_of_the_row_that_reads_it() {
        for fact in &FACTS {
            let record = recorded(&thoughts(), Some(fact.name));
            let kept: Vec<&str> = facts::kept(&record).map(|(fact, _)| fact.name).collect();
            assert_eq!(kept, [fact.name]);
            let json = serde_json::to_value(&record).unwrap();
            assert!(
                json[fact.name][0].is_number() || json[fact.name][0] == "a6 b6",
                "{json}"
            );
        }
    }

    #[test]
    fn facts_of_one_move() {
        let record = recorded(&thoughts(), Some("depth,pv"));
        let first = MoveFacts::of(&record, 0);
        let first: Vec<_> = first
            .iter()
            .map(|(fact, value)| (fact.name, value.to_string()))
            .collect();
        assert_eq!(first, [("depth", "7".to_string()), ("pv", "a6 b6".to_string())]);
        assert_eq!(MoveFacts::of(&record, 1), MoveFacts::default());
        assert_eq!(MoveFacts::of(&record, 2), MoveFacts::default());
    }

    #[test]
    fn lines_are_bounded() {
        let words = |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.into()).collect() };
        assert_eq!(line(&[]), None);
        assert_eq!(line(&words(&["{", "a6"])), None);
        assert_eq!(line(&words(&["a6", "h1", "b\"", "b6"])).unwrap(), "a6 h1");
        assert_eq!(line(&words(&["a6", "123456789"])).unwrap(), "a6");
        let long = line(&vec!["12345678".to_string(); 1000]).unwrap();
        assert_eq!(long.raw().len(), MAX_LINE * (MAX_MOVE + 1) - 1);
    }
}
