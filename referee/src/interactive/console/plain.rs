//! Answers without line editing: from a pipe, a file, or a terminal that is
//! too simple.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::question::Heard;
use crate::io::interrupt::{Interrupt, Signal};
use crate::io::lines::{LineBuffer, Overlong};

/// The lines of standard input.
pub struct PlainLines {
    input: OwnedFd,
    lines: LineBuffer,
}

impl PlainLines {
    /// What comes on standard input.
    ///
    /// # Errors
    /// Where the system does not give it.
    pub fn stdin() -> io::Result<PlainLines> {
        Ok(PlainLines {
            input: io::stdin().as_fd().try_clone_to_owned()?,
            lines: LineBuffer::default(),
        })
    }

    /// The next line, the last of the input even without an end.
    ///
    /// # Errors
    /// Where nothing can be read.
    pub fn read(&mut self, deadline: Option<Instant>, interrupt: &Interrupt) -> io::Result<Heard> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(heard(line));
            }
            if let Some(instead) = self.wait(deadline, interrupt)? {
                return Ok(instead);
            }
            match self.lines.fill(|space| rustix::io::read(&self.input, space)) {
                Ok(0) => return Ok(self.lines.take_rest().map_or(Heard::End, heard)),
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until there is something to read, or says what came instead.
    fn wait(&self, deadline: Option<Instant>, interrupt: &Interrupt) -> io::Result<Option<Heard>> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Some(Heard::TimeUp));
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
                Some(Signal::Interrupt) if self.input.is_terminal() => return Ok(Some(Heard::CtrlC)),
                Some(signal) => return Ok(Some(Heard::Signal(signal))),
                None if !set[0].revents().is_empty() => return Ok(None),
                None => {}
            }
        }
    }
}

fn heard(line: Result<String, Overlong>) -> Heard {
    line.map_or(Heard::TooLong, Heard::Line)
}
