//! `referee report`: the results of the games in result files.

use std::fmt::Write as _;
use std::process::ExitCode;

use referee_core::failure::Failure;
use referee_core::io::interrupt::Interrupt;
use referee_core::io::json;
use referee_core::io::text::{counted, listed};
use referee_core::results::MOST_DIFFERENCES;
use referee_core::results::archive::{self, CountedLine, Match};
use referee_core::results::pgn::Export;
use referee_core::tournament::Tournament;
use referee_statistics::Sprt;
use serde_json::json;

use super::runs::{table_file, write_table};
use super::{check_rules, install_interrupt, print, verdict};
use crate::config::cli::ReportArgs;
use crate::exit_status::ExitStatus;
use crate::report::match_report::{MatchReport, PageOptions, Progress, folders_of_faults, write_page};
use crate::report::page::{EmbeddedEngine, PageFile};
use crate::report::{self, csv, table};
use crate::terminal;

/// The maximum number of files in the heading of a match.
const MAX_FILES: usize = 5;

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
    let page = args.html.as_deref().map(PageFile::open).transpose()?;
    let table = args.csv.iter().flatten().next();
    let table = table.map(|path| table_file(path, csv::BEGINNING, "it has no table of a match"));
    let table = table.transpose()?;
    let engine = args.embed_engine.as_deref().map(EmbeddedEngine::read);
    let engine = engine.transpose().map_err(Failure::Usage)?;
    let matches = archive::read_until(&args.files, &|| interrupt.is_stopped())?;
    let rules = args.rules.loaded;
    check_rules(
        &args.rules,
        matches.iter().map(|one| one.header.game(rules).rules()),
    )?;
    if let Some(test) = args.sprt_decide {
        return decide(test, args.json, &matches, interrupt);
    }
    let export = match (&args.pgn, matches.first()) {
        (Some(path), Some(first)) => Some(Export::open(path, &first.header)?),
        _ => None,
    };
    let reports: Vec<MatchReport> = matches
        .iter()
        .map(|one| {
            MatchReport::new(
                one,
                args.faults.as_deref(),
                page_options(one, args),
                Some(interrupt),
            )
        })
        .collect::<Result<_, _>>()?;
    if let Some(export) = export {
        let games: u64 = reports.iter().map(|report| report.summary.games).sum();
        let mut progress = Progress::start(Some(interrupt), "games located and written", 1, 2 * games);
        export.write(&matches, rules, &mut || progress.add(1))?;
    }
    if let Some(page) = page {
        write_page(&page, &reports, engine.as_ref(), Some(interrupt))?;
    }
    let text = if args.json {
        json_lines(&reports)?
    } else if args.csv.is_some() {
        csv_table(&reports)
    } else {
        text(&reports, args, terminal::width(std::io::stdout()))
    };
    // A reader may never take the output.
    Interrupt::end_at_the_next();
    if interrupt.is_stopped() {
        return Err(interrupt.signal().into());
    }
    match table {
        Some(file) => write_table(&file, &text)?,
        None => print(&text)?,
    }
    let is_complete = reports.iter().all(|report| report.missing.is_empty());
    Ok(verdict(is_complete))
}

/// What the page of a match has; `None` without `--html`.
fn page_options(one: &Match, args: &ReportArgs) -> Option<PageOptions> {
    let folders = || folders_of_faults(one, args.faults.as_deref());
    args.html.as_ref().map(|_| PageOptions {
        folders: Some(if args.no_transcripts {
            Vec::new()
        } else {
            folders()
        }),
        is_of_match: false,
        rules: args.rules.loaded,
        boards_time: None,
    })
}

/// Prints what a sequential test decides over the games of one match.
fn decide(sprt: Sprt, is_json: bool, matches: &[Match], interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let usage = |why: String| Failure::Usage(format!("--sprt-decide: {why}"));
    let [one] = matches else {
        let count = matches.len();
        return Err(usage(format!(
            "the files belong to {count} matches; give the files of one match"
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
    let mut games = Progress::start(Some(interrupt), "games counted", 1, tournament.total());
    one.counted_lines(false, &mut |line| match line {
        CountedLine::Game(game, _) => {
            games.add(1)?;
            tournament.add_game(game)
        }
        CountedLine::Other(_) => Ok(()),
    })?;
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
        let [next, last] = [2 * pairs + 1, 2 * pairs + 2];
        let behind = match waiting {
            0 => String::new(),
            _ => format!("; {waiting} later games do not count before games {next} and {last} are finished"),
        };
        let llr = table::sprt_state(&sprt, llr, accepted);
        format!("{llr}\n{decided} by {}{behind}", counted(pairs as usize, "pair"))
    };
    Interrupt::end_at_the_next();
    print(&(text + "\n"))?;
    Ok(accepted
        .map_or(ExitStatus::Undecided, |_| ExitStatus::Success)
        .into())
}

/// The report as text, with a trailing line break.
fn report_text(report: &MatchReport, args: &ReportArgs, width: Option<usize>) -> String {
    let MatchReport {
        one,
        tournament,
        summary,
        ..
    } = report;
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
    add(analysis(report, width));
    add(report.missing.to_string());
    for note in &report.notes {
        add(format!("Note: {note}"));
    }
    for run in &report.runs {
        add(format!("Note: Sandbox: {run}"));
    }
    text.push('\n');
    text
}

/// The counts over analysed moves; empty without an analysis.
fn analysis(report: &MatchReport, width: Option<usize>) -> String {
    let players = &report.summary.players;
    let rows = players
        .iter()
        .filter_map(|player| Some((player.name.as_str(), player.analysis.as_ref()?)));
    match report.tournament.analyses.games() {
        0 => String::new(),
        games => format!(
            "Analysis of {}\n{}\n",
            counted(games, "game"),
            report::analysis_table(rows, width)
        ),
    }
}
fn json_lines(reports: &[MatchReport]) -> Result<String, Failure> {
    let lines = reports
        .iter()
        .map(|report| json::line(report).map(|line| line + "\n"));
    lines
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::Output(error.to_string()))
}

/// The table of all matches for spreadsheets. Warns of missing games and unfit engines,
/// which it does not show.
fn csv_table(reports: &[MatchReport]) -> String {
    for report in reports {
        let missing = report.missing.to_string();
        let missing = missing.lines().take(1).map(String::from);
        let warnings = missing.chain(table::unfit(&report.summary));
        let runs = report.runs.iter().map(|run| format!("Sandbox: {run}"));
        let notes = report.notes.iter().cloned().chain(runs);
        for warning in warnings.chain(notes) {
            log::warn!("{warning}");
        }
    }
    let summaries = reports.iter().map(|report| &report.summary);
    csv::csv(summaries)
}

/// One report, or several under their headings.
fn text(reports: &[MatchReport], args: &ReportArgs, width: Option<usize>) -> String {
    let [first, _, ..] = reports else {
        return reports
            .iter()
            .map(|report| report_text(report, args, width))
            .collect();
    };
    let count = reports.len();
    let mut text = format!("The files belong to {count} matches, which are counted separately.\n");
    text = table::wrapped(&text, width);
    for (report, number) in reports.iter().zip(1..) {
        let files = listed(&report.files, MAX_FILES, ", ");
        let mut heading = format!("\nMatch {number} of {count}: {files}\n");
        let differences = first.one.header.differences(&report.one.header);
        if !differences.is_empty() {
            let differences = listed(&differences, MOST_DIFFERENCES, "; ");
            let _ = writeln!(heading, "Differs from match 1: {differences}");
        }
        text += &table::wrapped(&heading, width);
        text += &report_text(report, args, width);
    }
    text
}
