//! Files and folders of the system that every sandboxed engine may read.

use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// Folders of programs and libraries, read and executed.
pub const PROGRAMS: [&str; 9] = [
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/nix/store",
    "/gnu/store",
];

/// Files and folders that programs read when they start. `/etc` as a whole holds secrets.
#[cfg(target_os = "linux")]
const CONFIGURATION: [&str; 25] = [
    "/etc/alternatives",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/mono",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/java",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// Beginnings of the names of further such folders in `/etc`.
#[cfg(target_os = "linux")]
const RUNTIMES: [&str; 4] = ["java", "python", "php", "lua"];

/// What runtimes read to find the number of cores and the memory. A rule on `/proc/self`
/// would not hold: the kernel makes its inodes anew.
#[cfg(target_os = "linux")]
pub const MACHINE: [&str; 13] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/ngroups_max",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Devices that are read.
#[cfg(target_os = "linux")]
pub const SOURCES: [&str; 2] = ["/dev/urandom", "/dev/random"];

/// Devices that are read and written.
#[cfg(target_os = "linux")]
pub const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Whether a path is in a folder of the system's programs and libraries.
pub fn is_system(path: &Path) -> bool {
    PROGRAMS.iter().any(|folder| path.starts_with(folder))
}

/// The files and folders of `/etc` that exist here.
#[cfg(target_os = "linux")]
pub fn configuration() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let of_runtimes = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        RUNTIMES.iter().any(|runtime| name.starts_with(runtime))
    });
    let of_runtimes: Vec<PathBuf> = of_runtimes.map(|entry| entry.path()).collect();
    CONFIGURATION
        .map(PathBuf::from)
        .into_iter()
        .chain(of_runtimes)
        .collect()
}
