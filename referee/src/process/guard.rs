//! Handle to all processes of an engine, so that all of them can be killed: a
//! supervisor on Linux, otherwise the process group.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use super::channel::Pipes;
use super::ending::Ending;
use super::launch::Launch;
use super::os::{self, Group};
#[cfg(target_os = "linux")]
use super::supervisor::Supervised;

/// Handle to the processes of one engine.
#[derive(Debug)]
pub enum ProcessGuard {
    /// A process group led by the engine.
    Group { child: Child, group: Option<Group> },
    /// A supervisor process.
    #[cfg(target_os = "linux")]
    Supervisor(Supervised),
}

impl ProcessGuard {
    /// Starts an engine.
    ///
    /// # Errors
    /// The system cannot execute the program.
    pub fn start(launch: &Launch) -> io::Result<(ProcessGuard, Pipes)> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = &launch.supervisor {
            let (supervised, pipes) = Supervised::start(launch, supervisor)?;
            return Ok((ProcessGuard::Supervisor(supervised), pipes));
        }
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = &launch.dir {
            command.current_dir(dir);
        }
        os::in_own_group(&mut command);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Group::of(&child);
        Ok((ProcessGuard::Group { child, group }, pipes))
    }

    /// A descriptor that becomes readable when the engine exits; see [`os::exit_watch`].
    pub fn exit_watch(&self) -> Option<OwnedFd> {
        match self {
            ProcessGuard::Group { child, .. } => os::exit_watch(child),
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.exit_watch(),
        }
    }

    /// Whether the engine itself has exited.
    pub fn has_exited(&self) -> bool {
        match self {
            ProcessGuard::Group { group, .. } => group.is_none_or(Group::leader_has_ended),
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.has_exited(),
        }
    }

    /// Sends SIGTERM to all processes.
    pub fn terminate(&mut self) {
        match self {
            ProcessGuard::Group { group, .. } => {
                if let Some(group) = group {
                    group.terminate();
                }
            }
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.terminate(),
        }
    }

    /// Kills all processes without waiting for them.
    pub fn kill(&self) {
        match self {
            // Not reaped yet, so the process group still has this number.
            ProcessGuard::Group { group, .. } => {
                if let Some(group) = group {
                    group.kill();
                }
            }
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.kill(),
        }
    }

    /// Asks how many descendants of the engine outlive it; see `Ending::leftovers`.
    pub fn count_leftovers(&mut self) {
        match self {
            ProcessGuard::Group { .. } => {}
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.count_leftovers(),
        }
    }

    /// Resident memory of the engine and its descendants, in bytes; `None` without a
    /// supervisor.
    pub fn memory(&self) -> Option<u64> {
        match self {
            ProcessGuard::Group { .. } => None,
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => Some(supervised.memory()),
        }
    }

    /// Kills all processes and waits for them.
    pub fn finish(self) -> Ending {
        self.kill();
        match self {
            ProcessGuard::Group { mut child, .. } => Ending {
                how: os::wait_killed(&mut child).map(os::describe_status),
                leftovers: None,
            },
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.finish(),
        }
    }
}
