//! What both systems share.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::ended::{EndedProcesses, ProcessId, TICK, Times};
use super::exit::Exit;
use crate::system::groups;
use crate::system::pipes::ExitWatch;

/// An engine and all processes that it started.
pub trait ProcessTree: Debug + Send {
    /// What becomes ready when the engine exits, where the system has it.
    fn exit_watch(&self) -> Option<ExitWatch>;

    /// Whether the engine itself has exited.
    fn has_exited(&self) -> bool;

    /// Asks all processes to end, where the system can: SIGTERM.
    fn terminate(&mut self) {}

    /// Kills all processes without waiting for them.
    fn kill(&self);

    /// Asks how many descendants of the engine outlive it; see [`Ending::leftovers`].
    fn count_leftovers(&mut self) {}

    /// Resident memory in bytes; `None` where the system does not report it.
    fn memory(&self) -> Option<u64> {
        None
    }

    /// What all processes have done so far; `None` where the system does not report it.
    fn work(&self) -> Option<Work> {
        None
    }

    /// That the engine has filled its scratch folder, as a clause that follows its name, where the system tells at once.
    fn excess_of_files(&self) -> Option<String> {
        None
    }

    /// Kills all processes and waits for them.
    fn finish(self: Box<Self>) -> Ending;
}

/// How the processes of an engine ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// How the engine ended before it was killed; `None` if it was still running.
    pub how: Option<Exit>,
    /// The number of its descendants that outlived it; `None` if they were not counted.
    pub leftovers: Option<u64>,
}

/// What the processes of an engine have done since they began, as far as a look tells.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of a look
pub struct Work {
    /// Processor time of all processes, with those that have ended.
    pub computed: Duration,
    /// Whether that is exact, and contains every process that has ended. Otherwise the system counts it in ticks, and
    /// a process for which nobody waits is lost.
    pub is_exact: bool,
    /// For each thread that has not ended, by its number: how long it computed, and how long it could have, but waited
    /// for a processor. A thread that has lowered its own priority has no such wait.
    pub threads: HashMap<i32, [Duration; 2]>,
    /// For each process: its own processor time, and that of the children that it has waited for, in ticks.
    pub processes: HashMap<ProcessId, Times>,
    /// When that was so.
    pub at: Option<Instant>,
    /// What later looks have told of processes that ended.
    pub ended: Option<Box<EndedProcesses>>,
    /// The processor time of the orphans for which the supervisor has waited.
    pub orphans: Duration,
    /// Whether a process ignores the ends of its children: nobody waits for those.
    pub ignores_children: bool,
    /// Whether a process or thread cannot be read, so that no wait is believed.
    pub is_hidden: bool,
    /// How long the thread of the referee that looks has waited for a processor, and so may have read an answer late.
    pub reader_waited: Duration,
    /// The processors of the machine.
    pub processors: Option<Processors>,
    /// Whether a process is stopped, as by SIGSTOP.
    pub is_stopped: bool,
}

/// The processors of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// Their number.
    pub count: u32,
    /// How long all of them together had nothing to do.
    pub idle: Duration,
}

/// What the processes of an engine did in a time: what its answer may have cost, and the facts for the reason of a late
/// or missing one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How long was looked.
    pub time: Duration,
    /// Processor time of all of them.
    pub computed: Duration,
    /// How long the answer waited for a processor that other programs used, as far as that is known; see
    /// [`Work::since`].
    pub waited: Duration,
    /// Whether it may have kept the processors busy itself: they had work for at least half of the time, and so had its
    /// other threads and children, or not all of its children are counted.
    pub is_own_doing: bool,
    /// Whether one of its processes is stopped now.
    pub is_stopped: bool,
}

/// A random pause between this one and twice as long, so that no bot can hide processes that end between two looks.
pub(crate) fn unforeseen(pause: Duration) -> Duration {
    let share = (RandomState::new().hash_one(()) % 100) as u32;
    pause + pause * share / 100
}

impl Work {
    /// What was done in a `time`, before which this was `before`.
    ///
    /// The wait is that of the thread that computes, and of the referee's own thread since it last had nothing to read. Who waits
    /// for a processor waits for the threads that run on it, so the processor time of all other threads and children of the
    /// engine is taken off: that much of the wait may be its own doing. If there are several threads,
    /// this may be too much: they compute at the same time, or wait for each other in turns, as those of Java. Then the wait
    /// is that of all of them together, but no more than what others used of each processor on average.
    ///
    /// Without the wait, the time is never shorter than what a thread has computed, or all of them on all processors. So
    /// nobody can compute longer by waits than on a machine of its own.
    pub fn since(&self, before: &Work, time: Duration) -> Effort {
        let none = [Duration::ZERO; 2];
        let difference = |now: [Duration; 2], before: Option<&[Duration; 2]>| {
            let before = before.unwrap_or(&none);
            [0, 1].map(|kind| now[kind].saturating_sub(before[kind]))
        };
        let of_thread = |(id, now): (&i32, &[Duration; 2])| difference(*now, before.threads.get(id));
        let threads: Vec<[Duration; 2]> = self.threads.iter().map(of_thread).collect();
        let known = threads.iter().map(|[computed, _]| computed).sum();
        let (ended, is_lost) = self.ended_since(before, known);
        let computed = known + ended;
        let is_uncounted = !self.is_exact && (self.ignores_children || is_lost);
        let is_doubtful = self.is_hidden || is_uncounted;
        let processors = self.processors.zip(before.processors);
        let (count, idle) = processors.map_or((1, Duration::ZERO), |(now, before)| {
            (now.count.max(1), now.idle.saturating_sub(before.idle))
        });
        // With a standstill of the referee, which is no part of the time.
        let passed = self.at.zip(before.at);
        let passed = passed.map_or(time, |(now, then)| now.saturating_duration_since(then).max(time));
        let is_busy = idle <= passed * count / 2;
        let effort = Effort {
            time,
            computed,
            waited: Duration::ZERO,
            is_own_doing: (is_uncounted || self.is_hidden && !self.is_exact) && is_busy,
            is_stopped: self.is_stopped,
        };
        let busiest = threads
            .iter()
            .max_by_key(|[computed, waited]| *computed + *waited);
        let hardest = threads.iter().max_by_key(|[computed, _]| *computed);
        let (Some(busiest), Some(hardest)) = (busiest, hardest) else {
            return effort;
        };
        if is_doubtful {
            return effort;
        }
        let read = self.reader_waited.saturating_sub(before.reader_waited);
        let others = computed.saturating_sub(busiest[0]);
        let alone = (busiest[1] + read).saturating_sub(others);
        let together = if processors.is_some() && self.threads.len() > 1 {
            let foreign = (time * count).saturating_sub(idle + computed) / count;
            let queued: Duration = threads.iter().map(|[_, waited]| *waited).sum();
            // The system has counted the idle time in ticks.
            (queued + read).min(foreign.saturating_sub(TICK))
        } else {
            Duration::ZERO
        };
        let most = time.saturating_sub(hardest[0].max(computed / count));
        Effort {
            waited: alone.max(together).min(most),
            is_own_doing: others >= passed / 2 && is_busy,
            ..effort
        }
    }

    /// The same before a time in which it may have waited for so long. What the referee and the processors did is not
    /// known then.
    #[must_use]
    pub fn before_waits_of(mut self, time: Duration) -> Work {
        for [_, waited] in self.threads.values_mut() {
            *waited += time;
        }
        self.reader_waited = Duration::MAX;
        self.processors = None;
        self.at = Some(Instant::now());
        self
    }

    /// Notes the processes of a later look, so that [`Work::since`] misses those that end unseen.
    pub fn note_children(&mut self, later: &Work) {
        if self.reader_waited == Duration::MAX {
            self.reader_waited = later.reader_waited;
        }
        let mut ended = self.ended.take().unwrap_or_else(|| Box::new(self.none_ended()));
        ended.look(later.at, &later.processes, later.orphans, later.count());
        self.ended = Some(ended);
    }

    /// Notes that there was nothing to read at a later look, so that the referee's own thread was not late until then.
    pub const fn note_silence(&mut self, later: &Work) {
        self.reader_waited = later.reader_waited;
    }

    /// Whether a process has begun since then.
    pub fn has_new_processes(&self, before: &Work) -> bool {
        self.processes.keys().any(|id| !before.processes.contains_key(id))
    }

    /// The number of processors, if it is known.
    fn count(&self) -> u32 {
        self.processors.map_or(1, |processors| processors.count.max(1))
    }

    /// The beginning of looks after this one.
    fn none_ended(&self) -> EndedProcesses {
        EndedProcesses::new(self.at, &self.processes, self.orphans)
    }

    /// The processor time of threads and processes that have ended since then, beside the `known` one of those that
    /// have not, and whether a part of it may be lost, as far as the looks tell.
    fn ended_since(&self, before: &Work, known: Duration) -> (Duration, bool) {
        if self.is_exact {
            let all = self.computed.saturating_sub(before.computed);
            return (all.saturating_sub(known), false);
        }
        let ended = before.ended.as_deref().cloned();
        let mut ended = ended.unwrap_or_else(|| before.none_ended());
        ended.look(self.at, &self.processes, self.orphans, self.count());
        let lost = ended.lost().max(ended.doubtful());
        let all = (self.computed + lost).saturating_sub(before.computed);
        // Each time is rounded down to a tick, in user mode and in the kernel.
        let more = all.saturating_sub(known);
        let is_rounding = (ended.inherited + lost).is_zero() && more <= TICK * 2;
        (if is_rounding { Duration::ZERO } else { more }, !lost.is_zero())
    }
}

/// What the processes of an engine use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Their number.
    pub processes: u64,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Whether the process with the most memory is Java, which sizes its heap by the memory of the machine.
    pub is_java: bool,
    /// The processor time so far.
    pub cpu_time: Duration,
}

/// Resource limits of an engine and its descendants together; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// Anonymous and shared resident memory in [megabytes](ResourceLimits::MEGABYTE). Pages shared
    /// after a fork count once per process.
    pub memory: Option<u64>,
    /// Number of processes, including the engine.
    pub processes: Option<u64>,
    /// Processor time in seconds, of all its processes together.
    pub cpu_time: Option<u64>,
}

impl ResourceLimits {
    /// Whether this system reports what an engine uses.
    pub const ARE_SUPPORTED: bool = cfg!(any(target_os = "linux", windows));

    /// Whether it also reports that of a single move.
    pub const ARE_OF_MOVES: bool = cfg!(target_os = "linux");

    /// The limits of an engine without options. Those of a sandboxed engine are high enough for any
    /// bot of a game, and low enough that one bot does not stop the machine.
    pub fn of(is_sandboxed: bool) -> ResourceLimits {
        if !is_sandboxed {
            return ResourceLimits::default();
        }
        ResourceLimits {
            memory: Some(memory_of_engine(memory_of_machine())),
            processes: Some(64),
            cpu_time: Some(24 * 60 * 60),
        }
    }

    /// Each limit, with the name of its setting and its option of `referee adapt`.
    pub const fn named(&mut self) -> [(&'static str, &mut Option<u64>); 3] {
        let ResourceLimits {
            memory,
            processes,
            cpu_time,
        } = self;
        [
            ("memory", memory),
            ("max-processes", processes),
            ("cpu-time", cpu_time),
        ]
    }

    /// These limits, and for the rest those of `others`.
    pub fn or(mut self, mut others: ResourceLimits) -> ResourceLimits {
        for ((_, own), (_, other)) in self.named().into_iter().zip(others.named()) {
            *own = own.or(*other);
        }
        self
    }

    /// Which limit an engine exceeds, as a clause that follows its name.
    pub(crate) fn exceeded(self, usage: &Usage) -> Option<String> {
        let verb = |allowed| if allowed == 1 { "is" } else { "are" };
        let found = usage.processes;
        if let Some(allowed) = self.processes.filter(|allowed| found > *allowed) {
            let verb = verb(allowed);
            return Some(format!("has {found} processes, {allowed} {verb} allowed"));
        }
        let used = usage.memory.div_ceil(ResourceLimits::MEGABYTE);
        if let Some(allowed) = self.memory.filter(|allowed| used > *allowed) {
            let hint = if usage.is_java {
                // Beside the heap, Java needs memory for threads, classes and compiled code.
                let heap = (allowed / 2).max(1);
                format!(
                    "; Java does not see this limit, so start it with one of its own, such as `-Xmx{heap}m`"
                )
            } else {
                String::new()
            };
            return Some(format!(
                "used {used} MB of memory, {allowed} MB are allowed{hint}"
            ));
        }
        let time = usage.cpu_time;
        let allowed = self
            .cpu_time
            .filter(|allowed| time > Duration::from_secs(*allowed))?;
        let (used, verb) = (time.as_millis().div_ceil(1000), verb(allowed));
        Some(format!(
            "used {used} s of processor time, {allowed} s {verb} allowed"
        ))
    }

    /// Bytes in a megabyte, for [`ResourceLimits::memory`].
    pub const MEGABYTE: u64 = 1024 * 1024;
}

/// The memory of an engine without options, in megabytes, where there are so many bytes for all programs: never more
/// than half of it, since two engines play.
fn memory_of_engine(all: Option<u64>) -> u64 {
    /// Enough for any bot of a game.
    const ENOUGH: u64 = 2048;
    all.map_or(ENOUGH, |all| {
        (all / 2 / ResourceLimits::MEGABYTE).clamp(1, ENOUGH)
    })
}

/// The memory of the machine, or of the container if that is less, in bytes; `None` where the system does not tell.
fn memory_of_machine() -> Option<u64> {
    let total = of_machine("MemTotal:");
    total.into_iter().chain(groups::memory_limit()).min()
}

/// How much of that is free, or can be freed.
pub(crate) fn free_memory() -> Option<u64> {
    let free = of_machine("MemAvailable:");
    free.into_iter().chain(groups::free_memory()).min()
}

/// A number of bytes in `/proc/meminfo`.
fn of_machine(field: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// The error of choosing cores.
#[cfg(not(target_os = "linux"))]
pub(crate) fn no_affinity() -> std::io::Error {
    let why = "it needs Linux: on this system the referee cannot choose cores";
    std::io::Error::new(std::io::ErrorKind::Unsupported, why)
}

/// Raises the limit of open files, where the system has one for each process.
#[cfg(not(target_os = "linux"))]
pub fn raise_open_files() {}

/// Interval between measurements of a limited engine.
#[cfg(any(target_os = "linux", windows))]
pub(crate) const MEASURE_INTERVAL: Duration = Duration::from_millis(100);

/// How long the descendants of an engine that has exited may take to exit, too, before they
/// are counted.
#[cfg(any(target_os = "linux", windows))]
pub(crate) const LEFTOVERS_WAIT: Duration = Duration::from_millis(500);

/// Interval between looks at a process that is about to exit.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Upper bound on the wait for a killed process, which exits at once unless the kernel
/// is stuck.
pub(crate) const KILL_WAIT: Duration = Duration::from_secs(10);

/// Waits for a killed process. `None` if it does not exit.
pub(crate) fn wait_killed(child: &mut Child) -> Option<ExitStatus> {
    let status = wait_until_ended(child, KILL_WAIT);
    if status.is_none() {
        log::error!("process {} cannot be killed", child.id());
    }
    status
}

/// Waits for a process at most this long. `None` if it does not exit.
pub(crate) fn wait_until_ended(child: &mut Child, wait: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + wait;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => thread::sleep(POLL_INTERVAL),
            Ok(None) => return None,
            Err(error) => {
                log::error!("cannot wait for process {}: {error}", child.id());
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_may_not_use_more_memory_than_there_is() {
        let of = |megabytes: u64| memory_of_engine(Some(megabytes * ResourceLimits::MEGABYTE));
        assert_eq!([of(24_000), of(4096), of(400), of(0)], [2048, 2048, 200, 1]);
        assert_eq!(memory_of_engine(None), 2048);
    }

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    /// What was done since the beginning by threads that computed and waited so long.
    fn work(threads: &[[u64; 2]]) -> Work {
        let computed = threads.iter().map(|[computed, _]| ms(*computed)).sum();
        let threads = threads.iter().map(|times| times.map(ms));
        Work {
            computed,
            threads: (1..).zip(threads).collect(),
            processes: HashMap::from([((1, 0), [computed, Duration::ZERO])]),
            ..Work::default()
        }
    }

    fn waited(work: &Work, time: u64) -> u64 {
        let before = Work {
            processors: work.processors.map(|now| Processors {
                idle: Duration::ZERO,
                ..now
            }),
            ..Work::default()
        };
        work.since(&before, ms(time)).waited.as_millis() as u64
    }

    #[test]
    fn a_random_pause_is_at_most_twice_as_long() {
        assert!((0..100).all(|_| (ms(50)..ms(100)).contains(&unforeseen(ms(50)))));
    }

    #[test]
    fn the_wait_is_that_of_the_thread_that_computes() {
        assert_eq!(waited(&work(&[[80, 60]]), 140), 60);
        assert_eq!(waited(&work(&[[80, 60], [0, 0]]), 140), 60);
        // It slept, too.
        assert_eq!(waited(&work(&[[30, 60]]), 140), 60);
        assert_eq!(waited(&work(&[]), 140), 0);
    }

    #[test]
    fn a_standstill_is_the_own_doing_of_who_computed_in_it() {
        let then = Instant::now();
        for (others, is_own_doing) in [(0, false), (1400, false), (1600, true)] {
            let before = Work {
                at: Some(then),
                ..work(&[])
            };
            let now = Work {
                at: Some(then + ms(3000)),
                ..work(&[[2000, 0], [others, 0]])
            };
            // The referee has seen nearly none of it.
            let found = now.since(&before, ms(1)).is_own_doing;
            assert_eq!(found, is_own_doing, "{others}");
        }
    }

    #[test]
    fn what_its_own_threads_and_children_used_is_no_wait() {
        assert_eq!(waited(&work(&[[80, 60], [25, 0]]), 140), 35);
        assert_eq!(waited(&work(&[[80, 60], [70, 70]]), 150), 0);
        let with_children = |used: u64, is_exact| Work {
            computed: ms(80 + used),
            is_exact,
            processes: HashMap::from([((1, 0), [80, used].map(ms))]),
            ..work(&[[80, 60]])
        };
        // They ended, and it waited for them.
        assert_eq!(waited(&with_children(40, false), 140), 20);
        assert_eq!(waited(&with_children(40, true), 140), 20);
        assert_eq!(waited(&with_children(90, true), 140), 0);
        // A part of that was before.
        let before = Work {
            computed: ms(30),
            ..Work::default()
        };
        let effort = with_children(40, true).since(&before, ms(140));
        assert_eq!(effort.waited, ms(50));
        let orphans = Work {
            orphans: ms(50),
            computed: ms(130),
            ..work(&[[80, 60]])
        };
        assert_eq!(waited(&orphans, 140), 10);
    }

    #[test]
    fn a_wait_after_quick_answers_counts_less_what_those_took() {
        let before = work(&[[10, 5]]).before_waits_of(ms(8));
        let now = Work {
            reader_waited: ms(500),
            ..work(&[[90, 130]])
        };
        assert_eq!(now.since(&before, ms(240)).waited, ms(117));
        let mut later = before.clone();
        later.note_children(&Work {
            reader_waited: ms(480),
            ..work(&[[20, 30]])
        });
        assert_eq!(now.since(&later, ms(240)).waited, ms(137));
    }

    #[test]
    fn the_referee_is_late_only_for_what_it_reads() {
        let silent = Work {
            reader_waited: ms(900),
            ..work(&[[0, 3]])
        };
        let mut before = work(&[[0, 0]]);
        before.note_children(&silent);
        assert_eq!(silent.since(&before, ms(1000)).waited, ms(903));
        before.note_silence(&silent);
        assert_eq!(silent.since(&before, ms(1000)).waited, ms(3));
        let read_late = Work {
            reader_waited: ms(940),
            ..silent
        };
        assert_eq!(read_late.since(&before, ms(1000)).waited, ms(43));
    }

    #[test]
    fn nobody_is_believed_whose_children_are_not_counted() {
        let ignoring = Work {
            ignores_children: true,
            ..work(&[[80, 60]])
        };
        assert_eq!(waited(&ignoring, 140), 0);
        let exact = Work {
            is_exact: true,
            ..ignoring
        };
        assert_eq!(waited(&exact, 140), 60);
        // A child was seen, which then ended without a parent that waited for it.
        let mut before = Work::default();
        let mut seen = work(&[[10, 0]]);
        seen.processes.insert((2, 0), [ms(30), Duration::ZERO]);
        before.note_children(&seen);
        let gone = work(&[[80, 60]]);
        let effort = gone.since(&before, ms(140));
        assert_eq!(effort.waited, Duration::ZERO);
        assert_eq!(effort.computed, ms(90), "with the child, less two ticks");
        let mut inherited = gone.clone();
        inherited.computed += ms(30);
        inherited.processes.insert((1, 0), [80, 30].map(ms));
        assert_eq!(inherited.since(&before, ms(140)).waited, ms(30));
        // Children that are too short for a tick, of each of which a look has seen a part.
        let mut before = Work::default();
        for child in 2..7 {
            let mut seen = work(&[[10, 0]]);
            seen.processes.insert((child, 0), [ms(1), Duration::ZERO]);
            before.note_children(&seen);
            assert!(seen.has_new_processes(&before));
            seen.processes.insert((child, 0), [ms(5), Duration::ZERO]);
            before.note_children(&seen);
        }
        assert_eq!(gone.since(&before, ms(140)).waited, Duration::ZERO);
    }

    #[test]
    fn several_threads_wait_for_what_others_used_of_each_processor() {
        let on_two = |threads: &[[u64; 2]], idle: u64| Work {
            processors: Some(Processors {
                count: 2,
                idle: ms(idle),
            }),
            ..work(threads)
        };
        // Two threads had half of two processors, and other programs the rest.
        assert_eq!(waited(&on_two(&[[100, 100], [100, 100]], 0), 200), 90);
        // The same on a machine of their own: they share one processor, or there are too many of them.
        assert_eq!(waited(&on_two(&[[100, 100], [100, 100]], 200), 200), 0);
        assert_eq!(waited(&on_two(&[[100, 100]; 4], 0), 200), 0);
        // Threads that wait for each other, as those of Java, wait in turns.
        assert_eq!(waited(&on_two(&[[20, 30], [30, 90], [10, 80]], 0), 250), 200);
        // A thread that only waits excuses none that computes all the time.
        assert_eq!(waited(&on_two(&[[200, 0], [0, 200]], 0), 200), 0);
    }

    #[test]
    fn without_the_wait_nobody_has_computed_longer_than_the_time() {
        for computed in [0, 20, 70, 150] {
            for others in [0, 10, 100] {
                for time in [150_u64, 200] {
                    for processors in [None, Some((2, 0)), Some((2, 100)), Some((16, 2000))] {
                        let mut work = work(&[[computed, time - computed], [others, 150]]);
                        work.reader_waited = ms(100);
                        work.processors = processors.map(|(count, idle)| Processors {
                            count,
                            idle: ms(idle),
                        });
                        let left = time - waited(&work, time);
                        let cores = processors.map_or(1, |(count, _)| u64::from(count));
                        assert!(left >= computed.max(others), "{work:?}");
                        assert!(left >= time.min((computed + others) / cores), "{work:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_wait_of_the_referee_for_a_processor_is_not_the_bots() {
        let read_late = Work {
            reader_waited: ms(40),
            ..work(&[[80, 20]])
        };
        assert_eq!(waited(&read_late, 150), 60);
        // The rest of the time it computed.
        assert_eq!(waited(&read_late, 110), 30);
    }
}
