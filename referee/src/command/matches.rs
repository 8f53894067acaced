//! `referee match`: engines, or people, play the games of a schedule.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{install_interrupt, installed};
use crate::config::cli::{MatchArgs, RunArgs};
use crate::config::with_keys::LogOption;
use crate::io::failure::Failure;
use crate::io::files::Target;
use crate::io::interrupt::Interrupt;
use crate::io::log_file;
use crate::io::progress::Notice;
use crate::io::terminal;
use crate::io::terminal::fitted;
use crate::io::text::{ShowPath, counted};
use crate::play::display::{self, Event, MatchDisplay, OutputMode};
use crate::play::{MatchEnd, MatchPlan, Outputs, play};
use crate::report::{Summary, csv, table};

/// What a user reads at the first Ctrl-C with `--finish-games`.
const FINISHING: &str =
    "no new game is started; the running games are finished. Press Ctrl-C again to drop them";

/// Plays a match, and prints its summary.
pub fn run(args: &MatchArgs) -> Result<(), Failure> {
    check_outputs(&args.run, args.csv.as_ref())?;
    let csv = args
        .csv
        .as_deref()
        .map(|path| table_file(path, csv::BEGINNING, "it has no table of a match"));
    let csv = csv.transpose()?;
    with_log(args.run.log.as_ref(), || {
        let interrupt = install(&args.run)?;
        let plan = MatchPlan::of_match(args)?;
        let outputs = Outputs::of_match(args, &plan)?;
        let mut end = play(plan, outputs, &interrupt)?;
        let saved = csv.map_or(Ok(()), |file| {
            let (tournament, _) = end.state.shown();
            write_table(&file, &csv::csv([&Summary::new(&end.header, tournament)]))
        });
        print_summary(args, &mut end)?;
        end.result.and(saved)
    })
}

/// The file of `--csv`. It replaces only one that begins like it.
pub(super) fn table_file(path: &Path, beginning: &str, refused: &str) -> Result<Target, Failure> {
    let target = Target::open_own(path, beginning.as_bytes(), refused);
    target.map_err(|error| Failure::Usage(format!("--csv {}: {error}", path.shown())))
}

/// Writes the file of `--csv`.
pub(super) fn write_table(file: &Target, text: &str) -> Result<(), Failure> {
    let written = file.write(|out| Ok(out.write_all(text.as_bytes())?));
    written.map_err(|error| Failure::Output(format!("--csv {}: {error}", file.path.shown())))
}

/// Plays games, with their log.
pub(super) fn with_log(
    log: Option<&LogOption>,
    play: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(log) = log else {
        return play();
    };
    let here = |error: io::Error| format!("--log {}: {error}", log.path.shown());
    log_file::open(&log.path, log.level, log.engines).map_err(|error| Failure::Usage(here(error)))?;
    let played = play();
    if let Err(failure) = &played {
        log::info!("the match ends: {failure}");
    }
    let logged = log_file::close().map_err(|error| Failure::Output(here(error)));
    played.and(logged)
}

/// Checks that each output has a file of its own.
pub(super) fn check_outputs(run: &RunArgs, csv: Option<&PathBuf>) -> Result<(), Failure> {
    let files = [
        ("--out", run.out.as_ref()),
        ("--pgn", run.pgn.as_ref().map(|pgn| &pgn.path)),
        ("--html", run.html.as_ref()),
        ("--log", run.log.as_ref().map(|log| &log.path)),
        ("--csv", csv),
    ];
    for (index, (option, path)) in files.iter().enumerate() {
        let Some(path) = path.filter(|path| path.is_file() || !path.exists()) else {
            continue;
        };
        if let Some((other, _)) = files[..index].iter().find(|(_, other)| *other == Some(path)) {
            return Err(Failure::Usage(format!(
                "{option} {}: this is the file of {other}; each needs its own file",
                path.shown()
            )));
        }
    }
    Ok(())
}

/// Listens for the signals that stop games.
pub(super) fn install(run: &RunArgs) -> Result<Arc<Interrupt>, Failure> {
    if run.finish_games {
        installed(Interrupt::install_finishing(FINISHING))
    } else {
        install_interrupt()
    }
}

/// Prints the summary, and how to resume a match that was stopped.
fn print_summary(args: &MatchArgs, end: &mut MatchEnd) -> Result<(), Failure> {
    let header = &end.header;
    let (unsolicited, replayed) = (std::mem::take(&mut end.state.unsolicited), end.state.replayed);
    let (tournament, screen) = end.state.shown();
    let notice = Notice::show("computing ratings and intervals", args.run.quiet);
    let summary = Summary::new(header, tournament).with_transcripts(tournament, &end.transcripts);
    drop(notice);
    match screen.mode() {
        mode if mode.is_json() => return Ok(MatchDisplay::event(&Event::End(&summary))?),
        OutputMode::Cutechess => return Ok(MatchDisplay::match_over(tournament)?),
        _ => {}
    }
    let mut text = table::summary(header, tournament, &summary, terminal::width(io::stdout()));
    if let Some(run) = &end.sandbox {
        let _ = write!(text, "\n{run}");
    }
    for (&contestant, count) in &unsolicited {
        let name = &end.contestants[contestant].name;
        let line = format!("\nUnexpected lines from {name}: {count}");
        text.push_str(&fitted(&line, io::stdout()));
    }
    text.push_str(&replayed_text(replayed));
    if !tournament.is_finished() {
        let (played, games) = (tournament.played(), tournament.total());
        let stopped = format!("\nStopped after {played} of {games} games. ");
        text.push_str(&resume_text(&stopped, args.run.out.as_deref()));
    }
    Ok(display::print(&text)?)
}

/// How often games were played again because of the machine, and what to do.
pub(super) fn replayed_text(count: u64) -> String {
    match count {
        0 => String::new(),
        count => fitted(
            &format!(
                "\nReplayed because of the machine (see the warnings): {}. If it was busy, play fewer games \
                 at a time \
                 (`--concurrency`), or run nothing else during the match.",
                counted(count as usize, "game")
            ),
            io::stdout(),
        ),
    }
}

/// How to resume a match, behind the sentence that says where it stopped.
pub(super) fn resume_text(stopped: &str, out: Option<&Path>) -> String {
    let advice = match out {
        None => "Nothing was saved; with `--out FILE.jsonl` a match can be resumed.".to_string(),
        Some(path) => format!(
            "They are saved in {}; run the same command again to resume.",
            path.shown()
        ),
    };
    fitted(&format!("{stopped}{advice}"), io::stdout())
}
