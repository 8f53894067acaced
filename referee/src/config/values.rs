//! Values of options, on the command line and in TOML files.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::ops::RangeBounds;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WholeNumber<const MIN: u64, const MAX: u64>(u64);

/// Reads a number in this range; otherwise the error says what is `expected`.
pub fn number_in(range: impl RangeBounds<f64>, expected: &str, text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected {expected}, found `{text}`"))
}

/// A whole number of at least 1.
pub type Positive = WholeNumber<1, { u64::MAX }>;

impl<const MIN: u64, const MAX: u64> WholeNumber<MIN, MAX> {
    /// The number.
    pub(crate) const fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for WholeNumber<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number| (MIN..=MAX).contains(number));
        number.map(WholeNumber).ok_or_else(|| match (MIN, MAX) {
            (0, u64::MAX) => "expected a whole number".to_string(),
            (_, u64::MAX) => format!("expected a whole number of at least {MIN}"),
            _ => format!("expected a whole number from {MIN} to {MAX}"),
        })
    }
}

impl<const MIN: u64, const MAX: u64> Display for WholeNumber<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Reads text that is usually one of some names. Help and completions list the names.
#[derive(Clone)]
pub struct NameParser<T> {
    read: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T> NameParser<T> {
    /// With the function that reads the text, and the names.
    pub fn new(read: fn(&str) -> Result<T, String>, names: fn() -> Vec<&'static str>) -> NameParser<T> {
        NameParser { read, names }
    }
}

impl NameParser<String> {
    /// Takes any text; `names` are usual.
    pub fn any(names: fn() -> Vec<&'static str>) -> NameParser<String> {
        NameParser::new(|text| Ok(text.to_string()), names)
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for NameParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, text: &OsStr) -> Result<T, clap::Error> {
        self.read.parse_ref(command, option, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// The largest number of a core that can be named.
const MAX_CORE: usize = 1023;

/// Which cores the games may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// All, without pinning.
    #[default]
    Off,
    /// One of all available cores for each game.
    Any,
    /// One of these cores for each game, in this order; none twice.
    Cores(Vec<usize>),
}

impl FromStr for Affinity {
    type Err = String;

    /// A list of numbers and ranges such as `3,5,7-11`; `true` for all cores.
    fn from_str(text: &str) -> Result<Affinity, String> {
        match text {
            "false" => return Ok(Affinity::Off),
            "true" => return Ok(Affinity::Any),
            _ => {}
        }
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text
                .parse()
                .ok()
                .filter(|number| is_number && *number <= MAX_CORE);
            number.ok_or_else(|| {
                format!("expected numbers of cores from 0 to {MAX_CORE}, such as 3,5,7-11, found `{text}`")
            })
        };
        let mut cores = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("the range {part} is empty; did you mean {last}-{first}?"));
            }
            for core in first..=last {
                if cores.contains(&core) {
                    return Err(format!("core {core} is named twice"));
                }
                cores.push(core);
            }
        }
        Ok(Affinity::Cores(cores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_rows, expect};

    #[test]
    fn whole_numbers_have_a_range() {
        let error = |text: &str| text.parse::<WholeNumber<1, 24>>().unwrap_err();
        assert_eq!("24".parse::<WholeNumber<1, 24>>().map(WholeNumber::get), Ok(24));
        for text in ["0", "25", "-1", "x", "", "1.5"] {
            assert_eq!(error(text), "expected a whole number from 1 to 24");
        }
        assert_eq!(
            "0".parse::<Positive>().unwrap_err(),
            "expected a whole number of at least 1"
        );
        let any = u64::MAX.to_string().parse::<WholeNumber<0, { u64::MAX }>>();
        assert_eq!(any.map(WholeNumber::get), Ok(u64::MAX));
    }

    #[test]
    fn lists_and_ranges() {
        let read = |text: &str| text.parse::<Affinity>();
        assert_eq!(read("3,5,7-9"), Ok(Affinity::Cores(vec![3, 5, 7, 8, 9])));
        assert_eq!(read("0"), Ok(Affinity::Cores(vec![0])));
        assert_eq!(read("4,2,1"), Ok(Affinity::Cores(vec![4, 2, 1])));
        assert_eq!(
            (read("true"), read("false")),
            (Ok(Affinity::Any), Ok(Affinity::Off))
        );
        let table = expect![[r#"
            | expected numbers of cores from 0 to 1023, such as 3,5,7-11, found ``
            1, | expected numbers
            +1 | expected numbers
            1024 | expected numbers
            3- | expected numbers
            3-1 | the range 3-1 is empty; did you mean 1-3?
            1-3,2 | core 2 is named twice
        "#]];
        assert_rows(table, |[text]| read(text).unwrap_err());
    }
}
