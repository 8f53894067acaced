//! The referee: lets programs play Magnetic Cave and Gridlock against each
//! other, or against a person, and judges them by the rules.
//!
//! How a match flows, from the command line to the result file:
//!
//! * [`cli`]: what can be typed; [`settings`]: the lists of `KEY=VALUE` in it.
//! * [`config`]: options and players from TOML files and folders.
//! * [`command`]: one file a subcommand, which puts the rooms below together.
//! * [`roster`]: which program each engine is, and what it is called.
//! * [`schedule`]: which games there are; [`openings`]: how they begin.
//! * [`tournament`]: which of them are over, and what they came to;
//!   [`forfeits`]: pairings given up; [`standings`]: the counts, [`statistics`]: what they mean; [`missing`]:
//!   what a report lacks.
//! * [`hall`]: where they are played, so many at a time.
//! * [`player`]: an engine, or a person of [`hand`], alike to the
//! * [`arbiter`], which plays one game on a [`clock`] and gives a [`verdict`].
//! * [`hand`]: games by hand, from the menu to the saved game.
//! * [`process`]: engines as child processes, who looks after them, and the
//!   pipes to them;
//!   [`lines`]: bytes to lines; [`console`]: the person at the keyboard;
//!   [`interrupt`]: Ctrl-C and SIGTERM.
//! * [`results`]: the result file; [`evidence`]: what was said in games that
//!   were lost by a fault; [`show`]: what people see.
//! * [`failure`]: the exit status, where it is not 0.
//!
//! An engine is never trusted: every wait has one deadline, every buffer a
//! bound, every process a supervisor that ends all that it started.

// It needs process groups, signals and pipes that do not block; `main` says so
// on a system without them.
#![cfg(unix)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

pub mod arbiter;
pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
pub mod console;
mod digest;
pub mod evidence;
pub mod failure;
mod files;
pub mod forfeits;
pub mod games;
pub mod hall;
pub mod hand;
pub mod interrupt;
pub mod lines;
pub mod missing;
mod nearest;
pub mod openings;
pub mod player;
pub mod process;
pub mod results;
pub mod roster;
pub mod schedule;
pub mod settings;
pub mod show;
pub mod standings;
pub mod statistics;
pub mod tournament;
pub mod verdict;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::cli::Command;
use crate::config::Refusal;
use crate::failure::Failure;

/// Runs the program with these arguments, its own name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match config::command_line(&settings::gather(arguments)) {
        Ok(cli) => cli,
        Err(Refusal::Clap(error)) => {
            // Help that nobody reads, as through a closed pipe, is no failure.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
        Err(Refusal::Config(failure)) => return failed(&failure),
    };
    let ended = match cli.command {
        None => command::menu::run(cli.look).map(|()| ExitCode::SUCCESS),
        Some(Command::Match(args)) => command::contest::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Play(args)) => command::play::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Openings(args)) => command::openings::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Report(args)) => command::report::run(&args),
        Some(Command::BenchRelay(args)) => command::bench_relay::run(&args).map(|()| ExitCode::SUCCESS),
        #[cfg(target_os = "linux")]
        Some(Command::Launch) => command::launch::run(),
        Some(Command::Builtin { name }) => command::builtin::run(&name),
        Some(Command::Stub) => command::bench_relay::stub::run(),
    };
    ended.unwrap_or_else(|failure| failed(&failure))
}

/// Tells the user once, on standard error, which may be closed. What a file or
/// an engine says may be repeated in it, and the terminal does not obey that.
fn failed(failure: &Failure) -> ExitCode {
    use std::io::Write;
    let text = failure.to_string();
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| show::printable(line, usize::MAX))
        .collect();
    let _ = writeln!(std::io::stderr(), "referee: {}", lines.join("\n"));
    ExitCode::from(failure.exit_status())
}
