//! The clock of a person in the prompt.

use std::time::{Duration, Instant};

use crate::io::text::clock;

/// The time that is left when a person is warned.
const URGENT: Duration = Duration::from_secs(10);

/// The clock of a person who is to move.
#[derive(Clone, Copy, Debug)]
pub struct ClockFace {
    /// When the time is over.
    end: Instant,
    /// The time left when the question was asked.
    at_first: Duration,
    /// Whether the last seconds stand out in colour.
    colour: bool,
}

impl ClockFace {
    /// The clock that runs out at this time, optionally with colour.
    pub fn new(end: Instant, colour: bool) -> ClockFace {
        ClockFace {
            end,
            at_first: end.saturating_duration_since(Instant::now()),
            colour,
        }
    }

    fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// The whole seconds left, rounded up.
    pub fn seconds_left(self) -> u64 {
        seconds(self.left())
    }

    /// The time until another second has passed; `None` if no time is left.
    pub fn until_next_second(self) -> Option<Duration> {
        let left = self.left();
        let whole = Duration::from_secs(seconds(left).checked_sub(1)?);
        // The clock must have changed after the wait.
        Some(left.saturating_sub(whole) + Duration::from_millis(1))
    }

    /// The beginning of the prompt: `[4:32] `.
    pub fn prefix(self) -> String {
        format!("[{}] ", time_left(self.left()))
    }

    /// The prompt with the current time. With colour, the last seconds are bold and
    /// red.
    pub fn update(self, prompt: &str) -> String {
        let Some((before, rest)) = prompt.split_once("] ") else {
            return prompt.to_string();
        };
        // A prompt keeps its width while it is shown.
        let width = before.len() - 1;
        let left = self.left();
        let time = format!("[{:>width$}]", time_left(left));
        if self.colour && left <= URGENT {
            format!("\x1b[1;31m{time}\x1b[0m {rest}")
        } else {
            format!("{time} {rest}")
        }
    }

    /// The warning that is due now, with the bell: the last ten seconds have begun since the
    /// question was asked.
    pub fn warning(self) -> Option<String> {
        let is_due = self.at_first > URGENT && self.seconds_left() == URGENT.as_secs();
        is_due.then(|| format!("\x07{} seconds are left.\n", URGENT.as_secs()))
    }
}

/// The whole seconds of a time, rounded up, so that 0 means that no time is left.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A time on a clock: `0:09`, `4:32` or `1:04:32`.
pub fn time_left(time: Duration) -> String {
    clock(Duration::from_secs(seconds(time)), Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up_to_whole_seconds() {
        for (milliseconds, text) in [
            (0, "0:00"),
            (1, "0:01"),
            (9_000, "0:09"),
            (271_500, "4:32"),
            (3_600_000, "1:00:00"),
        ] {
            assert_eq!(time_left(Duration::from_millis(milliseconds)), text);
        }
    }

    #[test]
    fn keeps_the_width_of_the_prompt() {
        let clock = ClockFace::new(Instant::now() + Duration::from_millis(59_500), true);
        assert_eq!(
            clock.update("[10:00] Ann, your move: "),
            "[ 1:00] Ann, your move: "
        );
        let clock = ClockFace::new(Instant::now() + Duration::from_millis(8_500), true);
        assert_eq!(clock.update("[0:11] Ann: "), "\x1b[1;31m[0:09]\x1b[0m Ann: ");
        let plain = ClockFace {
            colour: false,
            ..clock
        };
        assert_eq!(plain.update("[0:11] Ann: "), "[0:09] Ann: ");
        assert_eq!(clock.warning(), None, "there was never more time");
    }
}
