//! The options of `referee tune`.

use std::path::PathBuf;

use clap::{Arg, Args, ValueHint};

use super::match_args::MatchArgs;
use super::shared::{RESULTS, SHORT_NOTE, TUNING, long_help};
use crate::config::values::Whole;
use crate::results::tuning::Parameter;

/// The options of `referee tune`: its own, and those of a match that apply.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("tune"), mut_args = only_for_tuning)]
pub struct TuneArgs {
    /// A spin option to tune, such as `Margin=60,0,300,10`; once for each option
    ///
    /// `START` is the first value, and all values tried are from `MIN` to `MAX`. `C_END` is the
    /// perturbation at the last iteration: the games compare values that differ by twice as
    /// much. Choose it so that such a change costs a few Elo. `R_END` (0.002) is the learning
    /// rate at the last iteration. Both are those of fishtest.
    #[arg(
        long = "param",
        required = true,
        value_name = "NAME=START,MIN,MAX,C_END[,R_END]",
        help_heading = TUNING
    )]
    pub parameters: Vec<Parameter>,

    /// Iterations, 1 to 10000000: pairs of games with the same opening and colours swapped
    #[arg(long, default_value = "10000", value_name = "N", help_heading = TUNING)]
    pub iterations: Whole<1, 10_000_000>,

    /// Iterations that begin with the same values, 1 to 1000
    ///
    /// Their games can be played at the same time: `--concurrency 8` needs at least `--batch 4`.
    #[arg(long, default_value = "1", value_name = "N", help_heading = TUNING)]
    pub batch: Whole<1, 1000>,

    /// Exponent of the steps, greater than 0 and at most 1 (Spall's α)
    #[arg(long, default_value = "0.602", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub alpha: f64,

    /// Exponent of the perturbations, greater than 0 and at most 1 (Spall's γ)
    #[arg(long, default_value = "0.101", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub gamma: f64,

    /// Spall's stability constant A as a share of the iterations, greater than 0 and at most 1
    #[arg(long, default_value = "0.1", value_parser = exponent, value_name = "X", help_heading = TUNING)]
    pub a_ratio: f64,

    /// The options of a match. Those that are not [`FOR_TUNING`] have their defaults.
    #[command(flatten)]
    pub game: MatchArgs,

    /// Write a plot of the values over the iterations to this SVG file
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
}

/// The options that `referee tune` takes: its own, and those of a match that apply to it.
pub const FOR_TUNING: [&str; 38] = [
    "parameters",
    "iterations",
    "batch",
    "alpha",
    "gamma",
    "a_ratio",
    "plot",
    "programs",
    "engine",
    "each",
    "variant",
    "openings",
    "pieces",
    "turns",
    "seed",
    "draw",
    "resign",
    "prove",
    "finish_games",
    "strict",
    "concurrency",
    "affinity",
    "memory",
    "max_processes",
    "cpu_time",
    "sandbox",
    "sandbox_read",
    "config",
    "out",
    "html",
    "record",
    "pgn",
    "faults",
    "log",
    "quiet",
    "json",
    "rating_interval",
    "help",
];

/// Hides the options of a match that `referee tune` does not take, and describes those of
/// players as options of the engine.
fn only_for_tuning(option: Arg) -> Arg {
    let id = option.get_id().as_str();
    let is_own = FOR_TUNING.contains(&id);
    let help = match id {
        "programs" => "The engine: the path of a program, or the name of a built-in player",
        "engine" => "The engine with settings, such as `cmd=./mybot st=1`",
        "each" => "Settings of the engine, such as `st=1`; those of --engine have priority",
        "config" => "Read options of a match from this TOML file; those of the command line have priority",
        "html" => "Write a page of the games to this file, again and again while they are played",
        "out" => "Save the games in this file; the same command resumes a tuning that was stopped",
        _ => return option.hide(!is_own),
    };
    option.help(help).long_help(help)
}

fn exponent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| *number > 0.0 && *number <= 1.0)
        .ok_or_else(|| "expected a number greater than 0 and at most 1".into())
}
