//! The descendants of this process, as `/proc` shows them.
//!
//! A supervisor is the subreaper of its descendants: whoever loses its parent
//! becomes its child, whatever group or session it went to. So nobody gets out
//! of this tree.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group};

/// One line of `/proc/NUMBER/stat`, in part.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    id: i32,
    parent: i32,
    group: i32,
    /// Whether it has ended and waits for its parent to ask how.
    has_ended: bool,
}

impl Entry {
    /// "NUMBER (NAME) STATE PARENT GROUP …", and a name may hold anything.
    fn parse(stat: &str) -> Option<Entry> {
        let (id, _) = stat.split_once(' ')?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let state = fields.next()?;
        Some(Entry {
            id: id.parse().ok()?,
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            has_ended: matches!(state, "Z" | "X"),
        })
    }
}

/// All processes of the system that run, the lowest number first.
fn everybody() -> impl Iterator<Item = Entry> {
    running_and_ended().filter(|entry| !entry.has_ended)
}

/// The same with those that have ended and wait for their parent.
fn running_and_ended() -> impl Iterator<Item = Entry> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| {
        let name = folder.file_name();
        name.to_str()?.parse::<i32>().ok()?;
        Entry::parse(&fs::read_to_string(folder.path().join("stat")).ok()?)
    })
}

/// Sends a signal to all descendants that one look finds, each at the moment
/// in which it is found: one that starts another and ends at once has a higher
/// number the next time, and is met again on the same look. `engine` is the
/// leader of the engine's own group.
pub fn signal_all(engine: Pid, signal: Signal) {
    let mut ours = HashSet::from([own_id()]);
    let mut groups = HashSet::new();
    for Entry {
        id, parent, group, ..
    } in everybody()
    {
        if !ours.contains(&parent) {
            continue;
        }
        ours.insert(id);
        // A whole group at once cannot outrun the signal. It must be one that
        // the engine or a descendant leads: anybody may join another one.
        let is_ours = group == engine.as_raw_pid() || ours.contains(&group);
        if is_ours && groups.insert(group) {
            let group = Pid::from_raw(group);
            // Nobody left to hear it is what we want.
            group.map(|group| kill_process_group(group, signal));
        }
        let _ = Pid::from_raw(id).map(|id| kill_process(id, signal));
    }
}

/// Sends SIGKILL to all children of this process except `known` ones, and to
/// their descendants, and takes leave of those children that have ended. Whether
/// there were any.
pub fn kill_strangers(known: &BTreeSet<i32>) -> bool {
    let mut strangers = HashSet::new();
    for entry in running_and_ended() {
        let is_child = entry.parent == own_id();
        if !(is_child && !known.contains(&entry.id) || strangers.contains(&entry.parent)) {
            continue;
        }
        strangers.insert(entry.id);
        let Some(id) = Pid::from_raw(entry.id) else {
            continue;
        };
        if !entry.has_ended {
            let _ = kill_process(id, Signal::KILL);
        } else if is_child {
            let _ = rustix::process::waitpid(Some(id), WaitOptions::NOHANG);
        }
    }
    !strangers.is_empty()
}

/// The numbers of all descendants, in no order.
pub fn descendants() -> Vec<i32> {
    let mut found = Vec::new();
    let mut open = vec![own_id()];
    while let Some(parent) = open.pop() {
        match children(parent) {
            Ok(children) => {
                found.extend_from_slice(&children);
                open.extend(children);
            }
            // The system has no such lists.
            Err(_) if parent == own_id() => return descendants_by_parents(),
            // It has just ended.
            Err(_) => {}
        }
    }
    found
}

/// The children of a process. Kernels can be built without these lists.
fn children(parent: i32) -> io::Result<Vec<i32>> {
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

/// The same from everybody's parent.
fn descendants_by_parents() -> Vec<i32> {
    let everybody: Vec<Entry> = everybody().collect();
    let mut family = vec![own_id()];
    let mut done = 0;
    while let Some(&parent) = family.get(done) {
        done += 1;
        family.extend(
            everybody
                .iter()
                .filter(|entry| entry.parent == parent)
                .map(|entry| entry.id),
        );
    }
    family.split_off(1)
}

/// How much memory a process has of its own, in bytes: what is resident and
/// was not read from a file. 0 for one that has just ended.
pub fn memory(id: i32) -> u64 {
    fs::read_to_string(format!("/proc/{id}/status")).map_or(0, |status| resident(&status))
}

/// The same from the text of `/proc/NUMBER/status`.
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
    fn a_name_may_hold_anything() {
        let entry = Entry::parse("12 (a) S 1 (b) S 7 11 12 0 -1");
        assert_eq!(
            entry,
            Some(Entry {
                id: 12,
                parent: 7,
                group: 11,
                has_ended: false,
            })
        );
        let ended = Entry::parse("12 (a) Z 7 11 12 0 -1").unwrap();
        assert!(ended.has_ended);
        assert_eq!(Entry::parse("12 (a"), None);
    }

    #[test]
    fn memory_is_what_does_not_come_from_files() {
        let status = "VmSize:\t 9000000 kB\nVmRSS:\t 700 kB\nRssAnon:\t 300 kB\nRssFile:\t 390 kB\nRssShmem:\t 10 kB\n";
        assert_eq!(resident(status), 310 * 1024);
        assert_eq!(resident("VmSize:\t 9 kB\nVmRSS:\t 7 kB\n"), 7 * 1024);
        assert_eq!(resident("Name:\tkthreadd\n"), 0);
    }

    #[test]
    fn both_ways_find_the_same_descendants() {
        let mut shell = std::process::Command::new("/bin/sh");
        let shell = shell.args(["-c", "sleep 60 & echo; wait"]);
        let mut child = shell.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = [0];
        io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();

        // Other tests start processes, too.
        let of_child = |family: Vec<i32>| family.contains(&(child.id() as i32));
        assert!(of_child(descendants()));
        assert!(of_child(descendants_by_parents()));
        let grandchild = children(child.id() as i32).unwrap();
        assert_eq!(grandchild.len(), 1);
        assert!(descendants().contains(&grandchild[0]));
        assert!(descendants_by_parents().contains(&grandchild[0]));
        kill_process(Pid::from_raw(grandchild[0]).unwrap(), Signal::KILL).unwrap();
        child.wait().unwrap();
    }
}
