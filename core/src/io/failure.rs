//! Failures of the referee and their exit statuses.

use thiserror::Error;

use crate::io::interrupt::{Signal, Stop};

/// The exit status when a program cannot be started or does not do what its protocol says.
pub(crate) const START_FAILED: u8 = 3;

/// The exit status when the rules program fails.
pub(crate) const RULES_FAILED: u8 = 5;

/// The exit status when the machine fails: an output, or something that a program needs.
pub(crate) const MACHINE_FAILED: u8 = 4;

/// A failure: the exit status for scripts, a message for people.
#[derive(Debug, Error)]
pub enum Failure {
    /// A warning about an engine ends a match (`--strict`).
    #[error("{0}")]
    Warning(String),
    /// The command, an input file or an output path is wrong.
    #[error("{0}")]
    Usage(String),
    /// An engine cannot be started, does not complete the handshake, or fails outside a game.
    #[error("{0}")]
    Start(String),
    /// An output failed.
    #[error("{0}")]
    Output(String),
    /// The referee was stopped, or its terminal failed.
    #[error(transparent)]
    Stopped(#[from] Stop),
}

impl From<Signal> for Failure {
    fn from(signal: Signal) -> Failure {
        Failure::Stopped(Stop::Signal(signal))
    }
}

impl Failure {
    pub const fn exit_status(&self) -> u8 {
        match self {
            Failure::Warning(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Start(_) => START_FAILED,
            // No command ends by a standstill, or by a program that waits for a processor.
            Failure::Output(_)
            | Failure::Stopped(Stop::Broken(_) | Stop::Short(_) | Stop::Standstill | Stop::Starved(_)) => {
                MACHINE_FAILED
            }
            Failure::Stopped(Stop::Rules(_)) => RULES_FAILED,
            Failure::Stopped(Stop::Signal(signal)) => signal.exit_status(),
            // A person who leaves a match ends it like Ctrl-C.
            Failure::Stopped(Stop::Quit) => Signal::Interrupt.exit_status(),
        }
    }
}

impl From<std::io::Error> for Failure {
    /// Standard output or the terminal failed.
    fn from(error: std::io::Error) -> Failure {
        Failure::Stopped(Stop::Broken(error))
    }
}
