//! Job objects. An engine starts suspended, enters its job and then runs, so every process that
//! it starts is in the job. Closing the job kills all of them. The system closes it when the
//! referee ends for any reason.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, CommandWrapper, JobObject};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use win32job::{ExtendedLimitInfo, Job, JobError};

use super::common::{
    Ending, KILL_WAIT, LEFTOVERS_WAIT, MEASURE_INTERVAL, POLL_INTERVAL, ProcessTree, ResourceLimits, Usage,
};
use super::exit::Exit;
use crate::system::pipes::{Event, ExitWatch, Interest, Pipes, Reader, WaitSet, Writer};

/// Flags of `CreateProcess`: suspended until it is in its job; no console, so that Ctrl-C and
/// Ctrl-Break reach only the referee.
const CREATION_FLAGS: u32 = 0x0000_0004 | 0x0000_0200 | 0x0800_0000;

/// How long the last output of an engine that has exited may take to arrive, if one of its
/// descendants holds the pipe open.
const LAST_OUTPUT_WAIT: Duration = Duration::from_millis(200);

/// A job enforces this multiple of the limits, for what happens between two measurements. Only a
/// measurement can say which limit was exceeded. Reserved memory that is not used counts for a job.
const JOB_LIMIT_FACTOR: u64 = 4;

/// The flag of a job's limit on its number of processes, `JOB_OBJECT_LIMIT_ACTIVE_PROCESS`.
const LIMIT_PROCESSES: u32 = 0x0000_0008;

/// The flag of a job's limit on its memory, `JOB_OBJECT_LIMIT_JOB_MEMORY`.
const LIMIT_MEMORY: u32 = 0x0000_0200;

/// An engine and its job.
#[derive(Debug)]
pub(crate) struct Tree(Arc<Shared>);

/// What the threads of an engine share.
#[derive(Debug)]
struct Shared {
    /// The process id of the engine.
    id: u32,
    /// `None` once all processes were killed.
    job: Arc<Mutex<Option<Job>>>,
    /// Has ended once the engine has exited.
    exit: Arc<Event>,
    counts_leftovers: AtomicBool,
    outcome: Mutex<Outcome>,
}

#[derive(Debug, Default)]
struct Outcome {
    status: Option<ExitStatus>,
    /// The clause about the exceeded limit.
    exceeded: Option<String>,
    leftovers: Option<u64>,
}

/// Puts the suspended engine into its job.
#[derive(Debug)]
struct InJob(Arc<Mutex<Option<Job>>>);

impl CommandWrapper for InJob {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        command.creation_flags(CREATION_FLAGS);
        Ok(())
    }

    fn post_spawn(&mut self, _: &mut Command, child: &mut Child, _: &CommandWrap) -> io::Result<()> {
        let job = lock(&self.0);
        let assigned = job
            .as_ref()
            .map(|job| job.assign_process(child.as_raw_handle().cast()));
        if let Some(Err(error)) = assigned {
            let _ = child.kill();
            return Err(system_error(error));
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn system_error(error: JobError) -> io::Error {
    io::Error::other(format!("the job object of an engine failed: {error}"))
}

/// What the job of an engine enforces: all its processes end when it is closed, and its limits.
fn job_limits(engine: ResourceLimits) -> ExtendedLimitInfo {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let in_job = |limit: u64| limit.saturating_mul(JOB_LIMIT_FACTOR);
    if let Some(processes) = engine.processes {
        let basic = &mut limits.0.BasicLimitInformation;
        basic.ActiveProcessLimit = u32::try_from(in_job(processes)).unwrap_or(u32::MAX);
        basic.LimitFlags |= LIMIT_PROCESSES;
    }
    if let Some(memory) = engine.memory {
        let bytes = in_job(memory.saturating_mul(ResourceLimits::MEGABYTE));
        limits.0.JobMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
        limits.0.BasicLimitInformation.LimitFlags |= LIMIT_MEMORY;
    }
    limits
}

impl Tree {
    /// Starts an engine, whose three streams are pipes. It is killed when it exceeds a limit.
    pub fn start(command: Command, limits: ResourceLimits) -> io::Result<(Tree, Pipes)> {
        let job = Job::create_with_limit_info(&mut job_limits(limits)).map_err(system_error)?;
        let job = Arc::new(Mutex::new(Some(job)));
        let mut command = CommandWrap::from(command);
        // The first one resumes the engine, after the second one has put it into its job.
        command.wrap(JobObject).wrap(InJob(Arc::clone(&job)));
        let mut child = command.spawn()?;
        let pipes = (
            child.stdin().take().map(Writer::new).transpose()?,
            child.stdout().take().map(Reader::new).transpose()?,
            child.stderr().take().map(Reader::new).transpose()?,
        );
        let outputs = [&pipes.1, &pipes.2].map(|pipe| pipe.as_ref().map(Reader::end));
        let shared = Arc::new(Shared {
            id: child.id(),
            job,
            exit: Arc::default(),
            counts_leftovers: AtomicBool::new(false),
            outcome: Mutex::default(),
        });
        if limits != ResourceLimits::default() {
            let measured = Arc::clone(&shared);
            let thread = thread::Builder::new().name("limits".into());
            thread.spawn(move || measured.measure(limits))?;
        }
        let watched = Arc::clone(&shared);
        let thread = thread::Builder::new().name("exit".into());
        thread.spawn(move || {
            let has_ended = || outputs.iter().flatten().all(|has_ended| has_ended());
            watched.await_exit(child, has_ended);
        })?;
        Ok((Tree(shared), pipes))
    }
}

impl ProcessTree for Tree {
    fn exit_watch(&self) -> Option<ExitWatch> {
        Some(ExitWatch(Arc::clone(&self.0.exit)))
    }

    fn has_exited(&self) -> bool {
        lock(&self.0.outcome).status.is_some()
    }

    fn kill(&self) {
        self.0.kill();
    }

    fn count_leftovers(&mut self) {
        self.0.counts_leftovers.store(true, Ordering::SeqCst);
    }

    fn memory(&self) -> Option<u64> {
        let usage = self.0.usage(&mut System::new().ok()?)?;
        Some(usage.memory)
    }

    fn finish(self: Box<Self>) -> Ending {
        let mut set = WaitSet::default();
        if self.0.counts_leftovers.load(Ordering::SeqCst) && self.has_exited() {
            set.watch(Some(&self.0.exit), Interest::End);
            let _ = set.wait(Some(KILL_WAIT));
        }
        self.kill();
        set.watch(Some(&self.0.exit), Interest::End);
        let _ = set.wait(Some(KILL_WAIT));
        let mut outcome = lock(&self.0.outcome);
        if outcome.status.is_none() {
            log::error!("process {} cannot be killed", self.0.id);
        }
        let status = outcome.status.map(exit_of);
        Ending {
            how: outcome.exceeded.take().map(Exit::Told).or(status),
            leftovers: outcome.leftovers,
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Shared {
    fn kill(&self) {
        drop(lock(&self.job).take());
    }

    /// Waits for the engine, its last output, and on request its descendants.
    fn await_exit(&self, mut child: Box<dyn ChildWrapper>, output_has_ended: impl Fn() -> bool) {
        // The process itself; its job would also wait for its descendants.
        match child.inner_mut().wait() {
            Ok(status) => lock(&self.outcome).status = Some(status),
            Err(error) => log::error!("cannot wait for process {}: {error}", self.id),
        }
        wait_until(LAST_OUTPUT_WAIT, output_has_ended);
        if self.counts_leftovers.load(Ordering::SeqCst) {
            wait_until(LEFTOVERS_WAIT, || self.others() == Some(0));
            lock(&self.outcome).leftovers = self.others();
        }
        self.exit.end();
    }

    /// The number of processes in the job beside the engine; `None` once they were killed.
    fn others(&self) -> Option<u64> {
        let job = lock(&self.job);
        let ids = job.as_ref()?.query_process_id_list().ok()?;
        Some(ids.iter().filter(|&&id| id != self.id as usize).count() as u64)
    }

    /// Measures the processes until the engine has exited, and kills them over a limit.
    fn measure(&self, limits: ResourceLimits) {
        let mut system = match System::new() {
            Ok(system) => system,
            Err(error) => return log::error!("an engine cannot be measured: {error}"),
        };
        loop {
            let mut set = WaitSet::default();
            let exit = set.watch(Some(&self.exit), Interest::End);
            if set.wait(Some(MEASURE_INTERVAL)).is_err() || set.is_ready(exit) {
                return;
            }
            let Some(usage) = self.usage(&mut system) else {
                return;
            };
            if let Some(exceeded) = limits.exceeded(&usage) {
                lock(&self.outcome).exceeded = Some(exceeded);
                self.kill();
                return;
            }
        }
    }

    fn usage(&self, system: &mut System) -> Option<Usage> {
        let ids = lock(&self.job).as_ref()?.query_process_id_list().ok()?;
        let ids: Vec<Pid> = ids.into_iter().map(Pid::from).collect();
        let kind = ProcessRefreshKind::nothing().with_memory().with_cpu();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&ids), true, kind);
        let processes = ids.iter().filter_map(|id| system.process(*id));
        let largest = processes.clone().max_by_key(|process| process.memory());
        let (memory, cpu_time) = processes.fold((0, 0), |(memory, time), process| {
            (memory + process.memory(), time + process.accumulated_cpu_time())
        });
        Some(Usage {
            processes: ids.len() as u64,
            memory,
            is_java: largest.is_some_and(|process| process.name() == "java.exe"),
            cpu_time: Duration::from_millis(cpu_time),
        })
    }
}

/// Waits until the condition holds or the time is over.
fn wait_until(time: Duration, condition: impl Fn() -> bool) {
    let until = Instant::now() + time;
    while !condition() && Instant::now() < until {
        thread::sleep(POLL_INTERVAL);
    }
}

pub fn kill_group(child: &mut Child) {
    // It may have ended already.
    let _ = child.kill();
}

/// `None`: a running program cannot be replaced on this system.
pub fn own_program() -> Option<PathBuf> {
    None
}

/// Runs another program, and waits for its end.
pub fn become_program(mut program: Command) -> io::Result<ExitCode> {
    let status = program.status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// Nothing to do: this system keeps no keys for users.
pub const fn clear_keys() {}

/// False: this system has no root.
pub fn is_root() -> bool {
    false
}

/// The limit that a message of a program speaks of: there is none here.
pub(crate) fn inherited_limit(_: &str) -> Option<String> {
    None
}

/// The referee's own limit of processor time: there is none here.
pub(crate) fn limit_of_processor_time() -> Option<u64> {
    None
}

/// How many programs the system has killed for lack of memory: not known here.
pub(crate) fn killed_for_memory() -> Option<u64> {
    None
}

/// What the system is short of, if this is the reason why a program could not be started: not known here.
pub fn shortage(_: &io::Error) -> Option<String> {
    None
}

/// Whether this is the error of starting a file that is no program.
pub(crate) fn is_no_program(error: &io::Error) -> bool {
    // ERROR_BAD_EXE_FORMAT
    error.raw_os_error() == Some(193)
}

/// The cores on which this process may run.
pub fn available_cores() -> io::Result<Vec<usize>> {
    Err(super::common::no_affinity())
}

/// Pins this thread to one core.
pub fn pin_to_core(_: usize) -> io::Result<()> {
    Err(super::common::no_affinity())
}

/// How a process ended.
pub fn exit_of(status: ExitStatus) -> Exit {
    status.code().map_or(Exit::Unknown, Exit::Status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_enforces_a_multiple_of_the_limits() {
        let limits_of = |memory, processes| {
            job_limits(ResourceLimits {
                memory,
                processes,
                cpu_time: Some(1),
            })
        };
        let flags_without = job_limits(ResourceLimits::default())
            .0
            .BasicLimitInformation
            .LimitFlags;
        let mut limits = limits_of(Some(1), Some(3));
        let basic = &limits.0.BasicLimitInformation;
        assert_eq!((limits.0.JobMemoryLimit, basic.ActiveProcessLimit), (4 << 20, 12));
        assert_eq!(basic.LimitFlags, flags_without | LIMIT_MEMORY | LIMIT_PROCESSES);
        Job::create_with_limit_info(&mut limits).unwrap();
        let highest = limits_of(Some(u64::MAX), Some(u64::MAX));
        assert_eq!(highest.0.JobMemoryLimit, usize::MAX);
        let only_time = limits_of(None, None);
        assert_eq!(only_time.0.BasicLimitInformation.LimitFlags, flags_without);
    }

    #[test]
    fn exit_statuses_name_errors_of_windows_only() {
        let described = |status: u32| Exit::Status(status as i32).to_string();
        assert_eq!(
            described(0xC000_0005),
            "ended with exit status 0xC0000005 (access violation)"
        );
        assert_eq!(
            described(0xC000_0374),
            "ended with exit status 0xC0000374 (a system error)"
        );
        for own in [0, 3, -1] {
            assert_eq!(
                Exit::Status(own).to_string(),
                format!("ended with exit status {own}")
            );
        }
    }
}
