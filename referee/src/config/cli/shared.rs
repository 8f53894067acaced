//! What several commands share: headings, the look of boards, the set-up of a game.

use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum, ValueHint};
use lodestone_game::{Setup, Variant};
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::as_text::Text;
use referee_core::process::{SandboxLevel, sandbox_ability};

use crate::config::rules_settings::RulesSettings;
use crate::config::settings;
use crate::config::values::{NameParser, WholeNumber};
use crate::view::drawing::{BoardStyle, locale_has_utf8};

// The headings of options in the help.
pub const TUNING: &str = "Tuning";
pub const PLAYERS: &str = "Players";
pub const GAMES: &str = "Games";
pub const STOPPING: &str = "Stopping early";
pub const RESOURCES: &str = "Resources";
pub const RESULTS: &str = "Results";
pub const CONFIGURATION: &str = "Configuration files";
pub const DISPLAY: &str = "Display";
pub const TABLES: &str = "Tables";
pub const ANALYSIS: &str = "Analysis";
pub const CHECKS: &str = "Checks";
pub const SELECTION: &str = "Selection";
pub const FILES: &str = "Files";
pub const NETWORK: &str = "Network";

/// The most games at a time, more than any machine has cores.
pub const MAX_SLOTS: u64 = 1024;

/// Reads the name of a built-in game, and lists the games for completions.
fn variant() -> NameParser<Ruleset> {
    NameParser::new(Ruleset::read, Ruleset::names)
}

/// The game that is played.
#[derive(Args, Clone, Debug)]
pub struct GameArgs {
    /// Play this built-in game
    #[arg(long, long_help = format!("Play one of {}", Ruleset::names().join(", ")), default_value_t, value_parser = variant(), hide_possible_values = true, value_name = "NAME", help_heading = GAMES)]
    pub variant: Ruleset,

    /// The rules of another game.
    #[command(flatten)]
    pub rules: RulesArg,
}

/// The program with the rules of a game.
#[derive(Args, Clone, Debug, Default)]
pub struct RulesArg {
    /// Take the rules from a program, such as ./nim.py, or `chess`
    ///
    /// The program answers questions about positions; see `docs/rules.md`. Settings may follow:
    /// args, dir, name, option.NAME, starttime and sandbox, as for players; `timeout=SECONDS` for
    /// an answer (default: 5); `files=FILE,FILE` for more files that belong to the rules.
    #[arg(id = "rules", long = "rules", value_name = "PROGRAM [KEY=VALUE…]", value_hint = ValueHint::FilePath, help_heading = GAMES)]
    pub settings: Option<RulesSettings>,

    /// The rules of the program, once it has started.
    #[arg(skip)]
    pub loaded: Option<Ruleset>,
}

/// Takes any text as a player; completions offer the built-in players.
pub fn player() -> NameParser<String> {
    NameParser::any(players)
}

/// The built-in players, and a person.
pub fn players() -> Vec<&'static str> {
    let people = [settings::HUMAN].into_iter();
    people.chain(Ruleset::all_players()).collect()
}

/// A sandbox as the command line asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxChoice {
    /// `--sandbox` without a value: the strongest that this system has.
    Strongest,
    /// This level, or an error.
    Level(SandboxLevel),
}

impl SandboxChoice {
    /// What stands for a missing value, and nobody types.
    const STRONGEST: &str = "";
}

impl FromStr for SandboxChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<SandboxChoice, String> {
        if text == SandboxChoice::STRONGEST {
            return Ok(SandboxChoice::Strongest);
        }
        text.parse().map(SandboxChoice::Level)
    }
}

impl SandboxArgs {
    /// The level that is meant. `known` is that of the result file that a command continues: its games stay comparable.
    pub fn level(&self, known: impl FnOnce() -> Option<SandboxLevel>) -> Option<SandboxLevel> {
        let strongest = || match sandbox_ability(SandboxLevel::Strict) {
            Ok(_) => SandboxLevel::Strict,
            Err(why) => {
                log::debug!("--sandbox is not `strict`: {why}");
                SandboxLevel::On
            }
        };
        Some(match self.sandbox? {
            SandboxChoice::Level(level) => level,
            SandboxChoice::Strongest => known().unwrap_or_else(strongest),
        })
    }

    /// The same without such a file.
    pub fn level_alone(&self) -> Option<SandboxLevel> {
        self.level(|| None)
    }
}

/// The sandbox of the programs that a command starts.
#[derive(Args, Clone, Debug)]
pub struct SandboxArgs {
    /// Run programs in a sandbox, `on` or `strict` (Linux only)
    ///
    /// A program can read its own folder and write to a private folder that is deleted at the end,
    /// but it cannot use the network. With `strict`, it also gets its own root folder, process list and network.
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = SandboxChoice::STRONGEST,
        help_heading = RESOURCES
    )]
    pub sandbox: Option<SandboxChoice>,

    /// Let sandboxed programs read this folder, too; repeatable
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESOURCES, hide_short_help = true)]
    pub sandbox_read: Vec<PathBuf>,
}

/// What starts submissions.
#[derive(Args, Clone, Debug, Default)]
pub struct WrapperArgs {
    /// Start each submission by FOLDER's `run`, with the submission's folder as its argument
    ///
    /// A submission is then a folder with any files. If FOLDER also has a program `prepare`, that runs once for each
    /// version of a submission, in an empty folder that `run` gets as its second argument. The setting
    /// `wrapper=FOLDER` is for one player.
    #[arg(long, hide_short_help = true, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = PLAYERS)]
    pub wrapper: Option<PathBuf>,
}

/// How boards are drawn for a person.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct StyleArgs {
    /// Choose when to use colours; `auto` obeys `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = DISPLAY, hide_short_help = true)]
    pub color: ColorArg,

    /// Draw boards in plain ASCII: X, O and -
    #[arg(long, help_heading = DISPLAY, hide_short_help = true)]
    pub ascii: bool,
}

impl StyleArgs {
    /// The style that the options ask for, or that the terminal supports.
    pub fn board_style(self) -> BoardStyle {
        let colour = match self.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            // Reads NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM.
            ColorArg::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        };
        let ascii = self.ascii || !locale_has_utf8(|name| std::env::var(name).ok());
        BoardStyle { ascii, colour }
    }
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal that supports colours.
    #[default]
    Auto,
    /// On every output.
    Always,
    /// On no output.
    Never,
}

/// A line of help about the games with a set-up, with the range and the default of a number.
fn setup_help(text: &str, max: u32, default: u32) -> String {
    format!("{text} in {}, 1 to {max} (default: {default})", setup_games())
}

/// The titles of the games with a set-up.
pub fn setup_games() -> String {
    Variant::list(|info| if info.has_setup { info.title } else { "" })
}

/// How a game with a random start is set up.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct SetupArgs {
    /// Pieces per side.
    #[arg(long, help = setup_help("Give each side N pieces", Setup::MAX_PIECES, Setup::default().pieces), value_name = "N", help_heading = GAMES)]
    pieces: Option<WholeNumber<1, { Setup::MAX_PIECES as u64 }>>,

    /// The turn limit.
    #[arg(long, help = setup_help("End games after T turns", Setup::MAX_TURNS, Setup::default().turns), value_name = "T", help_heading = GAMES)]
    turns: Option<WholeNumber<1, { Setup::MAX_TURNS as u64 }>>,
}

impl SetupArgs {
    /// The set-up of a game, with defaults.
    pub(crate) fn of(self, variant: Ruleset) -> Result<Setup, Failure> {
        let given = [("--pieces", self.pieces()), ("--turns", self.turns())];
        match given.into_iter().find(|(_, value)| value.is_some()) {
            Some((option, _)) if !variant.info().has_setup => {
                let others = Ruleset::ALL.iter().filter(|other| other.info().has_setup);
                let others: Vec<String> = others.map(|other| format!("`--variant {other}`")).collect();
                Err(Failure::Usage(format!(
                    "{option} does not apply to {variant}; it is for {}",
                    others.join(" or ")
                )))
            }
            _ => {
                let default = Setup::default();
                Ok(Setup {
                    pieces: self.pieces().unwrap_or(default.pieces),
                    turns: self.turns().unwrap_or(default.turns),
                })
            }
        }
    }

    /// Pieces a side, if given.
    pub(crate) fn pieces(&self) -> Option<u32> {
        self.pieces.map(|pieces| pieces.get() as u32)
    }

    /// The turn limit, if given.
    pub(crate) fn turns(&self) -> Option<u32> {
        self.turns.map(|turns| turns.get() as u32)
    }
}
