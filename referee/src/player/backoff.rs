//! How long to wait before an engine is started again that did not start.
//!
//! What keeps it from starting may pass, as a full disk or a machine without
//! memory does, and a program that dies at once, again and again, would take
//! the time from all others.

use std::time::Duration;

/// The wait after the first failed start; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Nobody waits longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The starts of one engine that failed in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// A start failed.
    pub const fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
    }

    /// The engine has played a move, so it can be started.
    pub const fn reset(&mut self) {
        self.failures = 0;
    }

    /// How long to wait before the next start.
    pub fn pause(self) -> Duration {
        let doubled = self
            .failures
            .checked_sub(1)
            .map(|times| 2_u32.saturating_pow(times));
        let pause = doubled.map_or(Duration::ZERO, |factor| FIRST_PAUSE.saturating_mul(factor));
        pause.min(LONGEST_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failed_start_doubles_the_wait_up_to_a_bound() {
        let mut backoff = Backoff::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            pauses.push(backoff.pause().as_millis());
            backoff.failed();
        }
        assert_eq!(pauses, [0, 100, 200, 400, 800, 1600, 2000, 2000]);
        for _ in 0..100 {
            backoff.failed();
        }
        assert_eq!(backoff.pause(), LONGEST_PAUSE);
        backoff.reset();
        assert_eq!(backoff.pause(), Duration::ZERO);
    }
}
