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
            "name": test.name, "status": status(test.is_passed), "score": test.score,
            "message": "", "test_code": "", "filename": "", "line_no": 0, "duration": 0,
        })
    });
    let is_passed = results.tests.iter().all(|test| test.is_passed);
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
    use super::super::facts::MatchFacts;
    use super::super::play::without_games;
    use super::super::points::{Limits, Test};
    use super::super::rubric::Rubric;
    use super::*;

    fn results(output: &str) -> Results {
        let name = "a|b</summary># <b>@x".to_string();
        let test = Test {
            name,
            max_score: 5.0,
            score: 0.0,
            is_passed: false,
            output: output.into(),
        };
        Results {
            tests: vec![test],
            leaderboard: Vec::new(),
        }
    }

    const RUBRIC: &str = "[match]\n[fitness]\npoints = 0\n[[opponent]]\ncmd = 'random'\ngames = 2\npoints = 0.1\n\
        [[opponent]]\ncmd = 'mcts'\ngames = 6\nsteps = [[0.5, 0], [0.6, 0.2]]\n[faults]\npoints = 0\neach = 1\n";

    /// What the services' published specifications say of a field: its type, and its words if they are fixed.
    fn assert_form(table: &Value, form: &[(&str, &str)]) {
        for (key, value) in table.as_object().unwrap() {
            let (_, kind) = form.iter().find(|(name, _)| name == key).expect(key);
            let is_right = match *kind {
                "number" => value.as_f64().is_some_and(|number| number >= 0.0),
                "whole" => value.is_u64(),
                "text" => value.is_string(),
                "object" => value.is_object(),
                "list" => value.is_array(),
                "value" => value.is_number() || value.is_string(),
                words => value
                    .as_str()
                    .is_some_and(|word| words.split('|').any(|known| known == word)),
            };
            assert!(is_right, "{key}: {value} is not {kind}");
        }
    }

    fn assert_gradescope(text: &str) {
        let all: Value = serde_json::from_str(text).unwrap();
        assert_form(
            &all,
            &[
                ("tests", "list"),
                ("leaderboard", "list"),
                ("extra_data", "object"),
                ("execution_time", "number"),
            ],
        );
        for test in all["tests"].as_array().unwrap() {
            let form = [
                ("name", "text"),
                ("score", "number"),
                ("max_score", "number"),
                ("status", "passed|failed"),
                ("output", "text"),
            ];
            assert_form(test, &form);
        }
        for column in all["leaderboard"].as_array().unwrap() {
            assert_form(
                column,
                &[("name", "text"), ("value", "value"), ("order", "asc|desc")],
            );
        }
    }

    fn assert_classroom(text: &str) -> Value {
        let all: Value = serde_json::from_str(text).unwrap();
        assert_form(
            &all,
            &[
                ("version", "whole"),
                ("status", "pass|fail|error"),
                ("max_score", "number"),
                ("tests", "list"),
            ],
        );
        for test in all["tests"].as_array().unwrap() {
            let form = [
                ("name", "text"),
                ("status", "pass|fail|error"),
                ("score", "number"),
                ("message", "text"),
                ("test_code", "text"),
                ("filename", "text"),
                ("line_no", "whole"),
                ("duration", "number"),
            ];
            assert_form(test, &form);
        }
        all
    }

    #[test]
    fn results_have_the_forms_of_the_services() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), RUBRIC).unwrap();
        let rubric = Rubric::read(file.path()).unwrap();
        let games = |opponent: &str, wins, losses| MatchFacts {
            opponent: opponent.into(),
            wins,
            losses,
            ..MatchFacts::default()
        };
        let playing = |passes, matches| Facts {
            passes,
            matches,
            ..Facts::default()
        };
        let refused = without_games(&rubric, "no", "no", "no");
        for (facts, passed, points) in [
            (
                playing(true, vec![games("random", 2, 0), games("mcts", 4, 2)]),
                [true; 4],
                "0.3",
            ),
            (
                playing(false, vec![games("random", 2, 0), games("mcts", 3, 3)]),
                [false, true, false, true],
                "0.1",
            ),
            (refused, [false; 4], "0"),
        ] {
            let results = Results::of(&rubric, &facts, Limits::default());
            assert_gradescope(&gradescope(&results, &facts, Some(3)));
            let all = assert_classroom(&classroom(&results));
            let is_passed = passed == [true; 4];
            assert_eq!(
                (&all["max_score"], &all["status"]),
                (&json!(0.3), &json!(if is_passed { "pass" } else { "fail" }))
            );
            for (test, is_passed) in all["tests"].as_array().unwrap().iter().zip(passed) {
                assert_eq!(test["status"], if is_passed { "pass" } else { "fail" }, "{test}");
            }
            assert_eq!(plain(results.points()), points);
        }
        // Without a test.
        let none = Results {
            tests: Vec::new(),
            leaderboard: Vec::new(),
        };
        let all: Value = serde_json::from_str(&classroom(&none)).unwrap();
        assert_eq!(
            (&all["max_score"], &all["status"], &all["tests"]),
            (&json!(0.0), &json!("pass"), &json!([]))
        );
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
