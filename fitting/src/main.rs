//! `fitting` trains `src/game/magnetic_cave/weights.bin`, the weights of
//! [`lodestone::game::magnetic_cave::network`].
//!
//! `fitting games` plays games with the built-in weights and writes their positions, one
//! [`Sample`](sample::Sample) per line. `fitting fit` trains weights on samples.
//! `docs/evaluation.md` has the commands that made the current weights.

mod fit;
mod games;
mod model;
mod sample;

use std::process::ExitCode;

use clap::Parser;

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
    let result = match Command::parse() {
        Command::Games(play) => games::run(&play),
        Command::Fit(fit) => fit::run(&fit),
        Command::Blank(blank) => fit::write(&Model::blank(), &blank.out),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fitting: {error}");
            ExitCode::FAILURE
        }
    }
}
