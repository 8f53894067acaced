//! `referee estimate`: how many machines, hours and bytes a match needs.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::plan::Plan;
use super::trial::{self, Trial};
use super::{contest, install_interrupt, shown};
use crate::config::cli::{Command, EstimateArgs, MatchArgs, OutputFormat};
use crate::config::roster::{self, Contestant};
use crate::config::settings::Settings;
use crate::config::values::Whole;
use crate::config::{CommandLineError, command_line};
use crate::io::failure::Failure;
use crate::report::archive;
use crate::results::{Header, Line};
use crate::schedule::Format;
use crate::statistics::test_length::{self, Truth};
use crate::statistics::{Pentanomial, Sprt};
use crate::tournament::Tournament;

/// The factor between the standard error of a mean and half of its 95 % interval.
const Z95: f64 = 1.96;

/// Bytes of a megabyte, as schedulers count it.
const MEGABYTE: u64 = 1 << 20;

/// The memory to request is this factor above the measured one, because engines fill their
/// memory during a match.
const MEMORY_RESERVE: f64 = 1.5;

/// The granularity of a request for memory, in MB.
const MEMORY_STEP: u64 = 64;

/// The games of a match that were played for the estimate.
#[derive(Debug)]
struct SampleGames {
    header: Header,
    /// The thinking time of each game, in seconds.
    thinking: Vec<f64>,
    /// The size of the records, in bytes.
    bytes: u64,
    /// Games lost by a fault.
    faults: u64,
    /// The pairs between the first two players, from the point of view of the first.
    pairs: Pentanomial,
}

/// The numbers of an estimate.
#[derive(Debug, Serialize)]
struct Numbers {
    /// The games of the whole match.
    games: u64,
    trial: TrialNumbers,
    seconds_a_game: Range,
    /// The standard deviation of the time of a game, and the longest, in seconds.
    deviation: f64,
    longest: f64,
    games_an_hour: Range,
    /// Hours of one game after another.
    hours: Range,
    shards: u64,
    /// Games at a time in each shard.
    slots: u64,
    /// The expected time of the slowest shard, in hours.
    slowest_shard: f64,
    memory: Option<Memory>,
    bytes_a_game: f64,
    /// The size of all result files, in bytes.
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtNumbers>,
}

#[derive(Debug, Serialize)]
struct TrialNumbers {
    games: u64,
    /// From the start of the process to its end, if a trial was played.
    seconds: Option<f64>,
    /// The part of it before the first game.
    start: Option<f64>,
    faults: u64,
}

/// An estimate and the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Range {
    value: f64,
    low: f64,
    high: f64,
}

/// The memory of a shard, in MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Memory {
    referee: u64,
    /// That of the engines of one game.
    engines: u64,
    shard: u64,
    request: u64,
}

/// The games that a sequential test needs.
#[derive(Debug, Serialize)]
struct SprtNumbers {
    test: String,
    /// On average, at `elo0`, between the hypotheses and at `elo1`.
    games: [f64; 3],
    /// Nine of ten tests end within this number.
    ninety: [f64; 3],
    /// The factor between these numbers and their 95 % intervals.
    uncertainty: f64,
    /// The share of drawn games in the trial.
    draws: Option<f64>,
}

impl SampleGames {
    /// The time before the first game of the trial, in seconds.
    fn start_of(&self, trial: &Trial) -> f64 {
        let Some((time, games)) = trial.first else {
            return 0.0;
        };
        let thinking: f64 = self.thinking.iter().take(games as usize).sum();
        (time.as_secs_f64() - thinking).max(0.0)
    }
}

/// Estimates a match.
///
/// # Errors
/// When the command or the file is wrong, the trial fails, or a signal ends it.
pub fn run(args: &EstimateArgs) -> Result<(), Failure> {
    let numbers = match &args.from {
        Some(path) => {
            let sample = read(path)?;
            let sprt = sample.header.schedule.sprt;
            let games = total(&sample.header)?;
            let slots = args.slots.map_or(1, Whole::get);
            numbers(args, &sample, None, games, slots, sprt)?
        }
        None => play(args)?,
    };
    let text = if args.json {
        let line = serde_json::to_string(&numbers);
        line.map_err(|error| Failure::Output(error.to_string()))? + "\n"
    } else {
        numbers.text(args.hours)
    };
    shown(std::io::stdout().lock().write_all(text.as_bytes()))
}

/// Plays the trial.
fn play(args: &EstimateArgs) -> Result<Numbers, Failure> {
    let interrupt = install_interrupt()?;
    let mut match_args = match_args(&args.words)?;
    let (settings, _) = contest::settings(&match_args)?;
    let contestants = if match_args.skip_broken {
        roster::resolve_or_skip(&settings, match_args.variant)?
    } else {
        roster::resolve(&settings, match_args.variant)?
    };
    if contestants.iter().any(Contestant::is_person) {
        return Err(Failure::Usage(
            "a person cannot play a trial; name programs".into(),
        ));
    }
    if match_args.shard.is_some() {
        return Err(Failure::Usage(
            "the estimate is for the whole match; leave out --shard".into(),
        ));
    }
    let plan = Plan::new(&match_args, &contestants)?;
    let games = total(&plan.header)?;
    let slots = args.slots.unwrap_or(match_args.concurrency).get();
    let folder = tempfile::tempdir().map_err(|error| Failure::Output(error.to_string()))?;
    let out = folder.path().join("trial.jsonl");
    let wanted = args.trial.get();
    make_trial(&mut match_args, settings, &plan.header, wanted, &out)?;
    let trial = trial::play(&match_args, folder.path(), wanted, &interrupt)?;
    let sample = read(&out)?;
    numbers(
        args,
        &sample,
        Some(&trial),
        games,
        slots,
        plan.header.schedule.sprt,
    )
}

/// The options of `referee match` in these words.
fn match_args(words: &[String]) -> Result<Box<MatchArgs>, Failure> {
    let command = ["referee", "match"]
        .into_iter()
        .chain(words.iter().map(String::as_str));
    match command_line(command.map(OsString::from)) {
        Ok(cli) => match cli.command {
            Some(Command::Match(args)) => Ok(args),
            _ => Err(Failure::Usage("expected options of `referee match`".into())),
        },
        Err(CommandLineError::Config(failure)) => Err(failure),
        Err(CommandLineError::Clap(error)) => {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            Err(Failure::Usage(text.trim_end().to_string()))
        }
    }
}

/// The number of games of the whole schedule.
fn total(header: &Header) -> Result<u64, Failure> {
    let schedule = header.schedule().map_err(Failure::Usage)?;
    Ok(schedule.total())
}

/// Changes the options of a match to those of a trial of about `wanted` games: a shard of it,
/// which is spread over the schedule. The trial writes only into its folder.
fn make_trial(
    args: &mut MatchArgs,
    settings: Vec<Settings>,
    header: &Header,
    wanted: u64,
    out: &Path,
) -> Result<(), Failure> {
    args.programs.clear();
    args.submissions.clear();
    args.engine = settings;
    args.each = None;
    (args.sprt, args.config, args.save_config, args.html) = (None, None, None, None);
    (args.pgn, args.faults, args.log, args.log_engines) = (None, None, None, false);
    (args.board, args.quiet, args.json) = (false, true, false);
    args.output = OutputFormat::Referee;
    args.concurrency = MatchArgs::default().concurrency;
    args.out = Some(out.to_path_buf());
    let mut schedule = header.schedule().map_err(Failure::Usage)?;
    args.previous.clear();
    args.round = None;
    if args.format.follows_results() {
        (args.format, args.rounds) = (Format::RoundRobin, None);
        (schedule.format, schedule.rounds) = (Format::RoundRobin, 1);
    }
    let mut parts = schedule.total().div_ceil(wanted).max(1);
    // Otherwise a shard would have only some of the pairings.
    while gcd(parts, schedule.boards()) != 1 {
        parts += 1;
    }
    args.shard = format!("0/{parts}").parse().ok();
    Ok(())
}

/// The greatest common divisor (Euclid).
const fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The games of a result file.
fn read(path: &Path) -> Result<SampleGames, Failure> {
    let usage = |error: archive::ArchiveError| Failure::Usage(error.to_string());
    let here = |why: &str| Failure::Usage(format!("{}: {why}", path.display()));
    let matches = archive::read(&[PathBuf::from(path)]).map_err(usage)?;
    let [one] = &matches[..] else {
        return Err(here("it has games of several matches"));
    };
    let header = one.header.clone();
    let mut tournament = Tournament::new(&header).map_err(|why| here(&why))?;
    let mut thinking = Vec::new();
    let mut faults = 0;
    one.lines(|line, _| {
        if let Line::Record(record) = line {
            thinking.push(record.ms.iter().sum::<f64>() / 1000.0);
            faults += u64::from(record.culprit().is_some());
            tournament.add(*record)?;
        }
        Ok(())
    })
    .map_err(usage)?;
    if thinking.len() < 2 {
        return Err(here("an estimate needs two games or more"));
    }
    let text = fs::metadata(path).map_err(|error| here(&error.to_string()))?;
    let heading = serde_json::to_string(&one.parts()[0].header).map_or(0, |text| text.len() as u64 + 1);
    Ok(SampleGames {
        thinking,
        faults,
        bytes: text.len().saturating_sub(heading),
        pairs: tournament.standings().meeting(0, 1).sample.pairs,
        header,
    })
}

fn numbers(
    args: &EstimateArgs,
    sample: &SampleGames,
    trial: Option<&Trial>,
    games: u64,
    slots: u64,
    sprt: Option<Sprt>,
) -> Result<Numbers, Failure> {
    let count = sample.thinking.len() as f64;
    let mean = sample.thinking.iter().sum::<f64>() / count;
    let squares = sample
        .thinking
        .iter()
        .map(|time| (time - mean).powi(2))
        .sum::<f64>();
    let deviation = (squares / (count - 1.0)).sqrt();
    let margin = Z95 * deviation / count.sqrt();
    let start = trial.map_or(0.0, |trial| sample.start_of(trial));
    // Between two games, time passes that no clock of a player has.
    let value = trial.map_or(mean, |trial| {
        ((trial.time.as_secs_f64() - start) / count).max(mean)
    });
    let seconds = Range {
        value,
        low: (value - margin).max(f64::MIN_POSITIVE),
        high: value + margin,
    };
    let longest = sample.thinking.iter().copied().fold(0.0, f64::max);
    let wall = args.hours * 3600.0;
    if longest > wall || seconds.value > wall {
        return Err(Failure::Usage(format!(
            "--hours {}: a game alone takes {:.1} s",
            args.hours,
            longest.max(seconds.value)
        )));
    }
    let shards = shards_within(wall - start, games, slots, seconds.value, deviation);
    let per_game = sample.bytes as f64 / count;
    let memory = trial.and_then(|trial| {
        let [referee, engines] =
            [trial.referee_memory?, trial.engine_memory?].map(|bytes| bytes.div_ceil(MEGABYTE));
        let shard = referee + slots * engines;
        let request = ((shard as f64 * MEMORY_RESERVE) as u64).div_ceil(MEMORY_STEP) * MEMORY_STEP;
        Some(Memory {
            referee,
            engines,
            shard,
            request,
        })
    });
    Ok(Numbers {
        games,
        trial: TrialNumbers {
            games: sample.thinking.len() as u64,
            seconds: trial.map(|trial| trial.time.as_secs_f64()),
            start: trial.map(|_| start),
            faults: sample.faults,
        },
        seconds_a_game: seconds,
        deviation,
        longest,
        games_an_hour: Range {
            value: 3600.0 / seconds.value,
            low: 3600.0 / seconds.high,
            high: 3600.0 / seconds.low,
        },
        hours: Range {
            value: seconds.value * games as f64 / 3600.0,
            low: seconds.low * games as f64 / 3600.0,
            high: seconds.high * games as f64 / 3600.0,
        },
        shards,
        slots,
        slowest_shard: (start + slowest(shards, games, slots, seconds.value, deviation)) / 3600.0,
        memory,
        bytes_a_game: per_game,
        bytes: (per_game * games as f64) as u64,
        sprt: sprt.map(|sprt| sprt_numbers(&sprt, &sample.pairs)),
    })
}

fn sprt_numbers(sprt: &Sprt, pairs: &Pentanomial) -> SprtNumbers {
    let lengths = test_length::lengths(sprt, pairs);
    SprtNumbers {
        test: sprt.to_string(),
        games: lengths.map(|length| 2.0 * length.mean),
        ninety: lengths.map(|length| 2.0 * length.ninety),
        uncertainty: test_length::uncertainty(sprt, pairs),
        draws: pairs.games().draw_ratio(),
    }
}

/// The expected time of the slowest of equal shards, in seconds. The time of a shard is nearly
/// normal, and the largest of n normal numbers is about √(2 ln n) deviations above their mean.
fn slowest(shards: u64, games: u64, slots: u64, mean: f64, deviation: f64) -> f64 {
    // A pair stays in one shard, and the last games of a shard may leave slots idle.
    let pairs = games.div_ceil(2).div_ceil(shards);
    let rounds = (2 * pairs).min(games).div_ceil(slots) as f64;
    rounds * mean + deviation * rounds.sqrt() * (2.0 * (shards as f64).ln()).sqrt()
}

/// The smallest number of shards of which the slowest is expected to end in time, but at most
/// one shard for each pair.
fn shards_within(wall: f64, games: u64, slots: u64, mean: f64, deviation: f64) -> u64 {
    let pairs = games.div_ceil(2).max(1);
    let is_in_time = |shards: u64| slowest(shards, games, slots, mean, deviation) <= wall;
    let (mut low, mut high) = (1, pairs);
    while low < high {
        let middle = u64::midpoint(low, high);
        if is_in_time(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

impl Numbers {
    fn text(&self, wall: f64) -> String {
        let mut text = String::new();
        let mut line = |label: &str, content: String| {
            let _ = writeln!(text, "{label:9}{content}");
        };
        let TrialNumbers {
            games,
            seconds,
            start,
            faults,
        } = self.trial;
        let time = seconds.zip(start).map_or_else(String::new, |(seconds, start)| {
            format!(" in {seconds:.1} s, one at a time; the start took {start:.1} s")
        });
        let faults = match faults {
            0 => String::new(),
            faults => format!("; {faults} lost by a fault"),
        };
        line("Trial:", format!("{games} of {} games{time}{faults}", self.games));
        let Range { value, low, high } = self.seconds_a_game;
        line(
            "Game:",
            format!(
                "{value:.3} s [{low:.3}, {high:.3}], standard deviation {:.3} s, longest {:.3} s",
                self.deviation, self.longest
            ),
        );
        let Range { value, low, high } = self.games_an_hour;
        line(
            "Speed:",
            format!("{value:.0} games an hour and slot [{low:.0}, {high:.0}]"),
        );
        let Range { value, low, high } = self.hours;
        line(
            "Match:",
            format!(
                "{} games take {value:.2} hours of one slot [{low:.2}, {high:.2}]",
                self.games
            ),
        );
        let late = if self.slowest_shard > wall {
            "; more shards do not help"
        } else {
            ""
        };
        line(
            "Shards:",
            format!(
                "{} for {wall} h, {} at a time in each; about {} games a shard, the slowest takes {:.2} h{late}",
                self.shards,
                counted(self.slots, "game"),
                self.games.div_ceil(self.shards),
                self.slowest_shard
            ),
        );
        match self.memory {
            Some(memory) => line(
                "Memory:",
                format!(
                    "{} MB a shard (referee {} MB, engines of one slot {} MB); request {} MB",
                    memory.shard, memory.referee, memory.engines, memory.request
                ),
            ),
            None => line("Memory:", "not measured".into()),
        }
        line(
            "Files:",
            format!(
                "{}, {:.1} MB in all, {:.0} bytes a game",
                counted(self.shards, "result file"),
                self.bytes as f64 / 1e6,
                self.bytes_a_game
            ),
        );
        if let Some(sprt) = &self.sprt {
            line("SPRT:", sprt.text(self));
        }
        text
    }
}

impl SprtNumbers {
    /// The lengths as lines, the first without its label.
    fn text(&self, numbers: &Numbers) -> String {
        let mut text = self.test.clone();
        if let Some(draws) = self.draws {
            let _ = write!(
                text,
                "; {:.0} % of the games of the trial are drawn",
                100.0 * draws
            );
        }
        for (truth, (games, ninety)) in Truth::ALL.into_iter().zip(self.games.iter().zip(self.ninety)) {
            let truth = match truth {
                Truth::H0 => "at elo0",
                Truth::Between => "halfway",
                Truth::H1 => "at elo1",
            };
            let _ = write!(text, "\n         {truth}: {games:.0} games on average");
            if self.uncertainty > 1.0 {
                let _ = write!(
                    text,
                    " [{:.0}, {:.0}]",
                    games / self.uncertainty,
                    games * self.uncertainty
                );
            }
            let hours =
                games * numbers.seconds_a_game.value / 3600.0 / (numbers.shards * numbers.slots) as f64;
            let _ = write!(
                text,
                ", nine of ten tests within {ninety:.0}; {hours:.2} h with {}",
                counted(numbers.shards, "shard")
            );
        }
        if self.ninety[1] > numbers.games as f64 {
            let _ = write!(
                text,
                "\n         the match may end undecided: it has {} games",
                numbers.games
            );
        }
        text
    }
}

/// A number with its noun.
fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_games_fill_the_time_exactly() {
        // 1000 games of 36 s are 10 hours; a shard has whole pairs.
        for (wall, slots, shards) in [(3600.0, 1, 10), (3600.0, 2, 5), (36_000.0, 1, 1), (72.0, 1, 500)] {
            assert_eq!(
                shards_within(wall, 1000, slots, 36.0, 0.0),
                shards,
                "{wall} {slots}"
            );
        }
        assert!((slowest(10, 1000, 1, 36.0, 0.0) - 3600.0).abs() < 1e-9);
    }

    #[test]
    fn varying_games_need_more_shards() {
        let (constant, varying) = [0.0, 30.0]
            .map(|deviation| shards_within(3600.0, 100_000, 1, 36.0, deviation))
            .into();
        assert_eq!(constant, 1000);
        assert!((1050..1400).contains(&varying), "{varying}");
        assert!(slowest(varying, 100_000, 1, 36.0, 30.0) <= 3600.0);
    }

    #[test]
    fn a_time_below_a_pair_gives_one_shard_a_pair() {
        assert_eq!(shards_within(10.0, 1000, 1, 36.0, 0.0), 500);
    }
}
