//! What a check found.

use std::time::Duration;

use super::histogram::Histogram;
use super::info::{CheckInfo, CheckLevel};
use crate::io::interrupt::{Signal, Stop};
use crate::player::verdict::FaultKind;

/// One line between the referee and the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DialogueLine {
    /// Whether the referee sent it.
    pub is_sent: bool,
    /// Time since the start of the check.
    pub at: Duration,
    /// The line without its line end.
    pub line: String,
}

/// Why a check failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What came, as a sentence without full stop.
    pub problem: String,
    /// What was expected.
    pub expected: String,
    /// What to try.
    pub hint: String,
    /// The FEN of the position, if it matters.
    pub fen: Option<String>,
    /// The fault, as a match calls it, if it is about an answer.
    pub fault: Option<FaultKind>,
    /// The last lines on stderr, if the bot has exited.
    pub stderr: Vec<String>,
    /// The lines to show, if they are not the last ones of the check.
    pub evidence: Vec<DialogueLine>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    /// Passed, perhaps with a remark.
    Passed(Option<String>),
    Failed(Box<Finding>),
    /// Not run, and why.
    Skipped(String),
    /// Not run, because the check of this name failed.
    NotRun(&'static str),
}

impl CheckOutcome {
    /// Whether the check was not run, because another one failed.
    pub(crate) const fn is_not_run(&self) -> bool {
        matches!(self, CheckOutcome::NotRun(_))
    }
}

/// Why a check ends early.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The bot fails it.
    Failed(Box<Finding>),
    /// It does not apply, and why.
    Skipped(String),
    /// The referee stops.
    Stopped(Stop),
}

impl From<Finding> for Trouble {
    fn from(finding: Finding) -> Trouble {
        Trouble::Failed(Box::new(finding))
    }
}

impl From<Signal> for Trouble {
    fn from(signal: Signal) -> Trouble {
        Trouble::Stopped(signal.into())
    }
}

/// The result of the function of a check: a remark if the bot passes.
pub type CheckResult = Result<Option<String>, Trouble>;

/// A check with its result.
pub(crate) struct CheckReport {
    pub check: &'static CheckInfo,
    /// Its result.
    pub outcome: CheckOutcome,
    /// How long it took.
    pub took: Duration,
    /// The last lines in both directions, in order.
    pub events: Vec<DialogueLine>,
}

impl CheckReport {
    /// A check that is not run because the check `failed` failed.
    pub(crate) const fn not_run(check: &'static CheckInfo, failed: &'static str) -> CheckReport {
        CheckReport {
            check,
            outcome: CheckOutcome::NotRun(failed),
            took: Duration::ZERO,
            events: Vec::new(),
        }
    }
}

/// The results of all checks.
#[derive(Debug, Default)]
pub(crate) struct CheckSummary {
    /// The number of checks passed.
    pub passed: usize,
    /// The number of checks that do not apply.
    pub skipped: usize,
    /// The checks not run, each after the failed check that it needs.
    pub not_run: Vec<(&'static str, &'static str)>,
    pub failed: Vec<(CheckLevel, &'static str)>,
    /// The times of the answers.
    pub times: Histogram,
}

impl CheckSummary {
    /// Adds a report.
    pub(crate) fn add(&mut self, report: &CheckReport) {
        match &report.outcome {
            CheckOutcome::Passed(_) => self.passed += 1,
            CheckOutcome::Failed(_) => self.failed.push((report.check.level, report.check.name)),
            CheckOutcome::Skipped(_) => self.skipped += 1,
            CheckOutcome::NotRun(failed) => self.not_run.push((failed, report.check.name)),
        }
    }

    /// Adds the times of all answers.
    pub(crate) fn close(&mut self, times: &Histogram) {
        self.times = times.clone();
    }

    /// Whether no required check has failed.
    pub(crate) fn is_fit(&self) -> bool {
        self.failed_at(CheckLevel::Required).next().is_none()
    }

    /// The failed checks of a level.
    pub(crate) fn failed_at(&self, level: CheckLevel) -> impl Iterator<Item = &'static str> {
        let at_level = self.failed.iter().filter(move |(other, _)| *other == level);
        at_level.map(|(_, name)| *name)
    }
}
