//! The descendants of this process, read from `/proc`.
//!
//! A supervisor is a subreaper: an orphaned descendant becomes its child, whatever
//! process group or session it has joined. So no descendant can escape.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group};

/// Some fields of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    id: i32,
    parent: i32,
    group: i32,
    /// Whether it is a zombie.
    has_exited: bool,
}

impl Entry {
    /// Format: `PID (NAME) STATE PPID PGRP …`. The name may contain anything, even `) `.
    fn parse(stat: &str) -> Option<Entry> {
        let (id, _) = stat.split_once(' ')?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let state = fields.next()?;
        Some(Entry {
            id: id.parse().ok()?,
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            has_exited: matches!(state, "Z" | "X"),
        })
    }
}

/// All running processes of the system, in ascending order of their numbers.
fn running() -> impl Iterator<Item = Entry> {
    all_processes().filter(|entry| !entry.has_exited)
}

/// All processes of the system, zombies included.
fn all_processes() -> impl Iterator<Item = Entry> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| {
        let name = folder.file_name();
        name.to_str()?.parse::<i32>().ok()?;
        Entry::parse(&fs::read_to_string(folder.path().join("stat")).ok()?)
    })
}

/// Signals every descendant as soon as one pass over `/proc` finds it. A process that
/// forks and exits meanwhile leaves a child with a higher number, which the same pass
/// meets later. `engine` leads the engine's own process group.
pub fn signal_all(engine: Pid, signal: Signal) {
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
pub fn kill_orphans(known: &[i32]) -> bool {
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
        if !entry.has_exited {
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
pub fn descendants_of(root: i32) -> Vec<i32> {
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

/// Resident memory of a process that is not backed by files, in bytes; 0 if it has just
/// exited.
pub fn memory(id: i32) -> u64 {
    fs::read_to_string(format!("/proc/{id}/status")).map_or(0, |status| resident(&status))
}

/// Processor time of these processes and of all their children that have ended.
pub fn cpu_time(family: &[i32]) -> Duration {
    let of = |id: &str| fs::read_to_string(format!("/proc/{id}/stat")).map_or([0; 4], |stat| ticks(&stat));
    // Children that this process has reaped.
    let [_, _, user, system] = of("self");
    let running: u64 = family
        .iter()
        .map(|id| of(&id.to_string()).iter().sum::<u64>())
        .sum();
    let ticks = running + user + system;
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// The time in user mode and in the kernel, of a process and of its children that have
/// ended, in clock ticks: fields 14 to 17 of `/proc/PID/stat`.
fn ticks(stat: &str) -> [u64; 4] {
    let (_, rest) = stat.rsplit_once(") ").unwrap_or_default();
    let mut fields = rest.split(' ').skip(11).map(|field| field.parse().unwrap_or(0));
    [(); 4].map(|()| fields.next().unwrap_or(0))
}

/// [`memory`] from the text of `/proc/PID/status`.
fn resident(status: &str) -> u64 {
    let field = |name: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(name))?;
        let number: u64 = value.split_whitespace().next()?.parse().ok()?;
        Some(number * 1024)
    };
    match (field("RssAnon:"), field("RssShmem:")) {
        (Some(anonymous), Some(shared)) => anonymous + shared,
        // Kernels before 4.5, and processes without memory.
        _ => field("VmRSS:").unwrap_or(0),
    }
}

fn own_id() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_with_parentheses() {
        let entry = Entry::parse("12 (a) S 1 (b) S 7 11 12 0 -1");
        assert_eq!(
            entry,
            Some(Entry {
                id: 12,
                parent: 7,
                group: 11,
                has_exited: false,
            })
        );
        let ended = Entry::parse("12 (a) Z 7 11 12 0 -1").unwrap();
        assert!(ended.has_exited);
        assert_eq!(Entry::parse("12 (a"), None);
    }

    #[test]
    fn memory_excludes_file_pages() {
        let status = "VmSize:\t 9000000 kB\nVmRSS:\t 700 kB\nRssAnon:\t 300 kB\nRssFile:\t 390 kB\nRssShmem:\t 10 kB\n";
        assert_eq!(resident(status), 310 * 1024);
        assert_eq!(resident("VmSize:\t 9 kB\nVmRSS:\t 7 kB\n"), 7 * 1024);
        assert_eq!(resident("Name:\tkthreadd\n"), 0);
    }

    #[test]
    fn reads_processor_time() {
        let stat = "12 (a) b) S 7 11 12 0 -1 4194560 1 0 0 0 21 22 23 24 20 0 1";
        assert_eq!(ticks(stat), [21, 22, 23, 24]);
        assert_eq!(ticks(""), [0; 4]);
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
