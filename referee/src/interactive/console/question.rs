//! A question, and the outcomes of asking it.

use std::time::Instant;

use crate::io::failure::Failure;
use crate::io::interrupt::{Signal, Stop};

#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The text, without the space after it.
    pub text: &'a str,
    /// Answers that Tab completes, lower case.
    pub words: &'a [String],
    /// When to stop waiting for the answer.
    pub deadline: Option<Instant>,
    /// When the clock of the person runs out. A terminal shows the time left.
    pub clock: Option<Instant>,
}

/// Why a question has no answer.
#[derive(Debug)]
pub(crate) enum NoInput {
    /// The deadline passed.
    TimeUp,
    /// The person quits, a signal arrives (or a second Ctrl-C), or the terminal fails.
    Stopped(Stop),
}

impl<S: Into<Stop>> From<S> for NoInput {
    fn from(stop: S) -> NoInput {
        NoInput::Stopped(stop.into())
    }
}

impl From<NoInput> for Failure {
    /// For games by hand, where people have no clock.
    fn from(no_input: NoInput) -> Failure {
        match no_input {
            NoInput::TimeUp => Stop::Quit.into(),
            NoInput::Stopped(stop) => stop.into(),
        }
    }
}

/// The outcome of reading a line.
#[derive(Debug)]
pub enum ReadOutcome {
    /// A line; invalid UTF-8 is replaced by U+FFFD.
    Line(String),
    /// A line that is not UTF-8.
    NotText,
    /// A line longer than [`LONGEST_LINE`](crate::io::lines::LONGEST_LINE).
    TooLong,
    /// Ctrl-L, and the line typed so far: the board is to be shown again.
    Redraw(String),
    /// The end of input.
    End,
    /// Ctrl-C on a terminal.
    CtrlC,
    /// A signal that ends the program.
    Signal(Signal),
    /// The deadline passed.
    TimeUp,
}
