//! The options of `referee match` and `referee tune`.

use std::ops::Bound;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, ValueEnum, ValueHint};
use referee_core::arbiter::OnFault;
use referee_core::game::adjudication::{DrawRule, ProveRule, ResignRule};
use referee_core::io::as_text::Text as _;
use referee_core::results::FactFields;
use referee_core::results::tuning::Parameter;
use referee_core::schedule::{Format, Shard};
use referee_statistics::Sprt;

use super::shared::{
    CONFIGURATION, DISPLAY, GAMES, GameArgs, MAX_SLOTS, PLAYERS, RESOURCES, RESULTS, STOPPING, SandboxArgs,
    SetupArgs, StyleArgs, TUNING, WrapperArgs, players,
};
use crate::config::settings::{Settings, is_key};
use crate::config::values::{Affinity, NameParser, Positive, WholeNumber, number_in};
use crate::config::with_keys::{self, BookOption, FormatOption, LogOption, PgnOption};

/// The format of the output of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Lines of the referee.
    #[default]
    Referee,
    /// Lines of cutechess-cli, for scripts that read them.
    Cutechess,
}

/// Reads the format of a tournament.
fn format() -> NameParser<FormatOption> {
    NameParser::new(with_keys::parse, || {
        Format::ALL.iter().map(|format| format.name()).collect()
    })
}

/// Reads a player, which is no misplaced `KEY=VALUE`.
fn program(text: &str) -> Result<String, String> {
    let advice = match text.split_once('=') {
        Some((key, _)) if !is_key(key) || Path::new(text).exists() => return Ok(text.into()),
        Some(("cmd", _)) => format!("`--engine {text}` adds a player"),
        Some(_) => format!("`--each {text}` is for all players"),
        None => return Ok(text.into()),
    };
    Err(format!("`{text}` is a setting, not a player; {advice}"))
}

/// The options that a match and a tuning share.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct RunArgs {
    /// Players: programs, folders with a file `run`, built-in players, or `human`
    ///
    /// Give two or more players, or none for a match between built-in players.
    #[arg(value_name = "ENGINE", value_parser = NameParser::new(program, players), hide_possible_values = true)]
    pub programs: Vec<String>,

    /// Add a player with settings, such as `cmd=./mybot st=1`; repeatable
    #[arg(long, value_name = "KEY=VALUE…", conflicts_with = "programs", help_heading = PLAYERS)]
    pub engine: Vec<Settings>,

    /// Apply settings to all players, such as `st=1`
    ///
    /// Settings of --engine have priority.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = PLAYERS)]
    pub each: Option<Settings>,

    /// The game.
    #[command(flatten)]
    pub game: GameArgs,

    /// Start each pair of games from a book or `random:PLIES`
    ///
    /// A book is a text file or a PGN file. Add keys after the file name:
    /// `order=sequential` (the default) or `order=random`, which depends on --seed; `start=N` to
    /// begin with opening N (default: 1); `plies=N` to play at most N moves of each opening, 1 to
    /// 1000. `none` begins at the start of the game.
    #[arg(long, value_parser = with_keys::parse::<BookOption>, value_name = "SOURCE [KEY=VALUE…]", value_hint = ValueHint::FilePath, help_heading = GAMES)]
    pub openings: Option<BookOption>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Set the seed of random openings and placements
    #[arg(long, default_value = "1", value_name = "S", help_heading = GAMES)]
    pub seed: WholeNumber<0, { u64::MAX }>,

    /// Let a player lose by a fault (`lose`, the default), or play a random move instead (`random`)
    ///
    /// With `random`, a legal move that depends on --seed replaces a late, illegal or missing one. A
    /// program that has ended is restarted. The game continues, and the fault is recorded. With
    /// `random limit=N`, the N-th fault of a player in a game loses it. The setting
    /// `onfault=lose|random|random:N` is for one player.
    #[arg(long, value_parser = with_keys::parse::<OnFault>, value_name = "WHAT [KEY=VALUE…]", help_heading = STOPPING, hide_short_help = true)]
    pub on_fault: Option<OnFault>,

    /// Adjudicate draws, as in `movenumber=20 movecount=4 score=10`
    ///
    /// A game is drawn when at least `movenumber` full moves were played and the last `movecount`
    /// scores of both players are at most `score` centipawns from 0, as in cutechess. A proven draw
    /// counts as 0; a proven win or loss is never even.
    #[arg(long, value_parser = DrawRule::read, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub draw: Option<DrawRule>,

    /// Adjudicate losses, as in `movecount=3 score=600`
    ///
    /// A player loses when its last `movecount` scores are at most −`score` centipawns, as in
    /// cutechess. With `twosided=true`, the opponent's last `movecount` scores must also be at least
    /// `score`.
    #[arg(long, value_parser = ResignRule::read, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub resign: Option<ResignRule>,

    /// End a game when a solver proves its result, as in `--prove` or `--prove empty=30`
    ///
    /// The solver runs after each move, while no clock runs. Keys: `empty` is the largest number of
    /// empty cells, or of turns left (default: 34). `nodes` limits each proof (default:
    /// 100000). `st` limits it in seconds instead; which games end early then depends on the speed
    /// of the machine. `result` is `win`, `draw` or `both` (the default): the results that end a
    /// game.
    #[arg(long, value_parser = ProveRule::read, value_name = "KEY=VALUE…", num_args = 0..=1, default_missing_value = "", help_heading = STOPPING, hide_short_help = true)]
    pub prove: Option<ProveRule>,

    /// End a game as a draw after N moves (default: 2000 with --rules)
    #[arg(long, value_name = "N", help_heading = STOPPING, hide_short_help = true)]
    pub max_plies: Option<Positive>,

    /// End a game as a draw when a position has occurred N times, N from 2
    ///
    /// Positions are the same if their texts are equal. Most rules count repetitions themselves.
    #[arg(long, value_name = "N", help_heading = STOPPING, hide_short_help = true)]
    pub repetition: Option<WholeNumber<2, 1000>>,

    /// Finish the running games at the first Ctrl-C, and drop them at the second
    #[arg(long, help_heading = STOPPING, hide_short_help = true)]
    pub finish_games: bool,

    /// Stop at the first warning about an engine, with exit status 1
    ///
    /// Warnings are games lost by a fault, unexpected output, and exits between two games.
    #[arg(long, help_heading = STOPPING, hide_short_help = true)]
    pub strict: bool,

    /// Play up to C games at the same time, 1 to 1024
    #[arg(short = 'j', long, default_value = "1", value_name = "C", help_heading = RESOURCES)]
    pub concurrency: WholeNumber<1, MAX_SLOTS>,

    /// Pin each running game to its own core: any, or one of a list such as 3,5,7-11
    ///
    /// Cores are numbered from 0 to 1023.
    #[arg(
        long,
        value_name = "CORES",
        num_args = 0..=1,
        require_equals = true,
        default_value = "false",
        default_missing_value = "true",
        hide_default_value = true,
        help_heading = RESOURCES, hide_short_help = true
    )]
    pub affinity: Affinity,

    /// What engines may do; the setting `sandbox=on|strict|off` is for one of them.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// Save the games here; run the same command again to resume
    ///
    /// Each game is one line of JSON. `referee report` reads the file.
    #[arg(short, long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Continue in the file of --out although the rules or the wrapper have changed
    ///
    /// Games by other rules are replayed first, and the command ends if one of them differs. The file says after how
    /// many games the change was.
    #[arg(long, requires = "out", help_heading = RESULTS, hide_short_help = true)]
    pub accept: bool,

    /// Record these facts of each move, such as `depth,nodes`, or `all`
    ///
    /// The fields are depth, seldepth, nodes, nps, hashfull, latency (measured minus reported
    /// time), timeleft and pv. They are written to the records of --out, the events of --json and
    /// the comments of --pgn. `referee report` shows their means.
    #[arg(long, value_name = "FIELD,…", help_heading = RESULTS, hide_short_help = true)]
    pub record: Option<FactFields>,

    /// Write the games to a new PGN file
    ///
    /// With --out, the file is written at the end of the match. Otherwise, each game is written when
    /// it ends. Add `event=NAME` or `site=NAME` after the file name for these tags.
    #[arg(
        long,
        value_parser = with_keys::parse::<PgnOption>,
        value_name = "FILE [KEY=VALUE…]",
        value_hint = ValueHint::FilePath,
        help_heading = RESULTS
    )]
    pub pgn: Option<PgnOption>,

    /// Write transcripts of games lost by a fault to this folder (default with `--out
    /// GAMES.jsonl`: GAMES.faults)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESULTS, hide_short_help = true)]
    pub faults: Option<PathBuf>,

    /// Write an HTML report of the match, updated while it runs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub html: Option<PathBuf>,

    /// Append a log of the match to this file, compressed if its name ends in .gz
    ///
    /// Add keys after the file name: `level=error`, `warn`, `info` (the default) or `debug` for
    /// the lowest level; `engines=on` to log every line to and from the engines.
    #[arg(
        long,
        value_parser = with_keys::parse::<LogOption>,
        value_name = "FILE [KEY=VALUE…]",
        value_hint = ValueHint::FilePath,
        help_heading = RESULTS, hide_short_help = true
    )]
    pub log: Option<LogOption>,

    /// Read options from this file; the command line has priority
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = CONFIGURATION, hide_short_help = true)]
    pub config: Option<PathBuf>,

    /// Print only the summary at the end, and the progress on a terminal
    #[arg(short, long, help_heading = DISPLAY)]
    pub quiet: bool,

    /// Print one JSON object for each event, for other programs
    ///
    /// With --quiet, print only the last one, which has the summary.
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,

    /// As --json, with an object when a game begins, and one for each move
    #[arg(long, conflicts_with = "quiet", help_heading = DISPLAY, hide_short_help = true)]
    pub json_moves: bool,
}

impl RunArgs {
    /// Whether the output is events for programs.
    pub(crate) const fn has_events(&self) -> bool {
        self.json || self.json_moves
    }
}

/// The options of `referee match`.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct MatchArgs {
    /// The players and openings, when games end, and where they are saved.
    #[command(flatten)]
    pub run: RunArgs,

    /// Add players from a folder of submissions or a TOML file; repeatable
    ///
    /// Each submission is a folder with an executable file `run`, or with a file `adapt.toml`
    /// for `referee adapt`. A TOML file has a table `[[engine]]` for each player.
    #[arg(long = "engines", value_name = "DIR|FILE.toml", value_hint = ValueHint::AnyPath, help_heading = PLAYERS)]
    pub submissions: Vec<PathBuf>,

    /// What starts submissions.
    #[command(flatten)]
    pub wrapper: WrapperArgs,

    /// Leave out engines that do not start before the first game
    #[arg(long, help_heading = PLAYERS, hide_short_help = true)]
    pub skip_broken: bool,

    /// Let engines with the option `Ponder` think on the opponent's time
    #[arg(long, help_heading = PLAYERS, hide_short_help = true)]
    pub ponder: bool,

    /// Choose a format: gauntlet, swiss, …
    ///
    /// `round-robin`: all against all. `gauntlet`: the first player against all others. `swiss`: in
    /// rounds, players with similar points. `pyramid`: each player against all players named before
    /// it. `knockout`: in rounds, the loser of each pairing is out; a level pairing plays up to three
    /// more pairs of games. `ladder`: in rounds, between the players whose games say most about their
    /// ratings.
    ///
    /// Add a key after the format: with `gauntlet seeds=N`, each of the first N players plays all
    /// others, but not each other; `swiss rounds=R` sets the number of rounds (default: log₂ of the
    /// number of players, rounded up), and `ladder rounds=R`, too (default: 20).
    #[arg(
        long,
        default_value = "round-robin",
        value_parser = format(),
        hide_possible_values = true,
        value_name = "FORMAT [KEY=VALUE…]",
        help_heading = GAMES
    )]
    pub format: FormatOption,

    /// Play N games in each pairing
    ///
    /// Two games in a row have the same opening, with colours swapped.
    #[arg(long, default_value = "2", value_name = "N", help_heading = GAMES)]
    pub games: Positive,

    /// Play each opening once, with the first player of each pairing moving first
    #[arg(long, help_heading = GAMES, hide_short_help = true)]
    pub no_swap: bool,

    /// Swap the colours of all games
    #[arg(long, help_heading = GAMES, hide_short_help = true)]
    pub reverse: bool,

    /// Play only shard K of N of the games, K from 0 to N−1
    ///
    /// Several computers can share a match with this option. `referee report` combines their files.
    #[arg(long, value_name = "K/N", help_heading = GAMES, hide_short_help = true)]
    pub shard: Option<Shard>,

    /// Stop when a sequential test has decided, as in `elo0=0 elo1=5`
    ///
    /// The sequential probability ratio test (SPRT) chooses between two hypotheses: the first player
    /// is stronger than the second by `elo0`, or by `elo1`. `alpha` and `beta` are the error rates
    /// (default: 0.05). `model` is `normalized` (the default), `logistic` or `bayesian`.
    #[arg(long, value_parser = referee_core::results::sprt::read, value_name = "KEY=VALUE…", help_heading = STOPPING)]
    pub sprt: Option<Sprt>,

    /// Forfeit the rest of a pairing after one player lost K games in a row by faults (default:
    /// never)
    #[arg(long, value_name = "K", help_heading = STOPPING, hide_short_help = true)]
    pub forfeit_after: Option<Positive>,

    /// Write the table of the players as CSV, at the end
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS, hide_short_help = true)]
    pub csv: Option<PathBuf>,

    /// Write the options to a new file for --config
    #[arg(long, value_name = "FILE.toml", value_hint = ValueHint::FilePath, help_heading = CONFIGURATION, hide_short_help = true)]
    pub save_config: Option<PathBuf>,

    /// The text of that file.
    #[arg(skip)]
    pub saved: String,

    /// Print the board after each move (default for one or two games, one at a time)
    #[arg(long, conflicts_with_all = ["quiet", "json", "json_moves"], help_heading = DISPLAY, hide_short_help = true)]
    pub board: bool,

    /// Choose the format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = DISPLAY, hide_short_help = true)]
    pub output: OutputFormat,

    /// How boards are drawn.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The options of `referee tune`.
#[derive(Args, Debug)]
#[command(mut_args = of_one_engine)]
pub struct TuneArgs {
    /// Tune this spin option, such as `Margin=60,0,300,10`; repeatable
    ///
    /// Tuning begins with `START` and tries values from `MIN` to `MAX`. `C_END` is the perturbation
    /// at the last iteration: the games compare values that differ by twice as much. Choose it so
    /// that such a change costs a few Elo. `R_END` is the learning rate at the last iteration
    /// (default: 0.002). Both are those of fishtest.
    #[arg(
        long = "param",
        required = true,
        value_name = "NAME=START,MIN,MAX,C_END[,R_END]",
        help_heading = TUNING
    )]
    pub parameters: Vec<Parameter>,

    /// Play N iterations, 1 to 10000000
    ///
    /// An iteration is a pair of games with the same opening and colours swapped.
    #[arg(long, default_value = "10000", value_name = "N", help_heading = TUNING)]
    pub iterations: WholeNumber<1, 10_000_000>,

    /// Play N iterations with the same values, 1 to 1000
    ///
    /// Their games can be played at the same time: `--concurrency 8` needs at least `--batch 4`.
    #[arg(long, default_value = "1", value_name = "N", help_heading = TUNING)]
    pub batch: WholeNumber<1, 1000>,

    /// Set the exponent of the steps, Spall's α, greater than 0 and at most 1
    #[arg(long, default_value = "0.602", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub alpha: f64,

    /// Set the exponent of the perturbations, Spall's γ, greater than 0 and at most 1
    #[arg(long, default_value = "0.101", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub gamma: f64,

    /// Set Spall's stability constant A as a share of the iterations, greater than 0 and at most 1
    #[arg(long, default_value = "0.1", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub a_ratio: f64,

    /// The options that a match has, too.
    #[command(flatten)]
    pub run: RunArgs,

    /// Write a plot of the values over the iterations as SVG
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
}

/// Describes the options of players as options of the engine.
fn of_one_engine(option: Arg) -> Arg {
    let help = match option.get_id().as_str() {
        "programs" => "Engine to tune: the path of a program, or the name of a built-in player",
        "engine" => "Tune an engine with settings, such as `cmd=./mybot st=1`",
        _ => return option,
    };
    option.help(help).long_help(help)
}

fn exponent(text: &str) -> Result<f64, String> {
    let range = (Bound::Excluded(0.0), Bound::Included(1.0));
    number_in(range, "a number greater than 0 and at most 1", text)
}
