//! Parts of a round that several machines play (`--shard`).
//!
//! A part reads the file of the ladder, and writes its games to a file of its own. The next run adds the
//! games of all parts to the file, in the order of their numbers, so the file does not depend on the order in
//! which the parts were played.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;
use referee_core::results::archive;
use referee_core::results::{EngineEntry, Line, LockedFile, ReadFile, Record, Store};
use referee_core::schedule::Shard;

use super::files::{copies, parts, result_file, transcripts_of};
use crate::command::runs;
use crate::config::cli::LadderArgs;
use crate::config::roster::{self, Contestant};
use crate::config::{submissions, versions};
use crate::matches::ladder_plan::{LadderPlayers, Past};
use crate::matches::limit::EndOfRun;
use crate::matches::plan::{named, openings_of, sandboxed};
use crate::matches::{MatchPlan, Outputs, play};

/// Plays a part of the current round.
pub(super) fn play_part(args: &mut LadderArgs, shard: Shard) -> Result<(), Failure> {
    let out = result_file(args)?.to_path_buf();
    let usage = |why: &str| Failure::Usage(format!("--shard {shard}: {why}"));
    let interrupt = runs::install(&args.run)?;
    let end = EndOfRun::new(args.hours, args.until)?;
    let past = Past::look(&out)?.ok_or_else(|| {
        usage("the ladder has not begun; first run the same command with `--games 0` instead of --shard")
    })?;
    if args.run.html.is_some() || args.csv.is_some() || args.feedback.is_some() {
        return Err(usage(
            "a shard writes only its games; leave out --html, --csv and --feedback",
        ));
    }
    let folder = parts(&out);
    fs::create_dir_all(&folder).map_err(|error| Failure::Usage(format!("{}: {error}", folder.shown())))?;
    args.run.faults = Some(transcripts_of(args, &out));
    let file = folder.join(format!("{}-of-{}.jsonl", shard.index(), shard.count()));
    LockedFile::open_beside(&file).map_err(|error| here(&file, &error))?;
    args.run.out = Some(file);
    let args = &*args;
    let header = &past.header;
    let stages = header.schedule.stages.clone();
    let stage = stages.last().map_or(&[][..], |stage| &stage.players);
    let engines = stage.iter().filter_map(|&player| header.engines.get(player));
    let playing = players(args, &out, &engines.collect::<Vec<_>>(), &|| interrupt.go_on())?;
    let players = LadderPlayers::new(&header.engines, playing, header.unfit.clone());
    if stages
        .last()
        .is_none_or(|stage| stage.players != players.playing())
    {
        return Err(usage(
            "other players than in the file; a run without --shard takes new submissions",
        ));
    }
    let rounds = past.tournament.calendar().paired();
    let mut plan = MatchPlan::of_ladder(args, players, openings_of(&args.run)?, stages, Some(past), end)?;
    plan.limit.rounds = Some(rounds);
    play(plan, Outputs::of_ladder(&args.run)?, &interrupt)?.result
}

/// The players of the current stage: those beside the submissions, and the copies of these.
fn players(
    args: &LadderArgs,
    out: &Path,
    known: &[&EngineEntry],
    stop: &dyn Fn() -> io::Result<()>,
) -> Result<Vec<Contestant>, Failure> {
    let run = &args.run;
    let each = run.each.clone().unwrap_or_default();
    let copies = copies(out);
    for entry in known {
        let Some(submission) = &entry.submission else {
            continue;
        };
        let copy = copies.join(&entry.name);
        let lost = |error: io::Error| Failure::Output(format!("{}: {error}", copy.shown()));
        if !versions::is_copy(&copy, submission, stop).map_err(lost)? {
            return Err(Failure::Usage(format!(
                "`{}` differs from what was submitted; the same command with `--games 0` instead of --shard \
                 copies it again, and without a sandbox, no bot may write to its own folder",
                copy.shown()
            )));
        }
    }
    let known_as = |name: &str| known.iter().find(|known| known.name == name);
    let submitted = |name: &str| known_as(name).is_some_and(|entry| entry.submission.is_some());
    let versions = submissions::of_folder(&copies, args.wrapper.wrapper.as_deref(), false, |_| {});
    let wrong = |why| Failure::Usage(format!("{}: {why}", copies.shown()));
    let (mut versions, _) = versions.map_err(wrong)?;
    versions.retain(|version| version.name.as_deref().is_some_and(submitted));
    let settings = named(run)
        .into_iter()
        .chain(versions)
        .map(|settings| settings.or(&each));
    let settings = sandboxed(run, settings)?;
    let mut contestants = roster::resolve(&settings, run.game.variant)?;
    for player in &mut contestants {
        let known = known_as(&player.name);
        player.submission = known.and_then(|known| known.submission.clone());
    }
    Ok(contestants)
}

/// Adds the games of all parts to the ladder and to its file, and deletes their files.
pub(super) fn collect(out: &Path, past: &mut Past, read: ReadFile) -> Result<ReadFile, Failure> {
    let folder = parts(out);
    let files = files(&folder)?;
    if files.is_empty() {
        return Ok(read);
    }
    let Past {
        header, tournament, ..
    } = past;
    let mut games: BTreeMap<u64, Record> = BTreeMap::new();
    // Until the games are saved.
    let mut parts = Vec::new();
    for path in &files {
        parts.push(LockedFile::open_beside(path).map_err(|error| here(path, &error))?);
        let found = archive::read(std::slice::from_ref(path)).map_err(|error| here(path, &error))?;
        for one in found {
            if let Some(difference) = one.header.differences(header).first() {
                return Err(here(path, &format!("a shard of another ladder: {difference}")));
            }
            let read = one.lines(&mut |line, _| {
                if let Line::Record(record) = line
                    && !tournament.is_over(record.id)
                {
                    tournament.add(&record)?;
                    games.insert(record.id, *record);
                }
                Ok(())
            });
            read.map_err(|error| here(path, &error))?;
        }
    }
    let (mut store, _) = Store::resume(read, header).map_err(|error| here(out, &error))?;
    let saved = games.values().try_for_each(|record| store.append_game(record));
    let lost = |error: std::io::Error| Failure::Output(format!("{}: {error}", out.shown()));
    let read = saved.and_then(|()| store.into_read(header)).map_err(lost)?;
    files.iter().try_for_each(fs::remove_file).map_err(lost)?;
    drop(parts);
    let _ = fs::remove_dir(&folder);
    Ok(read)
}

/// What is wrong with a file.
fn here(path: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("{}: {why}", path.shown()))
}

/// The files of parts that are not empty, and links in their place.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error: std::io::Error| Failure::Usage(format!("{}: {error}", folder.shown()));
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(unreadable(error)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<std::io::Result<Vec<_>>>().map_err(unreadable)?;
    paths.retain(|path| {
        let is_part = path.extension().is_some_and(|extension| extension == "jsonl");
        is_part && path.symlink_metadata().is_ok_and(|metadata| metadata.len() > 0)
    });
    paths.sort();
    Ok(paths)
}
