//! What holds an engine's processes together, so that all of them can be
//! ended: a supervisor where there is one, else their process group.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use super::channel::Pipes;
use super::launch::Launch;
use super::os::{self, Group};
#[cfg(target_os = "linux")]
use super::supervisor::Supervised;

/// What holds the processes of one engine.
#[derive(Debug)]
pub enum Keeper {
    /// The group that the engine leads.
    Group {
        /// The engine.
        child: Child,
        /// Its group.
        group: Option<Group>,
    },
    /// A process of ours that looks after all that the engine starts.
    #[cfg(target_os = "linux")]
    Supervisor(Supervised),
}

impl Keeper {
    /// Starts an engine.
    ///
    /// # Errors
    /// Where the system cannot execute the program.
    pub fn start(launch: &Launch) -> io::Result<(Keeper, Pipes)> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = &launch.supervisor {
            let (supervised, pipes) = Supervised::start(launch, supervisor)?;
            return Ok((Keeper::Supervisor(supervised), pipes));
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
        Ok((Keeper::Group { child, group }, pipes))
    }

    /// Something that becomes readable when the engine ends, where there is
    /// such a thing; see [`os::exit_watch`].
    pub fn exit_watch(&self) -> Option<OwnedFd> {
        match self {
            Keeper::Group { child, .. } => os::exit_watch(child),
            #[cfg(target_os = "linux")]
            Keeper::Supervisor(supervised) => supervised.exit_watch(),
        }
    }

    /// Whether the engine itself has ended.
    pub fn has_ended(&self) -> bool {
        match self {
            Keeper::Group { group, .. } => group.is_none_or(Group::leader_has_ended),
            #[cfg(target_os = "linux")]
            Keeper::Supervisor(supervised) => supervised.has_ended(),
        }
    }

    /// Asks all processes to end.
    pub fn terminate(&mut self) {
        match self {
            Keeper::Group { group, .. } => {
                if let Some(group) = group {
                    group.terminate();
                }
            }
            #[cfg(target_os = "linux")]
            Keeper::Supervisor(supervised) => supervised.terminate(),
        }
    }

    /// Ends all processes; does not wait for that.
    pub fn kill(&self) {
        match self {
            // Not reaped yet, so the number is still theirs.
            Keeper::Group { group, .. } => {
                if let Some(group) = group {
                    group.kill();
                }
            }
            #[cfg(target_os = "linux")]
            Keeper::Supervisor(supervised) => supervised.kill(),
        }
    }

    /// Ends all processes and waits until they are gone. How the engine ended,
    /// as the end of a sentence, where that is known.
    pub fn finish(self) -> Option<String> {
        self.kill();
        match self {
            Keeper::Group { mut child, .. } => os::wait_for(&mut child).map(os::describe_status),
            #[cfg(target_os = "linux")]
            Keeper::Supervisor(supervised) => supervised.finish(),
        }
    }
}
