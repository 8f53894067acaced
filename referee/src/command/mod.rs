//! One file for each subcommand, and helpers that several of them need.

#[cfg(unix)]
pub(crate) mod adapt;
pub mod analyze;
pub(crate) mod check;
pub(crate) mod contest;
pub(crate) mod internal;
pub(crate) mod new_bot;
pub(crate) mod openings;
pub(crate) mod packaging;
pub(crate) mod pgn;
mod plan;
pub(crate) mod play;
mod reading;
pub(crate) mod report;
pub(crate) mod show;
mod sprt_decide;
pub(crate) mod tune;

use std::io;
use std::sync::Arc;

use lodestone::game::{Setup, Variant};

use crate::config::cli::{SetupArgs, StyleArgs};
use crate::interactive::console::Console;
use crate::interactive::prompt::Prompt;
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;

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

/// Rejects `--pieces` and `--turns` for games without them.
fn check_setup(setup: SetupArgs, variant: Variant) -> Result<(), Failure> {
    let given = [("--pieces", setup.pieces()), ("--turns", setup.turns())];
    match given.into_iter().find(|(_, value)| value.is_some()) {
        Some((option, _)) if !variant.info().has_setup => {
            let others = Variant::ALL.iter().filter(|other| other.info().has_setup);
            let others: Vec<String> = others.map(|other| format!("`--variant {other}`")).collect();
            Err(Failure::Usage(format!(
                "{option} does not apply to {variant}; it is for {}",
                others.join(" or ")
            )))
        }
        _ => Ok(()),
    }
}

/// The given values, and the defaults for the others.
fn setup_or_default(setup: SetupArgs) -> Setup {
    let default = Setup::default();
    Setup {
        pieces: setup.pieces().unwrap_or(default.pieces),
        turns: setup.turns().unwrap_or(default.turns),
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

/// A prompt on standard input and output.
fn open_prompt(style: StyleArgs, interrupt: &Arc<Interrupt>) -> Result<Prompt, Failure> {
    let style = style.board_style();
    Ok(Prompt::new(Console::stdio(style, Arc::clone(interrupt))?, style))
}

/// The result of writing to standard output.
fn shown<T>(result: io::Result<T>) -> Result<T, Failure> {
    result.map_err(Failure::from)
}
