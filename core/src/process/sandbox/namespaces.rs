//! A root folder, process list, network, user and host name of one's own, through
//! namespaces that need no privileges.
//!
//! [`enter`] is called by a process with one thread; its next child is the first process
//! of the new list. That child calls [`build_root`].

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use rustix::fs::StatVfsMountFlags;
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::thread::CapabilitySet;

use super::{Refusal, Sandbox, places, scratch};

/// The scratch folder inside the root of one's own.
pub(crate) const SCRATCH: &str = "/tmp";

/// Shared memory inside that root.
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// What the new root is mounted with besides being read-only.
const SAFE: MsFlags = MsFlags::MS_NOSUID.union(MsFlags::MS_NODEV);

/// A change of a mount that makes it read-only.
const READ_ONLY: MsFlags = MsFlags::MS_REMOUNT
    .union(MsFlags::MS_BIND)
    .union(MsFlags::MS_RDONLY)
    .union(SAFE);

/// Leaves the namespaces of the referee.
pub fn enter() -> Result<(), Refusal> {
    let spaces = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    let map = UserMap::of_this_process();
    unshare(CloneFlags::CLONE_NEWUSER | spaces).map_err(|error| lacks_users(&error.into()))?;
    map.write()
        .and_then(|()| keep_capabilities())
        .map_err(|error| lacks_users(&error))?;
    raise_loopback().map_err(|error| {
        let advice = "containers may forbid changes of a network; use --sandbox=on";
        Refusal::lacks(&format!("a separate network ({error})"), advice)
    })
}

/// What sockets of the new network may hold and nobody sees: connections that nobody has accepted, and bytes of a
/// connection, at most as many as `held` counts for a socket.
const SOCKET_LIMITS: [(&str, &str); 3] = [
    ("core/somaxconn", "4"),
    ("ipv4/tcp_rmem", "4096 32768 32768"),
    ("ipv4/tcp_wmem", "4096 16384 32768"),
];

/// Makes the loopback interface usable, the only one of the new network.
fn raise_loopback() -> io::Result<()> {
    /// Its number in a new network.
    const LOOPBACK: i32 = 1;
    /// `RTM_NEWLINK`, and the flags `NLM_F_REQUEST` and `NLM_F_ACK`.
    const CHANGE_LINK: [u16; 2] = [16, 5];
    /// `IFF_UP`.
    const UP: u32 = 1;
    for (name, value) in SOCKET_LIMITS {
        fs::write(format!("/proc/sys/net/{name}"), value)?;
    }
    // A header with a length, a kind and a number, then a link with its flags and those that change.
    let mut request = 32_u32.to_ne_bytes().to_vec();
    request.extend(CHANGE_LINK.iter().flat_map(|word| word.to_ne_bytes()));
    request.extend([1, 0, 0].iter().flat_map(|word: &u32| word.to_ne_bytes()));
    request.extend(LOOPBACK.to_ne_bytes());
    request.extend([UP, UP].iter().flat_map(|word| word.to_ne_bytes()));
    let kernel = net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    net::send(&kernel, &request, SendFlags::empty())?;
    let mut answer = [0; 64];
    net::recv(&kernel, &mut answer, RecvFlags::empty())?;
    // After its header, the negative number of an error, or 0.
    let error = answer[16..20].try_into().map_or(0, i32::from_ne_bytes);
    if error == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(-error))
    }
}

/// Leaves the user namespace of the referee and its list of mounts alone, if the system allows that. The kernel then
/// counts the threads and pending signals of the engine apart from those of all other programs of the user, and limits
/// its scratch folder: a file system of its own, at the same path.
pub(crate) fn count_apart(scratch: &Path) -> Result<bool, Refusal> {
    let map = UserMap::of_this_process();
    if unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS).is_err() {
        return Ok(false);
    }
    map.write().map_err(|error| lacks_users(&error))?;
    change_mount(Path::new("/"), MsFlags::MS_REC | MsFlags::MS_PRIVATE)
        .map_err(io::Error::from)
        .and_then(|()| mount_memory(scratch, &scratch_options()))
        .map_err(|error| Refusal(format!("the sandbox cannot mount a scratch folder: {error}")))?;
    Ok(true)
}

/// Whether a process has left the list of mounts of this one; false if that cannot be read.
pub(crate) fn is_apart(process: i32) -> bool {
    let list = |process: &str| fs::read_link(format!("/proc/{process}/ns/mnt"));
    matches!((list(&process.to_string()), list("self")), (Ok(its), Ok(own)) if its != own)
}

/// The limits of a scratch folder in memory.
fn scratch_options() -> String {
    let (bytes, files) = scratch::MOUNTED;
    format!("size={bytes},nr_inodes={files},mode=700")
}

/// Mounts a file system in memory.
fn mount_memory(target: &Path, options: &str) -> io::Result<()> {
    Ok(mount(Some("tmpfs"), target, Some("tmpfs"), SAFE, Some(options))?)
}

/// A user and a group that keep their numbers in a new namespace. There they have capabilities.
struct UserMap {
    user: u32,
    group: u32,
}

impl UserMap {
    /// Before this process leaves its namespace: then it has no numbers until they are mapped.
    fn of_this_process() -> UserMap {
        UserMap {
            user: rustix::process::geteuid().as_raw(),
            group: rustix::process::getegid().as_raw(),
        }
    }

    fn write(&self) -> io::Result<()> {
        let UserMap { user, group } = self;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
    }
}

fn lacks_users(error: &io::Error) -> Refusal {
    if error.kind() == io::ErrorKind::StorageFull {
        return Refusal(
            "the sandbox needs user namespaces, and their limit is reached (`sysctl user.max_user_namespaces`): raise it, \
             or use --sandbox=on"
                .into(),
        );
    }
    let advice = "allow them (on Debian `sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu `sysctl \
                  kernel.apparmor_restrict_unprivileged_userns=0`), or use --sandbox=on";
    Refusal::lacks(&format!("user namespaces ({error})"), advice)
}

/// What the next program needs: to mount file systems, and to give up capabilities.
const KEPT: [CapabilitySet; 2] = [CapabilitySet::SYS_ADMIN, CapabilitySet::SETPCAP];

/// Lets the next program that this process executes keep capabilities.
fn keep_capabilities() -> io::Result<()> {
    let mut held = rustix::thread::capabilities(None)?;
    for capability in KEPT {
        held.inheritable |= capability;
    }
    rustix::thread::set_capabilities(None, held)?;
    for capability in KEPT {
        rustix::thread::configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Makes a root folder of what the engine may read, and moves there. `base` is an empty
/// folder of the old root.
pub(crate) fn build_root(sandbox: &Sandbox, base: &Path) -> Result<(), Refusal> {
    let advice = "containers and AppArmor may forbid mounts; use --sandbox=on";
    let failed = |what: &str, error: io::Error| Refusal::lacks(&format!("{what} ({error})"), advice);
    let root = Root { base };
    // A name that has an address, that of the loopback interface.
    rustix::system::sethostname(b"localhost")
        .map_err(|error| failed("a separate host name", error.into()))?;
    root.fill(sandbox)
        .map_err(|error| failed("mounts in a user namespace", error))?;
    root.make_read_only(sandbox)
        .map_err(|error| failed("read-only mounts", error))?;
    root.mount_processes()
        .map_err(|error| failed("a separate process list", error))?;
    root.enter()
        .map_err(|error| failed("a separate root folder", error))
}

/// A root folder that is being made.
struct Root<'a> {
    base: &'a Path,
}

impl Root<'_> {
    /// Everything but the process list.
    fn fill(&self, sandbox: &Sandbox) -> io::Result<()> {
        change_mount(Path::new("/"), MsFlags::MS_REC | MsFlags::MS_PRIVATE)?;
        self.memory("/", "size=1m,mode=755")?;
        self.memory(SCRATCH, &scratch_options())?;
        self.memory(SHARED_MEMORY, "size=16m,nr_inodes=256,mode=700")?;
        for device in devices() {
            self.bind(Path::new(device))?;
        }
        for (name, target) in [
            ("fd", "fd"),
            ("stdin", "fd/0"),
            ("stdout", "fd/1"),
            ("stderr", "fd/2"),
        ] {
            symlink(format!("/proc/self/{target}"), self.inside("/dev").join(name))?;
        }
        let machine = places::MACHINE
            .into_iter()
            .filter(|path| path.starts_with("/sys"));
        let system = places::PROGRAMS.into_iter().chain(machine).map(PathBuf::from);
        for path in system.chain(places::configuration()) {
            self.show(&path)?;
        }
        for path in &sandbox.readable {
            self.bind(Path::new(path))?;
        }
        Ok(())
    }

    /// Where a path of the new root is now.
    fn inside(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.base.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Mounts a file system in memory.
    fn memory(&self, path: &str, options: &str) -> io::Result<()> {
        let target = self.inside(path);
        fs::create_dir_all(&target)?;
        mount_memory(&target, options)
    }

    /// Shows a path of the system, if it exists: a link as the same link.
    fn show(&self, path: &Path) -> io::Result<()> {
        let Ok(target) = fs::read_link(path) else {
            return if path.exists() { self.bind(path) } else { Ok(()) };
        };
        if let Some(folder) = self.inside(path).parent() {
            fs::create_dir_all(folder)?;
        }
        symlink(target, self.inside(path))
    }

    /// Shows a file or folder at the same path, with what is mounted in it.
    fn bind(&self, path: &Path) -> io::Result<()> {
        let target = self.inside(path);
        if path.is_dir() {
            fs::create_dir_all(&target)?;
        } else {
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            if !target.exists() {
                File::create(&target)?;
            }
        }
        let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
        Ok(mount(Some(path), &target, None::<&str>, flags, None::<&str>)?)
    }

    /// Makes everything read-only that is mounted in the new root, also inside of what was bound there. The
    /// root itself follows when it is complete.
    fn make_read_only(&self, sandbox: &Sandbox) -> io::Result<()> {
        let own = devices().chain([SCRATCH, SHARED_MEMORY, "/"]);
        let mut writable: Vec<PathBuf> = own.map(|path| self.inside(path)).collect();
        writable.extend(sandbox.writable.iter().map(|path| self.inside(path)));
        let mounts = fs::read("/proc/self/mountinfo")?;
        for path in mounted(&mounts).filter(|path| path.starts_with(self.base) && !writable.contains(path)) {
            // Flags of the old mount are locked.
            change_mount(&path, READ_ONLY | mount_flags(&path)?)?;
        }
        Ok(())
    }

    /// Mounts the list of the processes in this namespace, while the old one is still visible.
    fn mount_processes(&self) -> io::Result<()> {
        let target = self.inside("/proc");
        fs::create_dir_all(&target)?;
        let flags = SAFE | MsFlags::MS_NOEXEC;
        Ok(mount(Some("proc"), &target, Some("proc"), flags, None::<&str>)?)
    }

    /// Makes this the root folder, and the old one unreachable.
    fn enter(&self) -> io::Result<()> {
        change_mount(self.base, READ_ONLY)?;
        rustix::process::chdir(self.base)?;
        rustix::process::pivot_root(".", ".")?;
        umount2(".", MntFlags::MNT_DETACH)?;
        Ok(rustix::process::chdir("/")?)
    }
}

/// Devices, each bound alone.
fn devices() -> impl Iterator<Item = &'static str> {
    places::SOURCES.into_iter().chain(places::SINKS)
}

/// Where file systems are mounted, from the text of `/proc/self/mountinfo`: the fifth field of each line.
fn mounted(text: &[u8]) -> impl Iterator<Item = PathBuf> {
    let lines = text.split(|&byte| byte == b'\n');
    let places = lines.filter_map(|line| line.split(|&byte| byte == b' ').nth(4));
    places.map(|place| PathBuf::from(OsString::from_vec(unescaped(place))))
}

/// Bytes of which some are written as a backslash with three octal digits.
fn unescaped(mut text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        text = match *text {
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                ref rest @ ..,
            ] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest
            }
            [byte, ref rest @ ..] => {
                bytes.push(byte);
                rest
            }
            [] => return bytes,
        };
    }
}

fn change_mount(path: &Path, flags: MsFlags) -> nix::Result<()> {
    mount(None::<&str>, path, None::<&str>, flags, None::<&str>)
}

/// The flags of the mount at a path that a remount must keep.
fn mount_flags(path: &Path) -> io::Result<MsFlags> {
    let found = rustix::fs::statvfs(path)?.f_flag;
    let kept = [
        (StatVfsMountFlags::NOEXEC, MsFlags::MS_NOEXEC),
        (StatVfsMountFlags::NOATIME, MsFlags::MS_NOATIME),
        (StatVfsMountFlags::NODIRATIME, MsFlags::MS_NODIRATIME),
        (StatVfsMountFlags::RELATIME, MsFlags::MS_RELATIME),
    ];
    let kept = kept.into_iter().filter(|(flag, _)| found.contains(*flag));
    Ok(kept.fold(MsFlags::empty(), |flags, (_, flag)| flags | flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_where_file_systems_are_mounted() {
        let text = b"25 30 0:23 / /sys rw,nosuid - sysfs sysfs rw\n\
                     40 25 8:1 /a /my\\040bots/\xff\\134x ro shared:1 - ext4 /dev/sda1 rw\n";
        let found: Vec<PathBuf> = mounted(text).collect();
        let second = OsString::from_vec(b"/my bots/\xff\\x".to_vec());
        assert_eq!(found, [PathBuf::from("/sys"), PathBuf::from(second)]);
    }
}
