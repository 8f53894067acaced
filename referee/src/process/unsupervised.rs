//! Systems without supervisors: the items of `supervisor` where there is none.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::process::Child;

use super::launch::Launch;
use super::sandbox::{Enforced, Refusal, SandboxLevel};
use crate::system::pipes::{Pipes, Source};
use crate::system::processes::{Ending, ExitWatch, kill_group, wait_killed};

/// A supervisor and its engine, which do not exist on this system.
#[derive(Debug)]
pub struct Supervised(Infallible);

impl Supervised {
    pub(crate) fn start(_: &Launch, _: &Path) -> io::Result<(Supervised, Pipes)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn start_on(
        _: &Launch,
        _: &Path,
        _: [Source<'_>; 3],
        _: &[(&str, &str)],
    ) -> io::Result<Supervised> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// See the guard of a process.
    pub(crate) fn exit_watch(&self) -> Option<ExitWatch> {
        match self.0 {}
    }

    /// See the guard of a process.
    pub fn has_exited(&self) -> bool {
        match self.0 {}
    }

    /// See the guard of a process.
    pub(crate) fn terminate(&mut self) {
        match self.0 {}
    }

    /// See the guard of a process.
    pub fn kill(&self) {
        match self.0 {}
    }

    /// See the guard of a process.
    pub(crate) fn count_leftovers(&mut self) {
        match self.0 {}
    }

    /// See the guard of a process.
    pub fn memory(&self) -> u64 {
        match self.0 {}
    }

    /// See the guard of a process.
    pub fn finish(self) -> Ending {
        match self.0 {}
    }
}

/// Runs the internal command of this name; there is none.
pub(crate) fn internal_command(_: &str) -> Option<io::Result<()>> {
    None
}

/// Makes orphaned descendants children of this process: not possible here.
pub(crate) fn adopt_orphans() {}

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
