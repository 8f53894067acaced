//! Why an engine does not start, or does not come back.

use std::io;

use super::NoMove;
use crate::io::interrupt::Signal;
use crate::io::text::printable;
use crate::player::verdict::Fault;

/// Why an engine did not start.
#[derive(Debug)]
pub enum StartError {
    /// The system could not execute it.
    Execution(io::Error),
    /// It runs but does not speak.
    NoHandshake(Fault),
    /// A setting names an option that it does not have.
    UnknownOption {
        /// The option.
        option: String,
        /// A suggestion for the end of the message; may be empty.
        hint: String,
    },
    /// The referee is asked to end.
    Interrupted(Signal),
}

impl StartError {
    /// The error as a sentence about the engine called `name`.
    #[must_use]
    pub fn sentence(&self, name: &str) -> String {
        match self {
            StartError::Execution(error) => format!("{name} cannot be started: {}", hint(error)),
            StartError::NoHandshake(fault) => {
                let (sentence, last_words) = (fault.sentence(name), fault.last_words());
                let more_time = match fault {
                    Fault::Stall { .. } => "\n  `starttime=SECONDS` gives a slow starter more time",
                    _ => "",
                };
                format!("{name} does not shake hands: {sentence}{more_time}{last_words}")
            }
            StartError::UnknownOption { option, hint } => {
                format!(
                    "{name} announces no option `{}`{}",
                    printable(option, 60),
                    printable(hint, 60)
                )
            }
            StartError::Interrupted(signal) => signal.word().to_string(),
        }
    }
}

/// An error of starting a program, and what may help.
fn hint(error: &io::Error) -> String {
    match error.kind() {
        // The file is there, that has been looked at before.
        io::ErrorKind::NotFound => {
            format!("{error}; is the interpreter in its first line, or its folder `dir`, there?")
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            format!("{error}; a script needs a first line such as #!/usr/bin/env python3")
        }
        _ => error.to_string(),
    }
}

impl From<StartError> for NoMove {
    /// An engine that does not come back loses the game.
    fn from(error: StartError) -> NoMove {
        let crash = |how| Fault::Crash {
            how,
            stderr: Vec::new(),
        };
        let fault = match error {
            StartError::NoHandshake(fault) => fault,
            StartError::Execution(error) => crash(format!("cannot be started again: {error}")),
            StartError::UnknownOption { option, .. } => crash(format!("has no option `{option}` any more")),
            StartError::Interrupted(signal) => return signal.into(),
        };
        NoMove::fault(fault)
    }
}
