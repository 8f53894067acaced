//! Process functions that differ between Unix systems.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::Access;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

/// Whether the file at `path` is executable.
#[must_use]
pub fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// Starts `command` as the leader of its own process group: it can be killed with its
/// children, and Ctrl-C at the terminal reaches only the referee.
pub fn in_own_group(command: &mut Command) {
    command.process_group(0);
}

/// Makes our end of a pipe non-blocking.
pub fn set_nonblocking(pipe: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// A descriptor that becomes readable when `child` exits, where the system has one.
/// Elsewhere the closing of its pipes shows the exit.
pub fn exit_watch(child: &Child) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open};
        let watch = Pid::from_raw(child.id() as i32).map(|id| pidfd_open(id, PidfdFlags::empty()));
        // Kernels before 5.3 and some sandboxes refuse it.
        watch.and_then(Result::ok)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = child;
        None
    }
}

/// A process group led by a child.
#[derive(Clone, Copy, Debug)]
pub struct Group(Pid);

impl Group {
    /// The group of a child started by [`in_own_group`].
    pub fn of(child: &Child) -> Option<Group> {
        Pid::from_raw(child.id() as i32).map(Group)
    }

    /// Whether the leader has exited. It stays unreaped, so its number is not reused.
    pub fn leader_has_ended(self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::Pid(self.0), options), Ok(None))
    }

    /// Sends SIGTERM to the group.
    pub fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Sends SIGKILL to the group. Valid only before the leader is reaped.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        // No process left is the goal.
        let _ = rustix::process::kill_process_group(self.0, signal);
    }
}

/// Interval between looks at a process that is about to exit.
pub const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Upper bound on the wait for a killed process, which exits at once unless the kernel
/// is stuck.
const KILL_WAIT: Duration = Duration::from_secs(1);

/// Waits for a killed process. `None` if it does not exit.
pub fn wait_killed(child: &mut Child) -> Option<ExitStatus> {
    let status = wait_until_ended(child, KILL_WAIT);
    if status.is_none() {
        log::error!("process {} cannot be killed", child.id());
    }
    status
}

/// Waits for a process at most this long. `None` if it does not exit.
pub fn wait_until_ended(child: &mut Child, wait: Duration) -> Option<ExitStatus> {
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

/// The cores on which this process may run, as the system numbers them.
///
/// # Errors
/// The system call fails.
#[cfg(target_os = "linux")]
pub fn available_cores() -> io::Result<Vec<usize>> {
    use rustix::thread::CpuSet;
    let set = rustix::thread::sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores on which this process may run.
///
/// # Errors
/// Always: this system does not report them.
#[cfg(not(target_os = "linux"))]
pub fn available_cores() -> io::Result<Vec<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Pins this thread, and the processes that it starts, to one core.
///
/// # Errors
/// The system refuses.
#[cfg(target_os = "linux")]
pub fn pin_to_core(core: usize) -> io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(core);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

/// Pins this thread to one core.
///
/// # Errors
/// Always: this system has no such call.
#[cfg(not(target_os = "linux"))]
pub fn pin_to_core(_: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// How a process ended, as a clause that follows its name.
pub fn describe_status(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    describe(status.code(), status.signal())
}

/// How a process ended, from its exit status or the signal that killed it.
pub fn describe(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(number)) => match signal_hook::low_level::signal_name(number) {
            Some(name) => format!("was ended by signal {number} ({name})"),
            None => format!("was ended by signal {number}"),
        },
        (None, None) => "ended".to_string(),
    }
}
