//! The cost of a half-move at each level.
//!
//! All processes share one core. On several, a half-move takes from 12 to 50 µs, depending on
//! whether the other core sleeps when a line arrives. Which rounds are lucky is chance, so even the
//! fastest ones of two levels can differ by a factor of 1.7.

use std::error::Error;
use std::sync::Arc;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use referee_core::io::interrupt::Interrupt;
use referee_core::player::Protocol;
use referee_core::process::{Sandbox, SandboxLevel};

use crate::relayed;
use crate::series::Series;

/// Half-moves of a round.
const HALF_MOVES: u64 = 1000;

/// The largest ratio to a half-move without sandbox, of the fastest rounds. Without a cost it
/// is 1; the margin is for a busy machine.
const MAX_RATIO: f64 = 1.5;

/// The levels that this kernel offers. Prints why it lacks one.
pub fn offered_levels(interrupt: &Arc<Interrupt>) -> Vec<SandboxLevel> {
    let offers = |level: &SandboxLevel| {
        let tried =
            sandbox(*level).and_then(|sandbox| relayed::measure(1, sandbox, Protocol::Uci, interrupt));
        if let Err(error) = &tried {
            println!("SKIPPED: {level}: {error}");
        }
        tried.is_ok()
    };
    SandboxLevel::ALL.into_iter().filter(offers).collect()
}

/// The sandbox of a stub: it may read this program.
fn sandbox(level: SandboxLevel) -> Result<Option<Sandbox>, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    Ok((level != SandboxLevel::Off).then(|| Sandbox {
        level,
        folder: None,
        readable: vec![program.into()],
        writable: None,
        is_for_adapter: false,
    }))
}

/// Lets this thread, and all that it starts from now on, run on the first of its cores only.
fn share_one_core() -> Result<(), Box<dyn Error>> {
    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread)?;
    let is_allowed = |core: &usize| allowed.is_set(*core).unwrap_or(false);
    let first = (0..CpuSet::count()).find(is_allowed);
    let mut one = CpuSet::new();
    one.set(first.ok_or("this process may run on no core")?)?;
    Ok(sched_setaffinity(this_thread, &one)?)
}

/// Plays half-moves at each level in turns, and prints a table.
pub fn measure(
    levels: &[SandboxLevel],
    rounds: usize,
    interrupt: &Arc<Interrupt>,
) -> Result<(), Box<dyn Error>> {
    share_one_core()?;
    let mut series = vec![Series::default(); levels.len()];
    for _ in 0..rounds {
        for (level, series) in levels.iter().zip(&mut series) {
            series.add(relayed::measure(
                HALF_MOVES,
                sandbox(*level)?,
                Protocol::Uci,
                interrupt,
            )?);
        }
    }
    println!(
        "\nA half-move on one core, with an engine that answers at once; {HALF_MOVES} a round, {rounds} rounds:"
    );
    println!("{:<14}{:>12}{:>12}{:>15}", "", "best", "median", "ratio of best");
    let micros = 1e6 / HALF_MOVES as f64;
    let Some(base) = series.first() else {
        return Ok(());
    };
    for (level, series) in levels.iter().zip(&series) {
        let ratio = series.best() / base.best();
        let (best, median) = (series.best() * micros, series.median() * micros);
        let name = level.name();
        println!("{name:<14}{best:>9.1} µs{median:>9.1} µs{ratio:>15.2}");
        if ratio > MAX_RATIO {
            return Err(
                format!("a half-move at `{level}` takes {ratio:.2} times that without sandbox").into(),
            );
        }
    }
    Ok(())
}
