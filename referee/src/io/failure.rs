//! Failures of the referee and their exit statuses.

use std::fmt;

use crate::io::interrupt::{Signal, Stop};

/// A failure: the exit status for scripts, a message for people.
#[derive(Debug)]
pub enum Failure {
    /// The command, an input file or an output path is wrong.
    Usage(String),
    /// An engine cannot be started, does not complete the handshake, or fails outside a game.
    Start(String),
    /// An output failed.
    Output(String),
    /// The referee was stopped, or its terminal failed.
    Stopped(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

impl From<Signal> for Failure {
    fn from(signal: Signal) -> Failure {
        Failure::Stopped(Stop::Signal(signal))
    }
}

impl Failure {
    /// The exit status.
    #[must_use]
    pub const fn exit_status(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Start(_) => 3,
            Failure::Output(_) | Failure::Stopped(Stop::Broken(_)) => 4,
            Failure::Stopped(Stop::Signal(signal)) => signal.exit_status(),
            // A person who leaves a match ends it like Ctrl-C.
            Failure::Stopped(Stop::Quit) => Signal::Interrupt.exit_status(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(why) | Failure::Start(why) | Failure::Output(why) => f.write_str(why),
            Failure::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl From<std::io::Error> for Failure {
    /// Standard output or the terminal failed.
    fn from(error: std::io::Error) -> Failure {
        Failure::Stopped(Stop::Broken(error))
    }
}

impl std::error::Error for Failure {}
