//! Values of options, on the command line and in TOML files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::results::mistakes::MISTAKE;

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

/// The least loss of a mistake, in expected points: from 0.001 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(f64);

impl Threshold {
    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold(MISTAKE)
    }
}

impl Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Threshold, String> {
        let number = text.parse::<f64>().ok();
        let number = number.filter(|number| (0.001..=1.0).contains(number));
        number
            .map(Threshold)
            .ok_or_else(|| format!("expected a number from 0.001 to 1, such as 0.1, found `{text}`"))
    }
}

/// A whole number of at least 1.
pub type Positive = Whole<1, { u64::MAX }>;

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for Whole<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number| (MIN..=MAX).contains(number));
        number.map(Whole).ok_or_else(|| match (MIN, MAX) {
            (0, u64::MAX) => "expected a whole number".to_string(),
            (_, u64::MAX) => format!("expected a whole number of at least {MIN}"),
            _ => format!("expected a whole number from {MIN} to {MAX}"),
        })
    }
}

impl<const MIN: u64, const MAX: u64> Display for Whole<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Scalar(text) = Scalar::deserialize(deserializer)?;
        text.parse()
            .map_err(|why| D::Error::custom(format!("`{text}`: {why}")))
    }
}

impl<const MIN: u64, const MAX: u64> Serialize for Whole<MIN, MAX> {
    /// Writes a string where the number is too large for TOML.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Scalar(self.to_string()).serialize(serializer)
    }
}

/// Reads text that is usually one of some names. Help and completions list the names.
#[derive(Clone)]
pub struct Named<T> {
    read: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T> Named<T> {
    /// With the function that reads the text, and the names.
    pub fn new(read: fn(&str) -> Result<T, String>, names: fn() -> Vec<&'static str>) -> Named<T> {
        Named { read, names }
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, text: &OsStr) -> Result<T, clap::Error> {
        self.read.parse_ref(command, option, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// A list of `KEY=VALUE`, each key once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct KeyValues(BTreeMap<String, Scalar>);

impl KeyValues {
    /// The words of the list.
    pub fn words(&self) -> Vec<String> {
        let word = |(key, Scalar(value)): (&String, &Scalar)| format!("{key}={value}");
        self.0.iter().map(word).collect()
    }

    /// This list, and the keys that it lacks from `other`.
    #[must_use]
    pub fn or(mut self, other: KeyValues) -> KeyValues {
        for (key, value) in other.0 {
            self.0.entry(key).or_insert(value);
        }
        self
    }
}

impl FromStr for KeyValues {
    type Err = String;

    /// Reads a gathered list.
    fn from_str(list: &str) -> Result<KeyValues, String> {
        if list.is_empty() {
            return Ok(KeyValues::default());
        }
        let owned = |(key, value): (&str, &str)| (key.to_string(), Scalar(value.to_string()));
        Ok(KeyValues(pairs(list)?.into_iter().map(owned).collect()))
    }
}

/// A string, number or boolean, as a user would type it. It is written without quotes
/// where that keeps the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar(pub String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Scalar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number or a boolean")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Scalar, E> {
                Ok(Scalar(value.to_string()))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn kept<T: FromStr + Display>(text: &str) -> Option<T> {
            text.parse().ok().filter(|value: &T| value.to_string() == text)
        }
        let text = &self.0;
        if let Some(value) = kept::<bool>(text) {
            serializer.serialize_bool(value)
        } else if let Some(value) = kept::<i64>(text) {
            serializer.serialize_i64(value)
        } else if let Some(value) = kept::<f64>(text).filter(|_| text.contains('.')) {
            serializer.serialize_f64(value)
        } else {
            serializer.serialize_str(text)
        }
    }
}

/// One value, or an array of values, in a TOML file.
#[derive(Debug)]
pub enum OneOrMany<T> {
    /// A value that stands alone.
    One(T),
    /// The values of an array.
    Many(Vec<T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OneOrMany<T>, D::Error> {
        struct Values<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value or an array of values")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMany<T>, E> {
                T::deserialize(StrDeserializer::new(text)).map(OneOrMany::One)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMany<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneOrMany::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = items.next_element()? {
                    values.push(value);
                }
                Ok(OneOrMany::Many(values))
            }
        }

        deserializer.deserialize_any(Values(PhantomData))
    }
}

/// Reads one value or an array of values, for `#[serde(deserialize_with = …)]`.
///
/// # Errors
/// When a value does not fit.
pub fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    })
}

/// Stands between the words of a gathered list. No argument of a program can hold it.
pub const SEPARATOR: &str = "\0";

/// The keys and values of a gathered list.
///
/// # Errors
/// A sentence that names a word that is not `KEY=VALUE`, or a key that is there twice.
pub fn pairs(list: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for word in list.split(SEPARATOR) {
        let pair = word.split_once('=');
        let (key, value) = pair.ok_or_else(|| format!("expected KEY=VALUE, found `{word}`"))?;
        if pairs.iter().any(|(other, _)| *other == key) {
            return Err(format!("`{key}` is given twice"));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_a_range() {
        let error = |text: &str| text.parse::<Whole<1, 24>>().unwrap_err();
        assert_eq!("24".parse::<Whole<1, 24>>().map(Whole::get), Ok(24));
        for text in ["0", "25", "-1", "x", "", "1.5"] {
            assert_eq!(error(text), "expected a whole number from 1 to 24");
        }
        assert_eq!(
            "0".parse::<Positive>().unwrap_err(),
            "expected a whole number of at least 1"
        );
        let any = u64::MAX.to_string().parse::<Whole<0, { u64::MAX }>>();
        assert_eq!(any.map(Whole::get), Ok(u64::MAX));
    }

    #[test]
    fn keys_that_a_list_lacks_come_from_the_other() {
        let list = |text: &str| text.replace(' ', "\0").parse::<KeyValues>();
        let (own, other) = (list("elo1=3 alpha=0.1").unwrap(), list("elo0=0 elo1=5").unwrap());
        assert_eq!(own.or(other).words(), ["alpha=0.1", "elo0=0", "elo1=3"]);
        assert_eq!(list("elo0=0 elo0=1").unwrap_err(), "`elo0` is given twice");
        assert_eq!(list("elo0").unwrap_err(), "expected KEY=VALUE, found `elo0`");
    }
}
