//! What an engine does while its answer is waited for.

use std::time::{Duration, Instant};

use crate::io::running_clock;
use crate::process::{Effort, Process, Work};

/// How long the referee waits after the deadline. An answer in this time is `time`,
/// none is `stall`.
pub const GRACE: Duration = Duration::from_secs(1);

/// Measures what an engine does until it answers, if that takes long enough: quick answers cost nothing.
#[derive(Debug)]
pub struct Gauge {
    /// When it begins.
    from: Instant,
    begun: Option<(Instant, Option<Work>)>,
}

impl Gauge {
    /// Time from the request to the first measurement, if the answer may take at least twice as long.
    pub(super) const AFTER: Duration = Duration::from_millis(100);

    /// Of an answer to a request at `asked` that may take as long as `allowed`.
    pub fn new(asked: Instant, allowed: Duration) -> Gauge {
        Gauge {
            from: asked + Gauge::AFTER.min(allowed / 2),
            begun: None,
        }
    }

    /// How long the engine may be waited for until there is something to do: no longer than to `end`.
    pub fn next_look(&self, end: Instant) -> Instant {
        if self.begun.is_none() {
            end.min(self.from)
        } else {
            end
        }
    }

    /// Begins, if it is time.
    pub fn look(&mut self, now: Instant, process: &Process) {
        if self.begun.is_none() && now >= self.from {
            self.begun = Some((running_clock::now(), process.work()));
        }
    }

    /// What the engine has done since the beginning.
    pub fn effort(&self, process: &Process) -> Option<Effort> {
        let (since, before) = self.begun.as_ref()?;
        let time = running_clock::elapsed(*since);
        Some(process.work()?.since(before.as_ref()?, time))
    }
}
