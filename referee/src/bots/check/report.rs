//! What a check found, and its JSON.

use std::time::Duration;

use lodestone::game::Variant;
use lodestone::protocol::Dialect;
use serde::{Serialize, Serializer};

use crate::io::interrupt::{Signal, Stop};
use crate::player::verdict::FaultKind;

/// How much a check matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Debug)]
pub struct CheckInfo {
    /// How much it matters.
    pub level: CheckLevel,
    /// Its name, for `--only` and `--json`.
    pub name: &'static str,
    /// The heading of its section in `protocol.md`.
    pub section: &'static str,
    /// What a bot does that passes.
    pub title: &'static str,
}

/// The check that starts the bot.
pub(super) const HANDSHAKE: &str = "handshake";
/// The check of move lists.
pub(super) const LONG_GAME: &str = "long-game";
/// The check of positions by FEN.
pub(super) const FEN: &str = "fen";
/// The check that judges the output during all others.
pub(crate) const OUTPUT: &str = "output";
/// The check of the first move.
pub(super) const STARTPOS: &str = "startpos";

/// One line between the referee and the bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DialogueLine {
    /// Whether the referee sent it.
    #[serde(skip)]
    pub is_sent: bool,
    /// Time since the start of the check.
    #[serde(rename = "ms", serialize_with = "serialize_time")]
    pub at: Duration,
    /// The line without its line end.
    pub line: String,
}

fn serialize_time<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(milliseconds(*time))
}

/// Milliseconds with at most three decimals.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
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

impl Finding {
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
        Trouble::Stopped(stop)
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
pub(crate) struct CheckReport {
    pub check: &'static CheckInfo,
    pub outcome: CheckOutcome,
    /// How long it took.
    pub took: Duration,
    /// The last lines in both directions, in order.
    pub events: Vec<DialogueLine>,
}

/// The JSON of a check.
#[derive(Serialize)]
struct ReportObject<'a> {
    check: &'static str,
    level: CheckLevel,
    status: &'static str,
    section: &'static str,
    title: &'static str,
    sent: Vec<&'a DialogueLine>,
    received: Vec<&'a DialogueLine>,
    problem: Option<&'a str>,
    expected: &'a str,
    hint: Option<String>,
    position: Option<&'a str>,
    stderr: &'a [String],
    ms: f64,
}

impl CheckReport {
    /// A check without a dialogue.
    pub const fn new(check: &'static CheckInfo, outcome: CheckOutcome) -> CheckReport {
        CheckReport {
            check,
            outcome,
            took: Duration::ZERO,
            events: Vec::new(),
        }
    }

    /// Its line of JSON.
    pub fn json(&self) -> serde_json::Result<String> {
        let (sent, received) = self.events.iter().partition(|event| event.is_sent);
        let mut object = ReportObject {
            check: self.check.name,
            level: self.check.level,
            status: "skipped",
            section: self.check.section,
            title: self.check.title,
            sent,
            received,
            problem: None,
            expected: self.check.title,
            hint: None,
            position: None,
            stderr: &[],
            ms: milliseconds(self.took),
        };
        match &self.outcome {
            CheckOutcome::Passed(remark) => (object.status, object.hint) = ("passed", remark.clone()),
            CheckOutcome::Failed(finding) => {
                object.status = "failed";
                object.problem = Some(&finding.problem);
                object.expected = &finding.expected;
                object.hint = Some(finding.hint.clone());
                object.position = finding.fen.as_deref();
                object.stderr = &finding.stderr;
            }
            CheckOutcome::Skipped(why) => object.hint = Some(why.clone()),
            CheckOutcome::NotRun(failed) => {
                object.hint = Some(format!("not run, because `{failed}` failed"));
            }
        }
        serde_json::to_string(&object)
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
    pub failed: Vec<(CheckLevel, &'static str)>,
    pub times: Times,
}

/// The last line of JSON.
#[derive(Serialize)]
struct SummaryObject<'a> {
    bot: &'a str,
    variant: &'static str,
    proto: &'static str,
    fit: bool,
    passed: usize,
    failed: usize,
    skipped: usize,
    not_run: usize,
    failed_required: Vec<&'static str>,
    failed_recommended: Vec<&'static str>,
    failed_optional: Vec<&'static str>,
    interrupted: bool,
    times: &'a Times,
}

impl CheckSummary {
    /// Adds a report.
    pub fn add(&mut self, report: &CheckReport) {
        match &report.outcome {
            CheckOutcome::Passed(_) => self.passed += 1,
            CheckOutcome::Failed(_) => self.failed.push((report.check.level, report.check.name)),
            CheckOutcome::Skipped(_) => self.skipped += 1,
            CheckOutcome::NotRun(failed) => self.not_run.push((failed, report.check.name)),
        }
    }

    /// Whether no required check has failed.
    pub fn is_fit(&self) -> bool {
        self.failed_at(CheckLevel::Required).is_empty()
    }

    /// The failed checks of a level.
    pub fn failed_at(&self, level: CheckLevel) -> Vec<&'static str> {
        let at_level = self.failed.iter().filter(|(other, _)| *other == level);
        at_level.map(|(_, name)| *name).collect()
    }

    /// The last line of JSON.
    pub fn json(
        &self,
        bot: &str,
        variant: Variant,
        dialect: Dialect,
        interrupted: bool,
    ) -> serde_json::Result<String> {
        #[derive(Serialize)]
        struct Line<'a> {
            summary: SummaryObject<'a>,
        }
        let summary = SummaryObject {
            bot,
            variant: variant.name(),
            proto: dialect.name(),
            fit: self.is_fit(),
            passed: self.passed,
            failed: self.failed.len(),
            skipped: self.skipped,
            not_run: self.not_run.len(),
            failed_required: self.failed_at(CheckLevel::Required),
            failed_recommended: self.failed_at(CheckLevel::Recommended),
            failed_optional: self.failed_at(CheckLevel::Optional),
            interrupted,
            times: &self.times,
        };
        serde_json::to_string(&Line { summary })
    }
}

/// The upper ends of the classes of [`Times`], in percent. Later answers are late.
pub(crate) const CLASSES: [u32; 4] = [25, 50, 75, 100];

/// The times of answers to `go movetime`, as shares of the time allowed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Times {
    pub answers: u64,
    up_to_percent: [u32; CLASSES.len()],
    /// The number of answers in each class.
    pub counts: [u64; CLASSES.len()],
    pub late: u64,
    #[serde(flatten)]
    pub latest: Latest,
}

/// The answer with the largest overshoot; nothing if none was late.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Latest {
    /// The time allowed.
    #[serde(rename = "latest_movetime")]
    pub limit: Option<i64>,
    #[serde(rename = "latest_ms")]
    pub taken: Option<f64>,
    #[serde(rename = "latest_overshoot_ms")]
    pub overshoot: Option<f64>,
    /// Whether its check judges times.
    #[serde(skip)]
    pub is_judged: bool,
}

impl Default for Times {
    fn default() -> Times {
        Times {
            answers: 0,
            up_to_percent: CLASSES,
            counts: [0; CLASSES.len()],
            late: 0,
            latest: Latest::default(),
        }
    }
}

impl Times {
    /// Adds an answer to `go movetime LIMIT`.
    pub fn add(&mut self, limit: i64, taken: Duration, is_judged: bool) {
        self.answers += 1;
        let allowed = Duration::from_millis(limit.unsigned_abs());
        let mut classes = self.counts.iter_mut().zip(CLASSES);
        if let Some((count, _)) = classes.find(|(_, percent)| taken <= allowed * *percent / 100) {
            *count += 1;
            return;
        }
        self.late += 1;
        let overshoot = milliseconds(taken.saturating_sub(allowed));
        if self.latest.overshoot.is_none_or(|most| overshoot > most) {
            self.latest = Latest {
                limit: Some(limit),
                taken: Some(milliseconds(taken)),
                overshoot: Some(overshoot),
                is_judged,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
        assert_eq!((times.counts, times.late, times.answers), ([2, 1, 0, 1], 3, 7));
        let latest = times.latest;
        assert_eq!((latest.limit, latest.overshoot), (Some(200), Some(100.0)));
    }

    #[test]
    fn object_has_the_documented_fields() {
        let finding = Finding::new("x exited", "`uciok`", "flush");
        let mut failed = CheckReport::new(&CHECKS[0].info, CheckOutcome::Failed(Box::new(finding)));
        failed.took = Duration::from_micros(12_345);
        failed.events = vec![DialogueLine {
            is_sent: true,
            at: Duration::from_millis(2),
            line: "uci".into(),
        }];
        let value: Value = serde_json::from_str(&failed.json().unwrap()).unwrap();
        assert_eq!(
            value,
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
            CheckOutcome::NotRun("handshake"),
        ));
        let text = counted.json("x", Variant::Gridlock, Dialect::Ugi, true).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let summary = &value["summary"];
        assert_eq!(
            (&summary["proto"], &summary["not_run"], &summary["fit"]),
            (&json!("ugi"), &json!(1), &json!(true))
        );
        assert_eq!(summary["times"]["up_to_percent"], json!([25, 50, 75, 100]));
        assert_eq!(summary["times"]["latest_ms"], Value::Null);
    }
}
