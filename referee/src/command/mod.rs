//! One file for each subcommand, and helpers that several of them need.

#[cfg_attr(not(unix), path = "adapt_elsewhere.rs")]
pub(crate) mod adapt;
pub(crate) mod analyze;
mod book_file;
pub(crate) mod builtin;
pub(crate) mod check;
pub(crate) mod completions;
mod engine_command;
pub(crate) mod launch;
pub(crate) mod man_pages;
pub(crate) mod matches;
pub(crate) mod menu;
pub(crate) mod new_bot;
pub(crate) mod openings;
pub(crate) mod play;
mod reading;
pub(crate) mod report;
pub(crate) mod show;
pub(crate) mod tune;

use std::io;
use std::sync::Arc;

use crate::interactive::prompt::Prompt;
use crate::interactive::session::{self, SessionPlan};
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Stop};

fn install_interrupt() -> Result<Arc<Interrupt>, Failure> {
    installed(Interrupt::install())
}

fn installed(interrupt: io::Result<Interrupt>) -> Result<Arc<Interrupt>, Failure> {
    let interrupt =
        interrupt.map_err(|error| Failure::Output(format!("cannot listen for signals: {error}")))?;
    Ok(Arc::new(interrupt))
}

/// Plays the session, unless the person has quit before it.
fn play_by_hand(
    plan: Result<SessionPlan, Failure>,
    prompt: Prompt,
    interrupt: &Arc<Interrupt>,
) -> Result<(), Failure> {
    match plan {
        Ok(plan) => session::run(plan, prompt, interrupt),
        Err(Failure::Stopped(Stop::Quit)) => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// The result of writing to standard output.
fn shown<T>(result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(Failure::from)
}
