//! Why the referee itself ends with another status than 0.

use std::fmt;
use std::io;

use crate::io::interrupt::Signal;

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
    /// A signal asked the referee to end.
    Interrupted(Signal),
}

impl Failure {
    /// The exit status of the program.
    #[must_use]
    pub const fn exit_status(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Start(_) => 3,
            Failure::Output(_) => 4,
            Failure::Interrupted(signal) => signal.exit_status(),
        }
    }

    /// Standard output or the terminal does not take any more.
    #[must_use]
    pub fn of_terminal(error: &io::Error) -> Failure {
        Failure::Output(format!("the terminal or standard output failed: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(why) | Failure::Start(why) | Failure::Output(why) => f.write_str(why),
            Failure::Interrupted(signal) => f.write_str(signal.word()),
        }
    }
}

impl std::error::Error for Failure {}
