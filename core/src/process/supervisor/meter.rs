//! What the processes of an engine use, read from `/proc`.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::cgroup::Group;
use super::tree::{self, Entry, Family};
use crate::process::sandbox::held::{Live, is_gone};
use crate::system::processes::{EndedProcesses, ProcessId, Processors, ResourceLimits, Times, Usage, Work};

/// Measures an engine again and again.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// What the looks so far tell of processes that have ended.
    ended: Option<EndedProcesses>,
    /// The control group of the engine, which counts exactly.
    group: Option<Group>,
}

/// What a look at an engine found.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub usage: Usage,
    /// Number of threads of all processes together.
    pub threads: u64,
    /// A thread of each process.
    pub live: Vec<Live>,
    /// Whether a process could not be measured.
    pub is_hidden: bool,
}

impl Meter {
    /// A meter of an engine with this control group.
    pub fn of(group: Option<Group>) -> Meter {
        Meter {
            group,
            ..Meter::default()
        }
    }

    /// That the kernel has ended the engine for its use of memory, as a clause that follows its name.
    pub fn excess_of_memory(&self, limits: ResourceLimits) -> Option<String> {
        let most = limits
            .memory
            .filter(|_| self.group.as_ref().is_some_and(Group::was_killed_for_memory))?;
        Some(format!(
            "used more than {most} MB of memory, {most} MB are allowed"
        ))
    }

    /// Looks at these processes. The process with the number `reaper` waits for their orphans.
    pub fn look(&mut self, family: &Family, reaper: i32) -> Look {
        let entries: Vec<Entry> = family.ids.iter().filter_map(|id| Entry::of(*id)).collect();
        let mut look = Look {
            threads: entries.iter().map(|entry| entry.threads).sum(),
            is_hidden: family.is_hidden,
            ..Look::default()
        };
        let mut most = 0;
        for entry in &entries {
            let seen = status_of(entry);
            look.is_hidden |= seen.is_err();
            let Ok(Some((folder, status))) = seen else {
                continue;
            };
            let bytes = memory_in(&status);
            look.usage.memory += bytes;
            if bytes >= most {
                most = bytes;
                look.usage.is_java = is_java(&status);
            }
            look.live.push(Live {
                process: (entry.id, entry.start),
                folder,
                activity: (entry.own_ticks, activity_of(entry, &status)),
            });
        }
        look.usage.processes = family.ids.len() as u64;
        let exact = self.group.as_ref().and_then(Group::processor_time);
        look.usage.cpu_time = exact.unwrap_or_else(|| self.processor_time(&entries, reaper));
        look
    }

    /// The processor time of these processes, with that of others which have ended.
    fn processor_time(&mut self, entries: &[Entry], reaper: i32) -> Duration {
        let of_orphans = Entry::of(reaper).map_or(Duration::ZERO, |entry| time_of(entry.child_ticks));
        let times = |entry: &Entry| ((entry.id, entry.start), times_of(entry));
        let processes: HashMap<ProcessId, Times> = entries.iter().map(times).collect();
        let at = Some(Instant::now());
        let begun = || EndedProcesses::new(at, &HashMap::new(), of_orphans);
        let ended = self.ended.get_or_insert_with(begun);
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        ended.look(
            at,
            &processes,
            of_orphans,
            u32::try_from(processors).unwrap_or(u32::MAX),
        );
        processes.values().flatten().sum::<Duration>() + ended.reaped + ended.lost()
    }
}

/// What changes if a process runs, from the text of `/proc/PID/status` and the times of its threads.
fn activity_of(entry: &Entry, status: &[u8]) -> Vec<u8> {
    /// The beginning of the last lines: how often the first thread has given up the processor.
    const SWITCHES: &[u8] = b"\nvoluntary_ctxt_switches:";
    let place = status.windows(SWITCHES.len()).position(|part| part == SWITCHES);
    let mut activity = status[place.unwrap_or(0)..].to_vec();
    if entry.threads > 1 {
        let threads = fs::read_dir(format!("/proc/{}/task", entry.id));
        for thread in threads.into_iter().flatten().flatten() {
            activity.extend(fs::read(thread.path().join("schedstat")).unwrap_or_default());
        }
    }
    activity
}

/// The processor time of a process, to the nanosecond if it is short, and that of its children.
fn times_of(entry: &Entry) -> Times {
    let exact = schedule_of(&PathBuf::from(format!("/proc/{}", entry.id)));
    let exact = exact
        .ok()
        .flatten()
        .map_or(Duration::ZERO, |[computed, _]| computed);
    [time_of(entry.own_ticks).max(exact), time_of(entry.child_ticks)]
}

fn time_of(ticks: u64) -> Duration {
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// What the engine of a supervisor, with this process number, has done so far. `exact` is its processor time, where it
/// has a control group.
pub fn work(supervisor: i32, exact: Option<Duration>) -> Option<Work> {
    let of_supervisor = Entry::of(supervisor).filter(|entry| !entry.is_unseen)?;
    let family = tree::descendants_of(supervisor);
    let own = schedule_of(Path::new("/proc/thread-self")).ok().flatten();
    let mut work = Work {
        at: Some(Instant::now()),
        orphans: time_of(of_supervisor.child_ticks),
        reader_waited: own.map_or(Duration::ZERO, |[_, waited]| waited),
        is_hidden: family.is_hidden,
        ..Work::default()
    };
    let mut ticks = Duration::ZERO;
    for entry in family.ids.into_iter().filter_map(Entry::of) {
        work.is_stopped |= entry.is_stopped;
        let process = PathBuf::from(format!("/proc/{}", entry.id));
        work.ignores_children |= ignores_children(&process);
        let threads = threads_in(&process, &of_supervisor);
        work.is_hidden |= entry.is_unseen || threads.is_err();
        let threads = threads.unwrap_or_default();
        // Threads that have ended count in ticks alone, and a short process has none.
        let exact = threads.values().map(|[computed, _]| computed).sum();
        let [own, children] = [entry.own_ticks, entry.child_ticks].map(time_of);
        ticks += own + children;
        work.processes
            .insert((entry.id, entry.start), [own.max(exact), children]);
        work.threads.extend(threads);
    }
    work.is_exact = exact.is_some();
    work.computed = exact.unwrap_or(ticks + work.orphans);
    work.processors = processors();
    Some(work)
}

/// The wait of a thread, since it began, after which it matters whether it has lowered its priority.
const LONG_WAIT: Duration = Duration::from_millis(20);

/// What the threads of the process with this folder in `/proc` have done, as in [`Work::threads`].
fn threads_in(process: &Path, of_supervisor: &Entry) -> io::Result<HashMap<i32, [Duration; 2]>> {
    let mut found = HashMap::new();
    let threads = match fs::read_dir(process.join("task")) {
        Err(error) if is_gone(&error) => return Ok(found),
        threads => threads?,
    };
    for thread in threads {
        let thread = thread?;
        let Some(number) = thread.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Some([computed, waited]) = schedule_of(&thread.path())? else {
            continue;
        };
        // Only a wait of some length is worth another look.
        let is_own_doing = waited > LONG_WAIT
            && Entry::at(number, &thread.path())
                .is_none_or(|entry| entry.is_unseen || entry.yields_to(of_supervisor));
        let waited = if is_own_doing { Duration::ZERO } else { waited };
        found.insert(number, [computed, waited]);
    }
    Ok(found)
}

/// How long the thread with this folder in `/proc` has computed, and waited for a processor, to the nanosecond; `None`
/// if it has exited.
fn schedule_of(thread: &Path) -> io::Result<Option<[Duration; 2]>> {
    let text = match fs::read_to_string(thread.join("schedstat")) {
        Err(error) if is_gone(&error) => return Ok(None),
        text => text?,
    };
    let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(computed), Some(waited)) => Ok(Some([computed, waited].map(Duration::from_nanos))),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Whether this process ignores SIGCHLD, or that cannot be seen.
fn ignores_children(process: &Path) -> bool {
    const CHILD: u32 = signal_hook::consts::SIGCHLD as u32 - 1;
    let Ok(status) = fs::read(process.join("status")) else {
        return process.exists();
    };
    let ignored = status
        .split(|&byte| byte == b'\n')
        .find_map(|line| line.strip_prefix(b"SigIgn:\t"));
    let ignored = ignored.and_then(|digits| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
    // A process that has exited has no such line.
    ignored.is_some_and(|ignored| ignored >> CHILD & 1 == 1)
}

/// The number of processors, and their idle time.
fn processors() -> Option<Processors> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let mut lines = text.lines();
    let mut numbers = lines.next()?.strip_prefix("cpu ")?.split_whitespace();
    // The time of waits for a disk is idle, too.
    let [idle, of_disk]: [u64; 2] = [numbers.nth(3)?.parse().ok()?, numbers.next()?.parse().ok()?];
    Some(Processors {
        count: lines.take_while(|line| line.starts_with("cpu")).count() as u32,
        idle: time_of(idle + of_disk),
    })
}

/// Memory of a process that is not backed by files, in bytes; 0 if it has exited or cannot be read.
pub fn memory(id: i32) -> u64 {
    let status = Entry::of(id).and_then(|entry| status_of(&entry).ok().flatten());
    status.map_or(0, |(_, status)| memory_in(&status))
}

/// What the kernel says of a process, and the folder in `/proc` of a thread for which it says so; `None` if it has
/// exited.
fn status_of(entry: &Entry) -> io::Result<Option<(PathBuf, Vec<u8>)>> {
    let threads = if entry.is_unseen {
        Err(io::ErrorKind::InvalidData.into())
    } else {
        entry.live_threads()
    };
    let mut gone = rustix::io::Errno::NOENT.into();
    let mut without_memory = None;
    for folder in threads? {
        match fs::read(folder.join("status")) {
            Ok(status) if status.windows(7).any(|part| part == b"\nVmRSS:") => {
                return Ok(Some((folder, status)));
            }
            // It is about to exit, and others of its process may not be.
            Ok(status) => without_memory = without_memory.or(Some((folder, status))),
            Err(error) => gone = error,
        }
    }
    if without_memory.is_some() {
        return Ok(without_memory);
    }
    // Only its threads may have ended, in the order in which they were looked at.
    let is_same = |now: Entry| now.start == entry.start && now.threads > 1;
    if is_gone(&gone) && !Entry::of(entry.id).is_some_and(is_same) {
        return Ok(None);
    }
    Err(gone)
}

/// Whether the text of `/proc/PID/status` is of a program that is called `java`.
fn is_java(status: &[u8]) -> bool {
    status.starts_with(b"Name:\tjava\n")
}

/// [`memory`] from the text of `/proc/PID/status`: anonymous and shared pages, also those that are swapped out,
/// and the tables of pages, which grow with addresses that are only read.
fn memory_in(status: &[u8]) -> u64 {
    let field = |name: &str| {
        let lines = status.split(|&byte| byte == b'\n');
        let value = lines
            .into_iter()
            .find_map(|line| line.strip_prefix(name.as_bytes()))?;
        let number = std::str::from_utf8(value).ok()?.split_whitespace().next()?;
        Some(number.parse::<u64>().ok()? * 1024)
    };
    let resident = match (field("RssAnon:"), field("RssShmem:")) {
        (Some(anonymous), Some(shared)) => anonymous + shared,
        // Kernels before 4.5, and processes without memory.
        _ => field("VmRSS:").unwrap_or(0),
    };
    resident + field("VmSwap:").unwrap_or(0) + field("VmPTE:").unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_cannot_be_read_is_an_error() {
        let process = tempfile::tempdir().unwrap();
        let threads = || threads_in(process.path(), &Entry::default());
        assert_eq!(threads().unwrap(), HashMap::new());
        let thread = process.path().join("task/7");
        fs::create_dir_all(&thread).unwrap();
        // It has exited.
        assert_eq!(threads().unwrap(), HashMap::new());
        let long = LONG_WAIT + Duration::from_nanos(1);
        for (schedule, stat, waited) in [
            ("5 3 1", None, Some(Duration::from_nanos(3))),
            (
                &*format!("5 {} 1", long.as_nanos()),
                Some("7 (a) S"),
                Some(Duration::ZERO),
            ),
            ("5", None, None),
        ] {
            fs::write(thread.join("schedstat"), schedule).unwrap();
            if let Some(stat) = stat {
                fs::write(thread.join("stat"), stat).unwrap();
            }
            let found = threads().ok().map(|found| found[&7][1]);
            assert_eq!(found, waited, "{schedule}");
        }
    }

    #[test]
    fn a_long_wait_of_a_thread_that_lets_others_go_first_is_its_own_doing() {
        let process = tempfile::tempdir().unwrap();
        let thread = process.path().join("task/7");
        fs::create_dir_all(&thread).unwrap();
        let long = LONG_WAIT * 2;
        fs::write(thread.join("schedstat"), format!("5 {} 1", long.as_nanos())).unwrap();
        for (nice, waited) in [(0, long), (1, Duration::ZERO)] {
            let stat = format!("7 (a) R 1{}{nice} 1{}\n", " 0 ".repeat(14), " 0 ".repeat(22));
            fs::write(thread.join("stat"), stat).unwrap();
            let found = threads_in(process.path(), &Entry::default()).unwrap();
            assert_eq!(found[&7][1], waited, "{nice}");
        }
    }

    #[test]
    fn bit_17_of_the_ignored_signals_is_that_of_children() {
        let process = tempfile::tempdir().unwrap();
        for (signals, is_ignored) in [("0000000000010000", true), ("fffffffffffeffff", false)] {
            let status = format!("Name:\tx\nSigIgn:\t{signals}\nSigCgt:\t0000000000000000\n");
            fs::write(process.path().join("status"), status).unwrap();
            assert_eq!(ignores_children(process.path()), is_ignored);
        }
    }

    #[test]
    fn times_and_processors_are_those_of_the_system() {
        assert_eq!(
            time_of(rustix::param::clock_ticks_per_second()),
            Duration::from_secs(1)
        );
        let available = std::thread::available_parallelism().unwrap().get();
        assert!(processors().unwrap().count as usize >= available);
    }

    #[test]
    fn a_process_is_active_if_any_of_its_threads_is() {
        let own = Entry::of(tree::own_id()).unwrap();
        let entry = Entry { threads: 2, ..own };
        let (work, wait) = std::sync::mpsc::channel::<()>();
        let (done, is_done) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            while wait.recv().is_ok() {
                done.send(()).unwrap();
            }
        });
        let before = activity_of(&entry, b"");
        work.send(()).unwrap();
        is_done.recv().unwrap();
        assert_ne!(activity_of(&entry, b""), before);
        drop(work);
        thread.join().unwrap();
        let alone = Entry { threads: 1, ..entry };
        let status = b"Name:\tx\nvoluntary_ctxt_switches:\t7\n";
        assert_eq!(activity_of(&alone, status), b"\nvoluntary_ctxt_switches:\t7\n");
    }

    #[test]
    fn memory_excludes_file_pages() {
        let status = b"Name:\t\xff\xfe\nVmSize:\t 9000000 kB\nVmRSS:\t 700 kB\nRssAnon:\t 300 kB\nRssFile:\t 390 kB\nRssShmem:\t 10 kB\n\
                      VmPTE:\t 2 kB\nVmSwap:\t 5 kB\n";
        assert_eq!(memory_in(status), 317 * 1024);
        assert_eq!(memory_in(b"VmSize:\t 9 kB\nVmRSS:\t 7 kB\n"), 7 * 1024);
        assert_eq!(memory_in(b"Name:\tkthreadd\n"), 0);
    }
}
