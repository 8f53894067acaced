//! The memory of a child process and of all processes below it.

use std::process::Child;

/// Resident memory in bytes, file pages included. A page that several processes share counts in
/// each of them, as most schedulers count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessMemory {
    /// That of the process itself.
    pub own: u64,
    /// The sum over its descendants.
    pub descendants: u64,
}

impl ProcessMemory {
    /// The memory of a child and its descendants now; `None` where the system does not report it,
    /// or when the child has ended.
    #[must_use]
    pub fn of(child: &Child) -> Option<ProcessMemory> {
        #[cfg(target_os = "linux")]
        {
            let id = i32::try_from(child.id()).ok()?;
            let below = super::supervisor::descendants_of(id);
            Some(ProcessMemory {
                own: resident(id)?,
                descendants: below.into_iter().filter_map(resident).sum(),
            })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = child;
            None
        }
    }
}

/// `VmRSS` of a process, in bytes.
#[cfg(target_os = "linux")]
fn resident(id: i32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Asks a child to end, with SIGTERM.
pub fn request_end(child: &Child) {
    // It may have ended already.
    let _ = rustix::process::kill_process(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::TERM,
    );
}
