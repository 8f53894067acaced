//! Line editing, history and completion on a terminal, through rustyline.
//!
//! rustyline waits for keys by itself, and nothing ends that wait but a key or
//! SIGINT, whose handler it replaces meanwhile. So a watchman thread turns what
//! else must end it into that signal: the deadline, and the signals that came
//! to us. Ctrl-C is a key to rustyline, no signal.

use std::io::{self, IsTerminal, PipeReader};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Signal as SystemSignal, getpid, kill_process};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, ExternalPrinter, Helper};

use super::question::{Heard, Question};
use crate::io::interrupt::{Interrupt, Signal};

/// Terminals on which rustyline cannot edit.
const PLAIN_TERMINALS: [&str; 3] = ["dumb", "cons25", "emacs"];

/// How often the watchman calls until he is heard: rustyline may be about to
/// install its handler.
const WAKE_INTERVAL: Duration = Duration::from_millis(20);

/// A terminal with line editing.
pub struct Editor {
    lines: rustyline::Editor<Completions, MemHistory>,
    /// As long as there is one, rustyline waits for signals and keys alike,
    /// whichever thread the system hands the signal to.
    _printer: Box<dyn ExternalPrinter + Send>,
}

/// What ended a wait that no key ended.
#[derive(Clone, Copy, Debug)]
enum WakeReason {
    /// The deadline.
    TimeUp,
    /// A signal that came to us.
    Signal(Signal),
}

impl Editor {
    /// An editor, where standard input and output are a terminal that is fit
    /// for one.
    ///
    /// # Errors
    /// Where the terminal fails.
    pub fn on_terminal() -> io::Result<Option<Editor>> {
        let term = std::env::var("TERM").unwrap_or_default();
        let is_simple = term.is_empty()
            || PLAIN_TERMINALS
                .iter()
                .any(|simple| term.eq_ignore_ascii_case(simple));
        if is_simple || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .build();
        let mut lines =
            rustyline::Editor::with_history(config, MemHistory::new()).map_err(io::Error::other)?;
        let printer = lines.create_external_printer().map_err(io::Error::other)?;
        Ok(Some(Editor {
            lines,
            _printer: Box::new(printer),
        }))
    }

    /// Asks once.
    ///
    /// # Errors
    /// Where the terminal fails.
    pub fn read(&mut self, question: &Question<'_>, interrupt: &Interrupt) -> io::Result<Heard> {
        self.lines.set_helper(Some(Completions(question.words.to_vec())));
        let prompt = format!("{} ", question.text);
        let (done, dismissal) = io::pipe()?;
        let (read, call) = thread::scope(|scope| {
            let watcher = scope.spawn(move || watch_for_wakeup(&done, question.deadline, interrupt));
            let read = self.lines.readline(&prompt);
            drop(dismissal);
            (read, watcher.join().unwrap_or_default())
        });
        if call.is_some() {
            // What the watchman called may have come to us instead.
            interrupt.acknowledge();
        }
        Ok(match read {
            Ok(line) => Heard::Line(line),
            Err(ReadlineError::Eof) => Heard::End,
            Err(ReadlineError::Interrupted) => match call {
                Some(WakeReason::TimeUp) => Heard::TimeUp,
                Some(WakeReason::Signal(Signal::Terminate)) => Heard::Signal(Signal::Terminate),
                Some(WakeReason::Signal(Signal::Interrupt)) | None => Heard::CtrlC,
            },
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => Heard::NoText,
            Err(ReadlineError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        })
    }
}

/// Calls rustyline back at the deadline or when a signal comes, until the wait
/// is over. Gives back why, if it called.
fn watch_for_wakeup(
    done: &PipeReader,
    deadline: Option<Instant>,
    interrupt: &Interrupt,
) -> Option<WakeReason> {
    let mut call = None;
    loop {
        let left = match call {
            None => deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            Some(_) => Some(WAKE_INTERVAL),
        };
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let dismissal = PollFd::new(done, PollFlags::IN);
        let signal = PollFd::new(interrupt, PollFlags::IN);
        let mut set = [dismissal, signal];
        // Once he has called, his own call makes the signals' pipe readable.
        let watched = if call.is_none() {
            &mut set[..]
        } else {
            &mut set[..1]
        };
        let polled = rustix::event::poll(watched, timeout.as_ref());
        if !set[0].revents().is_empty() {
            return call;
        }
        let time_is_up = deadline.is_some_and(|deadline| deadline <= Instant::now());
        call = call.or(match interrupt.caught() {
            Some(signal) => Some(WakeReason::Signal(signal)),
            None if time_is_up => Some(WakeReason::TimeUp),
            None => None,
        });
        if call.is_some() && kill_process(getpid(), SystemSignal::INT).is_err() || polled.is_err_and(is_fatal)
        {
            return call;
        }
    }
}

/// Whether polling will not work the next time either.
fn is_fatal(error: rustix::io::Errno) -> bool {
    error != rustix::io::Errno::INTR
}

/// The answers that Tab completes.
struct Completions(Vec<String>);

impl Completer for Completions {
    type Candidate = Pair;

    fn complete(&self, line: &str, place: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..place).unwrap_or_default();
        if let Some((word, path)) = typed.split_once(' ') {
            let is_file = ["save", "load"]
                .iter()
                .any(|file| word.eq_ignore_ascii_case(file));
            let files = if is_file { files(path) } else { Vec::new() };
            return Ok((place - path.len(), files.into_iter().map(pair).collect()));
        }
        let in_capitals = typed.contains(|sign: char| sign.is_ascii_uppercase());
        let spelled = |word: &String| {
            if in_capitals {
                word.to_uppercase()
            } else {
                word.clone()
            }
        };
        let wanted = typed.to_lowercase();
        let fitting = self.0.iter().filter(|word| word.starts_with(&wanted));
        Ok((0, fitting.map(spelled).map(pair).collect()))
    }
}

fn pair(word: String) -> Pair {
    Pair {
        display: word.clone(),
        replacement: word,
    }
}

/// The files and folders whose path begins like this, as `save` and `load` take
/// them: nothing is quoted there.
fn files(typed: &str) -> Vec<String> {
    let begin = typed.rsplit('/').next().unwrap_or_default();
    let folder = typed.strip_suffix(begin).unwrap_or_default();
    let entries = Path::new(if folder.is_empty() { "." } else { folder }).read_dir();
    let mut files: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !begin.starts_with('.');
            let is_meant = name.starts_with(begin) && !is_hidden && !name.contains(char::is_control);
            let end = if entry.path().is_dir() { "/" } else { "" };
            is_meant.then(|| format!("{folder}{name}{end}"))
        })
        .collect();
    files.sort();
    files
}

impl Hinter for Completions {
    type Hint = String;
}

impl Highlighter for Completions {}
impl Validator for Completions {}
impl Helper for Completions {}
