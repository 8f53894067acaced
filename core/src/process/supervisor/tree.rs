//! The descendants of this process, read from `/proc`.
//!
//! A supervisor is a subreaper: an orphaned descendant becomes its child, whatever
//! process group or session it has joined. So no descendant can escape.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::process::sandbox::held::is_gone;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group};

/// Some fields of `/proc/PID/stat`, or of the same file of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub id: i32,
    /// When it started. With its number it is unique.
    pub start: u64,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// Whether its first thread is a zombie.
    pub(super) is_zombie: bool,
    /// Whether a signal has stopped it.
    pub is_stopped: bool,
    /// Number of threads, a zombie included.
    pub threads: u64,
    /// Its own time in user mode and in the kernel, in clock ticks.
    pub own_ticks: u64,
    /// The same of its children that have ended, if it has waited for them.
    pub child_ticks: u64,
    pub(super) nice: i64,
    /// The scheduling policy.
    pub(super) policy: u64,
    /// Whether nothing else is known of it: it exists, but it cannot be read.
    pub is_unseen: bool,
}

impl Entry {
    /// Format: `PID (NAME) STATE PPID PGRP …`. The name may contain any bytes, even `) `.
    pub fn parse(stat: &[u8]) -> Option<Entry> {
        let end = stat.windows(2).rposition(|bytes| bytes == b") ")?;
        let id = stat.split(|&byte| byte == b' ').next()?;
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let fields: Vec<&str> = text(&stat[end + 2..])?.split_ascii_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        Some(Entry {
            id: text(id)?.parse().ok()?,
            start: number(19)?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            is_zombie: matches!(*fields.first()?, "Z" | "X"),
            is_stopped: *fields.first()? == "T",
            threads: number(17)?,
            own_ticks: number(11)? + number(12)?,
            child_ticks: number(13)? + number(14)?,
            nice: fields.get(16)?.parse().ok()?,
            policy: number(38)?,
            is_unseen: false,
        })
    }

    /// Reads that of a process; `None` if it has exited.
    pub fn of(id: i32) -> Option<Entry> {
        Entry::at(id, &PathBuf::from(format!("/proc/{id}")))
    }

    /// The same in this folder. A process that cannot be read exists.
    pub(super) fn at(id: i32, folder: &Path) -> Option<Entry> {
        let unseen = Entry {
            id,
            threads: 1,
            is_unseen: true,
            ..Entry::default()
        };
        match fs::read(folder.join("stat")) {
            Ok(stat) => Some(Entry::parse(&stat).unwrap_or(unseen)),
            Err(error) if is_gone(&error) => None,
            Err(_) => Some(unseen),
        }
    }

    /// Whether the whole process has exited. Its first thread may exit before the others.
    fn has_exited(&self) -> bool {
        self.is_zombie && self.threads < 2
    }

    /// Whether the scheduler prefers `other` to it, so that its waits are its own choice.
    pub(super) const fn yields_to(&self, other: &Entry) -> bool {
        /// `SCHED_BATCH` and `SCHED_IDLE`.
        const PATIENT: [u64; 2] = [3, 5];
        let is_patient = self.policy == PATIENT[0] || self.policy == PATIENT[1];
        self.nice > other.nice || is_patient && self.policy != other.policy
    }

    /// The folders in `/proc` of its threads that may not have exited, the oldest first.
    pub(crate) fn live_threads(&self) -> io::Result<Vec<PathBuf>> {
        let process = PathBuf::from(format!("/proc/{}", self.id));
        if !self.is_zombie {
            return Ok(vec![process]);
        }
        let threads = fs::read_dir(process.join("task"))?.skip(1);
        threads.map(|thread| Ok(thread?.path())).collect()
    }
}

/// All running processes of the system, in ascending order of their numbers.
fn running() -> impl Iterator<Item = Entry> {
    all_processes().filter(|entry| !entry.has_exited())
}

/// All processes of the system, zombies included.
fn all_processes() -> impl Iterator<Item = Entry> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| with_parent(folder.file_name().to_str()?.parse().ok()?))
}

/// A process; one that cannot be read has its parent from the list of that.
fn with_parent(id: i32) -> Option<Entry> {
    let mut entry = Entry::of(id)?;
    if entry.is_unseen {
        entry.parent = parent_in_lists(id)?;
    }
    Some(entry)
}

/// The parent of a descendant of this process, by the lists of children.
fn parent_in_lists(id: i32) -> Option<i32> {
    let family = [own_id()].into_iter().chain(descendants().ids);
    family
        .into_iter()
        .find(|parent| children(*parent).is_ok_and(|children| children.ids.contains(&id)))
}

/// Signals every descendant in the lists of children. It reads nothing of other processes, because the kernel cannot
/// remove a dead process while others read its folder in `/proc`. `engine` leads the engine's own process group.
pub(crate) fn signal_family(engine: Pid, signal: Signal) {
    signal_each(
        descendants().ids.into_iter().filter_map(with_parent),
        engine,
        signal,
    );
}

/// Signals every descendant as soon as one pass over `/proc` finds it. A process that
/// forks and exits meanwhile leaves a child with a higher number, which the same pass
/// meets later.
pub(crate) fn signal_all(engine: Pid, signal: Signal) {
    signal_each(all_processes(), engine, signal);
}

/// Signals the descendants among these processes, each of which comes after its parent.
fn signal_each(processes: impl Iterator<Item = Entry>, engine: Pid, signal: Signal) {
    let mut ours = HashSet::from([own_id()]);
    let mut groups = HashSet::new();
    for Entry {
        id, parent, group, ..
    } in processes.filter(|entry| !entry.has_exited())
    {
        if !ours.contains(&parent) {
            continue;
        }
        ours.insert(id);
        // A group is signalled as a whole, so its members cannot outrun the signal. Only
        // groups led by the engine or a descendant: a process may have joined a foreign group.
        let is_ours = group == engine.as_raw_pid() || ours.contains(&group);
        if is_ours && groups.insert(group) {
            let group = Pid::from_raw(group);
            // No process left is the goal.
            group.map(|group| kill_process_group(group, signal));
        }
        let _ = Pid::from_raw(id).map(|id| kill_process(id, signal));
    }
}

/// Kills all children of this process that are not `known`, and their descendants, and
/// reaps such children. Returns whether there were any. The lists of children would not do: a child of a thread that
/// exits meanwhile can be missing in all of them.
pub(crate) fn kill_orphans(known: &[i32]) -> bool {
    let mut orphans = HashSet::new();
    for entry in all_processes() {
        let is_child = entry.parent == own_id();
        if !(is_child && !known.contains(&entry.id) || orphans.contains(&entry.parent)) {
            continue;
        }
        orphans.insert(entry.id);
        let Some(id) = Pid::from_raw(entry.id) else {
            continue;
        };
        if !entry.has_exited() {
            let _ = kill_process(id, Signal::KILL);
        } else if is_child {
            let _ = rustix::process::waitpid(Some(id), WaitOptions::NOHANG);
        }
    }
    !orphans.is_empty()
}

/// Processes that belong together.
#[derive(Debug, Default)]
pub struct Family {
    /// Their numbers, in no particular order.
    pub ids: Vec<i32>,
    /// Whether a list of children could not be read, so there may be more.
    pub is_hidden: bool,
}

/// All descendants of this process.
pub fn descendants() -> Family {
    descendants_of(own_id())
}

/// All descendants of a process.
pub(crate) fn descendants_of(root: i32) -> Family {
    let mut found = Family::default();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        match children(parent) {
            Ok(children) => {
                found.ids.extend_from_slice(&children.ids);
                found.is_hidden |= children.is_hidden;
                open.extend(children.ids);
            }
            // Kernel without the `children` files.
            Err(_) if parent == root => return descendants_by_parents(root),
            Err(error) => found.is_hidden |= !is_gone(&error),
        }
    }
    found
}

/// The children of a process, from `/proc/PID/task/*/children`, which a kernel may
/// lack.
pub fn children(parent: i32) -> io::Result<Family> {
    let mut children = Family::default();
    for (place, thread) in fs::read_dir(format!("/proc/{parent}/task"))?.enumerate() {
        match fs::read_to_string(thread?.path().join("children")) {
            Ok(list) => {
                let ids = list.split_whitespace().filter_map(|id| id.parse::<i32>().ok());
                children.ids.extend(ids);
            }
            Err(error) if place == 0 => return Err(error),
            Err(error) => children.is_hidden |= !is_gone(&error),
        }
    }
    Ok(children)
}

/// All descendants of a process, from the parent of every process in the system.
fn descendants_by_parents(root: i32) -> Family {
    let running: Vec<Entry> = running().collect();
    let mut family = vec![root];
    let mut done = 0;
    while let Some(&parent) = family.get(done) {
        done += 1;
        family.extend(
            running
                .iter()
                .filter(|entry| entry.parent == parent)
                .map(|entry| entry.id),
        );
    }
    Family {
        ids: family.split_off(1),
        is_hidden: running.is_empty(),
    }
}

pub(super) fn own_id() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_with_parentheses() {
        let with_policy = |state: &str, threads: u32, nice: i64, policy: u64| {
            let numbers = "7 11 12 0 -1 4194560 1 0 0 0 21 22 23 24 20";
            let rest = format!("{nice} {threads} 0 99 {}{policy} 0\n", "0 ".repeat(18));
            let mut stat = b"12 (a) S 1 \xff\xfe(b".to_vec();
            stat.extend_from_slice(format!(") {state} {numbers} {rest}").as_bytes());
            Entry::parse(&stat).unwrap()
        };
        let parsed = |state, threads| with_policy(state, threads, 0, 0);
        let expected = Entry {
            id: 12,
            start: 99,
            parent: 7,
            group: 11,
            threads: 2,
            own_ticks: 43,
            child_ticks: 47,
            ..Entry::default()
        };
        assert_eq!(parsed("S", 2), expected);
        assert!(parsed("T", 2).is_stopped);
        let yields = [(0, 0), (1, 0), (-1, 0), (0, 5), (0, 3)]
            .map(|(nice, policy)| with_policy("R", 1, nice, policy).yields_to(&expected));
        assert_eq!(yields, [false, true, false, true, true]);
        assert!(parsed("Z", 1).has_exited());
        // Only the first thread has exited.
        assert!(!parsed("Z", 2).has_exited());
        assert_eq!(Entry::parse(b"12 (a"), None);
        assert_eq!(Entry::parse(b"12 (a) S 1 2 3"), None);
    }

    #[test]
    fn a_process_that_cannot_be_read_exists() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Entry::at(7, folder.path()), None);
        fs::write(folder.path().join("stat"), "7 (a) S").unwrap();
        let entry = Entry::at(7, folder.path()).unwrap();
        assert!(entry.is_unseen && entry.id == 7 && !entry.has_exited());
        fs::remove_file(folder.path().join("stat")).unwrap();
        fs::create_dir(folder.path().join("stat")).unwrap();
        assert!(Entry::at(7, folder.path()).unwrap().is_unseen);
    }

    #[test]
    fn finds_the_parent_in_the_lists() {
        let mut child = std::process::Command::new("/bin/sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let id = child.id() as i32;
        assert_eq!(parent_in_lists(id), Some(own_id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(parent_in_lists(id), None);
    }

    #[test]
    fn both_methods_find_the_same_descendants() {
        let mut shell = std::process::Command::new("/bin/sh");
        let shell = shell.args(["-c", "sleep 60 & echo; wait"]);
        let mut child = shell.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = [0];
        io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();

        // Other tests start processes as well.
        let of_child = |family: Family| family.ids.contains(&(child.id() as i32));
        assert!(of_child(descendants()));
        assert!(of_child(descendants_by_parents(own_id())));
        let grandchild = children(child.id() as i32).unwrap().ids;
        assert_eq!(grandchild.len(), 1);
        assert!(descendants().ids.contains(&grandchild[0]));
        assert!(descendants_by_parents(own_id()).ids.contains(&grandchild[0]));
        kill_process(Pid::from_raw(grandchild[0]).unwrap(), Signal::KILL).unwrap();
        child.wait().unwrap();
    }
}
