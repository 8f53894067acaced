//! The referee's side of a supervisor.

use std::collections::BTreeSet;
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use rustix::process::{Pid, Signal};

use super::message::{Order, Report};
use super::{COMMAND, GLANCE, HELLO, TERMINATE, broadcast, tree};
use crate::process::channel::Pipes;
use crate::process::launch::Launch;
use crate::process::os::{self, wait_a_moment_for, wait_for};

/// The system starts a program within this time, or something is wrong with
/// the disk.
const START_PATIENCE: Duration = Duration::from_mins(1);

/// An engine with its supervisor.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
    /// The supervisor's standard input. Closing it ends the engine.
    socket: UnixStream,
}

/// All children of this process. A process that is none of them has lost its
/// supervisor: the referee is the next subreaper of all that engines start.
static KNOWN: Known = Known(Mutex::new(BTreeSet::new()));

/// The supervisors that run, by their numbers.
struct Known(Mutex<BTreeSet<i32>>);

impl Known {
    /// Nobody panics while the lock is held.
    fn lock(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a supervisor, and knows it before anybody looks for strangers.
    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut known = self.lock();
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let supervisor = broadcast::spawn(command)?;
        known.insert(supervisor.id() as i32);
        Ok(supervisor)
    }

    /// A supervisor has ended and was waited for.
    fn forget(&self, supervisor: &Child) {
        self.lock().remove(&(supervisor.id() as i32));
    }

    /// Ends whoever has lost its supervisor.
    fn kill_strangers(&self) {
        /// A child of one that ends while it is looked for is met the next time.
        const LOOKS: u32 = 2;
        let until = Instant::now() + STRANGERS_PATIENCE;
        let mut looks_without = 0;
        while looks_without < LOOKS && Instant::now() < until {
            if tree::kill_strangers(&self.lock()) {
                looks_without = 0;
                thread::sleep(GLANCE);
            } else {
                looks_without += 1;
            }
        }
    }
}

/// So long is tried to end those who have lost their supervisor.
const STRANGERS_PATIENCE: Duration = Duration::from_secs(2);

impl Supervised {
    /// Starts an engine under `program`, which is the referee.
    ///
    /// # Errors
    /// Where the system cannot execute the engine.
    pub fn start(launch: &Launch, program: &Path) -> io::Result<(Supervised, Pipes)> {
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program);
        command
            .arg(COMMAND)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(dir) = &launch.dir {
            command.current_dir(dir);
        }
        os::in_own_group(&mut command);
        let mut started = Supervised {
            supervisor: KNOWN.spawn(&mut command)?,
            socket,
        };
        // It holds the other end of the socket, whose closing must show.
        drop(command);
        match started.order(launch) {
            Ok(pipes) => Ok((started, pipes)),
            Err(error) => {
                started.kill();
                started.await_end();
                Err(error)
            }
        }
    }

    /// Hands over the pipes and what to start on them.
    fn order(&mut self, launch: &Launch) -> io::Result<Pipes> {
        let (its_stdin, stdin) = io::pipe()?;
        let (stdout, its_stdout) = io::pipe()?;
        let (stderr, its_stderr) = io::pipe()?;
        let pipes = [its_stdin.as_fd(), its_stdout.as_fd(), its_stderr.as_fd()];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&pipes));
        let hello = [HELLO];
        rustix::net::sendmsg(
            &self.socket,
            &[IoSlice::new(&hello)],
            &mut control,
            SendFlags::NOSIGNAL,
        )?;
        let order = Order {
            program: launch.program.clone(),
            args: launch.args.clone(),
            limits: launch.limits,
        };
        let order = order.to_bytes();
        let length = u32::try_from(order.len()).map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
        self.socket.write_all(&length.to_le_bytes())?;
        self.socket.write_all(&order)?;
        self.socket.set_read_timeout(Some(START_PATIENCE))?;
        match self.first_report()? {
            Some(Report::Started) => {}
            Some(Report::Failed(error)) => return Err(io::Error::from_raw_os_error(error)),
            other => {
                let error = format!("its supervisor said {other:?}");
                return Err(io::Error::other(error));
            }
        }
        Ok((
            Some(ChildStdin::from(OwnedFd::from(stdin))),
            Some(ChildStdout::from(OwnedFd::from(stdout))),
            Some(ChildStderr::from(OwnedFd::from(stderr))),
        ))
    }

    /// The first line, and not a byte beyond it: what follows shows that the
    /// engine has ended.
    fn first_report(&mut self) -> io::Result<Option<Report>> {
        let mut line = String::new();
        let mut byte = [0];
        while !line.ends_with('\n') {
            self.socket.read_exact(&mut byte)?;
            line.extend(byte.map(char::from));
        }
        Ok(Report::parse(&line))
    }

    /// Becomes readable when the engine has ended.
    pub fn exit_watch(&self) -> Option<OwnedFd> {
        self.socket.try_clone().ok().map(OwnedFd::from)
    }

    /// Whether the engine has ended.
    pub fn has_ended(&self) -> bool {
        let now = Timespec::default();
        let mut set = [PollFd::new(&self.socket, PollFlags::IN)];
        rustix::event::poll(&mut set, Some(&now)).is_ok_and(|ready| ready > 0)
    }

    /// Asks the engine and all its descendants to end.
    pub fn terminate(&mut self) {
        // Without a supervisor there is nobody left.
        let _ = self.socket.write_all(&[TERMINATE]);
    }

    /// Makes the supervisor end them all; does not wait for that.
    pub fn kill(&self) {
        let _ = self.socket.shutdown(Shutdown::Write);
        // The engine may have stopped it.
        let supervisor = Pid::from_child(&self.supervisor);
        let _ = rustix::process::kill_process(supervisor, Signal::CONT);
    }

    /// Waits for a supervisor that was told to end. One that its engine stops
    /// again and again is killed.
    fn await_end(&mut self) -> Option<ExitStatus> {
        let status = wait_a_moment_for(&mut self.supervisor).or_else(|| {
            self.supervisor.kill().ok()?;
            wait_for(&mut self.supervisor)
        });
        if let Some(status) = status {
            KNOWN.forget(&self.supervisor);
            if !status.success() {
                KNOWN.kill_strangers();
            }
        }
        status
    }

    /// Waits until all are gone. How the engine had ended before it was
    /// killed, as the end of a sentence; `None` where it had not.
    pub fn finish(mut self) -> Option<String> {
        let status = self.await_end()?;
        let mut text = String::new();
        let read = self.socket.read_to_string(&mut text);
        match text.lines().next().and_then(Report::parse) {
            Some(Report::Exited(status)) => Some(os::describe(Some(status), None)),
            Some(Report::Signalled(signal)) => Some(os::describe(None, Some(signal))),
            Some(Report::Overused(overuse)) => Some(overuse.to_string()),
            _ if read.is_ok() && status.success() => None,
            _ => {
                let how = os::describe_status(status);
                Some(format!("lost its supervisor, which {how}"))
            }
        }
    }
}
