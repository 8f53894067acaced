//! A command as a child process.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::words::Command;
use crate::system;

/// How long a child may take to save its games and to end its engines.
const END_TIME: Duration = Duration::from_secs(10);

/// How long a child may live after it has closed its output.
const EXIT_TIME: Duration = Duration::from_secs(30);

/// The interval between two looks at a child that ends.
const INTERVAL: Duration = Duration::from_millis(20);

/// The longest line of the error output, in characters.
const MAX_WARNING: usize = 1000;

/// The longest line that is read, in bytes. Longer ones are left out.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// A child process.
#[derive(Debug)]
pub struct Running {
    /// The child, and how it ended.
    child: Mutex<(Child, Option<ExitStatus>)>,
    finishes_games: bool,
    /// Whether it was asked to end.
    is_asked: Mutex<bool>,
}

impl Running {
    /// Starts a command. The thread that does so has to live as long as the child.
    pub fn start(command: &Command) -> io::Result<(Arc<Running>, ChildStdout, ChildStderr)> {
        let mut program = system::own_command()?;
        program.args(&command.words);
        program
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = program.spawn()?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(io::Error::other("it has no output"));
        };
        let running = Running {
            child: Mutex::new((child, None)),
            finishes_games: command.finishes_games,
            is_asked: Mutex::new(false),
        };
        Ok((Arc::new(running), output, errors))
    }

    /// Asks the child to end. With `--finish-games`, the first time only lets its games end.
    pub fn end(self: &Arc<Running>) {
        let was_asked = std::mem::replace(&mut *locked(&self.is_asked), true);
        self.with_child(system::interrupt);
        if was_asked || !self.finishes_games {
            let running = Arc::clone(self);
            thread::spawn(move || running.kill_after(END_TIME));
        }
    }

    /// Asks the child to end at once, with its running games.
    pub fn terminate(&self) {
        self.with_child(system::terminate);
    }

    /// Kills the child. Its engines have supervisors that end them.
    pub fn kill(&self) {
        self.with_child(|child| {
            let _ = child.kill();
        });
    }

    /// Waits for the end of a child that has closed its output.
    pub fn wait(&self) -> Option<ExitStatus> {
        self.kill_after(EXIT_TIME);
        self.ended_within(EXIT_TIME)
    }

    /// Kills the child if it has not ended in this time.
    fn kill_after(&self, time: Duration) {
        if self.ended_within(time).is_none() {
            self.kill();
        }
    }

    fn ended_within(&self, time: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + time;
        loop {
            let ended = self.child().1;
            if ended.is_some() || Instant::now() >= until {
                return ended;
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Does something with the child, unless it has ended: its number may be that of another process then.
    fn with_child(&self, act: impl FnOnce(&mut Child)) {
        if let (child, None) = &mut *self.child() {
            act(child);
        }
    }

    /// The child, and how it ended.
    fn child(&self) -> MutexGuard<'_, (Child, Option<ExitStatus>)> {
        let mut both = locked(&self.child);
        if both.1.is_none() {
            both.1 = both.0.try_wait().ok().flatten();
        }
        both
    }
}

/// Calls `take` for each line without its line break. A torn last line counts.
pub fn lines(source: impl Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut source = BufReader::with_capacity(64 * 1024, source);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = MAX_LINE as u64 + 1;
        if (&mut source).take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > MAX_LINE {
            source.skip_until(b'\n')?;
            continue;
        }
        take(&line);
        // One long line should not keep its memory.
        line.shrink_to(64 * 1024);
    }
}

/// Calls `take` for each line of an error output, without control characters.
pub fn warnings(source: impl Read, mut take: impl FnMut(String)) {
    let read = lines(source, |line| {
        let text = String::from_utf8_lossy(line);
        let line: String = text
            .trim_end()
            .chars()
            .filter(|sign| !sign.is_control())
            .take(MAX_WARNING)
            .collect();
        if !line.is_empty() {
            take(line);
        }
    });
    // The child has gone.
    let _ = read;
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_hold_no_control_characters() {
        let mut all = Vec::new();
        warnings(&b"one\x1b[31m\r\n\n\xfftwo\x07"[..], |line| all.push(line));
        assert_eq!(all, ["one[31m", "\u{fffd}two"]);
    }
}
