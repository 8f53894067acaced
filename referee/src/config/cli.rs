//! The command line, as clap definitions.
//!
//! A match option is declared once, in [`MatchArgs`]: clap reads it from the command
//! line, serde reads it from the file of `--config` and writes it for `--save-config`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use lodestone::game::{Setup, Variant};
use lodestone::personality;
use lodestone::protocol::Dialect;
use log::LevelFilter;
use serde::{Deserialize, Serialize};

use super::book::BookOption;
use super::cpus::Affinity;
use super::help;
use super::settings::{self, Settings};
use super::values::{KeyValues, Named, Positive, Threshold, Whole, one_or_many};
use crate::check::CHECKS as CHECKS_OF_A_BOT;
use crate::io::as_text::{self, Text};
use crate::openings::{MAX_PLIES, Window};
use crate::player::clock::parse_seconds;
use crate::process::SandboxLevel;
use crate::results::FactFields;
use crate::schedule::{Format, Shard};
use crate::templates::Template;
use crate::tuning::Parameter;

/// Runs matches and tournaments between programs, and games against you. Checks every
/// move by the rules of the game.
///
/// Without a command, a menu asks what to play by hand.
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version = lodestone::VERSION,
    args_conflicts_with_subcommands = true,
    propagate_version = true,
    subcommand_value_name = "COMMAND",
    after_help = "`referee COMMAND --help` explains a command. `--help` has examples.",
    after_long_help = long_help("")
)]
pub struct Cli {
    /// The subcommand; without one, the menu.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How the menu draws boards.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// How boards are drawn for a person.
#[derive(Args, Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct StyleArgs {
    /// When to use colours; `auto` obeys `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub color: ColorArg,

    /// Draw with plain ASCII only: X, O and -
    #[arg(long, help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub ascii: bool,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColorArg {
    /// On a terminal that supports them.
    #[default]
    Auto,
    /// On every output.
    Always,
    /// Nowhere.
    Never,
}

/// The least important messages in a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// Failures.
    Error,
    /// Also warnings.
    Warn,
    /// Also the beginning and the end of each game.
    #[default]
    Info,
    /// Also details about processes and files.
    Debug,
}

impl LogLevel {
    /// The messages that are written.
    #[must_use]
    pub const fn filter(self) -> LevelFilter {
        match self {
            LogLevel::Error => LevelFilter::Error,
            LogLevel::Warn => LevelFilter::Warn,
            LogLevel::Info => LevelFilter::Info,
            LogLevel::Debug => LevelFilter::Debug,
        }
    }
}

/// Whether an interval is this default.
#[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
fn is_interval<const DEFAULT: u64>(interval: &Whole<0, { u64::MAX }>) -> bool {
    interval.get() == DEFAULT
}

/// The format of the output of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputFormat {
    /// The lines of the referee.
    #[default]
    Referee,
    /// The lines of cutechess-cli.
    Cutechess,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a match or a tournament between engines
    Match(Box<MatchArgs>),
    /// Tune spin options of an engine by games against itself
    Tune(Box<TuneArgs>),
    /// Play by hand: against an engine, or two people
    Play(PlayArgs),
    /// Make a book of openings that an engine finds balanced
    Openings(Box<OpeningsArgs>),
    /// Show the results of the games in result files
    Report(ReportArgs),
    /// Estimate the time and the machines of a match from a few games
    Estimate(EstimateArgs),
    /// Look at one game, move by move
    Show(ShowArgs),
    /// Find the mistakes of finished games with an engine
    Analyze(Box<AnalyzeArgs>),
    /// Check whether a bot is fit to play
    Check(CheckArgs),
    /// Make a bot of a program that asks at a menu and prints a board
    Adapt(AdaptArgs),
    /// Write a bot to start from, in a folder of its own
    NewBot(NewBotArgs),
    /// Print the command here for one of fastchess, cutechess-cli or c-chess-cli
    #[command(after_help = SHORT_NOTE, after_long_help = long_help("from-fastchess"))]
    FromFastchess {
        /// The command, perhaps with the program as its first word
        #[arg(
            value_name = "WORDS",
            last = true,
            required = true,
            allow_hyphen_values = true
        )]
        words: Vec<String>,
    },
    /// Print a script that completes commands and options in a shell
    #[command(after_help = SHORT_NOTE, after_long_help = long_help("completions"))]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Write a man page for each command into a folder
    #[command(hide = true)]
    ManPages {
        /// The folder, such as ~/.local/share/man/man1
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
    /// Supervise an engine (the referee starts itself with this command)
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Launch,
    /// Become a sandboxed engine (the referee starts itself with this command)
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Confine,
    /// Run a built-in engine (the referee starts itself with this command)
    #[command(hide = true)]
    Builtin {
        /// The name of the engine
        name: String,
    },
}

// The headings of options in the help.
const TUNING: &str = "Tuning";
const PLAYERS: &str = "Players and their time";
const GAMES: &str = "Games";
const STOPPING: &str = "When to stop";
const MACHINE: &str = "Machine";
const RESULTS: &str = "Results";
const CONFIGURATION: &str = "Configuration files";
const DISPLAY: &str = "Display";
const TABLES: &str = "Tables";
const ANALYSIS: &str = "Analysis";
const CHECKS: &str = "What to check";
const SELECTION: &str = "Which openings to accept";
const FILES: &str = "Files";
const TRIAL: &str = "The trial";

/// Below the options of the short help.
const SHORT_NOTE: &str = "`--help` has details, examples and exit statuses.";

/// Below the options of the long help of a command.
fn long_help(command: &str) -> String {
    let notes = help::notes(command);
    notes.map_or_else(String::new, |notes| notes.render(help::width()))
}

/// Reads a game, and lists the games for completions.
fn game() -> Named<Variant> {
    Named::new(Variant::read, || {
        Variant::ALL.iter().map(|variant| variant.name()).collect()
    })
}

/// Reads the format of a tournament.
fn format() -> Named<Format> {
    Named::new(Format::read, || {
        Format::ALL.iter().map(|format| format.name()).collect()
    })
}

/// Takes any text as a player; completions offer the built-in players.
fn player() -> Named<String> {
    Named::new(
        |text| Ok(text.to_string()),
        || {
            let people = [settings::HUMAN].into_iter();
            people.chain(personality::all_names()).collect()
        },
    )
}

/// The options of `referee match`. The default is that of a command without options.
#[derive(Args, Debug, Deserialize, Serialize)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("match"))]
#[serde(default, rename_all = "kebab-case")]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct MatchArgs {
    /// Players: paths of programs, names of built-in players, or `human`
    ///
    /// Name two or more, or none for a match of built-in players.
    #[arg(value_name = "ENGINE", value_parser = player(), hide_possible_values = true)]
    #[serde(skip)]
    pub programs: Vec<String>,

    /// A player with settings, such as `cmd=./mybot st=1`; once for each player
    #[arg(long, value_name = "KEY=VALUE…", conflicts_with = "programs", help_heading = PLAYERS)]
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub engine: Vec<Settings>,

    /// Settings for all players, such as `st=1`; those of --engine have priority
    #[arg(long, value_name = "KEY=VALUE…", help_heading = PLAYERS)]
    pub each: Option<Settings>,

    /// More players, from a folder of submissions or a TOML file
    ///
    /// Each submission is a folder with an executable file `run`, or with a file `adapt.toml`
    /// for `referee adapt`. A TOML file has a table `[[engine]]` for each player.
    #[arg(long = "engines", value_name = "DIR|FILE.toml", value_hint = ValueHint::AnyPath, help_heading = PLAYERS)]
    #[serde(
        rename = "engines",
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub submissions: Vec<PathBuf>,

    /// The game to play
    #[arg(long, default_value_t, value_parser = game(), value_name = "NAME", help_heading = GAMES)]
    #[serde(with = "as_text")]
    pub variant: Variant,

    /// Who plays whom
    ///
    /// `round-robin`: all against all. `gauntlet`: the first player against all others.
    /// `swiss`: in rounds, players with similar points. `pyramid`: each player against all
    /// players named before it, in this order. `knockout`: in rounds, the loser of each pairing is
    /// out; a level pairing plays up to three more pairs of games.
    #[arg(long, default_value_t, value_parser = format(), value_name = "FORMAT", help_heading = GAMES)]
    #[serde(with = "as_text")]
    pub format: Format,

    /// Rounds of a Swiss tournament (default: log₂ of the number of players, rounded up)
    #[arg(long, value_name = "R", help_heading = GAMES)]
    pub rounds: Option<Positive>,

    /// Games of each pairing; two games in a row have the same opening, with colours swapped
    #[arg(long, default_value = "2", value_name = "N", help_heading = GAMES)]
    pub games: Positive,

    /// Players that meet all others in a gauntlet, but not each other (default: 1)
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub seeds: Option<Positive>,

    /// Play each opening once; the first player of a pairing always moves first
    #[arg(long, help_heading = GAMES)]
    #[serde(skip_serializing_if = "is_default")]
    pub no_swap: bool,

    /// Swap the colours of all games
    #[arg(long, help_heading = GAMES)]
    #[serde(skip_serializing_if = "is_default")]
    pub reverse: bool,

    /// First moves of each pair of games: `random:PLIES`, or the file of a book
    ///
    /// A book is a text file, or PGN of this program. Behind it may stand `order=random` or
    /// `order=sequential` (the default), `start=N` (begin with opening N, 1 by default) and
    /// `plies=N` (play at most N moves of each opening, 1 to 1000). The seed decides a random
    /// order.
    #[arg(long, value_name = "SOURCE [KEY=VALUE…]", value_hint = ValueHint::FilePath, help_heading = GAMES)]
    pub openings: Option<BookOption>,

    /// Pieces and turns.
    #[command(flatten)]
    #[serde(flatten, skip_deserializing)]
    pub setup: SetupArgs,

    /// Seed of random openings and placements
    #[arg(long, default_value = "1", value_name = "S", help_heading = GAMES)]
    pub seed: Whole<0, { u64::MAX }>,

    /// Play only part K of N of the games, K from 0 to N−1
    ///
    /// With this option, several computers can share a match. `referee report` combines
    /// their files.
    #[arg(long, value_name = "K/N", help_heading = GAMES)]
    #[serde(with = "as_text::optional")]
    pub shard: Option<Shard>,

    /// Stop a Swiss tournament after this round
    ///
    /// The shards of a Swiss tournament play one round at a time: first all of round 1, then all of
    /// round 2 with the files of round 1 as `--previous`, and so on.
    #[arg(long, value_name = "R", help_heading = GAMES)]
    pub round: Option<Positive>,

    /// A file of the rounds before `--round`, or a folder with the files *.jsonl of all shards; may be
    /// repeated
    ///
    /// Their results pair the round.
    #[arg(long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath, help_heading = GAMES)]
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PathBuf>,

    /// Stop when a sequential test has decided, such as `elo0=0 elo1=5`
    ///
    /// The keys are elo0, elo1, alpha, beta (both 0.05 by default) and model (normalized,
    /// logistic or bayesian). The test chooses between two hypotheses: the first player is
    /// stronger than the second by elo0, or by elo1.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub sprt: Option<KeyValues>,

    /// End a game as a draw when both players find it even, such as
    /// `movenumber=20 movecount=4 score=10`
    ///
    /// At least `movenumber` full moves were played, and both players' last `movecount`
    /// scores are at most `score` centipawns from 0, as in cutechess. A proven draw counts
    /// as 0, a proven win or loss as beyond any score.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub draw: Option<KeyValues>,

    /// End a game as lost for a player that finds it lost, such as
    /// `movecount=3 score=600`
    ///
    /// The player's last `movecount` scores are at most −`score` centipawns, as in cutechess.
    /// With `twosided=true`, the opponent's last `movecount` scores must be at least `score`.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub resign: Option<KeyValues>,

    /// End a game when a solver proves its result, such as `--prove` or
    /// `--prove empty=30`
    ///
    /// The solver is asked after each move with at most `empty` (34) empty cells, or turns in
    /// Gridlock, while no clock runs. `nodes` (100000) limits each proof. `st` is a limit in
    /// seconds instead; with it, the machine decides which games end early. `result` is
    /// `both` (the default), `win` or `draw`: which results end a game.
    #[arg(long, value_name = "KEY=VALUE…", num_args = 0..=1, default_missing_value = "", help_heading = STOPPING)]
    pub prove: Option<KeyValues>,

    /// Check every `win N`, `loss N` and `draw 0` that an engine reports, and its lines of
    /// play
    ///
    /// The table counts the claims of each player that are right, wrong and unverified. A
    /// solver proves or refutes them while no clock runs.
    #[arg(long, help_heading = RESULTS)]
    #[serde(skip_serializing_if = "is_default")]
    pub check_claims: bool,

    /// Forfeit the rest of a pairing after K games in a row that one player lost by
    /// faults (default: never)
    #[arg(long, value_name = "K", help_heading = STOPPING)]
    pub forfeit_after: Option<Positive>,

    /// At the first Ctrl-C, play the running games to their ends; a second one drops them
    #[arg(long, help_heading = STOPPING)]
    #[serde(skip_serializing_if = "is_default")]
    pub finish_games: bool,

    /// Play without the engines that do not start before the first game
    #[arg(long, help_heading = PLAYERS)]
    #[serde(skip_serializing_if = "is_default")]
    pub skip_broken: bool,

    /// Stop the match at the first warning about an engine, with status 1
    ///
    /// Warnings are a game lost by a fault, lines out of turn, wrong or missing answers to
    /// queries, and an exit between two games.
    #[arg(long, help_heading = STOPPING)]
    #[serde(skip_serializing_if = "is_default")]
    pub strict: bool,

    /// Let engines that offer the option `Ponder` think in the opponent's time
    #[arg(long, help_heading = PLAYERS)]
    #[serde(skip_serializing_if = "is_default")]
    pub ponder: bool,

    /// Games that run at the same time
    #[arg(long, default_value = "1", value_name = "C", help_heading = MACHINE)]
    pub concurrency: Whole<1, MAX_SLOTS>,

    /// Milliseconds to wait between two games, 0 to 86400000
    #[arg(long, default_value = "0", value_name = "MS", help_heading = MACHINE)]
    #[serde(skip_serializing_if = "is_no_wait")]
    pub wait: Whole<0, LONGEST_WAIT>,

    /// Pin each running game to a core of its own: any, or one of these, such as 3,5,7-11
    ///
    /// Cores have numbers from 0 to 1023.
    #[arg(
        long,
        value_name = "CORES",
        num_args = 0..=1,
        require_equals = true,
        default_value_t,
        default_missing_value = "true",
        hide_default_value = true,
        help_heading = MACHINE
    )]
    #[serde(skip_serializing_if = "is_default")]
    pub affinity: Affinity,

    /// Memory limit of an engine, in megabytes; Linux only
    ///
    /// Counted are the resident pages of the engine and its child processes, without file
    /// pages. A megabyte has 1048576 bytes. An engine that exceeds the limit loses the game.
    #[arg(long, value_name = "MB", help_heading = MACHINE)]
    pub memory: Option<Positive>,

    /// Process limit of an engine, itself included; Linux only
    #[arg(long, value_name = "N", help_heading = MACHINE)]
    pub max_processes: Option<Positive>,

    /// Run engines in a sandbox: `on`, or `strict` for a root folder, process list and network of
    /// their own; Linux only
    ///
    /// Each engine can read its own folder, write in a private folder that is deleted at the end, and
    /// use no network. `sandbox=on|strict|off` sets it for one engine.
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on",
        help_heading = MACHINE
    )]
    #[serde(with = "as_text::optional")]
    pub sandbox: Option<SandboxLevel>,

    /// A folder that sandboxed engines may read, too; repeatable
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = MACHINE)]
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub sandbox_read: Vec<PathBuf>,

    /// Save the games in this file; the same command resumes a match that was stopped
    ///
    /// Each game is one line of JSON. `referee report` reads the file.
    #[arg(long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Also record these facts of each move, such as `depth,nodes`, or `all`
    ///
    /// The fields are depth, seldepth, nodes, nps, hashfull, latency (measured minus reported
    /// time), timeleft and pv. They stand in the records of --out, the events of --json and the
    /// comments of --pgn. `referee report` shows their means.
    #[arg(long, value_name = "FIELD,…", help_heading = RESULTS)]
    #[serde(with = "as_text::optional")]
    pub record: Option<FactFields>,

    /// Write the games as PGN to a new file
    ///
    /// With --out, the file is written at the end. Otherwise each game is written as it
    /// ends.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub pgn: Option<PathBuf>,

    /// Name of the event in PGN
    #[arg(long, value_name = "NAME", help_heading = RESULTS)]
    pub event: Option<String>,

    /// Place of the event in PGN
    #[arg(long, value_name = "NAME", help_heading = RESULTS)]
    pub site: Option<String>,

    /// Folder for transcripts of games lost by a fault (default with `--out
    /// GAMES.jsonl`: GAMES.faults)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESULTS)]
    pub faults: Option<PathBuf>,

    /// Page of the match (HTML), rewritten every few seconds
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub html: Option<PathBuf>,

    /// Append a log of the match to this file, compressed if it ends in .gz
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub log: Option<PathBuf>,

    /// The least important messages in the log
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = RESULTS)]
    #[serde(skip_serializing_if = "is_default")]
    pub log_level: LogLevel,

    /// Also log every line to and from every engine
    #[arg(long, help_heading = RESULTS)]
    #[serde(skip_serializing_if = "is_default")]
    pub log_engines: bool,

    /// Read options from this file; the command line overrides it
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = CONFIGURATION)]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// Write the options to this new file, for --config
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = CONFIGURATION)]
    #[serde(skip)]
    pub save_config: Option<PathBuf>,

    /// Show the board after each move (default for at most two games, one at a time)
    #[arg(long, help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub board: bool,

    /// Show only the summary at the end, and the progress on a terminal
    #[arg(long, conflicts_with = "board", help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub quiet: bool,

    /// Write events for other programs, one line of JSON each
    #[arg(long, conflicts_with_all = ["board", "quiet"], help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub json: bool,

    /// The format of the lines: ours, or that of cutechess-cli, for scripts that read it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub output: OutputFormat,

    /// Games between two lines `Score of …` of --output cutechess; 0 for none
    #[arg(long, default_value = "1", value_name = "N", help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_interval::<1>")]
    pub score_interval: Whole<0, { u64::MAX }>,

    /// Games between two lines with the rating, where the output is no terminal; 0 for none
    #[arg(long, default_value = "10", value_name = "N", help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_interval::<10>")]
    pub rating_interval: Whole<0, { u64::MAX }>,

    /// How boards are drawn.
    #[command(flatten)]
    #[serde(flatten, skip_deserializing)]
    pub style: StyleArgs,
}

impl Default for MatchArgs {
    fn default() -> MatchArgs {
        #[derive(Parser)]
        struct NoOptions {
            #[command(flatten)]
            args: MatchArgs,
        }
        NoOptions::parse_from(["match"]).args
    }
}

/// The options of `referee tune`: its own, and those of a match that apply.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("tune"), mut_args = only_for_tuning)]
pub struct TuneArgs {
    /// A spin option to tune, such as `Margin=60,0,300,10`; once for each option
    ///
    /// `START` is the first value, and all values tried are from `MIN` to `MAX`. `C_END` is the
    /// perturbation at the last iteration: the games compare values that differ by twice as
    /// much. Choose it so that such a change costs a few Elo. `R_END` (0.002) is the learning
    /// rate at the last iteration. Both are those of fishtest.
    #[arg(
        long = "param",
        required = true,
        value_name = "NAME=START,MIN,MAX,C_END[,R_END]",
        help_heading = TUNING
    )]
    pub parameters: Vec<Parameter>,

    /// Iterations, 1 to 10000000: pairs of games with the same opening and colours swapped
    #[arg(long, default_value = "10000", value_name = "N", help_heading = TUNING)]
    pub iterations: Whole<1, 10_000_000>,

    /// Iterations that begin with the same values, 1 to 1000
    ///
    /// Their games can be played at the same time: `--concurrency 8` needs at least `--batch 4`.
    #[arg(long, default_value = "1", value_name = "N", help_heading = TUNING)]
    pub batch: Whole<1, 1000>,

    /// Exponent of the steps, greater than 0 and at most 1 (Spall's α)
    #[arg(long, default_value = "0.602", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub alpha: f64,

    /// Exponent of the perturbations, greater than 0 and at most 1 (Spall's γ)
    #[arg(long, default_value = "0.101", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub gamma: f64,

    /// Spall's stability constant A as a share of the iterations, greater than 0 and at most 1
    #[arg(long, default_value = "0.1", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub a_ratio: f64,

    /// The options of a match. Those that are not [`FOR_TUNING`] have their defaults.
    #[command(flatten)]
    pub game: MatchArgs,

    /// Write a plot of the values over the iterations to this SVG file
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
}

/// The options that `referee tune` takes: its own, and those of a match that apply to it.
pub const FOR_TUNING: [&str; 37] = [
    "parameters",
    "iterations",
    "batch",
    "alpha",
    "gamma",
    "a_ratio",
    "plot",
    "programs",
    "engine",
    "each",
    "variant",
    "openings",
    "pieces",
    "turns",
    "seed",
    "draw",
    "resign",
    "prove",
    "finish_games",
    "strict",
    "concurrency",
    "affinity",
    "memory",
    "max_processes",
    "out",
    "record",
    "pgn",
    "event",
    "site",
    "faults",
    "log",
    "log_level",
    "log_engines",
    "quiet",
    "json",
    "rating_interval",
    "help",
];

/// Hides the options of a match that `referee tune` does not take, and describes those of
/// players as options of the engine.
fn only_for_tuning(option: Arg) -> Arg {
    let id = option.get_id().as_str();
    let is_own = FOR_TUNING.contains(&id);
    let help = match id {
        "programs" => "The engine: the path of a program, or the name of a built-in player",
        "engine" => "The engine with settings, such as `cmd=./mybot st=1`",
        "each" => "Settings of the engine, such as `st=1`; those of --engine have priority",
        "out" => "Save the games in this file; the same command resumes a tuning that was stopped",
        _ => return option.hide(!is_own),
    };
    option.help(help).long_help(help)
}

fn exponent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| *number > 0.0 && *number <= 1.0)
        .ok_or_else(|| "expected a number greater than 0 and at most 1".into())
}

/// The options of `referee openings`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("openings"))]
pub struct OpeningsArgs {
    /// The game
    #[arg(long, default_value_t, value_parser = game(), value_name = "NAME", help_heading = GAMES)]
    pub variant: Variant,

    /// Openings in the book, 1 to 100000
    #[arg(long, default_value = "100", value_name = "N", help_heading = GAMES)]
    pub count: Whole<1, 100_000>,

    /// Random moves of each opening, 0 to 1000
    #[arg(long, default_value = "4", value_name = "P", help_heading = GAMES)]
    pub plies: Whole<0, { MAX_PLIES as u64 }>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Seed of the random openings
    #[arg(long, default_value_t = 1, value_name = "S", help_heading = GAMES)]
    pub seed: u64,

    /// The engine that scores the openings
    ///
    /// By default it is `cmd=lodestone`, with `nodes=20000` if neither time, depth nor nodes
    /// are given.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = SELECTION)]
    pub engine: Option<Settings>,

    /// Accepted scores of the first player: LOW..HIGH, or CP for -CP..CP, in centipawns
    #[arg(long, default_value = "100", allow_hyphen_values = true, value_name = "CP", help_heading = SELECTION)]
    pub window: Window,

    /// Write the book to this new file (default: standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,
}

/// The options of `referee report`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("report"))]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct ReportArgs {
    /// Result files of one match, such as its shards, or of several matches
    #[arg(value_name = "FILE.jsonl", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Folder of the transcripts of games lost by a fault (default: beside the files)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = FILES)]
    pub faults: Option<PathBuf>,

    /// Write all games to this file as PGN
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub pgn: Option<PathBuf>,

    /// Write a page to look at: tables, charts and all games to step through
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub html: Option<PathBuf>,

    /// Leave out of the page what the engines wrote in games lost by a fault
    #[arg(long, requires = "html", help_heading = FILES)]
    pub no_transcripts: bool,

    /// Write the numbers for other programs, one line of JSON for each match
    #[arg(long, help_heading = TABLES)]
    pub json: bool,

    /// Write the table for spreadsheets, one line of comma-separated values for each player
    #[arg(long, conflicts_with = "json", help_heading = TABLES)]
    pub csv: bool,

    /// Show the points of each player against each other, for any number of players
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = TABLES)]
    pub crosstable: bool,

    /// Show the times that each player needed for a move
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = TABLES)]
    pub times: bool,

    /// Show a line for each pairing of two players
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = TABLES)]
    pub head_to_head: bool,

    /// Print only what a sequential test decides, such as `elo0=0 elo1=5`
    ///
    /// For a match that was played without --sprt, such as one in shards; with the same keys. The test takes the pairs of games in the order of the schedule, up to the first
    /// unfinished one, so it decides as a match with --sprt does. Exit status 0: decided; 10:
    /// not yet.
    #[arg(
        long,
        value_name = "KEY=VALUE…",
        conflicts_with_all = ["csv", "crosstable", "times", "head_to_head", "pgn", "html", "faults"],
        help_heading = TABLES
    )]
    pub sprt_decide: Option<KeyValues>,
}

/// The options of `referee estimate`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("estimate"))]
pub struct EstimateArgs {
    /// The options of `referee match` for the whole match, without `--shard`
    #[arg(
        value_name = "OPTIONS OF MATCH",
        last = true,
        required_unless_present = "from",
        allow_hyphen_values = true
    )]
    pub words: Vec<String>,

    /// Games of the trial, 2 to 10000
    #[arg(long, default_value = "16", value_name = "N", help_heading = TRIAL)]
    pub trial: Whole<2, 10_000>,

    /// Play no trial: take the games that this result file has
    #[arg(long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, conflicts_with_all = ["words", "trial"], help_heading = TRIAL)]
    pub from: Option<PathBuf>,

    /// Hours within which the match is to end, such as 0.5
    #[arg(long, default_value_t = 1.0, value_parser = hours, value_name = "H", help_heading = MACHINE)]
    pub hours: f64,

    /// Games at a time in each shard, 1 to 1024 (default: the --concurrency of the match)
    #[arg(long, value_name = "C", help_heading = MACHINE)]
    pub slots: Option<Whole<1, MAX_SLOTS>>,

    /// Write the numbers for other programs, one line of JSON
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,
}

/// Reads a number of hours.
fn hours(text: &str) -> Result<f64, String> {
    let hours = text.parse().ok().filter(|hours| (0.001..=8760.0).contains(hours));
    hours.ok_or_else(|| "expected hours from 0.001 to 8760".to_string())
}

/// The options of `referee show`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("show"))]
pub struct ShowArgs {
    /// A result file, a PGN file of the referee, a transcript or a saved game
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Number of the game in the file (default: the only game, or a list of all games)
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub game: Option<Positive>,

    /// How boards are drawn.
    #[command(flatten, next_help_heading = DISPLAY)]
    pub style: StyleArgs,
}

/// The options of `referee analyze`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("analyze"))]
pub struct AnalyzeArgs {
    /// Result files, or other files that `referee show` reads
    #[arg(value_name = "FILE.jsonl", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Number of one game to analyse, with a table of its moves (default: all games)
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub game: Option<Positive>,

    /// Seconds for each position (default: 0.5, without depth and nodes in --engine)
    #[arg(long, value_parser = parse_seconds, value_name = "S", help_heading = ANALYSIS)]
    pub st: Option<Duration>,

    /// The engine, such as `nodes=100000` or `cmd=./mybot st=1` (default: lodestone)
    ///
    /// A limit of nodes or depth gives the same analysis on every machine.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = ANALYSIS)]
    pub engine: Option<Settings>,

    /// Least loss of a mistake in expected points, 0.001 to 1
    #[arg(long, default_value_t, value_name = "POINTS", help_heading = ANALYSIS)]
    pub threshold: Threshold,

    /// Games at a time, 1 to 1024
    #[arg(long, default_value = "1", value_name = "C", help_heading = MACHINE)]
    pub concurrency: Whole<1, MAX_SLOTS>,

    /// Write the games with their analysis to this file; the same command resumes it
    #[arg(long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Write the analysis for other programs, one line of JSON for each game
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,
}

/// The options of `referee check`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("check"))]
pub struct CheckArgs {
    /// The bot: the path of a program, a folder with a file `run`, or the name of a built-in player;
    /// then its arguments
    #[arg(value_name = "CMD", value_parser = player(), hide_possible_values = true, required = true, trailing_var_arg = true)]
    pub command: Vec<String>,

    /// The game
    #[arg(long, default_value_t, value_parser = game(), value_name = "NAME", help_heading = CHECKS)]
    pub variant: Variant,

    /// The protocol of the bot: uci or ugi (default: uci)
    #[arg(long, value_parser = dialect(), value_name = "NAME", help_heading = CHECKS)]
    pub proto: Option<Dialect>,

    /// Run only this check; may be repeated
    #[arg(long, value_name = "CHECK", value_parser = check(), hide_possible_values = true, help_heading = CHECKS)]
    pub only: Vec<String>,

    /// Write the results for other programs, one line of JSON for each check
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,
}

/// Reads a dialect, and lists them for completions.
fn dialect() -> Named<Dialect> {
    Named::new(
        |name| Dialect::from_name(name).ok_or_else(|| "expected `uci` or `ugi`".to_string()),
        || Dialect::ALL.map(Dialect::name).to_vec(),
    )
}

/// Takes any text as a check; completions offer the checks.
fn check() -> Named<String> {
    Named::new(
        |text| Ok(text.to_string()),
        || CHECKS_OF_A_BOT.iter().map(|check| check.info.name).collect(),
    )
}

/// The options of `referee adapt`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("adapt"))]
pub struct AdaptArgs {
    /// The file that describes the program
    #[arg(value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// Play two games against random moves, and show the dialogue with the program
    #[arg(long = "try", help_heading = GAMES)]
    pub trial: bool,
}

/// The options of `referee new-bot`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("new-bot"))]
pub struct NewBotArgs {
    /// The programming language: c, cpp, java, javascript, python or rust
    #[arg(value_name = "LANGUAGE", value_parser = language(), hide_possible_values = true)]
    pub language: &'static Template,

    /// The new folder
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// Reads a programming language, and lists them for completions.
fn language() -> Named<&'static Template> {
    Named::new(Template::read, Template::names)
}

/// How a game of Gridlock is set up.
#[derive(Args, Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SetupArgs {
    /// Gridlock: pieces a side, 1 to 24
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pieces: Option<Whole<1, { Setup::MAX_PIECES as u64 }>>,

    /// Gridlock: turn limit, 1 to 1000
    #[arg(long, value_name = "T", help_heading = GAMES)]
    turns: Option<Whole<1, { Setup::MAX_TURNS as u64 }>>,
}

impl SetupArgs {
    /// Pieces a side, if given.
    pub fn pieces(&self) -> Option<u32> {
        self.pieces.map(|pieces| pieces.get() as u32)
    }

    /// The turn limit, if given.
    pub fn turns(&self) -> Option<u32> {
        self.turns.map(|turns| turns.get() as u32)
    }
}

/// The options of `referee play`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("play"))]
pub struct PlayArgs {
    /// The game to play
    #[arg(long, default_value_t, value_parser = game(), value_name = "NAME", help_heading = GAMES)]
    pub variant: Variant,

    /// Who moves first: `human`, a built-in player or the path of a program (default: asks)
    #[arg(long, value_name = "WHO", value_parser = player(), hide_possible_values = true, help_heading = PLAYERS)]
    pub first: Option<String>,

    /// Who moves second, likewise
    #[arg(long, value_name = "WHO", value_parser = player(), hide_possible_values = true, help_heading = PLAYERS)]
    pub second: Option<String>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Seconds for each move of an engine
    #[arg(long, default_value = "3", value_parser = parse_seconds, value_name = "S", help_heading = PLAYERS)]
    pub st: Duration,

    /// Gridlock: seed of the placement of the pieces (default: random)
    #[arg(long, value_name = "S", help_heading = GAMES)]
    pub seed: Option<u64>,

    /// How boards are drawn.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The longest wait between two games, in milliseconds: a day.
const LONGEST_WAIT: u64 = 24 * 60 * 60 * 1000;

#[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
const fn is_no_wait(wait: &Whole<0, LONGEST_WAIT>) -> bool {
    wait.get() == 0
}

/// The most games at a time, more than any machine has cores.
const MAX_SLOTS: u64 = 1024;

/// The command line without internal commands, for completions and man pages.
pub fn visible_command() -> clap::Command {
    let command = Cli::command();
    let subcommands = command.get_subcommands().filter(|command| !command.is_hide_set());
    let visible = clap::Command::new("referee")
        .version(lodestone::VERSION)
        .propagate_version(true)
        .args_conflicts_with_subcommands(true)
        .args(command.get_arguments())
        .subcommands(subcommands);
    match command.get_long_about() {
        Some(about) => visible.about(about.clone()),
        None => visible,
    }
}
