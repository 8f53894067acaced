//! Values of options, on the command line and in TOML files.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::results::analysis::MISTAKE;

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

/// The least loss of a mistake, in expected points: from 0.001 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(f64);

impl Threshold {
    /// The number.
    pub(crate) const fn get(self) -> f64 {
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
    pub(crate) const fn get(self) -> u64 {
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

/// Serde for a value that is a list of `KEY=VALUE` on the command line, and a table in a TOML file.
pub(crate) mod table {
    use std::collections::BTreeMap;
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Scalar;
    use crate::io::key_values::SEPARATOR;

    /// Writes the words of the list as a table.
    #[allow(clippy::ref_option)] // the signature that serde calls
    pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        let text = value.as_ref().map(ToString::to_string).unwrap_or_default();
        let pairs = text.split(' ').filter_map(|word| word.split_once('='));
        match value {
            Some(_) => serializer.collect_map(pairs.map(|(key, value)| (key, Scalar(value.into())))),
            None => serializer.serialize_none(),
        }
    }

    /// Reads a table as the list that it stands for.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err = String>,
        D: Deserializer<'de>,
    {
        let table = BTreeMap::<String, Scalar>::deserialize(deserializer)?;
        let words: Vec<String> = table
            .iter()
            .map(|(key, Scalar(value))| format!("{key}={value}"))
            .collect();
        words.join(SEPARATOR).parse().map(Some).map_err(D::Error::custom)
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
pub fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    })
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
}
