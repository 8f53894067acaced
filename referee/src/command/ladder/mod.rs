//! `referee ladder`: rates submissions that change, in runs that go on where the last one ended.
//!
//! * This file: one run, from the folder to the files.
//! * [`feedback`]: the texts of `--feedback`; [`analyses`]: what they keep; [`files`]: all other files.
//! * [`starts`]: the starts before the games; [`parts`]: the parts of a round that several machines play.

mod analyses;
mod feedback;
mod files;
mod parts;
mod starts;

use std::cell::Cell;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_core::failure::Failure;
use referee_core::io::files::temporary_folder_hint;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text::printable;
use referee_core::io::text::{ShowPath, counted};
use referee_core::io::untrusted::Untrusted;
use referee_core::process::{SandboxLevel, sandbox_ability};
use referee_core::results::{LockedFile, UnfitPlayer};
use referee_core::schedule::openings::Openings;
use referee_core::tournament::Tournament;

use self::files::result_file;
use self::starts::Tried;
use crate::command::runs;
use crate::config::cli::{LadderArgs, SandboxChoice};
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::config::versions::{self, Version};
use crate::matches::display::{self, Event, MatchDisplay};
use crate::matches::ladder_plan::{LadderPlayers, Past, check_options, default_openings, stages};
use crate::matches::limit::EndOfRun;
use crate::matches::plan::{level_in, named, openings_of, sandboxed};
use crate::matches::{MatchEnd, MatchPlan, Outputs, play};
use crate::report::{Summary, csv, table};
use crate::terminal;
use crate::terminal::progress::Task;

/// The most reasons why submissions do not play that have a warning, and the most names in one.
const MOST_WARNINGS: usize = 20;
const MOST_NAMES: usize = 10;

/// Plays one run, and writes the standings.
pub fn run(mut args: LadderArgs) -> Result<(), Failure> {
    args.run.sandbox.sandbox.get_or_insert(SandboxChoice::Strongest);
    let level = args.run.sandbox.level(|| level_in(args.run.out.as_deref()?));
    if let Some(level) = level.filter(|level| *level != SandboxLevel::Off) {
        sandbox_ability(level).map_err(|refusal| {
            let hint =
                "A ladder runs the submissions in a sandbox; with `--sandbox=off` it runs them without";
            Failure::Usage(format!("{refusal}{}. {hint}", temporary_folder_hint()))
        })?;
    }
    let rules = args.run.game.variant;
    args.run.openings = args.run.openings.take().or_else(|| default_openings(rules));
    let log = args.run.log.take();
    runs::with_log(log.as_ref(), || match args.shard {
        Some(shard) => parts::play_part(&mut args, shard),
        None => play_run(&args),
    })
}

fn play_run(args: &LadderArgs) -> Result<(), Failure> {
    let out = result_file(args)?;
    let interrupt = runs::install(&args.run)?;
    let end_of_run = EndOfRun::new(args.hours, args.until)?;
    let grades = |path| runs::table_file(path, csv::GRADES_BEGINNING, "it has no standings of a ladder");
    let grades = args.csv.as_deref().map(grades).transpose()?;
    let feedback = args
        .feedback
        .as_deref()
        .map(|folder| feedback::open(folder, args));
    let feedback = feedback.transpose()?;
    let outputs = Outputs::of_ladder(&args.run)?;
    let usage = |error: &dyn std::fmt::Display| Failure::Usage(format!("--out {}: {error}", out.shown()));
    // Until the end: another run must not change the copies of the submissions.
    let locked = LockedFile::open(out).map_err(|error| usage(&error))?;
    let reading = Instant::now();
    let (mut past, mut read) = Past::open(locked, out)?;
    let reading = reading.elapsed();
    if let Some(past) = &mut past {
        read = parts::collect(out, past, read)?;
    }
    let openings = openings_of(&args.run)?;
    let players = players(args, out, past.as_ref(), &openings, end_of_run, &interrupt)?;
    let unfit = players.unfit.clone();
    let playing = players.playing();
    if playing.len() < 2 {
        let why = unfit
            .iter()
            .map(|unfit| format!("\n  {}: {}", unfit.name, unfit.beside_name()));
        let count = playing.len();
        feedback.map_or(Ok(()), |folder| feedback::write_unfit(args, &folder, &unfit))?;
        return Err(Failure::Start(format!(
            "a ladder needs at least two players that start; found {count}{}",
            why.collect::<String>()
        )));
    }
    let counts = |tournament: &Tournament| {
        [
            tournament.standings.games(),
            tournament.standings.distinct_games(),
        ]
    };
    let before = past.as_ref().filter(|_| feedback.is_some());
    let before = before.map(|past| feedback::Before::of(&past.tournament));
    let [games, distinct] = past.as_ref().map_or([0; 2], |past| counts(&past.tournament));
    let closing = closing(args, playing.len(), reading, end_of_run);
    let stages = stages(past.as_ref().map(|past| &past.tournament), playing);
    let mut plan = MatchPlan::of_ladder(args, players, openings, stages, past, end_of_run)?;
    plan.limit.closing = closing;
    plan.read = Some(read);
    let mut end = play(plan, outputs, &interrupt)?;
    let summary = summary(&mut end);
    if summary.games > games && summary.distinct_games == distinct {
        log::warn!(
            "all games of this run repeat earlier games move by move, so the ratings do not change; start a \
             new ladder with other --openings, such as `random:4`"
        );
    }
    let saved = grades.map_or(Ok(()), |file| {
        runs::write_table(&file, &csv::grades(&end.header, &summary))
    });
    let told = feedback.map_or(Ok(()), |folder| {
        let (tournament, _) = end.state.shown();
        feedback::write(
            args,
            &folder,
            out,
            (&end.header, &summary, tournament),
            before,
            end_of_run,
            &interrupt,
        )
    });
    print_summary(args, out, &summary, &mut end)?;
    for later in [&saved, &told] {
        if let (Err(_), Err(failure)) = (&end.result, later) {
            log::error!("{failure}");
        }
    }
    end.result.and(saved).and(told)
}

/// How often the file is read again after the last game, or a table of all players made: at most for the page, the
/// table, the grade book and the texts.
const READINGS: u32 = 4;

/// The most of the time that is left for the analyses after the last game.
const ANALYSES: u32 = 10;

/// The time to keep for what a run writes after its last game.
fn closing(args: &LadderArgs, players: usize, reading: Duration, end: EndOfRun) -> Duration {
    let slots = args.run.concurrency.get() as u32;
    let analyses = args.feedback.as_ref().zip(end.left()).map(|(_, left)| {
        let all = feedback::ANALYSIS_OF_GAME
            * args.reviews.get() as u32
            * u32::try_from(players).unwrap_or(u32::MAX)
            / slots;
        all.min(left / ANALYSES)
    });
    reading * READINGS + analyses.unwrap_or_default()
}

/// Takes the submissions, tries to start those that are not known to start, and arranges all players as
/// in the file.
fn players(
    args: &LadderArgs,
    out: &Path,
    past: Option<&Past>,
    openings: &Openings,
    end: EndOfRun,
    interrupt: &Arc<Interrupt>,
) -> Result<LadderPlayers, Failure> {
    let run = &args.run;
    let tried = Tried::new(past, args);
    let ladder = past;
    let past = past.map_or(&[][..], |past| &past.header.engines);
    let copies = files::copies(out);
    let each = run.each.clone().unwrap_or_default();
    let beside: Vec<Settings> = named(run)
        .into_iter()
        .map(|settings| settings.or(&each))
        .collect();
    let taken = roster::resolve_or_skip(&beside, run.game.variant)?.into_iter();
    let taken: Vec<String> = taken.map(|contestant| contestant.name).collect();
    let task = Task::unless(run.quiet, "files of submissions", 0);
    let read = Cell::new(0);
    let stop = || {
        read.set(read.get() + 1);
        task.set(read.get());
        interrupt.go_on()
    };
    let taking = versions::take(
        &args.folder,
        &copies,
        past,
        (&taken, &args.only),
        args.wrapper.wrapper.as_deref(),
        &stop,
    );
    drop(task);
    let (versions, mut unfit) = interrupt.caught().map_or(taking, |signal| Err(signal.into()))?;
    let own = versions.iter().map(|version| version.settings.clone().or(&each));
    let settings: Vec<Settings> = sandboxed(run, beside.into_iter().chain(own))?;
    let contestants = roster::resolve_or_skip(&settings, run.game.variant)?;
    if contestants.iter().any(Contestant::is_person) {
        return Err(Failure::Usage(
            "a ladder is for programs; to play yourself, use `referee play`".into(),
        ));
    }
    // A file without a game is begun anew.
    if let Some(ladder) = ladder.filter(|past| !run.accept && past.tournament.played() > 0) {
        check_options(args, ladder, with_submissions(&contestants, &versions), openings)?;
    }
    let problems = starts::start_all(
        args,
        (&contestants, &versions),
        &tried,
        (openings.far_starts(), end),
        interrupt,
    )?;
    let mut playing = Vec::new();
    let versions = std::iter::repeat_n(None, taken.len()).chain(versions.into_iter().map(Some));
    for ((mut contestant, version), problem) in contestants.into_iter().zip(versions).zip(problems) {
        match (version, problem) {
            (None, Some(problem)) => return Err(Failure::Start(problem.why.raw().into())),
            (version, None) => {
                contestant.submission = version.map(|version| version.submission);
                playing.push(contestant);
            }
            (Some(version), Some(problem)) => unfit.push(of_original(problem, version, &copies)),
        }
    }
    unfit.sort_by(|one, other| one.name.cmp(&other.name));
    warn_of_unfit(&unfit);
    Ok(LadderPlayers::new(past, playing, unfit))
}

/// Says which submissions do not play, and why; once for those with the same reason, which may be the course's.
fn warn_of_unfit(unfit: &[UnfitPlayer]) {
    let mut causes: Vec<(String, Vec<String>)> = Vec::new();
    for one in unfit {
        let (name, why) = (printable(&one.name, usize::MAX), one.beside_name());
        match causes.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => causes.push((why, vec![name])),
        }
    }
    for (why, names) in causes.iter().take(MOST_WARNINGS) {
        let more = names.len().saturating_sub(MOST_NAMES);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let names = names
            .iter()
            .take(MOST_NAMES)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        log::warn!("not in this run: {names}{rest}: {why}");
    }
    let others: usize = causes
        .iter()
        .skip(MOST_WARNINGS)
        .map(|(_, names)| names.len())
        .sum();
    if others > 0 {
        let others = counted(others, "other submission");
        log::warn!("not in this run: {others}; see the CSV file or the feedback for the reasons");
    }
}

/// The contestants, of whom the last ones are these versions; without those that are broken.
fn with_submissions(contestants: &[Contestant], versions: &[Version]) -> Vec<Contestant> {
    let beside = contestants.len() - versions.len();
    let submissions = std::iter::repeat_n(None, beside).chain(versions.iter().map(Some));
    let with = |(contestant, version): (&Contestant, Option<&Version>)| {
        let mut contestant = contestant.clone();
        contestant.submission = version.map(|version| version.submission.clone());
        contestant
    };
    let playing = contestants.iter().zip(submissions);
    playing
        .filter(|(contestant, _)| contestant.broken.is_none())
        .map(with)
        .collect()
}

/// A problem of a version's copy as one of the submission, whose author knows the paths of the original.
fn of_original(problem: UnfitPlayer, version: Version, copies: &Path) -> UnfitPlayer {
    let [copy, original] = [copies.join(&version.player), version.original].map(|path| path.shown());
    let renamed = |text: Untrusted| Untrusted::from(text.raw().replace(&copy, &original));
    UnfitPlayer {
        name: version.submission.name,
        why: renamed(problem.why),
        clause: problem.clause.map(renamed),
        ..problem
    }
}

fn summary(end: &mut MatchEnd) -> Summary {
    let (tournament, _) = end.state.shown();
    Summary::new(&end.header, tournament).with_transcripts(tournament, &end.transcripts)
}

/// Prints the standings, and how to go on.
fn print_summary(
    args: &LadderArgs,
    out: &Path,
    summary: &Summary,
    end: &mut MatchEnd,
) -> Result<(), Failure> {
    let replayed = end.state.replayed;
    let (tournament, screen) = end.state.shown();
    if screen.mode().is_json() {
        return Ok(MatchDisplay::event(&Event::End(summary))?);
    }
    let mut text = table::summary(&end.header, tournament, summary, terminal::width(io::stdout()));
    if let Some(run) = &end.sandbox {
        let _ = write!(text, "\nSandbox: {run}");
    }
    if let Some(first) = args.settle {
        let certain = 100.0 * tournament.certainty_of_first(first.get() as usize);
        let places = match first.get() {
            1 => "The first place".into(),
            count => format!("The first {count} places"),
        };
        let _ = write!(text, "\n{places}: settled at {certain:.1} %");
    }
    text += &runs::replayed_text(replayed);
    let games = tournament.played();
    let stopped = format!("\n{} so far. ", counted(games as usize, "game"));
    text += &runs::resume_text(&stopped, Some(out));
    Ok(display::print(&text)?)
}
