//! Serde for typed values that a file stores as text.
//!
//! `#[serde(with = "as_text")]`, or `as_text::optional` for an `Option`, on a field
//! whose type is a [`Text`].

use std::fmt::Display;

use jiff::Timestamp;
use lodestone::game::GameResult;
use lodestone::protocol::Dialect;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use crate::io::text::printable;

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// A value with a text form. Reading the text gives the value back.
pub trait Text: Sized {
    fn text(&self) -> impl Display;

    /// Reads the text form.
    fn read(text: &str) -> Result<Self, String>;
}

impl Text for Dialect {
    fn text(&self) -> impl Display {
        self.name()
    }

    fn read(text: &str) -> Result<Dialect, String> {
        Dialect::from_name(text).ok_or_else(|| format!("unknown protocol `{text}`"))
    }
}

impl Text for GameResult {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<GameResult, String> {
        text.parse()
    }
}

/// RFC 3339, in UTC.
impl Text for Timestamp {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<Timestamp, String> {
        text.parse().map_err(|_| {
            let found = printable(text, MAX_QUOTE);
            format!("expected a time such as 2026-11-26T22:30:00Z, found `{found}`")
        })
    }
}

/// Serialises a value as its text.
pub fn serialize<T: Text, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&value.text())
}

/// Reads a value from its text.
pub fn deserialize<'de, T: Text, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The same for a value that may be absent.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Error, Serializer, Text};

    /// Serialises the text of a value, or null.
    #[allow(clippy::ref_option)] // the signature that serde calls
    pub fn serialize<T: Text, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads a value from its text, if there is any.
    pub fn deserialize<'de, T: Text, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| T::read(&text))
            .transpose()
            .map_err(D::Error::custom)
    }
}

/// Reads a name, and escapes what is not [printable]: it comes from a foreign file and goes to the
/// terminal. As new names are [printable], a match with other names still resumes.
pub fn printable_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(printable(&String::deserialize(deserializer)?, usize::MAX))
}
