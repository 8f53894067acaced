//! Questions to a person, and the answers: with line editing on a terminal, line by line
//! through pipes.

mod editor;
mod layout;
mod plain;

pub(crate) use layout::time_left;
pub(crate) use layout::{Row, table};
pub(crate) use plain::{NoInput, Question};

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use self::editor::Editor;
use self::layout::{CLEAR_SCREEN, Frame, MAX_WIDTH, text_width};
use self::plain::{PlainLines, TOO_LONG, Typed};
use crate::game::drawing::BoardStyle;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::lines::LONGEST_LINE;
use crate::io::terminal;
use crate::io::text::{printable, truncated};

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
    interrupt: Arc<Interrupt>,
    /// Each board replaces what the screen shows.
    pub redraws: bool,
    /// The screen was cleared before, so it shows nothing of other programs.
    is_cleared: bool,
    /// The last board with its lines.
    frame: Frame,
    /// The number of rows that were printed below the frame.
    rows_below: usize,
    /// What was pasted, or typed while an engine was thinking.
    typed: TypedAhead,
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
            interrupt,
            is_cleared: false,
            frame: Frame {
                lines: String::new(),
                ascii: style.ascii,
            },
            rows_below: 0,
            typed: TypedAhead::default(),
        })
    }

    /// Whether lines are edited: on a terminal that is not a dumb one.
    pub const fn edits_lines(&self) -> bool {
        matches!(self.input, Input::Editor(_))
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

    /// Keeps what was typed while no question was asked. Later questions receive it.
    pub fn type_ahead(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let (is_interrupted, has_ended) = self.typed.extend(bytes);
        if is_interrupted {
            return Err(Signal::Interrupt.into());
        }
        let TypedAhead { lines, rest } = &self.typed;
        if has_ended || lines.iter().chain([rest]).any(|line| is_quit(line.trim())) {
            self.forget_typed();
            return Err(Stop::Quit);
        }
        Ok(())
    }

    /// Drops what was typed or pasted for later questions.
    pub fn forget_typed(&mut self) {
        self.typed = TypedAhead::default();
    }

    /// Whether answers come from a terminal.
    pub fn is_terminal() -> bool {
        io::stdin().is_terminal()
    }

    /// Prints whole lines, wrapped between words. On an ASCII console, other characters become
    /// question marks.
    pub fn print(&mut self, lines: &str) -> io::Result<()> {
        let text = layout::text(lines, self.width(), self.frame.ascii);
        self.write_lines(&text)
    }

    /// Prints lines as they are, but in ASCII on an ASCII console.
    fn print_unwrapped(&mut self, lines: &str) -> io::Result<()> {
        let text = layout::text(lines, usize::MAX, self.frame.ascii);
        self.write_lines(&text)
    }

    /// Prints rows with two columns.
    pub fn print_table(&mut self, rows: &[Row]) -> io::Result<()> {
        self.print_unwrapped(&table(rows, self.width()))
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
        let question = format!("{question} [y/N]");
        self.ask(&Question::new(&question, &[]), |answer| {
            parse_yes_no(answer).ok_or_else(|| format!("Please answer y or n; `{answer}` is neither."))
        })
    }

    /// Asks for a line of text, and trims it.
    pub fn ask_line(&mut self, question: &Question<'_>) -> Result<String, NoInput> {
        loop {
            match self.ask_once(question)? {
                Typed::Line(line) if is_quit(&line) => return Err(Stop::Quit.into()),
                Typed::Line(line) => return Ok(line),
                Typed::Unusable(why) => self.print(why)?,
                Typed::CtrlC => self.confirm_quit(question.deadline)?,
                // Asked again already.
                Typed::Redraw(_) => {}
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
            Typed::Line(line) if is_quit(&line) || parse_yes_no(&line) == Some(true) => {
                Err(Stop::Quit.into())
            }
            Typed::CtrlC => Err(Signal::Interrupt.into()),
            _ => Ok(()),
        }
    }

    /// Asks a question and reads one line, which is trimmed.
    fn ask_once(&mut self, question: &Question<'_>) -> Result<Typed, NoInput> {
        let line = if let Some(line) = self.typed.lines.pop_front() {
            let shown = printable(line.trim(), MAX_ECHO);
            self.print(&format!("{} {shown}", question.text))?;
            line
        } else {
            match self.read(question)? {
                Typed::Line(text) => {
                    // A paste can have several lines.
                    let (line, rest) = text.split_once('\n').unwrap_or((&text, ""));
                    let rest = rest.split('\n').filter(|line| !line.trim().is_empty());
                    self.typed.lines.extend(rest.map(String::from));
                    line.to_string()
                }
                Typed::Redraw(typed) => {
                    self.typed.rest = typed;
                    self.show_frame()?;
                    return self.ask_once(question);
                }
                typed => return Ok(typed),
            }
        };
        Ok(match line {
            line if line.len() > LONGEST_LINE => Typed::Unusable(TOO_LONG),
            line if line.contains('\u{fffd}') => Typed::Unusable("That is not UTF-8 text."),
            line => Typed::Line(line.trim().to_string()),
        })
    }

    fn read(&mut self, question: &Question<'_>) -> Result<Typed, NoInput> {
        let width = self.width();
        match &mut self.input {
            Input::Editor(editor) => {
                // The last line leaves space for the answer.
                let text = layout::fit(question.text, width - ANSWER_WIDTH);
                self.rows_below += text.lines().count();
                let (before, last) = text.rsplit_once('\n').unwrap_or(("", &text));
                if !before.is_empty() {
                    writeln!(self.out, "{before}")?;
                    self.out.flush()?;
                }
                let typed = std::mem::take(&mut self.typed.rest);
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
                let typed = lines.read(question.deadline, &self.interrupt);
                self.echo(&typed)?;
                typed
            }
        }
    }

    /// Prints the answer from a pipe after its question, as a terminal echoes it.
    fn echo(&mut self, typed: &Result<Typed, NoInput>) -> io::Result<()> {
        match typed {
            Ok(Typed::Line(_) | Typed::Unusable(_)) if Console::is_terminal() => Ok(()),
            Ok(Typed::Line(line)) => self.print_unwrapped(&printable(line.trim(), MAX_ECHO)),
            Ok(Typed::Unusable(_)) => self.print_unwrapped("..."),
            // The next output starts on a new line.
            _ => self.print_unwrapped(""),
        }
    }
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

/// What was typed ahead: whole lines, and the beginning of one.
#[derive(Debug, Default)]
struct TypedAhead {
    /// Lines that ended with Enter.
    lines: VecDeque<String>,
    /// The line that has no end yet.
    rest: String,
}

impl TypedAhead {
    /// Interprets typed bytes: Enter, Backspace, Ctrl-C, Ctrl-D and Ctrl-U. Other control
    /// characters and the escape sequences of special keys have no effect.
    ///
    /// Returns whether there was a Ctrl-C, as a key that was typed before the terminal made
    /// signals of it, and whether there was a Ctrl-D on an empty line.
    fn extend(&mut self, bytes: &[u8]) -> (bool, bool) {
        let text = String::from_utf8_lossy(bytes);
        let mut keys = text.chars();
        let (mut is_interrupted, mut has_ended) = (false, false);
        while let Some(key) = keys.next() {
            match key {
                // The sequence of a special key: `[` and parameters up to a letter or `~`; `O`, as
                // some terminals send for arrow keys, and a character; or one character.
                '\x1b' => match keys.next() {
                    Some('[') => drop(keys.find(|key| ('\x40'..='\x7e').contains(key))),
                    Some('O') => drop(keys.next()),
                    _ => {}
                },
                '\r' | '\n' => self.lines.push_back(std::mem::take(&mut self.rest)),
                '\x08' | '\x7f' => drop(self.rest.pop()),
                '\x03' => is_interrupted = true,
                '\x15' => self.rest.clear(),
                '\x04' => has_ended |= self.rest.is_empty(),
                _ if key.is_control() => {}
                _ => self.rest.push(key),
            }
        }
        (is_interrupted, has_ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interprets_typed_keys() {
        let mut typed = TypedAhead::default();
        assert_eq!(typed.extend(b"a5\x7f6\rb\x1b[D\x1bOA\x1b[3~"), (false, false));
        assert_eq!(typed.extend(b"7"), (false, false));
        assert_eq!(
            (typed.lines.make_contiguous(), typed.rest.as_str()),
            (&mut ["a6".to_string()][..], "b7")
        );
        assert_eq!(typed.extend(b"\x04"), (false, false));
        assert_eq!(typed.extend(b"\x15\x04"), (false, true));
        assert_eq!(typed.extend(b"a\x03"), (true, false));
    }
}
