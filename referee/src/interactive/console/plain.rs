//! Questions, and lines without editing: from a pipe, a file, or a terminal that cannot edit lines.

use std::io::{self, ErrorKind, IsTerminal};
use std::time::Instant;

use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::lines::{self, LineBuffer, Overlong};
use crate::io::running_clock;
use crate::system::pipes::{Interest, Reader, WaitSet};

/// A question to a person.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Question<'a> {
    /// The text, without the space after it.
    pub text: &'a str,
    /// Answers that Tab completes, lower case.
    pub words: &'a [String],
    /// When to stop waiting for the answer.
    pub deadline: Option<Instant>,
    /// When the clock of the person runs out. A terminal shows the time left.
    pub clock: Option<Instant>,
}

impl<'a> Question<'a> {
    /// A question without a time.
    pub const fn new(text: &'a str, words: &'a [String]) -> Question<'a> {
        Question {
            text,
            words,
            deadline: None,
            clock: None,
        }
    }
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

/// What a person typed.
#[derive(Debug)]
pub(super) enum Typed {
    /// A line; invalid UTF-8 is replaced by U+FFFD.
    Line(String),
    /// A line that cannot be used, and why.
    Unusable(&'static str),
    /// Ctrl-L, and the line typed so far: the board is to be shown again.
    Redraw(String),
    /// Ctrl-C on a terminal.
    CtrlC,
}

/// About a line longer than [`LONGEST_LINE`](crate::io::lines::LONGEST_LINE).
pub(super) const TOO_LONG: &str = "That line is too long.";

/// The lines of standard input.
pub struct PlainLines {
    input: Reader,
    lines: LineBuffer,
}

impl PlainLines {
    /// A reader of standard input.
    pub fn stdin() -> io::Result<PlainLines> {
        Ok(PlainLines {
            input: Reader::stdin()?,
            lines: LineBuffer::default(),
        })
    }

    /// Reads the next line. The last line needs no line end.
    pub fn read(&mut self, deadline: Option<Instant>, interrupt: &Interrupt) -> Result<Typed, NoInput> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(typed(line));
            }
            if self.has_ctrl_c(deadline, interrupt)? {
                return Ok(Typed::CtrlC);
            }
            match lines::read_from(&self.input, &mut self.lines) {
                Ok(0) => return self.lines.take_rest().map(typed).ok_or(Stop::Quit.into()),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for input, or for Ctrl-C on a terminal.
    fn has_ctrl_c(&self, deadline: Option<Instant>, interrupt: &Interrupt) -> Result<bool, NoInput> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(running_clock::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(NoInput::TimeUp);
            }
            let mut set = WaitSet::default();
            let input = set.watch(Some(self.input.source()), Interest::Input);
            set.watch(Some(interrupt.source()), Interest::Input);
            match set.wait(left) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error.into()),
                _ => {}
            }
            match interrupt.caught() {
                Some(Signal::Interrupt) if io::stdin().is_terminal() => return Ok(true),
                Some(signal) => return Err(signal.into()),
                None if set.is_ready(input) => return Ok(false),
                None => {}
            }
        }
    }
}

fn typed(line: Result<Vec<u8>, Overlong>) -> Typed {
    line.map_or(Typed::Unusable(TOO_LONG), |line| Typed::Line(lines::text(&line)))
}
