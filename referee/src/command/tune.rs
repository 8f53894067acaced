//! `referee tune`: tunes spin options of an engine by games of the engine against itself.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use referee_core::failure::Failure;
use referee_core::io::files::Target;
use referee_core::io::text;
use referee_core::io::text::ShowPath;
use referee_core::results::tuning::Parameter;
use referee_core::tournament::tuner::{PLAYERS, Tuner};

use super::runs;
use crate::config::cli::TuneArgs;
use crate::matches::display::{self, Event, MatchDisplay, TunedOptions};
use crate::matches::{MatchPlan, MatchState, Outputs, play};
use crate::report::plot;
use crate::report::text_table::{Column, TextTable};
use crate::terminal;

/// How the SVG file of `--plot` begins. Only such a file is overwritten.
const SVG_START: &[u8] = b"<svg ";

/// Tunes options, and prints their values.
pub fn run(args: &TuneArgs) -> Result<(), Failure> {
    runs::with_log(args.run.log.as_ref(), || {
        let interrupt = runs::install(&args.run)?;
        let plot = args.plot.as_deref().map(plot_file).transpose()?;
        let plan = MatchPlan::of_tuning(args, &interrupt)?;
        let outputs = Outputs::of_tuning(&args.run)?;
        let mut end = play(plan, outputs, &interrupt)?;
        let plotted = plot.map_or(Ok(()), |target| write_plot(&target, &end.state));
        print_values(args, &mut end.state)?;
        end.result.and(plotted)
    })
}

/// The file of `--plot`. It replaces only a plot.
fn plot_file(path: &Path) -> Result<Target, Failure> {
    let target = Target::open_own(path, SVG_START, "the file exists and is not an SVG file");
    target.map_err(|error| Failure::Usage(format!("--plot {}: {error}", path.shown())))
}

fn write_plot(target: &Target, state: &MatchState) -> Result<(), Failure> {
    let Some(tuner) = state.tuner() else {
        return Ok(());
    };
    let written = target.write(|out| Ok(out.write_all(plot::svg(tuner).as_bytes())?));
    written.map_err(|error| Failure::Output(format!("--plot {}: {error}", target.path.shown())))
}

/// Prints the values, and how to use them or to resume.
fn print_values(args: &TuneArgs, state: &mut MatchState) -> Result<(), Failure> {
    let Some(tuner) = state.tuner().cloned() else {
        return Ok(());
    };
    let (tournament, screen) = state.shown();
    if screen.mode().is_json() {
        return Ok(MatchDisplay::event(&Event::Tuned {
            values: TunedOptions::new(&tuner),
            settings: words(&tuner),
        })?);
    }
    let mut text = table(&tuner).fit(terminal::width(io::stdout()).unwrap_or(usize::MAX));
    let games = tournament.standings.meeting(0, 1).games;
    let _ = write!(
        text,
        "\n\n{} of {} iterations, {} games; {} won {}, drew {} and lost {}.",
        tuner.done(),
        tuner.tuning.iterations,
        tournament.played(),
        PLAYERS[0],
        games.wins,
        games.draws,
        games.losses
    );
    let players = &tournament.standings.players;
    let faults: u64 = players.iter().flat_map(|player| player.faults.values()).sum();
    if faults > 0 {
        let _ = write!(
            text,
            "\nGames lost by a fault, which count like the others: {faults}."
        );
    }
    let words = words(&tuner);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let _ = write!(
        text,
        "\n\nAs settings for `referee match`:\n  {}",
        text::join(&words)
    );
    if !tournament.is_finished() {
        let stopped = format!(
            "\n\nStopped after {} of {} games. ",
            tournament.played(),
            tournament.total()
        );
        text.push_str(&runs::resume_text(&stopped, args.run.out.as_deref()));
    }
    Ok(display::print(&text)?)
}

/// The values as settings of a player.
fn words(tuner: &Tuner) -> Vec<String> {
    tuner
        .rounded()
        .map(|(name, value)| format!("option.{name}={value}"))
        .collect()
}

/// A row for each parameter.
fn table(tuner: &Tuner) -> TextTable {
    let parameters = &tuner.tuning.parameters;
    let column = |heading: &str, cell: &dyn Fn(usize, &Parameter) -> String| {
        let cells = parameters.iter().enumerate().map(|(index, one)| cell(index, one));
        Column::new(heading, cells)
    };
    TextTable {
        numbers: column("", &|index, _| (index + 1).to_string()),
        names: column("Parameter", &|_, one| one.name.clone()),
        groups: vec![
            vec![
                column("Start", &|_, one| one.start.to_string()),
                column("Value", &|index, _| {
                    tuner
                        .values()
                        .get(index)
                        .map_or_else(String::new, |value| format!("{value:.2}"))
                }),
            ],
            vec![
                column("Min", &|_, one| one.min.to_string()),
                column("Max", &|_, one| one.max.to_string()),
            ],
            vec![
                column("C_END", &|_, one| one.c_end.to_string()),
                column("R_END", &|_, one| one.r_end.to_string()),
            ],
        ],
    }
}
