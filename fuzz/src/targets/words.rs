//! Command lines of the referee, and values of its options.

use std::ffi::OsString;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use referee::config;
use referee::config::settings::{self, Settings};
use referee::game::clock::{TimeControl, parse_seconds};
use referee::schedule::Shard;
use referee::schedule::openings::OpeningSource;
use referee::statistics::{Pentanomial, Sprt, Trinomial};

use super::support::{line, text};

/// The lines of the input as arguments.
fn words(input: &[u8]) -> Vec<OsString> {
    let text = text(input).replace('\0', " ");
    text.lines().map(OsString::from).collect()
}

/// A list of `KEY=VALUE`: printed and parsed, it stays the same.
pub fn settings(input: &[u8]) -> String {
    let start = ["--engine"].map(OsString::from);
    let gathered = settings::gather(start.into_iter().chain(words(input)));
    let list = gathered
        .first()
        .and_then(|list| list.to_str())
        .unwrap_or_default();
    let list = list.strip_prefix("--engine=").unwrap_or_default();
    match list.parse::<Settings>() {
        Ok(settings) => {
            let again = settings.words().join(settings::SEPARATOR);
            assert_eq!(again.parse().as_ref(), Ok(&settings), "{again}");
            let _ = settings.control();
            let merged = settings.clone().or(&settings);
            assert_eq!(merged.time, settings.time);
            format!("{settings:?}").matches("Some").collect()
        }
        Err(error) => error,
    }
}

/// A whole command line. It is only parsed, but a `--config` file is read.
pub fn arguments(input: &[u8]) -> String {
    let start = ["referee"].map(OsString::from);
    match config::command_line(start.into_iter().chain(words(input))) {
        Ok(cli) => {
            let shown = format!("{cli:?}");
            let fields = shown.split(|character: char| !character.is_ascii_alphabetic() && character != '_');
            fields.take(60).collect()
        }
        Err(config::CommandLineError::Clap(error)) => format!("{:?}", error.kind()),
        Err(config::CommandLineError::Config(error)) => error.to_string(),
    }
}

/// Parses a value: printed and parsed, it stays the same. Returns the error.
fn round_trip<T>(line: &str) -> String
where
    T: FromStr<Err = String> + Display + PartialEq + Debug,
{
    match line.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            assert_eq!(printed.parse().as_ref(), Ok(&value), "{printed}");
            String::new()
        }
        Err(error) => error,
    }
}

/// Times, shards and sources of openings: printed and parsed, they stay the same.
pub fn limits(input: &[u8]) -> String {
    let line = line(input);
    let seconds = parse_seconds(&line);
    if let Ok(seconds) = &seconds {
        let printed = TimeControl::Move(*seconds).to_string();
        assert_eq!(parse_seconds(&printed).as_ref(), Ok(seconds), "{printed}");
    }
    [
        round_trip::<TimeControl>(&line),
        seconds.err().unwrap_or_default(),
        round_trip::<Shard>(&line),
        round_trip::<OpeningSource>(&line),
    ]
    .join("; ")
}

/// A sequential test: printed and parsed, it stays the same, and its log-likelihood
/// ratio is a number.
pub fn sprt(input: &[u8]) -> String {
    let line = line(input);
    match line.parse::<Sprt>() {
        Ok(sprt) => {
            let printed = sprt.to_string();
            assert_eq!(printed.parse().as_ref(), Ok(&sprt), "{printed}");
            let bounds = sprt.bounds();
            assert!(bounds.low < bounds.high, "{printed}: {bounds:?}");
            let games = Trinomial {
                wins: 30,
                draws: 5,
                losses: 20,
            };
            let pairs = Pentanomial {
                loss_loss: 1,
                loss_draw: 3,
                win_loss: 7,
                draw_draw: 2,
                win_draw: 5,
                win_win: 2,
            };
            for llr in [sprt.llr_of_games(&games), sprt.llr_of_pairs(&pairs)] {
                assert!(!llr.is_nan(), "{printed}");
                let _ = sprt.decision(llr);
            }
            sprt.model().to_string()
        }
        Err(error) => error,
    }
}
