//! Why an engine could not be started.

use std::io;
use std::path::{Path, PathBuf};

use super::NoMove;
use crate::failure::Stop;
use crate::io::text::ShowPath;
use crate::player::verdict::Fault;
use crate::process::{shortage, why_not_started};
use crate::system::processes::is_no_program;

/// Why an engine could not be started.
#[derive(Debug)]
pub enum StartError {
    /// The system cannot execute the program.
    Execution {
        /// The program.
        program: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It runs, but does not complete the handshake.
    NoHandshake(Fault),
    /// It does not announce an option of the settings, or not with this value: a clause.
    Option(String),
    /// It does not play from the starts of the match: a clause.
    Refused(String),
    /// The referee stops.
    Stopped(Stop),
}

impl StartError {
    /// The program of the engine `name` could not be executed. A machine that is short of something is no fault of the program.
    pub fn execution(name: &str, program: PathBuf, error: io::Error) -> StartError {
        match shortage(&error) {
            Some(what) => StartError::Stopped(Stop::Short(format!(
                "{name} cannot be started: {what}; this is not a player's fault, and no game is lost \
                 because of it"
            ))),
            None => StartError::Execution { program, error },
        }
    }

    /// A sentence about the engine `name`.
    pub fn sentence(&self, name: &str) -> String {
        match self {
            StartError::Stopped(stop) => stop.to_string(),
            _ => format!("{name} {}{}", self.clause(), self.more()),
        }
    }

    /// The sentence without the engine's name and the lines below it.
    pub fn clause(&self) -> String {
        match self {
            StartError::Execution { program, error } => {
                format!("cannot be started: {}", explained(program, error))
            }
            StartError::NoHandshake(fault) => {
                format!("did not complete the handshake: {}", fault.detail("it"))
            }
            StartError::Option(why) | StartError::Refused(why) => why.clone(),
            StartError::Stopped(stop) => stop.to_string(),
        }
    }

    /// The lines below the sentence.
    fn more(&self) -> String {
        match self {
            StartError::NoHandshake(fault @ Fault::Stall { .. }) => {
                format!(
                    "\n  `starttime=SECONDS` gives a slow starter more time{}",
                    fault.more_stderr()
                )
            }
            StartError::NoHandshake(fault) => fault.more_stderr(),
            _ => String::new(),
        }
    }
}

/// A system error with its likely cause.
fn explained(program: &Path, error: &io::Error) -> String {
    if is_no_program(error) {
        return format!("`{}` {}", program.shown(), why_not_started(program));
    }
    match error.kind() {
        // The program's file was there when the command line was checked.
        io::ErrorKind::NotFound => {
            let program = program.shown();
            format!("`{program}`: {error}; check the interpreter in its shebang line, and the folder `dir`")
        }
        _ => error.to_string(),
    }
}

impl From<StartError> for NoMove {
    /// An engine that cannot be restarted loses the game.
    fn from(error: StartError) -> NoMove {
        let fault = match error {
            StartError::NoHandshake(fault) => match fault.into_stop() {
                Ok(fault) => fault,
                Err(stop) => return NoMove::Stopped(stop),
            },
            StartError::Execution { program, error } => Fault::crash(format!(
                "cannot be started again: {}",
                explained(&program, &error)
            )),
            StartError::Option(why) | StartError::Refused(why) => Fault::crash(why),
            StartError::Stopped(stop) => return NoMove::Stopped(stop),
        };
        NoMove::fault(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)] // the number of the error
    fn the_sentence_about_a_short_machine_has_the_name_once() {
        let error = rustix::io::Errno::MFILE.into();
        let sentence = StartError::execution("b", "bots/b".into(), error).sentence("b");
        let begin = "b cannot be started: too many files are open";
        assert!(sentence.starts_with(begin), "{sentence}");
    }

    #[test]
    fn a_program_that_vanishes_is_named_as_at_the_first_start() {
        let error = || StartError::Execution {
            program: "bots/b".into(),
            error: io::ErrorKind::NotFound.into(),
        };
        let first = error().sentence("b");
        let NoMove::Fault { fault, .. } = NoMove::from(error()) else {
            panic!("no fault");
        };
        assert!(first.contains("`bots/b`: "), "{first}");
        assert_eq!(fault.sentence("b"), first.replace("started:", "started again:"));
    }
}
