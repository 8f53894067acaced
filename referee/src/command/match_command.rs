//! `referee match`: engines, or people, play the games of a schedule.

use std::fmt::Write;
use std::io;

use referee_core::failure::Failure;
use referee_core::io::text::counted;

use super::runs::{install, replayed_text, resume_text, table_file, with_log, write_table};
use crate::config::cli::MatchArgs;
use crate::matches::display::{self, Event, MatchDisplay, OutputMode};
use crate::matches::{MatchEnd, MatchPlan, Outputs, play};
use crate::report::{Summary, csv, table};
use crate::terminal;
use crate::terminal::fitted;
use crate::terminal::progress::Notice;

/// Plays a match, and prints its summary.
pub fn run(args: &MatchArgs) -> Result<(), Failure> {
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
        let _ = write!(text, "\nSandbox: {run}");
    }
    for (&contestant, count) in &unsolicited {
        let name = &end.contestants[contestant].name;
        let line = format!("\nUnexpected lines from {name}: {count}");
        text.push_str(&fitted(&line, io::stdout()));
    }
    text.push_str(&replayed_text(replayed));
    if !tournament.is_finished() {
        let (played, games) = (tournament.played(), tournament.total());
        let stopped = format!(
            "\nStopped after {played} of {}. ",
            counted(games as usize, "game")
        );
        text.push_str(&resume_text(&stopped, args.run.out.as_deref()));
    }
    Ok(display::print(&text)?)
}
