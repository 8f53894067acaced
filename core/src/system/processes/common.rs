//! What both systems share.

use std::collections::HashMap;
use std::fmt::Debug;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::system::groups;
use crate::system::pipes::ExitWatch;

/// An engine and all processes that it started.
pub trait ProcessTree: Debug + Send {
    /// What becomes ready when the engine exits, where the system has it.
    fn exit_watch(&self) -> Option<ExitWatch>;

    /// Whether the engine itself has exited.
    fn has_exited(&self) -> bool;

    /// Asks all processes to end, where the system can: SIGTERM.
    fn terminate(&mut self) {}

    /// Kills all processes without waiting for them.
    fn kill(&self);

    /// Asks how many descendants of the engine outlive it; see [`Ending::leftovers`].
    fn count_leftovers(&mut self) {}

    /// Resident memory in bytes; `None` where the system does not report it.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// What all processes have done so far; `None` where the system does not report it.
    fn work(&self) -> Option<Work> {
        None
    }

    /// Kills all processes and waits for them.
    fn finish(self: Box<Self>) -> Ending;
}

/// How the processes of an engine ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// How the engine ended before it was killed, as a clause that follows its name; `None` if
    /// it was still running.
    pub how: Option<String>,
    /// The number of its descendants that outlived it; `None` if they were not counted.
    pub leftovers: Option<u64>,
}

/// What the processes of an engine have done since they began.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Processor time of all processes, with those that have ended.
    pub computed: Duration,
    /// For each thread that has not ended, by its number: how long it computed, and how long it could have, but waited
    /// for a processor.
    pub threads: HashMap<i32, [Duration; 2]>,
    /// Whether a process is stopped, as by SIGSTOP.
    pub is_stopped: bool,
}

/// What the processes of an engine did in a time: the facts for the reason of a late or missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How long was looked.
    pub time: Duration,
    /// Processor time of all of them.
    pub computed: Duration,
    /// How long the program waited for a processor; `None` if several of its threads computed, which may have waited
    /// for each other, or the system does not report it.
    pub waited: Option<Duration>,
    /// Whether one of its processes is stopped now.
    pub is_stopped: bool,
}

impl Work {
    /// What was done in a `time`, before which this was `before`.
    pub fn since(&self, before: &Work, time: Duration) -> Effort {
        let none = [Duration::ZERO; 2];
        let of_thread = |(id, now): (&i32, &[Duration; 2])| {
            let before = before.threads.get(id).unwrap_or(&none);
            [0, 1].map(|kind| now[kind].saturating_sub(before[kind]))
        };
        let threads: Vec<[Duration; 2]> = self.threads.iter().map(of_thread).collect();
        let all: Duration = threads.iter().map(|[computed, _]| computed).sum();
        let computed = self.computed.saturating_sub(before.computed).max(all);
        let busiest = threads
            .iter()
            .max_by_key(|[computed, waited]| *computed + *waited);
        let alone = busiest.filter(|[own, _]| computed.saturating_sub(*own) <= time / 10);
        Effort {
            time,
            computed,
            waited: alone.map(|[_, waited]| *waited),
            is_stopped: self.is_stopped,
        }
    }
}

/// What the processes of an engine use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Their number.
    pub processes: u64,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Whether the process with the most memory is Java, which sizes its heap by the memory of the machine.
    pub is_java: bool,
    /// The processor time so far.
    pub cpu_time: Duration,
}

/// Resource limits of an engine and its descendants together; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// Anonymous and shared resident memory in [megabytes](ResourceLimits::MEGABYTE). Pages shared
    /// after a fork count once per process.
    pub memory: Option<u64>,
    /// Number of processes, including the engine.
    pub processes: Option<u64>,
    /// Processor time in seconds, of all its processes together.
    pub cpu_time: Option<u64>,
}

impl ResourceLimits {
    /// Whether this system reports what an engine uses.
    pub const ARE_SUPPORTED: bool = cfg!(any(target_os = "linux", windows));

    /// Whether it also reports that of a single move.
    pub const ARE_OF_MOVES: bool = cfg!(target_os = "linux");

    /// The limits of an engine without options. Those of a sandboxed engine are high enough for any
    /// bot of a game, and low enough that one bot does not stop the machine.
    pub fn of(is_sandboxed: bool) -> ResourceLimits {
        if !is_sandboxed {
            return ResourceLimits::default();
        }
        ResourceLimits {
            memory: Some(memory_of_engine(memory_of_machine())),
            processes: Some(64),
            cpu_time: Some(24 * 60 * 60),
        }
    }

    /// Which limit an engine exceeds, as a clause that follows its name.
    pub(crate) fn exceeded(self, usage: &Usage) -> Option<String> {
        let verb = |allowed| if allowed == 1 { "is" } else { "are" };
        let found = usage.processes;
        if let Some(allowed) = self.processes.filter(|allowed| found > *allowed) {
            let verb = verb(allowed);
            return Some(format!("has {found} processes, {allowed} {verb} allowed"));
        }
        let used = usage.memory.div_ceil(ResourceLimits::MEGABYTE);
        if let Some(allowed) = self.memory.filter(|allowed| used > *allowed) {
            let hint = if usage.is_java {
                // Beside the heap, Java needs memory for threads, classes and compiled code.
                let heap = (allowed / 2).max(1);
                format!(
                    "; Java does not see this limit, so start it with one of its own, such as `-Xmx{heap}m`"
                )
            } else {
                String::new()
            };
            return Some(format!(
                "used {used} MB of memory, {allowed} MB are allowed{hint}"
            ));
        }
        let time = usage.cpu_time;
        let allowed = self
            .cpu_time
            .filter(|allowed| time > Duration::from_secs(*allowed))?;
        let (used, verb) = (time.as_millis().div_ceil(1000), verb(allowed));
        Some(format!(
            "used {used} s of processor time, {allowed} s {verb} allowed"
        ))
    }

    /// Bytes in a megabyte, for [`ResourceLimits::memory`].
    pub const MEGABYTE: u64 = 1024 * 1024;
}

/// The memory of an engine without options, in megabytes, where there are so many bytes for all programs: never more
/// than half of it, since two engines play.
fn memory_of_engine(all: Option<u64>) -> u64 {
    /// Enough for any bot of a game.
    const ENOUGH: u64 = 2048;
    all.map_or(ENOUGH, |all| {
        (all / 2 / ResourceLimits::MEGABYTE).clamp(1, ENOUGH)
    })
}

/// The memory of the machine, or of the container if that is less, in bytes; `None` where the system does not tell.
fn memory_of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok();
    let total = text.as_deref().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    });
    total.into_iter().chain(groups::memory_limit()).min()
}

/// The error of choosing cores.
#[cfg(not(target_os = "linux"))]
pub(crate) fn no_affinity() -> std::io::Error {
    let why = "it needs Linux: on this system the referee cannot choose cores";
    std::io::Error::new(std::io::ErrorKind::Unsupported, why)
}

/// Raises the limit of open files, where the system has one for each process.
#[cfg(not(target_os = "linux"))]
pub fn raise_open_files() {}

/// Interval between measurements of a limited engine.
#[cfg(any(target_os = "linux", windows))]
pub(crate) const MEASURE_INTERVAL: Duration = Duration::from_millis(100);

/// How long the descendants of an engine that has exited may take to exit, too, before they
/// are counted.
#[cfg(any(target_os = "linux", windows))]
pub(crate) const LEFTOVERS_WAIT: Duration = Duration::from_millis(500);

/// Interval between looks at a process that is about to exit.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Upper bound on the wait for a killed process, which exits at once unless the kernel
/// is stuck.
pub(crate) const KILL_WAIT: Duration = Duration::from_secs(10);

/// Waits for a killed process. `None` if it does not exit.
pub(crate) fn wait_killed(child: &mut Child) -> Option<ExitStatus> {
    let status = wait_until_ended(child, KILL_WAIT);
    if status.is_none() {
        log::error!("process {} cannot be killed", child.id());
    }
    status
}

/// Waits for a process at most this long. `None` if it does not exit.
pub(crate) fn wait_until_ended(child: &mut Child, wait: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + wait;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(POLL_INTERVAL),
            Ok(None) => return None,
            Err(error) => {
                log::error!("cannot wait for process {}: {error}", child.id());
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_may_not_use_more_memory_than_there_is() {
        let of = |megabytes: u64| memory_of_engine(Some(megabytes * ResourceLimits::MEGABYTE));
        assert_eq!([of(24_000), of(4096), of(400), of(0)], [2048, 2048, 200, 1]);
        assert_eq!(memory_of_engine(None), 2048);
    }
}
