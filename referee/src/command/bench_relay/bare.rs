//! Two stubs that are written to, polled and read, and no more.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Program, Stdio};
use std::time::{Duration, Instant};

use lodestone::protocol::{Command, Start};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::{relayed, stub};
use crate::config::roster;
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;

/// How long so many half-moves take, as [`relayed::measure`] counts them.
///
/// # Errors
/// Where an engine fails, or a signal comes.
pub fn measure(half_moves: u64, interrupt: &Interrupt) -> Result<Duration, Failure> {
    let time = play(half_moves, interrupt);
    if let Some(signal) = interrupt.caught() {
        return Err(signal.into());
    }
    time.map_err(|error| Failure::Start(format!("a stub failed: {error}")))
}

fn play(half_moves: u64, interrupt: &Interrupt) -> io::Result<Duration> {
    let requests = requests();
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

/// What the engines hear in a whole game, a message for each half-move.
pub fn requests() -> Vec<String> {
    let moves = stub::moves();
    let request = |ply| {
        let position = Command::Position {
            start: Start::Startpos,
            moves: moves.iter().take(ply).cloned().collect(),
        };
        format!("{position}\ngo movetime {}\n", relayed::TIME.as_millis())
    };
    (0..moves.len()).map(request).collect()
}

/// An engine and the pipes to it.
struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Engine {
    fn start() -> io::Result<Engine> {
        let program = roster::own_path().map_err(io::Error::other)?;
        let mut child = Program::new(program)
            .arg(stub::COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Engine { child, stdin, stdout }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Sends lines and reads up to this end of a reading.
    fn ask(&mut self, lines: &str, end: &str) -> io::Result<()> {
        let mut buffer = [0; 4096];
        self.stdin.write_all(lines.as_bytes())?;
        loop {
            match poll(&mut [PollFd::new(&self.stdout, PollFlags::IN)], None) {
                Ok(_) => {}
                // A signal: whoever asked looks for it.
                Err(Errno::INTR) => return Ok(()),
                Err(error) => return Err(error.into()),
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

impl Drop for Engine {
    fn drop(&mut self) {
        // One that has ended already hears nothing.
        let _ = self.stdin.write_all(b"quit\n");
        let _ = self.child.wait();
    }
}
