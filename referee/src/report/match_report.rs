//! The report on the files of one match: its numbers, what is missing, and its page.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::text;
use referee_core::io::text::ShowPath;
use referee_core::player::verdict::without_stderr;
use referee_core::results::archive::{self, CountedLine, Match};
use referee_core::results::{Accepted, Line, Record, SprtVerdict, transcripts};
use referee_core::schedule::Shard;
use referee_core::tournament::Tournament;
use referee_core::tournament::tuner::Tuner;
use serde::Serialize;

use super::page::{EmbeddedEngine, History, PageFile, PageMatch};
use super::{Summary, sampling};
use crate::report::missing::Missing;
use crate::terminal::progress::Task;

/// What the page of a match has.
#[derive(Clone, Debug)]
pub struct PageOptions {
    /// The folders of transcripts. `None`: nothing that only the authors of the engines may see.
    pub folders: Option<Vec<PathBuf>>,
    /// Whether the match itself writes its page: the rest of the games is not missing.
    pub is_of_match: bool,
    /// The time for boards by a rules program; `None` without a limit.
    pub boards_time: Option<Duration>,
    /// The rules of the command.
    pub rules: Option<Ruleset>,
}

/// The report on one match, with its fields in `--json`.
#[derive(Serialize)]
pub struct MatchReport<'a> {
    /// The files, each once and in their order.
    pub files: Vec<String>,
    #[serde(flatten)]
    pub summary: Summary,
    pub missing: Missing,
    pub notes: Vec<String>,
    /// The sandboxes of its runs.
    pub runs: Vec<String>,
    #[serde(skip)]
    pub one: &'a Match,
    #[serde(skip)]
    pub tournament: Tournament,
    /// The development of the numbers, for the page.
    #[serde(skip)]
    page: Option<(PageOptions, History)>,
}

impl<'a> MatchReport<'a> {
    /// Reads the games. `faults` is the folder of transcripts, if it is not beside a file. Progress is shown,
    /// and stopped by a signal, with an `interrupt` only.
    ///
    /// # Errors
    /// A file cannot be read, or a signal came.
    pub fn new(
        one: &'a Match,
        faults: Option<&Path>,
        page: Option<PageOptions>,
        interrupt: Option<&Interrupt>,
    ) -> Result<MatchReport<'a>, archive::ArchiveError> {
        // Which pairings were forfeited is in the records.
        let mut header = one.header.clone();
        header.schedule.forfeit_after = None;
        let mut tournament = Tournament::new(&header).map_err(archive::ArchiveError)?;
        let mut end: Option<SprtVerdict> = None;
        let mut page = page.map(|options| (options, History::new(&one.header)));
        let mut runs: Vec<String> = Vec::new();
        let total = if tournament.is_endless() {
            // Its file says in the end how many there are.
            0
        } else {
            tournament.total()
        };
        let mut games = Progress::start(interrupt, "games counted", 1, total);
        let tuning = one.header.tuning.clone();
        let mut tuner = tuning.map(|tuning| Tuner::new(tuning, one.header.seed));
        one.counted_lines(page.is_some(), &mut |line| {
            match line {
                CountedLine::Game(game, record) => {
                    games.add(1)?;
                    if let Some(tuner) = &mut tuner
                        && !tournament.is_over(game.id)
                    {
                        let winner = game.result.winner().map(|side| game.names[side.index()].as_str());
                        tuner.add(game.pair, winner);
                    }
                    tournament.add_game(game)?;
                    if let (Some((options, history)), Some(record)) = (&mut page, record) {
                        history.add(&options.shown(*record));
                    }
                }
                CountedLine::Other(Line::Pairings(pairings)) => tournament.take_pairings(&pairings),
                CountedLine::Other(Line::Sprt(verdict)) => end = Some(verdict),
                CountedLine::Other(Line::Sandbox(run)) => {
                    let run = run.to_string();
                    if !runs.contains(&run) {
                        runs.push(run);
                    }
                }
                CountedLine::Other(_) => {}
            }
            Ok(())
        })?;
        drop(games);
        let total = tournament.calendar().schedule().total();
        let mut end_note = None;
        let last = match end {
            // All games of the schedule have been played.
            Some(end) if end.accepted == Accepted::Inconclusive => {
                tournament.end_test_undecided();
                total
            }
            // The games contradict the line, so it decides nothing.
            Some(end) if tournament.contradicts(&end) => {
                end_note = Some(format!(
                    "a line of the file says that the test was decided after {} pairs, but the games do not decide it so",
                    end.pairs
                ));
                total
            }
            // Games after the decision are not needed.
            Some(end) => total.min(end.pairs.saturating_mul(2)),
            None => total,
        };
        if let (Some((_, history)), Some(verdict)) = (&mut page, tournament.verdict()) {
            history.truncate(verdict.pairs);
        }
        let shards: Vec<Shard> = one.parts.iter().map(|part| part.header.shard()).collect();
        let mut samples = Progress::start(
            interrupt,
            "samples for the intervals",
            1,
            sampling(&tournament).samples,
        );
        let summary = Summary::watched(&one.header, &tournament, &mut |sample| samples.reach(sample))
            .map_err(archive::ArchiveError)?;
        drop(samples);
        let mut files: Vec<String> = one.parts.iter().map(|part| part.path.shown()).collect();
        files.dedup();
        Ok(MatchReport {
            files,
            summary: summary.with_transcripts(&tournament, &folders_of_faults(one, faults)),
            missing: Missing::new(&tournament, &shards, last),
            notes: [
                tuner.iter().map(tuned).chain(end_note).collect(),
                notes(one, &tournament),
            ]
            .concat(),
            runs,
            page,
            tournament,
            one,
        })
    }

    /// The match on the page; `None` if the report was made without one.
    fn page(&'a self, progress: &'a RefCell<Progress<'a>>) -> Option<PageMatch<'a>> {
        let (options, history) = self.page.as_ref()?;
        let Missing { games, of, .. } = self.missing;
        let missing = match games {
            0 => None,
            _ if options.is_of_match => Some(format!("{games} of {of} games are still to be played.")),
            _ => Some(self.missing.to_string()),
        };
        Some(PageMatch {
            header: &self.one.header,
            tournament: &self.tournament,
            summary: &self.summary,
            history,
            notes: missing.into_iter().chain(self.notes.iter().cloned()).collect(),
            runs: &self.runs,
            held: history.held(),
            transcripts: transcripts::excerpts(
                &self.tournament.failed,
                options.folders.as_deref().unwrap_or_default(),
            ),
            boards_time: options.boards_time,
            rules: options.rules,
            records: Box::new(move |take| {
                let read = self.one.lines(&mut |line, _| match line {
                    Line::Record(record) => {
                        progress.borrow_mut().add(1)?;
                        take(&options.shown(*record))
                    }
                    _ => Ok(()),
                });
                read.map_err(|error| error.to_string())
            }),
        })
    }
}

impl PageOptions {
    /// The record as it is shown.
    fn shown(&self, mut record: Record) -> Record {
        if self.folders.is_none() {
            record.detail = without_stderr(record.detail.raw()).into();
        }
        record
    }
}

/// Writes the page of these matches.
///
/// # Errors
/// A file cannot be read or written, or a signal came.
pub fn write_page(
    file: &PageFile,
    reports: &[MatchReport],
    engine: Option<&EmbeddedEngine>,
    interrupt: Option<&Interrupt>,
) -> Result<(), Failure> {
    let games: u64 = reports.iter().map(|report| report.tournament.played()).sum();
    let progress = RefCell::new(Progress::start(interrupt, "games written to the page", 1, games));
    let matches: Vec<PageMatch> = reports
        .iter()
        .filter_map(|report| report.page(&progress))
        .collect();
    file.write(&matches, engine)
}

/// The folders of transcripts: the given one, or those that exist beside the files.
pub fn folders_of_faults(one: &Match, faults: Option<&Path>) -> Vec<PathBuf> {
    if let Some(folder) = faults {
        return vec![transcripts::folder_given(folder)];
    }
    let mut seen = HashSet::new();
    let folders = one
        .parts
        .iter()
        .map(|part| transcripts::folder_beside(&part.path));
    let is_folder = |folder: &Path| folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    folders
        .filter(|folder| seen.insert(folder.clone()) && is_folder(folder))
        .collect()
}

/// What a tuning has found so far.
fn tuned(tuner: &Tuner) -> String {
    let settings: Vec<String> = tuner
        .rounded()
        .map(|(name, value)| text::quoted(&format!("option.{name}={value}")))
        .collect();
    format!(
        "this is a tuning (`referee tune`), so its two players are the same engine with different values. After {} of \
         {} iterations the values are {}",
        tuner.done(),
        tuner.tuning.iterations,
        settings.join(" ")
    )
}

/// Notes on the files of a match.
fn notes(one: &Match, tournament: &Tournament) -> Vec<String> {
    let torn = one.parts.iter().filter_map(|part| {
        let (path, number) = (part.path.shown(), part.torn?);
        Some(format!(
            "{path}: line {number} is incomplete; the match still runs, or was killed"
        ))
    });
    let mut notes: Vec<String> = torn.collect();
    let early = tournament.early.len();
    if early > 0 {
        let (games, before) = match early {
            1 => ("1 game does not count: its round".into(), "it"),
            _ => (format!("{early} games do not count: their rounds"), "them"),
        };
        notes.push(format!(
            "{games} cannot be paired while a result before {before} is missing"
        ));
    }
    notes
}

/// The progress of one step of a report, shown on a terminal. A signal stops it. Neither without an interrupt.
pub struct Progress<'a> {
    interrupt: Option<&'a Interrupt>,
    task: Option<Task>,
    /// The size of the unit that is shown.
    unit: u64,
    done: u64,
}

impl<'a> Progress<'a> {
    /// A step of this size. `what` is what is counted in `unit`s, in the plural.
    pub fn start(interrupt: Option<&'a Interrupt>, what: &'static str, unit: u64, size: u64) -> Progress<'a> {
        Progress {
            interrupt,
            task: interrupt.map(|_| Task::start(what, 0, size.div_ceil(unit))),
            unit,
            done: 0,
        }
    }

    /// Sets the size of the finished part. An error, if a signal has come.
    pub fn reach(&mut self, size: u64) -> Result<(), String> {
        self.add(size.saturating_sub(self.done))
    }

    /// Adds to the finished part. An error, if a signal has come.
    pub fn add(&mut self, size: u64) -> Result<(), String> {
        let before = self.done / self.unit;
        self.done += size;
        if self.done / self.unit != before {
            self.task.iter().for_each(|task| task.set(self.done / self.unit));
        }
        match self.interrupt.filter(|interrupt| interrupt.is_stopped()) {
            Some(interrupt) => Err(interrupt.signal().to_string()),
            None => Ok(()),
        }
    }
}
