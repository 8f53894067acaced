//! A bare loop between two stubs: it writes, polls and reads. On Windows, which has no `poll` for
//! pipes, it writes and reads.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Program, Stdio};
use std::time::{Duration, Instant};

use referee_core::io::interrupt::Interrupt;

use crate::stub;

/// The time for this many half-moves, with the start of each game, without the start
/// of the engines.
pub fn measure(half_moves: u64, interrupt: &Interrupt) -> io::Result<Duration> {
    let requests = stub::requests();
    let mut engines = [Engine::start()?, Engine::start()?];
    for engine in &mut engines {
        engine.ask("uci\nisready\n", "readyok\n")?;
    }
    let mut left = half_moves;
    let start = Instant::now();
    while left > 0 && interrupt.caught().is_none() {
        for engine in &mut engines {
            engine.ask("ucinewgame\nisready\n", "readyok\n")?;
        }
        for (ply, request) in requests.iter().enumerate() {
            if left == 0 {
                break;
            }
            engines[ply % 2].ask(request, "\n")?;
            left -= 1;
        }
    }
    Ok(start.elapsed())
}

/// An engine and the pipes to it.
struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Engine {
    fn start() -> io::Result<Engine> {
        let mut child = Program::new(std::env::current_exe()?)
            .arg(stub::ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Engine { child, stdin, stdout }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Sends lines, then reads until the output ends with `end`.
    fn ask(&mut self, lines: &str, end: &str) -> io::Result<()> {
        let mut buffer = [0; 4096];
        self.stdin.write_all(lines.as_bytes())?;
        loop {
            if !wait_for_output(&self.stdout)? {
                return Ok(());
            }
            let length = self.stdout.read(&mut buffer)?;
            let read = buffer.get(..length).unwrap_or_default();
            if read.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if read.ends_with(end.as_bytes()) {
                return Ok(());
            }
        }
    }
}

/// Waits for output. False after a signal: the caller looks for it.
#[cfg(unix)]
fn wait_for_output(stdout: &ChildStdout) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    match poll(&mut [PollFd::new(stdout, PollFlags::IN)], None) {
        Ok(_) => Ok(true),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Does nothing: the read waits.
#[cfg(not(unix))]
fn wait_for_output(_: &ChildStdout) -> io::Result<bool> {
    Ok(true)
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.stdin.write_all(b"quit\n");
        let _ = self.child.wait();
    }
}
