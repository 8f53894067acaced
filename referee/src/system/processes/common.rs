//! What both systems share.

use std::time::Duration;

/// How the processes of an engine ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// How the engine ended before it was killed, as a clause that follows its name; `None` if
    /// it was still running.
    pub how: Option<String>,
    /// The number of its descendants that outlived it; `None` if they were not counted.
    pub leftovers: Option<u64>,
}

/// What the processes of an engine use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Their number.
    pub processes: u64,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Processor time.
    pub cpu_time: Duration,
}

/// Says which limit is exceeded, as a clause that follows the engine's name.
type Exceeded = dyn Fn(&Usage) -> Option<String> + Send;

/// The limits of an engine and its descendants, for systems without a supervisor.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) struct LimitCheck {
    /// Compares what was measured with all limits.
    pub exceeded: Box<Exceeded>,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Number of processes.
    pub processes: Option<u64>,
}

/// Why cores cannot be chosen.
#[cfg(not(target_os = "linux"))]
pub(crate) const NO_AFFINITY: &str = "it needs Linux: on this system the referee cannot choose cores";

/// Interval between looks at a process that is about to exit.
pub const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Upper bound on the wait for a killed process, which exits at once unless the kernel
/// is stuck.
pub const KILL_WAIT: Duration = Duration::from_secs(10);
