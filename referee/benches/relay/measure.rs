//! The options of the benchmark, its measurements and its table.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use referee_core::io::interrupt::Interrupt;
use referee_core::player::Protocol;
use serde::Serialize;

use crate::calls::NotCounted;
use crate::{bare, calls, relayed};

/// The most system calls that the referee may need for a half-move.
pub const MAX_CALLS: f64 = 6.0;

/// Measure what the referee adds to a half-move
#[derive(Debug, Parser)]
pub struct Args {
    /// Half-moves in a round, 1 to 10000000
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000), value_name = "N")]
    half_moves: u64,

    /// Rounds, 1 to 1000
    #[arg(long, default_value_t = 51, value_parser = clap::value_parser!(u64).range(1..=1000), value_name = "N")]
    rounds: u64,

    /// Print one line of JSON
    #[arg(long)]
    json: bool,

    /// Run one of the two once and print nothing, for strace or perf
    #[arg(long, value_enum, value_name = "PART", conflicts_with_all = ["rounds", "json"])]
    pub part: Option<Part>,

    /// Added by `cargo bench`; without it, `cargo test` started this program
    #[arg(long, hide = true)]
    pub bench: bool,
}

/// One side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The referee, as in a match.
    Referee,
    /// A loop that writes, polls and reads.
    Bare,
    /// The referee, with a bridge in front of each stub.
    Bridged,
}

/// The cost of a half-move.
#[derive(Clone, Copy, Debug, Serialize)]
struct HalfMove {
    /// Of the fastest round, in microseconds.
    best_us: f64,
    /// Of the median round, in microseconds.
    median_us: f64,
    /// Of all processes together; `None` where they were not counted.
    system_calls: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Measurement {
    half_moves: u64,
    rounds: u64,
    referee: HalfMove,
    bare: HalfMove,
    bridged: HalfMove,
    /// The referee's figures divided by those of the bare loop.
    ratio: Ratio,
    /// Those with bridges divided by those without.
    bridged_ratio: Ratio,
    /// Why system calls were not counted.
    not_counted: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Ratio {
    best: f64,
    median: f64,
    system_calls: Option<f64>,
}

/// Runs the benchmark.
pub fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let interrupt = Arc::new(Interrupt::install()?);
    if let Some(part) = args.part {
        return measure(part, args.half_moves, &interrupt).map(|_| ExitCode::SUCCESS);
    }
    let measurement = compare(args, &interrupt)?;
    if args.json {
        println!("{}", serde_json::to_string(&measurement)?);
    } else {
        print!("{}", table(&measurement));
    }
    let counted = measurement.referee.system_calls;
    if counted.is_some_and(|calls| calls > MAX_CALLS) {
        return Err(format!("the referee needs more than {MAX_CALLS} system calls for a half-move").into());
    }
    Ok(ExitCode::SUCCESS)
}

/// The time that one side needs for this many half-moves.
fn measure(part: Part, half_moves: u64, interrupt: &Arc<Interrupt>) -> Result<Duration, Box<dyn Error>> {
    match part {
        Part::Referee => relayed::measure(half_moves, None, Protocol::Uci, interrupt),
        Part::Bridged => relayed::measure(half_moves, None, Protocol::Gtp, interrupt),
        Part::Bare => Ok(bare::measure(half_moves, interrupt)?),
    }
}

/// Measures both sides in turns, then counts the system calls of each.
fn compare(args: &Args, interrupt: &Arc<Interrupt>) -> Result<Measurement, Box<dyn Error>> {
    let mut relayed = Vec::new();
    let mut bare = Vec::new();
    let mut bridged = Vec::new();
    for _ in 0..args.rounds {
        relayed.push(measure(Part::Referee, args.half_moves, interrupt)?);
        bare.push(measure(Part::Bare, args.half_moves, interrupt)?);
        bridged.push(measure(Part::Bridged, args.half_moves, interrupt)?);
    }
    let count = |part: Part| {
        let word = part.to_possible_value();
        calls::count(word.as_ref().map_or("", |value| value.get_name()))
    };
    let mut relayed_calls = count(Part::Referee);
    // On a busy machine late answers cost more calls, so a count above the limit has two more tries.
    for _ in 0..2 {
        if relayed_calls.as_ref().is_ok_and(|calls| *calls > MAX_CALLS) {
            relayed_calls = count(Part::Referee);
        }
    }
    let counted = relayed_calls.and_then(|relayed| count(Part::Bare).map(|bare| (relayed, bare)));
    if let Some(signal) = interrupt.caught() {
        return Err(signal.into());
    }
    let counts = counted.as_ref().ok().copied();
    let referee = half_move(relayed, args.half_moves, counts.map(|(relayed, _)| relayed));
    let bare = half_move(bare, args.half_moves, counts.map(|(_, bare)| bare));
    let bridged = half_move(bridged, args.half_moves, None);
    Ok(Measurement {
        half_moves: args.half_moves,
        rounds: args.rounds,
        referee,
        bare,
        bridged,
        bridged_ratio: Ratio {
            best: bridged.best_us / referee.best_us,
            median: bridged.median_us / referee.median_us,
            system_calls: None,
        },
        ratio: Ratio {
            best: referee.best_us / bare.best_us,
            median: referee.median_us / bare.median_us,
            system_calls: counts.map(|(relayed, bare)| relayed / bare),
        },
        not_counted: counted.err().map(|NotCounted(why)| why),
    })
}

/// The cost of a half-move from the times of all rounds; there is at least one.
fn half_move(mut rounds: Vec<Duration>, half_moves: u64, system_calls: Option<f64>) -> HalfMove {
    rounds.sort_unstable();
    let each = |round: Option<&Duration>| {
        let time = round.copied().unwrap_or_default();
        time.as_secs_f64() * 1e6 / half_moves as f64
    };
    HalfMove {
        best_us: each(rounds.first()),
        median_us: each(rounds.get(rounds.len() / 2)),
        system_calls,
    }
}

fn table(measurement: &Measurement) -> String {
    let Measurement {
        half_moves,
        rounds,
        referee,
        bare,
        bridged,
        ratio,
        bridged_ratio,
        ..
    } = measurement;
    let calls = |count: Option<f64>| count.map_or("-".to_string(), |count| format!("{count:.2}"));
    let mut lines = vec![
        format!("Half-moves a round: {half_moves}; rounds: {rounds}. Each half-move takes:"),
        format!("{:<10}{:>12}{:>12}{:>14}", "", "best", "median", "system calls"),
    ];
    for (what, half_move) in [("referee", referee), ("bare loop", bare), ("bridged", bridged)] {
        let (best, median) = (half_move.best_us, half_move.median_us);
        let calls = calls(half_move.system_calls);
        lines.push(format!("{what:<10}{best:>9.1} µs{median:>9.1} µs{calls:>14}"));
    }
    let (best, median, counted) = (ratio.best, ratio.median, calls(ratio.system_calls));
    lines.push(format!("{:<10}{best:>12.2}{median:>12.2}{counted:>14}", "ratio"));
    let Ratio { best, median, .. } = bridged_ratio;
    lines.push(format!(
        "{:<10}{best:>12.2}{median:>12.2}  bridged / referee",
        "ratio"
    ));
    if let Some(why) = &measurement.not_counted {
        lines.push(format!("system calls not counted: {why}"));
    }
    lines.join("\n") + "\n"
}

/// The fastest round and the median count.
pub fn check_half_move() {
    let rounds = [30, 10, 20].map(Duration::from_micros).to_vec();
    let half_move = half_move(rounds, 10, None);
    assert_eq!((half_move.best_us, half_move.median_us), (1.0, 2.0));
}
