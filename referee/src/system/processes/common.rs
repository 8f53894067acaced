//! What both systems share.

use std::fmt::Debug;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

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

/// The error of choosing cores.
#[cfg(not(target_os = "linux"))]
pub fn no_affinity() -> std::io::Error {
    let why = "it needs Linux: on this system the referee cannot choose cores";
    std::io::Error::new(std::io::ErrorKind::Unsupported, why)
}

/// Interval between looks at a process that is about to exit.
pub const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Upper bound on the wait for a killed process, which exits at once unless the kernel
/// is stuck.
pub const KILL_WAIT: Duration = Duration::from_secs(10);

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
