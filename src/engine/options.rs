//! The engine's options: what is announced, what is accepted, what is in force.

use std::time::Duration;

use crate::board::MoveList;
use crate::game::Variant;
use crate::personality;
use crate::protocol::{OptionKind, OptionSpec};
use crate::quoted::quoted;
use crate::search::SearchOptions;

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
    /// Threads, MultiPV and contempt.
    pub search: SearchOptions,
    /// Whether the client lets the engine think in the opponent's time.
    pub ponder: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            variant: Variant::default(),
            personality: personality::DEFAULT,
            hash: 16,
            seed: 1,
            move_overhead: Duration::from_millis(10),
            search: SearchOptions::default(),
            ponder: false,
        }
    }
}

/// A value that an option does not take; the sentence says what it takes.
type Rejected = String;

/// What has to be done when an option was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the next search looks at it.
    NextSearch,
    /// Another game begins.
    OtherGame,
    /// Another player is called.
    OtherPlayer,
    /// The player forgets what it has learned.
    Forget,
}

/// One option: its name, what is announced, how it is set, what then has to be
/// done.
struct Entry {
    name: &'static str,
    kind: fn() -> OptionKind,
    set: fn(&mut Options, &str) -> Result<(), Rejected>,
    effect: Effect,
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
        effect: Effect::OtherGame,
    },
    Entry {
        name: "Hash",
        kind: || spin(16, HASH_RANGE),
        set: |options, value| {
            options.hash = number(value, HASH_RANGE)? as usize;
            Ok(())
        },
        effect: Effect::OtherPlayer,
    },
    Entry {
        name: "Clear Hash",
        kind: || OptionKind::Button,
        set: |_, _| Ok(()),
        effect: Effect::Forget,
    },
    Entry {
        name: "Threads",
        kind: || spin(SearchOptions::default().threads as i64, THREADS_RANGE),
        set: |options, value| {
            options.search.threads = number(value, THREADS_RANGE)? as usize;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Entry {
        name: "MultiPV",
        kind: || spin(SearchOptions::default().multipv as i64, MULTIPV_RANGE),
        set: |options, value| {
            options.search.multipv = number(value, MULTIPV_RANGE)? as usize;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Entry {
        name: "Contempt",
        kind: || spin(SearchOptions::default().contempt.into(), CONTEMPT_RANGE),
        set: |options, value| {
            options.search.contempt = number(value, CONTEMPT_RANGE)? as u8;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Entry {
        name: "Ponder",
        kind: || OptionKind::Check { default: false },
        set: |options, value| {
            options.ponder = check(value)?;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Entry {
        name: "Move Overhead",
        kind: || spin(10, OVERHEAD_RANGE),
        set: |options, value| {
            options.move_overhead = Duration::from_millis(number(value, OVERHEAD_RANGE)? as u64);
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Entry {
        name: Options::SEED,
        kind: || spin(1, SEED_RANGE),
        set: |options, value| {
            options.seed = number(value, SEED_RANGE)? as u64;
            Ok(())
        },
        effect: Effect::OtherPlayer,
    },
    Entry {
        name: "Personality",
        kind: || combo(personality::DEFAULT, personality::all_names().into_iter()),
        set: set_personality,
        effect: Effect::OtherPlayer,
    },
];

/// Megabytes; whether the machine has them is another question.
const HASH_RANGE: (i64, i64) = (1, 1 << 20);
/// More than any machine has cores that could share one table.
const THREADS_RANGE: (i64, i64) = (1, 1024);
/// No position has more moves.
const MULTIPV_RANGE: (i64, i64) = (1, MoveList::CAPACITY as i64);
/// Percent.
const CONTEMPT_RANGE: (i64, i64) = (0, 100);
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

    /// Sets an option, any letter case of its name. Says what has to be done.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what would be right; nothing is
    /// changed then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let Some(entry) = ENTRIES.iter().find(|entry| entry.name.eq_ignore_ascii_case(name)) else {
            let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
            return Err(format!(
                "there is no option {}; there are {}",
                quoted(name),
                names.join(", ")
            ));
        };
        let value = match ((entry.kind)(), value) {
            (OptionKind::Button, None) => "",
            (OptionKind::Button, Some(_)) => {
                return Err(format!(
                    "option {} is a button and takes no value: setoption name {}",
                    entry.name, entry.name
                ));
            }
            (_, Some(value)) => value,
            (_, None) => {
                return Err(format!(
                    "option {} needs a value: setoption name {} value …",
                    entry.name, entry.name
                ));
            }
        };
        (entry.set)(self, value).map_err(|why| format!("option {}: {why}", entry.name))?;
        Ok(entry.effect)
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

fn check(value: &str) -> Result<bool, Rejected> {
    [true, false]
        .into_iter()
        .find(|choice| choice.to_string().eq_ignore_ascii_case(value))
        .ok_or_else(|| format!("expected true or false, found {}", quoted(value)))
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
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Button => continue,
                OptionKind::String { .. } => panic!("{spec:?}"),
            };
            let mut options = Options::default();
            assert!(options.set(&spec.name, Some(&default)).is_ok());
            assert_eq!(options, Options::default(), "{}", spec.name);
        }
    }

    #[test]
    fn a_wrong_value_says_what_would_be_right_and_changes_nothing() {
        let mut options = Options::default();
        let mut error = |name, value| options.set(name, value).unwrap_err();
        assert_eq!(
            error("hash", Some("0")),
            "option Hash: expected a whole number from 1 to 1048576, found `0`"
        );
        assert_eq!(
            error("Hash", None),
            "option Hash needs a value: setoption name Hash value …"
        );
        assert_eq!(
            error("ponder", Some("yes")),
            "option Ponder: expected true or false, found `yes`"
        );
        assert_eq!(
            error("clear hash", Some("1")),
            "option Clear Hash is a button and takes no value: setoption name Clear Hash"
        );
        assert!(
            error("Skill", Some("1")).starts_with("there is no option `Skill`; there are UCI_Variant, Hash")
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
