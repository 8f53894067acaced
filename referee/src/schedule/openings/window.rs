//! The range of scores that an opening may have.

use std::fmt;
use std::str::FromStr;

/// A range of scores in centipawns from the first player's view, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    low: i32,
    high: i32,
}

impl Window {
    /// Whether the range contains this score.
    pub(crate) fn contains(self, score: i32) -> bool {
        (self.low..=self.high).contains(&score)
    }
}

impl FromStr for Window {
    type Err = &'static str;

    /// Parses `LOW..HIGH`, or `N` for −N to N.
    fn from_str(text: &str) -> Result<Window, &'static str> {
        let ends = match text.split_once("..") {
            Some((low, high)) => low.parse().ok().zip(high.parse().ok()),
            None => text.parse().ok().map(|high: i32| (high.saturating_neg(), high)),
        };
        match ends {
            Some((low, high)) if low <= high => Ok(Window { low, high }),
            _ => Err("expected a score such as 100, or LOW..HIGH such as -20..60"),
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_writes_a_window() {
        for (text, written) in [
            ("100", "-100..100"),
            ("0", "0..0"),
            ("-20..60", "-20..60"),
            ("-60..-20", "-60..-20"),
        ] {
            let window: Window = text.parse().unwrap();
            assert_eq!(window.to_string(), written);
            assert_eq!(written.parse(), Ok(window));
        }
        for text in ["", "-1", "60..-20", "..", "1..", "..1", "1.5", "1...2", "x"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
    }

    #[test]
    fn includes_both_ends() {
        let window: Window = "-20..60".parse().unwrap();
        let inside = [-21, -20, 0, 60, 61].map(|score| window.contains(score));
        assert_eq!(inside, [false, true, true, true, false]);
    }
}
