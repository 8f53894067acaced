//! The progress of a command that counts something.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::frame::{TerminalSize, first_that_fits};
use super::live::{LiveArea, Stream, View};

/// A task is shown once it takes this long.
const SHOWN_AFTER: Duration = Duration::from_millis(300);

/// A count on standard error, if that is a terminal: `12 of 600 openings | about 3 min left`.
/// It disappears when it is dropped.
pub struct Task {
    count: Arc<Mutex<Count>>,
    area: Option<LiveArea>,
}

/// The state of a task.
struct Count {
    done: u64,
    /// The value of `done` when the task began, as for one that resumes.
    before: u64,
    total: u64,
    /// What is counted, in the plural.
    what: &'static str,
    /// Further facts, left out on a narrow terminal.
    detail: String,
    began: Instant,
}

impl Task {
    /// Begins a task of which `done` of `total` is done. `what` is what it counts, in the
    /// plural.
    pub fn start(what: &'static str, done: u64, total: u64) -> Task {
        let count = Arc::new(Mutex::new(Count {
            done,
            before: done,
            total,
            what,
            detail: String::new(),
            began: Instant::now(),
        }));
        let view: Arc<Mutex<dyn View>> = count.clone();
        Task {
            count,
            area: LiveArea::start(Stream::Stderr, view),
        }
    }

    /// Changes the count.
    pub fn set(&self, done: u64) {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).done = done;
    }

    /// Prints a line on standard output, above the count.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn print(&self, line: &str) -> io::Result<()> {
        let text = format!("{line}\n");
        match &self.area {
            Some(area) => area.print(Stream::Stdout, &text),
            None => Stream::Stdout.write(&text),
        }
    }

    /// Changes the further facts.
    pub(crate) fn set_detail(&self, detail: String) {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).detail = detail;
    }
}

impl Count {
    /// The time that the rest takes at the pace so far; `None` before the first step.
    fn time_left(&self, elapsed: Duration) -> Option<Duration> {
        let steps = self.done.saturating_sub(self.before);
        let rest = self.total.saturating_sub(self.done);
        (steps > 0 && rest > 0).then(|| elapsed.mul_f64(rest as f64 / steps as f64))
    }

    /// The count in at most `width` columns.
    fn line(&self, elapsed: Duration, width: usize) -> String {
        let Count {
            done, total, what, ..
        } = self;
        let count = format!("{done} of {total} {what}");
        let left = self.time_left(elapsed).map(rough_time);
        let left = left.map_or(String::new(), |left| format!(" | about {left} left"));
        let detail = if self.detail.is_empty() {
            String::new()
        } else {
            format!(" | {}", self.detail)
        };
        let texts = [
            format!("{count}{left}{detail}"),
            format!("{count}{left}"),
            count,
            format!("{done}/{total}"),
        ];
        first_that_fits(texts, width)
    }
}

impl View for Count {
    fn lines(&mut self, size: TerminalSize) -> Vec<String> {
        let elapsed = self.began.elapsed();
        if elapsed < SHOWN_AFTER {
            return Vec::new();
        }
        vec![self.line(elapsed, size.columns.saturating_sub(1))]
    }
}

/// A duration, rounded to seconds, minutes, hours or days.
pub fn rough_time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..100 => format!("{} s", seconds.max(1)),
        100..6000 => format!("{} min", (seconds + 30) / 60),
        6000..360_000 => format!("{} h", (seconds + 1800) / 3600),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(done: u64, before: u64) -> Count {
        Count {
            done,
            before,
            total: 600,
            what: "openings",
            detail: "30 rejected".into(),
            began: Instant::now(),
        }
    }

    #[test]
    fn drops_the_least_important_parts_first() {
        let line = |width| count(12, 0).line(Duration::from_secs(6), width);
        assert_eq!(line(80), "12 of 600 openings | about 5 min left | 30 rejected");
        assert_eq!(line(40), "12 of 600 openings | about 5 min left");
        assert_eq!(line(30), "12 of 600 openings");
        assert_eq!(line(10), "12/600");
        assert_eq!(line(3), "");
    }

    #[test]
    fn the_time_left_follows_the_pace_of_this_run() {
        let seconds = Duration::from_secs;
        assert_eq!(count(0, 0).time_left(seconds(9)), None);
        assert_eq!(count(300, 0).time_left(seconds(9)), Some(seconds(9)));
        assert_eq!(count(300, 200).time_left(seconds(9)), Some(seconds(27)));
        assert_eq!(count(600, 0).time_left(seconds(9)), None);
    }

    #[test]
    fn rounds_times() {
        let rounded =
            [0, 99, 100, 5999, 6000, 360_000].map(|seconds| rough_time(Duration::from_secs(seconds)));
        assert_eq!(rounded, ["1 s", "99 s", "2 min", "100 min", "2 h", "4 days"]);
    }
}
