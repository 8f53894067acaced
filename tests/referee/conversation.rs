//! A program that is talked to while it runs, through pipes or on a real
//! pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::AsFd;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking as pty;

use crate::support::{LOCALE, Scene};

/// So long the program may take to say something; only a program that will
/// never say it takes as long.
const PATIENCE: Duration = Duration::from_mins(1);

/// The height and width of the terminal, the smallest that is promised to do.
pub const TERMINAL: (u16, u16) = (24, 80);

/// A program that is talked to.
pub struct Conversation {
    child: Child,
    input: Box<dyn Write>,
    heard: Receiver<Vec<u8>>,
    /// Everything that was heard, without escape sequences.
    text: String,
    /// How much of it the test has asked for.
    seen: usize,
    /// Bytes that may become a character or an escape sequence.
    pending: Vec<u8>,
    /// What the terminal shows.
    terminal: vt100::Parser,
    pty: Option<pty::Pty>,
    /// Everything that was heard, byte by byte.
    raw: Vec<u8>,
}

impl Conversation {
    /// Talks through pipes.
    pub fn through_pipes(scene: &Scene, line: &str) -> Conversation {
        let mut command = scene.command(line);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = Box::new(child.stdin.take().unwrap());
        let output = child.stdout.take().unwrap();
        Conversation::new(child, input, output, None)
    }

    /// Talks on a terminal of the usual size.
    pub fn on_terminal(scene: &Scene, line: &str) -> Conversation {
        Conversation::on_terminal_with(scene, line, &[])
    }

    /// Talks on a terminal, with more variables in the environment.
    pub fn on_terminal_with(scene: &Scene, line: &str, variables: &[(&str, &str)]) -> Conversation {
        let (pty, side) = pty::open().unwrap();
        let (rows, columns) = TERMINAL;
        pty.resize(Size::new(rows, columns)).unwrap();
        let command = pty::Command::new(env!("CARGO_BIN_EXE_referee"))
            .args(line.split_whitespace())
            .current_dir(scene.path(""))
            .env("TERM", "xterm-256color")
            .env_remove("RUST_LOG")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .envs(LOCALE)
            .envs(variables.iter().copied());
        let child = command.spawn(side).unwrap();
        let file = |pty: &pty::Pty| File::from(pty.as_fd().try_clone_to_owned().unwrap());
        let (input, output) = (file(&pty), file(&pty));
        Conversation::new(child, Box::new(input), output, Some(pty))
    }

    fn new(
        child: Child,
        input: Box<dyn Write>,
        mut output: impl Read + Send + 'static,
        pty: Option<pty::Pty>,
    ) -> Conversation {
        let (sender, heard) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A terminal whose program is gone gives an error, a pipe nothing.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Conversation {
            child,
            input,
            heard,
            text: String::new(),
            seen: 0,
            pending: Vec::new(),
            terminal: vt100::Parser::new(size(TERMINAL.0), size(TERMINAL.1), 0),
            pty,
            raw: Vec::new(),
        }
    }

    /// Types these keys.
    pub fn type_keys(&mut self, keys: &str) {
        self.type_bytes(keys.as_bytes());
    }

    /// Types what may be no text.
    pub fn type_bytes(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    /// Types a line and Enter.
    pub fn enter(&mut self, line: &str) {
        let end = if self.pty.is_some() { "\r" } else { "\n" };
        self.type_keys(&format!("{line}{end}"));
    }

    /// Waits until the program says this, and goes on behind it. Gives back
    /// what came before it.
    pub fn until(&mut self, wanted: &str) -> String {
        let begin = Instant::now();
        loop {
            if let Some(at) = self.text[self.seen..].find(wanted) {
                let before = self.text[self.seen..self.seen + at].to_string();
                self.seen += at + wanted.len();
                return before;
            }
            let left = PATIENCE.saturating_sub(begin.elapsed());
            match self.heard.recv_timeout(left) {
                Ok(bytes) => self.hear(&bytes),
                Err(RecvTimeoutError::Timeout) => panic!("`{wanted}` does not come: {}", self.text),
                Err(RecvTimeoutError::Disconnected) => panic!("ended before `{wanted}`: {}", self.text),
            }
        }
    }

    /// The rest of the line.
    pub fn rest_of_line(&mut self) -> String {
        self.until("\n").trim().to_string()
    }

    /// Everything that has been said so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same as bytes, with escape sequences.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The lines that the terminal shows.
    pub fn screen(&self) -> Vec<String> {
        let (_, columns) = self.terminal.screen().size();
        self.terminal.screen().rows(0, columns.get()).collect()
    }

    /// The line with the cursor, and the cursor's column.
    pub fn cursor_line(&self) -> (String, u16) {
        let (row, column) = self.terminal.screen().cursor_position();
        (self.screen()[row as usize].clone(), column)
    }

    /// Waits until the line with the cursor is this, as it will be once the
    /// program has dealt with the keys.
    pub fn until_cursor_line(&mut self, wanted: &str) {
        let begin = Instant::now();
        while self.cursor_line().0.trim_end() != wanted {
            let left = PATIENCE.saturating_sub(begin.elapsed());
            let Ok(bytes) = self.heard.recv_timeout(left) else {
                panic!("`{wanted}` is not where the cursor is: {:#?}", self.screen());
            };
            self.hear(&bytes);
        }
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.terminal.screen_mut().set_size(size(rows), size(columns));
        let pty = self.pty.as_ref().expect("a terminal");
        pty.resize(Size::new(rows, columns)).unwrap();
    }

    /// Sends a signal to the program.
    pub fn kill(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Waits for the end of the program. Gives back all that it said, and how
    /// it ended.
    pub fn end(mut self) -> (String, ExitStatus) {
        self.finish()
    }

    /// The same, for who wants to look at the terminal afterwards.
    pub fn finish(&mut self) -> (String, ExitStatus) {
        let begin = Instant::now();
        loop {
            match self.heard.recv_timeout(PATIENCE.saturating_sub(begin.elapsed())) {
                Ok(bytes) => self.hear(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.text),
            }
        }
        let status = self.child.wait().unwrap();
        (std::mem::take(&mut self.text), status)
    }

    /// Whether the terminal shows what is typed, as it should before and after.
    pub fn terminal_echoes(&self) -> bool {
        let pty = self.pty.as_ref().expect("a terminal");
        let modes = rustix::termios::tcgetattr(pty).unwrap().local_modes;
        modes.contains(rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON)
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.terminal.process(bytes);
        self.pending.extend_from_slice(bytes);
        // A part of a character or an escape sequence waits for the rest.
        let mut end = self.pending.len();
        if let Some(escape) = self.pending.iter().rposition(|&byte| byte == 0x1b) {
            let rest = &self.pending[escape + 1..];
            let is_whole = rest.iter().skip(1).any(|byte| (0x40..=0x7e).contains(byte));
            if !is_whole {
                end = escape;
            }
        }
        let end = match std::str::from_utf8(&self.pending[..end]) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => end,
        };
        let whole: Vec<u8> = self.pending.drain(..end).collect();
        let whole = String::from_utf8_lossy(&whole);
        let plain = anstream::adapter::strip_str(&whole).to_string();
        self.text.push_str(&plain.replace('\r', ""));
    }
}

fn size(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
