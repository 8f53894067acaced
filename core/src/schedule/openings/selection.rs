//! Which openings of a book a match plays, and in which order; the scores that they may have.

use std::fmt;
use std::str::FromStr;

use crate::io::as_text::Text;
use crate::io::key_values::{KeyValues, at_least};

const KEYS: [&str; 3] = ["order", "start", "plies"];

/// Maximum number of moves of an opening that can be asked for: more than any game of Magnetic
/// Cave has.
pub const MAX_PLIES: u32 = 1000;

/// The openings that a match takes from a book. The default is the whole book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The order of the openings.
    pub order: Order,
    /// The number, in this order, of the first opening that is played; from 1.
    pub start: u64,
    /// Only this many moves of each opening are played, at least 1; `None` for all.
    pub plies: Option<u32>,
}

/// The order of the openings of a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As in the file.
    #[default]
    Sequential,
    /// Shuffled by the seed of the match.
    Random,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            order: Order::default(),
            start: 1,
            plies: None,
        }
    }
}

impl Selection {
    /// The values of `--openings` beside the file.
    pub fn of_keys(keys: KeyValues<'_>) -> Result<Selection, String> {
        let keys = keys.known(&KEYS)?;
        let order = keys.optional("order", |text| match text {
            "sequential" => Ok(Order::Sequential),
            "random" => Ok(Order::Random),
            _ => Err("expected `random` or `sequential`".into()),
        })?;
        let plies = keys.optional("plies", |text| {
            let plies = text.parse().ok().filter(|plies| (1..=MAX_PLIES).contains(plies));
            plies.ok_or_else(|| format!("expected a whole number from 1 to {MAX_PLIES}"))
        })?;
        Ok(Selection {
            order: order.unwrap_or_default(),
            start: keys.optional("start", |text| at_least(1, text))?.unwrap_or(1),
            plies,
        })
    }

    /// The keys and values that differ from the default.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let Selection { order, start, plies } = *self;
        let order = (order == Order::Random).then(|| ("order", "random".to_string()));
        let start = (start > 1).then(|| ("start", start.to_string()));
        let plies = plies.map(|plies| ("plies", plies.to_string()));
        order.into_iter().chain(start).chain(plies).collect()
    }

    /// Whether the whole book is played in its order.
    pub fn is_default(&self) -> bool {
        *self == Selection::default()
    }
}

impl fmt::Display for Selection {
    /// The keys and values, separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self
            .pairs()
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        f.write_str(&words.join(" "))
    }
}

impl Text for Selection {
    fn text(&self) -> impl fmt::Display {
        self
    }

    fn read(text: &str) -> Result<Selection, String> {
        let selection = KeyValues::read(text.split(' ')).and_then(Selection::of_keys);
        selection.map_err(|why| format!("selection: {why}"))
    }
}

/// A range of scores in centipawns from the first player's view, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    low: i32,
    high: i32,
}

impl Window {
    /// Whether the range contains this score.
    pub fn contains(self, score: i32) -> bool {
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
    use sentences::{assert_rows, expect};

    #[test]
    fn a_selection_survives_a_round_trip() {
        for text in [
            "order=random",
            "start=7 plies=1000",
            "order=random start=2 plies=1",
        ] {
            let selection = Selection::read(text).unwrap();
            assert_eq!(selection.to_string(), text);
            assert!(!selection.is_default());
        }
        let same = Selection::read("order=sequential start=1").unwrap();
        assert!(same.is_default() && same.to_string().is_empty());
    }

    #[test]
    fn errors_say_what_is_expected() {
        let table = expect![[r#"
            order=sorted | `order=sorted`: expected `random` or `sequential`
            start=0 | `start=0`: expected a whole number of at least 1
            plies=0 | `plies=0`: expected a whole number from 1 to 1000
            plies=1001 | `plies=1001`: expected a whole number from 1 to 1000
            strat=3 | unknown key `strat`; did you mean `start`? The keys are order, start, plies
            random | expected KEY=VALUE, found `random`
        "#]];
        assert_rows(table, |[text]| Selection::read(text).unwrap_err());
    }

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
