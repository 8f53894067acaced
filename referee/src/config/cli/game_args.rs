//! The options of the commands that read or make files of games.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use referee_core::game::clock::parse_seconds;
use referee_core::results::analysis::MISTAKE;
use referee_core::schedule::openings::{MAX_PLIES, Window};
use referee_statistics::Sprt;

use super::shared::{
    ANALYSIS, DISPLAY, FILES, GAMES, GameArgs, MAX_SLOTS, RESOURCES, RESULTS, RulesArg, SELECTION, SetupArgs,
    StyleArgs, TABLES,
};
use crate::config::settings::Settings;
use crate::config::values::{Positive, WholeNumber, number_in};

/// The options of `referee openings`.
#[derive(Args, Debug)]
pub struct OpeningsArgs {
    /// The game.
    #[command(flatten)]
    pub game: GameArgs,

    /// Write N openings, 1 to 100000
    #[arg(long, default_value = "100", value_name = "N", help_heading = GAMES)]
    pub count: WholeNumber<1, 100_000>,

    /// Start each opening with P random moves, 0 to 1000
    #[arg(long, default_value = "4", value_name = "P", help_heading = GAMES)]
    pub plies: WholeNumber<0, { MAX_PLIES as u64 }>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Set the seed of the random openings
    #[arg(long, default_value_t = 1, value_name = "S", help_heading = GAMES)]
    pub seed: u64,

    /// Score openings by this engine (default: cmd=lodestone nodes=20000)
    ///
    /// `nodes=20000` applies if neither time, depth nor nodes are given.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = SELECTION)]
    pub engine: Option<Settings>,

    /// Accept scores of -CP to CP centipawns, or LOW..HIGH
    ///
    /// The scores are those of the first player.
    #[arg(long, default_value = "100", allow_hyphen_values = true, value_name = "CP", help_heading = SELECTION)]
    pub window: Window,

    /// Write the book to a new file (default: standard output)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,
}

/// The options of `referee report`.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct ReportArgs {
    /// Result files of one match, such as its shards, or of several matches
    #[arg(value_name = "FILE.jsonl", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// The rules of the games.
    #[command(flatten)]
    pub rules: RulesArg,

    /// Read transcripts of faults from this folder (default: next to the files)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = FILES)]
    pub faults: Option<PathBuf>,

    /// Write all games to this PGN file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub pgn: Option<PathBuf>,

    /// Write an HTML report with tables, charts and all games to step through
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = FILES)]
    pub html: Option<PathBuf>,

    /// Leave the transcripts of games lost by a fault out of the HTML report
    #[arg(long, requires = "html", help_heading = FILES)]
    pub no_transcripts: bool,

    /// Let the HTML report analyse positions with this WebAssembly engine
    ///
    /// `web/build.sh` writes the file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "html", help_heading = FILES)]
    pub embed_engine: Option<PathBuf>,

    /// Print one JSON object for each match, for other programs
    #[arg(long, help_heading = TABLES)]
    pub json: bool,

    /// Print the table for spreadsheets, as comma-separated values, or write it to FILE
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath, num_args = 0..=1, require_equals = true, conflicts_with = "json", help_heading = TABLES)]
    // The form that clap has for an option with a value that may be missing.
    #[allow(clippy::option_option)]
    pub csv: Option<Option<PathBuf>>,

    /// Print the points against each opponent, for up to 100 players
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = TABLES)]
    pub crosstable: bool,

    /// Print the times that each player needed for a move
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = TABLES)]
    pub times: bool,

    /// Print a line for each pairing of two players
    #[arg(long, conflicts_with_all = ["json", "csv"], help_heading = TABLES)]
    pub head_to_head: bool,

    /// Print only the state of a sequential test, as in `elo0=0 elo1=5`
    ///
    /// Use it for a match that was played without --sprt, such as one in shards. The keys are those
    /// of --sprt. The test takes the pairs of games in the order of the schedule, up to the first
    /// unfinished one, so it decides as a match with --sprt does. The exit status is 0 if the test
    /// has decided, and 10 if not.
    #[arg(
        long,
        value_parser = referee_core::results::sprt::read,
        value_name = "KEY=VALUE…",
        conflicts_with_all = ["csv", "crosstable", "times", "head_to_head", "pgn", "html", "faults"],
        help_heading = TABLES
    )]
    pub sprt_decide: Option<Sprt>,
}

/// The options of `referee verify`.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Result files
    #[arg(value_name = "FILE.jsonl", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// The rules of the games; the games of a rules program need them.
    #[command(flatten)]
    pub rules: RulesArg,
}

/// The options of `referee show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Result file, PGN file of the referee or saved game
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,

    /// The rules of the games.
    #[command(flatten)]
    pub rules: RulesArg,

    /// Print game N of the file (default: the only game, or a list of all games)
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub game: Option<Positive>,

    /// How boards are drawn.
    #[command(flatten, next_help_heading = DISPLAY)]
    pub style: StyleArgs,
}

/// The options of `referee analyze`.
#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    /// Result files of one match
    #[arg(value_name = "FILE.jsonl", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Analyse only game N, and print a table of its moves (default: all games)
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub game: Option<Positive>,

    /// The rules of the games.
    #[command(flatten)]
    pub rules: RulesArg,

    /// Search each position for S seconds (default: 0.5)
    ///
    /// With `depth` or `nodes` in --engine, the default is no time limit.
    #[arg(long, value_parser = parse_seconds, value_name = "S", help_heading = ANALYSIS)]
    pub st: Option<Duration>,

    /// Use this engine, such as `cmd=./mybot st=1` (default: lodestone)
    ///
    /// With a node or depth limit, the analysis is the same on every machine.
    #[arg(long, value_name = "KEY=VALUE…", help_heading = ANALYSIS)]
    pub engine: Option<Settings>,

    /// Count losses of POINTS or more as mistakes, 0.001 to 1
    ///
    /// These are expected points: win 1, draw 0.5, loss 0.
    #[arg(long, value_parser = threshold, default_value_t = MISTAKE, value_name = "POINTS", help_heading = ANALYSIS)]
    pub threshold: f64,

    /// Analyse up to C games at the same time, 1 to 1024
    #[arg(short = 'j', long, default_value = "1", value_name = "C", help_heading = RESOURCES)]
    pub concurrency: WholeNumber<1, MAX_SLOTS>,

    /// Save the games and their analysis; run the same command again to resume
    #[arg(short, long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Print one JSON object for each game, for other programs
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,
}

/// The least loss of a mistake, in expected points.
fn threshold(text: &str) -> Result<f64, String> {
    number_in(0.001..=1.0, "a number from 0.001 to 1, such as 0.1", text)
}
