//! The control groups of this process, where the system has them, and the memory that they leave to it.

use std::fs;
use std::path::{Path, PathBuf};

/// The least memory that this process and its parents in the hierarchies of groups may use, in bytes.
pub fn memory_limit() -> Option<u64> {
    let own = Own::read()?;
    let [old, new] = [(own.memory, "memory.limit_in_bytes"), (own.unified, "memory.max")];
    let limits = [old, new]
        .into_iter()
        .filter_map(|(place, file)| place?.least(|folder| number(&folder.join(file))));
    limits.min()
}

/// The least memory that these groups leave, in bytes: what the system keeps of files is free.
pub fn free_memory() -> Option<u64> {
    let own = Own::read()?;
    let free = [
        own.memory
            .and_then(|place| place.least(|folder| free_in(folder, &OLD))),
        own.unified
            .and_then(|place| place.least(|folder| free_in(folder, &NEW))),
    ];
    free.into_iter().flatten().min()
}

/// The files of a group with its limit and its use of memory, and the words in `memory.stat` before the bytes of files.
type Files = ([&'static str; 2], [&'static str; 2]);
const OLD: Files = (
    ["memory.limit_in_bytes", "memory.usage_in_bytes"],
    ["total_inactive_file", "total_active_file"],
);
const NEW: Files = (["memory.max", "memory.current"], ["inactive_file", "active_file"]);

/// The memory that a group leaves; `None` if it has no limit.
fn free_in(folder: &Path, (files, of_files): &Files) -> Option<u64> {
    let [limit, used] = files.map(|file| number(&folder.join(file)));
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let kept = stat.lines().filter_map(|line| {
        let (word, bytes) = line.split_once(' ')?;
        of_files.contains(&word).then(|| bytes.parse::<u64>().ok())?
    });
    Some(limit?.saturating_sub(used?.saturating_sub(kept.sum())))
}

/// A place in a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where the hierarchy is mounted.
    mount: PathBuf,
    /// The folder of this process's group.
    pub folder: PathBuf,
}

impl Place {
    /// The least number of the group and of those that contain it.
    fn least(&self, number: impl Fn(&Path) -> Option<u64>) -> Option<u64> {
        let folders = self
            .folder
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.mount));
        folders.filter_map(number).min()
    }
}

/// The groups of this process.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// In the hierarchy of version 1 that limits memory.
    memory: Option<Place>,
    /// In that of version 2.
    pub unified: Option<Place>,
}

impl Own {
    pub fn read() -> Option<Own> {
        let mounts = fs::read("/proc/self/mountinfo").ok()?;
        Some(Own::parse(&mounts, &fs::read("/proc/self/cgroup").ok()?))
    }

    /// From `/proc/self/mountinfo` (`ID PARENT DEVICE ROOT MOUNT OPTIONS … - TYPE SOURCE OPTIONS`) and
    /// `/proc/self/cgroup` (`NUMBER:CONTROLLERS:PATH`).
    fn parse(mounts: &[u8], groups: &[u8]) -> Own {
        let mut own = Own::default();
        for line in mounts.split(|&byte| byte == b'\n') {
            let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
            let Some(dash) = fields.iter().position(|field| *field == b"-") else {
                continue;
            };
            let (&[_, _, _, root, mount, ..], [_, kind, .., options]) = (&fields[..], &fields[dash..]) else {
                continue;
            };
            let has_memory = |list: &[u8]| list.split(|&byte| byte == b',').any(|name| name == b"memory");
            let (place, is_unified) = match *kind {
                b"cgroup2" => (&mut own.unified, true),
                b"cgroup" if has_memory(options) => (&mut own.memory, false),
                _ => continue,
            };
            let is_wanted = |names: &[u8]| {
                if is_unified {
                    names.is_empty()
                } else {
                    has_memory(names)
                }
            };
            let path = |bytes: &[u8]| PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
            let group = groups.split(|&byte| byte == b'\n').find_map(|line| {
                let mut parts = line.splitn(3, |&byte| byte == b':').skip(1);
                is_wanted(parts.next()?).then(|| parts.next().map(path))?
            });
            let Some(group) = group else { continue };
            let mount = path(mount);
            // A container may see a part of the hierarchy alone.
            let inside = group.strip_prefix(path(root)).map(Path::to_path_buf);
            let folder = inside.map_or_else(|_| mount.clone(), |inside| mount.join(inside));
            *place = Some(Place { mount, folder });
        }
        own
    }
}

/// The number in a file of a group; `None` also for `max`.
fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// A hierarchy made of files: a folder with these files.
#[cfg(test)]
pub(crate) fn hierarchy(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &[u8] = b"30 25 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
                            31 25 0:27 /docker/a /sys/fs/cgroup/memory ro shared:1 - cgroup cgroup rw,memory\n\
                            32 25 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\nx\n";

    #[test]
    fn finds_the_groups_of_a_process() {
        let groups = b"4:memory:/docker/a/b\n1:cpu:/c\n0::/user.slice/x y\n";
        let own = Own::parse(MOUNTS, groups);
        let place = |mount: &str, folder: &str| {
            Some(Place {
                mount: mount.into(),
                folder: folder.into(),
            })
        };
        assert_eq!(
            own.memory,
            place("/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/b")
        );
        assert_eq!(
            own.unified,
            place("/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/user.slice/x y")
        );
        assert_eq!(Own::parse(b"", groups), Own::default());
        assert_eq!(Own::parse(MOUNTS, b"\n"), Own::default());
        // The path of another container.
        let other = Own::parse(MOUNTS, b"4:memory:/docker/b\n").memory.unwrap();
        assert_eq!(other.folder, Path::new("/sys/fs/cgroup/memory"));
    }

    #[test]
    fn the_least_of_all_containing_groups_holds() {
        let root = hierarchy(&[
            ("memory.max", "max\n"),
            ("a/memory.max", "400\n"),
            ("a/memory.current", "390\n"),
            ("a/memory.stat", "anon 80\ninactive_file 200\nactive_file 100\n"),
            ("a/b/memory.max", "900\n"),
            ("a/b/memory.current", "90\n"),
            ("c/memory.limit_in_bytes", "500\n"),
            ("c/memory.usage_in_bytes", "450\n"),
            (
                "c/memory.stat",
                "inactive_file 9\ntotal_inactive_file 20\ntotal_active_file 1\n",
            ),
        ]);
        let place = |folder: &str| Place {
            mount: root.path().into(),
            folder: root.path().join(folder),
        };
        let limit = |folder: &Path| number(&folder.join("memory.max"));
        assert_eq!(place("a/b").least(limit), Some(400));
        assert_eq!(place("").least(limit), None);
        assert_eq!(place("c").least(limit), None);
        assert_eq!(place("a/b").least(|folder| free_in(folder, &NEW)), Some(310));
        assert_eq!(place("c").least(|folder| free_in(folder, &OLD)), Some(71));
        assert_eq!(place("c").least(|folder| free_in(folder, &NEW)), None);
    }
}
