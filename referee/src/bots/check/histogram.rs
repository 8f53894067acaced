//! The times of answers to `go movetime`, as shares of the time allowed.

use std::time::Duration;

/// The upper ends of the classes, in percent. Later answers are late.
pub const CLASSES: [u32; 4] = [25, 50, 75, 100];

/// The answer that was latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Latest {
    /// The time allowed, in milliseconds.
    pub limit: i64,
    /// The time taken.
    pub taken: Duration,
    /// Whether its check judges times.
    pub is_judged: bool,
}

impl Latest {
    /// How much later than allowed it came.
    pub(crate) fn overshoot(&self) -> Duration {
        self.taken.saturating_sub(allowed(self.limit))
    }
}

/// Numbers of answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Histogram {
    /// The number of answers in each of [`CLASSES`].
    pub in_time: [u64; CLASSES.len()],
    /// The number of late answers.
    pub late: u64,
    /// The answer with the largest overshoot; `None` if none was late.
    pub latest: Option<Latest>,
}

impl Histogram {
    /// Adds an answer to `go movetime LIMIT`.
    pub(crate) fn add(&mut self, limit: i64, taken: Duration, is_judged: bool) {
        let allowed = allowed(limit);
        let class = CLASSES
            .iter()
            .position(|&percent| taken <= allowed * percent / 100);
        if let Some(count) = class.and_then(|class| self.in_time.get_mut(class)) {
            *count += 1;
            return;
        }
        self.late += 1;
        let answer = Latest {
            limit,
            taken,
            is_judged,
        };
        if self
            .latest
            .is_none_or(|latest| answer.overshoot() > latest.overshoot())
        {
            self.latest = Some(answer);
        }
    }

    /// The number of all answers.
    pub(crate) fn total(&self) -> u64 {
        self.late + self.in_time.iter().sum::<u64>()
    }
}

fn allowed(limit: i64) -> Duration {
    Duration::from_millis(limit.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_shares_of_the_time_allowed() {
        let mut histogram = Histogram::default();
        for (limit, taken) in [
            (200, 0),
            (200, 50),
            (200, 51),
            (1000, 1000),
            (50, 51),
            (200, 300),
            (50, 140),
        ] {
            histogram.add(limit, Duration::from_millis(taken), false);
        }
        assert_eq!(
            (histogram.in_time, histogram.late, histogram.total()),
            ([2, 1, 0, 1], 3, 7)
        );
        let latest = histogram.latest.unwrap();
        assert_eq!((latest.limit, latest.overshoot().as_millis()), (200, 100));
    }
}
