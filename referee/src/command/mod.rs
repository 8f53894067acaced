//! One file for each subcommand, and helpers that several of them need.

#[cfg(unix)]
pub(crate) mod adapt;
pub(crate) mod analyze;
pub(crate) mod bridge;
pub(crate) mod check;
pub(crate) mod check_all;
mod claims;
pub(crate) mod collect;
pub(crate) mod completions;
mod fault_text;
pub(crate) mod grade;
pub(crate) mod in_order;
pub(crate) mod internal;
pub(crate) mod ladder;
pub(crate) mod match_command;
pub(crate) mod new_bot;
pub(crate) mod new_rules;
pub(crate) mod openings;
pub(crate) mod play;
pub(crate) mod report;
pub(crate) mod rules;
mod runs;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod tune;
pub(crate) mod verify;

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::cli::RulesArg;
use crate::exit_status::ExitStatus;
use crate::terminal::progress::{self, Stream};
use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::files;
use referee_core::io::interrupt::Interrupt;

/// `referee adapt` on a system without pseudo-terminals.
#[cfg(not(unix))]
pub(crate) mod adapt {
    use referee_core::failure::Failure;

    /// Refuses.
    pub fn run(_: &crate::config::cli::AdaptArgs) -> Result<(), Failure> {
        Err(Failure::Usage(
            "`referee adapt` needs pseudo-terminals, which this system does not have; \
             use it on Linux or macOS, or in WSL"
                .into(),
        ))
    }
}

fn install_interrupt() -> Result<Arc<Interrupt>, Failure> {
    installed(Interrupt::install())
}

fn installed(interrupt: io::Result<Interrupt>) -> Result<Arc<Interrupt>, Failure> {
    let interrupt =
        interrupt.map_err(|error| Failure::Output(format!("cannot listen for signals: {error}")))?;
    Ok(Arc::new(interrupt))
}

/// Writes text to standard output.
fn print(text: &str) -> Result<(), Failure> {
    Ok(progress::print(Stream::Stdout, text)?)
}

/// Checks that a rules program is not given for games of built-in rules, which need none.
fn check_rules(given: &RulesArg, games: impl IntoIterator<Item = Option<Ruleset>>) -> Result<(), Failure> {
    let built_in = |game: Option<Ruleset>| game.filter(|game| game.variant().is_some());
    let games: Option<Vec<Ruleset>> = games.into_iter().map(built_in).collect();
    match games.as_deref() {
        Some([game, ..]) if given.loaded.is_some() => Err(Failure::Usage(format!(
            "--rules: the games are of {game}, whose rules are built in; leave out --rules, or replay them by \
                 other rules with `referee verify`"
        ))),
        _ => Ok(()),
    }
}

/// Locks a folder until the file is closed: two commands would remove what the other one makes there. `place` is the
/// folder in messages.
fn lock_folder(folder: &Path, place: &str, command: &str) -> Result<File, Failure> {
    let failed = |why: &str| Failure::Usage(format!("{place}: {why}"));
    let held = files::lock_folder(folder, &format!(".referee-{command}.lock"));
    held.map_err(|error| failed(&error.to_string()))?.ok_or_else(|| {
        failed(&format!(
            "another `referee {command}` works in this folder; wait until it has ended, or choose another one"
        ))
    })
}

/// The end of a command that judges.
fn verdict(is_good: bool) -> ExitCode {
    ExitStatus::of_verdict(is_good).into()
}
