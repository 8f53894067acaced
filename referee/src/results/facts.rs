//! What a record keeps of each move beside its time and score (`--record`).

use std::fmt::{self, Display};
use std::str::FromStr;

use super::record::Record;
use crate::game::Thought;
use crate::io::as_text::Text;
use crate::io::text::unknown;

/// The largest number of moves of a recorded principal variation.
const MAX_LINE: usize = 64;

/// The largest length of a move in a recorded principal variation, in bytes.
const MAX_MOVE: usize = 8;

/// The names of the fields on the command line and in records, in their order there.
const NAMES: [&str; 8] = [
    "depth", "seldepth", "nodes", "nps", "hashfull", "latency", "timeleft", "pv",
];

/// A set of fields: `depth,nodes`, or `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactFields(Vec<&'static str>);

impl FactFields {
    /// Whether this field is kept.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

impl FromStr for FactFields {
    type Err = String;

    fn from_str(text: &str) -> Result<FactFields, String> {
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let is_known = |word: &str| word == "all" || NAMES.contains(&word);
        if let Some(word) = words.iter().find(|word| !is_known(word)) {
            return Err(unknown("field", word, &[&NAMES[..], &["all"]].concat()));
        }
        let is_wanted = |name: &&str| words.contains(name) || words.contains(&"all");
        Ok(FactFields(NAMES.into_iter().filter(is_wanted).collect()))
    }
}

impl Display for FactFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl Text for FactFields {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<FactFields, String> {
        text.parse()
    }
}

/// The values of one field, one for each move after the opening. `None` if the field is not
/// recorded; a null where the engine did not report it.
pub type Column<T> = Option<Vec<Option<T>>>;

/// What a record keeps of one move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveFacts {
    /// Depth of the search, in plies.
    pub depth: Option<u32>,
    /// Length of the deepest line, in plies.
    pub seldepth: Option<u32>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Fill level of the transposition table, in thousandths.
    pub hashfull: Option<u32>,
    /// Measured minus reported time, in milliseconds.
    pub latency: Option<f64>,
    /// Time left on the mover's clock, in milliseconds.
    pub timeleft: Option<f64>,
    /// Principal variation.
    pub pv: Option<String>,
}

impl MoveFacts {
    /// The facts of a move of a game, counted from 0 after the opening.
    pub(crate) fn of(record: &Record, index: usize) -> MoveFacts {
        MoveFacts {
            depth: at(record.depth.as_deref(), index),
            seldepth: at(record.seldepth.as_deref(), index),
            nodes: at(record.nodes.as_deref(), index),
            nps: at(record.nps.as_deref(), index),
            hashfull: at(record.hashfull.as_deref(), index),
            latency: at(record.latency.as_deref(), index),
            timeleft: at(record.timeleft.as_deref(), index),
            pv: at(record.pv.as_deref(), index),
        }
    }
}

/// The names of the recorded fields of a game, and the numbers of their values.
pub(crate) fn lengths(record: &Record) -> impl Iterator<Item = (&'static str, usize)> {
    let lengths = [
        record.depth.as_ref().map(Vec::len),
        record.seldepth.as_ref().map(Vec::len),
        record.nodes.as_ref().map(Vec::len),
        record.nps.as_ref().map(Vec::len),
        record.hashfull.as_ref().map(Vec::len),
        record.latency.as_ref().map(Vec::len),
        record.timeleft.as_ref().map(Vec::len),
        record.pv.as_ref().map(Vec::len),
    ];
    let named = NAMES.into_iter().zip(lengths);
    named.filter_map(|(name, length)| Some((name, length?)))
}

/// The values of a field, if it is kept.
pub(super) fn column<T>(
    is_kept: bool,
    thoughts: &[Thought],
    value: impl Fn(&Thought) -> Option<T>,
) -> Column<T> {
    is_kept.then(|| thoughts.iter().map(value).collect())
}

/// The value of a move in a field.
pub(super) fn at<T: Clone>(values: Option<&[Option<T>]>, index: usize) -> Option<T> {
    values?.get(index)?.clone()
}

/// The beginning of a principal variation, up to the first word that cannot be a move.
pub(super) fn line(words: &[String]) -> Option<String> {
    let is_move = |word: &&String| {
        word.len() <= MAX_MOVE && word.chars().all(|character| character.is_ascii_alphanumeric())
    };
    let moves: Vec<&str> = words
        .iter()
        .take(MAX_LINE)
        .take_while(is_move)
        .map(String::as_str)
        .collect();
    (!moves.is_empty()).then(|| moves.join(" "))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lodestone::protocol::Info;

    use super::*;
    use crate::game::{Game, Opening, Ruleset};
    use crate::schedule::Fixture;

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
    fn record(thoughts: &[Thought], fields: Option<&str>) -> Record {
        let rules = Ruleset::default();
        let times = ["1.50225".parse().unwrap(); 2];
        let mut game = Game::new(&Opening::new(rules, rules.startpos()), times);
        for thought in thoughts {
            let mv = game.position().legal_moves()[0].clone();
            let after = game.position().after(&mv).unwrap();
            game.push(mv, after, thought.clone());
        }
        let fixture = Fixture {
            id: 1,
            round: 1,
            pair: 1,
            seats: [0, 1],
            opening: 1,
        };
        let fields = fields.map(|fields| fields.parse().unwrap());
        Record::new(rules, &fixture, ["a", "b"], &game, fields.as_ref())
    }

    #[test]
    fn names_are_read_in_any_order_and_written_in_one() {
        let fields: FactFields = "nodes, depth,nodes".parse().unwrap();
        assert_eq!(fields.to_string(), "depth,nodes");
        let all: FactFields = "pv,all".parse().unwrap();
        assert_eq!(
            all.to_string(),
            "depth,seldepth,nodes,nps,hashfull,latency,timeleft,pv"
        );
        let error = "dpeth".parse::<FactFields>().unwrap_err();
        assert!(
            error.starts_with("unknown field `dpeth`; did you mean `depth`?"),
            "{error}"
        );
        for text in ["", "depth,", "DEPTH"] {
            assert!(text.parse::<FactFields>().is_err(), "{text}");
        }
    }

    #[test]
    fn fields_that_were_not_asked_for_are_absent() {
        let json = |fields: Option<&str>| {
            let record = record(&thoughts(), fields);
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
        let empty = record(&[], Some("all"));
        assert_eq!(
            lengths(&empty).count(),
            8,
            "a game without moves has empty fields"
        );
    }

    #[test]
    fn facts_of_one_move() {
        let record = record(&thoughts(), Some("depth,pv"));
        let first = MoveFacts::of(&record, 0);
        assert_eq!((first.depth, first.pv.as_deref()), (Some(7), Some("a6 b6")));
        assert_eq!(MoveFacts::of(&record, 1), MoveFacts::default());
        assert_eq!(MoveFacts::of(&record, 2), MoveFacts::default());
    }

    #[test]
    fn lines_are_bounded() {
        let words = |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.into()).collect() };
        assert_eq!(line(&[]), None);
        assert_eq!(line(&words(&["{", "a6"])), None);
        assert_eq!(line(&words(&["a6", "h1", "\"", "b6"])).unwrap(), "a6 h1");
        assert_eq!(line(&words(&["a6", "123456789"])).unwrap(), "a6");
        let long = line(&vec!["12345678".to_string(); 1000]).unwrap();
        assert_eq!(long.len(), MAX_LINE * (MAX_MOVE + 1) - 1);
    }
}
