//! Line editing, history and completion on a terminal, with rustyline.
//!
//! Only a key or SIGINT ends the wait of rustyline for keys; it replaces the handler of
//! SIGINT meanwhile. A watcher thread therefore sends SIGINT to this process at the deadline
//! and when a signal has arrived. Ctrl-C is a key for rustyline, not a signal.
//!
//! The same thread lets a clock in the prompt run: rustyline draws its line again when
//! another thread prints something.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Context, Event, EventContext,
    EventHandler, ExternalPrinter, Helper, KeyEvent, RepeatCount,
};

use super::layout::ClockFace;
use super::layout::{CLEAR_SCREEN, Frame, text_width};
use super::plain::{NoInput, Question, Typed};
use crate::io::files::expand_home;
use crate::io::interrupt::{Interrupt, Signal, Stop};
use crate::io::running_clock;
use crate::system::pipes::{Interest, WaitSet, Wake, wake_pair};
use crate::system::terminal::{size, wake_editor};

/// Values of TERM for which rustyline cannot edit lines.
const PLAIN_TERMINALS: [&str; 3] = ["dumb", "cons25", "emacs"];

/// Interval between wake-up signals. One may be lost while rustyline installs its
/// handler.
const WAKE_INTERVAL: Duration = Duration::from_millis(20);

/// Interval between two checks of the terminal's size.
const RESIZE_INTERVAL: Duration = Duration::from_millis(200);

/// A terminal with line editing.
pub struct Editor {
    lines: rustyline::Editor<Assistance, MemHistory>,
    printer: Printer,
    /// Ctrl-L was typed.
    wants_redraw: Arc<AtomicBool>,
    /// Whether the prompt has colour.
    colour: bool,
}

impl Editor {
    /// An editor; `None` unless standard input and output are a terminal that rustyline
    /// supports.
    pub fn on_terminal(colour: bool) -> io::Result<Option<Editor>> {
        let term = std::env::var("TERM").unwrap_or_default();
        let is_plain = |plain: &&str| term.eq_ignore_ascii_case(plain);
        let is_plain = term.is_empty() || PLAIN_TERMINALS.iter().any(is_plain);
        if is_plain || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            // Without it, rustyline does not ask for the time in the prompt.
            .color_mode(ColorMode::Forced)
            .build();
        let mut lines =
            rustyline::Editor::with_history(config, MemHistory::new()).map_err(io::Error::other)?;
        let printer = lines.create_external_printer().map_err(io::Error::other)?;
        let wants_redraw = Arc::new(AtomicBool::new(false));
        let handler = RedrawKey(Arc::clone(&wants_redraw));
        lines.bind_sequence(KeyEvent::ctrl('L'), EventHandler::Conditional(Box::new(handler)));
        Ok(Some(Editor {
            lines,
            printer: Printer::start(printer)?,
            wants_redraw,
            colour,
        }))
    }

    /// Asks a question and reads one line, which begins with the text `typed`. Draws `frame`
    /// again when the size of the terminal changes.
    pub fn read(
        &mut self,
        question: &Question<'_>,
        typed: &str,
        frame: Option<&Frame>,
        interrupt: &Interrupt,
    ) -> Result<Typed, NoInput> {
        let clock = question.clock.map(|end| ClockFace::new(end, self.colour));
        self.lines.set_helper(Some(Assistance {
            words: question.words.to_vec(),
            clock,
        }));
        let time = clock.map_or(String::new(), ClockFace::prefix);
        let prompt = format!("{time}{} ", question.text);
        // Read here, because the watcher may start after a change of the size.
        let shown = window_size();
        let (done, done_waker) = wake_pair()?;
        let (lines, printer) = (&mut self.lines, &self.printer);
        let (read, woken) = thread::scope(|scope| {
            let watcher = Watcher {
                done: &done,
                deadline: question.deadline,
                clock,
                frame,
                printer,
                interrupt,
            };
            let watcher = scope.spawn(move || watcher.run(shown));
            let read = lines.readline_with_initial(&prompt, (typed, ""));
            drop(done_waker);
            (read, watcher.join().unwrap_or_default())
        });
        // The wake-up signal is a SIGINT, which our own handler may have caught. A SIGINT
        // that came when the line was complete is for the command in this line.
        let is_for_command = read.is_ok() && !matches!(woken, Some(Err(NoInput::TimeUp)));
        if woken.is_some() && !is_for_command {
            interrupt.acknowledge();
        }
        let wants_redraw = self.wants_redraw.swap(false, Ordering::SeqCst);
        match read {
            Ok(line) if wants_redraw => Ok(Typed::Redraw(line)),
            Ok(line) => {
                // A history that is full or switched off is no reason to stop.
                let _ = self.lines.add_history_entry(line.as_str());
                Ok(Typed::Line(line))
            }
            Err(ReadlineError::Eof) => Err(Stop::Quit.into()),
            Err(ReadlineError::Interrupted) => woken.unwrap_or(Ok(Typed::CtrlC)),
            // Not UTF-8.
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                Ok(Typed::Line(char::REPLACEMENT_CHARACTER.into()))
            }
            Err(ReadlineError::Io(error)) => Err(error.into()),
            Err(error) => Err(io::Error::other(error).into()),
        }
    }
}

/// What happens beside the wait for keys.
struct Watcher<'a> {
    /// Ready at the end of the wait.
    done: &'a Wake,
    deadline: Option<Instant>,
    /// The clock in the prompt.
    clock: Option<ClockFace>,
    /// The lines above the prompt; `None` if they are not drawn again.
    frame: Option<&'a Frame>,
    printer: &'a Printer,
    interrupt: &'a Interrupt,
}

impl Watcher<'_> {
    /// Wakes rustyline at the deadline or when a signal arrives. Returns the reason if it
    /// did. Meanwhile, updates the clock, and redraws the frame when the terminal no longer has the size
    /// `shown`.
    fn run(self, mut shown: Option<(u16, u16)>) -> Option<Result<Typed, NoInput>> {
        let mut woken = None;
        let mut seconds = self.clock.map(ClockFace::seconds_left);
        loop {
            let timeout = if woken.is_none() {
                self.timeout()
            } else {
                Some(WAKE_INTERVAL)
            };
            let mut set = WaitSet::default();
            let done = set.watch(Some(self.done.source()), Interest::Input);
            // After the first wake-up, its own signal keeps the interrupt ready.
            if woken.is_none() {
                set.watch(Some(self.interrupt.source()), Interest::Input);
            }
            let waited = set.wait(timeout);
            if set.is_ready(done) {
                return woken;
            }
            self.update_clock(&mut seconds);
            self.redraw(&mut shown);
            let time_is_up = self
                .deadline
                .is_some_and(|deadline| deadline <= running_clock::now());
            woken = woken.or(match self.interrupt.caught() {
                Some(Signal::Interrupt) => Some(Ok(Typed::CtrlC)),
                Some(signal) => Some(Err(signal.into())),
                None => time_is_up.then_some(Err(NoInput::TimeUp)),
            });
            if woken.is_some() && !wake_editor()
                || waited.is_err_and(|error| error.kind() != ErrorKind::Interrupted)
            {
                return woken;
            }
        }
    }

    /// The time until something has to be done.
    fn timeout(&self) -> Option<Duration> {
        let deadline = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(running_clock::now()));
        let tick = self.clock.and_then(ClockFace::until_next_second);
        let resize = self.frame.map(|_| RESIZE_INTERVAL);
        [deadline, tick, resize].into_iter().flatten().min()
    }

    /// Shows another second of the clock, and a warning when one is due.
    fn update_clock(&self, shown: &mut Option<u64>) {
        if let Some(clock) = self.clock
            && shown.replace(clock.seconds_left()) != Some(clock.seconds_left())
        {
            let text = clock.warning().unwrap_or_else(|| NO_TEXT.to_string());
            self.printer.print(text);
        }
    }

    /// Draws the frame again if the size of the terminal has changed.
    fn redraw(&self, shown: &mut Option<(u16, u16)>) {
        let size = window_size();
        if let Some(frame) = self.frame
            && *shown != size
        {
            let width = text_width(size.map(|(columns, _)| columns.into()));
            if self.printer.print(format!("{CLEAR_SCREEN}{}", frame.text(width))) {
                *shown = size;
            }
        }
    }
}

/// The columns and rows of the terminal.
fn window_size() -> Option<(u16, u16)> {
    size(&io::stdout())
}

/// Makes rustyline draw its line again and prints nothing: up to the line above the prompt,
/// and down again.
const NO_TEXT: &str = "\x1b[A\n";

/// Prints above the prompt, in a separate thread: rustyline accepts no text while it lists
/// completions, and no other thread must wait for that.
///
/// While it exists, rustyline polls for both signals and keys, whichever thread the system
/// delivers the signal to.
struct Printer(SyncSender<String>);

impl Printer {
    fn start(mut printer: impl ExternalPrinter + Send + 'static) -> io::Result<Printer> {
        let (sender, texts) = sync_channel::<String>(1);
        thread::Builder::new().name("prompt".into()).spawn(move || {
            while let Ok(text) = texts.recv() {
                if printer.print(text).is_err() {
                    return;
                }
            }
        })?;
        Ok(Printer(sender))
    }

    /// Prints whole lines, unless earlier ones still wait. Returns whether it did.
    fn print(&self, lines: String) -> bool {
        self.0.try_send(lines).is_ok()
    }
}

/// Ctrl-L: ends the line, which is asked for again below the board.
struct RedrawKey(Arc<AtomicBool>);

impl ConditionalEventHandler for RedrawKey {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(true, Ordering::SeqCst);
        Some(Cmd::AcceptLine)
    }
}

/// What rustyline asks for while a line is edited.
struct Assistance {
    /// The words that Tab completes.
    words: Vec<String>,
    /// The clock in the prompt.
    clock: Option<ClockFace>,
}

impl Completer for Assistance {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..position).unwrap_or_default();
        if let Some((word, path)) = typed.split_once(' ') {
            let is_file = word.eq_ignore_ascii_case("save") || word.eq_ignore_ascii_case("load");
            let files = if is_file { files(path) } else { Vec::new() };
            return Ok((position - path.len(), files.into_iter().map(pair).collect()));
        }
        let has_capitals = typed.contains(|c: char| c.is_ascii_uppercase());
        let in_typed_case = |word: &String| {
            pair(if has_capitals {
                word.to_uppercase()
            } else {
                word.clone()
            })
        };
        let prefix = typed.to_lowercase();
        let matching = self.words.iter().filter(|word| word.starts_with(&prefix));
        Ok((0, matching.map(in_typed_case).collect()))
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
    let entries = expand_home(if folder.is_empty() { "." } else { folder }).read_dir();
    let matching = entries.into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !prefix.starts_with('.');
        let matches = name.starts_with(prefix) && !is_hidden && !name.contains(char::is_control);
        let end = if entry.path().is_dir() { "/" } else { "" };
        matches.then(|| format!("{folder}{name}{end}"))
    });
    let mut files: Vec<String> = matching.collect();
    files.sort();
    files
}

impl Hinter for Assistance {
    type Hint = String;
}

impl Highlighter for Assistance {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        match self.clock {
            Some(clock) => Cow::Owned(clock.update(prompt)),
            None => Cow::Borrowed(prompt),
        }
    }
}

impl Validator for Assistance {}
impl Helper for Assistance {}
