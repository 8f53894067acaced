//! Questions to a person, and the answers: with line editing on a terminal, line by line
//! through pipes.

mod clock;
mod editor;
mod frame;
mod keys;
mod layout;
mod plain;
mod question;

pub(crate) use clock::time_left;
pub(crate) use layout::{Row, table};
pub(crate) use question::{NoInput, Question};

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use self::editor::Editor;
use self::frame::{CLEAR_SCREEN, Frame, MAX_WIDTH, text_width};
use self::keys::TypedAhead;
use self::plain::PlainLines;
use self::question::ReadOutcome;
use crate::game::drawing::BoardStyle;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::lines::LONGEST_LINE;
use crate::io::terminal;
use crate::io::text::{columns, printable, truncated, wrap};

/// Maximum length of the echo of an answer from a pipe, in characters.
const MAX_ECHO: usize = 200;

/// Maximum length of a message, in characters. A message may quote the answer.
const MAX_MESSAGE: usize = 400;

/// Space for an answer behind its question, in columns.
const ANSWER_WIDTH: usize = 5;

/// Erases the line with the cursor (ECMA-48, EL).
const CLEAR_LINE: &str = "\r\x1b[K";

/// The answers that quit at any question.
const QUIT_WORDS: [&str; 3] = ["q", "quit", "exit"];

/// The keyboard and the screen.
pub struct Console {
    input: Input,
    out: Box<dyn Write + Send>,
    /// The output is ASCII only.
    ascii: bool,
    interrupt: Arc<Interrupt>,
    /// Each board replaces what the screen shows.
    redraws: bool,
    /// The screen was cleared before, so it shows nothing of other programs.
    is_cleared: bool,
    /// The last board with its lines.
    frame: Frame,
    /// The number of rows that were printed below the frame.
    rows_below: usize,
    /// Lines that were pasted, or typed while an engine was thinking.
    pending: VecDeque<String>,
    /// The beginning of a line that was typed before its question.
    unfinished: String,
}

/// Where answers come from.
enum Input {
    /// A terminal with line editing.
    Editor(Box<Editor>),
    /// A pipe, a file or a terminal without line editing.
    Plain(PlainLines),
}

impl Console {
    /// The console on standard input and output. `style` says whether the output is ASCII
    /// only, and whether it has colour.
    pub fn stdio(style: BoardStyle, interrupt: Arc<Interrupt>) -> io::Result<Console> {
        let input = match Editor::on_terminal(style.colour)? {
            Some(editor) => Input::Editor(Box::new(editor)),
            None => Input::Plain(PlainLines::stdin()?),
        };
        Ok(Console {
            redraws: matches!(input, Input::Editor(_)),
            input,
            out: Box::new(io::stdout()),
            ascii: style.ascii,
            interrupt,
            is_cleared: false,
            frame: Frame::new(style.ascii),
            rows_below: 0,
            pending: VecDeque::new(),
            unfinished: String::new(),
        })
    }

    /// Whether lines are edited: on a terminal that is not a dumb one.
    pub const fn edits_lines(&self) -> bool {
        matches!(self.input, Input::Editor(_))
    }

    /// Whether each board replaces what the screen shows.
    pub const fn redraws(&self) -> bool {
        self.redraws
    }

    /// Lets each board replace what the screen shows, or lets the screen scroll. No effect
    /// where the terminal cannot redraw.
    pub const fn set_redraws(&mut self, redraws: bool) {
        self.redraws = redraws && self.edits_lines();
    }

    /// The width of text, in columns.
    pub fn width(&self) -> usize {
        let width = match self.input {
            Input::Editor(_) => terminal::width(io::stdout()),
            Input::Plain(_) => None,
        };
        text_width(width)
    }

    /// Prints a board with its lines, in place of the earlier output if the console redraws.
    /// Ctrl-L shows it again.
    pub fn print_frame(&mut self, lines: String) -> io::Result<()> {
        self.frame.lines = lines;
        self.show_frame()
    }

    fn show_frame(&mut self) -> io::Result<()> {
        if self.frame.lines.is_empty() {
            return Ok(());
        }
        if self.redraws {
            if !std::mem::replace(&mut self.is_cleared, true) {
                // Moves what other programs wrote out of the way.
                let rows = terminal::rows(io::stdout()).unwrap_or(0);
                self.out.write_all("\n".repeat(rows).as_bytes())?;
            }
            self.out.write_all(CLEAR_SCREEN.as_bytes())?;
        }
        self.rows_below = 0;
        let text = self.frame.text(self.width());
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Writes whole lines. If they would push the board out of the screen, they replace
    /// what stands below the board.
    fn write_lines(&mut self, text: &str) -> io::Result<()> {
        let rows = text.lines().count();
        if self.redraws && !self.frame.lines.is_empty() {
            let frame_rows = self.frame.text(self.width()).lines().count();
            let screen = terminal::rows(io::stdout()).unwrap_or(0);
            // The prompt needs a row, too.
            let fits = |below: usize| frame_rows + below + rows < screen;
            if !fits(self.rows_below) && fits(0) {
                self.show_frame()?;
            }
        }
        self.rows_below += rows;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Shows a line that is replaced by the next output, in place of the last one.
    pub fn show_status(&mut self, line: &str) -> io::Result<()> {
        let width = terminal::width(io::stdout()).unwrap_or(MAX_WIDTH);
        let line = truncated(line, width.saturating_sub(1));
        write!(self.out, "{CLEAR_LINE}{line}")?;
        self.out.flush()
    }

    /// Removes the line of [`Console::show_status`].
    pub fn clear_status(&mut self) -> io::Result<()> {
        self.out.write_all(CLEAR_LINE.as_bytes())?;
        self.out.flush()
    }

    /// Keeps what was typed while no question was asked. Later questions receive it.
    pub fn type_ahead(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let mut typed = TypedAhead {
            rest: std::mem::take(&mut self.unfinished),
            ..TypedAhead::default()
        };
        typed.extend(bytes);
        let quits = typed.has_ended
            || is_quit(typed.rest.trim())
            || typed.lines.iter().any(|line| is_quit(line.trim()));
        self.pending.extend(typed.lines);
        self.unfinished = typed.rest;
        if typed.is_interrupted {
            return Err(Signal::Interrupt.into());
        }
        if quits {
            self.forget_typed();
            return Err(Stop::Quit);
        }
        Ok(())
    }

    /// Drops what was typed or pasted for later questions.
    pub fn forget_typed(&mut self) {
        self.pending.clear();
        self.unfinished.clear();
    }

    /// Whether answers come from a terminal.
    pub fn is_terminal() -> bool {
        io::stdin().is_terminal()
    }

    /// Prints whole lines, wrapped between words. On an ASCII console, other characters become
    /// question marks.
    pub fn print(&mut self, lines: &str) -> io::Result<()> {
        let text = frame::text(lines, self.width(), self.ascii);
        self.write_lines(&text)
    }

    /// Prints lines as they are, but in ASCII on an ASCII console.
    fn print_unwrapped(&mut self, lines: &str) -> io::Result<()> {
        let text = frame::text(lines, usize::MAX, self.ascii);
        self.write_lines(&text)
    }

    /// Prints rows with two columns.
    pub fn print_table(&mut self, rows: &[Row]) -> io::Result<()> {
        let lines = table(rows, self.width());
        self.print_unwrapped(&lines)
    }

    /// Prints a message that may be long or quote what was typed.
    pub fn print_message(&mut self, message: &str) -> io::Result<()> {
        self.print(&printable(message, MAX_MESSAGE))
    }

    /// Asks until `accept` accepts the answer; shows its error message otherwise.
    pub fn ask<T>(
        &mut self,
        question: &Question<'_>,
        mut accept: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, NoInput> {
        loop {
            match accept(&self.ask_line(question)?) {
                Ok(answer) => return Ok(answer),
                Err(refusal) => self.print_message(&refusal)?,
            }
        }
    }

    /// Asks a yes-or-no question. Enter alone means no.
    pub fn confirm(&mut self, question: &str) -> Result<bool, NoInput> {
        let text = format!("{question} [y/N]");
        let question = Question {
            text: &text,
            ..Question::default()
        };
        self.ask(&question, |answer| {
            parse_yes_no(answer).ok_or_else(|| format!("Please answer y or n; `{answer}` is neither."))
        })
    }

    /// Asks for a line of text, and trims it.
    pub fn ask_line(&mut self, question: &Question<'_>) -> Result<String, NoInput> {
        loop {
            match self.ask_once(question)? {
                ReadOutcome::Line(line) if line.contains('\u{fffd}') => {
                    self.print("That is not UTF-8 text.")?;
                }
                ReadOutcome::Line(line) => {
                    let line = line.trim();
                    if is_quit(line) {
                        return Err(Stop::Quit.into());
                    }
                    return Ok(line.to_string());
                }
                ReadOutcome::NotText => self.print("That is not UTF-8 text.")?,
                ReadOutcome::TooLong => self.print("That line is too long.")?,
                // Answered before it gets here.
                ReadOutcome::Redraw(_) => {}
                ReadOutcome::End => return Err(Stop::Quit.into()),
                ReadOutcome::CtrlC => self.confirm_quit(question.deadline)?,
                ReadOutcome::Signal(signal) => return Err(signal.into()),
                ReadOutcome::TimeUp => return Err(NoInput::TimeUp),
            }
        }
    }

    /// Asks once, after Ctrl-C, whether to quit.
    pub fn confirm_quit(&mut self, deadline: Option<Instant>) -> Result<(), NoInput> {
        self.interrupt.acknowledge();
        self.forget_typed();
        let question = Question {
            text: "Quit? Ctrl-C again or y quits, Enter continues. [y/N]",
            deadline,
            ..Question::default()
        };
        match self.ask_once(&question)? {
            ReadOutcome::Line(line) if is_quit(line.trim()) || parse_yes_no(line.trim()) == Some(true) => {
                Err(Stop::Quit.into())
            }
            ReadOutcome::Line(_) | ReadOutcome::Redraw(_) | ReadOutcome::NotText | ReadOutcome::TooLong => {
                Ok(())
            }
            ReadOutcome::End => Err(Stop::Quit.into()),
            ReadOutcome::CtrlC => Err(Signal::Interrupt.into()),
            ReadOutcome::Signal(signal) => Err(signal.into()),
            ReadOutcome::TimeUp => Err(NoInput::TimeUp),
        }
    }

    /// Asks a question and reads one line.
    fn ask_once(&mut self, question: &Question<'_>) -> io::Result<ReadOutcome> {
        let outcome = loop {
            if let Some(line) = self.pending.pop_front() {
                let shown = printable(line.trim(), MAX_ECHO);
                self.print(&format!("{} {shown}", question.text))?;
                break ReadOutcome::Line(line);
            }
            match self.read(question)? {
                ReadOutcome::Redraw(typed) => {
                    self.unfinished = typed;
                    self.show_frame()?;
                }
                ReadOutcome::Line(text) => {
                    // A paste can have several lines.
                    let mut lines = text.split('\n').map(String::from);
                    let line = lines.next().unwrap_or_default();
                    self.pending.extend(lines.filter(|line| !line.trim().is_empty()));
                    break ReadOutcome::Line(line);
                }
                outcome => break outcome,
            }
        };
        Ok(match outcome {
            ReadOutcome::Line(line) if line.len() > LONGEST_LINE => ReadOutcome::TooLong,
            outcome => outcome,
        })
    }

    fn read(&mut self, question: &Question<'_>) -> io::Result<ReadOutcome> {
        let width = self.width();
        match &mut self.input {
            Input::Editor(editor) => {
                let text = wrap_question(question.text, width);
                self.rows_below += text.lines().count();
                let (before, last) = text.rsplit_once('\n').unwrap_or(("", &text));
                if !before.is_empty() {
                    writeln!(self.out, "{before}")?;
                    self.out.flush()?;
                }
                let typed = std::mem::take(&mut self.unfinished);
                let question = Question {
                    text: last,
                    ..*question
                };
                let redrawn = (self.redraws && !self.frame.lines.is_empty()).then_some(&self.frame);
                editor.read(&question, &typed, redrawn, &self.interrupt)
            }
            Input::Plain(lines) => {
                write!(self.out, "{} ", question.text)?;
                self.out.flush()?;
                let outcome = lines.read(question.deadline, &self.interrupt)?;
                self.echo(&outcome)?;
                Ok(outcome)
            }
        }
    }

    /// Prints the answer from a pipe after its question, as a terminal echoes it.
    fn echo(&mut self, outcome: &ReadOutcome) -> io::Result<()> {
        match outcome {
            ReadOutcome::Line(_) | ReadOutcome::NotText | ReadOutcome::TooLong if Console::is_terminal() => {
                Ok(())
            }
            ReadOutcome::Line(line) => self.print_unwrapped(&printable(line.trim(), MAX_ECHO)),
            ReadOutcome::NotText | ReadOutcome::TooLong => self.print_unwrapped("..."),
            // The next output starts on a new line.
            _ => self.print_unwrapped(""),
        }
    }
}

/// Wraps a question so that its last line leaves space for the answer.
fn wrap_question(text: &str, width: usize) -> String {
    if columns(text) + ANSWER_WIDTH <= width {
        return text.to_string();
    }
    wrap(text, width - ANSWER_WIDTH)
}

fn is_quit(answer: &str) -> bool {
    QUIT_WORDS.iter().any(|word| answer.eq_ignore_ascii_case(word))
}

/// Parses yes or no, in any letter case; an empty answer means no.
pub(in crate::interactive) fn parse_yes_no(answer: &str) -> Option<bool> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        _ => None,
    }
}
