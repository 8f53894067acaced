//! Questions to a person, and the answers: lines from a pipe, or from a terminal, which edits them itself.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::Observer;
use referee_core::io::interrupt::{Interrupt, Signal};
use referee_core::io::lines::{self, LineBuffer, Overlong};
use referee_core::io::running_clock;
use referee_core::io::text::{in_one_line, printable};
use referee_core::system::pipes::{Interest, Reader, WaitSet};

use super::layout::{self, Row};
use super::messages::Messages;
use super::thinking::Thinking;
use crate::terminal;

/// Maximum length of the echo of an answer, in characters.
const MAX_ECHO: usize = 200;

/// Maximum length of a message, in characters. A message may quote the answer.
const MAX_MESSAGE: usize = 400;

/// Space for an answer behind its question, in columns.
const ANSWER_WIDTH: usize = 5;

/// The answers that quit at any question.
const QUIT_WORDS: [&str; 3] = ["q", "quit", "exit"];

/// Why a question has no answer.
#[derive(Debug)]
pub(crate) enum NoInput {
    /// The deadline passed.
    TimeUp,
    /// The person quits, a signal arrives (or a second Ctrl-C), or the terminal fails.
    Stopped(Stop),
}

impl<S: Into<Stop>> From<S> for NoInput {
    fn from(stop: S) -> NoInput {
        NoInput::Stopped(stop.into())
    }
}

impl From<NoInput> for Failure {
    /// For games by hand, where people have no clock.
    fn from(no_input: NoInput) -> Failure {
        match no_input {
            NoInput::TimeUp => Stop::Quit.into(),
            NoInput::Stopped(stop) => stop.into(),
        }
    }
}

/// What a person typed.
enum Typed {
    Line(String),
    /// A line that cannot be used, and why.
    Unusable(&'static str),
    /// Ctrl-C on a terminal.
    CtrlC,
}

impl From<Result<Vec<u8>, Overlong>> for Typed {
    fn from(line: Result<Vec<u8>, Overlong>) -> Typed {
        match line.map(|line| lines::text(&line)) {
            Err(_) => Typed::Unusable("That line is too long."),
            Ok(line) if line.raw().contains('\u{fffd}') => Typed::Unusable("That is not UTF-8 text."),
            Ok(line) => Typed::Line(line.raw().trim().to_string()),
        }
    }
}

/// The keyboard and the screen.
pub struct Console {
    input: Reader,
    lines: LineBuffer,
    interrupt: Arc<Interrupt>,
    /// Only ASCII characters are shown.
    ascii: bool,
}

impl Console {
    /// The console on standard input and output.
    pub fn stdio(ascii: bool, interrupt: Arc<Interrupt>) -> io::Result<Console> {
        Ok(Console {
            input: Reader::stdin()?,
            lines: LineBuffer::default(),
            interrupt,
            ascii,
        })
    }

    /// Whether answers come from a terminal.
    pub fn is_terminal() -> bool {
        io::stdin().is_terminal()
    }

    /// The width of text, in columns.
    pub fn width() -> usize {
        layout::text_width(terminal::width(io::stdout()))
    }

    /// Prints whole lines, wrapped between words. On an ASCII console, other characters become
    /// question marks.
    pub fn print(&self, lines: &str) -> io::Result<()> {
        write(&(layout::text(lines, Console::width(), self.ascii) + "\n"))
    }

    /// Shows on a terminal who thinks and what it has found, until `act` has returned. `act` gets what observes the
    /// search.
    pub fn while_thinking<T>(
        &self,
        who: &str,
        messages: &Messages,
        act: impl FnOnce(&mut dyn Observer) -> T,
    ) -> T {
        act(&mut Thinking::show(who, messages, self.ascii))
    }

    /// Prints rows with two columns.
    pub fn print_table(&self, rows: &[Row]) -> io::Result<()> {
        self.print(&layout::table(rows, Console::width()))
    }

    /// Prints a message that may be long or quote what was typed.
    pub fn print_message(&self, message: &str) -> io::Result<()> {
        self.print(&printable(&in_one_line(message), MAX_MESSAGE))
    }

    /// Asks until `accept` accepts the answer; shows its error message otherwise.
    pub fn ask<T>(
        &mut self,
        question: &str,
        mut accept: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, NoInput> {
        loop {
            match accept(&self.ask_line(question, None)?) {
                Ok(answer) => return Ok(answer),
                Err(refusal) => self.print_message(&refusal)?,
            }
        }
    }

    /// Asks a yes-or-no question. Enter alone means no.
    pub fn confirm(&mut self, question: &str) -> Result<bool, NoInput> {
        self.ask(&format!("{question} [y/N]"), |answer| {
            parse_yes_no(answer).ok_or_else(|| format!("Please answer y or n; `{answer}` is neither."))
        })
    }

    /// Asks for a line of text until the deadline, and trims it.
    pub fn ask_line(&mut self, question: &str, deadline: Option<Instant>) -> Result<String, NoInput> {
        loop {
            match self.ask_once(question, deadline)? {
                Typed::Line(line) if is_quit(&line) => return Err(Stop::Quit.into()),
                Typed::Line(line) => return Ok(line),
                Typed::Unusable(why) => self.print(why)?,
                Typed::CtrlC => self.confirm_quit(deadline)?,
            }
        }
    }

    /// Asks once, after Ctrl-C, whether to quit.
    pub fn confirm_quit(&mut self, deadline: Option<Instant>) -> Result<(), NoInput> {
        self.interrupt.acknowledge();
        match self.ask_once("Quit? Ctrl-C again or y quits, Enter continues. [y/N]", deadline)? {
            Typed::Line(line) if is_quit(&line) || parse_yes_no(&line) == Some(true) => {
                Err(Stop::Quit.into())
            }
            Typed::CtrlC => Err(Signal::Interrupt.into()),
            _ => Ok(()),
        }
    }

    /// Asks a question and reads one line.
    fn ask_once(&mut self, question: &str, deadline: Option<Instant>) -> Result<Typed, NoInput> {
        // A terminal has echoed the answer, but not behind the question if it was typed ahead.
        let is_echoed = Console::is_terminal() && !self.is_ready();
        let width = Console::width() - ANSWER_WIDTH;
        write(&(layout::text(question, width, self.ascii) + " "))?;
        let typed = self.read(deadline);
        match &typed {
            Ok(Typed::Line(_) | Typed::Unusable(_)) if is_echoed => {}
            Ok(Typed::Line(line)) => self.print(&printable(line, MAX_ECHO))?,
            Ok(Typed::Unusable(_)) => self.print("...")?,
            // The next output starts on a new line.
            _ => self.print("")?,
        }
        typed
    }

    /// Whether a line can be read at once.
    fn is_ready(&self) -> bool {
        let mut set = WaitSet::default();
        let input = set.watch(Some(self.input.source()), Interest::Input);
        set.wait(Some(Duration::ZERO)).is_ok() && set.is_ready(input)
    }

    /// Reads the next line. The last line needs no line end.
    fn read(&mut self, deadline: Option<Instant>) -> Result<Typed, NoInput> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Ok(line.into());
            }
            if self.has_ctrl_c(deadline)? {
                return Ok(Typed::CtrlC);
            }
            match lines::read_from(&self.input, &mut self.lines) {
                Ok(0) => return self.lines.take_rest().map(Typed::from).ok_or(Stop::Quit.into()),
                Ok(_) => {}
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for input, or for Ctrl-C on a terminal.
    fn has_ctrl_c(&self, deadline: Option<Instant>) -> Result<bool, NoInput> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(running_clock::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(NoInput::TimeUp);
            }
            let mut set = WaitSet::default();
            let input = set.watch(Some(self.input.source()), Interest::Input);
            set.watch(Some(self.interrupt.source()), Interest::Input);
            match set.wait(left) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error.into()),
                _ => {}
            }
            match self.interrupt.caught() {
                Some(Signal::Interrupt) if Console::is_terminal() => return Ok(true),
                Some(signal) => return Err(signal.into()),
                None if set.is_ready(input) => return Ok(false),
                None => {}
            }
        }
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn is_quit(answer: &str) -> bool {
    QUIT_WORDS.iter().any(|word| answer.eq_ignore_ascii_case(word))
}

/// Parses yes or no, in any letter case; an empty answer means no.
pub(super) fn parse_yes_no(answer: &str) -> Option<bool> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        _ => None,
    }
}
