//! The command line, as clap definitions.
//!
//! An option is declared here, once. The file of `--config` is read as words of a command line
//! (`config/file.rs`).

mod bot_args;
mod game_args;
mod grade_args;
mod ladder_args;
mod match_args;
mod serve_args;
mod shared;

pub(crate) use bot_args::{AdaptArgs, BridgeArgs, CheckArgs, NewBotArgs, NewRulesArgs, PlayArgs, RulesArgs};
pub(crate) use game_args::{AnalyzeArgs, OpeningsArgs, ReportArgs, ShowArgs, VerifyArgs};
pub(crate) use grade_args::{CollectArgs, GradeArgs, ResultsFormat};
pub(crate) use ladder_args::LadderArgs;
pub(crate) use match_args::{MatchArgs, OutputFormat, RunArgs, TuneArgs};
pub use serve_args::{ServeArgs, is_host_name};
pub use shared::SandboxArgs;
pub(crate) use shared::{GameArgs, RulesArg, SandboxChoice, SetupArgs, StyleArgs};

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::help;

/// Run matches and tournaments between programs, or play against them
///
/// The referee checks every move by the rules of the game. Without a command, a menu asks what
/// to play.
#[derive(Debug, Parser)]
#[command(
    name = "referee",
    version = lodestone_game::VERSION,
    args_conflicts_with_subcommands = true,
    propagate_version = true,
    subcommand_value_name = "COMMAND",
    after_help = "`referee COMMAND -h` lists the options of a command. `--help` adds details and examples.",
    after_long_help = help::below_options("referee").unwrap_or_default(),
    mut_subcommands = help::with_texts,
    max_term_width = 100
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
    /// Play a match or a tournament between programs
    Match(Box<MatchArgs>),
    /// Keep a rating list of submissions that students update
    Ladder(Box<LadderArgs>),
    /// Tune engine parameters by self-play (SPSA)
    Tune(Box<TuneArgs>),
    /// Play against a program or another person
    Play(PlayArgs),
    /// Play, watch matches and look at results in a browser
    Serve(Box<ServeArgs>),
    /// Write a book of balanced openings
    Openings(Box<OpeningsArgs>),
    /// Print tables of the results, or write them as HTML, PGN or CSV
    Report(ReportArgs),
    /// Replay all games by the same or by other rules, and list those that differ
    Verify(VerifyArgs),
    /// Print one game, with the board after each move
    Show(ShowArgs),
    /// Find mistakes in finished games with an engine
    Analyze(Box<AnalyzeArgs>),
    /// Check whether a bot can play matches
    Check(Box<CheckArgs>),
    /// Grade submissions by their games against fixed opponents
    Grade(Box<GradeArgs>),
    /// Make submissions of the folders and archives that students have sent
    Collect(CollectArgs),
    /// Check a program with the rules of a game, or compare two
    Rules(RulesArgs),
    /// Use an interactive console program as a bot
    Adapt(AdaptArgs),
    /// Write the source code of a simple bot to a new folder
    NewBot(NewBotArgs),
    /// Write the rules of a small game and a bot in Python to a new folder
    NewRules(NewRulesArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell that runs the script
        #[arg(value_name = "SHELL")]
        shell: Shell,
        /// Program to complete
        #[arg(value_name = "PROGRAM", default_value = "referee")]
        program: ProgramArg,
    },
    /// Translate between the referee and an engine of another protocol (the referee starts itself with this command)
    #[command(hide = true)]
    Bridge(BridgeArgs),
    /// Run a built-in engine (the referee starts itself with this command)
    #[command(hide = true)]
    Builtin {
        /// Name of the engine
        name: String,
        /// Program with the rules of its game, with settings as for `referee rules`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rules: Vec<String>,
    },
}

/// A program of this project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgramArg {
    /// The program that plays matches
    Referee,
    /// The engine
    Lodestone,
}

/// The command line without internal commands, for completions.
pub(crate) fn visible_command() -> clap::Command {
    let command = Cli::command();
    let subcommands = command.get_subcommands().filter(|command| !command.is_hide_set());
    clap::Command::new("referee")
        .version(lodestone_game::VERSION)
        .propagate_version(true)
        .args_conflicts_with_subcommands(true)
        .args(command.get_arguments())
        .subcommands(subcommands)
        .about(command.get_about().cloned().unwrap_or_default())
        .long_about(command.get_long_about().cloned().unwrap_or_default())
}
