//! The clock of the referee, which stands still while the referee does.
//!
//! A process that is stopped (Ctrl-Z, `kill -STOP`, a paused container) or gets no processor reads
//! the answers of the engines late, and a machine that sleeps delays them. No engine is to blame for
//! that, so deadlines and times of engines and people are those of this clock. A thread looks at it
//! a few times a second: when no thread has looked for [`STANDSTILL`], the referee stood still.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::system::clock;

/// The longest time without a look at the clock that is no standstill. Threads of a busy machine
/// wait shorter for a processor.
const STANDSTILL: Duration = Duration::from_millis(500);

/// How often a game or a check is repeated after standstills; then it counts as it ends.
pub const MAX_REPEATS: u32 = 3;

/// The time between two looks of the thread.
const TICK: Duration = Duration::from_millis(100);

/// A look is only noted this long after the last one, so that threads rarely write to shared memory.
const NOTED: u64 = 10_000_000;

/// How often and how long the referee has stood still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standstills {
    /// The number of standstills.
    pub count: u64,
    /// Their time, with that in which the machine slept.
    pub time: Duration,
}

/// Where the times of the clock begin.
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The clock, with times in nanoseconds since [`ORIGIN`].
struct RunningClock {
    /// Whether its thread looks at it.
    is_watched: AtomicBool,
    /// The last look.
    seen: AtomicU64,
    /// The time of all standstills, without that in which the machine slept: an [`Instant`] does not
    /// count it.
    stood: AtomicU64,
    /// [`Standstills::count`].
    count: AtomicU64,
    known: Mutex<Observed>,
}

struct Observed {
    standstills: Standstills,
    /// The time for which the machine has slept.
    slept: Duration,
}

static CLOCK: LazyLock<RunningClock> = LazyLock::new(|| RunningClock {
    is_watched: AtomicBool::new(false),
    seen: AtomicU64::new(0),
    stood: AtomicU64::new(0),
    count: AtomicU64::new(0),
    known: Mutex::new(Observed {
        standstills: Standstills::default(),
        slept: slept(),
    }),
});

/// Begins to watch for standstills; later calls do nothing.
pub fn watch() {
    if CLOCK.is_watched.load(Ordering::SeqCst) {
        return;
    }
    CLOCK.seen.fetch_max(time().1, Ordering::SeqCst);
    if CLOCK.is_watched.swap(true, Ordering::SeqCst) {
        return;
    }
    let watched = thread::Builder::new().name("clock".into()).spawn(|| {
        loop {
            thread::sleep(TICK);
            CLOCK.look();
        }
    });
    if let Err(error) = watched {
        CLOCK.is_watched.store(false, Ordering::SeqCst);
        log::warn!("if the referee is suspended, that time will count for the players: {error}");
    }
}

/// The time now, without standstills. Only for comparison with other times of this clock.
pub fn now() -> Instant {
    loop {
        let stood = CLOCK.stood.load(Ordering::SeqCst);
        let (instant, time) = time();
        CLOCK.note(time);
        // Another thread may have found a standstill after the look.
        if CLOCK.stood.load(Ordering::SeqCst) == stood {
            return instant
                .checked_sub(Duration::from_nanos(stood))
                .unwrap_or(instant);
        }
    }
}

/// The time since this time of the clock.
pub fn elapsed(since: Instant) -> Duration {
    now().saturating_duration_since(since)
}

/// The standstills until now.
pub fn standstills() -> Standstills {
    CLOCK.look()
}

/// [`Standstills::count`], except for a standstill that has just ended. Costs next to nothing.
pub(crate) fn noticed_standstills() -> u64 {
    CLOCK.count.load(Ordering::SeqCst)
}

/// The time of all standstills that were noticed, without that in which the machine slept. Costs next to nothing.
pub(crate) fn stood() -> Duration {
    Duration::from_nanos(CLOCK.stood.load(Ordering::SeqCst))
}

impl Standstills {
    /// A sentence about those since `before`, without full stop.
    pub fn since(self, before: Standstills) -> String {
        let time = self.time.saturating_sub(before.time).as_secs_f64();
        format!("the referee was suspended for {time:.1} s (Ctrl-Z, a busy machine, or the machine slept)")
    }
}

/// The time now, also in nanoseconds since [`ORIGIN`].
fn time() -> (Instant, u64) {
    let instant = Instant::now();
    let time = instant.saturating_duration_since(*ORIGIN);
    (instant, time.as_nanos() as u64)
}

impl RunningClock {
    /// Notes a look at this time.
    fn note(&self, time: u64) {
        if !self.is_watched.load(Ordering::SeqCst) {
            return;
        }
        let since = time.saturating_sub(self.seen.load(Ordering::SeqCst));
        if since >= STANDSTILL.as_nanos() as u64 {
            self.look();
        } else if since >= NOTED {
            self.seen.fetch_max(time, Ordering::SeqCst);
        }
    }

    /// Looks whether the referee has stood still or the machine has slept since the last look.
    fn look(&self) -> Standstills {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_watched.load(Ordering::SeqCst) {
            return known.standstills;
        }
        let slept = slept();
        let (_, time) = time();
        let since = Duration::from_nanos(time.saturating_sub(self.seen.load(Ordering::SeqCst)));
        let (stood, asleep) = found(since, slept.saturating_sub(known.slept));
        if !(stood + asleep).is_zero() {
            self.stood.fetch_add(stood.as_nanos() as u64, Ordering::SeqCst);
            known.slept += asleep;
            known.standstills.count += 1;
            known.standstills.time += stood + asleep;
            self.count.store(known.standstills.count, Ordering::SeqCst);
        }
        self.seen.fetch_max(time, Ordering::SeqCst);
        known.standstills
    }
}

/// The parts of these times that are a standstill: the time since the last look, and that in which the
/// machine slept meanwhile.
fn found(since: Duration, asleep: Duration) -> (Duration, Duration) {
    let stood = |time: Duration| if time >= STANDSTILL { time } else { Duration::ZERO };
    (stood(since), stood(asleep))
}

/// The time for which the machine has slept, and a time that stays the same.
fn slept() -> Duration {
    /// The two clocks are read within this time.
    const TOGETHER: Duration = Duration::from_millis(10);
    let origin = *ORIGIN;
    loop {
        let before = Instant::now();
        let with_sleep = clock::with_sleep();
        let after = Instant::now();
        if after.saturating_duration_since(before) < TOGETHER {
            return with_sleep.saturating_sub(before.saturating_duration_since(origin));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    #[test]
    fn a_standstill_is_told_with_its_time() {
        let stood = Standstills {
            count: 1,
            time: Duration::from_millis(2500),
        };
        expect! {"the referee was suspended for 2.5 s (Ctrl-Z, a busy machine, or the machine slept)"}
            .assert_eq(&stood.since(Standstills::default()));
        let later = Standstills {
            count: 2,
            time: Duration::from_secs(4),
        };
        assert!(later.since(stood).contains(" for 1.5 s "));
    }

    #[test]
    fn a_late_look_or_a_sleep_is_a_standstill() {
        let [short, long] = [STANDSTILL / 2, STANDSTILL * 6];
        let none = Duration::ZERO;
        for (since, asleep, expected) in [
            (short, short, (none, none)),
            (long, none, (long, none)),
            (none, long, (none, long)),
            (long, long, (long, long)),
        ] {
            assert_eq!(found(since, asleep), expected);
        }
    }
}
