//! What a match by a rules program costs.
//!
//! `referee match` plays games of three programs that answer at once, two bots and the rules. A bare
//! loop writes the same lines to the same programs and reads the answers, but checks, records and
//! shows nothing. Both are measured in turns, in runs of many and of few games: their difference has
//! no start of a process. Where strace is installed, it counts the system calls in the same way.
//!
//! ```text
//! taskset -c 0 cargo bench -p referee --bench rules
//! cargo bench -p referee --bench rules -- --memory 100000
//! ```

mod bare;
#[path = "../relay/calls.rs"]
#[expect(dead_code, reason = "the benchmark `relay` has the checks")]
mod calls;
mod stub;

use std::error::Error;
use std::fs;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};

/// The half-moves of a game.
const LENGTH: usize = 50;

/// The half-moves of the runs with many and with few games.
const LONG: u64 = 40_000;
const SHORT: u64 = 500;

/// The half-moves of the games with which memory is measured.
const SHORT_GAME: usize = 4;

/// The most system calls for a half-move: write, poll and read for the bot and for the rules, and
/// read and write in each of them.
const MAX_CALLS: f64 = 10.5;

/// Measure what a match by a rules program costs
#[derive(Debug, Parser)]
struct Args {
    /// Rounds, 1 to 1000
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u16).range(1..=1000), value_name = "N")]
    rounds: u16,

    /// Measure memory instead, in a match of N games and in one of N / 10
    #[arg(long, value_name = "N")]
    memory: Option<u64>,

    /// Run one side once and print nothing, for strace or perf
    #[arg(long, value_enum, value_name = "PART", requires = "half_moves")]
    part: Option<Part>,

    /// Half-moves of this run
    #[arg(long, value_name = "N")]
    half_moves: Option<u64>,

    /// Added by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

/// One side of the comparison.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    Referee,
    Bare,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let done = match words.get(1..) {
        Some([first, length]) if first == stub::ARGUMENT => {
            stub::run(length.parse().unwrap_or(LENGTH)).map_err(Box::from)
        }
        _ => measure(&Args::parse()),
    };
    done.map_or_else(
        |error: Box<dyn Error>| {
            eprintln!("rules: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn measure(args: &Args) -> Result<(), Box<dyn Error>> {
    if let (Some(part), Some(half_moves)) = (args.part, args.half_moves) {
        return run(part, half_moves).map(|_| ());
    }
    match args.memory {
        Some(games) => [games / 10, games].into_iter().try_for_each(memory),
        None => compare(args.rounds),
    }
}

/// Measures both sides in turns, then counts their system calls.
fn compare(rounds: u16) -> Result<(), Box<dyn Error>> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for part in [Part::Referee, Part::Bare] {
            let time = run(part, LONG)?.saturating_sub(run(part, SHORT)?);
            times[part as usize].push(time.as_secs_f64() * 1e6 / (LONG - SHORT) as f64);
        }
    }
    let counts = ["referee", "bare"].map(calls::count);
    println!("{:<10}{:>12}{:>14}", "", "median", "system calls");
    let mut medians = Vec::new();
    for (name, (times, count)) in ["referee", "bare loop"]
        .into_iter()
        .zip(times.iter_mut().zip(&counts))
    {
        times.sort_unstable_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let calls = count.as_ref().map_or("-".into(), |count| format!("{count:.2}"));
        println!("{name:<10}{median:>9.1} µs{calls:>14}");
        medians.push(median);
    }
    println!("ratio of the medians {:.2}", medians[0] / medians[1]);
    match &counts[0] {
        Ok(count) if *count > MAX_CALLS => {
            Err(format!("the referee needs more than {MAX_CALLS} system calls for a half-move").into())
        }
        Err(calls::NotCounted(why)) => {
            println!("system calls not counted: {why}");
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// The time of a run with this many half-moves.
fn run(part: Part, half_moves: u64) -> Result<Duration, Box<dyn Error>> {
    let games = half_moves / LENGTH as u64;
    let start = Instant::now();
    match part {
        Part::Bare => bare::play(games, LENGTH)?,
        Part::Referee => {
            let folder = tempfile::tempdir()?;
            let status = referee(games, LENGTH, folder.path())?.status()?;
            if !status.success() {
                return Err(format!("the referee ended with {status}").into());
            }
        }
    }
    Ok(start.elapsed())
}

/// A match of the stubs, recorded in this folder.
fn referee(games: u64, length: usize, folder: &std::path::Path) -> Result<Command, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let program = format!("cmd={}", program.to_string_lossy());
    let stub = format!("args={} {length}", stub::ARGUMENT);
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["match", "--rules", &program, &stub, "name=stub"]);
    for name in ["name=first", "name=second"] {
        command.args(["--engine", &program, &stub, name]);
    }
    command
        .args(["--quiet", "--games", &games.to_string(), "--out"])
        .arg(folder.join("games.jsonl"))
        .stdout(Stdio::null());
    Ok(command)
}

/// Plays this many short games, and prints the most memory that the referee had.
fn memory(games: u64) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let mut child = referee(games, SHORT_GAME, folder.path())?.spawn()?;
    let file = format!("/proc/{}/status", child.id());
    let (mut own, mut all) = (0, 0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        let field = |name: &str| {
            let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
            rest.trim().strip_suffix(" kB")?.parse::<u64>().ok()
        };
        own = own.max(field("RssAnon:").unwrap_or(0));
        all = all.max(field("VmHWM:").unwrap_or(0));
        thread::sleep(Duration::from_millis(20));
    };
    let rate = games as f64 / start.elapsed().as_secs_f64();
    println!(
        "{games} games of {SHORT_GAME} half-moves: {status}, {rate:.0} games/s, {all} kB, {own} of them its own"
    );
    Ok(())
}
