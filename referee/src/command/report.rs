//! `referee report`: the results of the games in result files.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::{Value, json};

use super::{install_interrupt, shown};
use crate::config::cli::ReportArgs;
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::io::progress::Task;
use crate::io::{terminal, text};
use crate::report::page::{EmbeddedEngine, History, PageFile, PageMatch};
use crate::report::{self, RESAMPLES, Summary, table};
use crate::results::archive::{self, CountedLine, Match};
use crate::results::pgn::Export;
use crate::results::tuning::Tuner;
use crate::results::{Accepted, Line, SprtVerdict, transcripts};
use crate::schedule::Shard;
use crate::statistics::Sprt;
use crate::tournament::Tournament;
use crate::tournament::missing::Missing;

/// The exit status when games are missing.
const INCOMPLETE: u8 = 1;

/// The maximum number of files in the heading of a match.
const MAX_FILES: usize = 5;

/// The maximum number of differences listed between two matches.
const MAX_DIFFERENCES: usize = 3;

/// Reports on result files. A signal stops the command at once.
pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let interrupt = install_interrupt()?;
    let done = run_until(args, &interrupt);
    match interrupt.caught() {
        Some(signal) => Err(signal.into()),
        None => done,
    }
}

/// [`run`], which ends with any error after a signal.
fn run_until(args: &ReportArgs, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let usage = |error: archive::ArchiveError| Failure::Usage(error.to_string());
    let page = args.html.as_deref().map(PageFile::open).transpose()?;
    let engine = args.embed_engine.as_deref().map(EmbeddedEngine::read);
    let engine = engine.transpose().map_err(Failure::Usage)?;
    let size = args.files.iter().filter_map(|path| path.metadata().ok());
    let mut bytes = Progress::start(
        interrupt,
        "MB checked",
        MEGABYTE,
        size.map(|file| file.len()).sum(),
    );
    let matches = archive::read_watched(&args.files, &mut |size| bytes.add(size)).map_err(usage)?;
    drop(bytes);
    if let Some(test) = args.sprt_decide {
        return decide(test, args.json, &matches, interrupt);
    }
    let export = match (&args.pgn, matches.first()) {
        (Some(path), Some(first)) => Some(Export::open(path, &first.header)?),
        _ => None,
    };
    let reports: Vec<Report> = matches
        .iter()
        .map(|one| Report::new(one, args, interrupt))
        .collect::<Result<_, _>>()
        .map_err(usage)?;
    if let Some(export) = export {
        let games: u64 = reports.iter().map(|report| report.summary.games).sum();
        let mut progress = Progress::start(interrupt, "games located and written", 1, 2 * games);
        export.write(&matches, &mut || progress.add(1))?;
    }
    if let Some(page) = page {
        write_page(&page, &reports, args, engine.as_ref(), interrupt)?;
    }
    let text = if args.json {
        json_lines(&reports)?
    } else if args.csv {
        csv(&reports)?
    } else {
        text(&reports, args, terminal::width(std::io::stdout()))
    };
    // A reader may never take the output.
    Interrupt::end_at_the_next();
    if interrupt.is_stopped() {
        return Err(interrupt.signal().into());
    }
    let mut out = std::io::stdout().lock();
    shown(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    let is_complete = reports.iter().all(|report| report.missing.is_empty());
    Ok(ExitCode::from(if is_complete { 0 } else { INCOMPLETE }))
}

/// The exit status when more games are needed.
const UNDECIDED: u8 = 10;

/// Prints what a sequential test decides over the games of one match.
fn decide(sprt: Sprt, is_json: bool, matches: &[Match], interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let usage = |why: String| Failure::Usage(format!("--sprt-decide: {why}"));
    let [one] = matches else {
        let count = matches.len();
        return Err(usage(format!(
            "the files are of {count} matches; name those of one"
        )));
    };
    let schedule = &one.header.schedule;
    let names = one.header.names();
    if schedule.format.follows_results() || names.len() > 2 {
        return Err(usage(format!(
            "the test compares two players; the match has {}",
            names.len()
        )));
    }
    if schedule.no_swap {
        return Err(usage(
            "the test counts pairs of games with colours swapped, and --no-swap played none".into(),
        ));
    }
    let mut tournament = Tournament::tested_later(&one.header, sprt).map_err(Failure::Usage)?;
    let mut games = Progress::start(interrupt, "games counted", 1, tournament.total());
    let read = one.games(|line| match line {
        CountedLine::Game(game) => {
            games.add(1)?;
            tournament.add_game(game)
        }
        CountedLine::Other(_) => Ok(()),
    });
    read.map_err(|error| Failure::Usage(error.to_string()))?;
    drop(games);
    let (pairs, waiting) = tournament.tested_pairs();
    let accepted = tournament.verdict().map(|verdict| verdict.accepted);
    let llr = tournament.test().map_or(0.0, |(_, llr)| llr);
    let text = if is_json {
        // Decided, it is the last line of a match with `--sprt`.
        let [accepted, llr] = [json!(accepted), json!(llr)];
        format!("{{\"sprt\":{{\"accepted\":{accepted},\"pairs\":{pairs},\"llr\":{llr}}}}}")
    } else {
        let decided = accepted.map_or("Not decided", |_| "Decided");
        let plural = if pairs == 1 { "" } else { "s" };
        let [next, last] = [2 * pairs + 1, 2 * pairs + 2];
        let behind = match waiting {
            0 => String::new(),
            _ => format!("; {waiting} later games do not count before games {next} and {last} are finished"),
        };
        let llr = table::sprt_state(&sprt, llr, accepted);
        format!("{llr}\n{decided} by {pairs} pair{plural}{behind}")
    };
    Interrupt::end_at_the_next();
    shown(writeln!(std::io::stdout(), "{text}"))?;
    Ok(ExitCode::from(accepted.map_or(UNDECIDED, |_| 0)))
}

/// Writes the page of all matches.
fn write_page(
    file: &PageFile,
    reports: &[Report],
    args: &ReportArgs,
    engine: Option<&EmbeddedEngine>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let games: u64 = reports.iter().map(|report| report.tournament.played()).sum();
    let progress = RefCell::new(Progress::start(interrupt, "games written to the page", 1, games));
    let matches: Vec<PageMatch> = reports
        .iter()
        .filter_map(|report| report.page(args, &progress))
        .collect();
    file.write(&matches, &Value::Null, engine)
}

/// Bytes of a unit of progress.
const MEGABYTE: u64 = 1_000_000;

/// The report on one match, with its fields in `--json`.
#[derive(Serialize)]
struct Report<'a> {
    /// The files, each once and in their order.
    files: Vec<String>,
    #[serde(flatten)]
    summary: Summary,
    missing: Missing,
    notes: Vec<String>,
    #[serde(skip)]
    one: &'a Match,
    #[serde(skip)]
    tournament: Tournament,
    /// The development of the numbers, for the page.
    #[serde(skip)]
    history: Option<History>,
}

impl<'a> Report<'a> {
    fn new(
        one: &'a Match,
        args: &ReportArgs,
        interrupt: &Interrupt,
    ) -> Result<Report<'a>, archive::ArchiveError> {
        // Which pairings were forfeited is in the records.
        let mut header = one.header.clone();
        header.schedule.forfeit_after = None;
        let mut tournament = Tournament::new(&header).map_err(archive::ArchiveError)?;
        let mut end: Option<SprtVerdict> = None;
        let mut history = args.html.as_ref().map(|_| History::new(&one.header));
        let mut runs: Vec<String> = Vec::new();
        let mut games = Progress::start(interrupt, "games counted", 1, tournament.total());
        let tuning = one.header.tuning.clone();
        let mut tuner = tuning.map(|tuning| Tuner::new(tuning, one.header.seed));
        one.games(|line| match line {
            CountedLine::Game(game) => {
                games.add(1)?;
                if let Some(tuner) = &mut tuner
                    && !tournament.is_over(game.id)
                {
                    tuner.add_game(game.pair, game.result, &game.names[0]);
                }
                tournament.add_game(game)
            }
            CountedLine::Other(Line::End(line)) => {
                end = Some(line.sprt);
                Ok(())
            }
            CountedLine::Other(Line::Sandbox(run)) => {
                let run = run.to_string();
                if !runs.contains(&run) {
                    runs.push(run);
                }
                Ok(())
            }
            CountedLine::Other(_) => Ok(()),
        })?;
        if let Some(history) = &mut history {
            one.lines(|line, _| {
                if let Line::Record(record) = line {
                    history.add(&record);
                }
                Ok(())
            })?;
        }
        drop(games);
        let total = tournament.fixtures().schedule().total();
        let last = match end {
            // All games of the schedule have been played.
            Some(end) if end.accepted == Accepted::Inconclusive => {
                tournament.end_test_undecided();
                total
            }
            // Games after the decision are not needed.
            Some(end) => total.min(end.pairs.saturating_mul(2)),
            None => total,
        };
        if let (Some(history), Some(verdict)) = (&mut history, tournament.verdict()) {
            history.truncate(verdict.pairs);
        }
        let shards: Vec<Shard> = one.parts.iter().map(|part| part.header.shard()).collect();
        let mut samples = Progress::start(interrupt, "samples for the intervals", 1, RESAMPLES);
        let summary =
            Summary::watched(&one.header, &tournament, |_| samples.add(1)).map_err(archive::ArchiveError)?;
        drop(samples);
        let mut files: Vec<String> = one
            .parts
            .iter()
            .map(|part| part.path.display().to_string())
            .collect();
        files.dedup();
        Ok(Report {
            files,
            summary: summary.with_transcripts(&tournament, &folders_of_faults(one, args.faults.as_deref())),
            missing: Missing::new(&tournament, &shards, last),
            notes: [tuner.iter().map(tuned).collect(), notes(one, &tournament), runs].concat(),
            history,
            tournament,
            one,
        })
    }

    /// The match on the page.
    fn page(&'a self, args: &ReportArgs, progress: &'a RefCell<Progress<'a>>) -> Option<PageMatch<'a>> {
        let folders = folders_of_faults(self.one, args.faults.as_deref());
        let missing = self.missing.to_string();
        let notes = (!missing.is_empty()).then_some(missing);
        Some(PageMatch {
            header: &self.one.header,
            tournament: &self.tournament,
            summary: &self.summary,
            history: self.history.as_ref()?,
            notes: notes.into_iter().chain(self.notes.iter().cloned()).collect(),
            transcripts: if args.no_transcripts {
                BTreeMap::new()
            } else {
                transcripts::excerpts(&self.tournament.failed, &folders)
            },
            running: Vec::new(),
            records: Box::new(move |take| {
                let read = self.one.lines(|line, _| match line {
                    Line::Record(record) => {
                        progress.borrow_mut().add(1)?;
                        take(&record)
                    }
                    _ => Ok(()),
                });
                read.map_err(|error| error.to_string())
            }),
        })
    }

    /// The report as text, with a trailing line break.
    fn text(&self, args: &ReportArgs, width: Option<usize>) -> String {
        let Report {
            one,
            tournament,
            summary,
            ..
        } = self;
        let mut text = table::summary(&one.header, tournament, summary, width);
        let mut add = |part: String| {
            if !part.is_empty() {
                text.push('\n');
                text += &part;
            }
        };
        if args.crosstable && !table::has_crosstable(summary) {
            add(table::crosstable(summary, width));
        }
        let mut add = |part: String| add(table::wrapped(&part, width));
        if args.head_to_head {
            add(table::head_to_head(summary));
        }
        if args.times {
            add(table::times(summary));
        }
        add(self.analysis(width));
        add(self.missing.to_string());
        for note in &self.notes {
            add(format!("Note: {note}"));
        }
        text.push('\n');
        text
    }

    /// The counts over analysed moves; empty without an analysis.
    fn analysis(&self, width: Option<usize>) -> String {
        let players = &self.summary.players;
        let rows = players
            .iter()
            .filter_map(|player| Some((player.name.as_str(), player.analysis.as_ref()?)));
        match self.tournament.analyses.games() {
            0 => String::new(),
            games => {
                let plural = if games == 1 { "game" } else { "games" };
                format!(
                    "Analysis of {games} {plural}\n{}\n",
                    report::analysis_table(rows, width)
                )
            }
        }
    }
}

/// The folders of transcripts: the given one, or those that exist beside the files.
fn folders_of_faults(one: &Match, faults: Option<&Path>) -> Vec<PathBuf> {
    if let Some(folder) = faults {
        return vec![folder.to_path_buf()];
    }
    let mut seen = HashSet::new();
    let folders = one
        .parts
        .iter()
        .map(|part| transcripts::folder_beside(&part.path));
    folders
        .filter(|folder| seen.insert(folder.clone()) && folder.is_dir())
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
        tuner.tuning().iterations,
        settings.join(" ")
    )
}

/// Notes on the files of a match.
fn notes(one: &Match, tournament: &Tournament) -> Vec<String> {
    let torn = one.parts.iter().filter_map(|part| {
        let (path, number) = (part.path.display(), part.torn?);
        Some(format!(
            "{path}: line {number} is incomplete; the match still runs, or was killed"
        ))
    });
    let mut notes: Vec<String> = torn.collect();
    let early = tournament.early.len();
    if early > 0 {
        notes.push(format!(
            "{early} games do not count: their rounds cannot be paired while a result before them is missing"
        ));
    }
    notes
}

fn json_lines(reports: &[Report]) -> Result<String, Failure> {
    let lines = reports
        .iter()
        .map(|report| serde_json::to_string(report).map(|line| line + "\n"));
    lines
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::Output(error.to_string()))
}

/// The table of all matches for spreadsheets. Warns of missing games and unfit engines,
/// which it does not show.
fn csv(reports: &[Report]) -> Result<String, Failure> {
    for report in reports {
        let missing = report.missing.to_string();
        let missing = missing.lines().take(1).map(String::from);
        let warnings = missing.chain(table::unfit(&report.summary));
        for warning in warnings.chain(report.notes.iter().cloned()) {
            log::warn!("{warning}");
        }
    }
    let summaries = reports.iter().map(|report| &report.summary);
    report::csv::csv(summaries).map_err(|error| Failure::Output(error.to_string()))
}

/// One report, or several under their headings.
fn text(reports: &[Report], args: &ReportArgs, width: Option<usize>) -> String {
    let [first, _, ..] = reports else {
        return reports.iter().map(|report| report.text(args, width)).collect();
    };
    let count = reports.len();
    let mut text = format!("The files are of {count} matches, which are not counted together.\n");
    text = table::wrapped(&text, width);
    for (report, number) in reports.iter().zip(1..) {
        let files = shortened(&report.files, MAX_FILES, ", ");
        let mut heading = format!("\nMatch {number} of {count}: {files}\n");
        let differences = first.one.header.differences(&report.one.header);
        if !differences.is_empty() {
            let differences = shortened(&differences, MAX_DIFFERENCES, "; ");
            let _ = writeln!(heading, "Not match 1: {differences}");
        }
        text += &table::wrapped(&heading, width);
        text += &report.text(args, width);
    }
    text
}

/// Joins at most `max` texts, and appends the number of the others.
fn shortened(texts: &[String], max: usize, separator: &str) -> String {
    let listed = texts.iter().take(max).map(String::as_str).collect::<Vec<_>>();
    let mut text = listed.join(separator);
    if texts.len() > max {
        let _ = write!(text, "{separator}and {} more", texts.len() - max);
    }
    text
}

/// The progress of one step of a report, shown on a terminal. A signal stops it.
pub struct Progress<'a> {
    interrupt: &'a Interrupt,
    task: Task,
    /// The size of the unit that is shown.
    unit: u64,
    done: u64,
}

impl<'a> Progress<'a> {
    /// A step of this size. `what` is what is counted in `unit`s, in the plural.
    pub fn start(interrupt: &'a Interrupt, what: &'static str, unit: u64, size: u64) -> Progress<'a> {
        Progress {
            interrupt,
            task: Task::start(what, 0, size.div_ceil(unit)),
            unit,
            done: 0,
        }
    }

    /// Adds to the finished part. An error, if a signal has come.
    pub fn add(&mut self, size: u64) -> Result<(), String> {
        let before = self.done / self.unit;
        self.done += size;
        if self.done / self.unit != before {
            self.task.set(self.done / self.unit);
        }
        if self.interrupt.is_stopped() {
            return Err(self.interrupt.signal().to_string());
        }
        Ok(())
    }
}
