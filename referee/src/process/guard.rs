//! Handle to all processes of an engine, so that all of them can be killed: a supervisor on
//! Linux, otherwise what the system has.

use std::io;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::launch::Launch;
use super::supervisor::Supervised;
use crate::system::pipes::{Pipes, Source};
use crate::system::processes::{Ending, ExitWatch, POLL_INTERVAL, Tree};

/// How long an engine that has closed its terminal may take to exit. Killing all processes of one
/// that exceeds a limit takes time on a busy machine.
const EXIT_WAIT: Duration = Duration::from_secs(2);

/// Handle to the processes of one engine.
#[derive(Debug)]
pub enum ProcessGuard {
    /// What the system knows as belonging together.
    Tree(Tree),
    Supervisor(Supervised),
}

impl ProcessGuard {
    /// Starts an engine.
    pub(super) fn start(launch: &Launch) -> io::Result<(ProcessGuard, Pipes)> {
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
        let (tree, pipes) = Tree::start(command, launch.limits.check())?;
        Ok((ProcessGuard::Tree(tree), pipes))
    }

    /// Starts a program whose standard input, output and error are a terminal.
    pub fn start_on_terminal(launch: &Launch, terminal: Source<'_>) -> io::Result<ProcessGuard> {
        let supervisor = launch.supervisor.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        let variables = [("TERM", "dumb")];
        let supervised = Supervised::start_on(launch, supervisor, [terminal; 3], &variables)?;
        Ok(ProcessGuard::Supervisor(supervised))
    }

    /// What becomes ready when the engine exits, where the system has it.
    pub(super) fn exit_watch(&self) -> Option<ExitWatch> {
        match self {
            ProcessGuard::Tree(tree) => tree.exit_watch(),
            ProcessGuard::Supervisor(supervised) => supervised.exit_watch(),
        }
    }

    /// Whether the engine itself has exited.
    pub(super) fn has_exited(&self) -> bool {
        match self {
            ProcessGuard::Tree(tree) => tree.has_exited(),
            ProcessGuard::Supervisor(supervised) => supervised.has_exited(),
        }
    }

    /// Asks all processes to end, where the system can: SIGTERM.
    pub(super) fn terminate(&mut self) {
        match self {
            ProcessGuard::Tree(tree) => tree.terminate(),
            ProcessGuard::Supervisor(supervised) => supervised.terminate(),
        }
    }

    /// Kills all processes without waiting for them.
    pub(super) fn kill(&self) {
        match self {
            ProcessGuard::Tree(tree) => tree.kill(),
            ProcessGuard::Supervisor(supervised) => supervised.kill(),
        }
    }

    /// Asks how many descendants of the engine outlive it; see `Ending::leftovers`.
    pub(super) fn count_leftovers(&mut self) {
        match self {
            ProcessGuard::Tree(tree) => tree.count_leftovers(),
            ProcessGuard::Supervisor(supervised) => supervised.count_leftovers(),
        }
    }

    /// Resident memory of the engine and its descendants, in bytes; `None` where the system does
    /// not report it.
    pub(super) fn memory(&self) -> Option<u64> {
        match self {
            ProcessGuard::Tree(tree) => tree.usage().map(|usage| usage.memory),
            ProcessGuard::Supervisor(supervised) => Some(supervised.memory()),
        }
    }

    /// Kills all processes and waits for them. If the engine `is_ending`, it first gets a short time
    /// to exit, or to be killed by its supervisor. Returns how it had ended before, as a clause that
    /// follows its name.
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
            ProcessGuard::Tree(tree) => tree.finish(),
            ProcessGuard::Supervisor(supervised) => supervised.finish(),
        }
    }
}
