//! Serde for values that stand in a result file as text: in memory they keep
//! their type.

use std::fmt::Display;
use std::time::Duration;

use lodestone::game::{GameResult, Variant};
use lodestone::protocol::Dialect;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use crate::openings::OpeningSource;
use crate::player::clock::parse_seconds;
use crate::schedule::{Format, Shard};
use crate::statistics::Sprt;

/// A value with a text form. Reading the text gives the value back.
pub trait Text: Sized {
    /// The text form.
    fn text(&self) -> impl Display;

    /// Reads the text form.
    ///
    /// # Errors
    /// A message that says what is expected.
    fn read(text: &str) -> Result<Self, String>;
}

impl Text for Variant {
    fn text(&self) -> impl Display {
        self.name()
    }

    fn read(text: &str) -> Result<Variant, String> {
        Variant::from_name(text).ok_or_else(|| format!("unknown variant `{text}`"))
    }
}

impl Text for Dialect {
    fn text(&self) -> impl Display {
        self.name()
    }

    fn read(text: &str) -> Result<Dialect, String> {
        Dialect::from_name(text).ok_or_else(|| format!("unknown protocol `{text}`"))
    }
}

impl Text for Format {
    fn text(&self) -> impl Display {
        self.name()
    }

    fn read(text: &str) -> Result<Format, String> {
        Format::from_name(text).ok_or_else(|| format!("unknown format `{text}`"))
    }
}

impl Text for OpeningSource {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<OpeningSource, String> {
        text.parse().map_err(|why| format!("openings: {why}"))
    }
}

impl Text for Shard {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<Shard, String> {
        text.parse().map_err(|why| format!("shard: {why}"))
    }
}

impl Text for Sprt {
    fn text(&self) -> impl Display {
        self
    }

    fn read(text: &str) -> Result<Sprt, String> {
        Sprt::parse(text.split(' ')).map_err(|why| format!("sprt: {why}"))
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

/// A number of seconds.
impl Text for Duration {
    fn text(&self) -> impl Display {
        self.as_secs_f64()
    }

    fn read(text: &str) -> Result<Duration, String> {
        parse_seconds(text)
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
pub mod optional {
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
