//! `referee report`: the results of the games in result files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Serialize;

use super::{pgn, shown};
use crate::config::cli::ReportArgs;
use crate::io::failure::Failure;
use crate::report::archive::{self, Match, Part};
use crate::report::{Summary, table};
use crate::results::transcripts;
use crate::results::{Accepted, Line, SprtVerdict};
use crate::schedule::Shard;
use crate::tournament::Tournament;
use crate::tournament::missing::Missing;

/// The exit status when games are missing.
const INCOMPLETE: u8 = 1;

/// The maximum number of files in the heading of a match.
const MAX_FILES: usize = 5;

/// The maximum number of differences listed between two matches.
const MAX_DIFFERENCES: usize = 3;

/// Reports on result files.
///
/// # Errors
/// When a file cannot be read or is not a result file, or the output fails.
pub fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let usage = |error: archive::ArchiveError| Failure::Usage(error.to_string());
    let matches = archive::read(&args.files).map_err(usage)?;
    let export = match (&args.pgn, matches.first()) {
        (Some(path), Some(first)) => Some(pgn::open_export(path, &first.header)?),
        _ => None,
    };
    let reports: Vec<Report> = matches
        .iter()
        .map(|one| Report::new(one, args.faults.as_deref()))
        .collect::<Result<_, _>>()
        .map_err(usage)?;
    if let Some(export) = export {
        pgn::write_export(&export, &matches)?;
    }
    let text = if args.json {
        json(&reports)?
    } else {
        text(&reports, args)
    };
    let mut out = std::io::stdout().lock();
    shown(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    let is_complete = reports.iter().all(|report| report.missing.is_empty());
    Ok(if is_complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(INCOMPLETE)
    })
}

/// The report on one match.
struct Report<'a> {
    one: &'a Match,
    tournament: Tournament,
    summary: Summary,
    missing: Missing,
    notes: Vec<String>,
}

/// The report on one match as JSON.
#[derive(Serialize)]
struct Entry<'a> {
    /// The files, each once.
    files: Vec<String>,
    #[serde(flatten)]
    summary: &'a Summary,
    missing: &'a Missing,
    notes: &'a [String],
}

impl<'a> Report<'a> {
    fn new(one: &'a Match, faults: Option<&Path>) -> Result<Report<'a>, archive::ArchiveError> {
        let mut tournament = Tournament::new(&one.header).map_err(archive::ArchiveError)?;
        let mut end: Option<SprtVerdict> = None;
        one.lines(|line, _| match line {
            Line::Record(record) => tournament.add(*record),
            Line::End(line) => {
                end = Some(line.sprt);
                Ok(())
            }
            Line::Header(_) | Line::Other => Ok(()),
        })?;
        let total = tournament.total();
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
        let shards: Vec<Shard> = one.parts().iter().map(|part| part.header.shard()).collect();
        Ok(Report {
            summary: Summary::new(&one.header, &tournament)
                .with_transcripts(&tournament, &folders_of_faults(one, faults)),
            missing: Missing::new(&tournament, &shards, last),
            notes: notes(one, &tournament),
            tournament,
            one,
        })
    }

    /// The files, each once, in their order.
    fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for part in self.one.parts() {
            let name = part.path.display().to_string();
            if files.last() != Some(&name) {
                files.push(name);
            }
        }
        files
    }

    /// The report as text, with a trailing line break.
    fn text(&self, args: &ReportArgs) -> String {
        let Report {
            one,
            tournament,
            summary,
            ..
        } = self;
        let mut text = table::summary(&one.header, tournament, summary);
        let mut add = |part: String| {
            if !part.is_empty() {
                text.push('\n');
                text += &part;
            }
        };
        if args.crosstable && !table::has_crosstable(summary) {
            add(table::crosstable(summary));
        }
        if args.head_to_head {
            add(table::head_to_head(summary));
        }
        if args.times {
            add(table::times(summary));
        }
        add(self.missing.to_string());
        for note in &self.notes {
            add(format!("Note: {note}"));
        }
        text.push('\n');
        text
    }
}

/// The folders of transcripts: the given one, or those beside the files.
fn folders_of_faults(one: &Match, faults: Option<&Path>) -> Vec<PathBuf> {
    if let Some(folder) = faults {
        return vec![folder.to_path_buf()];
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for part in one.parts() {
        let folder = transcripts::folder_beside(&part.path);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Notes on the files of a match.
fn notes(one: &Match, tournament: &Tournament) -> Vec<String> {
    let mut notes: Vec<String> = one.parts().iter().filter_map(torn).collect();
    let early = tournament.early_records();
    if early > 0 {
        notes.push(format!(
            "{early} games do not count: their rounds cannot be paired while a result before them is missing"
        ));
    }
    notes
}

/// A note on an incomplete last line.
fn torn(part: &Part) -> Option<String> {
    part.torn.map(|number| {
        format!(
            "{}: line {number} is incomplete; the match still runs, or was killed",
            part.path.display()
        )
    })
}

fn json(reports: &[Report]) -> Result<String, Failure> {
    let mut text = String::new();
    for report in reports {
        let entry = Entry {
            files: report.files(),
            summary: &report.summary,
            missing: &report.missing,
            notes: &report.notes,
        };
        let line = serde_json::to_string(&entry);
        text += &line.map_err(|error| Failure::Output(error.to_string()))?;
        text.push('\n');
    }
    Ok(text)
}

/// One report, or several under their headings.
fn text(reports: &[Report], args: &ReportArgs) -> String {
    let [first, _, ..] = reports else {
        return reports.iter().map(|report| report.text(args)).collect();
    };
    let count = reports.len();
    let mut text = format!("The files are of {count} matches, which are not counted together.\n");
    for (report, number) in reports.iter().zip(1..) {
        let files = shortened(&report.files(), MAX_FILES, ", ");
        let _ = writeln!(text, "\nMatch {number} of {count}: {files}");
        let differences = first.one.header.differences(&report.one.header);
        if !differences.is_empty() {
            let differences = shortened(&differences, MAX_DIFFERENCES, "; ");
            let _ = writeln!(text, "Not match 1: {differences}");
        }
        text += &report.text(args);
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
