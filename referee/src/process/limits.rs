//! Resource limits for an engine and its descendants together.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::system::processes::{LimitCheck, REPORTS_USAGE, Usage};

/// Resource limits; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    pub fn of(is_sandboxed: bool) -> Limits {
        if !is_sandboxed {
            return Limits::default();
        }
        Limits {
            memory: Some(2048),
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
        let used = usage.memory.div_ceil(Limits::MEGABYTE);
        if let Some(allowed) = self.memory.filter(|allowed| used > *allowed) {
            return Some(format!("used {used} MB of memory, {allowed} MB are allowed"));
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

    /// The check of these limits; `None` if there is none.
    pub(crate) fn check(self) -> Option<LimitCheck> {
        let exceeded = move |usage: &Usage| self.exceeded(usage);
        (self != Limits::default()).then(|| LimitCheck {
            exceeded: Box::new(exceeded),
            memory: self.memory.map(|memory| memory.saturating_mul(Limits::MEGABYTE)),
            processes: self.processes,
        })
    }

    /// Bytes in a megabyte, for [`Limits::memory`].
    pub(crate) const MEGABYTE: u64 = 1024 * 1024;
}
