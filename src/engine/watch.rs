//! A second look at the clock.
//!
//! On a busy machine a thread that sleeps until a deadline may be woken late. Two
//! that sleep until the same one are late together less often, most of all where
//! they do not sleep on the same core.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

/// A thread that does nothing but wait for deadlines. It ends with this.
pub struct Watch(Sender<Instant>);

impl Watch {
    /// Calls `strike` whenever a deadline has passed. Where the system gives no
    /// thread, it is never called: the session looks at the clock as well.
    pub fn start(strike: impl Fn() + Send + 'static) -> Watch {
        let (deadlines, set) = channel();
        let thread = thread::Builder::new().name("clock".to_string());
        if let Err(error) = thread.spawn(move || watch(&set, strike)) {
            log::warn!("no thread to watch the clock: {error}");
        }
        Watch(deadlines)
    }

    /// The deadline is this from now on, no longer the one before.
    pub fn set(&self, deadline: Instant) {
        // Without a thread nobody listens.
        let _ = self.0.send(deadline);
    }
}

fn watch(set: &Receiver<Instant>, strike: impl Fn()) {
    let mut next = set.recv().ok();
    while let Some(deadline) = next {
        next = match set.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(deadline) => Some(deadline),
            Err(RecvTimeoutError::Timeout) => {
                strike();
                set.recv().ok()
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
    fn the_last_deadline_strikes_once() {
        let (struck, heard) = channel();
        let watch = Watch::start(move || struck.send(Instant::now()).unwrap());
        let begin = Instant::now();
        watch.set(begin + Duration::from_hours(1));
        watch.set(begin + Duration::from_millis(5));
        assert!(heard.recv().unwrap() >= begin + Duration::from_millis(5));
        watch.set(begin);
        heard.recv().unwrap();
        drop(watch);
        // The thread is gone, and has said nothing more.
        assert!(heard.recv().is_err());
    }
}
