//! `referee launch`: the process between the referee and an engine.
//!
//! The referee starts itself as the supervisor of each engine and hands it the
//! engine's three pipes through a socket. The supervisor starts the engine on
//! them and forgets them, so that it is not on the way of the moves. Then it
//! sleeps until the engine ends, the referee says something, or the referee is
//! gone, which closes the socket however it went. It leaves nobody behind: it is
//! the subreaper of all that the engine starts. The engine cannot end or stop it
//! where the system has a `fence`; where it has none, the referee is the next
//! subreaper, and ends whoever has lost the supervisor.

mod broadcast;
mod client;
mod fence;
mod message;
mod tree;

pub use client::Supervised;

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::SIGCHLD;

use self::message::{Order, Report};
use super::limits::{Limits, Overuse};
use super::os;

/// The hidden subcommand that makes the referee a supervisor.
pub const COMMAND: &str = "launch";

/// The byte that carries the pipes.
const HELLO: u8 = b'!';

/// The byte that asks for SIGTERM to all that the engine is.
const TERMINATE: u8 = b't';

/// How often is looked at what an engine uses, if that is limited.
const LOOK: Duration = Duration::from_millis(100);

/// So long is tried to end what does not end: processes for which the kernel
/// is stuck, or that belong to somebody else.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// Between two rounds of killing.
const GLANCE: Duration = Duration::from_millis(1);

/// Supervises one engine, as told through the socket that is standard input.
///
/// # Errors
/// Where there is no referee at the other end.
pub fn run() -> io::Result<()> {
    let mut referee = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let pipes = receive_pipes(&referee)?;
    let order = receive_order(&mut referee)?;
    // Whoever ends all programs called `referee` must not end this one first.
    rustix::thread::set_name(c"supervisor")?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    broadcast::hear()?;
    let (child_ended, waker) = io::pipe()?;
    signal_hook::low_level::pipe::register(SIGCHLD, waker)?;
    os::set_nonblocking(&child_ended)?;
    match start(&order, pipes) {
        Ok(engine) => {
            tell(&mut referee, &Report::Started);
            let mut supervisor = Supervisor {
                engine,
                limits: order.limits,
                referee,
                child_ended: child_ended.into(),
            };
            supervisor.watch();
        }
        Err(error) => tell(&mut referee, &Report::Failed(error.raw_os_error().unwrap_or(0))),
    }
    Ok(())
}

/// The engine's ends of its three pipes, in their order.
fn receive_pipes(referee: &UnixStream) -> io::Result<[OwnedFd; 3]> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut hello = [0];
    let mut slices = [IoSliceMut::new(&mut hello)];
    rustix::net::recvmsg(referee, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut pipes = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            pipes.extend(descriptors);
        }
    }
    pipes
        .try_into()
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
}

fn receive_order(referee: &mut UnixStream) -> io::Result<Order> {
    let mut length = [0; 4];
    referee.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    referee.read_exact(&mut bytes)?;
    Order::from_bytes(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Starts the engine in a group of its own. Its pipes are not open here any
/// more when this returns: their ends must show when the engine's are closed.
fn start(order: &Order, [stdin, stdout, stderr]: [OwnedFd; 3]) -> io::Result<Pid> {
    let mut command = Command::new(&order.program);
    command
        .args(&order.args)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr));
    os::in_own_group(&mut command);
    let child = fence::work_behind(|| command.spawn())?;
    Pid::from_raw(child.id() as i32).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A referee that is gone hears nothing, and its end shows elsewhere.
fn tell(referee: &mut UnixStream, report: &Report) {
    let _ = referee.write_all(report.to_string().as_bytes());
}

/// Who looks after one engine.
struct Supervisor {
    engine: Pid,
    limits: Limits,
    referee: UnixStream,
    /// Readable when a child has ended.
    child_ended: OwnedFd,
}

/// What the children of a supervisor came to.
#[derive(Debug)]
struct Reaped {
    /// How the engine itself ended, if it just did.
    engine: Option<WaitStatus>,
    /// Whether no child is left.
    nobody_left: bool,
}

impl Supervisor {
    /// Returns when the engine and all its descendants are gone.
    fn watch(&mut self) {
        loop {
            if let Some(status) = self.reap().engine {
                // First of all, as the referee may be waiting for a move.
                if let Some(report) = ending(status) {
                    tell(&mut self.referee, &report);
                }
                return self.kill();
            }
            if let Some(overuse) = self.overuse() {
                self.kill();
                return tell(&mut self.referee, &Report::Overused(overuse));
            }
            if !self.wait() {
                return self.kill();
            }
        }
    }

    /// Waits until there is something to look at. Whether the referee is
    /// still there.
    fn wait(&mut self) -> bool {
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: LOOK.subsec_nanos().into(),
        };
        let timeout = (self.limits != Limits::default()).then_some(look);
        let mut set = [
            PollFd::new(&self.referee, PollFlags::IN),
            PollFd::new(&self.child_ended, PollFlags::IN),
        ];
        match rustix::event::poll(&mut set, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return false,
        }
        let [referee, child] = set.map(|entry| !entry.revents().is_empty());
        if child {
            let mut wakes = [0; 64];
            while rustix::io::read(&self.child_ended, &mut wakes).is_ok_and(|length| length > 0) {}
        }
        !referee || self.listen()
    }

    /// Does what the referee asks for. Whether it is still there.
    fn listen(&mut self) -> bool {
        let mut bytes = [0; 16];
        match self.referee.read(&mut bytes) {
            Ok(0) => false,
            Ok(length) => {
                if bytes.iter().take(length).any(|byte| *byte == TERMINATE) {
                    tree::signal_all(self.engine, Signal::TERM);
                }
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }

    /// Takes leave of all children that have ended.
    fn reap(&self) -> Reaped {
        let mut engine = None;
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((id, status))) => {
                    if id == self.engine {
                        engine = Some(status);
                    }
                }
                Ok(None) => {
                    return Reaped {
                        engine,
                        nobody_left: false,
                    };
                }
                Err(Errno::INTR) => {}
                Err(_) => {
                    return Reaped {
                        engine,
                        nobody_left: true,
                    };
                }
            }
        }
    }

    /// Ends all descendants. Whoever lost its parent is a child of this
    /// process, so nobody is left when no child is.
    fn kill(&self) {
        let until = Instant::now() + KILL_PATIENCE;
        while !self.reap().nobody_left && Instant::now() < until {
            tree::signal_all(self.engine, Signal::KILL);
            thread::sleep(GLANCE);
        }
    }

    /// What the engine uses beyond its limits.
    fn overuse(&self) -> Option<Overuse> {
        if self.limits == Limits::default() {
            return None;
        }
        let family = tree::descendants();
        let found = family.len() as u64;
        if let Some(allowed) = self.limits.processes.filter(|allowed| found > *allowed) {
            return Some(Overuse::Processes { found, allowed });
        }
        let allowed = self.limits.memory?;
        let bytes: u64 = family.into_iter().map(tree::memory).sum();
        let used = bytes.div_ceil(Limits::MEGABYTE);
        (used > allowed).then_some(Overuse::Memory { used, allowed })
    }
}

/// How an engine ended; `None` for one that has not.
fn ending(status: WaitStatus) -> Option<Report> {
    let exited = status.exit_status().map(Report::Exited);
    exited.or_else(|| status.terminating_signal().map(Report::Signalled))
}
