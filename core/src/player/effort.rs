//! What a program did while its answer was waited for, as a clause for messages.

use std::fmt;
use std::time::Duration;

use crate::process::Effort;

/// What a program did, as far as its times tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Computing,
    /// It could have computed, but other programs did.
    WaitingForProcessor,
    /// For input, a file, a clock, another program.
    Waiting,
    /// By a signal.
    Stopped,
    Both,
}

impl Doing {
    /// The processor time that a program may use while it does nothing, or a hundredth of a longer time, as its start does.
    const IDLE: Duration = Duration::from_millis(20);

    fn of(effort: &Effort) -> Doing {
        let half = effort.time / 2;
        if effort.is_stopped {
            Doing::Stopped
        } else if effort.computed >= half {
            Doing::Computing
        } else if !effort.waited.is_zero() && effort.waited >= half {
            Doing::WaitingForProcessor
        } else if effort.computed <= Doing::IDLE.max(effort.time / 100).min(effort.time / 10) {
            Doing::Waiting
        } else {
            Doing::Both
        }
    }
}

impl Effort {
    /// Whether it waited for a processor most of the time.
    pub(super) fn is_of_busy_machine(&self) -> bool {
        Doing::of(self) == Doing::WaitingForProcessor
    }

    /// Whether it was computing or stopped, so that no answer was to be expected.
    pub(super) fn is_of_program(&self) -> bool {
        matches!(Doing::of(self), Doing::Computing | Doing::Stopped)
    }

    /// Whether its times tell what it did.
    pub(super) fn is_clear(&self) -> bool {
        Doing::of(self) != Doing::Both
    }
}

impl fmt::Display for Effort {
    /// A clause about `it`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [time, computed] = [self.time, self.computed].map(|time| format!("{:.1} s", time.as_secs_f64()));
        match Doing::of(self) {
            Doing::Computing => write!(f, "it was computing ({computed} of processor time in {time})"),
            Doing::WaitingForProcessor => {
                let waited = self.waited.as_secs_f64();
                write!(f, "it waited {waited:.1} s of {time} for a processor, because other programs used them")?;
                // The wait may not be its excuse.
                if self.computed > Doing::IDLE { write!(f, ", and computed for {computed}") } else { Ok(()) }
            }
            Doing::Stopped => f.write_str("it was stopped (SIGSTOP), and not by the referee"),
            Doing::Waiting => f.write_str(
                "it used no processor time, as a program does that waits for input, sleeps, or has not flushed its answer",
            ),
            Doing::Both => write!(f, "it used {computed} of processor time in {time}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_has, expect};

    #[test]
    fn times_tell_what_a_program_did() {
        let said = |time, computed, waited| {
            let [time, computed, waited] = [time, computed, waited].map(Duration::from_millis);
            Effort {
                time,
                computed,
                waited,
                ..Effort::default()
            }
            .to_string()
        };
        expect! {"it was computing (2.9 s of processor time in 3.0 s)"}.assert_eq(&said(3000, 2900, 100));
        expect! {"it was computing (11.6 s of processor time in 3.0 s)"}.assert_eq(&said(3000, 11600, 0));
        expect! {"it waited 2.0 s of 3.0 s for a processor, because other programs used them"}
            .assert_eq(&said(3000, 10, 2000));
        expect! {"it waited 2.0 s of 3.0 s for a processor, because other programs used them, and computed for 1.0 s"}
            .assert_eq(&said(3000, 1000, 2000));
        expect! {"it used no processor time, as a program does that waits for input, sleeps, or has not flushed its answer"}
            .assert_eq(&said(3000, 10, 0));
        assert_has(said(10_000, 90, 0), expect! {"it used no processor time"});
        expect! {"it used 0.3 s of processor time in 3.0 s"}.assert_eq(&said(3000, 300, 0));
        expect! {"it used 0.0 s of processor time in 0.1 s"}.assert_eq(&said(50, 20, 0));
    }
}
