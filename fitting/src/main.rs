//! `fitting` trains `src/game/magnetic_cave/weights.bin`, the weights of
//! [`lodestone::game::magnetic_cave::network`].
//!
//! `fitting games` plays games with the built-in weights and writes their positions, one
//! [`Sample`](sample::Sample) per line. `fitting fit` trains weights on samples.
//! `docs/evaluation.md` has the commands that made the current weights.

mod ending;
mod fit;
mod games;
mod model;
mod sample;

use std::process::ExitCode;

use clap::Parser;
use lodestone::logging;
use referee::io::interrupt::Interrupt;

use crate::ending::Ending;
use crate::model::Model;

/// Trains the weights of Lodestone's evaluation.
#[derive(Parser)]
enum Command {
    /// Play games and write their positions with the results.
    Games(games::Play),
    /// Train weights on samples.
    Fit(fit::Fit),
    /// Write neutral weights: only the counted value matters.
    Blank(fit::Blank),
}

fn main() -> ExitCode {
    logging::init("fitting", str::to_string, logging::Target::Stderr, |_| ());
    match run(&Command::parse()) {
        Ok(Ending::Complete) => ExitCode::SUCCESS,
        Ok(Ending::Interrupted(signal, saved)) => {
            eprintln!("fitting: {signal}: {saved}");
            ExitCode::from(signal.exit_status())
        }
        Err(error) => {
            eprintln!("fitting: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<Ending, String> {
    let interrupt = || Interrupt::install().map_err(|error| format!("cannot handle signals: {error}"));
    match command {
        Command::Games(play) => games::run(play, &interrupt()?),
        Command::Fit(fit) => fit::run(fit, &interrupt()?),
        Command::Blank(blank) => fit::write(&Model::blank(), &blank.out).map(|()| Ending::Complete),
    }
}
