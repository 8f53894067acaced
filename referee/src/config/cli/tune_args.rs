//! The options of `referee tune`.

use std::path::PathBuf;

use clap::{Arg, Args, ValueHint};

use super::match_args::RunArgs;
use super::shared::{RESULTS, SHORT_NOTE, TUNING, long_help};
use crate::config::values::Whole;
use crate::results::tuning::Parameter;

/// The options of `referee tune`.
#[derive(Args, Debug)]
#[command(after_help = SHORT_NOTE, after_long_help = long_help("tune"), mut_args = of_one_engine)]
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

    /// The options that a match has, too.
    #[command(flatten)]
    pub run: RunArgs,

    /// Write a plot of the values over the iterations to this SVG file
    #[arg(long, value_name = "FILE.svg", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
}

/// Describes the options of players as options of the engine.
fn of_one_engine(option: Arg) -> Arg {
    let help = match option.get_id().as_str() {
        "programs" => "The engine: the path of a program, or the name of a built-in player",
        "engine" => "The engine with settings, such as `cmd=./mybot st=1`",
        "each" => "Settings of the engine, such as `st=1`; those of --engine have priority",
        _ => return option,
    };
    option.help(help).long_help(help)
}

fn exponent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| *number > 0.0 && *number <= 1.0)
        .ok_or_else(|| "expected a number greater than 0 and at most 1".into())
}
