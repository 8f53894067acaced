//! Reports as text for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use referee_core::game::Ruleset;
use referee_core::io::stderr::excerpt;
use referee_core::io::text::{columns, counted, padded, right_aligned, wrap};
use referee_core::player::Protocol;

use super::report::{
    CLASSES, CheckLevel, CheckOutcome, CheckReport, CheckSummary, DialogueLine, Finding, Times,
};

/// The indentation of the details of a check.
const INDENT: usize = 8;

/// The width of the labels of details.
const LABEL: usize = 10;

/// Most lines of a dialogue that are shown.
const MAX_LINES: usize = 8;

/// The width of the column of times.
const TIME: usize = 10;

/// The longest bar of the histogram.
const BAR: usize = 40;

/// The first line of a report.
pub(crate) fn title(name: &str, game: Ruleset, protocol: Protocol) -> String {
    let protocol = protocol.title();
    format!("Checking {name}: {}, {protocol}", game.info().title)
}

/// A report, as lines of at most `width` columns.
pub(crate) fn report(report: &CheckReport, width: usize) -> String {
    let mark = match report.outcome {
        CheckOutcome::Passed(_) => "ok",
        CheckOutcome::Failed(_) => "FAIL",
        CheckOutcome::Skipped(_) | CheckOutcome::Undecided(_) | CheckOutcome::NotRun(_) => "-",
    };
    let name = padded(report.check.name, 18);
    let title = padded(&report.title, 36);
    let took = right_aligned(&milliseconds(report.took), TIME);
    let line = format!("  {mark:<5} {name} {title} {took}");
    let mut text = line.trim_end().to_string();
    match &report.outcome {
        CheckOutcome::Passed(Some(remark)) => text += &detail("note", remark, width),
        CheckOutcome::Failed(finding) => text += &failure(finding, report, width),
        CheckOutcome::Skipped(why) => text += &detail("skipped", why, width),
        CheckOutcome::Undecided(why) => text += &detail("skipped", &why.to_string(), width),
        CheckOutcome::Passed(None) | CheckOutcome::NotRun(_) => {}
    }
    text
}

/// The details of a failed check.
fn failure(finding: &Finding, report: &CheckReport, width: usize) -> String {
    let section = format!("protocol.md, \"{}\"", report.check.section);
    // Carets below a line of a program say nothing without it.
    let is_text = |line: &&String| line.contains(|sign| !" ^~".contains(sign));
    let stderr: Vec<&String> = finding.stderr.iter().filter(is_text).collect();
    let stderr = excerpt(&stderr, 3).iter().map(|line| ("stderr", *line));
    let position = finding.fen.iter().map(|fen| ("position", fen));
    let advice = [
        ("expected", &finding.expected),
        ("try", &finding.hint),
        ("see", &section),
    ];
    let problem = finding.sentence();
    let problem = [("problem", &problem)].into_iter();
    let details = problem.chain(stderr).chain(position).chain(advice);
    let details = details.map(|(label, text)| detail(label, text, width));
    dialogue(&report.events, width) + &details.collect::<String>()
}

/// A line that begins with a label, and the lines that continue it.
fn detail(label: &str, text: &str, width: usize) -> String {
    let text = wrap(text, width.saturating_sub(INDENT + LABEL));
    let mut lines = String::new();
    for (place, line) in text.lines().enumerate() {
        let label = if place == 0 { label } else { "" };
        let _ = write!(lines, "\n{:INDENT$}{label:<LABEL$}{line}", "");
    }
    lines
}

/// The last lines of a dialogue: the last request, and what came after it.
fn dialogue(events: &[DialogueLine], width: usize) -> String {
    // In each group one line, or all `info` lines in a row.
    let is_info = |event: &DialogueLine| !event.is_sent && event.line.raw().starts_with("info ");
    let groups = from_last_request(events).chunk_by(|one, next| is_info(one) && is_info(next));
    let groups: Vec<&[DialogueLine]> = groups.collect();
    let mut text = String::new();
    for group in last(&groups, MAX_LINES) {
        let event = &group[0];
        let sign = if event.is_sent { '>' } else { '<' };
        let (time, line) = match group.len() {
            count if is_info(event) => {
                let lines = if count == 1 { "line" } else { "lines" };
                (String::new(), format!("({count} {lines} `info`)"))
            }
            _ => {
                let line = event.line.cut(8192).to_string();
                (
                    milliseconds(event.at),
                    elided(&line, width.saturating_sub(INDENT + TIME + 4)),
                )
            }
        };
        let time = right_aligned(&time, TIME - 1);
        let _ = write!(text, "\n{:INDENT$}{sign} {time}  {line}", "");
    }
    text
}

/// The events from the last lines on that were sent together.
fn from_last_request(events: &[DialogueLine]) -> &[DialogueLine] {
    let is_request = |event: &DialogueLine| event.is_sent && !event.line.raw().starts_with('(');
    let Some(last) = events.iter().rposition(is_request) else {
        return events;
    };
    // What the referee sends to find a buffered answer belongs to the request before.
    let before = events.get(..last).unwrap_or_default();
    let answer = before.iter().rposition(|event| !event.is_sent);
    let first = answer.map_or(0, |place| place + 1);
    events.get(first..).unwrap_or_default()
}

/// The beginning and the end of a line that is too wide.
fn elided(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_string();
    }
    let characters: Vec<char> = line.chars().collect();
    let kept = width.saturating_sub(3);
    let text = |characters: &[char]| characters.iter().collect::<String>();
    let head = text(characters.get(..kept - kept / 3).unwrap_or(&characters));
    format!("{head} … {}", text(last(&characters, kept / 3)))
}

fn last<T>(items: &[T], count: usize) -> &[T] {
    items.get(items.len().saturating_sub(count)..).unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// The end of the output: the checks not run, the times and the result.
pub(crate) fn summary(summary: &CheckSummary, name: &str, is_whole: bool, width: usize) -> String {
    let mut parts = Vec::new();
    let causes: BTreeSet<&str> = summary.not_run.iter().map(|(failed, _)| *failed).collect();
    if !causes.is_empty() {
        let lines = causes.iter().map(|cause| wrap(&not_run(summary, cause), width));
        parts.push(lines.collect::<Vec<_>>().join("\n"));
    }
    if summary.times.answers() > 0 {
        parts.push(times(&summary.times, width));
    }
    let counts = [
        (summary.passed, "passed"),
        (summary.failed.len(), "failed"),
        (summary.skipped, "skipped"),
        (summary.not_run.len(), "not run"),
    ];
    let total: usize = counts.iter().map(|(count, _)| count).sum();
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    let checks = if total == 1 { "check" } else { "checks" };
    let mut result = format!("{total} {checks}: {}.", counts.join(", "));
    for level in [
        CheckLevel::Required,
        CheckLevel::Recommended,
        CheckLevel::Optional,
    ] {
        let failed = summary.failed_at(level);
        if !failed.is_empty() {
            let _ = write!(result, "\nFailed, {}: {}.", level.word(), failed.join(", "));
        }
    }
    let end = if !summary.is_fit() {
        format!("{name} is not ready for a match yet.")
    } else if !summary.undecided.is_empty() {
        let undecided = summary.undecided.join(", ");
        format!("No required check failed, but the machine was too busy or too small for {undecided}.")
    } else if is_whole {
        format!("{name} is ready for a match.")
    } else {
        "No required check failed, but some were not run.".to_string()
    };
    parts.push(wrap(&format!("{result}\n{end}"), width));
    parts.join("\n\n")
}

/// How many checks were not run because of a failed one; a few are named.
fn not_run(summary: &CheckSummary, cause: &str) -> String {
    const MAX_NAMES: usize = 6;
    let of_cause = summary.not_run.iter().filter(|(failed, _)| *failed == cause);
    let names: Vec<&str> = of_cause.map(|(_, name)| *name).collect();
    if names.len() <= MAX_NAMES {
        format!("Not run, because `{cause}` failed: {}.", names.join(", "))
    } else {
        format!("Not run, because `{cause}` failed: {} checks.", names.len())
    }
}

/// The histogram of times.
fn times(times: &Times, width: usize) -> String {
    let (answers, late) = (times.answers(), times.late);
    let answers = counted(answers as usize, "answer");
    let mut text = format!("Times of {answers}, as a share of the time for the move");
    let most = times.counts.into_iter().fold(late, u64::max).max(1);
    let bar_width = BAR.min(width.saturating_sub(30)) as u64;
    let classes = CLASSES.map(|percent| format!("up to {percent:>3} %"));
    let rows = classes.iter().map(String::as_str).zip(times.counts);
    for (class, count) in rows.chain([("late", late)]) {
        let bar = "#".repeat((count * bar_width).div_ceil(most) as usize);
        let row = format!("  {class:<11}  {count:>5}  {bar}");
        let _ = write!(text, "\n{}", row.trim_end());
    }
    if let Some(latest) = times.latest {
        let [taken, over] = [latest.taken, latest.overshoot].map(|time| time.as_secs_f64() * 1000.0);
        let note = if latest.is_judged { "" } else { " (not judged)" };
        let limit = latest.limit;
        let _ = write!(
            text,
            "\n  the latest: {taken:.1} ms at {limit} ms a move, {over:.1} ms too late{note}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::check::{CHECKS, select};
    use sentences::expect;

    fn event(is_sent: bool, at: u64, line: &str) -> DialogueLine {
        DialogueLine {
            is_sent,
            at: Duration::from_millis(at),
            line: line.into(),
        }
    }

    fn failed() -> CheckReport {
        let finding = Finding {
            stderr: vec!["warning".into(), "  ^~~".into()],
            ..Finding::new(
                "mybot answered after 453.1 ms, 253.1 ms too late",
                "`bestmove` within 200 ms of `go`",
                "read the clock inside the search, and stop some milliseconds early",
            )
        };
        let check = &select(&["movetime-200".to_string()]).unwrap()[0].info;
        CheckReport {
            took: Duration::from_millis(461),
            events: vec![
                event(true, 0, "isready"),
                event(false, 1, "readyok"),
                event(true, 2, "position startpos"),
                event(true, 2, "go movetime 200"),
                event(false, 9, "info depth 1"),
                event(false, 10, "info depth 2"),
                event(false, 455, "bestmove a8"),
            ],
            ..CheckReport::new(check, Protocol::Uci, CheckOutcome::Failed(Box::new(finding)))
        }
    }

    #[test]
    fn failed_check_shows_the_last_request_and_what_to_try() {
        assert_eq!(
            report(&failed(), 80),
            "  FAIL  movetime-200       answers within `go movetime 200`         461 ms\n\
             \x20       >      2 ms  position startpos\n\
             \x20       >      2 ms  go movetime 200\n\
             \x20       <            (2 lines `info`)\n\
             \x20       <    455 ms  bestmove a8\n\
             \x20       problem   mybot answered after 453.1 ms, 253.1 ms too late\n\
             \x20       stderr    warning\n\
             \x20       expected  `bestmove` within 200 ms of `go`\n\
             \x20       try       read the clock inside the search, and stop some milliseconds\n\
             \x20                 early\n\
             \x20       see       protocol.md, \"Time\""
        );
    }

    #[test]
    fn every_report_fits_80_columns() {
        let mut failed = failed();
        failed.events.push(event(false, 456, &"x".repeat(300)));
        for (check, protocol) in CHECKS
            .iter()
            .flat_map(|check| Protocol::ALL.map(|protocol| (check, protocol)))
        {
            failed = CheckReport {
                events: failed.events,
                ..CheckReport::new(&check.info, protocol, failed.outcome)
            };
            let text = report(&failed, 80);
            assert!(text.lines().all(|line| columns(line) <= 80), "{text}");
        }
    }

    #[test]
    fn wide_lines_keep_their_beginning_and_end() {
        let line = "position startpos moves a8 h8 a7 h7";
        assert_eq!(elided(line, 20), "position sta … a7 h7");
        assert_eq!(elided("short", 20), "short");
    }

    #[test]
    fn summary_names_the_failed_checks() {
        let mut counted = CheckSummary::default();
        let mut required = failed();
        required.check = &CHECKS[0].info;
        counted.add(&required);
        expect![[r#"
            1 check: 1 failed.
            Failed, required: handshake.
            mybot is not ready for a match yet."#]]
        .assert_eq(&summary(&counted, "mybot", true, 80));
        let mut passed = failed();
        passed.outcome = CheckOutcome::Passed(None);
        let mut counted = CheckSummary::default();
        counted.add(&passed);
        let not_run = CheckOutcome::NotRun("handshake");
        counted.add(&CheckReport::new(&CHECKS[2].info, Protocol::Uci, not_run));
        for taken in [40, 150, 201] {
            counted.times.add(200, Duration::from_millis(taken), true);
        }
        expect![[r#"
            Not run, because `handshake` failed: startpos.

            Times of 3 answers, as a share of the time for the move
              up to  25 %      1  ##############################
              up to  50 %      0
              up to  75 %      1  ##############################
              up to 100 %      0
              late             1  ##############################
              the latest: 201.0 ms at 200 ms a move, 1.0 ms too late

            2 checks: 1 passed, 1 not run.
            mybot is ready for a match."#]]
        .assert_eq(&summary(&counted, "mybot", true, 60));
    }
}
