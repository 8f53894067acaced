//! A program for people, on a pseudo-terminal.
//!
//! A program that writes into a pipe buffers its output, so its prompts would never arrive.
//! On a terminal it writes them at once. The terminal has no echo, and reads whole lines.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::time::{Duration, Instant};

use anstream::adapter::StripBytes;
use pty_process::Size;
use pty_process::blocking as pty;
use referee_core::io::text::printable;
use referee_core::process::{Launch, end, kill_with_descendants, start_on_terminal};
use referee_core::system::processes::{Exit, ProcessTree, exit_of, own_program};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, OutputModes};

use super::spec::AdapterSpec;

/// The rows and columns of the terminal. Wide, so that no line is broken.
const TERMINAL: (u16, u16) = (50, 200);

/// Size of one read, in bytes. A terminal returns at most 4 KiB.
const READ_SIZE: usize = 4096;

/// Maximum number of bytes that wait for a program that does not read.
const MAX_UNSENT: usize = 64 * 1024;

/// The processes of a program.
#[derive(Debug)]
enum Processes {
    /// A child, which leads a session on the terminal.
    Free(Child),
    /// Those of a supervisor, in a sandbox or beside a rules program. They have the terminal, but no session on it.
    Supervised(Box<dyn ProcessTree>),
}

/// A running program and its terminal. Dropping it kills the program and everything that
/// it started.
#[derive(Debug)]
pub(super) struct AdaptedProgram {
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
    /// Starts the program with these arguments.
    pub fn start(spec: &AdapterSpec, args: Vec<String>) -> io::Result<AdaptedProgram> {
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
        // What ends the other kind of program would end the rules program, too.
        let processes = if spec.confinement.is_some() || spec.words.is_some() {
            let (sandbox, limits) = spec.confinement.clone().unzip();
            let inside = sandbox.as_ref().map(|sandbox| sandbox.path_inside(&spec.program));
            let launch = Launch {
                program: inside.unwrap_or_else(|| spec.program.clone()),
                args,
                dir: sandbox.is_none().then(|| spec.dir.clone()),
                stderr: None,
                limits: limits.unwrap_or_default(),
                sandbox,
                supervisor: own_program(),
                is_own: false,
            };
            Processes::Supervised(start_on_terminal(&launch, side.as_fd())?)
        } else {
            let command = pty::Command::new(&spec.program).args(args).current_dir(&spec.dir);
            let command = command.env("TERM", "dumb").env("LINES", rows.to_string());
            let child = command.env("COLUMNS", columns.to_string()).spawn(side);
            Processes::Free(child.map_err(|error| match error {
                pty_process::Error::Io(error) => error,
                pty_process::Error::Rustix(error) => error.into(),
            })?)
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
    fn send(&mut self) {
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
        let how = self.kill().map(|how| how.to_string());
        how.unwrap_or_else(|| "closed its terminal".to_string())
    }

    fn kill(&mut self) -> Option<Exit> {
        match self.processes.take()? {
            Processes::Free(mut child) => kill_with_descendants(&mut child, self.is_closed).map(exit_of),
            Processes::Supervised(processes) => end(processes, self.is_closed),
        }
    }
}

/// Waits for output of the program, and for input, up to this time. Returns whether there is input.
pub(super) fn wait(
    program: Option<&mut AdaptedProgram>,
    input: Option<BorrowedFd<'_>>,
    time: Option<Duration>,
) -> bool {
    // A closed terminal would be readable for ever.
    let program = program.filter(|program| !program.is_closed);
    let mut set: Vec<PollFd<'_>> = input
        .iter()
        .map(|input| PollFd::new(input, PollFlags::IN))
        .collect();
    if let Some(program) = &program {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, !program.unsent.is_empty());
        set.push(PollFd::new(&program.terminal, events));
    }
    let time = time.and_then(|time| Timespec::try_from(time.max(Duration::from_millis(1))).ok());
    // A signal ends the wait early, which is harmless.
    let polled = rustix::event::poll(&mut set, time.as_ref());
    let has_input = input.is_some() && polled.is_ok() && !set[0].revents().is_empty();
    if let Some(program) = program {
        program.send();
    }
    has_input
}

impl Drop for AdaptedProgram {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Maximum length of the text that is kept, in bytes.
const MAX_KEPT: usize = 64 * 1024;

/// Maximum length of a line in an error message, in characters.
const MAX_LINE: usize = 60;

/// Maximum number of lines below an error message.
const MAX_LINES: usize = 16;

/// Maximum length of each, in characters.
const MAX_SCREEN_LINE: usize = 100;

/// The text that a program has written: without escape sequences, with `\n` as line end, and
/// with U+FFFD for bytes that are not UTF-8.
#[derive(Debug, Default)]
pub(super) struct ScreenText {
    /// The end of the whole text.
    text: String,
    /// Where the text begins that was not consumed.
    unread: usize,
    /// Removes escape sequences from UTF-8 text.
    stripper: StripBytes,
    /// The beginning of a character.
    pending: Vec<u8>,
    /// Whether the last character was a carriage return.
    after_return: bool,
}

impl ScreenText {
    /// Appends output. Returns the new text.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let incomplete = incomplete_end(&self.pending);
        let rest = self.pending.split_off(self.pending.len() - incomplete);
        let bytes = std::mem::replace(&mut self.pending, rest);
        let text = String::from_utf8_lossy(&bytes);
        let stripped = self.stripper.strip_next(text.as_bytes());
        let plain: Vec<u8> = stripped.flatten().copied().collect();
        let new = String::from_utf8_lossy(&plain);
        let new = self.with_line_feeds(&new);
        self.text.push_str(&new);
        self.shorten();
        new
    }

    /// Replaces carriage returns, alone or before a line feed, by line feeds.
    fn with_line_feeds(&mut self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        for sign in text.chars() {
            match sign {
                '\r' => plain.push('\n'),
                '\n' if self.after_return => {}
                sign => plain.push(sign),
            }
            self.after_return = sign == '\r';
        }
        plain
    }

    /// Drops the oldest text.
    fn shorten(&mut self) {
        if self.text.len() > 2 * MAX_KEPT {
            let cut = self.text.ceil_char_boundary(self.text.len() - MAX_KEPT);
            self.text.drain(..cut);
            self.unread = self.unread.saturating_sub(cut);
        }
    }

    /// The text that was not consumed.
    pub fn unread(&self) -> &str {
        self.text.get(self.unread..).unwrap_or_default()
    }

    /// Consumes this part of [`ScreenText::unread`], and what is before it.
    pub fn consume(&mut self, part: &Range<usize>) {
        self.unread = self.text.ceil_char_boundary(self.unread + part.end);
    }

    /// Consumes everything.
    pub const fn consume_all(&mut self) {
        self.unread = self.text.len();
    }

    /// The last line that is not blank, quoted for an error message.
    pub fn last_line(&self) -> String {
        let lines = self.text.lines().map(str::trim);
        match lines.rev().find(|line| !line.is_empty()) {
            Some(line) => format!("its last line is `{}`", printable(line, MAX_LINE)),
            None => "it has written nothing".to_string(),
        }
    }

    /// The last lines, safe to print.
    pub fn last_lines(&self) -> Vec<String> {
        let lines: Vec<&str> = self.text.trim_end().lines().collect();
        let last = lines.iter().skip(lines.len().saturating_sub(MAX_LINES));
        last.map(|line| printable(&line.replace('\t', "    "), MAX_SCREEN_LINE))
            .collect()
    }
}

/// The number of bytes at the end that are the beginning of a character.
fn incomplete_end(bytes: &[u8]) -> usize {
    // The last invalid part decides.
    let last = bytes
        .utf8_chunks()
        .last()
        .map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text of these bytes, in pieces of this size.
    fn text(bytes: &[u8], size: usize) -> String {
        let mut screen = ScreenText::default();
        let pieces: Vec<String> = bytes.chunks(size).map(|piece| screen.push(piece)).collect();
        assert_eq!(pieces.concat(), screen.unread());
        screen.unread().to_string()
    }

    #[test]
    fn text_does_not_depend_on_the_size_of_reads() {
        let bytes = "\x1b[2J\x1b[1;31mA■\x1b[0m\r\nb\rc\n\n\u{1b}]0;title\u{7}磁\t石".as_bytes();
        for size in 1..bytes.len() {
            assert_eq!(text(bytes, size), "A■\nb\nc\n\n磁\t石", "{size}");
        }
        assert_eq!(
            text(b"a\xffb\xe2\x96", 9),
            "a\u{fffd}b",
            "the last character may be completed"
        );
    }

    #[test]
    fn quotes_the_last_line() {
        let mut screen = ScreenText::default();
        assert_eq!(screen.last_line(), "it has written nothing");
        screen.push(b"Your \x07choice: \n \n");
        assert_eq!(screen.last_line(), "its last line is `Your choice:`");
    }

    proptest! {
        #[test]
        fn any_bytes_are_text(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1..20_usize) {
            let text = text(&bytes, size);
            prop_assert!(!text.contains(['\x1b', '\r']));
        }
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn consumes_parts_and_forgets_the_oldest_text() {
            let mut screen = ScreenText::default();
            screen.push("one ■ two".as_bytes());
            screen.consume(&(0..3));
            assert_eq!(screen.unread(), " ■ two");
            screen.consume(&(0..2));
            assert_eq!(screen.unread(), " two", "a character is consumed whole");
            screen.consume_all();
            assert_eq!(screen.unread(), "");
            for number in 0..100_000 {
                screen.push(format!("line {number} ■\n").as_bytes());
            }
            assert!(screen.text.len() <= 2 * MAX_KEPT);
            assert_eq!(screen.last_line(), "its last line is `line 99999 ■`");
            assert_eq!(screen.last_lines().len(), MAX_LINES);
            assert!(screen.unread().ends_with("line 99999 ■\n"));
        }
    }
}
