//! Grades one submission, for Gradescope and GitHub Classroom.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use referee_core::failure::Failure;
use referee_core::io::files::{self, Target, no_temporary_folder};
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::{ShowPath, printable};
use referee_core::process::SandboxLevel;
use referee_core::system::files::make_private_folder;

use super::folder::{is_of_system, not_copied, refused, take};
use super::formats;
use super::other_user::OtherUser;
use super::play::{Course, NAME, NoFacts};
use super::points::{Limits, Results};
use super::rubric::Rubric;
use crate::command::verdict;
use crate::config::cli::{GradeArgs, MatchArgs, ResultsFormat, SandboxChoice};
use crate::config::own_files;
use crate::config::submissions;
use crate::feedback::of_copy;

/// Deletes the results of an earlier run, but no other file.
fn remove_old(results: &Path) -> Result<(), String> {
    /// The most bytes of results.
    const MOST: u64 = 64 << 20;
    let is_there = results
        .symlink_metadata()
        .map_or_else(|error| error.kind() != ErrorKind::NotFound, |_| true);
    if is_there {
        let text = files::read(results, MOST)?.unwrap_or_default();
        let known = serde_json::from_slice::<serde_json::Value>(&text);
        let is_ours = known.is_ok_and(|known| known.get("tests").is_some_and(serde_json::Value::is_array));
        if !is_ours && !text.is_empty() {
            return Err(
                "the file exists and has no results of a submission, so it is not overwritten; use a new file"
                    .into(),
            );
        }
    }
    // Nobody else writes it, and it can be written: this is known before the games.
    let target = Target::open_own(results, b"{", "the file exists").map_err(|error| error.to_string())?;
    if is_there {
        fs::remove_file(results).map_err(|error| error.to_string())?;
    }
    drop(target);
    Ok(())
}

/// Grades the submission: in the sandbox, as another user, or, if the rubric says `sandbox = "off"`, as we are.
pub(super) fn grade(
    args: &GradeArgs,
    rubric: &Rubric,
    plan: &MatchArgs,
    results: &Path,
    interrupt: &Arc<Interrupt>,
) -> Result<ExitCode, Failure> {
    let (began, bot) = (Instant::now(), &args.folder);
    // Nothing is left of an earlier run if this one fails.
    let wrong = |why: String| Failure::Usage(format!("--results {}: {why}", results.shown()));
    remove_old(results).map_err(wrong)?;
    if !bot.is_dir() || bot.is_symlink() {
        let link = if bot.is_symlink() {
            ", not a link; copy the files with `cp -rP`"
        } else {
            ""
        };
        return Err(Failure::Usage(format!(
            "{}: expected a submission folder{link}",
            bot.shown()
        )));
    }
    let user = args
        .user
        .as_deref()
        .filter(|_| plan.run.sandbox.sandbox == Some(SandboxChoice::Level(SandboxLevel::Off)));
    let user = user.map(OtherUser::new).transpose()?;
    if let Some(user) = &user {
        let staff = rubric
            .opponents
            .iter()
            .filter_map(|opponent| opponent.settings.cmd.as_deref());
        let staff = staff.filter(|cmd| cmd.contains('/')).map(PathBuf::from);
        let secrets: Vec<PathBuf> = std::iter::once(args.rubric.clone()).chain(staff).collect();
        user.check(&secrets, results)?;
    }
    let course = Course::new(rubric, plan, interrupt)?;
    course.test()?;
    let scratch = tempfile::tempdir().map_err(|error| Failure::Output(no_temporary_folder(&error)))?;
    let facts = facts_of(bot, &course, user.as_ref(), scratch.path());
    if let Some(user) = &user {
        user.end_all(scratch.path());
    }
    let place = scratch.keep();
    // However deep the folders are that a bot has made.
    let _ = std::process::Command::new("rm").arg("-rf").arg(&place).status();
    let facts = match facts {
        Ok(facts) => facts,
        Err(NoFacts::Ended(failure)) => return Err(failure),
        Err(NoFacts::NoGrade(why)) => {
            let why: Vec<String> = why.lines().map(|line| printable(line, usize::MAX)).collect();
            log::error!("no grade, because {}", why.join("\n"));
            return Ok(verdict(false));
        }
    };
    let graded = Results::of(rubric, &facts, Limits::of(plan.run.each.as_ref()));
    let (text, shown) = match args.format {
        ResultsFormat::Gradescope => {
            let name = printable(&bot.file_name().unwrap_or_default().to_string_lossy(), usize::MAX);
            let text = formats::gradescope(&graded, &facts, Some(began.elapsed().as_secs()));
            (text, graded.feedback(&name))
        }
        ResultsFormat::Classroom => (formats::classroom(&graded), formats::markdown(&graded)),
    };
    files::replace(results, &text)
        .map_err(|error| Failure::Output(format!("--results {}: {error}", results.shown())))?;
    super::super::print(&shown)?;
    Ok(verdict(true))
}

fn facts_of(
    bot: &Path,
    course: &Course<'_>,
    user: Option<&OtherUser>,
    scratch: &Path,
) -> Result<super::facts::Facts, NoFacts> {
    let rubric = course.rubric;
    let (copy, games) = (scratch.join("hand-in"), scratch.join("games"));
    let lost =
        |error: std::io::Error| NoFacts::Ended(Failure::Output(format!("{}: {error}", scratch.shown())));
    make_private_folder(&games).map_err(lost)?;
    let near = bot
        .parent()
        .filter(|near| !near.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let problems = own_files::problems(near, &[bot.to_path_buf()], &[]);
    if let Some(problem) = problems.into_iter().flatten().next() {
        return Ok(refused(rubric, &of_copy(&problem.why, bot)));
    }
    if let Err(error) = take(bot, &copy, &|| course.interrupt.go_on()) {
        if let Some(signal) = course.interrupt.caught() {
            return Err(NoFacts::Ended(signal.into()));
        }
        if files::is_full(&error) {
            return Err(lost(error));
        }
        if is_of_system(&error) {
            return Err(NoFacts::NoGrade(not_copied(&error)));
        }
        return Ok(refused(rubric, &error.to_string()));
    }
    let player = match user {
        Some(user) => user.player(&copy, scratch, rubric.wrapper.as_deref())?,
        None => submissions::submission(&copy, Some(NAME), rubric.wrapper.as_deref(), false),
    };
    course.facts_of(player, &copy, &games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_results_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results.json");
        assert_eq!(remove_old(&file), Ok(()));
        for (text, is_removed) in [
            (r#"{"tests": [], "score": 1}"#, true),
            ("", true),
            (r#"{"tests": 1}"#, false),
            ("import referee", false),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(remove_old(&file).is_ok(), is_removed, "{text}");
            assert_eq!(file.exists(), !is_removed, "{text}");
        }
        assert!(remove_old(folder.path()).is_err());
        #[cfg(unix)]
        {
            let device = Path::new("/dev/null");
            assert!(remove_old(device).is_err() && device.exists());
        }
    }
}
