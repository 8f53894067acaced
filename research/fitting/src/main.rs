//! `fitting` trains the weights of evaluations: `src/game/magnetic_cave/weights.bin` and
//! `src/game/gridlock/weights.bin`.
//!
//! `fitting games` plays games with the built-in weights and writes their positions, one
//! [`Sample`](sample::Sample) per line. `fitting fit` trains weights on samples.
//! `research/magnetic-cave.md` has the commands that made the current weights.

mod adagrad;
mod ending;
mod fit;
mod games;
mod gridlock;
mod loss;
mod magnetic_cave;
mod pipeline;
mod prover;
mod sample;

use std::process::ExitCode;

use clap::Parser;
use lodestone_game::Variant;
use lodestone_game::gridlock::Gridlock;
use lodestone_game::logging;
use lodestone_game::magnetic_cave::MagneticCave;
use referee_core::io::interrupt::Interrupt;

use crate::ending::Ending;
use crate::pipeline::Pipeline;

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
    let variant = match command {
        Command::Games(play) => play.variant,
        Command::Fit(fit) => fit.variant,
        Command::Blank(blank) => blank.variant,
    };
    if variant == Variant::Gridlock {
        run_for::<Gridlock>(command)
    } else {
        run_for::<MagneticCave>(command)
    }
}

fn run_for<G: Pipeline>(command: &Command) -> Result<Ending, String> {
    let interrupt = || Interrupt::install().map_err(|error| format!("cannot handle signals: {error}"));
    match command {
        Command::Games(play) => games::run::<G>(play, &interrupt()?),
        Command::Fit(fit) => fit::run::<G>(fit, &interrupt()?),
        Command::Blank(blank) => fit::blank::<G>(blank),
    }
}
