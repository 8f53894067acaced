//! A clock that also counts the time in which the machine sleeps, unlike [`std::time::Instant`] on
//! Linux and macOS.

use std::time::Duration;

/// The time since a moment that stays the same while the process runs.
#[cfg(unix)]
pub(crate) fn with_sleep() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;
    let time = clock_gettime(CLOCK);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// The time since the first call. [`std::time::Instant`] counts the sleep here.
#[cfg(windows)]
pub(crate) fn with_sleep() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed()
}
