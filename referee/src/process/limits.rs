//! Resource limits for an engine and its descendants together.

use std::fmt;
use std::time::Duration;

use crate::system::processes::{LimitCheck, REPORTS_USAGE, Usage};

/// Resource limits; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Anonymous and shared resident memory in [megabytes](Limits::MEGABYTE). Pages shared
    /// after a fork count once per process.
    pub memory: Option<u64>,
    /// Number of processes, including the engine.
    pub processes: Option<u64>,
    /// Processor time in seconds, of all its processes together.
    pub cpu_time: Option<u64>,
}

impl Limits {
    /// Whether this system reports what an engine uses.
    pub(crate) const ARE_SUPPORTED: bool = REPORTS_USAGE;

    /// The limits of an engine without options. Those of a sandboxed engine are high enough for any
    /// bot of a game, and low enough that one bot does not stop the machine.
    pub const fn of(is_sandboxed: bool) -> Limits {
        if is_sandboxed {
            Limits {
                memory: Some(2048),
                processes: Some(64),
                cpu_time: Some(24 * 60 * 60),
            }
        } else {
            Limits {
                memory: None,
                processes: None,
                cpu_time: None,
            }
        }
    }

    /// Finds the limit that an engine exceeds.
    pub(crate) fn exceeded(self, usage: &Usage) -> Option<ExceededLimit> {
        let found = usage.processes;
        if let Some(allowed) = self.processes.filter(|allowed| found > *allowed) {
            return Some(ExceededLimit::Processes { found, allowed });
        }
        let used = usage.memory.div_ceil(Limits::MEGABYTE);
        if let Some(allowed) = self.memory.filter(|allowed| used > *allowed) {
            return Some(ExceededLimit::Memory { used, allowed });
        }
        let time = usage.cpu_time;
        let allowed = self
            .cpu_time
            .filter(|allowed| time > Duration::from_secs(*allowed))?;
        let used = time.as_millis().div_ceil(1000) as u64;
        Some(ExceededLimit::CpuTime { used, allowed })
    }

    /// The check of these limits; `None` if there is none.
    pub(crate) fn check(self) -> Option<LimitCheck> {
        let exceeded = move |usage: &Usage| self.exceeded(usage).map(|limit| limit.to_string());
        (self != Limits::default()).then(|| LimitCheck {
            exceeded: Box::new(exceeded),
            memory: self.memory.map(|memory| memory.saturating_mul(Limits::MEGABYTE)),
            processes: self.processes,
        })
    }

    /// Bytes in a megabyte, for [`Limits::memory`].
    pub(crate) const MEGABYTE: u64 = 1024 * 1024;
}

/// A limit that an engine exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceededLimit {
    /// Memory in [megabytes](Limits::MEGABYTE).
    Memory {
        /// Use when it was measured.
        used: u64,
        allowed: u64,
    },
    Processes {
        /// The number found.
        found: u64,
        allowed: u64,
    },
    /// Processor time in seconds.
    CpuTime {
        /// Use when it was measured.
        used: u64,
        allowed: u64,
    },
    /// Space in the scratch folder of a sandboxed engine, in [megabytes](Limits::MEGABYTE).
    Scratch {
        /// Space when it was measured.
        used: u64,
        allowed: u64,
    },
    /// Files and folders in the scratch folder.
    ScratchFiles {
        /// The number found.
        found: u64,
        allowed: u64,
    },
}

impl fmt::Display for ExceededLimit {
    /// A clause that follows the engine's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExceededLimit::Memory { used, allowed } => {
                write!(f, "used {used} MB of memory, {allowed} MB are allowed")
            }
            ExceededLimit::Processes { found, allowed } => {
                let verb = if *allowed == 1 { "is" } else { "are" };
                write!(f, "has {found} processes, {allowed} {verb} allowed")
            }
            ExceededLimit::CpuTime { used, allowed } => {
                let verb = if *allowed == 1 { "is" } else { "are" };
                write!(f, "used {used} s of processor time, {allowed} s {verb} allowed")
            }
            ExceededLimit::Scratch { used, allowed } => {
                write!(
                    f,
                    "wrote {used} MB to its scratch folder, {allowed} MB are allowed"
                )
            }
            ExceededLimit::ScratchFiles { found, allowed } => {
                write!(
                    f,
                    "has {found} files in its scratch folder, {allowed} are allowed"
                )
            }
        }
    }
}
