//! Control groups: a part of the processes that the kernel measures, limits and ends together.
//!
//! Each engine gets its own group if this process may make one (version 2, as root or delegated by systemd). All groups
//! of a referee are in one folder whose name has the referee's number and the time of its start, so that a later
//! referee can remove what one left that was killed.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::tree::Entry;
use crate::process::sandbox::ControlGroups;
use crate::system::groups::Own;
use crate::system::processes::{POLL_INTERVAL, ResourceLimits, max_threads};

/// What the name of a referee's folder begins with.
const PREFIX: &str = "referee-";

/// Controllers that limit a group.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// Bytes beyond the limit of memory: the supervisor ends the engine, and says why. A scratch folder is memory, too.
const MEMORY_GRACE: u64 = 128 << 20;

/// Threads beyond the limit, for the same reason.
const THREADS_GRACE: u64 = 64;

/// What groups can do here, found by making one.
pub fn ability() -> ControlGroups {
    let Some(group) = Group::new(ResourceLimits::default()) else {
        return ControlGroups::None;
    };
    let has = |name: &&str| group.folder.join(format!("{name}.max")).exists();
    let is_limited = CONTROLLERS.iter().all(has);
    group.remove();
    if is_limited {
        ControlGroups::Limited
    } else {
        ControlGroups::Counted
    }
}

/// The name of the folder for the groups of this referee.
fn own_name() -> Option<String> {
    let id = std::process::id();
    Some(format!("{PREFIX}{id}-{}", start_of(id as i32)?))
}

/// When a process started, as the kernel counts it.
fn start_of(id: i32) -> Option<u64> {
    Entry::of(id).map(|entry| entry.start)
}

/// The number behind a word in a file of a group.
fn count(path: &Path, word: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    value?.trim().parse().ok()
}

/// A group of an engine and all that it starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Group {
    folder: PathBuf,
    /// The folder of the referee's own group.
    home: PathBuf,
}

impl Group {
    /// Makes a group; `None` if that is not possible.
    pub fn new(limits: ResourceLimits) -> Option<Group> {
        let place = Own::read()?.unified?;
        Group::below(&place.folder, &own_name()?, limits)
    }

    /// The same in the folder of the referee's group, with this name of the folder for all its groups.
    fn below(own: &Path, name: &str, limits: ResourceLimits) -> Option<Group> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // It may already be in one that it has made.
        let inside = own
            .parent()
            .filter(|parent| parent.file_name() == Some(name.as_ref()));
        let all = inside.map_or_else(|| own.join(name), Path::to_path_buf);
        // Another thread may remove the folder when its last group goes.
        for _ in 0..3 {
            let mut home = own.to_path_buf();
            if inside.is_none() && fs::create_dir(&all).is_ok() {
                remove_stale(own);
                if let Err(error) = enable_limits(own, &all, &mut home) {
                    log::debug!("groups have no limits: {error}");
                }
            }
            let folder = all.join(format!("engine-{}", MADE.fetch_add(1, Ordering::Relaxed)));
            let group = Group { folder, home };
            match fs::create_dir(&group.folder) {
                // Kernels before 5.14 cannot end a group.
                Ok(()) if group.folder.join(KILL).exists() || cfg!(test) => {
                    group.limit(limits);
                    return Some(group);
                }
                Ok(()) => {
                    group.remove();
                    return None;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Limits the group as far as the kernel can.
    fn limit(&self, limits: ResourceLimits) {
        let mut wanted = Vec::new();
        if let Some(most) = limits.memory {
            let bytes = most
                .saturating_mul(ResourceLimits::MEGABYTE)
                .saturating_add(MEMORY_GRACE);
            wanted.extend([
                ("memory.max", bytes),
                ("memory.swap.max", 0),
                ("memory.oom.group", 1),
            ]);
        }
        if let Some(most) = max_threads(limits) {
            wanted.push(("pids.max", most + THREADS_GRACE));
        }
        for (file, value) in wanted {
            let path = self.folder.join(file);
            if path.exists()
                && let Err(error) = fs::write(path, value.to_string())
            {
                log::debug!("{file}: {error}");
            }
        }
    }

    /// Moves this process into the group: what it starts from now on belongs to it.
    pub fn enter(&self) -> io::Result<()> {
        fs::write(self.folder.join(PROCESSES), "0")
    }

    /// Moves this process back into the referee's group.
    pub fn leave(&self) -> io::Result<()> {
        fs::write(self.home.join(PROCESSES), "0")
    }

    /// Kills all processes of the group, however many they are and whatever they start.
    pub fn kill(&self) {
        let _ = fs::write(self.folder.join(KILL), "1");
    }

    /// The processor time of all that ever ran in it.
    pub fn processor_time(&self) -> Option<Duration> {
        count(&self.folder.join("cpu.stat"), "usage_usec").map(Duration::from_micros)
    }

    /// Whether the kernel has ended it for its use of memory.
    pub fn was_killed_for_memory(&self) -> bool {
        count(&self.folder.join("memory.events"), "oom_kill").is_some_and(|killed| killed > 0)
    }

    /// Removes the group with those in it, and the folder of all groups after the last of them.
    pub fn remove(&self) {
        // A process that was killed stays for a moment.
        for _ in 0..100 {
            if remove_all(&self.folder) {
                break;
            }
            self.kill();
            thread::sleep(POLL_INTERVAL);
        }
        let _ = self.folder.parent().map(fs::remove_dir);
    }
}

/// Files of a group.
const PROCESSES: &str = "cgroup.procs";
const KILL: &str = "cgroup.kill";

/// Lets the kernel limit the groups in the folder `all`. A group whose members have limits must not have processes
/// itself, so this process leaves `own` if it is the only one there; `home` is where it is then.
fn enable_limits(own: &Path, all: &Path, home: &mut PathBuf) -> io::Result<()> {
    let offered = fs::read_to_string(own.join("cgroup.controllers"))?;
    for name in CONTROLLERS {
        if !offered.split_whitespace().any(|offer| offer == name) {
            return Err(io::Error::other(format!("no controller `{name}`")));
        }
        let enable = |folder: &Path| fs::write(folder.join("cgroup.subtree_control"), format!("+{name}"));
        match enable(own) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::BUSY) => {
                let members = fs::read_to_string(own.join(PROCESSES))?;
                if members.trim() != std::process::id().to_string() {
                    return Err(error);
                }
                let leaf = all.join("referee");
                fs::create_dir(&leaf)?;
                fs::write(leaf.join(PROCESSES), "0")?;
                *home = leaf;
                enable(own)?;
            }
            enabled => enabled?,
        }
        enable(all)?;
    }
    Ok(())
}

/// Removes the folders of referees that have ended, with all that still runs there.
fn remove_stale(own: &Path) {
    let entries = fs::read_dir(own).into_iter().flatten().flatten();
    for folder in entries.filter(|entry| is_stale(entry.file_name().as_bytes())) {
        let _ = fs::write(folder.path().join(KILL), "1");
        remove_all(&folder.path());
    }
}

/// Whether this is the name of the folder of a referee that has ended.
fn is_stale(name: &[u8]) -> bool {
    let numbers = std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
    let Some((id, start)) = numbers else { return false };
    match (id.parse(), start.parse::<u64>()) {
        (Ok(id), Ok(start)) => start_of(id) != Some(start),
        _ => false,
    }
}

/// Removes a group with those in it. Returns whether it is gone.
fn remove_all(folder: &Path) -> bool {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    for group in inside.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove_all(&group.path());
    }
    fs::remove_dir(folder).is_ok() || !folder.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::groups::hierarchy;

    #[test]
    fn a_group_has_limits_where_the_kernel_offers_them() {
        let root = hierarchy(&[
            ("cgroup.controllers", "cpu memory pids\n"),
            ("cgroup.subtree_control", ""),
        ]);
        let limits = ResourceLimits {
            memory: Some(100),
            processes: Some(64),
            ..ResourceLimits::default()
        };
        let group = Group::below(root.path(), &own_name().unwrap(), limits).unwrap();
        let all = root.path().join(own_name().unwrap());
        let text = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert_eq!(text(all.join("cgroup.subtree_control")), "+pids");
        assert_eq!(group.home, root.path());
        // Files that the kernel makes.
        for file in ["memory.max", "memory.swap.max", "memory.oom.group", "pids.max"] {
            fs::write(group.folder.join(file), "max").unwrap();
        }
        group.limit(limits);
        assert_eq!(text(group.folder.join("memory.max")), (228 << 20).to_string());
        assert_eq!(text(group.folder.join("memory.oom.group")), "1");
        let threads: u64 = text(group.folder.join("pids.max")).parse().unwrap();
        assert!((65..=576).contains(&threads), "{threads}");
        fs::write(group.folder.join("cpu.stat"), "usage_usec 1234567\nuser_usec 9\n").unwrap();
        assert_eq!(group.processor_time(), Some(Duration::from_micros(1_234_567)));
        assert!(!group.was_killed_for_memory());
        fs::write(group.folder.join("memory.events"), "oom 3\noom_kill 1\n").unwrap();
        assert!(group.was_killed_for_memory());
        group.enter().unwrap();
        group.kill();
        assert_eq!(text(group.folder.join(PROCESSES)), "0");
        assert_eq!(text(group.folder.join(KILL)), "1");
    }

    #[test]
    fn a_group_without_controllers_or_permission_is_no_error() {
        let root = hierarchy(&[("cgroup.controllers", "hugetlb\n")]);
        let group = Group::below(root.path(), &own_name().unwrap(), ResourceLimits::default()).unwrap();
        assert_eq!(group.processor_time(), None);
        group.remove();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
        // What cannot be written is no reason to leave the own group.
        let root = hierarchy(&[
            ("cgroup.controllers", "memory pids\n"),
            ("cgroup.subtree_control/folder", ""),
            (PROCESSES, &std::process::id().to_string()),
        ]);
        let group = Group::below(root.path(), &own_name().unwrap(), ResourceLimits::default()).unwrap();
        assert_eq!(group.home, root.path());
        assert_eq!(
            Group::below(
                &root.path().join("none"),
                &own_name().unwrap(),
                ResourceLimits::default()
            ),
            None
        );
    }

    #[test]
    fn folders_of_referees_that_have_ended_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let id = std::process::id();
        let start = start_of(id as i32).unwrap();
        let kept = [own_name().unwrap(), format!("{PREFIX}x-1"), "user.slice".into()];
        let stale = [
            format!("{PREFIX}{id}-{}", start + 1),
            format!("{PREFIX}999999999-1"),
        ];
        for name in kept.iter().chain(&stale) {
            fs::create_dir_all(root.path().join(name).join("engine-0")).unwrap();
        }
        assert!(stale.iter().all(|name| is_stale(name.as_bytes())));
        assert!(kept.iter().all(|name| !is_stale(name.as_bytes())));
        for name in &stale {
            assert!(remove_all(&root.path().join(name)));
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), kept.len());
    }
}
