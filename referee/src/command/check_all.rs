//! `referee check DIR`: checks all submissions of a folder.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use lodestone_game::Setup;
use referee_core::failure::Failure;
use referee_core::failure::Stop;
use referee_core::game::Ruleset;
use referee_core::io::files;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::json;
use referee_core::io::text::{ShowPath, columns, counted, padded, printable, wrap};
use referee_core::player::EngineSpec;
use referee_core::results::UnfitPlayer;
use serde_json::json;

use super::in_order;
use crate::bots::check::report::{CheckLevel, CheckOutcome, CheckSummary};
use crate::bots::check::{self, BotSession, Check, Starts, Terms, text};
use crate::config::cli::CheckArgs;
use crate::config::roster;
use crate::config::roster::Contestant;
use crate::config::settings::Settings;
use crate::config::submissions;
use crate::config::with_keys::BookOption;
use crate::matches::{openings, warn_of};
use crate::terminal::progress::Task;

/// The width of the text for a student.
const WIDTH: usize = 80;

/// The widest column of names.
const MAX_NAME: usize = 30;

/// The most characters of a problem in a line.
const MAX_PROBLEM: usize = 160;

/// What was found about a submission.
struct Checked {
    name: String,
    is_fit: bool,
    /// One line without the name.
    line: String,
    /// The text for its author.
    text: String,
    /// The object of `--json`.
    json: String,
}

/// The name of a submission, and how to start it with the limits of its match, or why it cannot be started.
type Submission<'a> = (&'a str, Result<(&'a EngineSpec, Terms), &'a str>);

impl Checked {
    /// A submission that cannot be started.
    fn unusable(name: &str, why: &str, game: Ruleset) -> Checked {
        let name = printable(name, usize::MAX);
        let text = format!(
            "Checking {name}: {}\n\n{name} cannot be started:\n{why}",
            game.info().title
        );
        Checked {
            is_fit: false,
            line: printable(why.lines().next().unwrap_or_default(), usize::MAX),
            text: wrap(&text, WIDTH) + "\n",
            json: json::line(&json!({"summary": {"bot": name, "fit": false, "problem": why}}))
                .unwrap_or_default(),
            name,
        }
    }
}

/// Checks the submissions in a folder, several at a time. Prints a line for each, and writes a text
/// for each with `--out`. Returns whether all are fit for a match.
pub fn run(
    args: &CheckArgs,
    folder: &Path,
    selected: &[&'static Check],
    interrupt: &Arc<Interrupt>,
) -> Result<bool, Failure> {
    let mut each = args.each.clone().unwrap_or_default();
    each.proto = args.proto.or(each.proto);
    let players = submissions::of_folder(folder, args.wrapper.wrapper.as_deref(), false, |_| {});
    let wrong = |why| Failure::Usage(format!("{}: {why}", folder.shown()));
    let (players, unusable) = players.map_err(wrong)?;
    let sandbox = &args.sandbox;
    let players = players.into_iter();
    let players: Vec<Settings> = players
        .map(|player| {
            player
                .or(&each)
                .sandboxed(sandbox.level_alone(), &sandbox.sandbox_read)
        })
        .collect();
    let contestants = roster::resolve_or_skip(&players, args.game.variant)?;
    if let Some(out) = &args.out {
        fs::create_dir_all(out).map_err(|error| output_failure(out, &error))?;
    }
    let total = contestants.len() + unusable.len();
    let task = Task::start("submissions", 0, total as u64);
    let mut submissions: Vec<Submission<'_>> = Vec::new();
    for contestant in &contestants {
        let why = contestant.broken.as_deref().unwrap_or_default();
        let spec = contestant.spec.as_ref().ok_or(why);
        let own = spec.map(|spec| (spec, terms_of(contestant)));
        submissions.push((&contestant.name, own));
    }
    submissions.extend(
        unusable
            .iter()
            .map(|UnfitPlayer { name, why, .. }| (&**name, Err(why.raw()))),
    );
    submissions.sort_by_key(|(name, _)| *name);
    let names = submissions.iter().map(|(name, _)| columns(name));
    let width = names.max().unwrap_or_default().min(MAX_NAME);
    let (mut done, mut fit) = (0, 0);
    let mut first_unfit = None;
    let mut deliver = |checked: Checked| -> Result<(), Failure> {
        fit += usize::from(checked.is_fit);
        if !checked.is_fit && first_unfit.is_none() {
            first_unfit = Some(checked.name.clone());
        }
        done += 1;
        task.set(done);
        let mark = if checked.is_fit { "ok" } else { "FAIL" };
        task.print(&if args.json {
            checked.json
        } else {
            format!("{mark:<5} {}  {}", padded(&checked.name, width), checked.line)
        })?;
        if let Some(out) = &args.out {
            // A submission with a longer name is not checked.
            let name = &checked.name[..checked.name.floor_char_boundary(submissions::MAX_NAME)];
            let path = out.join(format!("{name}.txt"));
            files::replace(&path, &checked.text).map_err(|error| output_failure(&path, &error))?;
        }
        Ok(())
    };
    let slots = args
        .concurrency
        .map_or_else(default_slots, |slots| slots.get() as usize);
    let longest = submissions
        .iter()
        .filter_map(|(_, own)| check::estimate(&own.as_ref().ok()?.1, selected))
        .max();
    if let Some(longest) = longest.filter(|_| !args.json) {
        task.print(&about(longest * total.div_ceil(slots) as u32, WIDTH))?;
    }
    let running = Running::default();
    let (ended, _) = in_order::run(
        total,
        vec![starts(args.game.variant, args.openings.as_ref())?; slots.min(total)],
        |starts, number| match &submissions[number] {
            (name, Ok((spec, terms))) => {
                running.change(&task, |names| names.push(name));
                let checked = check_one(spec, args, starts, terms, selected, interrupt);
                running.change(&task, |names| names.retain(|other| other != name));
                checked
            }
            (name, Err(why)) => Ok(Checked::unusable(name, why, args.game.variant)),
        },
        || interrupt.stop(),
        |_, checked| deliver(checked),
    );
    ended?;
    if !args.json {
        task.print(&end_text(args, folder, (fit, total), first_unfit.as_deref()))?;
    }
    Ok(fit == total)
}

/// How many submissions are fit, and what to do next. `unfit` is the first one that is not.
fn end_text(args: &CheckArgs, folder: &Path, (fit, total): (usize, usize), unfit: Option<&str>) -> String {
    let all = counted(total, "submission");
    let is_whole = args.only.is_empty();
    let result = match total - fit {
        0 if is_whole => format!("{all}, all ready for a match"),
        count if is_whole => format!("{all}: {fit} ready for a match, {count} not"),
        0 => format!("{all}: no required check failed, but some were not run"),
        count => {
            format!(
                "{all}: {count} not ready for a match; for the others, some required checks were \
                 not run"
            )
        }
    };
    let next = match (unfit, &args.out) {
        (None, _) if !is_whole => return result,
        (None, _) => format!("`referee match --engines {}` lets them play.", folder.shown()),
        (Some(name), Some(out)) => {
            let report = out.join(format!("{name}.txt"));
            format!("send the authors their reports, such as {}.", report.shown())
        }
        (Some(_), None) => "check again with `--out FOLDER`, which writes a report for each author.".into(),
    };
    format!("{result}\n{}", wrap(&format!("Next: {next}"), WIDTH))
}

/// The submissions that are being checked.
#[derive(Default)]
struct Running<'a>(Mutex<Vec<&'a str>>);

impl<'a> Running<'a> {
    /// Changes them, and names them beside the progress.
    fn change(&self, task: &Task, change: impl FnOnce(&mut Vec<&'a str>)) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut names);
        task.set_detail(
            names
                .iter()
                .map(|name| printable(name, MAX_NAME))
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
}

/// Where the games of a match begin.
pub(super) fn starts(game: Ruleset, option: Option<&BookOption>) -> Result<Starts, Failure> {
    /// The default of `match`.
    const SEED: u64 = 1;
    if option.is_none() && !game.has_random_start() {
        return Ok(Starts::of(game));
    }
    let mut openings = openings(game, option, Setup::default(), SEED)?;
    warn_of(&openings);
    Starts::of_match(game, &mut openings).map_err(|error| error.failure("--openings"))
}

/// The match for which a player is checked.
pub fn terms_of(player: &Contestant) -> Terms {
    Terms::new(player.control.clone(), player.has_limits(), player.is_adapted())
}

/// How long checks take in which a bot uses its time up.
pub fn about(all: Duration, width: usize) -> String {
    let minutes = all.as_secs().div_ceil(60);
    let minutes = if minutes == 1 {
        "a minute".into()
    } else {
        format!("{minutes} minutes")
    };
    let text = format!("With these limits, this takes about {minutes} if a bot always uses all its time.");
    wrap(&text, width)
}

/// Half of the processors: checks measure times, so each bot should have one for itself.
fn default_slots() -> usize {
    available_parallelism().map_or(1, |count| count.get() / 2).max(1)
}

fn output_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("--out {}: {error}", path.shown()))
}

/// Checks one submission.
fn check_one(
    spec: &EngineSpec,
    args: &CheckArgs,
    starts: &Starts,
    terms: &Terms,
    selected: &[&'static Check],
    interrupt: &Arc<Interrupt>,
) -> Result<Checked, Failure> {
    let (name, game) = (spec.name.clone(), args.game.variant);
    let protocol = spec.protocol;
    let mut text = text::title(&name, game, protocol);
    let mut session = BotSession::new(
        spec.clone(),
        starts.clone(),
        Arc::clone(interrupt),
        Rc::new(Task::hidden()),
        terms.clone(),
    );
    let (summary, stopped) = check::run(&mut session, selected, |report| {
        if !matches!(report.outcome, CheckOutcome::NotRun(_)) {
            let _ = write!(text, "\n{}", text::report(report, WIDTH));
        }
        Ok(())
    });
    session.end();
    if let Some(stop) = stopped {
        return Err(Stop::into(stop));
    }
    let _ = write!(
        text,
        "\n\n{}\n",
        text::summary(&summary, &name, args.only.is_empty(), WIDTH)
    );
    Ok(Checked {
        is_fit: summary.is_fit(),
        line: line(&summary),
        json: json::line(&summary.json(&name, game, protocol, false)).unwrap_or_default(),
        text,
        name,
    })
}

/// The result of all checks of a submission in a line.
fn line(summary: &CheckSummary) -> String {
    let levels = [
        CheckLevel::Required,
        CheckLevel::Recommended,
        CheckLevel::Optional,
    ];
    let failed = levels.map(|level| (level, summary.failed_at(level)));
    let failed = failed.iter().filter(|(_, names)| !names.is_empty());
    // A bot that is ready has failed nothing that counts.
    let word = if summary.is_fit() {
        "ready, but see"
    } else {
        "failed,"
    };
    let failed: Vec<String> = failed
        .map(|(level, names)| format!("{word} {}: {}", level.word(), names.join(", ")))
        .collect();
    if failed.is_empty() {
        return format!("{} passed", counted(summary.passed, "check"));
    }
    let problem = summary.problem.as_ref().map(|finding| {
        let problem = printable(&finding.beside_name(), MAX_PROBLEM);
        format!("; first: {problem}")
    });
    failed.join("; ") + &problem.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::check::report::Finding;
    use sentences::expect;

    #[test]
    fn a_sentence_that_begins_with_the_name_of_a_bot_stays_whole() {
        let line = |finding| {
            line(&CheckSummary {
                failed: vec![(CheckLevel::Required, "whole-game")],
                problem: Some(Box::new(finding)),
                ..CheckSummary::default()
            })
        };
        let place = Finding::new("game 1, at move 3: game wrote `x`", "", "");
        expect! {"failed, required: whole-game; first: game 1, at move 3: game wrote `x`"}
            .assert_eq(&line(place));
        let about = Finding::of("game", "wrote `x`", "", "");
        expect! {"failed, required: whole-game; first: wrote `x`"}.assert_eq(&line(about));
    }
}
