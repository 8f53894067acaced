//! The files of results, in the forms of the services.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::facts::Facts;
use super::points::{Results, plain};

/// The most characters of a text in a page of GitHub, which may have 1 MiB.
const LONGEST: usize = 20_000;

/// The results as Gradescope reads them: <https://gradescope-autograders.readthedocs.io/en/latest/specs/>.
pub(super) fn gradescope(results: &Results, facts: &Facts, seconds: Option<u64>) -> String {
    let mut all = json!({
        "tests": results.tests,
        "leaderboard": results.leaderboard,
        "extra_data": facts,
    });
    if let (Some(seconds), Value::Object(fields)) = (seconds, &mut all) {
        fields.insert("execution_time".into(), seconds.into());
    }
    pretty(&all)
}

/// The results as the reporter of GitHub Classroom reads them:
/// <https://github.com/classroom-resources/autograding-grading-reporter>.
pub(super) fn classroom(results: &Results) -> String {
    let status = |is_passed: bool| if is_passed { "pass" } else { "fail" };
    let tests = results.tests.iter().map(|test| {
        json!({
            "name": test.name, "status": status(test.score >= test.max_score), "score": test.score,
            "message": "", "test_code": "", "filename": "", "line_no": 0, "duration": 0,
        })
    });
    let is_passed = results.tests.iter().all(|test| test.score >= test.max_score);
    pretty(&json!({
        "version": 1,
        "status": status(is_passed),
        "max_score": results.most(),
        "tests": tests.collect::<Vec<Value>>(),
    }))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// The feedback as Markdown, whatever a bot has written.
pub(super) fn markdown(results: &Results) -> String {
    let mut text = format!(
        "### {} of {} points\n\n| | points | of |\n|---|---:|---:|\n",
        plain(results.points()),
        plain(results.most())
    );
    for test in &results.tests {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            word(&test.name),
            plain(test.score),
            plain(test.max_score)
        );
    }
    for test in &results.tests {
        let output: String = test.output.chars().take(LONGEST).collect();
        let output = output.replace('\r', "\n");
        let longest = output
            .split(|sign| sign != '`')
            .map(str::len)
            .max()
            .unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let _ = writeln!(
            text,
            "\n<details><summary>{}</summary>\n\n{fence}text\n{}\n{fence}\n\n</details>",
            word(&test.name),
            output.trim_end()
        );
    }
    text
}

/// A text in a line of Markdown or HTML, without a meaning for either.
fn word(text: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || " ()%.,-".contains(sign);
    text.chars()
        .map(|sign| {
            if is_plain(sign) {
                sign.to_string()
            } else {
                format!("&#{};", u32::from(sign))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::points::Test;
    use super::*;

    fn results(output: &str) -> Results {
        let name = "a|b</summary># <b>@x".to_string();
        let test = Test {
            name,
            max_score: 5.0,
            score: 0.0,
            output: output.into(),
        };
        Results {
            tests: vec![test],
            leaderboard: Vec::new(),
        }
    }

    #[test]
    fn nothing_that_a_bot_writes_is_markdown() {
        let hostile = "```\n</details>\n# 50 of 50\n````````\r```\n| a | b |";
        let text = markdown(&results(hostile));
        assert!(
            text.contains("| a&#124;b&#60;&#47;summary&#62;&#35; &#60;b&#62;&#64;x | 0 | 5 |"),
            "{text}"
        );
        let inside = hostile.replace('\r', "\n");
        let fence = "`".repeat(9);
        assert!(
            text.contains(&format!("\n{fence}text\n{inside}\n{fence}\n")),
            "{text}"
        );
        assert!(markdown(&results(&"x".repeat(1 << 21))).len() < 1 << 16);
    }
}
