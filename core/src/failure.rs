//! Why the referee stops a game, a match or itself, where no player is responsible.

use std::io;

use thiserror::Error;

use crate::io::interrupt::Signal;

/// Why the referee stops a game or exits. No player is responsible.
#[derive(Debug, Error)]
pub enum Stop {
    /// A signal, or [`Interrupt::stop`].
    #[error(transparent)]
    Signal(#[from] Signal),
    /// A person leaves, which ends a match like Ctrl-C.
    #[error("{}", Signal::Interrupt)]
    Quit,
    /// The referee stood still during the game, which is played again.
    #[error("the referee was suspended during the game")]
    Standstill,
    /// The machine may have ended a program, as the sentence says; the game is played again.
    #[error("{0}")]
    Starved(String),
    /// A program waited so long for a processor that this is no game, as the sentence says.
    #[error("{0}")]
    Busy(String),
    /// The machine is short of something that the start of a program needs.
    #[error("{0}")]
    Short(String),
    /// The rules program failed: what it did, and the position.
    #[error("{0}")]
    Rules(String),
    /// Standard output or the terminal failed.
    #[error("the terminal or standard output failed: {0}")]
    Broken(#[from] io::Error),
}

/// A failure of a command: its kind, which decides the exit status, and a message for people.
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

impl From<io::Error> for Failure {
    /// Standard output or the terminal failed.
    fn from(error: io::Error) -> Failure {
        Failure::Stopped(Stop::Broken(error))
    }
}
