//! The engine's options: what is announced, what is accepted, what is in force.

use std::time::Duration;

use crate::game::Variant;
use crate::personality;
use crate::protocol::{OptionKind, OptionSpec};
use crate::quoted::quoted;

/// The options in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The game.
    pub variant: Variant,
    /// The player's name, one that [`Options::variant`] has.
    pub personality: &'static str,
    /// Memory for the table, in megabytes of 2²⁰ bytes.
    pub hash: usize,
    /// What `random` draws from.
    pub seed: u64,
    /// What of a move's time is kept back for the way to the other program.
    pub move_overhead: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            variant: Variant::default(),
            personality: personality::DEFAULT,
            hash: 16,
            seed: 1,
            move_overhead: Duration::from_millis(10),
        }
    }
}

/// A value that an option does not take; the sentence says what it takes.
type Rejected = String;

/// One option: its name, what is announced, and how it is set.
struct Entry {
    name: &'static str,
    kind: fn() -> OptionKind,
    set: fn(&mut Options, &str) -> Result<(), Rejected>,
}

/// All options in the order in which they are announced.
const ENTRIES: &[Entry] = &[
    Entry {
        name: Options::VARIANT,
        kind: || {
            combo(
                Variant::default().name(),
                Variant::ALL.iter().map(|variant| variant.name()),
            )
        },
        set: set_variant,
    },
    Entry {
        name: "Hash",
        kind: || spin(16, HASH_RANGE),
        set: |options, value| {
            options.hash = number(value, HASH_RANGE)? as usize;
            Ok(())
        },
    },
    Entry {
        name: "Threads",
        kind: || spin(1, THREADS_RANGE),
        set: |_, value| number(value, THREADS_RANGE).map(|_| ()),
    },
    Entry {
        name: "Move Overhead",
        kind: || spin(10, OVERHEAD_RANGE),
        set: |options, value| {
            options.move_overhead = Duration::from_millis(number(value, OVERHEAD_RANGE)? as u64);
            Ok(())
        },
    },
    Entry {
        name: Options::SEED,
        kind: || spin(1, SEED_RANGE),
        set: |options, value| {
            options.seed = number(value, SEED_RANGE)? as u64;
            Ok(())
        },
    },
    Entry {
        name: "Personality",
        kind: || combo(personality::DEFAULT, personality::all_names().into_iter()),
        set: set_personality,
    },
];

/// Megabytes.
const HASH_RANGE: (i64, i64) = (1, 4096);
/// The search has one thread; the option is there for clients that set it.
const THREADS_RANGE: (i64, i64) = (1, 1);
/// Milliseconds.
const OVERHEAD_RANGE: (i64, i64) = (0, 5000);
const SEED_RANGE: (i64, i64) = (0, u32::MAX as i64);

impl Options {
    /// The option that chooses the game; setting it goes to its start position.
    pub const VARIANT: &str = "UCI_Variant";
    /// What the player `random` draws from, a number of 32 bits.
    pub const SEED: &str = "Seed";

    /// What `uci` announces.
    pub fn announced() -> impl Iterator<Item = OptionSpec> {
        ENTRIES.iter().map(|entry| OptionSpec {
            name: entry.name.to_string(),
            kind: (entry.kind)(),
        })
    }

    /// Sets an option, any letter case of its name.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what would be right; nothing is
    /// changed then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let Some(entry) = ENTRIES.iter().find(|entry| entry.name.eq_ignore_ascii_case(name)) else {
            let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
            return Err(format!(
                "there is no option {}; there are {}",
                quoted(name),
                names.join(", ")
            ));
        };
        let Some(value) = value else {
            return Err(format!(
                "option {} needs a value: setoption name {} value …",
                entry.name, entry.name
            ));
        };
        (entry.set)(self, value).map_err(|why| format!("option {}: {why}", entry.name))
    }
}

fn set_variant(options: &mut Options, value: &str) -> Result<(), Rejected> {
    let Some(variant) = Variant::from_name(value) else {
        let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        return Err(format!(
            "expected one of {}, found {}",
            names.join(", "),
            quoted(value)
        ));
    };
    if !variant.personalities().contains(&options.personality) {
        return Err(format!(
            "personality {} does not play {variant}; set Personality first, to one of {}",
            options.personality,
            variant.personalities().join(", ")
        ));
    }
    options.variant = variant;
    Ok(())
}

fn set_personality(options: &mut Options, value: &str) -> Result<(), Rejected> {
    let names = options.variant.personalities();
    match names.iter().find(|name| name.eq_ignore_ascii_case(value)) {
        Some(name) => {
            options.personality = name;
            Ok(())
        }
        None => Err(format!(
            "in {} expected one of {}, found {}",
            options.variant,
            names.join(", "),
            quoted(value)
        )),
    }
}

fn spin(default: i64, (min, max): (i64, i64)) -> OptionKind {
    OptionKind::Spin { default, min, max }
}

fn combo(default: &str, choices: impl Iterator<Item = &'static str>) -> OptionKind {
    OptionKind::Combo {
        default: default.to_string(),
        choices: choices.map(str::to_string).collect(),
    }
}

fn number(value: &str, (min, max): (i64, i64)) -> Result<i64, Rejected> {
    value
        .parse()
        .ok()
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| {
            format!(
                "expected a whole number from {min} to {max}, found {}",
                quoted(value)
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_what_is_announced() {
        for spec in Options::announced() {
            let default = match spec.kind {
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } => default,
                other => panic!("{other:?}"),
            };
            let mut options = Options::default();
            assert_eq!(options.set(&spec.name, Some(&default)), Ok(()));
            assert_eq!(options, Options::default(), "{}", spec.name);
        }
    }

    #[test]
    fn a_wrong_value_says_what_would_be_right_and_changes_nothing() {
        let mut options = Options::default();
        let mut error = |name, value| options.set(name, value).unwrap_err();
        assert_eq!(
            error("hash", Some("0")),
            "option Hash: expected a whole number from 1 to 4096, found `0`"
        );
        assert_eq!(
            error("Hash", None),
            "option Hash needs a value: setoption name Hash value …"
        );
        assert!(
            error("Contempt", Some("1"))
                .starts_with("there is no option `Contempt`; there are UCI_Variant, Hash")
        );
        assert!(
            error("Personality", Some("mobility"))
                .starts_with("option Personality: in magnetic-cave expected one of lodestone, groups")
        );
        assert_eq!(options, Options::default());
    }

    #[test]
    fn a_player_of_one_game_keeps_the_variant() {
        let mut options = Options::default();
        options.set("personality", Some("Groups")).unwrap();
        assert!(
            options
                .set("UCI_Variant", Some("gridlock"))
                .unwrap_err()
                .contains("groups does not play gridlock")
        );
        options.set("Personality", Some("plain")).unwrap();
        options.set("uci_variant", Some("gridlock")).unwrap();
        options.set("Personality", Some("mobility")).unwrap();
        assert_eq!(
            (options.variant, options.personality),
            (Variant::Gridlock, "mobility")
        );
    }
}
