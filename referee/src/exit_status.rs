//! The exit statuses of the referee. Scripts depend on them; `help/exit-status` says which command returns which.

use std::process::ExitCode;

use referee_core::failure::{Failure, Stop};
use referee_core::io::interrupt::Signal;
use referee_core::process;

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ExitStatus {
    /// The command did what it was asked, whatever the results of its games.
    Success = 0,
    /// The command found something wrong in what it judges: a check failed, a game differs, a game is missing, or
    /// there was a warning with `--strict`.
    Negative = 1,
    /// The command, an input file or an output path is wrong.
    Usage = 2,
    /// A program cannot be started or does not do what its protocol says.
    StartFailed = process::START_FAILED,
    /// The machine failed: an output, or something that a program needs.
    MachineFailed = process::MACHINE_FAILED,
    /// The rules program failed after its start.
    RulesFailed = process::RULES_FAILED,
    /// More games are needed (`report --sprt-decide`).
    Undecided = 10,
    /// Ctrl-C: by convention, 128 plus the number of SIGINT.
    Interrupted = 130,
    /// SIGTERM, as from `kill` or a scheduler.
    Terminated = 143,
}

impl ExitStatus {
    /// That of a command that judges.
    pub const fn of_verdict(is_good: bool) -> ExitStatus {
        if is_good {
            ExitStatus::Success
        } else {
            ExitStatus::Negative
        }
    }
}

impl From<Signal> for ExitStatus {
    fn from(signal: Signal) -> ExitStatus {
        match signal {
            Signal::Interrupt => ExitStatus::Interrupted,
            Signal::Terminate => ExitStatus::Terminated,
        }
    }
}

impl From<&Failure> for ExitStatus {
    fn from(failure: &Failure) -> ExitStatus {
        match failure {
            Failure::Warning(_) => ExitStatus::Negative,
            Failure::Usage(_) => ExitStatus::Usage,
            Failure::Start(_) => ExitStatus::StartFailed,
            // No command ends by a standstill, or by a program that waits for a processor.
            Failure::Output(_)
            | Failure::Stopped(
                Stop::Broken(_) | Stop::Busy(_) | Stop::Short(_) | Stop::Standstill | Stop::Starved(_),
            ) => ExitStatus::MachineFailed,
            Failure::Stopped(Stop::Rules(_)) => ExitStatus::RulesFailed,
            Failure::Stopped(Stop::Signal(signal)) => ExitStatus::from(*signal),
            // A person who leaves a match ends it like Ctrl-C.
            Failure::Stopped(Stop::Quit) => ExitStatus::Interrupted,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The compiler asks for a new one in `next`; the help and the manual cannot ask.
    #[test]
    fn the_help_and_the_manual_have_all_of_them() {
        let next = |status: &ExitStatus| match status {
            ExitStatus::Success => Some(ExitStatus::Negative),
            ExitStatus::Negative => Some(ExitStatus::Usage),
            ExitStatus::Usage => Some(ExitStatus::StartFailed),
            ExitStatus::StartFailed => Some(ExitStatus::MachineFailed),
            ExitStatus::MachineFailed => Some(ExitStatus::RulesFailed),
            ExitStatus::RulesFailed => Some(ExitStatus::Undecided),
            ExitStatus::Undecided => Some(ExitStatus::Interrupted),
            ExitStatus::Interrupted => Some(ExitStatus::Terminated),
            ExitStatus::Terminated => None,
        };
        let statuses: BTreeSet<u8> = std::iter::successors(Some(ExitStatus::Success), next)
            .map(|status| status as u8)
            .collect();
        let listed = |text: &str| -> BTreeSet<u8> {
            let rows = text
                .lines()
                .filter_map(|line| line.trim_start_matches("| ").split_once(" | "));
            rows.flat_map(|(numbers, _)| numbers.split(", "))
                .filter_map(|number| number.parse().ok())
                .collect()
        };
        let manual = include_str!("../../docs/command-line.md");
        let (_, table) = manual.split_once("\n## Exit status\n").unwrap();
        assert_eq!(
            listed(include_str!("../help/exit-status.txt")),
            statuses,
            "help/exit-status.txt"
        );
        assert_eq!(listed(table), statuses, "docs/command-line.md");
    }
}
