//! Progress on a terminal: a line below the other output that is redrawn in place.
//!
//! * [`LiveLine`]: draws a [`View`] ten times a second.
//! * [`print`]: writes other output above it, and [`LogWriter`] log messages.
//! * [`Task`]: the progress of a command that counts something; [`Notice`]: what it does without a count.
//!
//! Where the output is not a terminal, nothing of this is written.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use referee_core::io::text::{columns, truncated};
use referee_core::system::terminal::prepare;

use super::arrange as terminal;

/// The interval between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(100);

/// The columns of a terminal that does not tell its width.
const DEFAULT_WIDTH: usize = 80;

/// The line on the terminal. There is at most one.
static CURRENT: Mutex<Weak<Shared>> = Mutex::new(Weak::new());

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
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
        is_terminal && prepare()
    }

    /// The columns of the terminal, or a default if the terminal does not tell them.
    fn width(self) -> usize {
        let width = match self {
            Stream::Stdout => terminal::width(io::stdout()),
            Stream::Stderr => terminal::width(io::stderr()),
        };
        width.unwrap_or(DEFAULT_WIDTH)
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
pub trait View: Send + 'static {
    /// The line in at most `width` columns. A longer one is cut.
    fn line(&self, width: usize) -> String;
}

/// A view on a terminal. Dropping it erases the view.
pub struct LiveLine<V> {
    view: Arc<Mutex<V>>,
    shared: Arc<Shared>,
    drawer: Option<JoinHandle<()>>,
}

struct Shared {
    stream: Stream,
    view: Arc<Mutex<dyn View>>,
    drawn: Mutex<Drawn>,
    /// Signalled when the drawer is to end.
    ended: Condvar,
}

/// What the terminal shows. The cursor is at the start of the line, which a terminal may wrap after a
/// change of its width; [`ERASE`] removes all of it.
#[derive(Default)]
struct Drawn {
    line: String,
    width: usize,
    has_ended: bool,
}

impl<V: View> LiveLine<V> {
    /// Begins to draw `view`. `None` if `stream` is not a terminal, or no thread can be
    /// started. The view is locked for each frame.
    pub fn start(stream: Stream, view: V) -> Option<LiveLine<V>> {
        if !stream.is_live() {
            return None;
        }
        let view = Arc::new(Mutex::new(view));
        let shared = Arc::new(Shared {
            stream,
            view: view.clone(),
            drawn: Mutex::default(),
            ended: Condvar::new(),
        });
        let drawer = {
            let shared = Arc::clone(&shared);
            thread::Builder::new()
                .name("progress".into())
                .spawn(move || shared.draw_frames())
        };
        *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&shared);
        Some(LiveLine {
            view,
            shared,
            drawer: Some(drawer.ok()?),
        })
    }

    /// Changes the view, which is drawn soon.
    pub fn change(&self, change: impl FnOnce(&mut V)) {
        change(&mut self.view.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl<V> Drop for LiveLine<V> {
    fn drop(&mut self) {
        let Some(drawer) = self.drawer.take() else {
            return;
        };
        {
            let mut drawn = self.shared.lock();
            drawn.has_ended = true;
            if !std::mem::take(&mut drawn.line).is_empty() {
                // A terminal that has gone needs no erasing.
                let _ = self.shared.stream.write(ERASE);
            }
        }
        self.shared.ended.notify_all();
        // The thread cannot panic, and its result is empty.
        let _ = drawer.join();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Drawn> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws frames until the end or until the terminal fails.
    fn draw_frames(&self) {
        let mut drawn = self.lock();
        while !drawn.has_ended {
            if self.draw(&mut drawn).is_err() {
                break;
            }
            let wait = self.ended.wait_timeout(drawn, FRAME_INTERVAL);
            drawn = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn draw(&self, drawn: &mut Drawn) -> io::Result<()> {
        let width = self.stream.width();
        // A character in the last column makes some terminals wrap.
        let free = width - 1;
        let line = self
            .view
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .line(free);
        let line = truncated(&line, free).to_string();
        if line == drawn.line && width == drawn.width {
            return Ok(());
        }
        let text = format!("{ERASE}{line}\r");
        (drawn.line, drawn.width) = (line, width);
        self.stream.write(&text)
    }

    fn print(&self, stream: Stream, text: &str) -> io::Result<()> {
        let drawn = self.lock();
        let line = &drawn.line;
        if line.is_empty() {
            return stream.write(text);
        }
        if stream == self.stream {
            return stream.write(&format!("{ERASE}{text}{line}\r"));
        }
        self.stream.write(ERASE)?;
        stream.write(text)?;
        self.stream.write(&format!("{line}\r"))
    }
}

/// Writes text, which ends with a line end, above the line on the terminal if there is one.
pub fn print(stream: Stream, text: &str) -> io::Result<()> {
    let shared = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
    shared.map_or_else(|| stream.write(text), |shared| shared.print(stream, text))
}

/// [Prints](print) on standard error.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        print(Stream::Stderr, &String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Moves the cursor to the start of its line, and erases from there to the end of the screen (ED).
const ERASE: &str = "\r\x1b[J";

/// The first text that is at most `width` columns wide; empty if there is none.
pub fn first_that_fits(texts: impl IntoIterator<Item = String>, width: usize) -> String {
    let mut texts = texts.into_iter();
    texts.find(|text| columns(text) <= width).unwrap_or_default()
}

/// A task is shown once it takes this long.
const SHOWN_AFTER: Duration = Duration::from_millis(300);

/// A count on standard error, if that is a terminal: `12 of 600 openings | about 3 min left`.
/// It disappears when it is dropped.
pub struct Task(Option<LiveLine<Count>>);

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
        Task(LiveLine::start(
            Stream::Stderr,
            Count {
                done,
                before: done,
                total,
                what,
                detail: String::new(),
                began: Instant::now(),
            },
        ))
    }

    /// Begins a task, whose count is hidden with `--quiet`.
    pub fn unless(is_quiet: bool, what: &'static str, total: u64) -> Task {
        if is_quiet {
            Task::hidden()
        } else {
            Task::start(what, 0, total)
        }
    }

    /// A task whose count is not shown.
    pub const fn hidden() -> Task {
        Task(None)
    }

    /// Changes the count.
    pub fn set(&self, done: u64) {
        self.change(|count| count.done = done);
    }

    /// Prints a line on standard output, above the count.
    pub fn print(&self, line: &str) -> io::Result<()> {
        print(Stream::Stdout, &format!("{line}\n"))
    }

    /// Changes the further facts.
    pub fn set_detail(&self, detail: String) {
        self.change(|count| count.detail = detail);
    }

    fn change(&self, change: impl FnOnce(&mut Count)) {
        if let Some(line) = &self.0 {
            line.change(change);
        }
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
    fn text(&self, elapsed: Duration, width: usize) -> String {
        let Count {
            done, total, what, ..
        } = self;
        // The number of all games of a ladder is not known before they are read.
        let [count, short] = match total {
            0 => [format!("{done} {what}"), done.to_string()],
            _ => [format!("{done} of {total} {what}"), format!("{done}/{total}")],
        };
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
            short,
        ];
        first_that_fits(texts, width)
    }
}

impl View for Count {
    fn line(&self, width: usize) -> String {
        let elapsed = self.began.elapsed();
        if elapsed < SHOWN_AFTER {
            return String::new();
        }
        self.text(elapsed, width)
    }
}

/// What is being done, without a count, shown as a [`Task`] is.
pub struct Notice(#[allow(dead_code, reason = "dropping it erases the line")] Option<LiveLine<Doing>>);

/// What is being done, and since when.
struct Doing(&'static str, Instant);

impl Notice {
    /// Shows the line, unless it is to be quiet.
    pub fn show(what: &'static str, is_quiet: bool) -> Notice {
        let is_shown = !is_quiet;
        Notice(
            is_shown
                .then(|| LiveLine::start(Stream::Stderr, Doing(what, Instant::now())))
                .flatten(),
        )
    }
}

impl View for Doing {
    fn line(&self, _: usize) -> String {
        if self.1.elapsed() < SHOWN_AFTER {
            return String::new();
        }
        self.0.into()
    }
}

/// A duration, rounded to seconds, minutes, hours or days.
pub fn rough_time(time: Duration) -> String {
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
    use sentences::expect;

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
        let line = |width| count(12, 0).text(Duration::from_secs(6), width);
        expect! {"12 of 600 openings | about 5 min left | 30 rejected"}.assert_eq(&line(80));
        assert_eq!(line(40), "12 of 600 openings | about 5 min left");
        assert_eq!(line(30), "12 of 600 openings");
        assert_eq!(line(10), "12/600");
        assert_eq!(line(3), "");
        let endless = Count {
            total: 0,
            ..count(6895, 0)
        };
        assert_eq!(endless.text(Duration::from_secs(6), 20), "6895 openings");
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
