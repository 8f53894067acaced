//! Values of options, on the command line and in TOML files.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

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
