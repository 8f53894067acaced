//! Questions, and lines without editing: from a pipe, a file, or a terminal that cannot edit lines.

use std::io::{self, ErrorKind, IsTerminal};
use std::time::Instant;

use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::lines::{self, LineBuffer, Overlong};
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

/// The outcome of reading a line.
#[derive(Debug)]
pub enum ReadOutcome {
    /// A line; invalid UTF-8 is replaced by U+FFFD.
    Line(String),
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
    pub fn read(&mut self, deadline: Option<Instant>, interrupt: &Interrupt) -> io::Result<ReadOutcome> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(outcome_of(line));
            }
            if let Some(outcome) = self.wait(deadline, interrupt)? {
                return Ok(outcome);
            }
            match lines::read_from(&self.input, &mut self.lines) {
                Ok(0) => return Ok(self.lines.take_rest().map_or(ReadOutcome::End, outcome_of)),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for input; returns `None` when there is some, or what ended the wait.
    fn wait(&self, deadline: Option<Instant>, interrupt: &Interrupt) -> io::Result<Option<ReadOutcome>> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Some(ReadOutcome::TimeUp));
            }
            let mut set = WaitSet::default();
            let input = set.watch(Some(self.input.source()), Interest::Input);
            set.watch(Some(interrupt.source()), Interest::Input);
            match set.wait(left) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            match interrupt.caught() {
                Some(Signal::Interrupt) if io::stdin().is_terminal() => return Ok(Some(ReadOutcome::CtrlC)),
                Some(signal) => return Ok(Some(ReadOutcome::Signal(signal))),
                None if set.is_ready(input) => return Ok(None),
                None => {}
            }
        }
    }
}

fn outcome_of(line: Result<Vec<u8>, Overlong>) -> ReadOutcome {
    line.map_or(ReadOutcome::TooLong, |line| ReadOutcome::Line(lines::text(&line)))
}
