//! What an engine does while its answer is waited for, and how much of the time others took.

use std::time::{Duration, Instant};

use crate::failure::Stop;
use crate::io::running_clock;
use crate::process::{Effort, Process, Work, unforeseen};

/// How long the referee waits after the deadline. An answer in this time is `time`,
/// none is `stall`.
pub const GRACE: Duration = Duration::from_secs(1);

/// Measures what an engine does until it answers, if that takes long enough: quick answers cost nothing.
#[derive(Debug)]
pub struct Gauge {
    allowed: Duration,
    begun: Option<(Instant, Work)>,
    /// When to look next.
    next: Option<Instant>,
    /// [`running_clock::stood`] at the request.
    stood: Duration,
}

impl Gauge {
    /// Time from the request to the first measurement, if the answer may take at least twice as long.
    const AFTER: Duration = Duration::from_millis(100);

    /// The shortest time between two looks before the deadline.
    const BETWEEN: Duration = Duration::from_millis(50);

    /// An answer that takes this long is not quick.
    pub(super) const QUICK: Duration = Duration::from_millis(10);

    /// Of an answer to a request at `asked` that may take as long as `allowed`. `before` is what was done until then, if
    /// that is known; otherwise the first measurement is later.
    pub fn new(asked: Instant, allowed: Duration, before: Option<Work>) -> Gauge {
        let begun = before.map(|work| (asked, work));
        let next = if begun.is_some() {
            Gauge::BETWEEN.min(allowed / 2)
        } else {
            Gauge::AFTER.min(allowed / 2)
        };
        Gauge {
            allowed,
            begun,
            next: Some(asked + next),
            stood: running_clock::stood(),
        }
    }

    /// How long the engine may be waited for until there is something to do: no longer than to `end`.
    pub fn next_look(&self, end: Instant) -> Instant {
        self.next.map_or(end, |next| end.min(next))
    }

    /// Looks, if it is time. `is_silent` says that there was nothing to read.
    pub fn look(&mut self, now: Instant, process: &Process, is_silent: bool) {
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        match (&mut self.begun, process.work()) {
            (Some((_, before)), Some(work)) => {
                before.note_children(&work);
                if is_silent {
                    before.note_silence(&work);
                }
            }
            (None, Some(work)) => self.begun = Some((now, work)),
            (_, None) => {}
        }
        // A look at many threads takes longer.
        let pause = Gauge::BETWEEN.max(running_clock::elapsed(now) * 20);
        self.next = Some(now + unforeseen(pause));
    }

    /// How long the referee has stood still since the request.
    pub(super) fn stood(&self) -> Duration {
        running_clock::stood().saturating_sub(self.stood)
    }

    /// What the engine has done until `now`, since the beginning.
    pub fn effort(&self, now: Instant, process: &Process) -> Option<Effort> {
        let (since, before) = self.begun.as_ref()?;
        Some(
            process
                .work()?
                .since(before, now.saturating_duration_since(*since)),
        )
    }

    /// Until when the engine may be waited for that has sent nothing until `end`: it had not all of this time, because
    /// other programs used the processors. `None` if it had.
    ///
    /// # Errors
    /// The wait is too long for a game.
    pub(super) fn extended(
        &mut self,
        end: Instant,
        now: Instant,
        process: &Process,
    ) -> Result<Option<Instant>, Stop> {
        /// The shortest time between two looks, and the longest if a process has begun: if nobody waits for it, it has to
        /// be seen.
        const PAUSE: Duration = Duration::from_millis(10);
        const OFTEN: Duration = Duration::from_millis(25);
        let Some((since, before)) = &mut self.begun else {
            return Ok(None);
        };
        let Some(work) = process.work() else {
            return Ok(None);
        };
        // Else each look on a busy machine would be a reason for another one.
        before.note_silence(&work);
        let effort = work.since(before, now.saturating_duration_since(*since));
        let has_new_processes = work.has_new_processes(before);
        before.note_children(&work);
        if effort.waited > self.longest_wait() {
            let [waited, time] = [effort.waited, effort.time].map(|time| time.as_secs_f64());
            return Err(Stop::Busy(format!(
                "waited {waited:.1} s of {time:.1} s for a processor, because other programs used them"
            )));
        }
        let until = end + effort.waited;
        let latest = if has_new_processes {
            now + OFTEN
        } else {
            until.max(now + PAUSE)
        };
        Ok((until > now).then(|| until.clamp(now + PAUSE, latest)))
    }

    /// A game whose player waits longer than this for a single answer is not played.
    fn longest_wait(&self) -> Duration {
        self.allowed.saturating_mul(30).saturating_add(GRACE * 30)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_look_comes_soon() {
        let asked = Instant::now();
        let first_look = |allowed: u64, before: Option<Work>| {
            let gauge = Gauge::new(asked, Duration::from_millis(allowed), before);
            (gauge.next_look(asked + Duration::from_mins(1)) - asked).as_millis()
        };
        for (allowed, known, unknown) in [(10_000, 50, 100), (60, 30, 30)] {
            assert_eq!(first_look(allowed, Some(Work::default())), known);
            assert_eq!(first_look(allowed, None), unknown);
        }
    }
}
