//! A process with one child, which must not outlive its use.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use super::supervisor::kill_all;
use crate::system::processes::POLL_INTERVAL;

/// How long a child that has closed its terminal may take to exit.
const EXIT_WAIT: Duration = Duration::from_millis(300);

/// Kills the only child of this process, which leads its own process group, and after
/// [`adopt_orphans`](super::adopt_orphans) all its descendants. Returns how the child had ended before; if
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
    kill_all(child, status.is_none());
    status
}
