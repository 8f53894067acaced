//! Why the referee itself ends with another status than 0.

use std::fmt;

use crate::io::interrupt::{Signal, Stop};

/// What a script learns from the exit status, and a person from the message.
#[derive(Debug)]
pub enum Failure {
    /// The command, an input file or an output path is wrong.
    Usage(String),
    /// An engine cannot be started, does not shake hands, or fails where no
    /// game can be lost by it.
    Start(String),
    /// Something cannot be written any more.
    Output(String),
    /// The referee was asked to end, or cannot show anything any more.
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
    /// The exit status of the program.
    #[must_use]
    pub const fn exit_status(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Start(_) => 3,
            Failure::Output(_) | Failure::Stopped(Stop::Broken(_)) => 4,
            Failure::Stopped(Stop::Signal(signal)) => signal.exit_status(),
            // A person who leaves a match ends it as Ctrl-C does.
            Failure::Stopped(Stop::Quit) => Signal::Interrupt.exit_status(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(why) | Failure::Start(why) | Failure::Output(why) => f.write_str(why),
            Failure::Stopped(Stop::Signal(signal)) => f.write_str(signal.word()),
            Failure::Stopped(Stop::Quit) => f.write_str(Signal::Interrupt.word()),
            Failure::Stopped(Stop::Broken(error)) => {
                write!(f, "the terminal or standard output failed: {error}")
            }
        }
    }
}

impl From<std::io::Error> for Failure {
    /// Standard output or the terminal fails.
    fn from(error: std::io::Error) -> Failure {
        Failure::Stopped(Stop::Broken(error))
    }
}

impl std::error::Error for Failure {}
