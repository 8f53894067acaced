//! Line editing, history and completion on a terminal, with rustyline.
//!
//! rustyline waits for keys by itself. Only a key or SIGINT ends that wait; it
//! replaces the handler of SIGINT meanwhile. A watcher thread therefore sends SIGINT
//! to this process at the deadline and when a signal has arrived. Ctrl-C is a key for
//! rustyline, not a signal.

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

use super::question::{Question, ReadOutcome};
use crate::io::interrupt::{Interrupt, Signal};

/// Values of TERM for which rustyline cannot edit lines.
const PLAIN_TERMINALS: [&str; 3] = ["dumb", "cons25", "emacs"];

/// Interval between wake-up signals. One may be lost while rustyline installs its
/// handler.
const WAKE_INTERVAL: Duration = Duration::from_millis(20);

/// A terminal with line editing.
pub struct Editor {
    lines: rustyline::Editor<Completions, MemHistory>,
    /// While it exists, rustyline polls for both signals and keys, whichever thread
    /// the system delivers the signal to.
    _printer: Box<dyn ExternalPrinter + Send>,
}

/// Why the watcher ended the wait for keys.
#[derive(Clone, Copy, Debug)]
enum WakeReason {
    /// The deadline passed.
    TimeUp,
    /// The process received a signal.
    Signal(Signal),
}

impl Editor {
    /// An editor; `None` unless standard input and output are a terminal that rustyline
    /// supports.
    ///
    /// # Errors
    /// If the terminal fails.
    pub fn on_terminal() -> io::Result<Option<Editor>> {
        let term = std::env::var("TERM").unwrap_or_default();
        let is_plain = term.is_empty()
            || PLAIN_TERMINALS
                .iter()
                .any(|plain| term.eq_ignore_ascii_case(plain));
        if is_plain || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
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

    /// Asks a question and reads one line.
    ///
    /// # Errors
    /// If the terminal fails.
    pub fn read(&mut self, question: &Question<'_>, interrupt: &Interrupt) -> io::Result<ReadOutcome> {
        self.lines.set_helper(Some(Completions(question.words.to_vec())));
        let prompt = format!("{} ", question.text);
        let (done, done_writer) = io::pipe()?;
        let (read, woken) = thread::scope(|scope| {
            let watcher = scope.spawn(move || watch_for_wakeup(&done, question.deadline, interrupt));
            let read = self.lines.readline(&prompt);
            drop(done_writer);
            (read, watcher.join().unwrap_or_default())
        });
        if woken.is_some() {
            // Our own handler may have caught the wake-up signal.
            interrupt.acknowledge();
        }
        Ok(match read {
            Ok(line) => ReadOutcome::Line(line),
            Err(ReadlineError::Eof) => ReadOutcome::End,
            Err(ReadlineError::Interrupted) => match woken {
                Some(WakeReason::TimeUp) => ReadOutcome::TimeUp,
                Some(WakeReason::Signal(Signal::Terminate)) => ReadOutcome::Signal(Signal::Terminate),
                Some(WakeReason::Signal(Signal::Interrupt)) | None => ReadOutcome::CtrlC,
            },
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                ReadOutcome::NotText
            }
            Err(ReadlineError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        })
    }
}

/// Wakes rustyline at the deadline or when a signal arrives, until `done` is closed.
/// Returns the reason if it did.
fn watch_for_wakeup(
    done: &PipeReader,
    deadline: Option<Instant>,
    interrupt: &Interrupt,
) -> Option<WakeReason> {
    let mut woken = None;
    loop {
        let left = match woken {
            None => deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            Some(_) => Some(WAKE_INTERVAL),
        };
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let done = PollFd::new(done, PollFlags::IN);
        let signal = PollFd::new(interrupt, PollFlags::IN);
        let mut set = [done, signal];
        // After the first wake-up, its own signal keeps the interrupt readable.
        let watched = if woken.is_none() {
            &mut set[..]
        } else {
            &mut set[..1]
        };
        let polled = rustix::event::poll(watched, timeout.as_ref());
        if !set[0].revents().is_empty() {
            return woken;
        }
        let time_is_up = deadline.is_some_and(|deadline| deadline <= Instant::now());
        woken = woken.or(match interrupt.caught() {
            Some(signal) => Some(WakeReason::Signal(signal)),
            None if time_is_up => Some(WakeReason::TimeUp),
            None => None,
        });
        if woken.is_some() && kill_process(getpid(), SystemSignal::INT).is_err()
            || polled.is_err_and(is_fatal)
        {
            return woken;
        }
    }
}

/// Whether the next poll would fail too.
fn is_fatal(error: rustix::io::Errno) -> bool {
    error != rustix::io::Errno::INTR
}

/// The words that Tab completes.
struct Completions(Vec<String>);

impl Completer for Completions {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..position).unwrap_or_default();
        if let Some((word, path)) = typed.split_once(' ') {
            let is_file = ["save", "load"]
                .iter()
                .any(|file| word.eq_ignore_ascii_case(file));
            let files = if is_file { files(path) } else { Vec::new() };
            return Ok((position - path.len(), files.into_iter().map(pair).collect()));
        }
        let has_capitals = typed.contains(|c: char| c.is_ascii_uppercase());
        let in_typed_case = |word: &String| {
            if has_capitals {
                word.to_uppercase()
            } else {
                word.clone()
            }
        };
        let prefix = typed.to_lowercase();
        let matching = self.0.iter().filter(|word| word.starts_with(&prefix));
        Ok((0, matching.map(in_typed_case).map(pair).collect()))
    }
}

fn pair(word: String) -> Pair {
    Pair {
        display: word.clone(),
        replacement: word,
    }
}

/// The files and folders whose path begins with `typed`. Paths are not quoted, as
/// `save` and `load` take them.
fn files(typed: &str) -> Vec<String> {
    let prefix = typed.rsplit('/').next().unwrap_or_default();
    let folder = typed.strip_suffix(prefix).unwrap_or_default();
    let entries = Path::new(if folder.is_empty() { "." } else { folder }).read_dir();
    let mut files: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !prefix.starts_with('.');
            let matches = name.starts_with(prefix) && !is_hidden && !name.contains(char::is_control);
            let end = if entry.path().is_dir() { "/" } else { "" };
            matches.then(|| format!("{folder}{name}{end}"))
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
