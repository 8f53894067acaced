//! `referee bench-relay`: what the referee adds to a half-move.
//!
//! A match between two [`stub`]s that answer at once is played by the arbiter, with
//! engines, pipes and supervisors as in `referee match`, and beside it by a bare
//! loop that writes the same lines to the same engines, polls and reads. Both are
//! measured in turns, so that the ratio is of the same machine in the same state.

mod bare;
mod calls;
mod relayed;
pub mod stub;

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use self::calls::NotCounted;
use super::{install_interrupt, shown};
use crate::config::cli::{BenchRelayArgs, RelayPart};
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;

/// What a half-move takes.
#[derive(Clone, Copy, Debug, Serialize)]
struct HalfMove {
    /// In the fastest round, in microseconds.
    best_us: f64,
    /// In the middle one of all rounds, in microseconds.
    median_us: f64,
    /// In all processes together; `None` where they were not counted.
    system_calls: Option<f64>,
}

/// All that was measured.
#[derive(Debug, Serialize)]
struct Measurement {
    half_moves: u64,
    rounds: u64,
    referee: HalfMove,
    bare: HalfMove,
    /// How often the bare loop's figures stand in the referee's.
    ratio: Ratio,
    /// Why system calls were not counted.
    not_counted: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Ratio {
    best: f64,
    median: f64,
    system_calls: Option<f64>,
}

/// Measures, and shows what came of it.
///
/// # Errors
/// Where an engine fails, a signal comes or nothing can be shown.
pub fn run(args: &BenchRelayArgs) -> Result<(), Failure> {
    let interrupt = install_interrupt()?;
    if let Some(part) = args.part {
        return measure(part, args.half_moves, &interrupt).map(|_| ());
    }
    let measurement = compare(args, &interrupt)?;
    let text = if args.json {
        let line = serde_json::to_string(&measurement);
        line.map_err(|error| Failure::Output(error.to_string()))? + "\n"
    } else {
        table(&measurement)
    };
    shown(anstream::stdout().write_all(text.as_bytes()))
}

/// How long one of the two takes for so many half-moves.
fn measure(part: RelayPart, half_moves: u64, interrupt: &Arc<Interrupt>) -> Result<Duration, Failure> {
    match part {
        RelayPart::Referee => relayed::measure(half_moves, interrupt),
        RelayPart::Bare => bare::measure(half_moves, interrupt),
    }
}

/// Measures both in turns, then counts the system calls of each.
fn compare(args: &BenchRelayArgs, interrupt: &Arc<Interrupt>) -> Result<Measurement, Failure> {
    let mut relayed = Vec::new();
    let mut bare = Vec::new();
    for _ in 0..args.rounds {
        relayed.push(measure(RelayPart::Referee, args.half_moves, interrupt)?);
        bare.push(measure(RelayPart::Bare, args.half_moves, interrupt)?);
    }
    let counted = calls::count(RelayPart::Referee)
        .and_then(|relayed| calls::count(RelayPart::Bare).map(|bare| (relayed, bare)));
    if let Some(signal) = interrupt.caught() {
        return Err(signal.into());
    }
    let counts = counted.as_ref().ok().copied();
    let referee = half_move(relayed, args.half_moves, counts.map(|(relayed, _)| relayed));
    let bare = half_move(bare, args.half_moves, counts.map(|(_, bare)| bare));
    Ok(Measurement {
        half_moves: args.half_moves,
        rounds: args.rounds,
        referee,
        bare,
        ratio: Ratio {
            best: referee.best_us / bare.best_us,
            median: referee.median_us / bare.median_us,
            system_calls: counts.map(|(relayed, bare)| relayed / bare),
        },
        not_counted: counted.err().map(|NotCounted(why)| why),
    })
}

/// What the rounds, of which there is at least one, say of a half-move.
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

/// The figures for a person.
fn table(measurement: &Measurement) -> String {
    let Measurement {
        referee, bare, ratio, ..
    } = measurement;
    let (half_moves, rounds) = (measurement.half_moves, measurement.rounds);
    let calls = |count: Option<f64>| count.map_or("-".to_string(), |count| format!("{count:.2}"));
    let mut text = format!("Half-moves a round: {half_moves}; rounds: {rounds}. Each half-move takes:\n");
    let _ = writeln!(
        text,
        "{:<10}{:>12}{:>12}{:>14}",
        "", "best", "median", "system calls"
    );
    for (what, half_move) in [("referee", referee), ("bare loop", bare)] {
        let (best, median) = (half_move.best_us, half_move.median_us);
        let calls = calls(half_move.system_calls);
        let _ = writeln!(text, "{what:<10}{best:>9.1} µs{median:>9.1} µs{calls:>14}");
    }
    let (best, median, counted) = (ratio.best, ratio.median, calls(ratio.system_calls));
    let _ = writeln!(text, "{:<10}{best:>12.2}{median:>12.2}{counted:>14}", "ratio");
    if let Some(why) = &measurement.not_counted {
        let _ = writeln!(text, "system calls not counted: {why}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_rounds_and_the_best_are_shown() {
        let rounds = [30, 10, 20].map(Duration::from_micros).to_vec();
        let half_move = half_move(rounds, 10, None);
        assert_eq!((half_move.best_us, half_move.median_us), (1.0, 2.0));
    }
}
