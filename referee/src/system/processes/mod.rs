//! Processes: starting an engine, watching it, and killing it with its descendants.
//!
//! * `Tree`: an engine and the processes that it started.
//! * `ExitWatch`: becomes ready when an engine has exited.
//! * `describe`, `describe_status`: how a process ended.
//! * `available_cores`, `pin_to_core`: which cores a process may use.
//! * `own_program`, `is_root`, `is_no_program`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

use std::fmt::Debug;
use std::time::Duration;

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
