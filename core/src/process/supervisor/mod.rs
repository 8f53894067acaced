//! `referee launch`: the supervisor process between the referee and an engine.
//!
//! The referee starts itself as the supervisor of each engine and passes it the
//! engine's three pipes over a socket. The supervisor starts the engine on these pipes
//! and closes its own copies, so it adds nothing to the latency of a move. Then it
//! sleeps until the engine exits, the referee sends a command, or the referee is gone,
//! which closes the socket in every case.
//!
//! A sandboxed engine is started by a launcher, which restricts itself and becomes the
//! engine; see `confined`.
//!
//! An adapter of a program made for people is not restricted, because it is this program.
//! It starts that program on a terminal, under a supervisor of its own in the sandbox.
//!
//! It is the subreaper of everything that the engine starts, and kills all of it. Where
//! the kernel supports it, the engine cannot signal its supervisor.
//! Elsewhere the referee is the next subreaper and kills processes that lost their
//! supervisor.

mod cgroup;
mod client;
mod confined;
mod message;
mod meter;
mod signals;
mod tree;

pub use client::start;
pub(crate) use client::start_on_terminal;

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use signal_hook::consts::SIGCHLD;

use self::cgroup::Group;
use self::message::{Job, Report, Scratch};
use self::meter::Meter;
use self::tree::Family;
use super::sandbox::held::{Held, Holders, is_gone};
use super::sandbox::scratch::{Mounted, ScratchFolder, Usage};
use super::sandbox::{Enforced, Refusal, SandboxLevel, namespaces};
use crate::system::processes::{
    self as os, KILL_WAIT, LEFTOVERS_WAIT, MEASURE_INTERVAL, POLL_INTERVAL, ResourceLimits,
};

/// The hidden subcommand that turns the referee into a supervisor.
const COMMAND: &str = "launch";

/// The byte that asks for SIGTERM to all processes of the engine.
const TERMINATE: u8 = b't';

/// The byte that asks for a [`Report::Leftovers`] after the engine has exited.
const COUNT_LEFTOVERS: u8 = b'c';

/// What an engine does whose files cannot be counted, as a clause that follows its name.
const HIDDEN: &str = "hides which files it holds, or what else it uses, for example by running a program that cannot be \
                      read";

/// Runs the internal command of this name; `None` for other names.
pub fn internal_command(name: &str) -> Option<io::Result<()>> {
    match name {
        COMMAND => Some(run()),
        confined::COMMAND => Some(confined::run()),
        _ => None,
    }
}

/// Supervises one engine. Commands come over the socket on stdin.
fn run() -> io::Result<()> {
    let mut referee = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (pipes, mut job) = message::receive(&mut referee)?;
    let prepared = prepare().map_err(Report::from);
    match prepared.and_then(|ended| Ok((ended, start_engine(&mut job, pipes)?))) {
        Ok((child_ended, (engine, scratch))) => {
            let level = job.own_sandbox().map(|sandbox| sandbox.level);
            let mounted = level.and_then(|level| mounted(level, engine, &job.scratch));
            let of_engine = scratch.as_ref().map(|folder| Scratch {
                folder: folder.path().into(),
                mounted: mounted.as_ref().map(Mounted::path),
            });
            Report::Started(of_engine).send(&mut referee);
            let mut supervisor = Supervisor {
                is_scratch_counted: level == Some(SandboxLevel::On)
                    && !namespaces::is_apart(engine.as_raw_pid()),
                mounted,
                engine,
                limits: job.limits,
                max_threads: os::max_threads(job.limits),
                level,
                meter: Meter::of(job.group.clone()),
                holders: Holders::default(),
                was_hidden: false,
                scratch,
                writable: job.own_sandbox().and_then(|sandbox| sandbox.writable.clone()),
                referee,
                child_ended,
                counts_leftovers: false,
            };
            supervisor.watch();
            job.group.iter().for_each(Group::kill);
            kill_descendants(supervisor.engine);
        }
        Err(report) => report.send(&mut referee),
    }
    job.group.iter().for_each(Group::remove);
    Ok(())
}

/// Makes this process a supervisor. Returns what is readable when a child has ended.
fn prepare() -> io::Result<OwnedFd> {
    // `killall referee` must not kill the supervisor first.
    rustix::thread::set_name(c"supervisor")?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    signals::ignore()?;
    let (child_ended, waker) = io::pipe()?;
    signal_hook::low_level::pipe::register(SIGCHLD, waker)?;
    rustix::io::ioctl_fionbio(&child_ended, true)?;
    Ok(child_ended.into())
}

/// What this kernel enforces at a level of the sandbox.
pub(crate) fn probe(level: SandboxLevel) -> Result<Enforced, Refusal> {
    if os::is_root() {
        log::warn!(
            "the referee runs as root: sandboxed engines lose root's capabilities, but their user still owns the \
             system's files. Run the referee as an ordinary user"
        );
    }
    let mut enforced = confined::probe(level)?;
    enforced.cgroup = Some(cgroup::ability());
    Ok(enforced)
}

/// Makes orphaned descendants children of this process.
pub fn adopt_orphans() {
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        log::warn!("orphaned processes cannot be found: {error}");
    }
}

/// Kills a child that leads its process group, and all other descendants of this process, which
/// must be a subreaper without other children. Reaps them.
pub(crate) fn kill_all(child: &mut Child, _: bool) {
    kill_descendants(Pid::from_child(child));
}

/// Kills all descendants of this process; `leader` leads the process group of one. An orphan becomes a child
/// of this process, so none are left when no child is left.
fn kill_descendants(leader: Pid) {
    /// One look in this many covers all processes, so that it also finds one that keeps forking and exiting.
    const ALL: u32 = 8;
    let until = Instant::now() + KILL_WAIT;
    let mut looks = 0_u32;
    while !reap(leader).1 && Instant::now() < until {
        looks += 1;
        if looks.is_multiple_of(ALL) {
            tree::signal_all(leader, Signal::KILL);
        } else {
            tree::signal_family(leader, Signal::KILL);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Reaps all children that have exited. Returns how the child with this number ended, if it was
/// among them, and whether no child is left.
fn reap(child: Pid) -> (Option<WaitStatus>, bool) {
    let mut ended = None;
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((id, status))) if id == child => ended = Some(status),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return (ended, false),
            Err(_) => return (ended, true),
        }
    }
}

/// Starts the engine in its own process group, and with a sandbox makes its scratch folder. Closes
/// the supervisor's copies of the pipes, so that the referee sees when the engine closes its ends.
fn start_engine(job: &mut Job, pipes: [OwnedFd; 3]) -> Result<(Pid, Option<ScratchFolder>), Report> {
    if let Some(limit) = job.open_files {
        os::lower_open_files(limit);
    }
    let mut scratch = None;
    if job.sandbox.is_some() {
        let folder = ScratchFolder::new()?;
        job.scratch = folder.path().into();
        scratch = Some(folder);
    }
    // What this process starts meanwhile is in the group of the engine.
    if let Some(Err(error)) = job.group.as_ref().map(Group::enter) {
        log::debug!("no control group: {error}");
        job.group = None;
    }
    let engine = match job.own_sandbox() {
        Some(_) => confined::start(job, pipes),
        None => start_freely(job, pipes).map_err(Report::from),
    };
    if let Some(Err(error)) = job.group.as_ref().map(Group::leave) {
        log::debug!("no control group: {error}");
        job.group = None;
    }
    Ok((engine?, scratch))
}

/// Starts an engine that is in no sandbox. An adapter makes the scratch folders of its programs in
/// that of this supervisor, which deletes them even if it had to kill the adapter.
fn start_freely(job: &Job, pipes: [OwnedFd; 3]) -> io::Result<Pid> {
    let mut command = Command::new(&job.program);
    command.args(&job.args);
    os::in_own_group_with(&mut command, pipes);
    let child = match &job.sandbox {
        Some(_) => command.env("TMPDIR", &job.scratch).spawn()?,
        None => signals::run_restricted(|| command.spawn())?,
    };
    Pid::from_raw(child.id() as i32).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The file system in memory that an engine at this level has for its scratch folder, if it has one.
fn mounted(level: SandboxLevel, engine: Pid, scratch: &OsString) -> Option<Mounted> {
    let engine = engine.as_raw_pid();
    let path = |process, folder: &Path| {
        let folder = folder.strip_prefix("/").unwrap_or(folder);
        Path::new(&format!("/proc/{process}/root")).join(folder)
    };
    let path = match level {
        SandboxLevel::Strict => path(
            tree::children(engine).ok()?.ids.pop()?,
            namespaces::SCRATCH.as_ref(),
        ),
        _ if namespaces::is_apart(engine) => path(engine, scratch.as_ref()),
        _ => return None,
    };
    // It may have ended. The kernel keeps the limits without looks.
    let opened =
        Mounted::open(&path).inspect_err(|error| log::debug!("no view of a scratch folder: {error}"));
    opened.ok()
}

/// The supervisor of one engine.
struct Supervisor {
    engine: Pid,
    limits: ResourceLimits,
    /// The most threads of all its processes together.
    max_threads: Option<u64>,
    /// The level of its sandbox. With `Strict` it has its own process list, made by two more processes.
    level: Option<SandboxLevel>,
    meter: Meter,
    holders: Holders,
    /// Whether a process hid what it holds at the last look.
    was_hidden: bool,
    /// Its scratch folder, which goes with the supervisor.
    scratch: Option<ScratchFolder>,
    /// Whether that is on the disk.
    is_scratch_counted: bool,
    /// What the engine has there otherwise.
    mounted: Option<Mounted>,
    /// Another folder that it may write, with the same limits.
    writable: Option<OsString>,
    referee: UnixStream,
    /// Readable when a child has exited.
    child_ended: OwnedFd,
    /// Whether the referee asked for the number of leftovers.
    counts_leftovers: bool,
}

impl Supervisor {
    /// Runs until the engine has exited or exceeds a limit, or the referee is gone. Reports before the
    /// killing: the referee may be waiting for a move.
    fn watch(&mut self) {
        loop {
            if let (Some(status), _) = reap(self.engine) {
                let excess = self.meter.excess_of_memory(self.limits);
                let excess = excess.map(Report::LimitExceeded);
                if let Some(report) = excess.or_else(|| Report::of_status(status)) {
                    report.send(&mut self.referee);
                }
                if self.counts_leftovers {
                    let leftovers = self.leftovers();
                    Report::Leftovers(leftovers).send(&mut self.referee);
                }
                return;
            }
            if let Some(exceeded_limit) = self.exceeded_limit() {
                return Report::LimitExceeded(exceeded_limit).send(&mut self.referee);
            }
            if !self.wait() {
                return;
            }
        }
    }

    /// Waits for an event. Returns whether the referee is still there.
    fn wait(&mut self) -> bool {
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: os::unforeseen(MEASURE_INTERVAL * 2 / 3).subsec_nanos().into(),
        };
        let timeout = self.is_measured().then_some(look);
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

    /// Reads commands. Returns whether the referee is still there.
    fn listen(&mut self) -> bool {
        let mut bytes = [0; 16];
        match self.referee.read(&mut bytes) {
            Ok(0) => false,
            Ok(length) => {
                let commands = bytes.get(..length).unwrap_or_default();
                self.counts_leftovers |= commands.contains(&COUNT_LEFTOVERS);
                if commands.contains(&TERMINATE) {
                    tree::signal_family(self.engine, Signal::TERM);
                }
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }

    /// The number of descendants that still run [`LEFTOVERS_WAIT`] after the engine's exit.
    fn leftovers(&self) -> u64 {
        let until = Instant::now() + LEFTOVERS_WAIT;
        while !reap(self.engine).1 {
            if Instant::now() >= until {
                return tree::descendants().ids.len() as u64;
            }
            thread::sleep(POLL_INTERVAL);
        }
        0
    }

    /// Whether the use of resources is measured.
    fn is_measured(&self) -> bool {
        self.limits != ResourceLimits::default() || self.level.is_some()
    }

    /// Which limit the engine exceeds, as a clause that follows its name.
    fn exceeded_limit(&mut self) -> Option<String> {
        if !self.is_measured() {
            return None;
        }
        let (family, reaper) = self.family();
        let mut look = self.meter.look(&family, reaper);
        let mut held = Held::default();
        let mut counted: Vec<&Path> = self.writable.iter().map(Path::new).collect();
        let scratch = self.scratch.as_ref().filter(|_| self.is_scratch_counted);
        counted.extend(scratch.map(ScratchFolder::path));
        let mut usages = Vec::new();
        if self.level.is_some() {
            held = self.holders.look(&look.live, &counted);
            look.usage.memory += held.buffers;
            usages = counted
                .iter()
                .map(|folder| Usage::of(folder).and(&held))
                .chain(self.mounted.as_ref().map(Mounted::usage))
                .collect();
        }
        // Only for a moment while it starts a program.
        let is_hidden = look.is_hidden || held.is_hidden || usages.iter().any(|usage| usage.is_hidden);
        let hidden = (is_hidden && self.was_hidden).then_some(HIDDEN);
        self.was_hidden = is_hidden;
        let threads = self.max_threads.filter(|allowed| look.threads > *allowed);
        let exceeded = self.limits.exceeded(&look.usage);
        exceeded
            .or_else(|| Some(format!("has {} threads, {} are allowed", look.threads, threads?)))
            .or_else(|| hidden.map(str::to_string))
            .or_else(|| held.excess())
            .or_else(|| usages.into_iter().find_map(Usage::excess))
    }

    /// The processes of the engine, without those that make its sandbox, and which process waits for orphans.
    fn family(&self) -> (Family, i32) {
        if self.level != Some(SandboxLevel::Strict) {
            return (tree::descendants(), tree::own_id());
        }
        let first = tree::children(self.engine.as_raw_pid()).unwrap_or_else(|error| Family {
            is_hidden: !is_gone(&error),
            ..Family::default()
        });
        let reaper = first.ids.first().copied().unwrap_or_default();
        let mut family = Family::default();
        for inside in first.ids.into_iter().map(tree::descendants_of) {
            family.ids.extend(inside.ids);
            family.is_hidden |= inside.is_hidden;
        }
        family.is_hidden |= first.is_hidden;
        (family, reaper)
    }
}
