//! Whether an engine is known to have written nothing, so that nobody has to read
//! from its pipe to find that out.
//!
//! While one engine thinks, every `poll` looks at the other one's output as well.
//! Where that found nothing, nothing needs to be thrown away before the next
//! request. What was seen holds for a moment only, and no longer than until the
//! engine is asked something: then it has something to say.

use std::time::{Duration, Instant};

/// So long it counts that nothing was there: more than the referee needs from an
/// answer to the next request, less than whoever shows the move may be held up by
/// a terminal that is stopped.
const LASTS: Duration = Duration::from_millis(1);

/// When an engine was last seen to have written nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence {
    /// `None` where it was asked something or wrote something since.
    seen_at: Option<Instant>,
}

impl Silence {
    /// Its pipe was found empty.
    pub const fn seen(&mut self, at: Instant) {
        self.seen_at = Some(at);
    }

    /// It may have written something: it was asked, or it spoke.
    pub const fn end(&mut self) {
        self.seen_at = None;
    }

    /// Whether there is nothing to be read at this moment.
    pub fn lasts(&self, now: Instant) -> bool {
        self.seen_at
            .is_some_and(|at| now.saturating_duration_since(at) < LASTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_lasts_a_moment() {
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
