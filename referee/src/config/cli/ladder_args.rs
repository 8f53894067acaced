//! The options of `referee ladder`.

use std::ops::Bound;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args, ValueHint};
use jiff::civil::Time;
use referee_core::schedule::Shard;

use super::match_args::RunArgs;
use super::shared::{GAMES, RESULTS, STOPPING, WrapperArgs};
use crate::config::values::{Positive, WholeNumber, number_in};

/// The options of `referee ladder`.
#[derive(Args, Debug)]
#[command(mut_args = of_ladder)]
pub struct LadderArgs {
    /// Folder of submissions, each a folder with an executable file `run` or a file `adapt.toml`
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// End the run after about H hours, such as 8 or 0.5
    ///
    /// The last games begin early enough that they and the outputs will usually be finished by then. The time during
    /// which the machine sleeps does not count.
    #[arg(long, value_parser = hours, allow_negative_numbers = true, value_name = "H", help_heading = STOPPING)]
    pub hours: Option<Duration>,

    /// Play N games in this run; with 0, write only the tables and the feedback
    #[arg(long, allow_negative_numbers = true, value_name = "N", help_heading = STOPPING)]
    pub games: Option<WholeNumber<0, { u64::MAX }>>,

    /// End the run at about this time of the day, such as 06:00
    ///
    /// As with --hours, the last games begin early enough.
    #[arg(long, value_parser = clock, value_name = "HH:MM", help_heading = STOPPING)]
    pub until: Option<Time>,

    /// Of the submissions, rate only NAME; repeatable
    ///
    /// The others count as deleted, and leave the table.
    #[arg(long, value_name = "NAME", help_heading = GAMES)]
    pub only: Vec<String>,

    /// Stop when the order of the first K players is settled
    ///
    /// It is when each of them is stronger than each player below with a probability of at least 95 %.
    #[arg(long, value_name = "K", help_heading = STOPPING)]
    pub settle: Option<Positive>,

    /// Play only shard K of N of the current round, K from 0 to N−1, into a separate file
    ///
    /// The next run without --shard adds the games of all shards to the file of --out.
    #[arg(long, value_name = "K/N", help_heading = GAMES, hide_short_help = true)]
    pub shard: Option<Shard>,

    /// What starts submissions.
    #[command(flatten)]
    pub wrapper: WrapperArgs,

    /// The options that a match has, too.
    #[command(flatten)]
    pub run: RunArgs,

    /// Write the standings for a spreadsheet or a grade book
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub csv: Option<PathBuf>,

    /// Write feedback on each submission to this folder: place, faults, slowest moves and losses
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESULTS)]
    pub feedback: Option<PathBuf>,

    /// Review up to N lost games in the feedback on each submission, 0 to 100
    ///
    /// A game takes about 1.5 s to analyse.
    #[arg(long, default_value = "3", value_name = "N", help_heading = RESULTS, hide_short_help = true)]
    pub reviews: WholeNumber<0, 100>,
}

/// Describes the options of players as those beside the submissions.
fn of_ladder(option: Arg) -> Arg {
    let help = match option.get_id().as_str() {
        "programs" => "More players, such as `squares`; the first has the rating 0",
        "engine" => "Add a player with settings to the submissions; repeatable",
        "out" => "Store the games here; run the same command again to continue",
        "html" => "Write an HTML report of the ladder, updated while it runs, without transcripts",
        "sandbox" => "Run the engines in a sandbox, `on`, `strict` or `off` (default: the strongest here)",
        _ => return option,
    };
    let is_required = option.get_id() == "out";
    option.required(is_required).help(help).long_help(help)
}

/// The longest run, in hours: a year.
const MAX_HOURS: f64 = 8784.0;

/// A number of hours.
fn hours(text: &str) -> Result<Duration, String> {
    let expected = format!("a number of hours above 0 and up to {MAX_HOURS}, such as 8 or 0.5");
    let hours = number_in(
        (Bound::Excluded(0.0), Bound::Included(MAX_HOURS)),
        &expected,
        text,
    )?;
    Ok(Duration::from_secs_f64(hours * 3600.0))
}

/// A time of the day.
fn clock(text: &str) -> Result<Time, String> {
    Time::strptime("%H:%M", text).map_err(|_| "expected a time from 00:00 to 23:59, such as 06:00".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_hours_and_times() {
        assert_eq!(hours("0.5"), Ok(Duration::from_mins(30)));
        for wrong in ["0", "-1", "x", "", "inf", "nan", "1e9"] {
            assert!(hours(wrong).is_err(), "{wrong}");
        }
        assert_eq!(
            clock("06:05").map(|time| (time.hour(), time.minute())),
            Ok((6, 5))
        );
        for wrong in ["24:00", "6", "06:60", "6pm", ""] {
            assert!(clock(wrong).is_err(), "{wrong}");
        }
    }
}
