//! What a record keeps of each move beside its time and score (`--record`), in one row for each value. Records have a
//! field of the same name, which [`Record::new`] fills; PGN, `referee show`, reports and their pages read the rows.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::ser::{Serialize, Serializer};

use super::record::Record;
use crate::io::as_text::Text;
use crate::io::text::{counted, speed, unknown};
use crate::io::untrusted::Untrusted;

use self::FactValues::{Counts, Lines, Times};

/// A value of each move.
pub struct Fact {
    /// Its name on the command line and in records.
    pub name: &'static str,
    /// Its values in a record, if they are kept.
    pub values: fn(&Record) -> Option<FactValues<'_>>,
    /// Its place and name in the comments of PGN. The depth is behind the score there.
    pub(super) pgn: Option<(u8, &'static str)>,
    /// One value in `referee show`, which writes `depth 7/12` if both depths are known.
    pub shown: fn(&FactValue) -> String,
    /// The same on a report's page, with `N` for the value, if the page has it.
    pub page: Option<&'static str>,
    /// Its mean over the moves of a player, if reports have one.
    pub mean: Option<FactMean>,
}

/// The mean of a value over the moves of a player.
pub struct FactMean {
    /// Its name in JSON and CSV.
    pub name: &'static str,
    /// Its heading in tables.
    pub heading: &'static str,
    /// What each value counts.
    pub(super) weight: Weight,
    /// The mean in tables.
    pub text: fn(f64) -> String,
    /// The decimals of the mean in CSV.
    pub decimals: i32,
    /// Whether a page shows it among the facts of a player.
    pub is_on_page: bool,
}

/// What a value counts in a mean.
#[derive(Clone, Copy)]
pub(super) enum Weight {
    /// Each move the same.
    Moves,
    /// Each move as much as its time.
    Time,
    /// The last value of each game the same.
    Games,
}

/// The values, in the order of the names in headers.
pub static FACTS: [Fact; 8] = [
    Fact {
        name: "depth",
        values: |record| record.depth.as_deref().map(Counts),
        pgn: None,
        shown: |depth| format!("depth {depth}"),
        page: Some("depth N"),
        mean: Some(FactMean {
            name: "mean_depth",
            heading: "Depth",
            weight: Weight::Moves,
            text: |depth| format!("{depth:.1}"),
            decimals: 2,
            is_on_page: true,
        }),
    },
    Fact {
        name: "seldepth",
        values: |record| record.seldepth.as_deref().map(Counts),
        pgn: Some((4, "sd")),
        shown: |depth| format!("selective depth {depth}"),
        page: None,
        mean: None,
    },
    Fact {
        name: "nodes",
        values: |record| record.nodes.as_deref().map(Counts),
        pgn: Some((3, "n")),
        shown: |nodes| counted(nodes.number() as usize, "node"),
        page: Some("N nodes"),
        mean: None,
    },
    Fact {
        name: "nps",
        values: |record| record.nps.as_deref().map(Counts),
        pgn: Some((5, "nps")),
        shown: |nps| speed(nps.number() as u64),
        page: None,
        mean: Some(FactMean {
            name: "mean_nps",
            heading: "Speed",
            weight: Weight::Time,
            text: |nps| speed(nps.round() as u64),
            decimals: 0,
            is_on_page: true,
        }),
    },
    Fact {
        name: "hashfull",
        values: |record| record.hashfull.as_deref().map(Counts),
        pgn: Some((6, "hashfull")),
        shown: |full| format!("table {:.1} % full", full.number() / 10.0),
        page: None,
        mean: None,
    },
    Fact {
        name: "latency",
        values: |record| record.latency.as_deref().map(Times),
        pgn: Some((2, "latency")),
        shown: |ms| format!("latency {:.3} ms", ms.number()),
        page: None,
        mean: Some(FactMean {
            name: "mean_latency_ms",
            heading: "Latency",
            weight: Weight::Moves,
            text: |ms| format!("{ms:.3} ms"),
            decimals: 3,
            is_on_page: false,
        }),
    },
    Fact {
        name: "timeleft",
        values: |record| record.timeleft.as_deref().map(Times),
        pgn: Some((1, "tl")),
        shown: |left| format!("{:.3} s left", left.number() / 1000.0),
        page: None,
        mean: Some(FactMean {
            name: "mean_time_left_ms",
            heading: "Time left",
            weight: Weight::Games,
            text: |ms| format!("{:.3} s", ms / 1000.0),
            decimals: 3,
            is_on_page: false,
        }),
    },
    Fact {
        name: "pv",
        values: |record| record.pv.as_deref().map(Lines),
        pgn: Some((7, "pv")),
        shown: |line| format!("Line: {line}"),
        page: Some("Line: N"),
        mean: None,
    },
];

/// The means that reports have.
pub fn means() -> impl Iterator<Item = &'static FactMean> {
    FACTS.iter().filter_map(|fact| fact.mean.as_ref())
}

/// The values of a record, one for each move after the opening; `None` where the engine did not report it.
#[derive(Clone, Copy)]
pub enum FactValues<'a> {
    /// Counts.
    Counts(&'a [Option<u64>]),
    /// Times in milliseconds.
    Times(&'a [Option<f64>]),
    /// Lines of play.
    Lines(&'a [Option<Untrusted>]),
}

impl FactValues<'_> {
    pub(super) fn len(self) -> usize {
        match self {
            Counts(values) => values.len(),
            Times(values) => values.len(),
            Lines(values) => values.len(),
        }
    }

    /// The value of a move, counted from 0 after the opening.
    pub(super) fn at(self, index: usize) -> Option<FactValue> {
        match self {
            Counts(values) => (*values.get(index)?).map(FactValue::Count),
            Times(values) => (*values.get(index)?).map(FactValue::Time),
            Lines(values) => values.get(index)?.clone().map(FactValue::Line),
        }
    }
}

/// The value of one move.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// A count.
    Count(u64),
    /// A time in milliseconds.
    Time(f64),
    /// A line of play.
    Line(Untrusted),
}

impl FactValue {
    /// Whether it is shown on a line of its own.
    pub const fn is_line(&self) -> bool {
        matches!(self, FactValue::Line(_))
    }

    /// The number; 0 for a line of play.
    pub(super) const fn number(&self) -> f64 {
        match self {
            FactValue::Count(count) => *count as f64,
            FactValue::Time(ms) => *ms,
            FactValue::Line(_) => 0.0,
        }
    }
}

impl Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactValue::Count(count) => count.fmt(f),
            FactValue::Time(ms) => ms.fmt(f),
            FactValue::Line(line) => line.shown().fmt(f),
        }
    }
}

/// What a record keeps of one move, in the order of [`FACTS`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveFacts([Option<FactValue>; FACTS.len()]);

impl MoveFacts {
    /// That of a move, counted from 0 after the opening.
    pub(super) fn of(record: &Record, index: usize) -> MoveFacts {
        MoveFacts(FACTS.each_ref().map(|fact| (fact.values)(record)?.at(index)))
    }

    /// The values that are kept.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Fact, &FactValue)> {
        let all = FACTS.iter().zip(&self.0);
        all.filter_map(|(fact, value)| Some((fact, value.as_ref()?)))
    }
}

/// The values that a record keeps.
pub fn kept(record: &Record) -> impl Iterator<Item = (&'static Fact, FactValues<'_>)> {
    let facts = FACTS.iter();
    facts.filter_map(move |fact| Some((fact, (fact.values)(record)?)))
}

/// The means over the moves of a player, in the order of [`FACTS`]; `None` where nothing is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FactMeans(pub(crate) [Option<f64>; FACTS.len()]);

impl FactMeans {
    /// The means that are known.
    pub fn iter(&self) -> impl Iterator<Item = (&'static FactMean, f64)> {
        let all = FACTS.iter().zip(self.0);
        all.filter_map(|(fact, mean)| Some((fact.mean.as_ref()?, mean?)))
    }

    /// This one, if it is known.
    pub fn get(&self, wanted: &FactMean) -> Option<f64> {
        let mut known = self.iter();
        known.find_map(|(mean, value)| (mean.name == wanted.name).then_some(value))
    }
}

impl Serialize for FactMeans {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(mean, value)| (mean.name, value)))
    }
}

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
        let names = FACTS.each_ref().map(|fact| fact.name);
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let is_known = |word: &str| word == "all" || names.contains(&word);
        if let Some(word) = words.iter().find(|word| !is_known(word)) {
            return Err(unknown("field", word, &[&names[..], &["all"]].concat()));
        }
        let is_wanted = |name: &&str| words.contains(name) || words.contains(&"all");
        Ok(FactFields(names.into_iter().filter(is_wanted).collect()))
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
    fn each_field_has_a_row() {
        let fields = include_str!("record.rs").lines().filter_map(|line| {
            let (name, _) = line.trim().strip_prefix("pub ")?.split_once(": Column<")?;
            Some(name)
        });
        let names = FACTS.each_ref().map(|fact| fact.name);
        assert_eq!(fields.collect::<Vec<_>>(), names);
    }

    #[test]
    fn the_manual_lists_the_values_in_their_order() {
        let manual = include_str!("../../../docs/results.md");
        let (_, section) = manual.split_once("\n### More facts of each move\n").unwrap();
        let (section, _) = section.split_once("\n### ").unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|line| line[2..].split(" | ").next());
        let listed: Vec<&str> = cells
            .flat_map(|cell| cell.split('`').skip(1).step_by(2))
            .collect();
        assert_eq!(listed, FACTS.each_ref().map(|fact| fact.name));
    }
}
