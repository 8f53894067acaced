//! Questions to a person, and the answers: with line editing on a terminal, line by line
//! through pipes.

mod editor;
mod plain;
mod question;

pub use question::{NoInput, Question};

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use self::editor::Editor;
use self::plain::PlainLines;
use self::question::ReadOutcome;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::lines::LONGEST_LINE;
use crate::io::text::{printable, wrapped};

/// Maximum length of the echo of an answer from a pipe, in characters.
const MAX_ECHO: usize = 200;

/// Maximum length of a message, in characters. A message may quote the answer.
const MAX_MESSAGE: usize = 400;

/// The answers that quit at any question.
const QUIT_WORDS: [&str; 3] = ["q", "quit", "exit"];

/// The keyboard and the screen.
pub struct Console {
    input: Input,
    out: Box<dyn Write + Send>,
    /// The output is ASCII only.
    ascii: bool,
    interrupt: Arc<Interrupt>,
}

/// Where answers come from.
enum Input {
    /// A terminal with line editing.
    Editor(Box<Editor>),
    /// A pipe, a file or a terminal without line editing.
    Plain(PlainLines),
}

impl Console {
    /// The console on standard input and output, optionally with ASCII output.
    ///
    /// # Errors
    /// If standard input cannot be used.
    pub fn stdio(ascii: bool, interrupt: Arc<Interrupt>) -> io::Result<Console> {
        let input = match Editor::on_terminal()? {
            Some(editor) => Input::Editor(Box::new(editor)),
            None => Input::Plain(PlainLines::stdin()?),
        };
        Ok(Console {
            input,
            out: Box::new(io::stdout()),
            ascii,
            interrupt,
        })
    }

    /// Whether answers come from a terminal.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }

    /// Prints whole lines. On an ASCII console, other characters become question marks.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn print(&mut self, lines: &str) -> io::Result<()> {
        if self.ascii {
            let lines = lines.replace(|c: char| !c.is_ascii(), "?");
            writeln!(self.out, "{lines}")?;
        } else {
            writeln!(self.out, "{lines}")?;
        }
        self.out.flush()
    }

    /// Prints a message that may be long or quote what was typed.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn print_wrapped(&mut self, message: &str) -> io::Result<()> {
        self.print(&wrapped(&printable(message, MAX_MESSAGE)))
    }

    /// Asks until `accept` accepts the answer; shows its error message otherwise.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn ask<T>(
        &mut self,
        question: &Question<'_>,
        mut accept: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, NoInput> {
        loop {
            match accept(&self.ask_line(question)?) {
                Ok(answer) => return Ok(answer),
                Err(refusal) => self.print_wrapped(&refusal)?,
            }
        }
    }

    /// Asks a yes-or-no question. Enter alone means no.
    ///
    /// # Errors
    /// As [`Console::ask`].
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
    ///
    /// # Errors
    /// As [`Console::ask`].
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
                ReadOutcome::End => return Err(Stop::Quit.into()),
                ReadOutcome::CtrlC => self.confirm_quit(question.deadline)?,
                ReadOutcome::Signal(signal) => return Err(signal.into()),
                ReadOutcome::TimeUp => return Err(NoInput::TimeUp),
            }
        }
    }

    /// Asks once, after Ctrl-C, whether to quit.
    ///
    /// # Errors
    /// If the answer is yes or another Ctrl-C, or there is no answer.
    pub fn confirm_quit(&mut self, deadline: Option<Instant>) -> Result<(), NoInput> {
        self.interrupt.acknowledge();
        let question = Question {
            text: "Quit? Ctrl-C again or y quits, Enter continues. [y/N]",
            words: &[],
            deadline,
        };
        match self.ask_once(&question)? {
            ReadOutcome::Line(line) if is_quit(line.trim()) || parse_yes_no(line.trim()) == Some(true) => {
                Err(Stop::Quit.into())
            }
            ReadOutcome::Line(_) | ReadOutcome::NotText | ReadOutcome::TooLong => Ok(()),
            ReadOutcome::End => Err(Stop::Quit.into()),
            ReadOutcome::CtrlC => Err(Signal::Interrupt.into()),
            ReadOutcome::Signal(signal) => Err(signal.into()),
            ReadOutcome::TimeUp => Err(NoInput::TimeUp),
        }
    }

    /// Asks a question and reads one line.
    fn ask_once(&mut self, question: &Question<'_>) -> io::Result<ReadOutcome> {
        let outcome = match &mut self.input {
            Input::Editor(editor) => editor.read(question, &self.interrupt)?,
            Input::Plain(lines) => {
                write!(self.out, "{} ", question.text)?;
                self.out.flush()?;
                let outcome = lines.read(question.deadline, &self.interrupt)?;
                self.echo(&outcome)?;
                outcome
            }
        };
        Ok(match outcome {
            ReadOutcome::Line(line) if line.len() > LONGEST_LINE => ReadOutcome::TooLong,
            outcome => outcome,
        })
    }

    /// Prints the answer from a pipe after its question, as a terminal does by itself.
    fn echo(&mut self, outcome: &ReadOutcome) -> io::Result<()> {
        match outcome {
            ReadOutcome::Line(_) | ReadOutcome::NotText | ReadOutcome::TooLong if self.is_terminal() => {
                Ok(())
            }
            ReadOutcome::Line(line) => self.print(&printable(line.trim(), MAX_ECHO)),
            ReadOutcome::NotText | ReadOutcome::TooLong => self.print("..."),
            // The next output starts on a new line.
            _ => self.print(""),
        }
    }
}

fn is_quit(answer: &str) -> bool {
    QUIT_WORDS.iter().any(|word| answer.eq_ignore_ascii_case(word))
}

/// Parses yes or no; an empty answer means no.
fn parse_yes_no(answer: &str) -> Option<bool> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        _ => None,
    }
}
