//! The command line: clap definitions and nothing else.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lodestone::game::{Setup, Variant};

use crate::io::suggest::unknown;
use crate::openings::{MAX_PLIES, OpeningSource, Window};
use crate::player::clock::parse_seconds;
use crate::schedule::{Format, Shard};

/// Pits game-playing programs against each other, or against a person, and
/// checks every move by the rules of the game.
///
/// Without a command it asks what to play, and plays with whoever is at the
/// keyboard.
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version,
    args_conflicts_with_subcommands = true,
    propagate_version = true
)]
pub struct Cli {
    /// What to do; the menu where it is not said.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How the menu's games are drawn
    #[command(flatten)]
    pub style: StyleArgs,
}

/// How boards are drawn for a person.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct StyleArgs {
    /// When to use colours; `NO_COLOR` and `CLICOLOR_FORCE` decide `auto`
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorArg,

    /// Draw with plain ASCII only: X, O and -
    #[arg(long)]
    pub ascii: bool,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal that has them.
    #[default]
    Auto,
    /// Whatever the terminal.
    Always,
    /// Nowhere.
    Never,
}

/// What the referee can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Let engines play a match or a tournament
    Match(Box<MatchArgs>),
    /// Play by hand: against an engine, or two people
    Play(PlayArgs),
    /// Make a book of openings that an engine finds balanced
    Openings(OpeningsArgs),
    /// Show what the games of result files came to
    Report(ReportArgs),
    /// Look after an engine (what the referee starts itself as)
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Launch,
    /// Be a built-in engine (what the referee starts itself as)
    #[command(hide = true)]
    Builtin {
        /// The engine's name.
        name: String,
    },
}

/// The options of `referee match`.
#[derive(Args, Debug)]
#[command(after_help = SETTINGS_HELP)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct MatchArgs {
    /// A player: the path of a program, a built-in name, or `human`. Two or
    /// more of them, or none for a match of built-in ones
    #[arg(value_name = "ENGINE")]
    pub engines: Vec<String>,

    /// An engine with settings
    #[arg(long, value_name = "KEY=VALUE…", conflicts_with = "engines")]
    pub engine: Vec<String>,

    /// Settings for each engine that does not say otherwise
    #[arg(long, value_name = "KEY=VALUE…")]
    pub each: Option<String>,

    /// More players: a folder of submissions (each a folder in it with an
    /// executable file `run`), or `[[engine]]` tables in a TOML file
    #[arg(long = "engines", value_name = "DIR|FILE.toml")]
    pub submissions: Vec<PathBuf>,

    /// The game to play
    #[arg(long, default_value_t, value_parser = variant, value_name = "NAME")]
    pub variant: Variant,

    /// Who plays whom
    #[arg(long, default_value_t, value_parser = format, value_name = "FORMAT")]
    pub format: Format,

    /// How many rounds a Swiss tournament has
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "R")]
    pub rounds: Option<u64>,

    /// How many games a pairing plays; each opening is played with both colours
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    pub games: u64,

    /// Moves before the engines are asked: a book, or `random:PLIES`
    #[arg(long, value_name = "SOURCE")]
    pub openings: Option<OpeningSource>,

    /// Pieces and turns
    #[command(flatten)]
    pub setup: SetupArgs,

    /// What everything drawn by chance is drawn from
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,

    /// How many games are played at a time
    #[arg(long, default_value_t = 1, value_parser = slots, value_name = "C")]
    pub concurrency: usize,

    /// Keep each game at a time, and its engines, on a core of its own
    #[arg(long)]
    pub affinity: bool,

    /// How much memory an engine and its children may have, in megabytes of
    /// 1048576 bytes (resident and not from files); Linux only
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "MB")]
    pub memory: Option<u64>,

    /// How many processes an engine may be, itself included; Linux only
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    pub max_processes: Option<u64>,

    /// Stop as soon as a sequential test knows which engine is stronger:
    /// elo0=E elo1=E [alpha=A] [beta=B] [model=normalized|logistic|bayesian]
    #[arg(long, value_name = "KEY=VALUE…")]
    pub sprt: Option<String>,

    /// Give a pairing up, and its other games to the opponent, after so many
    /// games in a row that one player lost by faults (never where not said)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "K")]
    pub forfeit_after: Option<u64>,

    /// Play only part K of N of the games, K from 0 to N − 1
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,

    /// Keep the games in this file, a line of JSON each; the same command goes
    /// on with it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write the games to this file as PGN: at the end where --out keeps them,
    /// else each as it ends, to a new file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,

    /// Keep what was said in games that are lost by a fault in this folder; where
    /// not said, beside the file of --out, GAMES.faults for GAMES.jsonl
    #[arg(long, value_name = "DIR")]
    pub faults: Option<PathBuf>,

    /// Take options from this file, where they are not given here
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,

    /// Write the options to this new file, for --config
    #[arg(long, value_name = "FILE.toml")]
    pub save_config: Option<PathBuf>,

    /// What is written to `save_config`, as `config::command_line` puts it.
    #[arg(skip)]
    pub config_text: String,

    /// Show the board after each move (the default for at most two games)
    #[arg(long)]
    pub board: bool,

    /// Show nothing but the summary at the end
    #[arg(long, conflicts_with = "board")]
    pub quiet: bool,

    /// Write events for programs instead, a line of JSON each
    #[arg(long, conflicts_with_all = ["board", "quiet"])]
    pub json: bool,

    /// How the board is drawn
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The options of `referee openings`.
#[derive(Args, Debug)]
#[command(after_help = BOOK_HELP)]
pub struct OpeningsArgs {
    /// The game
    #[arg(long, default_value_t, value_parser = variant, value_name = "NAME")]
    pub variant: Variant,

    /// How many openings, 1 to 100000
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000), value_name = "N")]
    pub count: u64,

    /// Random moves of each, 0 to 1000
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_PLIES)), value_name = "P")]
    pub plies: u32,

    /// Pieces and turns
    #[command(flatten)]
    pub setup: SetupArgs,

    /// What the openings are drawn from
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,

    /// The engine that judges, `cmd=lodestone` where not said, with `nodes=20000`
    /// where neither time nor depth nor nodes are said
    #[arg(long, value_name = "KEY=VALUE…")]
    pub engine: Option<String>,

    /// Which scores are taken, in hundredths and for the first player: CP for as
    /// much to either side, or LOW..HIGH
    #[arg(long, default_value = "100", allow_hyphen_values = true, value_name = "CP")]
    pub window: Window,

    /// Write the book to this new file, not to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The options of `referee report`.
#[derive(Args, Debug)]
#[command(after_help = REPORT_HELP)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct ReportArgs {
    /// Result files: of one match, its shards perhaps, or of several
    #[arg(value_name = "FILE.jsonl", required = true)]
    pub files: Vec<PathBuf>,

    /// Where the transcripts of games lost by a fault are, if not beside the
    /// files
    #[arg(long, value_name = "DIR")]
    pub faults: Option<PathBuf>,

    /// Write all games to this file as PGN
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,

    /// Write the numbers for programs instead, a line of JSON a match
    #[arg(long)]
    pub json: bool,

    /// Show who took how many points from whom, whatever the number of players
    #[arg(long, conflicts_with = "json")]
    pub crosstable: bool,

    /// Show how long each player took for a move
    #[arg(long, conflicts_with = "json")]
    pub times: bool,

    /// Show every meeting of two players in a line
    #[arg(long, conflicts_with = "json")]
    pub head_to_head: bool,
}

/// What a person chooses for a game of Gridlock.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct SetupArgs {
    /// Gridlock: pieces a side, 1 to 24
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(Setup::MAX_PIECES)), value_name = "N")]
    pub pieces: Option<u32>,

    /// Gridlock: how many turns, 1 to 1000
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(Setup::MAX_TURNS)), value_name = "T")]
    pub turns: Option<u32>,
}

/// The options of `referee play`.
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// The game to play
    #[arg(long, default_value_t, value_parser = variant, value_name = "NAME")]
    pub variant: Variant,

    /// Who moves first: `human`, a built-in name or the path of a program
    /// (asked for where not said)
    #[arg(long, value_name = "WHO")]
    pub first: Option<String>,

    /// Who moves second, likewise
    #[arg(long, value_name = "WHO")]
    pub second: Option<String>,

    /// Pieces and turns, asked for where not said
    #[command(flatten)]
    pub setup: SetupArgs,

    /// Seconds that an engine has for a move
    #[arg(long, default_value = "3", value_parser = parse_seconds, value_name = "S")]
    pub st: Duration,

    /// What the placement of the pieces is drawn from (by chance where not
    /// said)
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// How the board is drawn
    #[command(flatten)]
    pub style: StyleArgs,
}

/// The variant of this name.
fn variant(name: &str) -> Result<Variant, String> {
    Variant::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        unknown("game", name, &names)
    })
}

/// The format of this name.
fn format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| unknown("format", name, &Format::ALL.map(Format::name)))
}

/// So many games can be played at a time: more than any machine has cores.
const MOST_SLOTS: usize = 1024;

fn slots(text: &str) -> Result<usize, String> {
    let slots = text.parse().ok().filter(|slots| (1..=MOST_SLOTS).contains(slots));
    slots.ok_or_else(|| format!("expected a whole number from 1 to {MOST_SLOTS}"))
}

/// What comes of `referee openings`.
const BOOK_HELP: &str = "\
No two openings lead to the same position, turned or mirrored perhaps. Each is
searched once; those with a score outside the window are left out, and so are
those that are won, lost or tied already. With an engine that `depth` or `nodes`
bounds, the same command makes the same book; it has a minute for each opening
where no time is said. `referee match --help` has all settings of --engine.

A book is text, an opening a line: `startpos` or a FEN, then perhaps `moves` and
moves; or moves alone. Lines that begin with # mean nothing.

Example:
  referee openings --plies 6 --count 500 --window -50..50 --out book.txt
  referee match ./mybot lodestone --openings book.txt --games 1000";

/// What comes of `referee report`.
const REPORT_HELP: &str = "\
The tables are those of the match itself. A game that stands in two files counts
once; files of different matches have a table each. A match that still runs can
be reported on. What the schedule has and the files lack is named, and the exit
status is 1; it is 0 where nothing lacks or a sequential test ended the match.

Example:
  referee report shard-*.jsonl --crosstable --pgn games.pgn";

/// What stands behind `--engine` and `--each`.
const SETTINGS_HELP: &str = "\
Settings, for --engine and --each:
  cmd=PROGRAM      a path, a built-in name or a program in PATH; `human` for a person
  args='WORDS'     its arguments, quoted as for a shell
  dir=FOLDER       where it runs
  name=NAME        what it is called (by default the built-in's or the file's name)
  proto=uci|ugi    the protocol it speaks (uci); what a UGI engine claims of a game
                   that begins or is over is compared with the rules
  option.NAME=V    an option that it announces
  st=SECONDS       time for each move (where neither st nor tc is given: 3 for a
                   program, any for a person)
  tc=[MOVES/]SECONDS[+INC]  a clock instead
  depth=N nodes=N  limits beside the time
  timemargin=MS    how much later than its time an answer may come
  starttime=SECONDS  how long it may take for `uciok` and each `readyok` (10)
  stderr=FILE      a file that gets a copy of its stderr

A file for --config has the long options without their dashes as keys, and the
same settings in the tables [each] and [[engine]].

Example:
  referee match --engine cmd=./mybot --engine cmd=lodestone option.Hash=32 \\
      --each st=0.1 --games 20 --out games.jsonl";
