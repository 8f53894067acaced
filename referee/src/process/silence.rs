//! Remembers that an engine's pipe was empty, which saves a read before the next
//! request.
//!
//! While one engine thinks, every `poll` also watches the opponent's output. If that
//! was empty, nothing has to be discarded before the opponent's next request. The
//! observation expires after [`LASTS`], and as soon as the engine is sent something.

use std::time::{Duration, Instant};

/// How long an empty pipe is trusted. Longer than the referee needs from an answer to
/// the next request; shorter than a stopped terminal may block the output of a move.
const LASTS: Duration = Duration::from_millis(1);

/// When an engine's pipe was last found empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    /// `None` after it was sent or wrote something.
    seen_at: Option<Instant>,
}

impl Silence {
    /// Notes that its pipe was empty at `at`.
    pub const fn seen(&mut self, at: Instant) {
        self.seen_at = Some(at);
    }

    /// Forgets the observation: the engine was sent something, or wrote.
    pub const fn end(&mut self) {
        self.seen_at = None;
    }

    /// Whether its pipe counts as empty.
    pub fn lasts(&self, now: Instant) -> bool {
        self.seen_at
            .is_some_and(|at| now.saturating_duration_since(at) < LASTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observation_expires() {
        let now = Instant::now();
        let mut silence = Silence::default();
        assert!(!silence.lasts(now), "nobody has looked");
        silence.seen(now);
        assert!(silence.lasts(now + LASTS / 2));
        assert!(!silence.lasts(now + LASTS));
        silence.end();
        assert!(!silence.lasts(now));
    }
}
