//! One file for each subcommand, and helpers that several of them need.

#[cfg(unix)]
pub(crate) mod adapt;
pub(crate) mod analyze;
pub(crate) mod bridge;
pub(crate) mod check;
pub(crate) mod check_all;
mod claims;
pub(crate) mod completions;
pub(crate) mod in_order;
pub(crate) mod internal;
pub(crate) mod ladder;
pub(crate) mod matches;
pub(crate) mod new_bot;
pub(crate) mod new_rules;
pub(crate) mod openings;
pub(crate) mod play;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod tune;
pub(crate) mod verify;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::io::progress::{self, Stream};

/// `referee adapt` on a system without pseudo-terminals.
#[cfg(not(unix))]
pub(crate) mod adapt {
    use crate::io::failure::Failure;

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

/// The exit status of a command that judges: 1 if it has found something wrong.
fn verdict(is_good: bool) -> ExitCode {
    ExitCode::from(u8::from(!is_good))
}
