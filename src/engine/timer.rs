//! The deadline timer: a second thread that waits for the deadline.
//!
//! On a busy machine a thread that sleeps until a deadline may be woken late. Two threads
//! with the same deadline, the session and this one, are less often both late:
//! `docs/measurements.md` has the figures.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

/// A thread that waits for deadlines and ends when this is dropped.
pub(crate) struct DeadlineTimer(Sender<Instant>);

impl DeadlineTimer {
    /// Calls `on_deadline` whenever a deadline has passed. Without a thread it is never
    /// called; the session checks the deadline as well.
    pub(crate) fn start(on_deadline: impl Fn() + Send + 'static) -> DeadlineTimer {
        let (deadlines, received) = channel();
        let thread = thread::Builder::new().name("timer".to_string());
        if let Err(error) = thread.spawn(move || run(&received, on_deadline)) {
            log::warn!("no thread for the deadline timer: {error}");
        }
        DeadlineTimer(deadlines)
    }

    /// Replaces the deadline.
    pub(crate) fn set(&self, deadline: Instant) {
        // Fails only without a thread.
        let _ = self.0.send(deadline);
    }
}

fn run(deadlines: &Receiver<Instant>, on_deadline: impl Fn()) {
    let mut next = deadlines.recv().ok();
    while let Some(deadline) = next {
        next = match deadlines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(deadline) => Some(deadline),
            Err(RecvTimeoutError::Timeout) => {
                on_deadline();
                deadlines.recv().ok()
            }
            Err(RecvTimeoutError::Disconnected) => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_the_last_deadline_counts_and_only_once() {
        let (called, calls) = channel();
        let timer = DeadlineTimer::start(move || called.send(Instant::now()).unwrap());
        let begin = Instant::now();
        timer.set(begin + Duration::from_hours(1));
        timer.set(begin + Duration::from_millis(5));
        assert!(calls.recv().unwrap() >= begin + Duration::from_millis(5));
        timer.set(begin);
        calls.recv().unwrap();
        drop(timer);
        // The thread has ended and made no further call.
        assert!(calls.recv().is_err());
    }
}
