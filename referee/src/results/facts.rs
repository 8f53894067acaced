//! What a record keeps of each move beside its time and score (`--record`).

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
type Column<T> = Option<Vec<Option<T>>>;

/// The facts of all moves of a game after its opening. A field that is not recorded is
/// absent from the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Depth of the search, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Column<u32>,
    /// Length of the deepest line, in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seldepth: Column<u32>,
    /// Number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Column<u64>,
    /// Nodes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nps: Column<u64>,
    /// Fill level of the transposition table, in thousandths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashfull: Column<u32>,
    /// Measured time minus the time that the engine reported, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Column<f64>,
    /// Time left on the mover's clock after the move, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeleft: Column<f64>,
    /// Principal variation: up to 64 moves, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv: Column<String>,
}

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

impl Facts {
    /// These fields of the moves after the opening; none without `fields`.
    pub(crate) fn new(thoughts: &[Thought], fields: Option<&FactFields>) -> Facts {
        let has = |name| fields.is_some_and(|fields| fields.0.contains(&name));
        Facts {
            depth: column(has("depth"), thoughts, |thought| thought.info.depth),
            seldepth: column(has("seldepth"), thoughts, |thought| thought.info.seldepth),
            nodes: column(has("nodes"), thoughts, |thought| thought.info.nodes),
            nps: column(has("nps"), thoughts, |thought| thought.info.nps),
            hashfull: column(has("hashfull"), thoughts, |thought| thought.info.hashfull),
            latency: column(has("latency"), thoughts, |thought| {
                let measured = thought.time.as_micros() as f64;
                let reported = thought.info.time? as f64 * 1000.0;
                Some((measured - reported) / 1000.0)
            }),
            timeleft: column(has("timeleft"), thoughts, |thought| {
                Some(thought.time_left?.as_micros() as f64 / 1000.0)
            }),
            pv: column(has("pv"), thoughts, |thought| line(&thought.info.pv)),
        }
    }

    /// Whether no field is recorded.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Facts::default()
    }

    /// The facts of a move, counted from 0 after the opening.
    pub(crate) fn of_move(&self, index: usize) -> MoveFacts {
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

    /// The names of the recorded fields, and the numbers of their values.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let lengths = [
            self.depth.as_ref().map(Vec::len),
            self.seldepth.as_ref().map(Vec::len),
            self.nodes.as_ref().map(Vec::len),
            self.nps.as_ref().map(Vec::len),
            self.hashfull.as_ref().map(Vec::len),
            self.latency.as_ref().map(Vec::len),
            self.timeleft.as_ref().map(Vec::len),
            self.pv.as_ref().map(Vec::len),
        ];
        let named = NAMES.into_iter().zip(lengths);
        named.filter_map(|(name, length)| Some((name, length?)))
    }
}

/// The values of a field, if it is kept.
fn column<T>(is_kept: bool, thoughts: &[Thought], value: impl Fn(&Thought) -> Option<T>) -> Column<T> {
    is_kept.then(|| thoughts.iter().map(value).collect())
}

/// The value of a move in a field.
pub(super) fn at<T: Clone>(values: Option<&[Option<T>]>, index: usize) -> Option<T> {
    values?.get(index)?.clone()
}

/// The beginning of a principal variation, up to the first word that cannot be a move.
fn line(words: &[String]) -> Option<String> {
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

    use super::*;
    use lodestone::protocol::Info;

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
            time_left: Some(Duration::from_millis(1500)),
            ..Thought::default()
        };
        [thought, Thought::default()]
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
            let fields = fields.map(|fields| fields.parse::<FactFields>().unwrap());
            let facts = Facts::new(&thoughts(), fields.as_ref());
            let text = serde_json::to_string(&facts).unwrap();
            assert_eq!(serde_json::from_str::<Facts>(&text).unwrap(), facts);
            text
        };
        assert_eq!(json(None), "{}");
        assert_eq!(json(Some("nodes")), r#"{"nodes":[1234,null]}"#);
        assert_eq!(
            json(Some("all")),
            r#"{"depth":[7,null],"seldepth":[12,null],"nodes":[1234,null],"nps":[40000,null],"hashfull":[3,null],"latency":[0.25,null],"timeleft":[1500.0,null],"pv":["a6 b6",null]}"#
        );
        let facts = Facts::new(&[], Some(&"all".parse().unwrap()));
        assert_eq!(
            facts.lengths().count(),
            8,
            "a game without moves has empty fields"
        );
    }

    #[test]
    fn facts_of_one_move() {
        let facts = Facts::new(&thoughts(), Some(&"depth,pv".parse().unwrap()));
        let first = facts.of_move(0);
        assert_eq!((first.depth, first.pv.as_deref()), (Some(7), Some("a6 b6")));
        assert_eq!(facts.of_move(1), MoveFacts::default());
        assert_eq!(facts.of_move(2), MoveFacts::default());
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
