//! The size of a terminal, and the suspension of the process, as by Ctrl-Z.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::io::text::{printable, wrap};
use crate::system::terminal::{self, Stream, size};

/// The width of a terminal in columns; `None` if the stream is not a terminal, or if the
/// terminal does not know its width.
pub(crate) fn width(stream: impl Stream) -> Option<usize> {
    let (columns, _) = size(&stream)?;
    Some(columns.into()).filter(|&columns| columns > 0)
}

/// The number of rows of a terminal; `None` as for [`width`].
pub(crate) fn rows(stream: impl Stream) -> Option<usize> {
    let (_, rows) = size(&stream)?;
    Some(rows.into()).filter(|&rows| rows > 0)
}

/// The time for which the process was suspended. No clock of a game runs meanwhile.
struct Suspended {
    /// All suspensions that have ended.
    total: Duration,
    /// The start of the current suspension.
    since: Option<Instant>,
}

/// Whether the process was ever suspended.
static WAS_SUSPENDED: AtomicBool = AtomicBool::new(false);

static SUSPENDED: Mutex<Suspended> = Mutex::new(Suspended {
    total: Duration::ZERO,
    since: None,
});

fn lock() -> MutexGuard<'static, Suspended> {
    SUSPENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Suspends the process until SIGCONT.
pub fn suspend() {
    let begin = Instant::now();
    lock().since = Some(begin);
    WAS_SUSPENDED.store(true, Ordering::SeqCst);
    // If that fails, the process continues.
    let _ = terminal::suspend();
    let mut suspended = lock();
    suspended.since = None;
    suspended.total += begin.elapsed();
}

/// The time for which [`suspend`] has suspended the process so far. Other threads may ask
/// before `suspend` returns.
pub fn suspended_time() -> Duration {
    if !WAS_SUSPENDED.load(Ordering::SeqCst) {
        return Duration::ZERO;
    }
    let suspended = lock();
    suspended.total + suspended.since.map_or(Duration::ZERO, |since| since.elapsed())
}

/// A message for standard error. It may quote a file or an engine, so control characters
/// are replaced; on a terminal, its lines are wrapped.
pub fn arranged(message: &str) -> String {
    fitted(&cleaned(message), io::stderr())
}

/// Lines of text, each [printable].
pub(crate) fn cleaned(lines: &str) -> String {
    let lines = lines.split('\n').map(|line| printable(line, usize::MAX));
    lines.collect::<Vec<_>>().join("\n")
}

/// `text`, wrapped if `stream` is a terminal.
pub(crate) fn fitted(text: &str, stream: impl Stream) -> String {
    width(stream).map_or_else(|| text.to_string(), |width| wrap(text, width))
}
