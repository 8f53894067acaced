//! A question at the prompt, and what comes of it.

use std::time::Instant;

use crate::io::failure::Failure;
use crate::io::interrupt::{Signal, Stop};

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The question itself.
    pub text: &'a str,
    /// Answers that can be completed, lower case.
    pub words: &'a [String],
    /// Nobody waits for the answer any longer than this.
    pub deadline: Option<Instant>,
}

/// Why a question got no answer.
#[derive(Debug)]
pub enum Leave {
    /// The deadline passed.
    TimeUp,
    /// The person leaves, a signal came (also Ctrl-C for the second time), or the terminal fails.
    Stopped(Stop),
}

impl<S: Into<Stop>> From<S> for Leave {
    fn from(stop: S) -> Leave {
        Leave::Stopped(stop.into())
    }
}

impl From<Leave> for Failure {
    /// For games by hand, in which people have no clock.
    fn from(leave: Leave) -> Failure {
        match leave {
            Leave::TimeUp => Stop::Quit.into(),
            Leave::Stopped(stop) => stop.into(),
        }
    }
}

/// What came of waiting for a line.
#[derive(Debug)]
pub enum Heard {
    /// A line; bytes that are no UTF-8 are replaced.
    Line(String),
    /// Bytes that are no text.
    NoText,
    /// A line longer than [`LONGEST_LINE`].
    TooLong,
    /// The end of input.
    End,
    /// Ctrl-C on a terminal.
    CtrlC,
    /// A signal that ends the program.
    Signal(Signal),
    /// The deadline passed.
    TimeUp,
}
