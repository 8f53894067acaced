//! Systems without supervisors: the items of `supervisor` where there is none.

use std::io;
use std::path::Path;
use std::process::Child;

use super::program::Launch;
use super::sandbox::{Enforced, Refusal, SandboxLevel};
use crate::system::pipes::{Pipes, Source};
use crate::system::processes::{ProcessTree, kill_group, wait_killed};

/// Starts an engine under a supervisor; there is none.
pub fn start(_: &Launch, _: &Path) -> io::Result<(Box<dyn ProcessTree>, Pipes)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The same on a terminal.
pub(crate) fn start_on_terminal(_: &Launch, _: &Path, _: Source<'_>) -> io::Result<Box<dyn ProcessTree>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Runs the internal command of this name; there is none.
pub fn internal_command(_: &str) -> Option<io::Result<()>> {
    None
}

/// Makes orphaned descendants children of this process: not possible here.
pub fn adopt_orphans() {}

/// Kills a child that leads its process group. Waits for it if `is_running`.
pub(crate) fn kill_all(child: &mut Child, is_running: bool) {
    kill_group(child);
    if is_running {
        wait_killed(child);
    }
}

/// What this system enforces at a level of the sandbox.
pub fn probe(_: SandboxLevel) -> Result<Enforced, Refusal> {
    Err(Refusal(
        "the sandbox needs Linux; play without --sandbox, or in a container".into(),
    ))
}
