//! Drives a running program through pipes or on a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::AsFd;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking as pty;

use crate::support::{LOCALE, PATIENCE, Scene, Script, joined};

/// The rows and columns of the terminal, the smallest size that is supported.
pub const TERMINAL: (u16, u16) = (24, 80);

/// A game that two people play by hand.
pub const TWO_PEOPLE: &str = "play --first human --second human";
pub const CONFIRM_QUIT: &str = "Quit? Ctrl-C again or y quits, Enter continues. [y/N] ";
pub const OFFER_TO_SAVE: &str = "Save this game? A file name saves it, Enter does not: ";

pub const CTRL_C: &str = "\x03";
pub const CTRL_D: &str = "\x04";

/// A running program with its input and output.
pub struct Driver {
    child: Child,
    input: Box<dyn Write>,
    output: Receiver<Vec<u8>>,
    /// The whole output so far, without escape sequences.
    text: String,
    /// The number of bytes of `text` that the test has consumed.
    seen: usize,
    /// The beginning of a character or an escape sequence.
    pending: Vec<u8>,
    /// What the terminal shows.
    terminal: vt100::Parser,
    pty: Option<pty::Pty>,
    /// The whole output so far, with escape sequences.
    raw: Vec<u8>,
}

/// Reads what a program has written. Returns the number of bytes, 0 after the program ended.
fn read_output(output: &mut impl Read, bytes: &mut [u8]) -> usize {
    // At the end of a program, its terminal gives an error. If the program writes and ends while
    // Linux looks for output, the error comes first and the next call gives the output.
    let count = output.read(bytes).or_else(|_| output.read(bytes));
    count.unwrap_or(0)
}

impl Driver {
    /// Runs the referee through pipes.
    pub fn through_pipes(scene: &Scene, line: &str) -> Driver {
        let mut command = scene.command(line);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = Box::new(child.stdin.take().unwrap());
        let output = child.stdout.take().unwrap();
        Driver::new(child, input, output, None)
    }

    /// Runs the referee on a terminal of size [`TERMINAL`].
    pub fn on_terminal(scene: &Scene, line: &str) -> Driver {
        Driver::on_terminal_with(scene, line, &[])
    }

    /// The same with additional environment variables.
    pub fn on_terminal_with(scene: &Scene, line: &str, variables: &[(&str, &str)]) -> Driver {
        let words = std::iter::once(env!("CARGO_BIN_EXE_referee")).chain(line.split_whitespace());
        Driver::command_on_terminal(scene, words, variables, TERMINAL)
    }

    /// Runs the referee on a terminal of this number of rows and columns.
    pub fn on_terminal_of_size(scene: &Scene, line: &str, size: (u16, u16)) -> Driver {
        let words = std::iter::once(env!("CARGO_BIN_EXE_referee")).chain(line.split_whitespace());
        Driver::command_on_terminal(scene, words, &[], size)
    }

    /// Runs a command of the shell on a terminal of this number of rows and columns.
    /// `$REFEREE` is the referee.
    pub fn shell_on_terminal(scene: &Scene, script: &str, size: (u16, u16)) -> Driver {
        let variables = [("REFEREE", env!("CARGO_BIN_EXE_referee"))];
        Driver::command_on_terminal(scene, ["sh", "-c", script], &variables, size)
    }

    fn command_on_terminal<'a>(
        scene: &Scene,
        words: impl IntoIterator<Item = &'a str>,
        variables: &[(&str, &str)],
        (rows, columns): (u16, u16),
    ) -> Driver {
        let (pty, side) = pty::open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let mut words = words.into_iter();
        let command = pty::Command::new(words.next().unwrap())
            .args(words)
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
        let mut driver = Driver::new(child, Box::new(input), output, Some(pty));
        driver
            .terminal
            .screen_mut()
            .set_size(self::size(rows), self::size(columns));
        driver
    }

    fn new(
        child: Child,
        input: Box<dyn Write>,
        mut output: impl Read + Send + 'static,
        pty: Option<pty::Pty>,
    ) -> Driver {
        let (sender, received) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = read_output(&mut output, &mut bytes);
                if count == 0 || sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Driver {
            child,
            input,
            output: received,
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

    /// Types bytes that may not be UTF-8.
    pub fn type_bytes(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    /// Ends the input.
    pub fn close(&mut self) {
        self.input = Box::new(std::io::sink());
    }

    /// Types a line and Enter.
    pub fn enter(&mut self, line: &str) {
        let end = if self.pty.is_some() { "\r" } else { "\n" };
        self.type_keys(&format!("{line}{end}"));
    }

    /// Follows a script, line by line: `> TEXT` enters a text, `^C` types Ctrl-C, any other line is waited
    /// for, however it is wrapped, and `QUESTION > TEXT` is both.
    #[track_caller]
    pub fn talk(&mut self, script: impl Script) {
        script.follow(|line| {
            if let Some(text) = line.strip_prefix('>') {
                self.enter(text.trim_start());
                line.into()
            } else if let Some(key) = line.strip_prefix('^') {
                self.type_bytes(&[key.as_bytes()[0] & 0x1f]);
                line.into()
            } else if let Some((question, text)) = line.split_once(" >") {
                let shown = self.until_wrapped(question);
                self.enter(text.trim_start());
                format!("{shown} >{text}")
            } else {
                self.until_wrapped(line)
            }
        });
    }

    /// Waits for a line, however it is wrapped, and consumes the output up to its end. When sentences are renewed,
    /// returns the one that has come instead.
    #[track_caller]
    fn until_wrapped(&mut self, line: &str) -> String {
        let begin = Instant::now();
        while sentences::renews() && find_wrapped(&self.text[self.seen..], &joined(line)).is_none() {
            if begin.elapsed() > Duration::from_secs(10) {
                let shown = sentences::nearest_wrapped(&self.text[self.seen..], line);
                self.wait_for(&shown, find_wrapped);
                return shown;
            }
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(100)) {
                self.receive(&bytes);
            }
        }
        self.wait_for(&joined(line), find_wrapped);
        line.into()
    }

    /// Waits for this text and consumes the output up to its end. Returns the output
    /// before it.
    #[track_caller]
    pub fn until(&mut self, wanted: &str) -> String {
        self.wait_for(wanted, |text, wanted| Some((text.find(wanted)?, wanted.len())))
    }

    #[track_caller]
    fn wait_for(&mut self, wanted: &str, find: fn(&str, &str) -> Option<(usize, usize)>) -> String {
        let begin = Instant::now();
        loop {
            if let Some((at, length)) = find(&self.text[self.seen..], wanted) {
                let before = self.text[self.seen..self.seen + at].to_string();
                self.seen += at + length;
                return before;
            }
            let left = PATIENCE.saturating_sub(begin.elapsed());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.receive(&bytes),
                Err(RecvTimeoutError::Timeout) => panic!("no `{wanted}` within a minute: {}", self.text),
                Err(RecvTimeoutError::Disconnected) => panic!("ended before `{wanted}`: {}", self.text),
            }
        }
    }

    /// Consumes and returns the rest of the line.
    pub fn rest_of_line(&mut self) -> String {
        self.until("\n").trim().to_string()
    }

    /// The whole output so far.
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

    /// Waits until the terminal shows this.
    pub fn until_screen(&mut self, what: &str, is_shown: impl Fn(&[String]) -> bool) -> Vec<String> {
        let begin = Instant::now();
        loop {
            let screen = self.screen();
            if is_shown(&screen) {
                return screen;
            }
            let left = PATIENCE.saturating_sub(begin.elapsed());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                panic!("{what} is not shown: {screen:#?}");
            };
            self.receive(&bytes);
        }
    }

    /// The process id of the program.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Changes the size of the terminal.
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

    /// Waits until the program ends with this status. Returns its whole output, and keeps the terminal for
    /// inspection.
    #[track_caller]
    pub fn ends(&mut self, status: i32) -> String {
        let begin = Instant::now();
        loop {
            match self.output.recv_timeout(PATIENCE.saturating_sub(begin.elapsed())) {
                Ok(bytes) => self.receive(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end: {}", self.text),
            }
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(status), "{}", self.text);
        std::mem::take(&mut self.text)
    }

    /// Ends the input of a game by hand, and does not save it.
    #[track_caller]
    pub fn leaves_unsaved(&mut self) {
        self.type_keys(CTRL_D);
        self.talk(&format!("{OFFER_TO_SAVE}>"));
        self.ends(0);
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.terminal.process(bytes);
        self.pending.extend_from_slice(bytes);
        // Keeps an incomplete character or escape sequence for the next time.
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

/// Where a text is, and its length; a space stands for any white space.
fn find_wrapped(text: &str, wanted: &str) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, _)| {
        let mut rest = &text[at..];
        for sign in wanted.chars() {
            let after =
                rest.strip_prefix(|found: char| found == sign || sign == ' ' && found.is_whitespace())?;
            rest = if sign == ' ' { after.trim_start() } else { after };
        }
        Some((at, text.len() - at - rest.len()))
    })
}

fn size(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
