//! The trial of a match: a few of its games, played by another process of the referee, which
//! is watched from outside.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::cli::MatchArgs;
use crate::config::file;
use crate::io::failure::Failure;
use crate::io::interrupt::Interrupt;
use crate::process::ProcessMemory;
use crate::progress::Task;
use crate::system::processes::{own_program, request_end};

/// Interval between two looks at the trial.
const INTERVAL: Duration = Duration::from_millis(50);

/// A trial that has been played.
pub struct Trial {
    /// How long it took, from the start of the process to its end.
    pub time: Duration,
    /// The first time at which finished games were seen, and their number.
    pub first: Option<(Duration, u64)>,
    /// The largest resident memory of the referee, in bytes; `None` where the system does not
    /// report it.
    pub referee_memory: Option<u64>,
    /// The largest sum of the resident memory of all other processes, in bytes.
    pub engine_memory: Option<u64>,
}

/// Plays the match of these options in a process of its own. Its result file is `out` in this
/// folder.
///
/// # Errors
/// If the match fails, or a signal ends the trial.
pub fn play(args: &MatchArgs, folder: &Path, games: u64, interrupt: &Interrupt) -> Result<Trial, Failure> {
    let temporary = |error: std::io::Error| Failure::Output(format!("{}: {error}", folder.display()));
    let config = folder.join("match.toml");
    let messages = folder.join("messages");
    fs::write(&config, file::to_toml(args)?).map_err(temporary)?;
    let program = own_program().map_or_else(std::env::current_exe, Ok);
    let started = Instant::now();
    let child = Command::new(program.map_err(|error| Failure::Output(error.to_string()))?)
        .args(["match".as_ref(), "--config".as_ref(), config.as_os_str()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&messages).map_err(temporary)?)
        .spawn()
        .map_err(|error| Failure::Output(format!("the trial does not start: {error}")))?;
    let out = args.out.clone().unwrap_or_default();
    let (trial, status) = watch(child, started, &out, games, interrupt)
        .map_err(|error| Failure::Output(format!("the trial cannot be watched: {error}")))?;
    if let Some(signal) = interrupt.caught() {
        return Err(signal.into());
    }
    let said = fs::read_to_string(&messages).unwrap_or_default();
    let said = said.trim_end();
    match status {
        Some(0) => {
            for line in said.lines() {
                log::warn!("trial: {line}");
            }
            Ok(trial)
        }
        Some(2) => Err(Failure::Usage(why(said))),
        Some(3) => Err(Failure::Start(why(said))),
        _ => Err(Failure::Output(format!("the trial failed: {}", why(said)))),
    }
}

/// The message of the other process without its name.
fn why(said: &str) -> String {
    said.strip_prefix("referee: ").unwrap_or(said).to_string()
}

/// Waits for the end of the trial. Also returns its exit status, if it has one.
fn watch(
    mut child: Child,
    started: Instant,
    out: &Path,
    games: u64,
    interrupt: &Interrupt,
) -> std::io::Result<(Trial, Option<i32>)> {
    let task = Task::start("games of the trial", 0, games);
    let mut peak: Option<ProcessMemory> = None;
    let mut first = None;
    let mut is_ending = false;
    loop {
        if let Some(status) = child.try_wait()? {
            let trial = Trial {
                time: started.elapsed(),
                first,
                referee_memory: peak.map(|peak| peak.own),
                engine_memory: peak.map(|peak| peak.descendants),
            };
            return Ok((trial, status.code()));
        }
        if let Some(now) = ProcessMemory::of(&child) {
            let peak = peak.get_or_insert(now);
            peak.own = peak.own.max(now.own);
            peak.descendants = peak.descendants.max(now.descendants);
        }
        if interrupt.is_stopped() && !is_ending {
            is_ending = true;
            // It saves its games and ends its engines.
            request_end(&child);
        }
        // The header is the first line.
        let lines = fs::read(out).map_or(0, |text| text.split(|&byte| byte == b'\n').count() - 1);
        let played = (lines as u64).saturating_sub(1);
        if played > 0 {
            first.get_or_insert_with(|| (started.elapsed(), played));
        }
        task.set(played.min(games));
        thread::sleep(INTERVAL);
    }
}
