//! The option `--openings`: a source of openings, and for a book the keys `order`, `start` and
//! `plies` behind it.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::values::Scalar;
use crate::io::key_values::{KeyValues, SEPARATOR};
use crate::openings::{OpeningSource, Selection};

/// The key of the source in a table of a TOML file.
const SOURCE: &str = "source";

/// The openings of a match, as the user gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookOption {
    /// Where they come from.
    pub source: OpeningSource,
    /// Which of them, and in which order.
    pub selection: Selection,
}

impl BookOption {
    fn new(source: OpeningSource, selection: Selection) -> Result<BookOption, String> {
        if matches!(source, OpeningSource::Random(_)) && !selection.is_default() {
            return Err(format!("`{selection}` is for a book, and `{source}` is none"));
        }
        Ok(BookOption { source, selection })
    }
}

impl FromStr for BookOption {
    type Err = String;

    /// Reads a gathered list: the source, then keys and values.
    fn from_str(list: &str) -> Result<BookOption, String> {
        let mut words = list.split(SEPARATOR);
        let source = words.next().unwrap_or_default();
        let keys = KeyValues::read(words)?;
        BookOption::new(
            source.parse()?,
            Selection::of_pairs(keys.pairs().iter().copied())?,
        )
    }
}

impl Serialize for BookOption {
    /// Writes the source alone where it has no keys, otherwise a table.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.selection.is_default() {
            return serializer.collect_str(&self.source);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(SOURCE, &self.source.to_string())?;
        for (key, value) in self.selection.pairs() {
            map.serialize_entry(key, &Scalar(value))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for BookOption {
    /// Reads the source alone, or a table.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BookOption, D::Error> {
        struct SourceOrTable;

        impl<'de> Visitor<'de> for SourceOrTable {
            type Value = BookOption;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a source of openings, or a table with a source")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<BookOption, E> {
                text.parse().map_err(|why| E::custom(format!("openings: {why}")))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BookOption, A::Error> {
                let mut table: BTreeMap<String, Scalar> =
                    Deserialize::deserialize(MapAccessDeserializer::new(map))?;
                let Some(Scalar(source)) = table.remove(SOURCE) else {
                    return Err(A::Error::custom(format!(
                        "openings: the key `{SOURCE}` is missing"
                    )));
                };
                let keys = table
                    .iter()
                    .map(|(key, Scalar(value))| (key.as_str(), value.as_str()));
                let selection = Selection::of_pairs(keys);
                let openings = selection.and_then(|selection| BookOption::new(source.parse()?, selection));
                openings.map_err(|why| A::Error::custom(format!("openings: {why}")))
            }
        }

        deserializer.deserialize_any(SourceOrTable)
    }
}
