//! Points for facts: pure functions of a rubric and of what was measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use referee_core::game::clock::TimeControl;
use referee_core::io::text::wrap;
use referee_core::player::verdict::FaultKind;
use serde::Serialize;

use super::facts::{Facts, MatchFacts};
use super::rubric::{Opponent, Rubric, Scale};
use crate::feedback::COMMAND;

/// The width of the text for a student.
const WIDTH: usize = 88;

/// The most digits after the point of a percentage.
const MOST_DIGITS: usize = 9;

/// What a part of the rubric is worth. Its fields are those of Gradescope.
#[derive(Debug, Serialize)]
pub(super) struct Test {
    pub name: String,
    pub max_score: f64,
    pub score: f64,
    /// Whether it is passed, also where it is worth no points.
    #[serde(rename = "status", serialize_with = "status")]
    pub is_passed: bool,
    pub output: String,
}

/// The word of Gradescope for a test, which by default counts as passed if it has all points, be it none.
#[allow(clippy::trivially_copy_pass_by_ref)] // required by serde
fn status<S: serde::Serializer>(is_passed: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *is_passed { "passed" } else { "failed" })
}

/// A column of the leaderboard of Gradescope, and of grades.csv.
#[derive(Debug, Serialize)]
pub(super) struct Leader {
    pub name: &'static str,
    pub value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<&'static str>,
}

/// A number, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Value {
    Number(f64),
    /// Of a bot that did not play: no number is better.
    None(&'static str),
}

/// The points of a submission, in the form of Gradescope.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    pub tests: Vec<Test>,
    pub leaderboard: Vec<Leader>,
}

/// What stands for a number of a bot that did not play.
const UNMEASURED: Value = Value::None("-");

/// What all texts need of a player's limits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// The seconds for a move, if each has the same.
    pub st: Option<f64>,
    /// What more is tolerated, in milliseconds.
    pub margin: Option<u128>,
}

impl Limits {
    pub fn of(each: Option<&crate::config::settings::Settings>) -> Limits {
        let st = match each.and_then(|each| each.time) {
            Some(TimeControl::Move(time)) => Some(time.as_secs_f64()),
            _ => None,
        };
        let margin = each.and_then(|each| each.margin).map(|margin| margin.as_millis());
        Limits {
            st,
            margin: margin.filter(|_| st.is_some()),
        }
    }
}

/// A line of the text for a student. A command stays on one line, to be copied.
fn wrapped(line: &str) -> String {
    if line.starts_with(COMMAND) {
        line.into()
    } else {
        wrap(line, WIDTH)
    }
}

/// A number rounded to two digits.
fn cents(number: f64) -> f64 {
    (number * 100.0).round_ties_even() / 100.0
}

/// A number of points as people write it.
pub(super) fn plain(points: f64) -> String {
    format!("{}", cents(points))
}

/// A share in percent, with as many digits as tell it from the others.
fn percent(share: f64, others: &[f64]) -> String {
    let digits = |digits: usize, share: f64| format!("{:.digits$}", 100.0 * share);
    let tells = |count: &usize| {
        let text = digits(*count, share);
        let is_exact = text
            .parse::<f64>()
            .is_ok_and(|value| (value / 100.0 - share).abs() < 1e-12);
        is_exact
            || *count > 0
                && others
                    .iter()
                    .all(|other| (other - share).abs() < 1e-12 || digits(*count, *other) != text)
    };
    let count = (0..=MOST_DIGITS).find(tells).unwrap_or(MOST_DIGITS);
    digits(count, share) + "%"
}

/// The share of the points of all games.
fn share(opponent: &Opponent, facts: &MatchFacts) -> f64 {
    facts.points() / opponent.games as f64
}

/// The test for the games against an opponent.
fn against(opponent: &Opponent, facts: &MatchFacts) -> Test {
    let won = share(opponent, facts);
    let (score, need) = match &opponent.scale {
        Scale::Steps(steps) => {
            let reached = steps.iter().filter(|step| won >= step[0]);
            let score = reached.map(|step| step[1]).fold(0.0, f64::max);
            let need = steps.iter().map(|[least, points]| {
                format!("{} for at least {}", plain(*points), percent(*least, &[won]))
            });
            (score, need.collect::<Vec<_>>().join(", "))
        }
        Scale::Full { points, full } => {
            let least = if *full < 1.0 { "at least " } else { "" };
            let need = format!(
                "{} for {least}{}, in proportion for less",
                plain(*points),
                percent(*full, &[won])
            );
            (cents(points * (won / full).min(1.0)), need)
        }
    };
    let limits: Vec<f64> = match &opponent.scale {
        Scale::Steps(steps) => steps.iter().map(|step| step[0]).collect(),
        Scale::Full { full, .. } => vec![*full],
    };
    let mut output = facts.problem.clone().unwrap_or_else(|| {
        let MatchFacts { wins, ties, losses, lost_by_fault, .. } = facts;
        let faults = match lost_by_fault {
            0 => String::new(),
            count => format!(" ({count} by a fault)"),
        };
        let won = percent(won, &limits);
        format!("Games of your bot: {wins} won, {ties} drawn, {losses} lost{faults}: {won} of the points of the games.\n")
    });
    let _ = writeln!(output, "Points for this test: {need}.");
    Test {
        name: format!("Against {}", opponent.name),
        max_score: opponent.scale.most(),
        score,
        is_passed: won >= opponent.scale.share_of_most(),
        output,
    }
}

/// The test for games without a fault, and the number of faults.
fn without_fault(rubric: &Rubric, facts: &Facts, limits: Limits) -> (Test, u64) {
    let mut kinds: BTreeMap<FaultKind, (u64, String)> = BTreeMap::new();
    for (opponent, found) in rubric.opponents.iter().zip(&facts.matches) {
        for (kind, faults) in &found.faults {
            let entry = kinds
                .entry(*kind)
                .or_insert_with(|| (0, format!("Against {}, {}", opponent.name, faults.first)));
            entry.0 += faults.count;
        }
    }
    let total: u64 = kinds.values().map(|(count, _)| count).sum();
    let parts = kinds
        .iter()
        .map(|(kind, (count, text))| format!("{count} × {kind}: {}\n{text}", kind.about().advice));
    let mut parts: Vec<String> = parts.collect();
    let mut score = cents(rubric.without_fault - rubric.each_fault * total as f64).max(0.0);
    let games: u64 = rubric.opponents.iter().map(|opponent| opponent.games).sum();
    let has_all = facts.matches.iter().all(|found| found.problem.is_none());
    let only_resigned = facts.matches.iter().all(|found| found.only_resigned);
    if facts.matches.iter().map(|found| found.lost_by_fault).sum::<u64>() == games {
        score = 0.0;
    }
    if !has_all {
        score = 0.0;
        parts.push("Your bot has not played all its games.\n".into());
    } else if only_resigned {
        score = 0.0;
        parts = vec!["Your bot has made no move: it resigned all its games at once.\n".into()];
    } else if total == 0 {
        parts = vec!["No fault.\n".into()];
    }
    let slowest = longest(facts);
    if slowest > 0.0 {
        let open = if kinds.contains_key(&FaultKind::Stall) {
            ", or more where no answer came"
        } else {
            ""
        };
        let mut allowed = limits
            .st
            .map_or(String::new(), |st| format!("; the limit is {st} s"));
        if let Some(margin) = limits.margin {
            let _ = write!(allowed, ", and {margin} ms more");
        }
        parts.push(format!(
            "Slowest move: {:.3} s{open}{allowed}.\n",
            slowest / 1000.0
        ));
    }
    let is_passed = total == 0 && has_all && !only_resigned;
    let (most, each) = (plain(rubric.without_fault), plain(rubric.each_fault));
    let mut output = parts.join("\n");
    let _ = writeln!(
        output,
        "Points for this test: {most}, minus {each} per fault; 0 if all games are lost by faults or resigned without a move."
    );
    let test = Test {
        name: "Games without a fault".into(),
        max_score: rubric.without_fault,
        score,
        is_passed,
        output,
    };
    (test, total)
}

/// The time of the longest move, in milliseconds.
fn longest(facts: &Facts) -> f64 {
    facts
        .matches
        .iter()
        .map(|found| found.longest_ms)
        .fold(0.0, f64::max)
}

impl Results {
    /// The points for these facts.
    pub fn of(rubric: &Rubric, facts: &Facts, limits: Limits) -> Results {
        let mut tests = vec![Test {
            name: "Plays by the rules (referee check)".into(),
            max_score: rubric.fitness,
            score: if facts.passes { rubric.fitness } else { 0.0 },
            is_passed: facts.passes,
            output: facts.report.clone(),
        }];
        let opponents = rubric.opponents.iter().zip(&facts.matches);
        tests.extend(opponents.map(|(opponent, found)| against(opponent, found)));
        let (last, faults) = without_fault(rubric, facts, limits);
        tests.push(last);
        let won: f64 = facts.matches.iter().map(MatchFacts::points).sum();
        let games: u64 = rubric.opponents.iter().map(|opponent| opponent.games).sum();
        let points = cents(tests.iter().map(|test| test.score).sum());
        let has_played = facts.matches.iter().any(|found| found.problem.is_none());
        let measured = |value: f64| {
            if has_played {
                Value::Number(value)
            } else {
                UNMEASURED
            }
        };
        let slowest = Some(longest(facts).round()).filter(|slowest| *slowest > 0.0);
        let leader = |name, value, order| Leader { name, value, order };
        let leaderboard = vec![
            leader("Points", Value::Number(points), None),
            leader(
                "Won (%)",
                Value::Number((1000.0 * won / games as f64).round() / 10.0),
                None,
            ),
            leader("Faults", measured(faults as f64), Some("asc")),
            leader(
                "Slowest move (ms)",
                slowest.map_or(UNMEASURED, Value::Number),
                Some("asc"),
            ),
        ];
        Results { tests, leaderboard }
    }

    pub fn points(&self) -> f64 {
        cents(self.tests.iter().map(|test| test.score).sum())
    }

    /// The most points.
    pub fn most(&self) -> f64 {
        cents(self.tests.iter().map(|test| test.max_score).sum())
    }

    /// The text for a student.
    pub fn feedback(&self, name: &str) -> String {
        let mut text = format!(
            "{name}: {} of {} points\n\n",
            plain(self.points()),
            plain(self.most())
        );
        for test in &self.tests {
            let (score, most) = (plain(test.score), plain(test.max_score));
            let _ = writeln!(text, "{score:>6} of {most:>3}  {}", test.name);
        }
        for test in &self.tests {
            let line = "-".repeat(test.name.chars().count());
            let output = test
                .output
                .trim_end()
                .lines()
                .map(wrapped)
                .collect::<Vec<_>>()
                .join("\n");
            let _ = write!(text, "\n\n{}\n{line}\n{output}\n", test.name);
        }
        text
    }

    /// The row of grades.csv: headings and cells.
    pub fn row(&self, rubric: &Rubric, name: &str, facts: &Facts) -> Vec<(String, String)> {
        let mut row = vec![("Name".to_string(), crate::report::cells::safe_name(name))];
        let leaders = self.leaderboard.iter().map(|leader| {
            let value = match leader.value {
                Value::Number(value) => plain(value),
                Value::None(_) => String::new(),
            };
            (leader.name.to_string(), value)
        });
        row.extend(leaders);
        row.extend(
            self.tests
                .iter()
                .map(|test| (test.name.clone(), plain(test.score))),
        );
        row.extend(
            rubric
                .opponents
                .iter()
                .zip(&facts.matches)
                .map(|(opponent, found)| {
                    let share = (1000.0 * share(opponent, found)).round() / 10.0;
                    (format!("Won against {} (%)", opponent.name), plain(share))
                }),
        );
        row
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::Faults;
    use super::*;

    const RUBRIC: &str = "[match]\n[fitness]\npoints = 0\n[[opponent]]\ncmd = 'random'\ngames = 4\npoints = 10\n\
        [[opponent]]\ncmd = 'mcts'\ngames = 4\npoints = 10\nfull = 0.5\n[faults]\npoints = 10\neach = 1\n";

    fn opponent(games: u64, scale: Scale) -> Opponent {
        Opponent {
            name: "staff".into(),
            settings: crate::config::settings::Settings::default(),
            games,
            scale,
        }
    }

    fn facts(wins: u64, ties: u64, losses: u64) -> MatchFacts {
        MatchFacts {
            wins,
            ties,
            losses,
            ..MatchFacts::default()
        }
    }

    #[test]
    fn a_share_is_never_rounded_to_the_one_that_is_needed() {
        let steps = Scale::Steps(vec![[0.5, 4.0], [0.67, 10.0]]);
        let test = against(&opponent(6, steps), &facts(4, 0, 2));
        assert_eq!(plain(test.score), "4");
        assert!(
            test.output.contains("66.7% of the points of the games"),
            "{}",
            test.output
        );
        assert!(
            test.output.contains("4 for at least 50%, 10 for at least 67%"),
            "{}",
            test.output
        );
        for (share, others, text) in [
            (0.5, &[0.5][..], "50%"),
            (2.0 / 3.0, &[0.667], "66.67%"),
            (1.0 / 3.0, &[], "33.3%"),
            (1.0, &[0.9], "100%"),
            (0.615, &[0.62], "61.5%"),
        ] {
            assert_eq!(percent(share, others), text);
        }
    }

    #[test]
    fn the_share_that_is_needed_is_enough() {
        let steps = Scale::Steps(vec![[0.4, 5.0], [0.7, 10.0]]);
        let full = Scale::Full {
            points: 10.0,
            full: 0.7,
        };
        for (wins, ties, points) in [
            (3, 1, ["0", "5"]),
            (4, 0, ["5", "5.71"]),
            (6, 1, ["5", "9.29"]),
            (7, 0, ["10", "10"]),
        ] {
            for (scale, points) in [&steps, &full].into_iter().zip(points) {
                let test = against(&opponent(10, scale.clone()), &facts(wins, ties, 10 - wins - ties));
                assert_eq!(
                    (plain(test.score).as_str(), test.is_passed),
                    (points, wins == 7),
                    "{wins} wins: {}",
                    test.output
                );
            }
        }
    }

    fn faulty(count: u64, losses: u64) -> MatchFacts {
        let faults = Faults {
            count,
            first: "game 1\n".into(),
        };
        MatchFacts {
            lost_by_fault: losses,
            faults: BTreeMap::from([(FaultKind::Time, faults)]),
            ..facts(4 - losses, 0, losses)
        }
    }

    #[test]
    fn all_opponents_count() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), RUBRIC).unwrap();
        let rubric = Rubric::read(file.path()).unwrap();
        let resigned = MatchFacts {
            only_resigned: true,
            ..facts(0, 0, 4)
        };
        for (first, second, row, last) in [
            (
                facts(4, 0, 0),
                facts(1, 1, 2),
                "68.8 0 100 37.5",
                ("10", "No fault."),
            ),
            (faulty(1, 1), faulty(2, 1), "75 3 75 75", ("7", "3 × time: ")),
            (faulty(1, 1), faulty(10, 2), "62.5 11 75 50", ("0", "11 × time: ")),
            (faulty(4, 4), faulty(4, 4), "0 8 0 0", ("0", "8 × time: ")),
            (resigned.clone(), facts(0, 0, 4), "0 0 0 0", ("10", "No fault.")),
            (
                resigned.clone(),
                resigned,
                "0 0 0 0",
                ("0", "it resigned all its games"),
            ),
            (
                facts(4, 0, 0),
                MatchFacts::unplayed("staff", "no"),
                "50 0 100 0",
                ("0", "has not played all its games"),
            ),
        ] {
            let facts = Facts {
                matches: vec![first, second],
                ..Facts::default()
            };
            let results = Results::of(&rubric, &facts, Limits::default());
            let cells = results.row(&rubric, "ann", &facts);
            let cell = |from: usize| cells[from].1.as_str();
            let count = cells.len();
            let numbers = [2, 3, count - 2, count - 1].map(cell).join(" ");
            let test = results.tests.last().unwrap();
            assert_eq!(
                (numbers.as_str(), plain(test.score).as_str()),
                (row, last.0),
                "{cells:?}"
            );
            assert!(test.output.contains(last.1), "{}", test.output);
            assert_eq!(test.is_passed, last.0 == "10", "{}", test.output);
        }
    }

    #[test]
    fn points_are_in_proportion() {
        let points = |games, full, found: &MatchFacts| {
            plain(against(&opponent(games, Scale::Full { points: 15.0, full }), found).score)
        };
        assert_eq!(points(10, 0.9, &facts(8, 0, 2)), "13.33");
        assert_eq!(points(10, 0.9, &facts(9, 0, 1)), "15");
        assert_eq!(points(2, 1.0, &facts(0, 1, 1)), "3.75");
        assert_eq!(points(2, 1.0, &MatchFacts::unplayed("staff", "no")), "0");
    }
}
