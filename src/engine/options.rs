//! The engine's options: their announcement, their values and how `setoption` sets them.

use std::path::PathBuf;
use std::time::Duration;

use lodestone_game::Variant;
use lodestone_game::board::MoveList;
use lodestone_game::players;
use lodestone_game::protocol::{OptionKind, OptionSpec, option_names};
use lodestone_game::score::ScoreWords;
use lodestone_game::text::quoted;
use lodestone_game::time::TimeOptions;

use crate::search::SearchOptions;

/// The options in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The game.
    pub variant: Variant,
    /// The name of the chosen player. It plays if [`Options::variant`] has such a player;
    /// see [`Options::player`].
    pub personality: &'static str,
    /// Size of the transposition table, in megabytes of 2²⁰ bytes.
    pub hash: usize,
    /// Seed of the player `random`.
    pub seed: u64,
    /// What time management reads.
    pub time: TimeOptions,
    /// Threads, `MultiPV` and contempt.
    pub search: SearchOptions,
    /// A file of exact values; `None` if no file is used.
    pub table_path: Option<PathBuf>,
    /// Whether `lodestone` plays moves of a book.
    pub own_book: bool,
    /// A file with a book; `None` for the book that the program contains.
    pub book_file: Option<PathBuf>,
    /// The words of scores in `info` lines.
    pub score_words: ScoreWords,
    /// What the platform allows.
    pub platform: PlatformLimits,
}

/// The greatest values of options on a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlatformLimits {
    /// Of `Threads`, at least 1.
    pub(crate) threads: usize,
    /// Of `Hash`, in megabytes.
    pub(crate) hash: usize,
}

impl PlatformLimits {
    /// A system with threads. More than the cores of any machine. A table that is larger
    /// than the memory of the machine is an error when it is allocated.
    pub const THREADS: PlatformLimits = PlatformLimits {
        threads: 1024,
        hash: MAX_HASH,
    };

    /// A system without threads.
    pub(crate) const SINGLE_THREAD: PlatformLimits = PlatformLimits {
        threads: 1,
        hash: MAX_HASH,
    };
}

/// The greatest value of `Hash`, in megabytes. A WebAssembly module has at most 4,096, and
/// an old table stays until the new one is allocated.
const MAX_HASH: usize = if cfg!(target_pointer_width = "32") {
    1024
} else {
    1 << 20
};

impl Default for Options {
    fn default() -> Options {
        Options {
            variant: Variant::default(),
            personality: players::DEFAULT,
            hash: 16,
            seed: 1,
            time: TimeOptions::default(),
            search: SearchOptions::default(),
            table_path: None,
            own_book: false,
            book_file: None,
            score_words: ScoreWords::default(),
            platform: PlatformLimits::THREADS,
        }
    }
}

/// What a new value requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the next search uses it.
    NextSearch,
    /// The start position of the new variant.
    NewVariant,
    /// A new searcher.
    NewSearcher,
    /// Empty memory for the next search.
    NewGame,
    /// Another file of exact values.
    NewTable,
    /// Another book, or none.
    NewBook,
}

/// An option of the protocol.
struct Definition {
    name: &'static str,
    /// Its type, with the default from these options.
    kind: fn(&Options) -> OptionKind,
    /// Sets it to a value; the error says which values are allowed.
    set: fn(&mut Options, &str) -> Result<(), String>,
    effect: Effect,
}

/// The option of a parameter of the search, with its range.
#[cfg(feature = "tune")]
macro_rules! parameter {
    ($name:literal, $field:ident, $min:literal, $max:literal) => {
        Definition {
            name: $name,
            kind: |default| spin(default.search.parameters.$field as i64, ($min, $max)),
            set: |options, value| {
                options.search.parameters.$field = number(value, ($min, $max))? as _;
                Ok(())
            },
            effect: Effect::NextSearch,
        }
    };
}

/// All options, in the order in which `uci` announces them.
const DEFINITIONS: &[Definition] = &[
    Definition {
        name: option_names::VARIANT,
        kind: |default| {
            let names = Variant::ALL.iter().map(|variant| variant.name());
            combo(default.variant.name(), names)
        },
        set: set_variant,
        effect: Effect::NewVariant,
    },
    Definition {
        name: option_names::HASH,
        kind: |default| spin(default.hash as i64, default.hash_range()),
        set: |options, value| {
            options.hash = number(value, options.hash_range())? as usize;
            Ok(())
        },
        effect: Effect::NewSearcher,
    },
    Definition {
        name: option_names::CLEAR_HASH,
        kind: |_| OptionKind::Button,
        set: |_, _| Ok(()),
        effect: Effect::NewGame,
    },
    Definition {
        name: option_names::THREADS,
        kind: |default| spin(default.search.threads as i64, default.threads_range()),
        set: |options, value| {
            options.search.threads = number(value, options.threads_range())? as usize;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Definition {
        name: option_names::MULTI_PV,
        kind: |default| spin(default.search.multipv as i64, MULTIPV_RANGE),
        set: |options, value| {
            options.search.multipv = number(value, MULTIPV_RANGE)? as usize;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Definition {
        name: option_names::CONTEMPT,
        kind: |default| spin(default.search.contempt.into(), CONTEMPT_RANGE),
        set: |options, value| {
            options.search.contempt = number(value, CONTEMPT_RANGE)? as u8;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Definition {
        name: option_names::MATE_SCORES,
        kind: |default| OptionKind::Check {
            default: default.score_words == ScoreWords::Mate,
        },
        set: |options, value| {
            options.score_words = if check(value)? {
                ScoreWords::Mate
            } else {
                ScoreWords::Result
            };
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Definition {
        name: option_names::PONDER,
        kind: |default| OptionKind::Check {
            default: default.time.ponder,
        },
        set: |options, value| {
            options.time.ponder = check(value)?;
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Definition {
        name: option_names::MOVE_OVERHEAD,
        kind: |default| spin(default.time.overhead.as_millis() as i64, OVERHEAD_RANGE),
        set: |options, value| {
            options.time.overhead = Duration::from_millis(number(value, OVERHEAD_RANGE)? as u64);
            Ok(())
        },
        effect: Effect::NextSearch,
    },
    Definition {
        name: option_names::TABLE_PATH,
        kind: |_| OptionKind::String {
            default: NO_PATH.to_string(),
        },
        set: |options, value| {
            options.table_path = path(value);
            Ok(())
        },
        effect: Effect::NewTable,
    },
    Definition {
        name: option_names::OWN_BOOK,
        kind: |default| OptionKind::Check {
            default: default.own_book,
        },
        set: |options, value| {
            options.own_book = check(value)?;
            Ok(())
        },
        effect: Effect::NewBook,
    },
    Definition {
        name: option_names::BOOK_FILE,
        kind: |_| OptionKind::String {
            default: NO_PATH.to_string(),
        },
        set: |options, value| {
            options.book_file = path(value);
            Ok(())
        },
        effect: Effect::NewBook,
    },
    Definition {
        name: option_names::SEED,
        kind: |default| spin(default.seed as i64, SEED_RANGE),
        set: |options, value| {
            options.seed = number(value, SEED_RANGE)? as u64;
            Ok(())
        },
        effect: Effect::NewSearcher,
    },
    Definition {
        name: option_names::PERSONALITY,
        kind: |default| combo(default.personality, players::all_names().into_iter()),
        set: set_personality,
        effect: Effect::NewSearcher,
    },
    #[cfg(feature = "tune")]
    parameter!("ReverseFutilityMargin", reverse_futility_margin, 0, 1000),
    #[cfg(feature = "tune")]
    parameter!("ReverseFutilityMaxDepth", reverse_futility_max_depth, 0, 20),
    #[cfg(feature = "tune")]
    parameter!("LateMoveReduction", late_move_reduction, 0, 300),
    #[cfg(feature = "tune")]
    parameter!("FullDepthMoves", full_depth_moves, 1, 64),
    #[cfg(feature = "tune")]
    parameter!("AspirationWidth", aspiration_width, 1, 1000),
];

/// The value of an option that names no file, as in UCI.
const NO_PATH: &str = "<empty>";
/// No position has more legal moves than the upper bound.
const MULTIPV_RANGE: (i64, i64) = (1, MoveList::CAPACITY as i64);
/// Percent.
const CONTEMPT_RANGE: (i64, i64) = (0, 100);
/// Milliseconds.
const OVERHEAD_RANGE: (i64, i64) = (0, 5000);
/// Any number of 32 bits.
const SEED_RANGE: (i64, i64) = (0, u32::MAX as i64);

impl Options {
    /// The default options of a platform.
    pub(crate) fn on(platform: PlatformLimits) -> Options {
        Options {
            platform,
            ..Options::default()
        }
    }

    /// The options as `uci` announces them on this platform.
    pub fn announced(platform: PlatformLimits) -> impl Iterator<Item = OptionSpec> {
        DEFINITIONS.iter().map(move |option| OptionSpec {
            name: option.name.to_string(),
            kind: (option.kind)(&Options::on(platform)),
        })
    }

    /// The range of `Hash`, in megabytes.
    const fn hash_range(&self) -> (i64, i64) {
        (1, self.platform.hash as i64)
    }

    /// The range of `Threads`.
    const fn threads_range(&self) -> (i64, i64) {
        (1, self.platform.threads as i64)
    }

    /// The name of the player that plays: the chosen one, or the default player in a game
    /// that the chosen one does not play.
    pub(crate) fn player(&self) -> &'static str {
        if self.variant.personalities().contains(&self.personality) {
            self.personality
        } else {
            players::DEFAULT
        }
    }

    /// Why the chosen player does not play, as a sentence; `None` if it plays.
    pub(crate) fn why_not_chosen_player(&self) -> Option<String> {
        let variant = players::variant_of(self.personality)?;
        (self.player() != self.personality).then(|| {
            format!(
                "{} plays, because {} does not play {}; to change that, set {} to {variant}",
                self.player(),
                self.personality,
                self.variant,
                option_names::VARIANT,
            )
        })
    }

    /// Sets an option. Its name may be in any letter case.
    ///
    /// # Errors
    /// A sentence that says what is wrong and what is allowed; nothing changes then.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, String> {
        let is_named = |option: &&Definition| option.name.eq_ignore_ascii_case(name);
        let Some(option) = DEFINITIONS.iter().find(is_named) else {
            let names: Vec<&str> = DEFINITIONS.iter().map(|option| option.name).collect();
            return Err(format!(
                "there is no option {}; there are {}",
                quoted(name),
                names.join(", ")
            ));
        };
        let name = option.name;
        let value = match ((option.kind)(self), value) {
            (OptionKind::Button, None | Some("")) => "",
            (OptionKind::Button, Some(_)) => {
                return Err(format!(
                    "option {name} is a button and takes no value: setoption name {name}"
                ));
            }
            (_, Some(value)) => value,
            (_, None) => {
                return Err(format!(
                    "option {name} needs a value: setoption name {name} value …"
                ));
            }
        };
        (option.set)(self, value).map_err(|error| format!("option {name}: {error}"))?;
        Ok(option.effect)
    }
}

fn set_variant(options: &mut Options, value: &str) -> Result<(), String> {
    let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
    options.variant = Variant::from_name(value).ok_or_else(|| no_choice(&names, value))?;
    Ok(())
}

fn set_personality(options: &mut Options, value: &str) -> Result<(), String> {
    let names = players::all_names();
    let name = names.iter().find(|name| name.eq_ignore_ascii_case(value));
    options.personality = name.ok_or_else(|| no_choice(&names, value))?;
    Ok(())
}

/// The error for a value that is none of the choices.
fn no_choice(choices: &[&str], value: &str) -> String {
    format!("expected one of {}, found {}", choices.join(", "), quoted(value))
}

fn spin(default: i64, (min, max): (i64, i64)) -> OptionKind {
    let [default, min, max] = [default, min, max].map(|number| number.to_string());
    OptionKind::Spin { default, min, max }
}

fn combo(default: &str, choices: impl Iterator<Item = &'static str>) -> OptionKind {
    OptionKind::Combo {
        default: default.to_string(),
        choices: choices.map(str::to_string).collect(),
    }
}

/// The path that a value names; `None` for the empty path and for [`NO_PATH`].
fn path(value: &str) -> Option<PathBuf> {
    (!value.is_empty() && value != NO_PATH).then(|| PathBuf::from(value))
}

fn check(value: &str) -> Result<bool, String> {
    [true, false]
        .into_iter()
        .find(|choice| choice.to_string().eq_ignore_ascii_case(value))
        .ok_or_else(|| format!("expected true or false, found {}", quoted(value)))
}

fn number(value: &str, (min, max): (i64, i64)) -> Result<i64, String> {
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
    fn announced_defaults_are_the_default_options() {
        for spec in Options::announced(PlatformLimits::THREADS) {
            let default = match spec.kind {
                OptionKind::Spin { default, .. }
                | OptionKind::Combo { default, .. }
                | OptionKind::String { default } => default,
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Button => continue,
            };
            let mut options = Options::default();
            assert!(options.set(&spec.name, Some(&default)).is_ok());
            assert_eq!(options, Options::default(), "{}", spec.name);
        }
    }

    #[test]
    fn the_list_of_names_is_complete() {
        let names: Vec<String> = Options::announced(PlatformLimits::THREADS)
            .map(|option| option.name)
            .collect();
        // With the feature `tune`, parameters of the search follow.
        assert_eq!(names[..option_names::ALL.len()], option_names::ALL);
        assert_eq!(
            names.len() == option_names::ALL.len(),
            cfg!(not(feature = "tune"))
        );
    }

    #[test]
    fn a_wrong_value_is_an_error_and_changes_nothing() {
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
        assert!(error("Personality", Some("nobody")).starts_with(
            "option Personality: expected one of lodestone, groups, squares, random, plain, mobility"
        ));
        assert_eq!(options, Options::default());
    }

    #[test]
    fn a_button_takes_an_empty_value() {
        let mut options = Options::default();
        assert_eq!(options.set("Clear Hash", Some("")), Ok(Effect::NewGame));
    }

    /// All sequences of a game and a player, in both orders, twice.
    #[test]
    fn a_chosen_player_plays_as_soon_as_its_game_is_set() {
        for &first in Variant::ALL {
            for &second in Variant::ALL {
                for name in players::all_names() {
                    let mut options = Options::default();
                    options.set("UCI_Variant", Some(first.name())).unwrap();
                    options
                        .set("personality", Some(&name.to_ascii_uppercase()))
                        .unwrap();
                    for variant in [first, second, first] {
                        options.set("uci_variant", Some(variant.name())).unwrap();
                        assert_eq!((options.variant, options.personality), (variant, name));
                        let plays = variant.personalities().contains(&name);
                        assert_eq!(options.player(), if plays { name } else { "lodestone" });
                        assert_eq!(
                            options.why_not_chosen_player().is_none(),
                            plays,
                            "{name} {variant}"
                        );
                    }
                }
            }
        }
    }

    /// Each parameter has an option of its own, which reaches the search.
    #[cfg(feature = "tune")]
    #[test]
    fn parameters_of_the_search_are_options() {
        let announced: Vec<OptionSpec> = Options::announced(PlatformLimits::THREADS).collect();
        let first = announced
            .iter()
            .position(|spec| spec.name == "ReverseFutilityMargin");
        let mut seen = vec![Options::default().search.parameters];
        for spec in &announced[first.unwrap()..] {
            let OptionKind::Spin { default, min, max } = &spec.kind else {
                panic!("{spec:?}");
            };
            let [low, start, high] = [min, default, max].map(|number| number.parse::<i64>().unwrap());
            assert!(low < start && start < high, "{}", spec.name);
            let mut options = Options::default();
            options.set(&spec.name, Some(min)).unwrap();
            assert!(!seen.contains(&options.search.parameters), "{spec:?}");
            seen.push(options.search.parameters);
        }
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn explains_why_the_chosen_player_does_not_play() {
        let mut options = Options::default();
        options.set("Personality", Some("mobility")).unwrap();
        assert_eq!(
            options.why_not_chosen_player().as_deref(),
            Some(
                "lodestone plays, because mobility does not play magnetic-cave; to change that, set \
                 UCI_Variant to gridlock"
            )
        );
    }
}
