//! What a record keeps of each move beside its time and score (`--record`).

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::game::Thought;
use crate::io::as_text::Text;
use crate::io::text::unknown;
use crate::io::untrusted::Untrusted;

/// The largest number of moves of a recorded principal variation.
const MAX_LINE: usize = 64;

/// The largest length of a move in a recorded principal variation, in bytes.
const MAX_MOVE: usize = 8;

/// The names of the fields on the command line and in records, in their order there.
pub(super) const NAMES: [&str; 8] = [
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
    pub pv: Option<Untrusted>,
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
pub(super) fn line(words: &[String]) -> Option<Untrusted> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn lines_are_bounded() {
        let words = |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.into()).collect() };
        assert_eq!(line(&[]), None);
        assert_eq!(line(&words(&["{", "a6"])), None);
        assert_eq!(line(&words(&["a6", "h1", "\"", "b6"])).unwrap(), "a6 h1");
        assert_eq!(line(&words(&["a6", "123456789"])).unwrap(), "a6");
        let long = line(&vec!["12345678".to_string(); 1000]).unwrap();
        assert_eq!(long.raw().len(), MAX_LINE * (MAX_MOVE + 1) - 1);
    }
}
