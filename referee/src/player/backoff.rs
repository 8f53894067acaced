//! Pause before an engine that failed to start is started again. The cause may be
//! temporary, such as a full disk; and a program that always exits at once must not
//! take the time of the others.

use std::time::Duration;

/// Pause after the first failed start. Each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Counts the failed starts of one engine in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Counts a failed start.
    pub const fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
    }

    /// Forgets the failures: the engine has played a move.
    pub const fn reset(&mut self) {
        self.failures = 0;
    }

    /// The pause before the next start.
    pub fn pause(self) -> Duration {
        let doubled = self
            .failures
            .checked_sub(1)
            .map(|times| 2_u32.saturating_pow(times));
        let pause = doubled.map_or(Duration::ZERO, |factor| FIRST_PAUSE.saturating_mul(factor));
        pause.min(MAX_PAUSE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failed_start_doubles_the_pause_up_to_a_bound() {
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
        assert_eq!(backoff.pause(), MAX_PAUSE);
        backoff.reset();
        assert_eq!(backoff.pause(), Duration::ZERO);
    }
}
