//! `referee confine`: becomes a sandboxed engine.
//!
//! The supervisor starts this launcher with a socket as standard input and passes it the
//! engine's pipes and the job, as the referee did before. The launcher restricts itself
//! and executes the engine, which keeps its process number. The socket closes then; until
//! then it carries the reason of a failure.
//!
//! With `strict` there are two more processes. The launcher stays outside of the new
//! namespaces, waits and ends as the engine ended. Inside, a second launcher is the first
//! process of the new process list and the parent of the engine. A program would not expect
//! to be that itself: signals that it does not handle do not reach the first process.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio, exit};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};

use super::message::{Job, Report};
use super::{message, signals};
use crate::process::sandbox::{self, Enforced, Refusal, Sandbox, SandboxLevel, namespaces};
use crate::system::processes::{self as os, ResourceLimits, wait_killed};

/// The hidden subcommand that turns the referee into a sandboxed engine.
pub const COMMAND: &str = "confine";

/// The program to start as the launcher: the running one.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// What this kernel enforces at a level, found by restricting a process that starts
/// nothing.
pub fn probe(level: SandboxLevel) -> Result<Enforced, Refusal> {
    if level == SandboxLevel::On
        && let Some(enforced) = enforced_apart(Path::new(OWN_PROGRAM))
    {
        return Ok(enforced.clone());
    }
    let failed = |why: &dyn std::fmt::Display| Refusal(format!("the sandbox cannot be tried: {why}"));
    match start_nothing(Path::new(OWN_PROGRAM), level, false) {
        Err(Report::Enforced(enforced)) => Ok(enforced),
        Err(Report::Refused(refusal)) => Err(refusal),
        Err(Report::Failed(error)) => Err(failed(&io::Error::from_raw_os_error(error))),
        _ => Err(failed(&"its launcher has ended")),
    }
}

/// Whether a launcher may try to have an engine counted apart. `program` is the referee, which this process need not
/// be.
pub(crate) fn can_count_apart(program: &Path) -> bool {
    enforced_apart(program).is_some()
}

/// What is enforced at the level `On` where a launcher may try that: some systems allow a user namespace, but not
/// its use.
fn enforced_apart(program: &Path) -> Option<&'static Enforced> {
    static KNOWN: OnceLock<Option<Enforced>> = OnceLock::new();
    let tried = || match start_nothing(program, SandboxLevel::On, true) {
        Err(Report::Enforced(enforced)) => Some(enforced),
        _ => None,
    };
    KNOWN.get_or_init(tried).as_ref()
}

fn start_nothing(program: &Path, level: SandboxLevel, tries_apart: bool) -> Result<Pid, Report> {
    let scratch = sandbox::scratch::ScratchFolder::new()?;
    let job = Job {
        program: "".into(),
        args: Vec::new(),
        limits: ResourceLimits::default(),
        sandbox: Some(Sandbox {
            level,
            folder: None,
            readable: Vec::new(),
            writable: None,
            is_for_adapter: false,
        }),
        tries_apart,
        open_files: None,
        group: None,
        scratch: scratch.path().into(),
    };
    let null = File::options().read(true).write(true).open("/dev/null")?;
    start_by(
        program,
        &job,
        [null.try_clone()?.into(), null.try_clone()?.into(), null.into()],
    )
}

/// Starts an engine in its sandbox: a launcher that becomes the engine. Otherwise returns its report.
pub fn start(job: &Job, pipes: [OwnedFd; 3]) -> Result<Pid, Report> {
    start_by(Path::new(OWN_PROGRAM), job, pipes)
}

/// The same with this program, the referee, as the launcher.
fn start_by(program: &Path, job: &Job, pipes: [OwnedFd; 3]) -> Result<Pid, Report> {
    let (mut launcher, mut socket) = start_launcher(program, job, &pipes)?;
    drop(pipes);
    match message::report(&mut socket)? {
        None | Some(Report::Started(_)) => Ok(Pid::from_child(&launcher)),
        Some(report) => {
            wait_killed(&mut launcher);
            Err(report)
        }
    }
}

/// Starts a launcher. Returns it and the socket to it.
fn start_launcher(program: &Path, job: &Job, pipes: &[OwnedFd; 3]) -> io::Result<(Child, UnixStream)> {
    let (mut socket, theirs) = UnixStream::pair()?;
    let mut command = Command::new(program);
    command
        .arg(COMMAND)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    os::in_own_group(&mut command);
    let child = command.spawn()?;
    // It holds the launcher's end of the socket.
    drop(command);
    message::send(&mut socket, pipes.each_ref().map(AsFd::as_fd), job)?;
    Ok((child, socket))
}

/// Becomes an engine. The job comes over the socket on stdin.
pub fn run() -> io::Result<()> {
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // The engine ends with its supervisor, whatever happens to that.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    let (pipes, job) = message::receive(&mut socket)?;
    let Some(sandbox) = &job.sandbox else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    // Descriptors of the user's shell are none of the engine's.
    close_fds::set_fds_cloexec(3, &[]);
    let (Ok(report) | Err(report)) = match sandbox.level {
        SandboxLevel::Strict if rustix::process::getpid().is_init() => {
            first_process(&job, sandbox, pipes, &mut socket)
        }
        SandboxLevel::Strict => return outside(&job, pipes, &mut socket),
        _ => become_engine(&job, sandbox, pipes),
    };
    report.send(&mut socket);
    Ok(())
}

/// Starts the first process of a new process list, and ends as the engine inside ended.
fn outside(job: &Job, pipes: [OwnedFd; 3], socket: &mut UnixStream) -> io::Result<()> {
    // Signals to all processes are for the engine.
    signals::ignore()?;
    if let Err(refusal) = namespaces::enter() {
        Report::Refused(refusal).send(socket);
        return Ok(());
    }
    let (mut first, mut to_first) = start_launcher(Path::new(OWN_PROGRAM), job, &pipes)?;
    // The referee sees when the engine closes its ends.
    drop(pipes);
    let report = message::report(&mut to_first)?;
    let has_started = matches!(report, Some(Report::Started(_)));
    let lost = || Report::Refused(Refusal("the first process inside the sandbox has ended".into()));
    report.unwrap_or_else(lost).send(socket);
    if !has_started {
        first.wait()?;
        return Ok(());
    }
    let ended = message::report(&mut to_first)?;
    let status = first.wait()?;
    let signal = match ended {
        Some(Report::Exited(status)) => exit(status),
        Some(Report::Signalled(signal)) => signal,
        // It was killed, and everything inside with it.
        _ => status.signal().unwrap_or(Signal::KILL.as_raw()),
    };
    signal_hook::low_level::emulate_default_handler(signal)
}

/// The first process of a process list: makes the root folder, restricts itself, starts
/// the engine and takes in orphans. When it ends, the kernel kills everything inside. Returns its
/// last report.
fn first_process(
    job: &Job,
    sandbox: &Sandbox,
    pipes: [OwnedFd; 3],
    socket: &mut UnixStream,
) -> Result<Report, Report> {
    let scratch = Path::new(namespaces::SCRATCH);
    namespaces::build_root(sandbox, Path::new(&job.scratch))?;
    // The engine sees this process: its memory and the user's variables are not for the engine.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(io::Error::from)?;
    let enforced = sandbox::restrict(sandbox, job.limits, scratch, true)?;
    if job.program.is_empty() {
        return Ok(Report::Enforced(enforced));
    }
    let mut command = engine_command(job, sandbox, scratch);
    os::in_own_group_with(&mut command, pipes);
    let engine = Pid::from_child(&command.spawn()?);
    // The referee sees when the engine closes its ends.
    drop(command);
    Report::Started(None).send(socket);
    Ok(await_engine(engine))
}

/// Reaps children until the engine is among them.
fn await_engine(engine: Pid) -> Report {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((id, status))) if id == engine => {
                if let Some(report) = Report::of_status(status) {
                    return report;
                }
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Report::Signalled(Signal::KILL.as_raw()),
        }
    }
}

/// The command of the engine, with its environment and working folder.
fn engine_command(job: &Job, sandbox: &Sandbox, scratch: &Path) -> Command {
    let mut command = Command::new(&job.program);
    command
        .args(&job.args)
        .current_dir(sandbox.folder.as_deref().unwrap_or(scratch.as_os_str()));
    sandbox::set_environment(&mut command, sandbox, scratch);
    command
}

/// Restricts this process and executes the engine. Returns why it did not become the
/// engine.
fn become_engine(job: &Job, sandbox: &Sandbox, pipes: [OwnedFd; 3]) -> Result<Report, Report> {
    let scratch = Path::new(&job.scratch);
    let mut command = engine_command(job, sandbox, scratch);
    take_pipes(pipes)?;
    let is_apart = job.tries_apart && namespaces::count_apart(scratch)?;
    let enforced = sandbox::restrict(sandbox, job.limits, scratch, is_apart)?;
    if job.program.is_empty() {
        return Ok(Report::Enforced(enforced));
    }
    Err(command.exec().into())
}

/// Makes the pipes this process's stdin, stdout and stderr.
fn take_pipes([stdin, stdout, stderr]: [OwnedFd; 3]) -> io::Result<()> {
    rustix::stdio::dup2_stdin(stdin)?;
    rustix::stdio::dup2_stdout(stdout)?;
    Ok(rustix::stdio::dup2_stderr(stderr)?)
}
