//! Reports for programs, one object a line.

use std::time::Duration;

use lodestone::game::Variant;
use lodestone::protocol::Dialect;
use serde::Serialize;

use super::histogram::{CLASSES, Histogram};
use super::info::CheckLevel;
use super::report::{CheckOutcome, CheckReport, CheckSummary, DialogueLine};

/// A line of a dialogue.
#[derive(Serialize)]
struct JsonLine<'a> {
    ms: f64,
    line: &'a str,
}

/// The object of a check.
#[derive(Serialize)]
struct Object<'a> {
    check: &'static str,
    level: &'static str,
    status: &'static str,
    section: &'static str,
    title: &'static str,
    sent: Vec<JsonLine<'a>>,
    received: Vec<JsonLine<'a>>,
    problem: Option<&'a str>,
    expected: Option<&'a str>,
    hint: Option<&'a str>,
    position: Option<&'a str>,
    stderr: &'a [String],
    ms: f64,
}

/// The last object.
#[derive(Serialize)]
struct SummaryObject<'a> {
    summary: SummaryFields<'a>,
}

#[derive(Serialize)]
struct SummaryFields<'a> {
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
    times: Times,
}

#[derive(Serialize)]
struct Times {
    answers: u64,
    up_to_percent: [u32; CLASSES.len()],
    counts: [u64; CLASSES.len()],
    late: u64,
    latest_movetime: Option<i64>,
    latest_ms: Option<f64>,
    latest_overshoot_ms: Option<f64>,
}

/// The line of a check.
pub fn report(report: &CheckReport) -> serde_json::Result<String> {
    let (mut problem, mut expected, mut position) = (None, None, None);
    let mut stderr: &[String] = &[];
    let not_run;
    let (status, hint) = match &report.outcome {
        CheckOutcome::Passed(remark) => ("passed", remark.as_deref()),
        CheckOutcome::Failed(finding) => {
            problem = Some(finding.problem.as_str());
            expected = Some(finding.expected.as_str());
            position = finding.fen.as_deref();
            stderr = &finding.stderr;
            ("failed", Some(finding.hint.as_str()))
        }
        CheckOutcome::Skipped(why) => ("skipped", Some(why.as_str())),
        CheckOutcome::NotRun(failed) => {
            not_run = format!("not run, because `{failed}` failed");
            ("skipped", Some(not_run.as_str()))
        }
    };
    let lines = |is_sent: bool| {
        let events = report.events.iter().filter(move |event| event.is_sent == is_sent);
        events.map(line).collect()
    };
    serde_json::to_string(&Object {
        check: report.check.name,
        level: report.check.level.word(),
        status,
        section: report.check.section,
        title: report.check.title,
        sent: lines(true),
        received: lines(false),
        problem,
        expected: expected.or(Some(report.check.title)),
        hint,
        position,
        stderr,
        ms: milliseconds(report.took),
    })
}

/// The last line.
pub fn summary(
    summary: &CheckSummary,
    bot: &str,
    variant: Variant,
    dialect: Dialect,
    is_interrupted: bool,
) -> serde_json::Result<String> {
    let failed = |level| summary.failed_at(level).collect();
    serde_json::to_string(&SummaryObject {
        summary: SummaryFields {
            bot,
            variant: variant.name(),
            proto: dialect.name(),
            fit: summary.is_fit(),
            passed: summary.passed,
            failed: summary.failed.len(),
            skipped: summary.skipped,
            not_run: summary.not_run.len(),
            failed_required: failed(CheckLevel::Required),
            failed_recommended: failed(CheckLevel::Recommended),
            failed_optional: failed(CheckLevel::Optional),
            interrupted: is_interrupted,
            times: times(&summary.times),
        },
    })
}

fn times(times: &Histogram) -> Times {
    Times {
        answers: times.total(),
        up_to_percent: CLASSES,
        counts: times.in_time,
        late: times.late,
        latest_movetime: times.latest.map(|latest| latest.limit),
        latest_ms: times.latest.map(|latest| milliseconds(latest.taken)),
        latest_overshoot_ms: times.latest.map(|latest| milliseconds(latest.overshoot())),
    }
}

fn line(event: &DialogueLine) -> JsonLine<'_> {
    JsonLine {
        ms: milliseconds(event.at),
        line: &event.line,
    }
}

/// Milliseconds with at most three decimals.
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::bots::check::list::CHECKS;
    use crate::bots::check::report::Finding;

    #[test]
    fn object_has_the_documented_fields() {
        let finding = Finding {
            problem: "x exited".into(),
            expected: "`uciok`".into(),
            hint: "flush".into(),
            ..Finding::default()
        };
        let mut failed = CheckReport::not_run(&CHECKS[0].info, "");
        failed.outcome = CheckOutcome::Failed(Box::new(finding));
        failed.took = Duration::from_micros(12_345);
        failed.events = vec![DialogueLine {
            is_sent: true,
            at: Duration::from_millis(2),
            line: "uci".into(),
        }];
        let value: Value = serde_json::from_str(&report(&failed).unwrap()).unwrap();
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
        counted.add(&CheckReport::not_run(&CHECKS[1].info, "handshake"));
        let text = summary(&counted, "x", Variant::Gridlock, Dialect::Ugi, true).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["summary"]["proto"], "ugi");
        assert_eq!(value["summary"]["not_run"], 1);
        assert_eq!(value["summary"]["fit"], true);
        assert_eq!(
            value["summary"]["times"]["up_to_percent"],
            json!([25, 50, 75, 100])
        );
    }
}
