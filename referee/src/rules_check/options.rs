//! The values of a program's options that a match may set: random games with one of them at a time.

use std::time::{Duration, Instant};

use lodestone_game::protocol::{OptionKind, OptionSpec, option_names};
use referee_core::io::text::printable;

use super::GamesPlan;

/// The most values that are tried.
const MAX_VALUES: usize = 30;

/// The number of games with each value.
const GAMES: u64 = 2;

/// The most positions that two programs are compared in from the start, with each value.
const VISITS: usize = 100;

/// How long they take at most: on a large board, slow rules need minutes for a game.
const TIME: Duration = Duration::from_secs(5);

/// A name and a value.
pub(crate) type OptionValue = (String, String);

impl GamesPlan {
    /// The games with one value of an option, from now on.
    pub(crate) fn with_option(self) -> GamesPlan {
        GamesPlan {
            games: self.games.min(GAMES),
            visits: self.visits.min(VISITS),
            until: Some(Instant::now() + TIME),
            ..self
        }
    }
}

/// The smallest and the greatest number, both truth values and all words of each option that is announced and
/// not `given`, without defaults. Returns at most [`MAX_VALUES`], and how many more there are.
pub(crate) fn values(announced: &[OptionSpec], given: &[OptionValue]) -> (Vec<OptionValue>, usize) {
    // Those of engines, such as Hash, say nothing about rules, and a large table may not fit the memory.
    let is_of_engines = |name: &str| name != option_names::VARIANT && option_names::ALL.contains(&name);
    let is_given = |name: &str| given.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let tried = announced
        .iter()
        .filter(|option| !is_of_engines(&option.name) && !is_given(&option.name));
    let mut lists: Vec<Vec<OptionValue>> = tried.map(values_of).collect();
    // A long list must not leave no place for the others.
    lists.sort_by_key(Vec::len);
    let mut values = lists.concat();
    let left_out = values.len().saturating_sub(MAX_VALUES);
    values.truncate(MAX_VALUES);
    (values, left_out)
}

fn values_of(option: &OptionSpec) -> Vec<OptionValue> {
    let (default, values) = match &option.kind {
        OptionKind::Check { default } => (default.to_string(), vec!["false".into(), "true".into()]),
        OptionKind::Spin { default, min, max } => (default.clone(), vec![min.clone(), max.clone()]),
        OptionKind::Combo { default, choices } => (default.clone(), choices.clone()),
        OptionKind::Button | OptionKind::String { .. } => return Vec::new(),
    };
    let other = values
        .into_iter()
        .filter(|value| !value.is_empty() && *value != default);
    other.map(|value| (option.name.clone(), value)).collect()
}

/// An option with its value, as on the command line.
pub(crate) fn shown((name, value): &OptionValue) -> String {
    printable(&format!("option.{name}={value}"), 80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::player::AnnouncedOptions;

    #[test]
    fn values_are_extremes_and_words_without_defaults_and_options_of_engines() {
        let announced = AnnouncedOptions::of([
            "option name game type combo default chess var chess var go var hex",
            "option name size type spin default 6 min 3 max 11",
            "option name free type spin default 1",
            "option name swap type check default false",
            "option name Hash type spin default 16 min 1 max 1048576",
            "option name heaps type string default 3 4",
            "option name fixed type spin default 1 min 0 max 2",
        ]);
        let given = [("Fixed".to_string(), "1".to_string())];
        let (found, left_out) = values(announced.specs(), &given);
        let found: Vec<String> = found.iter().map(shown).collect();
        let expected = "option.swap=true option.game=go option.game=hex option.size=3 option.size=11";
        assert_eq!((found.join(" ").as_str(), left_out), (expected, 0));
    }

    #[test]
    fn number_of_values_is_bounded() {
        let words: Vec<String> = (0..50).map(|word| format!("var w{word}")).collect();
        let line = format!("option name game type combo default w0 {}", words.join(" "));
        let size = "option name size type spin default 6 min 3 max 11".to_string();
        let announced = AnnouncedOptions::of([&*line, &*size]);
        let (found, left_out) = values(announced.specs(), &[]);
        assert_eq!((found.len(), left_out), (MAX_VALUES, 51 - MAX_VALUES));
        assert_eq!(found[1].1, "11");
    }
}
