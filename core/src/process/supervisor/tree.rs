//! The descendants of this process, read from `/proc`.
//!
//! A supervisor is a subreaper: an orphaned descendant becomes its child, whatever
//! process group or session it has joined. So no descendant can escape.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group};

/// Some fields of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: i32,
    parent: i32,
    group: i32,
    /// Whether its first thread is a zombie.
    is_zombie: bool,
    /// Whether a signal has stopped it.
    pub is_stopped: bool,
    /// Number of threads, a zombie included.
    pub threads: u64,
    /// Its own time in user mode and in the kernel, in clock ticks.
    pub own_ticks: u64,
    /// The same of its children that have ended, if it has waited for them.
    pub child_ticks: u64,
}

impl Entry {
    /// Format: `PID (NAME) STATE PPID PGRP …`. The name may contain anything, even `) `.
    pub fn parse(stat: &str) -> Option<Entry> {
        let (id, _) = stat.split_once(' ')?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        Some(Entry {
            id: id.parse().ok()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            is_zombie: matches!(*fields.first()?, "Z" | "X"),
            is_stopped: *fields.first()? == "T",
            threads: number(17)?,
            own_ticks: number(11)? + number(12)?,
            child_ticks: number(13)? + number(14)?,
        })
    }

    /// Reads that of a process, by its number or `self`; `None` if it has just exited.
    pub fn of(id: impl fmt::Display) -> Option<Entry> {
        Entry::parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// Whether the whole process has exited. Its first thread may exit before the others.
    fn has_exited(&self) -> bool {
        self.is_zombie && self.threads < 2
    }

    /// The folder in `/proc` of a thread that has not exited.
    pub(crate) fn live_thread(&self) -> PathBuf {
        let process = PathBuf::from(format!("/proc/{}", self.id));
        if !self.is_zombie {
            return process;
        }
        let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
        threads.last().map_or(process, |thread| thread.path())
    }
}

/// All running processes of the system, in ascending order of their numbers.
fn running() -> impl Iterator<Item = Entry> {
    all_processes().filter(|entry| !entry.has_exited())
}

/// All processes of the system, zombies included.
fn all_processes() -> impl Iterator<Item = Entry> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| {
        let name = folder.file_name();
        Entry::of(name.to_str()?.parse::<i32>().ok()?)
    })
}

/// Signals every descendant as soon as one pass over `/proc` finds it. A process that
/// forks and exits meanwhile leaves a child with a higher number, which the same pass
/// meets later. `engine` leads the engine's own process group.
pub(crate) fn signal_all(engine: Pid, signal: Signal) {
    let mut ours = HashSet::from([own_id()]);
    let mut groups = HashSet::new();
    for Entry {
        id, parent, group, ..
    } in running()
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
/// reaps such children. Returns whether there were any.
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

/// The process numbers of all descendants of this process, in no particular order.
pub fn descendants() -> Vec<i32> {
    descendants_of(own_id())
}

/// The process numbers of all descendants of a process, in no particular order.
pub(crate) fn descendants_of(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        match children(parent) {
            Ok(children) => {
                found.extend_from_slice(&children);
                open.extend(children);
            }
            // Kernel without the `children` files.
            Err(_) if parent == root => return descendants_by_parents(root),
            // It has just exited.
            Err(_) => {}
        }
    }
    found
}

/// The children of a process, from `/proc/PID/task/*/children`, which a kernel may
/// lack.
pub fn children(parent: i32) -> io::Result<Vec<i32>> {
    let mut children = Vec::new();
    for (place, thread) in fs::read_dir(format!("/proc/{parent}/task"))?.enumerate() {
        match fs::read_to_string(thread?.path().join("children")) {
            Ok(list) => children.extend(list.split_whitespace().filter_map(|id| id.parse::<i32>().ok())),
            Err(error) if place == 0 => return Err(error),
            Err(_) => {}
        }
    }
    Ok(children)
}

/// All descendants of a process, from the parent of every process in the system.
fn descendants_by_parents(root: i32) -> Vec<i32> {
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
    family.split_off(1)
}

fn own_id() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_with_parentheses() {
        let parsed = |state: &str, threads: u32| {
            let rest = "7 11 12 0 -1 4194560 1 0 0 0 21 22 23 24 20 0";
            let stat = format!("12 (a) S 1 (b) {state} {rest} {threads} 0 99\n");
            Entry::parse(&stat).unwrap()
        };
        let expected = Entry {
            id: 12,
            parent: 7,
            group: 11,
            is_zombie: false,
            is_stopped: false,
            threads: 2,
            own_ticks: 43,
            child_ticks: 47,
        };
        assert_eq!(parsed("S", 2), expected);
        assert!(parsed("Z", 1).has_exited());
        // Only the first thread has exited.
        assert!(!parsed("Z", 2).has_exited());
        assert_eq!(Entry::parse("12 (a"), None);
        assert_eq!(Entry::parse("12 (a) S 1 2 3"), None);
    }

    #[test]
    fn both_methods_find_the_same_descendants() {
        let mut shell = std::process::Command::new("/bin/sh");
        let shell = shell.args(["-c", "sleep 60 & echo; wait"]);
        let mut child = shell.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = [0];
        io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();

        // Other tests start processes as well.
        let of_child = |family: Vec<i32>| family.contains(&(child.id() as i32));
        assert!(of_child(descendants()));
        assert!(of_child(descendants_by_parents(own_id())));
        let grandchild = children(child.id() as i32).unwrap();
        assert_eq!(grandchild.len(), 1);
        assert!(descendants().contains(&grandchild[0]));
        assert!(descendants_by_parents(own_id()).contains(&grandchild[0]));
        kill_process(Pid::from_raw(grandchild[0]).unwrap(), Signal::KILL).unwrap();
        child.wait().unwrap();
    }
}
