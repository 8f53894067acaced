//! Draws a view on a terminal ten times a second, and other output above it.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::frame::{Frame, TerminalSize};
use crate::io::terminal::suspend;
use crate::system::terminal::{self, SuspendKey};

/// The interval between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(100);

/// The area on the terminal, for log messages. There is at most one.
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
    pub(super) fn write(self, text: &str) -> io::Result<()> {
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
pub trait View: Send {
    /// The lines for a terminal of this size. Longer lines, and more than `size.rows` lines,
    /// are cut.
    fn lines(&mut self, size: TerminalSize) -> Vec<String>;
}

/// A view on a terminal. Dropping it erases the view.
pub struct LiveArea {
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
                suspend();
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
