use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal};
use signal_hook::consts::SIGSYS;

use super::cgroup::Group;
use super::message::{Job, Report};
use super::{COMMAND, COUNT_LEFTOVERS, TERMINATE, confined, message, meter, signals, tree};
use crate::process::program::Launch;
use crate::process::sandbox::SandboxLevel;
use crate::process::sandbox::scratch::{Mounted, ScratchFolder};
use crate::system::pipes::{ExitWatch, Pipes, Reader, Source, Writer};
use crate::system::processes::{
    self as os, Ending, Exit, POLL_INTERVAL, ProcessTree, ResourceLimits, Work, wait_killed, wait_until_ended,
};

/// Time limit for the start of a program. Only a failing disk takes longer.
const START_WAIT: Duration = Duration::from_mins(1);

/// Time limit for a supervisor to kill its engine. The engine may keep stopping it where the kernel
/// does not restrict signals.
const END_WAIT: Duration = Duration::from_secs(1);

/// The same for a sandboxed engine, which cannot do that. Its supervisor has to free its memory and
/// delete its scratch folder, too.
const SANDBOX_END_WAIT: Duration = Duration::from_secs(20);

/// The referee's handle to a supervisor and its engine.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
    /// The supervisor's stdin. Closing it kills the engine.
    socket: UnixStream,
    is_sandboxed: bool,
    /// The control group of the engine.
    group: Option<Group>,
    /// Its scratch folder, which its supervisor deletes.
    scratch: Option<PathBuf>,
    /// What it sees there, if that is a file system in memory.
    mounted: Option<Mounted>,
}

/// How a sandboxed engine ended by a system call that is not only refused.
const FORBIDDEN_CALL: &str = "used a system call that the sandbox forbids, one of 32-bit code, and was ended by \
                              signal 31 (SIGSYS)";

/// The process numbers of the supervisors that run. The referee is the next subreaper of everything
/// that engines start, so any other child of it has lost its supervisor.
static SUPERVISORS: Mutex<Vec<i32>> = Mutex::new(Vec::new());

fn supervisors() -> MutexGuard<'static, Vec<i32>> {
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts and registers a supervisor under the lock, so that [`kill_orphans`] cannot take it for an
/// orphan.
fn spawn_supervisor(command: &mut Command) -> io::Result<Child> {
    let mut known = supervisors();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let supervisor = signals::spawn(command)?;
    known.push(supervisor.id() as i32);
    Ok(supervisor)
}

/// Kills processes that have lost their supervisor.
fn kill_orphans() {
    /// Rounds without a find before the search ends: a process may fork while it is being killed.
    const EMPTY_ROUNDS: u32 = 2;
    let until = Instant::now() + ORPHANS_WAIT;
    let mut empty_rounds = 0;
    while empty_rounds < EMPTY_ROUNDS && Instant::now() < until {
        if tree::kill_orphans(&supervisors()) {
            empty_rounds = 0;
            thread::sleep(POLL_INTERVAL);
        } else {
            empty_rounds += 1;
        }
    }
}

/// Time limit for killing orphans.
const ORPHANS_WAIT: Duration = Duration::from_secs(2);

/// Starts an engine under `program`, which is the referee.
pub fn start(launch: &Launch, program: &Path) -> io::Result<(Box<dyn ProcessTree>, Pipes)> {
    let (its_stdin, stdin) = io::pipe()?;
    let (stdout, its_stdout) = io::pipe()?;
    let (stderr, its_stderr) = io::pipe()?;
    let its_pipes = [its_stdin.as_fd(), its_stdout.as_fd(), its_stderr.as_fd()];
    let started = Supervised::start(launch, program, its_pipes, &[])?;
    let pipes = (
        Some(Writer::new(stdin)?),
        Some(Reader::new(stdout)?),
        Some(Reader::new(stderr)?),
    );
    Ok((Box::new(started), pipes))
}

/// The same with a terminal as its standard input, output and error.
pub(crate) fn start_on_terminal(
    launch: &Launch,
    program: &Path,
    terminal: Source<'_>,
) -> io::Result<Box<dyn ProcessTree>> {
    let started = Supervised::start(launch, program, [terminal; 3], &[("TERM", "dumb")])?;
    Ok(Box::new(started))
}

/// The limits of what a supervisor starts. Those of an adapter's program are for that program alone.
fn limits_of(launch: &Launch) -> ResourceLimits {
    let is_adapter = launch
        .sandbox
        .as_ref()
        .is_some_and(|sandbox| sandbox.is_for_adapter);
    if is_adapter {
        ResourceLimits::default()
    } else {
        launch.limits
    }
}

impl Supervised {
    /// The exact processor time of all that ever ran for the engine, where it has a control group.
    fn processor_time(&self) -> Option<Duration> {
        self.group.as_ref()?.processor_time()
    }

    /// Starts an engine with this standard input, output and error, and more variables.
    fn start(
        launch: &Launch,
        program: &Path,
        descriptors: [BorrowedFd<'_>; 3],
        variables: &[(&str, &str)],
    ) -> io::Result<Supervised> {
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program);
        command
            .arg(COMMAND)
            .envs(variables.iter().copied())
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(dir) = &launch.dir {
            command.current_dir(dir);
        }
        os::in_own_group(&mut command);
        let mut started = Supervised {
            supervisor: spawn_supervisor(&mut command)?,
            socket,
            is_sandboxed: launch.sandbox.is_some(),
            group: Group::new(limits_of(launch)),
            scratch: None,
            mounted: None,
        };
        // `command` holds the other end of the socket, whose closing must be seen.
        drop(command);
        match started.send_job(launch, program, descriptors) {
            Ok(()) => Ok(started),
            Err(error) => {
                started.kill();
                started.await_end();
                Err(error)
            }
        }
    }

    /// Sends the supervisor the engine's pipes and what to start.
    fn send_job(
        &mut self,
        launch: &Launch,
        program: &Path,
        descriptors: [BorrowedFd<'_>; 3],
    ) -> io::Result<()> {
        let sandbox = launch.sandbox.as_ref();
        let job = Job {
            program: launch.program.clone().into(),
            args: launch.all_args(),
            limits: limits_of(launch),
            sandbox: launch.sandbox.clone(),
            tries_apart: sandbox.is_some_and(|sandbox| sandbox.level == SandboxLevel::On)
                && confined::can_count_apart(program),
            open_files: os::open_files_of_engines(),
            group: self.group.clone(),
            scratch: OsString::new(),
        };
        message::send(&mut self.socket, descriptors, &job)?;
        self.socket.set_read_timeout(Some(START_WAIT))?;
        match message::report(&mut self.socket)? {
            Some(Report::Started(scratch)) => {
                let mounted = scratch.as_ref().and_then(|scratch| scratch.mounted.as_ref());
                self.mounted = mounted.and_then(|path| Mounted::open(path.as_ref()).ok());
                self.scratch = scratch.map(|scratch| scratch.folder.into());
                Ok(())
            }
            Some(Report::Failed(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(Report::Refused(refusal)) => Err(io::Error::other(refusal)),
            other => {
                let error = format!("unexpected report of its supervisor: {other:?}");
                Err(io::Error::other(error))
            }
        }
    }

    /// Waits for the supervisor to exit. Kills it if it does not, as when its engine keeps
    /// stopping it.
    fn await_end(&mut self) -> Option<ExitStatus> {
        let wait = if self.is_sandboxed {
            SANDBOX_END_WAIT
        } else {
            END_WAIT
        };
        let status = wait_until_ended(&mut self.supervisor, wait).or_else(|| {
            self.supervisor.kill().ok()?;
            wait_killed(&mut self.supervisor)
        });
        if let Some(status) = status {
            supervisors().retain(|&id| id != self.supervisor.id() as i32);
            if !status.success() {
                self.group.iter().for_each(Group::kill);
                kill_orphans();
                drop(self.scratch.take().and_then(ScratchFolder::left));
            }
        }
        self.group.iter().for_each(Group::remove);
        status
    }
}

impl ProcessTree for Supervised {
    fn exit_watch(&self) -> Option<ExitWatch> {
        let socket = self.socket.try_clone().ok()?;
        Some(ExitWatch::from(OwnedFd::from(socket)))
    }

    fn has_exited(&self) -> bool {
        let now = Timespec::default();
        let mut set = [PollFd::new(&self.socket, PollFlags::IN)];
        rustix::event::poll(&mut set, Some(&now)).is_ok_and(|ready| ready > 0)
    }

    fn terminate(&mut self) {
        // Without a supervisor no process is left.
        let _ = self.socket.write_all(&[TERMINATE]);
    }

    fn count_leftovers(&mut self) {
        let _ = self.socket.write_all(&[COUNT_LEFTOVERS]);
    }

    fn memory(&self) -> Option<u64> {
        let family = tree::descendants_of(self.supervisor.id() as i32).ids;
        Some(family.into_iter().map(meter::memory).sum())
    }

    fn work(&self) -> Option<Work> {
        meter::work(self.supervisor.id() as i32, self.processor_time())
    }

    fn excess_of_files(&self) -> Option<String> {
        self.mounted.as_ref()?.usage().excess()
    }

    /// Makes the supervisor kill everything.
    fn kill(&self) {
        let _ = self.socket.shutdown(Shutdown::Write);
        // The engine may have stopped the supervisor with a signal.
        let supervisor = Pid::from_child(&self.supervisor);
        let _ = rustix::process::kill_process(supervisor, Signal::CONT);
    }

    fn finish(mut self: Box<Self>) -> Ending {
        self.kill();
        let Some(status) = self.await_end() else {
            return Ending::default();
        };
        let mut text = String::new();
        let read = self.socket.read_to_string(&mut text);
        let mut reports = text.lines().map(Report::parse);
        let how = match reports.next().flatten() {
            Some(Report::Exited(status)) => Some(Exit::Status(status)),
            Some(Report::Signalled(SIGSYS)) if self.is_sandboxed => Some(Exit::Told(FORBIDDEN_CALL.into())),
            Some(Report::Signalled(signal)) => Some(Exit::Signal(signal)),
            Some(Report::LimitExceeded(exceeded_limit)) => Some(Exit::Told(exceeded_limit)),
            _ if read.is_ok() && status.success() => None,
            _ => Some(Exit::LostSupervisor(Box::new(os::exit_of(status)))),
        };
        let leftovers = match reports.next().flatten() {
            Some(Report::Leftovers(count)) => Some(count),
            _ => None,
        };
        Ending { how, leftovers }
    }
}
