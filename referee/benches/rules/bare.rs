//! A bare loop: it writes to the bots and the rules program, and reads their answers.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::stub;

/// Plays games of this length.
pub fn play(games: u64, length: usize) -> io::Result<()> {
    let mut bots = [Program::start(length)?, Program::start(length)?];
    let mut rules = Program::start(length)?;
    for program in bots.iter_mut().chain([&mut rules]) {
        program.ask("uci\nisready\n", "readyok\n")?;
    }
    for _ in 0..games {
        for bot in &mut bots {
            bot.ask("ucinewgame\nisready\n", "readyok\n")?;
        }
        let mut position = "position startpos".to_string();
        for ply in 0..length {
            bots[ply % 2].ask(&format!("{position}\ngo movetime 3000\n"), "\n")?;
            position += if ply == 0 { " moves a2a3" } else { " a2a3" };
            let queries = "query gameover\nquery p1turn\nquery result\nquery moves\nquery fen\nisready\n";
            rules.ask(&format!("{position}\n{queries}"), "readyok\n")?;
        }
    }
    Ok(())
}

/// A stub and the pipes to it.
struct Program {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Program {
    fn start(length: usize) -> io::Result<Program> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([stub::ARGUMENT, &length.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Program { child, stdin, stdout }),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Sends lines, then reads until the output ends with `end`.
    fn ask(&mut self, lines: &str, end: &str) -> io::Result<()> {
        let mut buffer = [0; 4096];
        self.stdin.write_all(lines.as_bytes())?;
        loop {
            let length = self.stdout.read(&mut buffer)?;
            let read = &buffer[..length];
            if read.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if read.ends_with(end.as_bytes()) {
                return Ok(());
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.stdin.write_all(b"quit\n");
        let _ = self.child.wait();
    }
}
