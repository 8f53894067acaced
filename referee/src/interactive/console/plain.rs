//! Lines without editing: from a pipe, a file, or a terminal that cannot edit lines.

use std::io::{self, ErrorKind, IsTerminal};
use std::time::Instant;

use super::question::ReadOutcome;
use crate::io::interrupt::{Interrupt, Signal};
use crate::io::lines::{self, LineBuffer, Overlong};
use crate::system::pipes::{Interest, Reader, WaitSet};

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
