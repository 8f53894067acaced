//! `fitting` makes `src/game/magnetic_cave/weights.bin`, the weights of
//! [`lodestone::game::magnetic_cave::network`].
//!
//! `fitting games` plays games with the weights that are built in and writes a
//! [`Sample`](sample::Sample) a line for their positions; `fitting fit` makes
//! weights from samples. `docs/evaluation.md` has the commands that made the
//! weights in use.

mod fit;
mod games;
mod model;
mod sample;

use std::process::ExitCode;

use clap::Parser;

use crate::model::Model;

/// Makes the weights of lodestone's evaluation.
#[derive(Parser)]
enum Command {
    /// Plays games and writes their positions with their results.
    Games(games::Play),
    /// Fits weights to samples.
    Fit(fit::Fit),
    /// Writes weights that say nothing: only the counted value is left.
    Blank(fit::Blank),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Games(play) => games::run(&play),
        Command::Fit(fit) => fit::run(&fit),
        Command::Blank(blank) => fit::write(&Model::blank(), &blank.out),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fitting: {error}");
            ExitCode::FAILURE
        }
    }
}
