//! A process with one child, which must not outlive its use.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

#[cfg(not(target_os = "linux"))]
use super::os;
use super::os::POLL_INTERVAL;

/// How long a child that has closed its terminal may take to exit.
const EXIT_WAIT: Duration = Duration::from_millis(300);

/// Makes orphaned descendants children of this process, where the system can do it.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        log::warn!("orphaned processes cannot be found: {error}");
    }
}

/// Kills the only child of this process, which leads its own process group, and after
/// [`adopt_orphans`] all its descendants. Returns how the child had ended before; if
/// `is_ending`, it first gets a short time to exit.
pub fn kill_with_descendants(child: &mut Child, is_ending: bool) -> Option<ExitStatus> {
    let until = Instant::now() + EXIT_WAIT;
    let status = loop {
        match child.try_wait() {
            Ok(None) if is_ending && Instant::now() < until => std::thread::sleep(POLL_INTERVAL),
            Ok(status) => break status,
            Err(_) => break None,
        }
    };
    #[cfg(target_os = "linux")]
    super::supervisor::kill_descendants(rustix::process::Pid::from_child(child));
    #[cfg(not(target_os = "linux"))]
    if let Some(group) = os::Group::of(child) {
        group.kill();
    }
    #[cfg(not(target_os = "linux"))]
    if status.is_none() {
        os::wait_killed(child);
    }
    status
}
