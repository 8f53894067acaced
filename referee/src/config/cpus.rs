//! The value of `--affinity`: which cores the games may use.

use std::fmt::{self, Display};
use std::str::FromStr;

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

impl Display for Affinity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Affinity::Off => f.write_str("false"),
            Affinity::Any => f.write_str("true"),
            Affinity::Cores(cores) => {
                let cores: Vec<String> = cores.iter().map(ToString::to_string).collect();
                f.write_str(&cores.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        let read = |text: &str| text.parse::<Affinity>();
        assert_eq!(read("3,5,7-9"), Ok(Affinity::Cores(vec![3, 5, 7, 8, 9])));
        assert_eq!(read("0").unwrap().to_string(), "0");
        for text in ["true", "false", "4,2,1"] {
            assert_eq!(read(text).unwrap().to_string(), text);
        }
        for (text, why) in [
            (
                "",
                "expected numbers of cores from 0 to 1023, such as 3,5,7-11, found ``",
            ),
            ("1,", "expected numbers"),
            ("+1", "expected numbers"),
            ("1024", "expected numbers"),
            ("3-", "expected numbers"),
            ("3-1", "the range 3-1 is empty; did you mean 1-3?"),
            ("1-3,2", "core 2 is named twice"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(why), "{text}: {error}");
        }
    }
}
