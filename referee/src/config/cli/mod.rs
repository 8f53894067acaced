//! The command line, as clap definitions.
//!
//! A match option is declared once, in [`MatchArgs`]: clap reads it from the command
//! line, serde reads it from the file of `--config` and writes it for `--save-config`.

mod bot_args;
mod game_args;
mod match_args;
mod shared;

pub(crate) use bot_args::{AdaptArgs, CheckArgs, NewBotArgs, PlayArgs};
pub(crate) use game_args::{AnalyzeArgs, OpeningsArgs, ReportArgs, ShowArgs};
pub(crate) use match_args::{MatchArgs, OutputFormat, RunArgs, TuneArgs};
pub(crate) use shared::{SetupArgs, StyleArgs};

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use self::shared::{SHORT_NOTE, long_help};

/// Runs matches and tournaments between programs, and games against you. Checks every
/// move by the rules of the game.
///
/// Without a command, a menu asks what to play by hand.
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version = lodestone_program::VERSION,
    args_conflicts_with_subcommands = true,
    propagate_version = true,
    subcommand_value_name = "COMMAND",
    after_help = "`referee COMMAND --help` explains a command. `--help` has examples.",
    after_long_help = long_help("referee")
)]
pub struct Cli {
    /// The subcommand; without one, the menu.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How the menu draws boards.
    #[command(flatten)]
    pub style: StyleArgs,
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
    /// Print one game, with a board for each move
    Show(ShowArgs),
    /// Find the mistakes of finished games with an engine
    Analyze(Box<AnalyzeArgs>),
    /// Check whether a bot is fit to play
    Check(CheckArgs),
    /// Make a bot of a program that asks at a menu and prints a board
    Adapt(AdaptArgs),
    /// Write a bot to start from, in a folder of its own
    NewBot(NewBotArgs),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = SHORT_NOTE, after_long_help = long_help("completions"))]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
        /// The program whose commands and options the script completes
        #[arg(value_name = "PROGRAM", default_value = "referee")]
        program: ProgramArg,
    },
    /// Write a man page for each command into a folder
    #[command(hide = true)]
    ManPages {
        /// The folder, such as ~/.local/share/man/man1
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
    /// Run a built-in engine (the referee starts itself with this command)
    #[command(hide = true)]
    Builtin {
        /// The name of the engine
        name: String,
    },
}

/// A program of this project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgramArg {
    /// The program that runs games
    Referee,
    /// The engine
    Lodestone,
}

/// The command line without internal commands, for completions and man pages.
pub(crate) fn visible_command() -> clap::Command {
    let command = Cli::command();
    let subcommands = command.get_subcommands().filter(|command| !command.is_hide_set());
    let visible = clap::Command::new("referee")
        .version(lodestone_program::VERSION)
        .propagate_version(true)
        .args_conflicts_with_subcommands(true)
        .args(command.get_arguments())
        .subcommands(subcommands);
    match command.get_long_about() {
        Some(about) => visible.about(about.clone()),
        None => visible,
    }
}
