//! What the operating system does for processes: everything in the referee
//! that is not the same on every Unix, or not there elsewhere.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::Access;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

/// Whether the system lets us execute the file at `path`.
#[must_use]
pub fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// Makes `command` start as the leader of a process group of its own, so that
/// it can be ended together with its children, and so that a Ctrl-C at the
/// terminal reaches the referee alone.
pub fn in_own_group(command: &mut Command) {
    command.process_group(0);
}

/// Makes reading from and writing to our end of a pipe return at once.
pub fn set_nonblocking(pipe: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Something that becomes readable when `child` ends, where the system has
/// such a thing. Elsewhere the end shows when its pipes close.
pub fn exit_watch(child: &Child) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open};
        let watch = Pid::from_raw(child.id() as i32).map(|id| pidfd_open(id, PidfdFlags::empty()));
        // Kernels before 5.3 and some sandboxes refuse.
        watch.and_then(Result::ok)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = child;
        None
    }
}

/// The process group that a child leads.
#[derive(Clone, Copy, Debug)]
pub struct Group(Pid);

impl Group {
    /// The group of a child that was started by [`in_own_group`].
    pub fn of(child: &Child) -> Option<Group> {
        Pid::from_raw(child.id() as i32).map(Group)
    }

    /// Whether the leader has ended. It is not reaped, so that the group's
    /// number is not given to anybody else.
    pub fn leader_has_ended(self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::Pid(self.0), options), Ok(None))
    }

    /// Asks every process of the group to end.
    pub fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Ends every process of the group. Only before the leader is reaped.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        // Nobody left to hear it is what we want.
        let _ = rustix::process::kill_process_group(self.0, signal);
    }
}

/// How often a process is looked at that is about to end.
pub const GLANCE: Duration = Duration::from_millis(1);

/// Nobody waits longer than this for a killed process, which ends at once
/// unless the kernel itself is stuck.
const KILL_PATIENCE: Duration = Duration::from_secs(1);

/// Waits for a process that was killed. `None` where it does not end.
pub fn wait_for(child: &mut Child) -> Option<ExitStatus> {
    let status = wait_a_moment_for(child);
    if status.is_none() {
        log::error!("process {} cannot be killed", child.id());
    }
    status
}

/// Waits for a process that is about to end. `None` where it does not.
pub fn wait_a_moment_for(child: &mut Child) -> Option<ExitStatus> {
    let until = Instant::now() + KILL_PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(GLANCE),
            Ok(None) => return None,
            Err(error) => {
                log::error!("cannot wait for process {}: {error}", child.id());
                return None;
            }
        }
    }
}

/// The cores on which this process may run, each a number of the system.
///
/// # Errors
/// Where the system does not tell.
#[cfg(target_os = "linux")]
pub fn own_cores() -> io::Result<Vec<usize>> {
    use rustix::thread::CpuSet;
    let set = rustix::thread::sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores on which this process may run.
///
/// # Errors
/// Always: this system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn own_cores() -> io::Result<Vec<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Keeps this thread, and the processes that it starts, on one core.
///
/// # Errors
/// Where the system refuses.
#[cfg(target_os = "linux")]
pub fn keep_on_core(core: usize) -> io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(core);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

/// Keeps this thread on one core.
///
/// # Errors
/// Always: this system has no such thing.
#[cfg(not(target_os = "linux"))]
pub fn keep_on_core(_: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// How a process ended, as the end of a sentence.
pub fn describe_status(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    describe(status.code(), status.signal())
}

/// The same from its exit status or from the number of the signal that ended
/// it.
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
