//! Serde for typed values that a file stores as text.
//!
//! `#[serde(with = "as_text")]`, or `as_text::optional` for an `Option`, on a field
//! whose type is a [`Text`].

use std::fmt::Display;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use lodestone_game::GameResult;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use crate::io::text::{is_printable, printable};

/// Maximum length of a quotation in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// A value with a text form. Reading the text gives the value back.
pub trait Text: Sized {
    /// The value as text, which [`Text::read`] reads.
    fn text(&self) -> impl Display;

    /// Reads the text form.
    fn read(text: &str) -> Result<Self, String>;
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
        whole_second(text).or_else(|| text.parse().ok()).ok_or_else(|| {
            let found = printable(text, MAX_QUOTE);
            format!("expected a time such as 2026-11-26T22:30:00Z, found `{found}`")
        })
    }
}

/// The time in a text of the form that records have. The parser of all forms takes several times as long.
fn whole_second(text: &str) -> Option<Timestamp> {
    let form = "0000-00-00T00:00:00Z";
    let has_form = |(byte, expected): (u8, u8)| match expected {
        b'0' => byte.is_ascii_digit(),
        _ => byte == expected,
    };
    if text.len() != form.len() || !text.bytes().zip(form.bytes()).all(has_form) {
        return None;
    }
    let number = |at: usize| text[at..at + 2].parse().ok();
    let date = Date::new(text[..4].parse().ok()?, number(5)?, number(8)?).ok()?;
    let time = Time::new(number(11)?, number(14)?, number(17)?, 0).ok()?;
    TimeZone::UTC.to_timestamp(date.to_datetime(time)).ok()
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
pub(crate) fn printable_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    // Most names need no escapes.
    if name
        .chars()
        .all(|sign| is_printable(sign) && !matches!(sign, ':' | '#'))
    {
        return Ok(name);
    }
    Ok(printable(&name, usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_by_the_parser_of_all_forms() {
        // Years 0000 to 9999, in steps of 16 days, an hour, a minute and a second.
        let times = (-62_167_219_200..253_402_207_200).step_by(16 * 86_400 + 3_661);
        for second in times {
            let time = Timestamp::from_second(second).unwrap();
            let text = time.to_string();
            assert_eq!(whole_second(&text), Some(time), "{text}");
        }
        for wrong in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-01",
            "+026-01-01",
            "2026-1-010",
        ] {
            let text = format!("{wrong}T22:30:00Z");
            assert_eq!(whole_second(&text), None, "{text}");
        }
        for other in [
            "2026-11-26T22:30:00+00:00",
            "2026-11-26 22:30:00Z",
            "2016-12-31T23:59:60Z",
        ] {
            assert_eq!(whole_second(other), None);
            assert_eq!(Timestamp::read(other), Ok(other.parse().unwrap()));
        }
        let error = Timestamp::read("2026-11-26T24:00:00Z").unwrap_err();
        assert!(error.ends_with("found `2026-11-26T24:00:00Z`"), "{error}");
    }
}
