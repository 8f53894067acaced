//! Handle to all processes of an engine, so that all of them can be killed: a
//! supervisor on Linux, otherwise the process group.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::channel::Pipes;
use super::ending::Ending;
use super::launch::Launch;
use super::os::{self, Group, POLL_INTERVAL};
#[cfg(target_os = "linux")]
use super::supervisor::Supervised;

/// How long an engine that has closed its terminal may take to exit. Killing all processes of one
/// that exceeds a limit takes time on a busy machine.
const EXIT_WAIT: Duration = Duration::from_secs(2);

/// Handle to the processes of one engine.
#[derive(Debug)]
pub enum ProcessGuard {
    /// A process group led by the engine.
    Group {
        /// The engine.
        child: Child,
        /// Its group.
        group: Option<Group>,
    },
    /// A supervisor process.
    #[cfg(target_os = "linux")]
    Supervisor(Supervised),
}

impl ProcessGuard {
    /// Starts an engine.
    ///
    /// # Errors
    /// The system cannot execute the program.
    pub(super) fn start(launch: &Launch) -> io::Result<(ProcessGuard, Pipes)> {
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

    /// Starts a program whose standard input, output and error are a terminal.
    ///
    /// # Errors
    /// The system cannot execute the program, or has no supervisors.
    pub fn start_on_terminal(launch: &Launch, terminal: BorrowedFd<'_>) -> io::Result<ProcessGuard> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = &launch.supervisor {
            let variables = [("TERM", "dumb")];
            let supervised = Supervised::start_on(launch, supervisor, [terminal; 3], &variables)?;
            return Ok(ProcessGuard::Supervisor(supervised));
        }
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A descriptor that becomes readable when the engine exits; see [`os::exit_watch`].
    pub(super) fn exit_watch(&self) -> Option<OwnedFd> {
        match self {
            ProcessGuard::Group { child, .. } => os::exit_watch(child),
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.exit_watch(),
        }
    }

    /// Whether the engine itself has exited.
    pub(super) fn has_exited(&self) -> bool {
        match self {
            ProcessGuard::Group { group, .. } => group.is_none_or(Group::leader_has_ended),
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.has_exited(),
        }
    }

    /// Sends SIGTERM to all processes.
    pub(super) fn terminate(&mut self) {
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
    pub(super) fn kill(&self) {
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
    pub(super) fn count_leftovers(&mut self) {
        match self {
            ProcessGuard::Group { .. } => {}
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => supervised.count_leftovers(),
        }
    }

    /// Resident memory of the engine and its descendants, in bytes; `None` without a
    /// supervisor.
    pub(super) fn memory(&self) -> Option<u64> {
        match self {
            ProcessGuard::Group { .. } => None,
            #[cfg(target_os = "linux")]
            ProcessGuard::Supervisor(supervised) => Some(supervised.memory()),
        }
    }

    /// Kills all processes and waits for them. If the engine `is_ending`, it first gets a short time
    /// to exit, or to be killed by its supervisor. Returns how it had ended before, as a clause that
    /// follows its name.
    #[must_use]
    pub fn end(self, is_ending: bool) -> Option<String> {
        let until = Instant::now() + EXIT_WAIT;
        while is_ending && !self.has_exited() && Instant::now() < until {
            thread::sleep(POLL_INTERVAL);
        }
        self.finish().how
    }

    /// Kills all processes and waits for them.
    pub(super) fn finish(self) -> Ending {
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
