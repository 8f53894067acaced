//! What a check found, and its JSON.

use std::time::Duration;

use referee_core::failure::Stop;
use referee_core::game::Ruleset;
use referee_core::io::interrupt::Signal;
use referee_core::io::stderr::error_line;
use referee_core::io::untrusted::Untrusted;
use referee_core::player::Protocol;
use referee_core::player::verdict::FaultKind;
use serde_json::{Value, json};
use thiserror::Error;

/// How much a check matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckLevel {
    /// A bot that fails it loses games or cannot play. The exit status depends on it.
    Required,
    /// A bot that fails it loses games in some matches, or surprises other clients.
    Recommended,
    /// Parts of the protocol that a match does not need.
    Optional,
}

impl CheckLevel {
    /// The word in `--json` and in the summary.
    pub const fn word(self) -> &'static str {
        match self {
            CheckLevel::Required => "required",
            CheckLevel::Recommended => "recommended",
            CheckLevel::Optional => "optional",
        }
    }
}

/// What is fixed about a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// How much it matters.
    pub level: CheckLevel,
    /// Its name, for `--only` and `--json`.
    pub name: &'static str,
    /// The heading of its section in `protocol.md`.
    pub section: &'static str,
    /// What a bot does that passes, in the words of UCI.
    pub title: &'static str,
    /// Whether it is only for programs that speak UCI or UGI themselves.
    pub is_of_uci: bool,
}

/// The check that starts the bot.
pub(crate) const HANDSHAKE: &str = "handshake";
/// The check of move lists.
pub(super) const LONG_GAME: &str = "long-game";
/// The check of positions by FEN.
pub(super) const FEN: &str = "fen";
/// The check that judges the output during all others.
pub(crate) const OUTPUT: &str = "output";
/// The check that plays games.
pub(super) const WHOLE_GAME: &str = "whole-game";
/// The check of the first move.
pub(super) const STARTPOS: &str = "startpos";

/// Why a check has no verdict although it was repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Undecided {
    #[error("the machine was busy at each try; repeat the check on an idle machine")]
    Busy,
    #[error("memory or disk space was used up at each try; free some and repeat the check")]
    Short,
}

/// One line between the referee and the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DialogueLine {
    /// Whether the referee sent it.
    pub is_sent: bool,
    /// Time since the start of the check.
    pub at: Duration,
    /// The line without its line end.
    pub line: Untrusted,
}

/// Milliseconds with at most three decimals.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// Why a check failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The bot, if `problem` is a clause that follows its name; else empty.
    pub who: String,
    /// What came, without full stop.
    pub problem: String,
    /// The same for people who know no protocol, if it is about an answer.
    pub plain: Option<String>,
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
    /// Whether the machine may be the cause.
    pub is_of_machine: bool,
    /// The lines to show, if they are not the last ones of the check.
    pub evidence: Vec<DialogueLine>,
}

impl Finding {
    /// What came, as a sentence.
    pub fn sentence(&self) -> String {
        match self.who.as_str() {
            "" => self.problem.clone(),
            who => format!("{who} {}", self.problem),
        }
    }

    /// The error of a bot that has exited, in parentheses.
    fn last_error(&self) -> String {
        let error = error_line(&self.stderr);
        error.map_or_else(String::new, |line| format!(" ({})", line.trim()))
    }

    /// What came, beside the name of the bot, with its last line on stderr.
    pub fn beside_name(&self) -> String {
        self.problem.clone() + &self.last_error()
    }

    /// A finding about the bot of this name: a clause that follows it.
    pub fn of(
        who: &str,
        problem: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) -> Finding {
        Finding {
            who: who.into(),
            ..Finding::new(problem, expected, hint)
        }
    }

    /// A finding that is a sentence.
    pub fn new(problem: impl Into<String>, expected: impl Into<String>, hint: impl Into<String>) -> Finding {
        Finding {
            problem: problem.into(),
            expected: expected.into(),
            hint: hint.into(),
            ..Finding::default()
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    /// Passed, perhaps with a remark.
    Passed(Option<String>),
    Failed(Box<Finding>),
    /// Not run, and why.
    Skipped(String),
    Undecided(Undecided),
    /// Not run, because the check of this name failed.
    NotRun(&'static str),
}

/// Why a check ends early.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The bot fails it.
    Failed(Box<Finding>),
    /// It does not apply, and why.
    Skipped(String),
    /// The machine is in the way.
    Undecided(Undecided),
    /// The referee stops.
    Stopped(Stop),
}

impl From<Finding> for Trouble {
    fn from(finding: Finding) -> Trouble {
        Trouble::Failed(Box::new(finding))
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        match stop {
            Stop::Busy(_) => Trouble::Undecided(Undecided::Busy),
            stop => Trouble::Stopped(stop),
        }
    }
}

impl From<Signal> for Trouble {
    fn from(signal: Signal) -> Trouble {
        Trouble::Stopped(signal.into())
    }
}

impl Trouble {
    /// Changes the finding of a failed check.
    pub fn map(mut self, change: impl FnOnce(&mut Finding)) -> Trouble {
        if let Trouble::Failed(finding) = &mut self {
            change(finding);
        }
        self
    }
}

/// The result of the function of a check: a remark if the bot passes.
pub(crate) type CheckResult = Result<Option<String>, Trouble>;

/// A check with its result.
#[derive(Clone)]
pub(crate) struct CheckReport {
    pub check: &'static CheckInfo,
    /// Its title in the words of the bot's protocol.
    pub title: String,
    pub outcome: CheckOutcome,
    /// How long it took.
    pub took: Duration,
    /// The last lines in both directions, in order.
    pub events: Vec<DialogueLine>,
}

impl CheckReport {
    /// A check without a dialogue.
    pub fn new(check: &'static CheckInfo, protocol: Protocol, outcome: CheckOutcome) -> CheckReport {
        let title = check.title_in(protocol);
        CheckReport {
            check,
            title: title.unwrap_or_else(|| check.title.to_string()),
            outcome,
            took: Duration::ZERO,
            events: Vec::new(),
        }
    }

    /// Its object in `--json`.
    pub fn json(&self) -> Value {
        let lines = |is_sent| {
            let events = self.events.iter().filter(move |event| event.is_sent == is_sent);
            let line = |event: &DialogueLine| json!({"ms": milliseconds(event.at), "line": event.line});
            events.map(line).collect::<Vec<Value>>()
        };
        let (status, hint, finding) = match &self.outcome {
            CheckOutcome::Passed(remark) => ("passed", remark.clone(), None),
            CheckOutcome::Failed(finding) => ("failed", Some(finding.hint.clone()), Some(finding)),
            CheckOutcome::Skipped(why) => ("skipped", Some(why.clone()), None),
            CheckOutcome::Undecided(why) => ("skipped", Some(why.to_string()), None),
            CheckOutcome::NotRun(failed) => (
                "skipped",
                Some(format!("not run, because `{failed}` failed")),
                None,
            ),
        };
        json!({
            "check": self.check.name,
            "level": self.check.level.word(),
            "status": status,
            "section": self.check.section,
            "title": self.title,
            "sent": lines(true),
            "received": lines(false),
            "problem": finding.map(|finding| finding.sentence()),
            "expected": finding.map_or(&self.title, |finding| &finding.expected),
            "hint": hint,
            "position": finding.and_then(|finding| finding.fen.as_ref()),
            "stderr": finding.map_or(&[][..], |finding| &finding.stderr),
            "ms": milliseconds(self.took),
        })
    }
}

/// The results of all checks.
#[derive(Debug, Default)]
pub(crate) struct CheckSummary {
    pub passed: usize,
    /// The number of checks that do not apply.
    pub skipped: usize,
    /// The checks not run, each after the failed check that it needs.
    pub not_run: Vec<(&'static str, &'static str)>,
    /// The required checks without a verdict, because the machine was busy or short of something at each try.
    pub undecided: Vec<&'static str>,
    pub failed: Vec<(CheckLevel, &'static str)>,
    /// The finding of the first required check that failed.
    pub problem: Option<Box<Finding>>,
    pub times: Times,
}

impl CheckSummary {
    pub fn add(&mut self, report: &CheckReport) {
        match &report.outcome {
            CheckOutcome::Passed(_) => self.passed += 1,
            CheckOutcome::Failed(finding) => {
                self.failed.push((report.check.level, report.check.name));
                if report.check.level == CheckLevel::Required {
                    self.problem.get_or_insert_with(|| finding.clone());
                }
            }
            CheckOutcome::Skipped(_) => self.skipped += 1,
            CheckOutcome::Undecided(_) => {
                self.skipped += 1;
                if report.check.level == CheckLevel::Required {
                    self.undecided.push(report.check.name);
                }
            }
            CheckOutcome::NotRun(failed) => self.not_run.push((failed, report.check.name)),
        }
    }

    /// Whether no required check has failed.
    pub fn is_fit(&self) -> bool {
        self.failed_at(CheckLevel::Required).is_empty()
    }

    pub fn failed_at(&self, level: CheckLevel) -> Vec<&'static str> {
        let at_level = self.failed.iter().filter(|(other, _)| *other == level);
        at_level.map(|(_, name)| *name).collect()
    }

    /// The last object in `--json`.
    pub fn json(&self, bot: &str, ruleset: Ruleset, protocol: Protocol, is_interrupted: bool) -> Value {
        let latest = self.times.latest.as_ref();
        json!({"summary": {
            "bot": bot,
            "variant": ruleset.name(),
            "proto": protocol.name(),
            "fit": self.is_fit(),
            "problem": self.problem.as_ref().map(|finding| finding.sentence() + &finding.last_error()),
            "passed": self.passed,
            "failed": self.failed.len(),
            "skipped": self.skipped,
            "not_run": self.not_run.len(),
            "failed_required": self.failed_at(CheckLevel::Required),
            "failed_recommended": self.failed_at(CheckLevel::Recommended),
            "failed_optional": self.failed_at(CheckLevel::Optional),
            "interrupted": is_interrupted,
            "times": {
                "answers": self.times.answers(),
                "up_to_percent": CLASSES,
                "counts": self.times.counts,
                "late": self.times.late,
                "latest_movetime": latest.map(|latest| latest.limit),
                "latest_ms": latest.map(|latest| milliseconds(latest.taken)),
                "latest_overshoot_ms": latest.map(|latest| milliseconds(latest.overshoot)),
            },
        }})
    }
}

/// The upper ends of the classes of [`Times`], in percent. Later answers are late.
pub(crate) const CLASSES: [u32; 4] = [25, 50, 75, 100];

/// The times of answers to `go movetime`, as shares of the time allowed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// The number of answers in each class.
    pub counts: [u64; CLASSES.len()],
    pub late: u64,
    /// The answer with the largest overshoot; `None` if none was late.
    pub latest: Option<Latest>,
}

/// A late answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latest {
    /// The time allowed, in milliseconds.
    pub limit: i64,
    pub taken: Duration,
    /// How much later than allowed it came.
    pub overshoot: Duration,
    /// Whether its check judges times.
    pub is_judged: bool,
}

impl Times {
    /// The number of all answers.
    pub fn answers(&self) -> u64 {
        self.late + self.counts.iter().sum::<u64>()
    }

    /// Adds an answer to `go movetime LIMIT`.
    pub fn add(&mut self, limit: i64, taken: Duration, is_judged: bool) {
        let allowed = Duration::from_millis(limit.unsigned_abs());
        let mut classes = self.counts.iter_mut().zip(CLASSES);
        if let Some((count, _)) = classes.find(|(_, percent)| taken <= allowed * *percent / 100) {
            *count += 1;
            return;
        }
        self.late += 1;
        let overshoot = taken.saturating_sub(allowed);
        if self.latest.is_none_or(|latest| overshoot > latest.overshoot) {
            self.latest = Some(Latest {
                limit,
                taken,
                overshoot,
                is_judged,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::check::CHECKS;

    #[test]
    fn counts_shares_of_the_time_allowed() {
        let mut times = Times::default();
        for (limit, taken) in [
            (200, 0),
            (200, 50),
            (200, 51),
            (1000, 1000),
            (50, 51),
            (200, 300),
            (50, 140),
        ] {
            times.add(limit, Duration::from_millis(taken), false);
        }
        assert_eq!((times.counts, times.late, times.answers()), ([2, 1, 0, 1], 3, 7));
        let latest = times.latest.unwrap();
        assert_eq!((latest.limit, latest.overshoot.as_millis()), (200, 100));
    }

    #[test]
    fn object_has_the_documented_fields() {
        let finding = Finding::new("x exited", "`uciok`", "flush");
        let mut failed = CheckReport::new(
            &CHECKS[0].info,
            Protocol::Uci,
            CheckOutcome::Failed(Box::new(finding)),
        );
        failed.took = Duration::from_micros(12_345);
        failed.events = vec![DialogueLine {
            is_sent: true,
            at: Duration::from_millis(2),
            line: "uci".into(),
        }];
        assert_eq!(
            failed.json(),
            json!({
                "check": "handshake", "level": "required", "status": "failed",
                "section": "For bot authors: the minimum", "title": "answers `uci` with `uciok`",
                "sent": [{"ms": 2.0, "line": "uci"}], "received": [], "problem": "x exited",
                "expected": "`uciok`", "hint": "flush", "position": null, "stderr": [], "ms": 12.345
            })
        );
    }

    #[test]
    fn summary_is_the_last_object() {
        let mut counted = CheckSummary::default();
        counted.add(&CheckReport::new(
            &CHECKS[1].info,
            Protocol::Ugi,
            CheckOutcome::NotRun("handshake"),
        ));
        let value = counted.json("x", Ruleset::GRIDLOCK, Protocol::Ugi, true);
        let summary = &value["summary"];
        assert_eq!(
            (&summary["proto"], &summary["not_run"], &summary["fit"]),
            (&json!("ugi"), &json!(1), &json!(true))
        );
        assert_eq!(summary["times"]["up_to_percent"], json!([25, 50, 75, 100]));
        assert_eq!(summary["times"]["latest_ms"], Value::Null);
    }
}
