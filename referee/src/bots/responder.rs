//! The answer to a `go`, in time even if the rules program stalls.
//!
//! The search says its best move so far. At the deadline a timer thread answers with it, if the
//! search has not answered before. Nothing about a search is written after its answer.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use lodestone_game::protocol::Reply;

/// Answers each `go` once.
/// The default has no timer.
#[derive(Debug, Default)]
pub(crate) struct Responder {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The answer that is due; `None` once it is given.
    pending: Mutex<Option<Pending>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Pending {
    /// When the timer answers with `best`.
    deadline: Option<Instant>,
    best: Option<String>,
    /// Lines that go out with the answer, and when the first of them was added.
    before: String,
    kept_since: Option<Instant>,
}

impl Responder {
    /// Starts the timer, which ends with the process.
    pub fn start() -> io::Result<Responder> {
        let shared = Arc::<Shared>::default();
        let timer = Arc::clone(&shared);
        thread::Builder::new().spawn(move || timer.answer_at_deadlines())?;
        Ok(Responder { shared })
    }

    /// A `go` has come.
    pub fn begin(&self) {
        *self.shared.lock() = Some(Pending::default());
    }

    /// Sets the deadline, and a move for it.
    pub fn set_deadline(&self, deadline: Option<Instant>, best: Option<&str>) {
        if let Some(pending) = self.shared.lock().as_mut() {
            pending.deadline = deadline;
            pending.best = best.map(str::to_string);
            self.shared.changed.notify_one();
        }
    }

    /// A better move.
    pub fn set_best(&self, best: Option<&str>) {
        if let Some(pending) = self.shared.lock().as_mut()
            && pending.best.as_deref() != best
        {
            pending.best = best.map(str::to_string);
        }
    }

    pub fn is_answered(&self) -> bool {
        self.shared.lock().is_none()
    }

    /// Writes about the search, unless its answer is given.
    pub fn report(&self, info: &Reply) {
        let pending = self.shared.lock();
        if pending.is_some() {
            say(info);
        }
    }

    /// Keeps a line about the search, to be written with the answer or by [`Responder::flush`]: each write wakes the
    /// client. Without a search, it is written at once.
    pub fn add(&self, line: &str) {
        match self.shared.lock().as_mut() {
            Some(pending) => {
                pending.kept_since.get_or_insert_with(Instant::now);
                pending.before.extend([line, "\n"]);
            }
            None => write(&format!("{line}\n")),
        }
    }

    /// When the first of the lines that are kept was added.
    pub fn kept_since(&self) -> Option<Instant> {
        self.shared.lock().as_ref()?.kept_since
    }

    /// Writes the lines that were kept.
    pub fn flush(&self) {
        if let Some(pending) = self
            .shared
            .lock()
            .as_mut()
            .filter(|pending| !pending.before.is_empty())
        {
            pending.kept_since = None;
            write(&std::mem::take(&mut pending.before));
        }
    }

    /// Answers, unless the timer has answered.
    pub fn finish(&self, best: String) {
        if let Some(Pending { before, .. }) = self.shared.lock().take() {
            write(&format!("{before}{}\n", Reply::BestMove { best, ponder: None }));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer_at_deadlines(&self) {
        let mut pending = self.lock();
        loop {
            let left = pending.as_ref().and_then(|pending| {
                let deadline = pending.deadline.filter(|_| pending.best.is_some())?;
                Some(deadline.saturating_duration_since(Instant::now()))
            });
            pending = match left {
                None => {
                    let waited = self.changed.wait(pending);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
                Some(left) if left.is_zero() => {
                    if let Some(best) = pending.take().and_then(|pending| pending.best) {
                        say(&Reply::BestMove { best, ponder: None });
                    }
                    pending
                }
                Some(left) => {
                    let waited = self.changed.wait_timeout(pending, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// Writes a reply.
pub(crate) fn say(reply: &Reply) {
    write(&format!("{reply}\n"));
}

/// Writes whole lines at once. If the client is gone, its input ends as well.
fn write(lines: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(lines.as_bytes()).and_then(|()| out.flush());
}
