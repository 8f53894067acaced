//! The options of the commands that read or make files of games.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use lodestone::game::Variant;

use super::shared::{
    ANALYSIS, DISPLAY, FILES, GAMES, MACHINE, MAX_SLOTS, RESULTS, SELECTION, SHORT_NOTE, SetupArgs,
    StyleArgs, TABLES, game, long_help,
};
use crate::config::settings::Settings;
use crate::config::values::{Positive, Threshold, Whole};
use crate::game::clock::parse_seconds;
use crate::schedule::openings::{MAX_PLIES, Window};
use crate::statistics::Sprt;

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
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
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

    /// Put this engine into the page, so that it analyses positions there: a WebAssembly module
    /// of `web/build.sh`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "html", help_heading = FILES)]
    pub embed_engine: Option<PathBuf>,

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
    /// For a match that was played without --sprt, such as one in shards; with the same keys. The
    /// test takes the pairs of games in the order of the schedule, up to the first unfinished one,
    /// so it decides as a match with --sprt does. Exit status 0: decided; 10: not yet.
    #[arg(
        long,
        value_name = "KEY=VALUE…",
        conflicts_with_all = ["csv", "crosstable", "times", "head_to_head", "pgn", "html", "faults"],
        help_heading = TABLES
    )]
    pub sprt_decide: Option<Sprt>,
}

/// The options of `referee show`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("show"))]
pub struct ShowArgs {
    /// A result file, a PGN file of the referee or a saved game
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
    #[arg(short = 'j', long, default_value = "1", value_name = "C", help_heading = MACHINE)]
    pub concurrency: Whole<1, MAX_SLOTS>,

    /// Write the games with their analysis to this file; the same command resumes it
    #[arg(short, long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Write the analysis for other programs, one line of JSON for each game
    #[arg(long, help_heading = DISPLAY)]
    pub json: bool,
}
