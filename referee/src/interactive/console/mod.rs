//! A person at the keyboard: questions and answers, with line editing on a
//! terminal and line by line through pipes.

mod editor;
mod plain;
mod question;

pub use question::{Leave, Question};

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;

use self::editor::Editor;
use self::plain::PlainLines;
use self::question::Heard;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::lines::LONGEST_LINE;
use crate::io::text::{printable, wrapped};

/// How much of an answer from a pipe is repeated, in characters.
const MAX_ECHO: usize = 200;

/// The longest explanation, in characters; it may repeat the answer.
const MAX_MESSAGE: usize = 400;

/// The words that leave at every question.
const QUIT_WORDS: [&str; 3] = ["q", "quit", "exit"];

/// Where questions are asked and answers are read.
pub struct Console {
    input: Input,
    out: Box<dyn Write + Send>,
    /// Nothing but ASCII is shown.
    ascii: bool,
    interrupt: Arc<Interrupt>,
}

/// Where answers come from.
enum Input {
    /// A terminal on which lines can be edited.
    Editor(Box<Editor>),
    /// Anything else.
    Plain(PlainLines),
}

impl Console {
    /// A console on standard input and output, which may be for ASCII only.
    ///
    /// # Errors
    /// Where the system does not give standard input.
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

    /// Shows whole lines; a sign that cannot be shown becomes a question mark.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn print(&mut self, lines: &str) -> io::Result<()> {
        if self.ascii {
            let lines = lines.replace(|sign: char| !sign.is_ascii(), "?");
            writeln!(self.out, "{lines}")?;
        } else {
            writeln!(self.out, "{lines}")?;
        }
        self.out.flush()
    }

    /// Shows a sentence that may be long or repeat what was typed.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn print_wrapped(&mut self, sentence: &str) -> io::Result<()> {
        self.print(&wrapped(&printable(sentence, MAX_MESSAGE)))
    }

    /// Asks until `accept` takes the answer; what it says instead is shown.
    ///
    /// # Errors
    /// Where the person leaves or the terminal fails.
    pub fn ask<T>(
        &mut self,
        question: &Question<'_>,
        mut accept: impl FnMut(&str) -> Result<T, String>,
    ) -> Result<T, Leave> {
        loop {
            match accept(&self.ask_line(question)?) {
                Ok(answer) => return Ok(answer),
                Err(refusal) => self.print_wrapped(&refusal)?,
            }
        }
    }

    /// Asks a question that only yes and no answer; Enter alone says no.
    ///
    /// # Errors
    /// As [`Console::ask`].
    pub fn confirm(&mut self, question: &str) -> Result<bool, Leave> {
        let text = format!("{question} [y/N]");
        let question = Question {
            text: &text,
            ..Question::default()
        };
        self.ask(&question, |answer| {
            parse_yes_no(answer).ok_or_else(|| format!("Please answer y or n; `{answer}` is neither."))
        })
    }

    /// Asks for a line of text; it comes without the space around it.
    ///
    /// # Errors
    /// As [`Console::ask`].
    pub fn ask_line(&mut self, question: &Question<'_>) -> Result<String, Leave> {
        loop {
            match self.ask_once(question)? {
                Heard::Line(line) if line.contains('\u{fffd}') => self.print("That is no text.")?,
                Heard::Line(line) => {
                    let line = line.trim();
                    if is_quit(line) {
                        return Err(Stop::Quit.into());
                    }
                    return Ok(line.to_string());
                }
                Heard::NoText => self.print("That is no text.")?,
                Heard::TooLong => self.print("That is too long.")?,
                Heard::End => return Err(Stop::Quit.into()),
                Heard::CtrlC => self.confirm_quit(question.deadline)?,
                Heard::Signal(signal) => return Err(signal.into()),
                Heard::TimeUp => return Err(Leave::TimeUp),
            }
        }
    }

    /// After Ctrl-C: asks once whether that was meant. Gives back only where
    /// it was not.
    ///
    /// # Errors
    /// Where the person leaves, the same way or by saying yes.
    pub fn confirm_quit(&mut self, deadline: Option<Instant>) -> Result<(), Leave> {
        self.interrupt.acknowledge();
        let question = Question {
            text: "Leave? Ctrl-C again or y leaves, Enter goes on. [y/N]",
            words: &[],
            deadline,
        };
        match self.ask_once(&question)? {
            Heard::Line(line) if is_quit(line.trim()) || parse_yes_no(line.trim()) == Some(true) => {
                Err(Stop::Quit.into())
            }
            Heard::Line(_) | Heard::NoText | Heard::TooLong => Ok(()),
            Heard::End => Err(Stop::Quit.into()),
            Heard::CtrlC => Err(Signal::Interrupt.into()),
            Heard::Signal(signal) => Err(signal.into()),
            Heard::TimeUp => Err(Leave::TimeUp),
        }
    }

    /// Asks once.
    fn ask_once(&mut self, question: &Question<'_>) -> io::Result<Heard> {
        let heard = match &mut self.input {
            Input::Editor(editor) => editor.read(question, &self.interrupt)?,
            Input::Plain(lines) => {
                write!(self.out, "{} ", question.text)?;
                self.out.flush()?;
                let heard = lines.read(question.deadline, &self.interrupt)?;
                self.echo(&heard)?;
                heard
            }
        };
        Ok(match heard {
            Heard::Line(line) if line.len() > LONGEST_LINE => Heard::TooLong,
            heard => heard,
        })
    }

    /// A terminal shows what is typed; for a pipe the answer is written behind
    /// its question, so that what is seen reads the same.
    fn echo(&mut self, heard: &Heard) -> io::Result<()> {
        match heard {
            Heard::Line(_) | Heard::NoText | Heard::TooLong if self.is_terminal() => Ok(()),
            Heard::Line(line) => self.print(&printable(line.trim(), MAX_ECHO)),
            Heard::NoText | Heard::TooLong => self.print("..."),
            // What follows begins a line of its own.
            _ => self.print(""),
        }
    }
}

/// Whether an answer leaves.
fn is_quit(answer: &str) -> bool {
    QUIT_WORDS.iter().any(|word| answer.eq_ignore_ascii_case(word))
}

/// What an answer says; nothing says no.
fn parse_yes_no(answer: &str) -> Option<bool> {
    match answer.to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" | "n" | "no" => Some(false),
        _ => None,
    }
}
