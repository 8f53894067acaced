//! A person at the keyboard: questions and answers, on a terminal or through
//! pipes.

use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::interrupt::{Interrupt, Signal};
use crate::lines::{LineBuffer, Overlong};
use crate::show::printable;

/// How much of a wrong answer is repeated, in characters.
const SHOWN: usize = 200;

/// Where questions are asked and answers are read.
pub struct Console {
    input: OwnedFd,
    out: Box<dyn Write + Send>,
    lines: LineBuffer,
    interrupt: Arc<Interrupt>,
}

/// Why a question got no answer.
#[derive(Debug)]
pub enum Leave {
    /// `quit`, or the end of input.
    Quit,
    /// A signal.
    Interrupted(Signal),
    /// The terminal does not work.
    Broken(io::Error),
}

impl From<io::Error> for Leave {
    fn from(error: io::Error) -> Leave {
        Leave::Broken(error)
    }
}

impl Console {
    /// A console on standard input and output.
    ///
    /// # Errors
    /// Where the system does not give standard input.
    pub fn stdio(interrupt: Arc<Interrupt>) -> io::Result<Console> {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Console::new(input, Box::new(io::stdout()), interrupt))
    }

    fn new(input: OwnedFd, out: Box<dyn Write + Send>, interrupt: Arc<Interrupt>) -> Console {
        Console {
            input,
            out,
            lines: LineBuffer::default(),
            interrupt,
        }
    }

    /// Asks until `accept` takes the answer; what it says instead is shown.
    ///
    /// # Errors
    /// Where the person leaves or the terminal fails.
    pub fn ask<T>(
        &mut self,
        question: &str,
        mut accept: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, Leave> {
        loop {
            write!(self.out, "{question} ")?;
            self.out.flush()?;
            let line = match self.read_line() {
                Ok(line) => line,
                Err(leave) => {
                    // What follows begins a line of its own.
                    writeln!(self.out)?;
                    return Err(leave);
                }
            };
            let refusal = match line {
                Ok(line) if line.trim().eq_ignore_ascii_case("quit") => return Err(Leave::Quit),
                Ok(line) if line.contains('\u{fffd}') => "That is no text.".to_string(),
                Ok(line) => match accept(line.trim()) {
                    Ok(answer) => return Ok(answer),
                    Err(refusal) => printable(&refusal, SHOWN),
                },
                Err(Overlong) => "That is too long.".to_string(),
            };
            writeln!(self.out, "{refusal}")?;
        }
    }

    /// The next line, the last of the input even without an end.
    fn read_line(&mut self) -> Result<Result<String, Overlong>, Leave> {
        loop {
            if let Some(line) = self.lines.next_line() {
                self.echo(&line)?;
                return Ok(line);
            }
            self.wait()?;
            match self.lines.fill(|space| rustix::io::read(&self.input, space)) {
                Ok(0) => {
                    let rest = self.lines.take_rest().ok_or(Leave::Quit)?;
                    self.echo(&rest)?;
                    return Ok(rest);
                }
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(Leave::Broken(error.into())),
            }
        }
    }

    /// Waits until there is something to read.
    fn wait(&self) -> Result<(), Leave> {
        loop {
            let mut set = [
                PollFd::new(&self.input, PollFlags::IN),
                PollFd::new(&self.interrupt, PollFlags::IN),
            ];
            match rustix::event::poll(&mut set, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(Leave::Broken(error.into())),
            }
            if let Some(signal) = self.interrupt.caught() {
                return Err(Leave::Interrupted(signal));
            }
            if !set[0].revents().is_empty() {
                return Ok(());
            }
        }
    }

    /// A terminal shows what is typed; for a pipe the answer is written behind
    /// its question, so that what is seen reads the same.
    fn echo(&mut self, line: &Result<String, Overlong>) -> io::Result<()> {
        if !self.input.is_terminal() {
            let line = line.as_ref().map_or("…", |line| line.trim());
            writeln!(self.out, "{}", printable(line, SHOWN))?;
        }
        Ok(())
    }
}
