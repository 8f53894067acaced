//! A program for people, on a pseudo-terminal.
//!
//! A program that writes into a pipe buffers its output, so its prompts would never arrive.
//! On a terminal it writes them at once. The terminal has no echo, and reads whole lines.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Instant;

use pty_process::Size;
use pty_process::blocking as pty;
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, OutputModes};

use super::screen_text::ScreenText;
use crate::process::{Launch, Limits, Sandbox, end, kill_with_descendants, start_on_terminal};
use crate::system::processes::{ProcessTree, describe_status, own_program};

/// The rows and columns of the terminal. Wide, so that no line is broken.
const TERMINAL: (u16, u16) = (50, 200);

/// Size of one read, in bytes. A terminal returns at most 4 KiB.
const READ_SIZE: usize = 4096;

/// Maximum number of bytes that wait for a program that does not read.
const MAX_UNSENT: usize = 64 * 1024;

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCommand {
    /// The executable, as a path that is valid from any folder.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// How it is restricted.
    pub confinement: Option<Confinement>,
}

/// The sandbox of a program, and its limits there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// What it may read, and where it runs.
    pub sandbox: Sandbox,
    /// What it may use.
    pub limits: Limits,
}

/// The processes of a program.
#[derive(Debug)]
enum Processes {
    /// A child, which leads a session on the terminal.
    Free(Child),
    /// Those in a sandbox. They have the terminal, but no session on it.
    Confined(Box<dyn ProcessTree>),
}

/// A running program and its terminal. Dropping it kills the program and everything that
/// it started.
#[derive(Debug)]
pub struct AdaptedProgram {
    processes: Option<Processes>,
    terminal: File,
    /// Its output.
    pub screen: ScreenText,
    /// Number of bytes that it has written.
    pub written: u64,
    /// When it last wrote something, or else when it started.
    pub last_output: Instant,
    /// Whether its end of the terminal is closed.
    pub is_closed: bool,
    /// Lines that the terminal has not taken yet.
    unsent: Vec<u8>,
}

impl AdaptedProgram {
    /// Starts a program in this folder.
    pub fn start(command: &ProgramCommand, dir: &Path) -> io::Result<AdaptedProgram> {
        let (terminal, side) = pty::open().map_err(io::Error::other)?;
        let (rows, columns) = TERMINAL;
        terminal
            .resize(Size::new(rows, columns))
            .map_err(io::Error::other)?;
        let mut modes = rustix::termios::tcgetattr(&side)?;
        // Output arrives as it was written, and what is typed does not come back.
        modes.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
        modes.output_modes.remove(OutputModes::OPOST);
        rustix::termios::tcsetattr(&side, OptionalActions::Now, &modes)?;
        let processes = match &command.confinement {
            Some(confinement) => Processes::Confined(start_confined(command, confinement, side.as_fd())?),
            None => Processes::Free(
                pty::Command::new(&command.program)
                    .args(&command.args)
                    .current_dir(dir)
                    .env("TERM", "dumb")
                    .env("LINES", rows.to_string())
                    .env("COLUMNS", columns.to_string())
                    .spawn(side)
                    .map_err(|error| match error {
                        pty_process::Error::Io(error) => error,
                        pty_process::Error::Rustix(error) => error.into(),
                    })?,
            ),
        };
        let terminal = File::from(OwnedFd::from(terminal));
        rustix::io::ioctl_fionbio(&terminal, true)?;
        Ok(AdaptedProgram {
            processes: Some(processes),
            terminal,
            screen: ScreenText::default(),
            written: 0,
            last_output: Instant::now(),
            is_closed: false,
            unsent: Vec::new(),
        })
    }

    /// The terminal, for `poll`.
    pub fn terminal(&self) -> BorrowedFd<'_> {
        self.terminal.as_fd()
    }

    /// Whether lines wait until the terminal takes them.
    pub const fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Reads what the program has written so far. Returns the new text.
    pub fn read(&mut self) -> String {
        let mut new = String::new();
        let mut bytes = [0; READ_SIZE];
        while !self.is_closed {
            let mut read = || rustix::io::read(&self.terminal, &mut bytes);
            // Linux reports the end of a terminal as EIO, and output first if it is read again: the
            // program can write and end between the two questions of one call.
            let count = match read() {
                Err(Errno::IO) => read(),
                count => count,
            };
            match count {
                Ok(count @ 1..) => {
                    new.push_str(&self.screen.push(bytes.get(..count).unwrap_or_default()));
                    self.written += count as u64;
                    self.last_output = Instant::now();
                    // A program that never stops writing must not stop us.
                    if new.len() > READ_SIZE * 16 {
                        break;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Ok(_) | Err(_) => self.is_closed = true,
            }
        }
        new
    }

    pub fn type_line(&mut self, line: &str) {
        if self.unsent.len() < MAX_UNSENT {
            self.unsent.extend_from_slice(line.as_bytes());
            self.unsent.push(b'\n');
        }
        self.send();
    }

    /// Writes lines that wait, as far as the terminal takes them.
    pub fn send(&mut self) {
        while !self.unsent.is_empty() {
            match rustix::io::write(&self.terminal, &self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The program has closed its terminal, as reading will show.
                Err(_) => self.unsent.clear(),
            }
        }
    }

    /// Kills the program and its descendants. Returns how it had ended before, as a clause that
    /// follows its name.
    pub fn finish(&mut self) -> String {
        self.kill().unwrap_or_else(|| "closed its terminal".to_string())
    }

    fn kill(&mut self) -> Option<String> {
        match self.processes.take()? {
            Processes::Free(mut child) => {
                kill_with_descendants(&mut child, self.is_closed).map(describe_status)
            }
            Processes::Confined(processes) => end(processes, self.is_closed),
        }
    }
}

/// Starts a program in its sandbox.
fn start_confined(
    command: &ProgramCommand,
    confinement: &Confinement,
    terminal: BorrowedFd<'_>,
) -> io::Result<Box<dyn ProcessTree>> {
    let launch = Launch {
        program: confinement.sandbox.path_inside(&command.program),
        args: command.args.clone(),
        dir: None,
        stderr: None,
        limits: confinement.limits,
        sandbox: Some(confinement.sandbox.clone()),
        supervisor: own_program(),
    };
    start_on_terminal(&launch, terminal)
}

impl Drop for AdaptedProgram {
    fn drop(&mut self) {
        self.kill();
    }
}
