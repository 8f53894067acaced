//! The referee: a match, ladder, report or check as a user asks for it, and a game by hand. How a match is played and
//! recorded is in `referee_core`, which knows no command line. The library is what `referee-serve` and the tests use of
//! the program: any version may change it.
//!
//! What reads a user's words, what writes for people, and the commands are here. Roughly from the bottom up;
//! `tests/engine/modules` refuses modules that import each other in a cycle:
//!
//! * [`embedded`]: files of other folders that the program contains.
//! * [`exit_status`]: how a command ends.
//! * [`toml_file`]: a TOML file and the places of its errors.
//! * [`terminal`]: text that fits a terminal, and progress that is redrawn.
//! * [`view`]: games and boards, as text and as JSON.
//! * [`bots`]: programs that play, and what their authors need: examples, the conformance test, bridges.
//! * [`rules_check`]: checks and comparison of rules programs.
//! * [`config`]: options, settings and players from the command line, TOML files and folders.
//! * [`feedback`]: what students read about faults and failed starts.
//! * [`inbox`]: submissions from the folders and archives that students have sent.
//! * [`by_hand`]: a game by hand without a screen, and the levels of the computer.
//! * [`report`]: summaries, tables, missing games and pages.
//! * [`matches`]: plays the games of a match in parallel slots, and shows them.
//! * [`interactive`]: games by hand in a terminal, the menu and the prompt.
//! * [`command`]: one file for each subcommand.
//!
//! An engine is never trusted: every wait has one deadline, every buffer has a bound, and
//! every process has a supervisor that kills its child processes.

// The tour is for readers of the code: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// No interface for others, and the type of an error says what can fail.
#![allow(missing_docs, clippy::missing_errors_doc)]
// Linux uses everything.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)
)]

mod bots;
mod by_hand;
mod command;
mod config;
mod embedded;
mod exit_status;
mod feedback;
mod inbox;
mod interactive;
mod matches;
mod report;
mod rules_check;
mod terminal;
mod toml_file;
mod view;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use lodestone_game::logging::{self, Target};
use referee_core::failure::{Failure, Stop};
use referee_core::io::interrupt;
use referee_core::io::text::is_printable;

use crate::config::rules_loader;
use crate::exit_status::ExitStatus;

// What other packages use: the server, the fitting of the engine's evaluation, the fuzzer, benchmarks and tests.

pub use crate::bots::check::CHECKS;
pub use crate::by_hand::level::{DEFAULT_LEVEL, all as levels};
pub use crate::by_hand::{HandGame, HandSeat, PATIENCE, make_program, new_game as begin_game};
pub use crate::command::analyze::GameSummary;
pub use crate::command::completions::command_lines;
pub use crate::command::internal::BuiltInPlayer;
pub use crate::config::cli::{Cli, Command, SandboxArgs, ServeArgs, is_host_name};
pub use crate::config::roster::resolve_or_skip;
pub use crate::config::settings::{SEPARATOR, Settings, gather};
pub use crate::config::{CommandLineError, command_line, lookalikes, other_programs, submissions};
pub use crate::matches::display::ReadEvent;
pub use crate::matches::plan::level_in;
pub use crate::report::page::{code_lines, dense};
pub use crate::terminal::progress::Task as ProgressTask;
pub use crate::view::drawing::reworded;
pub use crate::view::{GameView, LineView};

/// Supervises or becomes an engine, for which the referee starts itself; `None` for other
/// arguments. Each start of an engine waits for it, so it comes before the logger and the
/// definition of the command line.
pub fn supervise(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = arguments.into_iter().skip(1);
    let (command, None) = (words.next()?, words.next()) else {
        return None;
    };
    let ended = command::internal::supervise(command.to_str()?)?;
    Some(ended.unwrap_or_else(|failure| failed(&failure)))
}

/// Writes messages to standard error, past the progress on a terminal, and to the log of the match.
pub fn init_logging() {
    let output = Target::Pipe(Box::new(crate::terminal::progress::LogWriter));
    logging::init(
        "referee",
        terminal::arranged,
        output,
        referee_core::io::log_file::message,
    );
}

/// Runs the program with these arguments, its own name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>, player: BuiltInPlayer) -> ExitCode {
    run_with(arguments, player, None)
}

/// What runs `referee serve`.
pub type Server = fn(&ServeArgs) -> Result<(), Failure>;

/// The same. Without a `server`, another program runs `referee serve`.
pub fn run_with(
    arguments: impl IntoIterator<Item = OsString>,
    player: BuiltInPlayer,
    server: Option<Server>,
) -> ExitCode {
    referee_core::system::processes::raise_open_files();
    if let Err(error) = interrupt::report_full_files() {
        log::warn!("a file that reaches the limit of its size would end the referee: {error}");
    }
    let words: Vec<OsString> = arguments.into_iter().collect();
    let is_clean = |word: &OsString| word.to_string_lossy().chars().all(is_printable);
    let are_clean = words.iter().all(is_clean);
    let cli = match config::command_line(words) {
        Ok(cli) => cli,
        Err(CommandLineError::Clap(error)) => return explained(&error, are_clean),
        Err(CommandLineError::Config(failure)) => return failed(&failure),
    };
    let mut cli = cli;
    let server = match (&cli.command, server) {
        (Some(Command::Serve(_)), None) => {
            return command::serve::run().unwrap_or_else(|failure| failed(&failure));
        }
        (_, server) => server,
    };
    let rules = match cli.command.as_mut().map_or(Ok(None), rules_loader::load_for) {
        Ok(rules) => rules,
        Err(failure) => return failed(&failure),
    };
    // Without its output, a match would go on unseen.
    let only_prints = !matches!(
        cli.command,
        None | Some(Command::Match(_) | Command::Ladder(_) | Command::Tune(_) | Command::Play(_))
    );
    let mut ended = match cli.command {
        None => command::play::menu(cli.style).map(|()| ExitCode::SUCCESS),
        Some(Command::Match(args)) => command::match_command::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Ladder(args)) => command::ladder::run(*args).map(|()| ExitCode::SUCCESS),
        Some(Command::Tune(args)) => command::tune::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Play(args)) => command::play::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Serve(args)) => server
            .map_or(Ok(()), |serve| serve(&args))
            .map(|()| ExitCode::SUCCESS),
        Some(Command::Openings(args)) => command::openings::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Report(args)) => command::report::run(&args),
        Some(Command::Show(args)) => command::show::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Analyze(args)) => command::analyze::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Check(args)) => command::check::run(&args),
        Some(Command::Grade(args)) => command::grade::run(&args),
        Some(Command::Collect(args)) => command::collect::run(&args),
        Some(Command::Rules(args)) => command::rules::run(&args),
        Some(Command::Verify(args)) => command::verify::run(&args),
        Some(Command::Adapt(args)) => command::adapt::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::NewBot(args)) => command::new_bot::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::NewRules(args)) => command::new_rules::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Completions { shell, program }) => {
            command::completions::run(shell, program).map(|()| ExitCode::SUCCESS)
        }
        Some(Command::Bridge(args)) => command::bridge::run(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Builtin { name, rules }) if rules.is_empty() => {
            command::internal::builtin(&name, player)
        }
        Some(Command::Builtin { name, rules }) => command::internal::builtin_by_rules(&name, &rules),
    };
    // Whatever a signal has cut off did not fail.
    if let (Err(Failure::Usage(_)), Err(signal)) = (&ended, interrupt::check()) {
        ended = Err(signal.into());
    }
    if let Some(program) = rules.and_then(|rules| rules.program()) {
        // Without an answer of the rules, no input can be used.
        if let (Err(Failure::Usage(_)), Some(why)) = (&ended, program.failure()) {
            ended = Err(Stop::Rules(why).into());
        }
        program.close();
    }
    match ended {
        // The reader of the output has seen enough, as `head` has.
        Err(Failure::Stopped(Stop::Broken(error)))
            if only_prints && error.kind() == ErrorKind::BrokenPipe =>
        {
            ExitCode::SUCCESS
        }
        ended => ended.unwrap_or_else(|failure| failed(&failure)),
    }
}

/// Prints help or an error of the command line. It has colours if the words that it may quote hold
/// no control characters.
fn explained(error: &clap::Error, are_words_clean: bool) -> ExitCode {
    let mut text = if are_words_clean {
        error.render().ansi().to_string()
    } else {
        terminal::cleaned(&error.render().to_string())
    };
    if error.use_stderr() {
        // As each other message begins.
        text = text.replacen("error:", "referee:", 1);
    }
    // A reader that closes the pipe early is not a failure.
    let _ = if error.use_stderr() {
        let text = terminal::fitted(&text, std::io::stderr());
        anstream::stderr().write_all(text.as_bytes())
    } else {
        let text = terminal::fitted(&text, std::io::stdout());
        anstream::stdout().write_all(text.as_bytes())
    };
    ExitCode::from(error.exit_code() as u8)
}

/// Writes a failure to standard error, which may be closed.
fn failed(failure: &Failure) -> ExitCode {
    let mut message = terminal::arranged(&format!("referee: {failure}"));
    message.push('\n');
    if matches!(failure, Failure::Usage(_) | Failure::Start(_)) && std::env::current_dir().is_err() {
        message += "  the current folder has been deleted; enter another one with `cd`\n";
    }
    // One call, so that no other output comes between the message and its end of line.
    let _ = std::io::stderr().write_all(message.as_bytes());
    ExitStatus::from(failure).into()
}
