//! Remembers that an engine's pipe was empty, which saves a read before the next
//! request.
//!
//! While one engine thinks, every `poll` also watches the opponent's output. If that
//! was empty, nothing has to be discarded before the opponent's next request. The
//! observation expires after [`LASTS`], or when the referee sends the engine something.

use std::time::{Duration, Instant};

/// How long an observation holds. Longer than the time from an answer to the next
/// request; shorter than a stopped terminal may block the output of a move.
const LASTS: Duration = Duration::from_millis(1);

/// When an engine's pipe was last found empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    /// `None` once the engine has received or written something.
    seen_at: Option<Instant>,
}

impl Silence {
    /// Notes that its pipe was empty at `at`.
    pub const fn seen(&mut self, at: Instant) {
        self.seen_at = Some(at);
    }

    /// Forgets the observation: the engine received or wrote something.
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
        assert!(!silence.lasts(now), "no observation yet");
        silence.seen(now);
        assert!(silence.lasts(now + LASTS / 2));
        assert!(!silence.lasts(now + LASTS));
        silence.end();
        assert!(!silence.lasts(now));
    }
}
