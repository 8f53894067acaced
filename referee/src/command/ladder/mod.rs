//! `referee ladder`: rates submissions that change, in runs that go on where the last one ended.
//!
//! * This file: one run, from the folder to the files.
//! * [`feedback`]: the texts of `--feedback`; [`files`]: all other files.
//! * [`parts`]: the parts of a round that several machines play.

mod feedback;
mod files;
mod parts;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::Arc;

use self::files::result_file;
use super::matches;
use crate::command::in_order;
use crate::config::cli::LadderArgs;
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::config::versions::{self, Version};
use crate::game::FarStarts;
use crate::io::failure::Failure;
use crate::io::files::temporary_folder_hint;
use crate::io::interrupt::Interrupt;
use crate::io::terminal;
use crate::io::text::printable;
use crate::io::text::{ShowPath, counted};
use crate::play::display::{self, Event, MatchDisplay};
use crate::play::ladder_plan::{LadderPlayers, Past, default_openings, stages};
use crate::play::plan::{named, openings_of, sandboxed};
use crate::play::{MatchEnd, MatchPlan, Outputs, play};
use crate::player::Engine;
use crate::player::verdict::FaultKind;
use crate::process::{SandboxLevel, sandbox_ability};
use crate::report::{Summary, csv, table};
use crate::results::{Header, LockedFile, UnfitPlayer};
use crate::tournament::Tournament;

/// Plays one run, and writes the standings.
pub fn run(mut args: LadderArgs) -> Result<(), Failure> {
    let sandbox = *args.run.sandbox.sandbox.get_or_insert(SandboxLevel::On);
    if sandbox != SandboxLevel::Off {
        sandbox_ability(sandbox).map_err(|refusal| {
            let hint =
                "A ladder runs the submissions in a sandbox; with `--sandbox=off` it runs them without";
            Failure::Usage(format!("{refusal}{}. {hint}", temporary_folder_hint()))
        })?;
    }
    let rules = args.run.game.variant;
    args.run.openings = args.run.openings.take().or_else(|| default_openings(rules));
    matches::check_outputs(&args.run, args.csv.as_ref())?;
    let log = args.run.log.take();
    matches::with_log(log.as_ref(), || match args.shard {
        Some(shard) => parts::play_part(&mut args, shard),
        None => play_run(&args),
    })
}

fn play_run(args: &LadderArgs) -> Result<(), Failure> {
    let out = result_file(args)?;
    let interrupt = matches::install(&args.run)?;
    let grades = |path| matches::table_file(path, csv::GRADES_BEGINNING, "it has no standings of a ladder");
    let grades = args.csv.as_deref().map(grades).transpose()?;
    let feedback = args
        .feedback
        .as_deref()
        .map(|folder| feedback::open(folder, args));
    let feedback = feedback.transpose()?;
    let usage = |error: &dyn std::fmt::Display| Failure::Usage(format!("--out {}: {error}", out.shown()));
    // Until the end: another run must not change the copies of the submissions.
    let locked = LockedFile::open(out).map_err(|error| usage(&error))?;
    let (mut past, mut read) = Past::open(locked, out)?;
    if let Some(past) = &mut past {
        read = parts::collect(out, past, read)?;
    }
    let started = past.as_ref().map_or_else(HashSet::new, started_before);
    let header = past.as_ref().map(|past| &past.header);
    let openings = openings_of(&args.run)?;
    let players = players(args, out, (header, &started), openings.far_starts(), &interrupt)?;
    let unfit = players.unfit.clone();
    let playing = players.playing();
    if playing.len() < 2 {
        let why = unfit
            .iter()
            .map(|unfit| format!("\n  {}: {}", unfit.name, unfit.why.first_line()));
        let count = playing.len();
        feedback.map_or(Ok(()), |folder| feedback::write_unfit(&folder, &unfit))?;
        return Err(Failure::Start(format!(
            "a ladder needs two or more players that start, and there are {count}{}",
            why.collect::<String>()
        )));
    }
    let counts = |tournament: &Tournament| {
        [
            tournament.standings.games(),
            tournament.standings.distinct_games(),
        ]
    };
    let [games, distinct] = past.as_ref().map_or([0; 2], |past| counts(&past.tournament));
    let stages = stages(past.as_ref().map(|past| &past.tournament), playing);
    let mut plan = MatchPlan::of_ladder(args, players, openings, stages, past)?;
    plan.read = Some(read);
    let outputs = Outputs::of_ladder(&args.run)?;
    let mut end = play(plan, outputs, &interrupt)?;
    let summary = summary(&mut end);
    if summary.games > games && summary.distinct_games == distinct {
        log::warn!(
            "all games of this run repeat earlier ones move by move, so no rating moves; with other --openings, \
             such as `random:4`, a new ladder has a new start in each round"
        );
    }
    let saved = grades.map_or(Ok(()), |file| {
        matches::write_table(&file, &csv::grades(&end.header, &summary))
    });
    let told = feedback.map_or(Ok(()), |folder| {
        let (tournament, _) = end.state.shown();
        feedback::write(
            args,
            &folder,
            out,
            (&end.header, &summary, tournament),
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

/// Takes the submissions, tries to start those that are not known to start, and arranges all players as
/// in the file. `started` are the names of the known ones.
fn players(
    args: &LadderArgs,
    out: &Path,
    (past, started): (Option<&Header>, &HashSet<&str>),
    far_starts: &FarStarts,
    interrupt: &Arc<Interrupt>,
) -> Result<LadderPlayers, Failure> {
    let run = &args.run;
    let past = past.map_or(&[][..], |header| &header.engines);
    let copies = files::copies(out);
    let each = run.each.clone().unwrap_or_default();
    let beside: Vec<Settings> = named(run)
        .into_iter()
        .map(|settings| settings.or(&each))
        .collect();
    let taken = roster::resolve_or_skip(&beside, run.game.variant)?.into_iter();
    let taken: Vec<String> = taken.map(|contestant| contestant.name).collect();
    let stop = || interrupt.go_on();
    let taking = versions::take(
        &args.folder,
        &copies,
        past,
        &taken,
        args.wrapper.wrapper.as_deref(),
        &stop,
    );
    let (versions, mut unfit) = interrupt.caught().map_or(taking, |signal| Err(signal.into()))?;
    let own = versions.iter().map(|version| version.settings.clone().or(&each));
    let settings: Vec<Settings> = sandboxed(run, beside.into_iter().chain(own))?;
    let contestants = roster::resolve_or_skip(&settings, run.game.variant)?;
    if contestants.iter().any(Contestant::is_person) {
        return Err(Failure::Usage(
            "a ladder is for programs; a person plays with `referee play`".into(),
        ));
    }
    let problems = start_all(args, (&contestants, started), far_starts, interrupt)?;
    let mut playing = Vec::new();
    let versions = std::iter::repeat_n(None, taken.len()).chain(versions.into_iter().map(Some));
    for ((mut contestant, version), problem) in contestants.into_iter().zip(versions).zip(problems) {
        match (version, problem) {
            (None, Some(why)) => return Err(Failure::Start(why)),
            (version, None) => {
                contestant.submission = version.map(|version| version.submission);
                playing.push(contestant);
            }
            (Some(version), Some(why)) => unfit.push(UnfitPlayer {
                why: of_original(&why, &version, &copies).into(),
                name: version.submission.name,
            }),
        }
    }
    unfit.sort_by(|one, other| one.name.cmp(&other.name));
    for UnfitPlayer { name, why } in &unfit {
        let name = printable(name, usize::MAX);
        log::warn!("not in this run: {name}: {}", why.first_line());
    }
    Ok(LadderPlayers::new(past, playing, unfit))
}

/// A sentence about a copy as one about the submission.
fn of_original(why: &str, version: &Version, copies: &Path) -> String {
    let copy = copies.join(&version.player).shown();
    why.replace(&copy, &version.original.shown())
}

/// The submissions that have taken part and neither crashed nor hung: only a game could show that an
/// unchanged one does not start any more.
fn started_before(Past { header, tournament }: &Past) -> HashSet<&str> {
    let unfit: HashSet<&str> = header.unfit.iter().map(|unfit| &*unfit.name).collect();
    let players = header.engines.iter().zip(&tournament.standings.players);
    let sound = players.filter(|(entry, player)| {
        let mut hangs = [FaultKind::Crash, FaultKind::Stall].iter();
        let submission = entry.submission.as_ref();
        submission.is_some_and(|submission| !unfit.contains(&*submission.name))
            && !hangs.any(|kind| player.faults.contains_key(kind))
    });
    sound.map(|(entry, _)| entry.name.as_str()).collect()
}

/// Starts all players once that are not `started`, several at a time. Returns for each player why it does
/// not start.
fn start_all(
    args: &LadderArgs,
    (contestants, started): (&[Contestant], &HashSet<&str>),
    far_starts: &FarStarts,
    interrupt: &Arc<Interrupt>,
) -> Result<Vec<Option<String>>, Failure> {
    let (mut problems, mut options) = (Vec::new(), Vec::new());
    let (ended, _) = in_order::run(
        contestants.len(),
        vec![(); args.run.concurrency.get() as usize],
        |(), number| {
            let contestant = &contestants[number];
            let Some(spec) = &contestant.spec else {
                return Ok((contestant.broken.clone(), Vec::new()));
            };
            if started.contains(&*contestant.name) {
                // Some player knew the options when it was started.
                let known = spec.options.iter().map(|(name, _)| (name.clone(), None));
                return Ok((None, known.collect()));
            }
            match roster::start_for(spec, args.run.game.variant, far_starts, interrupt) {
                Ok(engine) => {
                    let options = engine.inherited_options().collect();
                    Engine::dismiss([engine]).map(|()| (None, options))
                }
                Err(Failure::Start(why) | Failure::Usage(why)) => Ok((Some(why), Vec::new())),
                Err(failure) => Err(failure),
            }
        },
        || interrupt.stop(),
        |_, (problem, known)| {
            problems.push(problem);
            options.extend(known);
            Ok(())
        },
    );
    ended?;
    roster::check_inherited(&options)?;
    Ok(problems)
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
        let _ = write!(text, "\n{run}");
    }
    if let Some(first) = args.settle {
        let certain = 100.0 * tournament.certainty_of_first(first.get() as usize);
        let places = match first.get() {
            1 => "The first place".into(),
            count => format!("The first {count} places"),
        };
        let _ = write!(text, "\n{places}: certain to {certain:.1} %");
    }
    text += &matches::replayed_text(replayed);
    let games = tournament.played();
    let stopped = format!("\n{} so far. ", counted(games as usize, "game"));
    text += &matches::resume_text(&stopped, Some(out));
    Ok(display::print(&text)?)
}
