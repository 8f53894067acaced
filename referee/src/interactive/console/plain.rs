//! Lines without editing: from a pipe, a file, or a terminal that cannot edit lines.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::question::ReadOutcome;
use crate::io::interrupt::{Interrupt, Signal};
use crate::io::lines::{self, LineBuffer, Overlong};

/// The lines of standard input.
pub struct PlainLines {
    input: OwnedFd,
    lines: LineBuffer,
}

impl PlainLines {
    /// A reader of standard input.
    ///
    /// # Errors
    /// If standard input cannot be used.
    pub fn stdin() -> io::Result<PlainLines> {
        Ok(PlainLines {
            input: io::stdin().as_fd().try_clone_to_owned()?,
            lines: LineBuffer::default(),
        })
    }

    /// Reads the next line. The last line needs no line end.
    ///
    /// # Errors
    /// If reading fails.
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
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
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
            let mut set = [
                PollFd::new(&self.input, PollFlags::IN),
                PollFd::new(interrupt, PollFlags::IN),
            ];
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            match rustix::event::poll(&mut set, timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            match interrupt.caught() {
                Some(Signal::Interrupt) if self.input.is_terminal() => return Ok(Some(ReadOutcome::CtrlC)),
                Some(signal) => return Ok(Some(ReadOutcome::Signal(signal))),
                None if !set[0].revents().is_empty() => return Ok(None),
                None => {}
            }
        }
    }
}

fn outcome_of(line: Result<Vec<u8>, Overlong>) -> ReadOutcome {
    line.map_or(ReadOutcome::TooLong, |line| ReadOutcome::Line(lines::text(&line)))
}
