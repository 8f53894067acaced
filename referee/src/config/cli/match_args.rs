//! The options of `referee match` and `referee tune`.

use std::path::PathBuf;

use clap::{Arg, Args, ValueEnum, ValueHint};
use lodestone::game::Variant;

use super::shared::{
    CONFIGURATION, DISPLAY, GAMES, MACHINE, MAX_SLOTS, PLAYERS, RESULTS, SHORT_NOTE, STOPPING, SetupArgs,
    StyleArgs, TUNING, game, long_help, player,
};
use crate::config::settings::Settings;
use crate::config::values::Affinity;
use crate::config::values::{Named, Positive, Whole};
use crate::config::with_keys::{self, BookOption, FormatOption, LogOption, PgnOption};
use crate::game::adjudication::{DrawRule, ProveRule, ResignRule};
use crate::process::SandboxLevel;
use crate::results::FactFields;
use crate::results::tuning::Parameter;
use crate::schedule::{Format, Shard};
use crate::statistics::Sprt;

/// The format of the output of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// The lines of the referee.
    #[default]
    Referee,
    /// The lines of cutechess-cli.
    Cutechess,
}

/// Reads the format of a tournament.
fn format() -> Named<FormatOption> {
    Named::new(with_keys::parse, || {
        Format::ALL.iter().map(|format| format.name()).collect()
    })
}

/// The options that a match and a tuning share.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct RunArgs {
    /// Players: paths of programs, names of built-in players, or `human`
    ///
    /// Name two or more, or none for a match of built-in players.
    #[arg(value_name = "ENGINE", value_parser = player(), hide_possible_values = true)]
    pub programs: Vec<String>,

    /// A player with settings, such as `cmd=./mybot st=1`; repeatable
    #[arg(long, value_name = "KEY=VALUE…", conflicts_with = "programs", help_heading = PLAYERS)]
    pub engine: Vec<Settings>,

    /// Settings for all players, such as `st=1`
    ///
    /// Those of --engine have priority.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = PLAYERS)]
    pub each: Option<Settings>,

    /// The game: `magnetic-cave` (the default) or `gridlock`
    #[arg(long, default_value_t, value_parser = game(), hide_possible_values = true, hide_default_value = true, value_name = "NAME", help_heading = GAMES)]
    pub variant: Variant,

    /// First moves of each pair of games: `random:PLIES` or a book
    ///
    /// A book is a text file, or PGN of this program. Behind it may stand `order=random` or
    /// `order=sequential` (the default), `start=N` (begin with opening N, 1 by default) and
    /// `plies=N` (play at most N moves of each opening, 1 to 1000). The seed decides a random
    /// order.
    #[arg(long, value_parser = with_keys::parse::<BookOption>, value_name = "SOURCE [KEY=VALUE…]", value_hint = ValueHint::FilePath, help_heading = GAMES)]
    pub openings: Option<BookOption>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Seed of random openings and placements
    #[arg(long, default_value = "1", value_name = "S", help_heading = GAMES)]
    pub seed: Whole<0, { u64::MAX }>,

    /// Draw rule, such as `movenumber=20 movecount=4 score=10`
    ///
    /// A game is drawn when both players find it even: at least `movenumber` full moves were played,
    /// and both players' last `movecount` scores are at most `score` centipawns from 0, as in
    /// cutechess. A proven draw counts as 0, a proven win or loss as beyond any score.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub draw: Option<DrawRule>,

    /// Resign rule, such as `movecount=3 score=600`
    ///
    /// A player loses when it finds its position lost: its last `movecount` scores are at most
    /// −`score` centipawns, as in cutechess. With `twosided=true`, the opponent's last `movecount`
    /// scores must be at least `score`.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub resign: Option<ResignRule>,

    /// End a game when a solver proves its result, such as `--prove` or
    /// `--prove empty=30`
    ///
    /// The solver is asked after each move with at most `empty` (34) empty cells, or turns in
    /// Gridlock, while no clock runs. `nodes` (100000) limits each proof. `st` is a limit in
    /// seconds instead; with it, the machine decides which games end early. `result` is
    /// `both` (the default), `win` or `draw`: which results end a game.
    #[arg(long, value_name = "KEY=VALUE…", num_args = 0..=1, default_missing_value = "", help_heading = STOPPING, hide_short_help = true)]
    pub prove: Option<ProveRule>,

    /// At the first Ctrl-C, play the running games to their ends; a second one drops them
    #[arg(long, help_heading = STOPPING, hide_short_help = true)]
    pub finish_games: bool,

    /// Stop the match at the first warning about an engine, with status 1
    ///
    /// Warnings are a game lost by a fault, lines out of turn, wrong or missing answers to
    /// queries, and an exit between two games.
    #[arg(long, help_heading = STOPPING, hide_short_help = true)]
    pub strict: bool,

    /// Games that run at the same time
    #[arg(short = 'j', long, default_value = "1", value_name = "C", help_heading = MACHINE)]
    pub concurrency: Whole<1, MAX_SLOTS>,

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
        help_heading = MACHINE, hide_short_help = true
    )]
    pub affinity: Affinity,

    /// Run engines in a sandbox: `on` or `strict`; Linux only
    ///
    /// Each engine can read its own folder, write in a private folder that is deleted at the end, and
    /// use no network. With `strict`, it has a root folder, process list and network of its own.
    /// `sandbox=on|strict|off` sets it for one engine.
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on",
        help_heading = MACHINE
    )]
    pub sandbox: Option<SandboxLevel>,

    /// A folder that sandboxed engines may read, too; repeatable
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = MACHINE, hide_short_help = true)]
    pub sandbox_read: Vec<PathBuf>,

    /// Save the games; the same command resumes a stopped match
    ///
    /// Each game is one line of JSON. `referee report` reads the file.
    #[arg(short, long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Also record these facts of each move, such as `depth,nodes`, or `all`
    ///
    /// The fields are depth, seldepth, nodes, nps, hashfull, latency (measured minus reported
    /// time), timeleft and pv. They stand in the records of --out, the events of --json and the
    /// comments of --pgn. `referee report` shows their means.
    #[arg(long, value_name = "FIELD,…", help_heading = RESULTS, hide_short_help = true)]
    pub record: Option<FactFields>,

    /// Write the games as PGN to a new file
    ///
    /// With --out, the file is written at the end. Otherwise each game is written as it
    /// ends. Add `event=NAME` and `site=NAME` for these tags.
    #[arg(
        long,
        value_parser = with_keys::parse::<PgnOption>,
        value_name = "FILE [KEY=VALUE…]",
        value_hint = ValueHint::FilePath,
        help_heading = RESULTS
    )]
    pub pgn: Option<PgnOption>,

    /// Folder for transcripts of games lost by a fault (default with `--out
    /// GAMES.jsonl`: GAMES.faults)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESULTS, hide_short_help = true)]
    pub faults: Option<PathBuf>,

    /// Page of the match (HTML), rewritten every few seconds
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub html: Option<PathBuf>,

    /// Append a log of the match to this file, compressed if it ends in .gz
    ///
    /// Add `level=error`, `warn`, `info` (the default) or `debug` for the least important messages,
    /// and `engines=on` for every line to and from every engine.
    #[arg(
        long,
        value_parser = with_keys::parse::<LogOption>,
        value_name = "FILE [KEY=VALUE…]",
        value_hint = ValueHint::FilePath,
        help_heading = RESULTS, hide_short_help = true
    )]
    pub log: Option<LogOption>,

    /// Read options from this file; the command line overrides it
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = CONFIGURATION, hide_short_help = true)]
    pub config: Option<PathBuf>,

    /// Show only the summary at the end, and the progress on a terminal
    #[arg(short, long, help_heading = DISPLAY)]
    pub quiet: bool,

    /// Write events for other programs, one line of JSON each
    #[arg(long, conflicts_with = "quiet", help_heading = DISPLAY)]
    pub json: bool,
}

/// The options of `referee match`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("match"))]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct MatchArgs {
    /// The players and openings, when games end, and where they are saved.
    #[command(flatten)]
    pub run: RunArgs,

    /// More players, from a folder of submissions or a TOML file
    ///
    /// Each submission is a folder with an executable file `run`, or with a file `adapt.toml`
    /// for `referee adapt`. A TOML file has a table `[[engine]]` for each player.
    #[arg(long = "engines", value_name = "DIR|FILE.toml", value_hint = ValueHint::AnyPath, help_heading = PLAYERS)]
    pub submissions: Vec<PathBuf>,

    /// Play without the engines that do not start before the first game
    #[arg(long, help_heading = PLAYERS, hide_short_help = true)]
    pub skip_broken: bool,

    /// Let engines that offer the option `Ponder` think in the opponent's time
    #[arg(long, help_heading = PLAYERS, hide_short_help = true)]
    pub ponder: bool,

    /// Who plays whom: `round-robin` (the default), `gauntlet`, …
    ///
    /// `round-robin`: all against all. `gauntlet`: the first player against all others.
    /// `swiss`: in rounds, players with similar points. `pyramid`: each player against all
    /// players named before it, in this order. `knockout`: in rounds, the loser of each pairing is
    /// out; a level pairing plays up to three more pairs of games. With `gauntlet seeds=N`, each of
    /// the first N players meets all others, but not each other; `swiss rounds=R` sets the number of
    /// rounds (log₂ of the number of players, rounded up).
    #[arg(
        long,
        default_value = "round-robin",
        value_parser = format(),
        hide_possible_values = true, hide_default_value = true,
        value_name = "FORMAT [KEY=VALUE…]",
        help_heading = GAMES
    )]
    pub format: FormatOption,

    /// Games of each pairing
    ///
    /// Two games in a row have the same opening, with colours swapped.
    #[arg(long, default_value = "2", value_name = "N", help_heading = GAMES)]
    pub games: Positive,

    /// Play each opening once; the first player of a pairing always moves first
    #[arg(long, help_heading = GAMES, hide_short_help = true)]
    pub no_swap: bool,

    /// Swap the colours of all games
    #[arg(long, help_heading = GAMES, hide_short_help = true)]
    pub reverse: bool,

    /// Play only part K of N of the games, K from 0 to N−1
    ///
    /// With this option, several computers can share a match. `referee report` combines
    /// their files.
    #[arg(long, value_name = "K/N", help_heading = GAMES, hide_short_help = true)]
    pub shard: Option<Shard>,

    /// Stop when a sequential test has decided, such as `elo0=0 elo1=5`
    ///
    /// The keys are elo0, elo1, alpha, beta (both 0.05 by default) and model (normalized,
    /// logistic or bayesian). The test chooses between two hypotheses: the first player is
    /// stronger than the second by elo0, or by elo1.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub sprt: Option<Sprt>,

    /// Forfeit the rest of a pairing after K games in a row that one player lost by
    /// faults (default: never)
    #[arg(long, value_name = "K", help_heading = STOPPING, hide_short_help = true)]
    pub forfeit_after: Option<Positive>,

    /// Check every `win N`, `loss N` and `draw 0` that an engine reports, and its lines of
    /// play
    ///
    /// The table counts the claims of each player that are right, wrong and unverified. A
    /// solver proves or refutes them while no clock runs.
    #[arg(long, help_heading = RESULTS, hide_short_help = true)]
    pub check_claims: bool,

    /// Write the options to this new file, for --config
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = CONFIGURATION, hide_short_help = true)]
    pub save_config: Option<PathBuf>,

    /// The text of that file.
    #[arg(skip)]
    pub saved: String,

    /// Show the board after each move (default for at most two games, one at a time)
    #[arg(long, conflicts_with_all = ["quiet", "json"], help_heading = DISPLAY)]
    pub board: bool,

    /// The format of the lines: ours, or that of cutechess-cli, for scripts that read it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = DISPLAY, hide_short_help = true)]
    pub output: OutputFormat,

    /// How boards are drawn.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The options of `referee tune`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("tune"), mut_args = of_one_engine)]
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

    /// The options that a match has, too.
    #[command(flatten)]
    pub run: RunArgs,

    /// Write a plot of the values over the iterations to this SVG file
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
}

/// Describes the options of players as options of the engine.
fn of_one_engine(option: Arg) -> Arg {
    let help = match option.get_id().as_str() {
        "programs" => "The engine: the path of a program, or the name of a built-in player",
        "engine" => "The engine with settings, such as `cmd=./mybot st=1`",
        "each" => "Settings of the engine, such as `st=1`; those of --engine have priority",
        _ => return option,
    };
    option.help(help).long_help(help)
}

fn exponent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| *number > 0.0 && *number <= 1.0)
        .ok_or_else(|| "expected a number greater than 0 and at most 1".into())
}
