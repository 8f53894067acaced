//! Progress on a terminal: lines below the other output that are redrawn in place.
//!
//! * [`LiveArea`]: draws a [`View`] ten times a second, and other output above it.
//! * [`Task`]: the progress of a command that counts something.
//! * [`LogWriter`]: writes log messages above the lines.
//!
//! Where the output is not a terminal, nothing of this is written.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use unicode_width::UnicodeWidthChar;

use crate::io::text::columns;
use crate::system::terminal::{self, SuspendKey};

/// The interval between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(100);

/// The area on the terminal, for log messages. There is at most one.
static CURRENT: Mutex<Weak<Shared>> = Mutex::new(Weak::new());

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Whether lines can be redrawn on this stream: it is a terminal, and not a dumb one.
    pub fn is_live(self) -> bool {
        let is_terminal = match self {
            Stream::Stdout => io::stdout().is_terminal(),
            Stream::Stderr => io::stderr().is_terminal(),
        };
        is_terminal && terminal::prepare()
    }

    /// The size of the terminal, or a default if the terminal does not tell it.
    pub fn size(self) -> TerminalSize {
        let size = match self {
            Stream::Stdout => terminal::size(&io::stdout()),
            Stream::Stderr => terminal::size(&io::stderr()),
        };
        match size {
            Some((columns, rows)) if columns > 0 && rows > 0 => TerminalSize {
                rows: rows.into(),
                columns: columns.into(),
            },
            _ => TerminalSize::DEFAULT,
        }
    }

    /// Writes text and flushes it.
    fn write(self, text: &str) -> io::Result<()> {
        match self {
            Stream::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            }
            Stream::Stderr => io::stderr().lock().write_all(text.as_bytes()),
        }
    }
}

/// What is drawn.
pub(crate) trait View: Send {
    /// The lines for a terminal of this size. Longer lines, and more than `size.rows` lines,
    /// are cut.
    fn lines(&mut self, size: TerminalSize) -> Vec<String>;
}

/// A view on a terminal. Dropping it erases the view.
pub(crate) struct LiveArea {
    shared: Arc<Shared>,
    drawer: Option<JoinHandle<()>>,
}

struct Shared {
    stream: Stream,
    view: Arc<Mutex<dyn View>>,
    area: Mutex<Area>,
    /// Signalled when the drawer is to end.
    ended: Condvar,
}

#[derive(Default)]
struct Area {
    frame: Frame,
    has_ended: bool,
}

impl LiveArea {
    /// Begins to draw `view`. `None` if `stream` is not a terminal, or no thread can be
    /// started. The view is locked for each frame.
    pub fn start(stream: Stream, view: Arc<Mutex<dyn View>>) -> Option<LiveArea> {
        if !stream.is_live() {
            return None;
        }
        let shared = Arc::new(Shared {
            stream,
            view,
            area: Mutex::default(),
            ended: Condvar::new(),
        });
        let drawer = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("progress".into())
                .spawn(move || shared.draw_frames())
        };
        *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&shared);
        Some(LiveArea {
            shared,
            drawer: Some(drawer.ok()?),
        })
    }

    /// Writes text above the view. It ends with a line end.
    pub fn print(&self, stream: Stream, text: &str) -> io::Result<()> {
        self.shared.print(stream, text)
    }

    /// Draws the view now, and leaves it above later output.
    pub fn leave(&self) -> io::Result<()> {
        let mut area = self.shared.lock();
        self.shared.draw(&mut area)?;
        let text = area.frame.leave();
        self.shared.stream.write(&text)
    }

    /// Ends the view. `keeps` says whether its last frame stays on the terminal.
    pub fn end(mut self, keeps: bool) -> io::Result<()> {
        let result = if keeps { self.leave() } else { Ok(()) };
        self.stop();
        result
    }

    fn stop(&mut self) {
        let Some(drawer) = self.drawer.take() else {
            return;
        };
        {
            let mut area = self.shared.lock();
            area.has_ended = true;
            if !area.frame.is_empty() {
                area.frame.forget();
                // A terminal that has gone needs no erasing.
                let _ = self.shared.stream.write(Frame::erase());
            }
        }
        self.shared.ended.notify_all();
        // The thread cannot panic, and its result is empty.
        let _ = drawer.join();
    }
}

impl Drop for LiveArea {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Area> {
        self.area.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws frames until the end or until the terminal fails.
    fn draw_frames(&self) {
        let suspension = suspend_key();
        let mut area = self.lock();
        while !area.has_ended {
            if suspension.is_some_and(SuspendKey::take_request) {
                let text = area.frame.leave();
                let _ = self.stream.write(&text);
                // If that fails, the process continues.
                let _ = terminal::suspend();
            }
            if self.draw(&mut area).is_err() {
                break;
            }
            let wait = self.ended.wait_timeout(area, FRAME_INTERVAL);
            area = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(suspension) = suspension {
            suspension.set_default(true);
        }
    }

    fn draw(&self, area: &mut Area) -> io::Result<()> {
        let size = self.stream.size();
        let lines = self
            .view
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .lines(size);
        match area.frame.replace(lines, size) {
            Some(text) => self.stream.write(&text),
            None => Ok(()),
        }
    }

    fn print(&self, stream: Stream, text: &str) -> io::Result<()> {
        let area = self.lock();
        if area.frame.is_empty() {
            return stream.write(text);
        }
        let (before, after) = (Frame::erase(), area.frame.redraw());
        if stream == self.stream {
            return stream.write(&format!("{before}{text}{after}"));
        }
        self.stream.write(before)?;
        stream.write(text)?;
        self.stream.write(after)
    }
}

/// Ctrl-Z while an area is drawn: the cursor leaves the area before the process stops, and the
/// area is drawn again when it continues. `None` if the system has no such key.
fn suspend_key() -> Option<&'static SuspendKey> {
    static KEY: OnceLock<Option<SuspendKey>> = OnceLock::new();
    let key = KEY.get_or_init(SuspendKey::handle).as_ref()?;
    key.set_default(false);
    Some(key)
}

/// Writes to standard error, above the view if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shared = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        match shared {
            Some(shared) => shared.print(Stream::Stderr, &String::from_utf8_lossy(bytes))?,
            None => io::stderr().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Erases from the cursor to the end of the line (EL).
const ERASE_LINE: &str = "\x1b[K";

/// Erases from the cursor to the end of the screen (ED).
const ERASE_BELOW: &str = "\x1b[J";

/// Ends all colours (SGR).
const RESET_STYLE: &str = "\x1b[0m";

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    /// The number of lines.
    pub rows: usize,
    /// The number of characters of a line.
    pub columns: usize,
}

impl TerminalSize {
    /// The size if the terminal does not tell its own.
    const DEFAULT: TerminalSize = TerminalSize {
        rows: 24,
        columns: 80,
    };
}

/// The lines on the terminal.
///
/// The cursor stays at the start of the first line. A terminal that wraps its lines again
/// after a change of width moves the cursor with its line, so the sequence "erase below"
/// always removes all lines, and no others.
#[derive(Debug, Default)]
struct Frame {
    lines: Vec<String>,
    size: Option<TerminalSize>,
    /// The sequence that draws the lines below the cursor.
    drawing: String,
}

impl Frame {
    /// The sequence that replaces the lines, or `None` if they are unchanged. Lines that are
    /// too long are cut.
    fn replace(&mut self, lines: Vec<String>, size: TerminalSize) -> Option<String> {
        let is_resized = self.size != Some(size);
        let is_empty = self.lines.is_empty() && lines.is_empty();
        if is_empty || (self.lines == lines && !is_resized) {
            return None;
        }
        self.drawing = draw(&lines, size);
        self.lines = lines;
        self.size = Some(size);
        let before = if is_resized { ERASE_BELOW } else { "" };
        Some(format!("{before}{}", self.drawing))
    }

    /// The sequence that draws the lines below the cursor.
    fn redraw(&self) -> &str {
        &self.drawing
    }

    /// The sequence that erases the lines, to write other output in their place.
    const fn erase() -> &'static str {
        ERASE_BELOW
    }

    /// The sequence that moves the cursor below the lines and forgets them, so that they
    /// stay. It draws them again first, because the terminal may have echoed a key such as
    /// Ctrl-C.
    fn leave(&mut self) -> String {
        let Frame { lines, size, drawing } = std::mem::take(self);
        let height = lines.len().min(size.unwrap_or(TerminalSize::DEFAULT).rows);
        format!("\r{drawing}{}", "\r\n".repeat(height))
    }

    /// Forgets the lines, which have been erased.
    fn forget(&mut self) {
        *self = Frame::default();
    }

    /// Whether no lines are shown.
    const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The sequence that draws lines below the cursor, and moves it back to their start.
fn draw(lines: &[String], size: TerminalSize) -> String {
    // A character in the last column makes some terminals wrap.
    let width = size.columns.saturating_sub(1);
    let shown: Vec<String> = lines
        .iter()
        .take(size.rows)
        .map(|line| cut(line, width) + ERASE_LINE)
        .collect();
    let mut text = shown.join("\r\n") + ERASE_BELOW + "\r";
    if shown.len() > 1 {
        let _ = write!(text, "\x1b[{}A", shown.len() - 1);
    }
    text
}

/// The beginning of a line that may have colours, at most `width` columns wide.
fn cut(line: &str, width: usize) -> String {
    let (mut text, mut used) = (String::new(), 0);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\x1b' {
            // A control sequence ends with its first letter.
            text.push(character);
            for part in characters.by_ref() {
                text.push(part);
                if part.is_ascii_alphabetic() {
                    break;
                }
            }
            continue;
        }
        used += character.width().unwrap_or(0);
        if used > width {
            if text.contains('\x1b') {
                text.push_str(RESET_STYLE);
            }
            break;
        }
        text.push(character);
    }
    text
}

/// The first text that is at most `width` columns wide; empty if there is none.
pub(crate) fn first_that_fits(texts: impl IntoIterator<Item = String>, width: usize) -> String {
    let mut texts = texts.into_iter();
    texts.find(|text| columns(text) <= width).unwrap_or_default()
}

/// A task is shown once it takes this long.
const SHOWN_AFTER: Duration = Duration::from_millis(300);

/// A count on standard error, if that is a terminal: `12 of 600 openings | about 3 min left`.
/// It disappears when it is dropped.
pub struct Task {
    count: Arc<Mutex<Count>>,
    area: Option<LiveArea>,
}

/// The state of a task.
struct Count {
    done: u64,
    /// The value of `done` when the task began, as for one that resumes.
    before: u64,
    total: u64,
    /// What is counted, in the plural.
    what: &'static str,
    /// Further facts, left out on a narrow terminal.
    detail: String,
    began: Instant,
}

impl Task {
    /// Begins a task of which `done` of `total` is done. `what` is what it counts, in the
    /// plural.
    pub fn start(what: &'static str, done: u64, total: u64) -> Task {
        let count = Arc::new(Mutex::new(Count {
            done,
            before: done,
            total,
            what,
            detail: String::new(),
            began: Instant::now(),
        }));
        let view: Arc<Mutex<dyn View>> = count.clone();
        Task {
            count,
            area: LiveArea::start(Stream::Stderr, view),
        }
    }

    /// A task whose count is not shown.
    pub(crate) fn hidden() -> Task {
        Task {
            count: Arc::new(Mutex::new(Count {
                done: 0,
                before: 0,
                total: 0,
                what: "",
                detail: String::new(),
                began: Instant::now(),
            })),
            area: None,
        }
    }

    /// Changes the count.
    pub fn set(&self, done: u64) {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).done = done;
    }

    /// Prints a line on standard output, above the count.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn print(&self, line: &str) -> io::Result<()> {
        let text = format!("{line}\n");
        match &self.area {
            Some(area) => area.print(Stream::Stdout, &text),
            None => Stream::Stdout.write(&text),
        }
    }

    /// Changes the further facts.
    pub(crate) fn set_detail(&self, detail: String) {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).detail = detail;
    }
}

impl Count {
    /// The time that the rest takes at the pace so far; `None` before the first step.
    fn time_left(&self, elapsed: Duration) -> Option<Duration> {
        let steps = self.done.saturating_sub(self.before);
        let rest = self.total.saturating_sub(self.done);
        (steps > 0 && rest > 0).then(|| elapsed.mul_f64(rest as f64 / steps as f64))
    }

    /// The count in at most `width` columns.
    fn line(&self, elapsed: Duration, width: usize) -> String {
        let Count {
            done, total, what, ..
        } = self;
        let count = format!("{done} of {total} {what}");
        let left = self.time_left(elapsed).map(rough_time);
        let left = left.map_or(String::new(), |left| format!(" | about {left} left"));
        let detail = if self.detail.is_empty() {
            String::new()
        } else {
            format!(" | {}", self.detail)
        };
        let texts = [
            format!("{count}{left}{detail}"),
            format!("{count}{left}"),
            count,
            format!("{done}/{total}"),
        ];
        first_that_fits(texts, width)
    }
}

impl View for Count {
    fn lines(&mut self, size: TerminalSize) -> Vec<String> {
        let elapsed = self.began.elapsed();
        if elapsed < SHOWN_AFTER {
            return Vec::new();
        }
        vec![self.line(elapsed, size.columns.saturating_sub(1))]
    }
}

/// A duration, rounded to seconds, minutes, hours or days.
pub(crate) fn rough_time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..100 => format!("{} s", seconds.max(1)),
        100..6000 => format!("{} min", (seconds + 30) / 60),
        6000..360_000 => format!("{} h", (seconds + 1800) / 3600),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal of 6 lines with 20 columns that has received this output.
    fn terminal(output: &[&str]) -> vt100::Parser {
        let [rows, columns] = [6, 20].map(|size| std::num::NonZeroU16::new(size).unwrap());
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        terminal.process(output.concat().as_bytes());
        terminal
    }

    fn screen(terminal: &vt100::Parser) -> Vec<String> {
        terminal
            .screen()
            .rows(0, 20)
            .map(|row| row.trim_end().to_string())
            .collect()
    }

    const SIZE: TerminalSize = TerminalSize { rows: 6, columns: 20 };

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.into()).collect()
    }

    #[test]
    fn replaces_lines_in_place() {
        let mut frame = Frame::default();
        let first = frame
            .replace(lines(&["a long line", "two", "three"]), SIZE)
            .unwrap();
        assert_eq!(frame.replace(lines(&["a long line", "two", "three"]), SIZE), None);
        let second = frame.replace(lines(&["short", "2"]), SIZE).unwrap();
        let shown = terminal(&["above\r\n", &first, &second]);
        assert_eq!(screen(&shown), ["above", "short", "2", "", "", ""]);
        assert_eq!(shown.screen().cursor_position(), (1, 0));

        let printed = format!("{}other\r\n{}", Frame::erase(), frame.redraw());
        let shown = terminal(&["above\r\n", &first, &second, &printed]);
        assert_eq!(screen(&shown), ["above", "other", "short", "2", "", ""]);
        let left = frame.leave();
        let shown = terminal(&["above\r\n", &first, &second, &printed, &left, "$"]);
        assert_eq!(screen(&shown), ["above", "other", "short", "2", "$", ""]);
    }

    #[test]
    fn scrolls_at_the_end_of_the_screen() {
        let mut frame = Frame::default();
        let drawn = frame.replace(lines(&["one", "two", "three"]), SIZE).unwrap();
        let again = frame.replace(lines(&["1", "2", "3"]), SIZE).unwrap();
        let shown = terminal(&["a\r\nb\r\nc\r\nd\r\ne\r\n", &drawn, &again]);
        assert_eq!(screen(&shown), ["c", "d", "e", "1", "2", "3"]);
    }

    #[test]
    fn cuts_what_does_not_fit() {
        let mut frame = Frame::default();
        let long = "x".repeat(30);
        let all: Vec<&str> = vec![&long; 9];
        let drawn = frame.replace(lines(&all), SIZE).unwrap();
        assert_eq!(screen(&terminal(&[&drawn])), vec!["x".repeat(19); 6]);

        assert_eq!(cut("ab\x1b[1mcd\x1b[0mef", 5), "ab\x1b[1mcd\x1b[0me\x1b[0m");
        assert_eq!(cut("ab\x1b[1mcd\x1b[0m", 4), "ab\x1b[1mcd\x1b[0m");
        assert_eq!(cut("磁石", 3), "磁");
    }

    #[test]
    fn finds_the_first_text_that_fits() {
        let texts = || ["a long text", "short", "x"].map(String::from);
        assert_eq!(first_that_fits(texts(), 80), "a long text");
        assert_eq!(first_that_fits(texts(), 5), "short");
        assert_eq!(first_that_fits(texts(), 0), "");
    }

    fn count(done: u64, before: u64) -> Count {
        Count {
            done,
            before,
            total: 600,
            what: "openings",
            detail: "30 rejected".into(),
            began: Instant::now(),
        }
    }

    #[test]
    fn drops_the_least_important_parts_first() {
        let line = |width| count(12, 0).line(Duration::from_secs(6), width);
        assert_eq!(line(80), "12 of 600 openings | about 5 min left | 30 rejected");
        assert_eq!(line(40), "12 of 600 openings | about 5 min left");
        assert_eq!(line(30), "12 of 600 openings");
        assert_eq!(line(10), "12/600");
        assert_eq!(line(3), "");
    }

    #[test]
    fn the_time_left_follows_the_pace_of_this_run() {
        let seconds = Duration::from_secs;
        assert_eq!(count(0, 0).time_left(seconds(9)), None);
        assert_eq!(count(300, 0).time_left(seconds(9)), Some(seconds(9)));
        assert_eq!(count(300, 200).time_left(seconds(9)), Some(seconds(27)));
        assert_eq!(count(600, 0).time_left(seconds(9)), None);
    }

    #[test]
    fn rounds_times() {
        let rounded =
            [0, 99, 100, 5999, 6000, 360_000].map(|seconds| rough_time(Duration::from_secs(seconds)));
        assert_eq!(rounded, ["1 s", "99 s", "2 min", "100 min", "2 h", "4 days"]);
    }
}
