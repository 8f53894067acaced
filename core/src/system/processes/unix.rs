//! Process groups and signals.

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::common::{Ending, ProcessTree, ResourceLimits, wait_killed};
use super::exit::Exit;
use crate::system::pipes::{ExitWatch, Pipes, Reader, Writer};

/// A watch of a child, where the system has one. Elsewhere the closing of its pipes shows the exit.
fn watch(child: &Child) -> Option<ExitWatch> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open};
        let watch = Pid::from_raw(child.id() as i32).map(|id| pidfd_open(id, PidfdFlags::empty()));
        // Kernels before 5.3 and some sandboxes refuse it.
        watch.and_then(Result::ok).map(ExitWatch::from)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = child;
        None
    }
}

/// An engine and its process group.
#[derive(Debug)]
pub(crate) struct Tree {
    child: Child,
    group: Option<Group>,
}

impl Tree {
    /// Starts an engine, whose three streams are pipes. Limits are not checked.
    pub fn start(mut command: Command, _: ResourceLimits) -> io::Result<(Tree, Pipes)> {
        in_own_group(&mut command);
        let mut child = command.spawn()?;
        let pipes = (
            child.stdin.take().map(Writer::new).transpose()?,
            child.stdout.take().map(Reader::new).transpose()?,
            child.stderr.take().map(Reader::new).transpose()?,
        );
        let group = Group::of(&child);
        Ok((Tree { child, group }, pipes))
    }
}

impl ProcessTree for Tree {
    fn exit_watch(&self) -> Option<ExitWatch> {
        watch(&self.child)
    }

    fn has_exited(&self) -> bool {
        self.group.is_none_or(Group::leader_has_ended)
    }

    fn terminate(&mut self) {
        if let Some(group) = self.group {
            group.signal(Signal::TERM);
        }
    }

    fn kill(&self) {
        // Not reaped yet, so the process group still has this number.
        if let Some(group) = self.group {
            group.signal(Signal::KILL);
        }
    }

    fn finish(mut self: Box<Self>) -> Ending {
        self.kill();
        Ending {
            how: wait_killed(&mut self.child).map(exit_of),
            leftovers: None,
        }
    }
}

/// Starts `command` as the leader of its own process group: it can be killed with its
/// children, and Ctrl-C at the terminal reaches only the referee.
pub(crate) fn in_own_group(command: &mut Command) {
    command.process_group(0);
}

/// The same for a command with this standard input, output and error.
#[cfg(target_os = "linux")]
pub(crate) fn in_own_group_with(command: &mut Command, [stdin, stdout, stderr]: [OwnedFd; 3]) {
    in_own_group(command);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
}

/// A process group led by a child.
#[derive(Clone, Copy, Debug)]
struct Group(Pid);

impl Group {
    /// The group of a child started by [`in_own_group`].
    fn of(child: &Child) -> Option<Group> {
        Pid::from_raw(child.id() as i32).map(Group)
    }

    /// Whether the leader has exited. It stays unreaped, so its number is not reused.
    fn leader_has_ended(self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(rustix::process::waitid(WaitId::Pid(self.0), options), Ok(None))
    }

    /// Signals the group. Valid only before the leader is reaped.
    fn signal(self, signal: Signal) {
        // No process left is the goal.
        let _ = rustix::process::kill_process_group(self.0, signal);
    }
}

/// Kills the process group that a child leads.
#[cfg(not(target_os = "linux"))]
pub fn kill_group(child: &Child) {
    if let Some(group) = Group::of(child) {
        group.signal(Signal::KILL);
    }
}

/// The running program, as a path from which it can be started again even if its file
/// was replaced. `None` where the system has no such path.
pub fn own_program() -> Option<PathBuf> {
    cfg!(target_os = "linux").then(|| PathBuf::from("/proc/self/exe"))
}

/// Replaces this process by another program.
pub fn become_program(mut program: Command) -> io::Result<ExitCode> {
    Err(program.exec())
}

/// Threads of an engine beyond one for each process. Java has 20 on two cores, and three for each further core.
#[cfg(target_os = "linux")]
const THREADS: u64 = 448;

/// One engine gets at most this part of the threads that the system allows the user (`ulimit -u`).
#[cfg(target_os = "linux")]
const PART_OF_USER: u64 = 4;

/// The most threads of all processes of an engine together; `None` without a limit on its processes.
#[cfg(target_os = "linux")]
pub(crate) fn max_threads(limits: ResourceLimits) -> Option<u64> {
    let of_engine = limits.processes?.saturating_add(THREADS);
    let of_user = rustix::process::getrlimit(rustix::process::Resource::Nproc).current;
    Some(of_user.map_or(of_engine, |most| of_engine.min(most / PART_OF_USER)))
}

/// Whether this process has the rights of root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Deletes the keys that any process of this user could have kept. Only Linux keeps some.
pub fn clear_keys() {
    #[cfg(target_os = "linux")]
    {
        use linux_keyutils::{KeyRing, KeyRingIdentifier};
        for kept in [KeyRingIdentifier::User, KeyRingIdentifier::UserSession] {
            if let Ok(keys) = KeyRing::from_special_id(kept, false) {
                let _ = keys.clear();
            }
        }
    }
}

/// Whether this is the error of starting a file that is no program.
pub(crate) fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

/// What the system is short of, if this is the reason why a program could not be started: nobody's fault, and
/// perhaps over soon. A sentence without full stop.
pub fn shortage(error: &io::Error) -> Option<String> {
    use rustix::io::Errno;
    use rustix::process::{Resource, getrlimit};

    let limit = |resource| {
        getrlimit(resource)
            .current
            .map_or("unlimited".to_string(), |most| most.to_string())
    };
    Some(match Errno::from_io_error(error)? {
        Errno::AGAIN => format!(
            "no more processes can be started: the limit of this user is {} (`ulimit -u`), and a container or service \
             may have a lower one",
            limit(Resource::Nproc)
        ),
        Errno::MFILE => format!(
            "too many files are open: the limit is {} (`ulimit -n`), and each running program needs up to eight",
            limit(Resource::Nofile)
        ),
        Errno::NFILE => "the whole system has too many open files".to_string(),
        Errno::NOMEM => "there is not enough memory".to_string(),
        Errno::NOSPC => "the disk with the folder for temporary files (`TMPDIR`) is full".to_string(),
        _ => return None,
    })
}

/// The limit that a message of a program speaks of, if the user's shell or service has set it for the referee, too:
/// a clause.
pub(crate) fn inherited_limit(message: &str) -> Option<String> {
    use rustix::process::{Resource, getrlimit};

    let known: [(&[&str], _, _, _); 4] = [
        (
            &["Too many open files", "EMFILE"],
            "open files",
            "-n",
            Resource::Nofile,
        ),
        (
            &[
                "temporarily unavailable",
                "EAGAIN",
                "native thread",
                "start new thread",
            ],
            "processes and threads of this user",
            "-u",
            Resource::Nproc,
        ),
        (
            &["Cannot allocate memory", "ENOMEM", "MemoryError", "bad_alloc"],
            "memory in bytes",
            "-v",
            Resource::As,
        ),
        (
            &["File too large", "EFBIG"],
            "bytes in a file",
            "-f",
            Resource::Fsize,
        ),
    ];
    let speaks_of = |(signs, ..): &(&[&str], _, _, _)| signs.iter().any(|sign| message.contains(sign));
    let (_, what, option, resource) = known.into_iter().find(speaks_of)?;
    let limit = getrlimit(resource).current?;
    #[cfg(target_os = "linux")]
    let limit = OPEN_FILES
        .get()
        .copied()
        .filter(|_| option == "-n")
        .unwrap_or(limit);
    Some(format!(
        "its limit of {what} is {limit} (`ulimit {option}`), inherited from the referee"
    ))
}

/// The referee's own limit of processor time, which engines inherit, in seconds.
pub(crate) fn limit_of_processor_time() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Cpu).current
}

/// How many programs the system has killed for lack of memory; `None` if it does not tell.
pub(crate) fn killed_for_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/vmstat").ok()?;
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "))?;
    count.trim().parse().ok()
}

/// The limit of open files before [`raise_open_files`].
#[cfg(target_os = "linux")]
static OPEN_FILES: std::sync::OnceLock<u64> = std::sync::OnceLock::new();

/// Raises the limit of open files as far as this user may: many engines have many pipes.
#[cfg(target_os = "linux")]
pub fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit};

    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current else { return };
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if OPEN_FILES.set(current).is_ok() {
        // The lower limit does for most matches.
        let _ = rustix::process::setrlimit(Resource::Nofile, raised);
    }
}

/// The limit of open files for engines: that of the user's shell, since some programs close each possible
/// file before they start, or use `select`, which has a limit of its own.
#[cfg(target_os = "linux")]
pub(crate) fn open_files_of_engines() -> Option<u64> {
    OPEN_FILES.get().copied()
}

/// Lowers the limit of open files to this again.
#[cfg(target_os = "linux")]
pub(crate) fn lower_open_files(to: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    limit.current = Some(to);
    let _ = setrlimit(Resource::Nofile, limit);
}

/// The cores on which this process may run, as the system numbers them.
#[cfg(target_os = "linux")]
pub fn available_cores() -> io::Result<Vec<usize>> {
    use rustix::thread::CpuSet;
    let set = rustix::thread::sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores on which this process may run.
#[cfg(not(target_os = "linux"))]
pub fn available_cores() -> io::Result<Vec<usize>> {
    Err(super::common::no_affinity())
}

/// Pins this thread, and the processes that it starts, to one core.
#[cfg(target_os = "linux")]
pub fn pin_to_core(core: usize) -> io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(core);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

/// Pins this thread to one core.
#[cfg(not(target_os = "linux"))]
pub fn pin_to_core(_: usize) -> io::Result<()> {
    Err(super::common::no_affinity())
}

/// How a process ended.
pub fn exit_of(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    let signal = || status.signal().map_or(Exit::Unknown, Exit::Signal);
    status.code().map_or_else(signal, Exit::Status)
}
