//! The options of the commands for one bot or one game by hand.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use referee_core::game::Ruleset;
use referee_core::game::clock::parse_seconds;
use referee_core::io::as_text::Text;
use referee_core::player::Protocol;

use super::shared::{
    CHECKS, DISPLAY, FILES, GAMES, GameArgs, MAX_SLOTS, PLAYERS, RESOURCES, RulesArg, SandboxArgs, SetupArgs,
    StyleArgs, WrapperArgs, player, setup_games,
};
use crate::bots::check::CHECKS as CHECKS_OF_A_BOT;
use crate::bots::templates::{RulesLanguage, Template};
use crate::config::rules_settings::CHESS_RULES;
use crate::config::settings::Settings;
use crate::config::values::{NameParser, Positive, WholeNumber};
use crate::config::with_keys::{self, BookOption};

/// The options of `referee check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Bot to check, then its arguments; or a folder of submissions
    ///
    /// The bot is the path of a program, a folder with a file `run`, or the name of a built-in player.
    /// In a folder of submissions, all of them are checked.
    #[arg(value_name = "CMD", value_parser = player(), hide_possible_values = true, required = true, trailing_var_arg = true)]
    pub command: Vec<String>,

    /// The game.
    #[command(flatten)]
    pub game: GameArgs,

    /// Start all test games as those of a match: `random:PLIES`, or the path of a book
    ///
    /// The value and its keys are those of `referee match --openings`.
    #[arg(long, value_parser = with_keys::parse::<BookOption>, value_name = "SOURCE [KEY=VALUE…]", value_hint = ValueHint::FilePath, help_heading = GAMES)]
    pub openings: Option<BookOption>,

    /// Use this protocol (default: uci)
    #[arg(long, value_parser = protocol(), value_name = "NAME", help_heading = CHECKS)]
    pub proto: Option<Protocol>,

    /// What starts submissions.
    #[command(flatten)]
    pub wrapper: WrapperArgs,

    /// What the bot may do.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// Allow this time per move, as in your match (`st=2`); failures at shorter limits become warnings
    ///
    /// Other settings of a player may follow.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = CHECKS)]
    pub each: Option<Settings>,

    /// Run only this check; repeatable
    #[arg(long, value_name = "CHECK", value_parser = check(), hide_possible_values = true, help_heading = CHECKS)]
    pub only: Vec<String>,

    /// Check up to C submissions of a folder at the same time (default: half of the processors)
    #[arg(short = 'j', long, value_name = "C", help_heading = RESOURCES)]
    pub concurrency: Option<WholeNumber<1, MAX_SLOTS>>,

    /// Write a report on each submission of a folder to DIR/NAME.txt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = DISPLAY)]
    pub out: Option<PathBuf>,

    /// Print one JSON object for each check, or for each submission of a folder
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,
}

impl CheckArgs {
    /// An option that only applies to a folder of submissions.
    pub(crate) fn option_for_folders(&self) -> Option<&'static str> {
        let out = self.out.as_ref().map(|_| "--out");
        out.or(self.concurrency.as_ref().map(|_| "--concurrency"))
    }
}

/// The options of `referee rules`.
#[derive(Args, Debug)]
pub struct RulesArgs {
    /// Rules program, or two to compare
    ///
    /// A path, a program in PATH, `chess`, a built-in game, or settings such as cmd=python3 args=nim.py.
    #[arg(value_name = "PROGRAM", value_parser = rules(), hide_possible_values = true, required = true)]
    pub programs: Vec<String>,

    /// Play N random games
    #[arg(long, default_value = "100", value_name = "N", help_heading = GAMES)]
    pub games: Positive,

    /// Choose random moves with this seed
    #[arg(long, default_value_t = 1, value_name = "S", help_heading = GAMES)]
    pub seed: u64,

    /// Stop each game after N moves
    #[arg(long, default_value = "2000", value_name = "N", help_heading = GAMES)]
    pub max_plies: Positive,
}

/// Takes any text as a rules program; completions offer the games with a name.
fn rules() -> NameParser<String> {
    NameParser::any(|| [Ruleset::names(), vec![CHESS_RULES]].concat())
}

/// Reads a protocol, and lists them for completions.
fn protocol() -> NameParser<Protocol> {
    NameParser::new(Text::read, || Protocol::ALL.map(Protocol::name).to_vec())
}

/// Takes any text as a check; completions offer the checks.
fn check() -> NameParser<String> {
    NameParser::any(|| CHECKS_OF_A_BOT.iter().map(|check| check.info.name).collect())
}

/// The options of `referee adapt`.
#[derive(Args, Debug)]
pub struct AdaptArgs {
    /// File that describes the program
    #[arg(value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// The rules of another game.
    #[command(flatten)]
    pub rules: RulesArg,

    /// Play a game against random moves as each player, and print the dialogue with the program
    #[arg(long = "try", help_heading = GAMES)]
    pub trial: bool,

    /// What the program may do.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// Limit the memory in a sandbox, in megabytes (default: 2048)
    #[arg(long, value_name = "MB", help_heading = RESOURCES)]
    pub memory: Option<Positive>,

    /// Limit the processes in a sandbox, the program included (default: 64)
    #[arg(long, value_name = "N", help_heading = RESOURCES)]
    pub max_processes: Option<Positive>,

    /// Limit the CPU time of a game in a sandbox, in seconds (default: 86400)
    #[arg(long, value_name = "SECONDS", help_heading = RESOURCES)]
    pub cpu_time: Option<Positive>,
}

/// The options of `referee bridge`, which the referee writes.
#[derive(Args, Debug)]
pub struct BridgeArgs {
    /// Protocol of the engine
    #[arg(value_parser = protocol(), hide_possible_values = true)]
    pub protocol: Protocol,

    /// Names of the columns in the rules, from left to right
    #[arg(long, default_value = "")]
    pub columns: String,

    /// Names of the rows, from the top
    #[arg(long, default_value = "")]
    pub rows: String,

    /// A move of the start position
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    pub sample: String,

    /// Limits of the player, as settings
    #[arg(long, default_value = "")]
    pub limits: String,

    /// The engine and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub engine: Vec<String>,
}

/// The options of `referee new-bot`.
#[derive(Args, Debug)]
pub struct NewBotArgs {
    /// Programming language: c, cpp, java, javascript, python or rust
    #[arg(value_name = "LANGUAGE", value_parser = language(), hide_possible_values = true)]
    pub language: &'static Template,

    /// New folder for the bot
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// Write a bot for the game of this rules program, such as ./nim.py
    ///
    /// A bot in Python contains a copy of the rules, which must use the package `referee`. Any other
    /// bot contains only the protocol. Settings such as args=WORDS may follow, as for `referee rules`.
    #[arg(long, value_name = "PROGRAM [KEY=VALUE…]", value_hint = ValueHint::FilePath, help_heading = GAMES)]
    pub rules: Option<String>,

    /// Write a bot in Python that is a single file and needs no package
    ///
    /// Bots in other languages are single files anyway.
    #[arg(long, help_heading = FILES)]
    pub single_file: bool,
}

/// The options of `referee new-rules`.
#[derive(Args, Debug)]
pub struct NewRulesArgs {
    /// New folder for the game
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// Write the rules in this language: python or rust
    #[arg(long, value_name = "LANGUAGE", value_parser = rules_language(), hide_possible_values = true, default_value = "python", hide_default_value = true, help_heading = FILES)]
    pub language: RulesLanguage,
}

/// Reads a programming language of rules, and lists them for completions.
fn rules_language() -> NameParser<RulesLanguage> {
    NameParser::new(RulesLanguage::read, || RulesLanguage::NAMES.to_vec())
}

/// Reads a programming language, and lists them for completions.
fn language() -> NameParser<&'static Template> {
    NameParser::new(Template::read, Template::names)
}

/// The options of `referee play`.
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// The game.
    #[command(flatten)]
    pub game: GameArgs,

    /// Let WHO move first: `human`, a built-in player or a program (default: ask)
    ///
    /// A program may have the settings of `referee match`, such as `cmd=./mybot args='-v'`.
    #[arg(long, value_name = "WHO", value_parser = player(), hide_possible_values = true, help_heading = PLAYERS)]
    pub first: Option<String>,

    /// Let WHO move second (default: ask)
    #[arg(long, value_name = "WHO", value_parser = player(), hide_possible_values = true, help_heading = PLAYERS)]
    pub second: Option<String>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Give programs S seconds for each move
    #[arg(long, default_value = "3", value_parser = parse_seconds, value_name = "S", help_heading = PLAYERS)]
    pub st: Duration,

    /// What programs may do.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// The seed of the placement.
    #[arg(long, help = format!("Set the seed of the placement in {} (default: random)", setup_games()), value_name = "S", help_heading = GAMES)]
    pub seed: Option<u64>,

    /// How boards are drawn.
    #[command(flatten)]
    pub style: StyleArgs,
}
