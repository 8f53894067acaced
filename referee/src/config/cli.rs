//! The command line, as clap definitions.
//!
//! A match option is declared once, in [`MatchArgs`]: clap reads it from the command
//! line, serde reads it from the file of `--config` and writes it for `--save-config`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lodestone::game::{Setup, Variant};
use serde::{Deserialize, Serialize};

use super::settings::{self, Settings};
use super::values::{KeyValues, Positive, Whole, one_or_many};
use crate::io::as_text::{self, Text};
use crate::openings::{MAX_PLIES, OpeningSource, Window};
use crate::player::clock::parse_seconds;
use crate::schedule::{Format, Shard};

/// Plays programs against each other, or against you, and checks every move by the
/// rules of the game.
///
/// Without a command, a menu asks what to play by hand.
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version,
    args_conflicts_with_subcommands = true,
    propagate_version = true
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
    /// When to use colours; `NO_COLOR` and `CLICOLOR_FORCE` decide `auto`
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    #[serde(skip_serializing_if = "is_default")]
    pub color: ColorArg,

    /// Draw with plain ASCII only: X, O and -
    #[arg(long)]
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

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play a match or a tournament between engines
    Match(Box<MatchArgs>),
    /// Play by hand: against an engine, or two people
    Play(PlayArgs),
    /// Make a book of openings that an engine finds balanced
    Openings(Box<OpeningsArgs>),
    /// Show the results of the games in result files
    Report(ReportArgs),
    /// Supervise an engine (the referee starts itself with this command)
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Launch,
    /// Run a built-in engine (the referee starts itself with this command)
    #[command(hide = true)]
    Builtin {
        /// The name of the engine
        name: String,
    },
}

// The headings of `referee match --help`.
const PLAYERS: &str = "Players";
const GAMES: &str = "Games";
const RESOURCES: &str = "Resources";
const FILES: &str = "Files";
const DISPLAY: &str = "Display";

/// The options of `referee match`. The default is that of a command without options.
#[derive(Args, Debug, Deserialize, Serialize)]
#[command(after_help = match_help())]
#[serde(default, rename_all = "kebab-case")]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct MatchArgs {
    /// A player: the path of a program, a built-in name, or `human`. Give two or
    /// more, or none for a match of built-in engines
    #[arg(value_name = "ENGINE")]
    #[serde(skip)]
    pub programs: Vec<String>,

    /// A player with settings
    #[arg(long, value_name = "KEY=VALUE…", conflicts_with = "programs", help_heading = PLAYERS)]
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub engine: Vec<Settings>,

    /// Settings for each player that does not have its own
    #[arg(long, value_name = "KEY=VALUE…", help_heading = PLAYERS)]
    pub each: Option<Settings>,

    /// More players: a folder of submissions (each a folder with an executable
    /// file `run`), or a TOML file with `[[engine]]` tables
    #[arg(long = "engines", value_name = "DIR|FILE.toml", help_heading = PLAYERS)]
    #[serde(
        rename = "engines",
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub submissions: Vec<PathBuf>,

    /// The game to play
    #[arg(long, default_value_t, value_parser = Variant::read, value_name = "NAME", help_heading = GAMES)]
    #[serde(with = "as_text")]
    pub variant: Variant,

    /// Who plays whom: round-robin, gauntlet or swiss
    #[arg(long, default_value_t, value_parser = Format::read, value_name = "FORMAT", help_heading = GAMES)]
    #[serde(with = "as_text")]
    pub format: Format,

    /// Rounds of a Swiss tournament
    #[arg(long, value_name = "R", help_heading = GAMES)]
    pub rounds: Option<Positive>,

    /// Games of each pairing; each opening is played with both colours
    #[arg(long, default_value = "2", value_name = "N", help_heading = GAMES)]
    pub games: Positive,

    /// Moves before the engines play: a book, or `random:PLIES`
    #[arg(long, value_name = "SOURCE", help_heading = GAMES)]
    #[serde(with = "as_text::optional")]
    pub openings: Option<OpeningSource>,

    /// Pieces and turns.
    #[command(flatten, next_help_heading = GAMES)]
    #[serde(flatten, skip_deserializing)]
    pub setup: SetupArgs,

    /// Seed of the random openings and placements
    #[arg(long, default_value = "1", value_name = "S", help_heading = GAMES)]
    pub seed: Whole<0, { u64::MAX }>,

    /// Play only part K of N of the games, K from 0 to N − 1
    #[arg(long, value_name = "K/N", help_heading = GAMES)]
    #[serde(with = "as_text::optional")]
    pub shard: Option<Shard>,

    /// Stop as soon as a sequential test shows which engine is stronger:
    /// elo0=E elo1=E [alpha=A] [beta=B] [model=normalized|logistic|bayesian]
    #[arg(long, value_name = "KEY=VALUE…", help_heading = GAMES)]
    pub sprt: Option<KeyValues>,

    /// Forfeit the remaining games of a pairing after K games in a row that one
    /// player lost by faults (default: never)
    #[arg(long, value_name = "K", help_heading = GAMES)]
    pub forfeit_after: Option<Positive>,

    /// Play C games at a time
    #[arg(long, default_value = "1", value_name = "C", help_heading = RESOURCES)]
    pub concurrency: Whole<1, MAX_SLOTS>,

    /// Give each of these games, with its engines, a core of its own
    #[arg(long, help_heading = RESOURCES)]
    #[serde(skip_serializing_if = "is_default")]
    pub affinity: bool,

    /// Memory of an engine and its children, in megabytes of 1048576 bytes
    /// (resident, without file pages); Linux only
    #[arg(long, value_name = "MB", help_heading = RESOURCES)]
    pub memory: Option<Positive>,

    /// Processes of an engine, itself included; Linux only
    #[arg(long, value_name = "N", help_heading = RESOURCES)]
    pub max_processes: Option<Positive>,

    /// Save the games in this file, one line of JSON each; run the same command
    /// again to resume
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub out: Option<PathBuf>,

    /// Write the games as PGN: at the end with --out, else each game as it ends,
    /// to a new file
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub pgn: Option<PathBuf>,

    /// Folder for the transcripts of games lost by a fault (default with --out
    /// GAMES.jsonl: GAMES.faults)
    #[arg(long, value_name = "DIR", help_heading = FILES)]
    pub faults: Option<PathBuf>,

    /// Read options from this file; the command line overrides it
    #[arg(long, value_name = "FILE.toml", help_heading = FILES)]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// Write the options to this new file, for --config
    #[arg(long, value_name = "FILE.toml", help_heading = FILES)]
    #[serde(skip)]
    pub save_config: Option<PathBuf>,

    /// Show the board after each move (the default for at most two games)
    #[arg(long, help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub board: bool,

    /// Show only the summary at the end
    #[arg(long, conflicts_with = "board", help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub quiet: bool,

    /// Write events for programs, one line of JSON each
    #[arg(long, conflicts_with_all = ["board", "quiet"], help_heading = DISPLAY)]
    #[serde(skip_serializing_if = "is_default")]
    pub json: bool,

    /// How boards are drawn.
    #[command(flatten, next_help_heading = DISPLAY)]
    #[serde(flatten, skip_deserializing)]
    pub style: StyleArgs,
}

impl Default for MatchArgs {
    fn default() -> MatchArgs {
        #[derive(Parser)]
        struct Match {
            #[command(flatten)]
            args: MatchArgs,
        }
        Match::parse_from(["match"]).args
    }
}

/// The options of `referee openings`.
#[derive(Args, Debug)]
#[command(after_help = BOOK_HELP)]
pub struct OpeningsArgs {
    /// The game
    #[arg(long, default_value_t, value_parser = Variant::read, value_name = "NAME")]
    pub variant: Variant,

    /// Openings in the book, 1 to 100000
    #[arg(long, default_value = "100", value_name = "N")]
    pub count: Whole<1, 100_000>,

    /// Random moves of each opening, 0 to 1000
    #[arg(long, default_value = "4", value_name = "P")]
    pub plies: Whole<0, { MAX_PLIES as u64 }>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Seed of the random openings
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,

    /// The engine that scores the openings (default: `cmd=lodestone`, and
    /// `nodes=20000` without a time, depth or nodes)
    #[arg(long, value_name = "KEY=VALUE…")]
    pub engine: Option<Settings>,

    /// Scores of the first player to accept, in centipawns: CP for -CP..CP, or
    /// LOW..HIGH
    #[arg(long, default_value = "100", allow_hyphen_values = true, value_name = "CP")]
    pub window: Window,

    /// Write the book to this new file (default: standard output)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The options of `referee report`.
#[derive(Args, Debug)]
#[command(after_help = REPORT_HELP)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct ReportArgs {
    /// Result files of one match, such as its shards, or of several matches
    #[arg(value_name = "FILE.jsonl", required = true)]
    pub files: Vec<PathBuf>,

    /// Folder of the transcripts of games lost by a fault (default: beside the
    /// files)
    #[arg(long, value_name = "DIR")]
    pub faults: Option<PathBuf>,

    /// Write all games to this file as PGN
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,

    /// Write the numbers for programs, one line of JSON a match
    #[arg(long)]
    pub json: bool,

    /// Show the points of each player against each other, for any number of
    /// players
    #[arg(long, conflicts_with = "json")]
    pub crosstable: bool,

    /// Show the time that each player took for a move
    #[arg(long, conflicts_with = "json")]
    pub times: bool,

    /// Show a line for each pairing of two players
    #[arg(long, conflicts_with = "json")]
    pub head_to_head: bool,
}

/// How a game of Gridlock is set up.
#[derive(Args, Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SetupArgs {
    /// Gridlock: pieces a side, 1 to 24
    #[arg(long, value_name = "N")]
    pieces: Option<Whole<1, { Setup::MAX_PIECES as u64 }>>,

    /// Gridlock: turn limit, 1 to 1000
    #[arg(long, value_name = "T")]
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
pub struct PlayArgs {
    /// The game to play
    #[arg(long, default_value_t, value_parser = Variant::read, value_name = "NAME")]
    pub variant: Variant,

    /// The first player: `human`, a built-in name or the path of a program
    /// (default: asks)
    #[arg(long, value_name = "WHO")]
    pub first: Option<String>,

    /// The second player, likewise
    #[arg(long, value_name = "WHO")]
    pub second: Option<String>,

    /// Pieces and turns.
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Seconds for each move of an engine
    #[arg(long, default_value = "3", value_parser = parse_seconds, value_name = "S")]
    pub st: Duration,

    /// Seed of the placement of the pieces (default: random)
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// How boards are drawn.
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The most games at a time, more than any machine has cores.
const MAX_SLOTS: u64 = 1024;

/// Below the options of `referee openings`.
const BOOK_HELP: &str = "\
No two openings lead to the same position, even rotated or mirrored. The engine
searches each opening once. Openings with a score outside the window are left out,
and so are openings with a proven result. With an engine limited by `depth` or
`nodes`, the same command makes the same book; without a time, the engine has a
minute for each opening. `referee match --help` lists the settings of --engine.

A book is a text file with one opening a line: `startpos` or a FEN, then optionally
`moves` and moves; or only moves. Lines that begin with # are comments.

Example:
  referee openings --plies 6 --count 500 --window -50..50 --out book.txt
  referee match ./mybot lodestone --openings book.txt --games 1000";

/// Below the options of `referee report`.
const REPORT_HELP: &str = "\
Prints the same tables as the match itself. A game that is in two files counts once;
files of different matches get a table each. The match may still be running. If the
schedule has games that the files lack, the report names them and exits with status 1,
unless a sequential test ended the match.

Example:
  referee report shard-*.jsonl --crosstable --pgn games.pgn";

/// Below the options of `referee match`.
fn match_help() -> String {
    let settings = settings::help();
    format!(
        "\
{settings}
A file for --config has the long options, without dashes, as keys, and the settings in
the tables [each] and [[engine]].

Example:
  referee match --engine cmd=./mybot --engine cmd=lodestone option.Hash=32 \\
      --each st=0.1 --games 20 --out games.jsonl"
    )
}
