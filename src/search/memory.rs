//! Available memory.
//!
//! On a system that overcommits memory, an allocation beyond the physical memory
//! succeeds, and the kernel later kills a process. So code that needs much memory checks
//! here first.

/// Memory available to this process, in bytes: the least of what the system and each
/// enclosing control group have left. `None` if the system does not say.
///
/// On Linux: `MemAvailable` of `/proc/meminfo`, and control groups of versions 1 and 2.
/// The page cache of a group counts as free, because the kernel reclaims it.
#[cfg(target_os = "linux")]
pub(crate) fn available() -> Option<u64> {
    linux::system().into_iter().chain(linux::groups()).min()
}

/// Available memory: not known on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) const fn available() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    /// Available memory of the whole system, in bytes.
    pub(crate) fn system() -> Option<u64> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        in_meminfo(&text)
    }

    /// Available memory of each enclosing control group, in bytes.
    pub(crate) fn groups() -> Vec<u64> {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        groups.lines().flat_map(enclosing_groups).collect()
    }

    /// The value of the line `MemAvailable: N kB`, in bytes.
    pub(crate) fn in_meminfo(text: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kilobytes.checked_mul(1024)
    }

    /// Available memory of the group in a line `ID:CONTROLLERS:PATH` and of each of its
    /// parents.
    fn enclosing_groups(line: &str) -> Vec<u64> {
        let mut parts = line.splitn(3, ':').skip(1);
        let (root, files) = match parts.next() {
            Some("") => ("/sys/fs/cgroup", ["memory.max", "memory.current", ""]),
            Some(controllers) if controllers.split(',').any(|name| name == "memory") => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_"],
            ),
            _ => return Vec::new(),
        };
        let path = parts.next().unwrap_or_default().trim_start_matches('/');
        let folders = Path::new(path).ancestors().map(|part| Path::new(root).join(part));
        folders.filter_map(|folder| in_group(&folder, files)).collect()
    }

    /// Available memory of the group in `folder`: its limit less its usage without page
    /// cache. `prefix` precedes the names in `memory.stat`.
    pub(crate) fn in_group(folder: &Path, [limit, usage, prefix]: [&str; 3]) -> Option<u64> {
        let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
        let (limit, usage) = (number(limit)?, number(usage)?);
        let stat = read("memory.stat").unwrap_or_default();
        let cache: u64 = stat
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(name, _)| {
                let name = name.strip_prefix(prefix);
                matches!(name, Some("inactive_file" | "active_file"))
            })
            .filter_map(|(_, value)| value.parse::<u64>().ok())
            .sum();
        Some(limit.saturating_sub(usage.saturating_sub(cache)))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn reads_available_memory_of_the_system() {
        let text = "MemTotal:       24684092 kB\nMemFree:  5215040 kB\nMemAvailable:   23346804 kB\n";
        assert_eq!(linux::in_meminfo(text), Some(23_346_804 * 1024));
        assert_eq!(linux::in_meminfo("MemAvailable: lots\n"), None);
        // A plausible range on any machine.
        assert!(available().is_some_and(|bytes| bytes > 1 << 20 && bytes < 1 << 50));
    }

    /// Creates a folder with these files.
    fn group(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("lodestone-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        folder
    }

    #[test]
    fn page_cache_of_a_group_counts_as_available() {
        let names = ["memory.max", "memory.current", ""];
        let stat = "anon 500\nfile 400\ninactive_file 100\nactive_file 50\n";
        let limited = group(
            "limited",
            &[
                ("memory.max", "1000\n"),
                ("memory.current", "900\n"),
                ("memory.stat", stat),
            ],
        );
        assert_eq!(linux::in_group(&limited, names), Some(250));
        // A version 2 group lacks the files of version 1.
        let old = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_"];
        assert_eq!(linux::in_group(&limited, old), None);
        let free = group("free", &[("memory.max", "max\n"), ("memory.current", "900\n")]);
        assert_eq!(linux::in_group(&free, names), None);
        for folder in [limited, free] {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}
