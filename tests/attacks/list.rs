//! Attacks on the user, the referee and the other bots.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, IoSlice, Write};
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::ptrace;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use rustix::fs::{MemfdFlags, Timespec, Timestamps, XattrFlags, inotify};
use rustix::net::{AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketType, sendmsg};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::machine_code::{self, DATA};

/// What the test prepares for the attacks.
pub struct Victim {
    /// A folder of the same user, with a file `key`: another submission, or `~/.ssh`.
    folder: PathBuf,
    /// A process of the same user.
    process: Pid,
    /// A TCP port that listens, and a UDP port.
    tcp: u16,
    udp: u16,
    /// An abstract UNIX socket.
    name: String,
}

impl Victim {
    /// Reads `FOLDER PROCESS TCP UDP NAME`.
    pub fn of_words(words: &[&str]) -> Victim {
        let number = |index: usize| words[index].parse().unwrap();
        Victim {
            folder: words[0].into(),
            process: Pid::from_raw(words[1].parse().unwrap()).unwrap(),
            tcp: number(2),
            udp: number(3),
            name: words[4].to_string(),
        }
    }

    fn key(&self) -> PathBuf {
        self.folder.join("key")
    }

    /// A file of its process in `/proc`.
    fn proc(&self, name: &str) -> String {
        format!("/proc/{}/{name}", self.process.as_raw_pid())
    }

    fn nix_id(&self) -> nix::unistd::Pid {
        nix::unistd::Pid::from_raw(self.process.as_raw_pid())
    }

    fn abstract_address(&self) -> io::Result<SocketAddr> {
        SocketAddr::from_abstract_name(&self.name)
    }
}

/// An attack; an error says that it was stopped.
type Attack = fn(&Victim) -> io::Result<()>;

/// The bot's private folder.
fn home() -> PathBuf {
    std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

/// An attack that found nothing.
fn nothing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// Makes a system call by its number, with a file as descriptor 0. Its `data` is at [`DATA`].
pub fn call(number: u64, arguments: [u64; 6], data: &[u8], file: impl Into<Stdio>) -> io::Result<()> {
    if !cfg!(target_arch = "x86_64") {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let path = home().join("call");
    let mut program = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o755)
        .open(&path)?;
    program.write_all(&machine_code::call(number, arguments, data))?;
    drop(program);
    let status = Command::new(&path).stdin(file).status()?;
    match status.code() {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(error)),
        None => Err(io::Error::other(format!("{status}"))),
    }
}

/// A file in the bot's own folder, which it may only read.
fn book_path() -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("book.txt"))
}

fn book() -> io::Result<File> {
    File::open(book_path()?)
}

/// `fcntl` with this command for that file.
fn fcntl(command: u64, argument: u64) -> io::Result<()> {
    call(72, [0, command, argument, 0, 0, 0], &[], book()?)
}

/// Moves a process to the first of its cores, and back. Fails if it did not move.
fn moves(process: Option<Pid>) -> io::Result<()> {
    let before = sched_getaffinity(process)?;
    let mut one = CpuSet::new();
    one.set(
        (0..CpuSet::MAX_CPU)
            .find(|core| before.is_set(*core))
            .unwrap_or(0),
    );
    sched_setaffinity(process, &one)?;
    let has_moved = sched_getaffinity(process)? == one && before != one;
    sched_setaffinity(process, &before)?;
    if has_moved { Ok(()) } else { Err(nothing()) }
}

/// All attacks. They do no harm: to open a file or to signal a process is enough.
pub const ATTACKS: &[(&str, Attack)] = &[
    ("read-file", |victim| fs::read(victim.key()).map(drop)),
    ("list-folder", |victim| fs::read_dir(&victim.folder).map(drop)),
    ("stat-file", |victim| fs::metadata(victim.key()).map(drop)),
    ("write-file", |victim| {
        OpenOptions::new()
            .append(true)
            .open(victim.key())?
            .write_all(b"x")
    }),
    ("rename-file", |victim| {
        fs::rename(victim.key(), victim.folder.join("stolen"))?;
        fs::rename(victim.folder.join("stolen"), victim.key())
    }),
    ("delete-file", |victim| {
        fs::remove_file(victim.folder.join("spare"))
    }),
    ("create-file", |victim| {
        File::create(victim.folder.join("new")).map(drop)
    }),
    ("change-mode", |victim| {
        fs::set_permissions(victim.key(), Permissions::from_mode(0o600))
    }),
    ("change-times", |victim| {
        let time = Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        let flags = rustix::fs::AtFlags::empty();
        Ok(rustix::fs::utimensat(
            rustix::fs::CWD,
            victim.key(),
            &times,
            flags,
        )?)
    }),
    ("read-link", |victim| {
        fs::read_link(victim.folder.join("link")).map(drop)
    }),
    ("follow-link", |victim| {
        let link = home().join("link");
        symlink(victim.key(), &link)?;
        fs::read(link).map(drop)
    }),
    ("hard-link", |victim| {
        let link = home().join("hard-link");
        fs::hard_link(victim.key(), &link)?;
        fs::read(link).map(drop)
    }),
    ("change-own-program", |_| {
        let program = std::env::current_exe()?;
        File::create(program.with_file_name("planted")).map(drop)
    }),
    ("read-passwords", |_| fs::read("/etc/shadow").map(drop)),
    ("tcp-connect", |victim| {
        TcpStream::connect(("127.0.0.1", victim.tcp)).map(drop)
    }),
    ("tcp-listen", |_| TcpListener::bind("127.0.0.1:0").map(drop)),
    ("network-away", |_| {
        // Nothing is sent.
        UdpSocket::bind("0.0.0.0:0")?.connect("192.0.2.1:9")
    }),
    ("udp-send", |victim| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.send_to(b"key", ("127.0.0.1", victim.udp)).map(drop)
    }),
    ("unix-socket", |victim| {
        UnixStream::connect(victim.folder.join("socket")).map(drop)
    }),
    ("abstract-socket", |victim| {
        UnixStream::connect_addr(&victim.abstract_address()?).map(drop)
    }),
    ("datagram-pair", |victim| {
        let (one, _other) = UnixDatagram::pair()?;
        match one.send_to_addr(b"key", &victim.abstract_address()?) {
            // It listens for streams, so the datagram reached it.
            Err(error) if error.raw_os_error() == Some(Errno::EPROTOTYPE as i32) => Ok(()),
            sent => sent.map(drop),
        }
    }),
    ("netlink", |_| {
        Ok(rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None).map(drop)?)
    }),
    ("signal", |victim| {
        Ok(rustix::process::kill_process(victim.process, Signal::CONT)?)
    }),
    ("signal-descriptor", |victim| {
        let process = rustix::process::pidfd_open(victim.process, PidfdFlags::empty())?;
        Ok(rustix::process::pidfd_send_signal(process, Signal::CONT)?)
    }),
    ("trace", |victim| {
        ptrace::attach(victim.nix_id())?;
        nix::sys::wait::waitpid(victim.nix_id(), None)?;
        Ok(ptrace::detach(victim.nix_id(), None)?)
    }),
    ("read-memory", |victim| {
        let mut bytes = [0; 8];
        let remote = [RemoteIoVec { base: 8, len: 8 }];
        match process_vm_readv(victim.nix_id(), &mut [io::IoSliceMut::new(&mut bytes)], &remote) {
            // Only the address is wrong.
            Err(Errno::EFAULT) => Ok(()),
            read => Ok(read.map(drop)?),
        }
    }),
    ("open-memory", |victim| File::open(victim.proc("mem")).map(drop)),
    ("read-environment", |victim| {
        fs::read(victim.proc("environ")).map(drop)
    }),
    ("list-descriptors", |victim| {
        fs::read_dir(victim.proc("fd")).map(drop)
    }),
    ("read-command-line", |victim| {
        fs::read(victim.proc("cmdline")).map(drop)
    }),
    ("list-processes", |victim| {
        let id = victim.process.as_raw_pid().to_string();
        let mut found = fs::read_dir("/proc")?.flatten();
        let is_there = found.any(|entry| entry.file_name().to_str() == Some(&id));
        if is_there { Ok(()) } else { Err(nothing()) }
    }),
    ("limit-others", |victim| {
        let limit = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        Ok(rustix::process::prlimit(Some(victim.process), Resource::Core, limit).map(drop)?)
    }),
    ("slow-others", |victim| {
        Ok(rustix::process::setpriority_process(Some(victim.process), 19)?)
    }),
    ("move-others", |victim| moves(Some(victim.process))),
    ("leave-core", |_| moves(None)),
    ("lower-itself", |_| {
        let own = rustix::process::getpriority_process(None)?;
        Ok(rustix::process::setpriority_process(None, own)?)
    }),
    // SCHED_BATCH.
    ("change-scheduler", |_| {
        call(144, [0, 3, DATA, 0, 0, 0], &[0; 4], book()?)
    }),
    // The lowest priority of the best-effort class.
    ("change-disk-priority", |_| {
        call(251, [1, 0, 2 << 13 | 7, 0, 0, 0], &[], book()?)
    }),
    // F_SETLEASE with F_WRLCK.
    ("take-lease", |_| fcntl(1024, 1)),
    ("lock-file", |_| book()?.lock()),
    // F_NOTIFY for reads.
    ("watch-folder", |_| {
        let folder = File::open(book_path()?.with_file_name(""))?;
        call(72, [0, 1026, 1, 0, 0, 0], &[], folder)
    }),
    // F_SETPIPE_SZ.
    ("enlarge-pipe", |_| {
        let (_reader, writer) = io::pipe()?;
        call(72, [0, 1031, 1 << 20, 0, 0, 0], &[], writer)
    }),
    ("change-flags", |_| {
        let file = book()?;
        let flags = rustix::fs::ioctl_getflags(&file)?;
        Ok(rustix::fs::ioctl_setflags(&file, flags)?)
    }),
    ("read-attributes", |victim| {
        Ok(rustix::fs::listxattr(victim.key(), &mut [0; 100][..]).map(drop)?)
    }),
    ("change-attributes", |_| {
        Ok(rustix::fs::setxattr(
            book_path()?,
            "user.note",
            b"x",
            XattrFlags::empty(),
        )?)
    }),
    // POSIX_FADV_DONTNEED.
    ("drop-from-memory", |_| {
        call(221, [0, 0, 0, 4, 0, 0], &[], book()?)
    }),
    ("take-requests", |_| {
        call(206, [1, DATA, 0, 0, 0, 0], &[0; 8], book()?)
    }),
    ("send-descriptor", |_| {
        let (one, _other) = UnixStream::pair()?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let file = book()?;
        let files = [file.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&files));
        Ok(sendmsg(&one, &[IoSlice::new(b"x")], &mut control, SendFlags::empty()).map(drop)?)
    }),
    // CLOSE_RANGE_UNSHARE.
    ("private-descriptors", |_| {
        call(436, [900, 900, 2, 0, 0, 0], &[], book()?)
    }),
    // Readable and writable, MAP_SHARED | MAP_ANONYMOUS.
    ("shared-memory", |_| {
        call(9, [0, 4096, 3, 0x21, u64::MAX, 0], &[], book()?)
    }),
    // Mapped, it would be shared memory, too.
    ("open-zero", |_| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/zero")
            .map(drop)
    }),
    ("adjust-oom-score", |_| {
        fs::write("/proc/self/oom_score_adj", "1000")
    }),
    ("secret-of-a-launcher", |_| {
        let own = std::process::id().to_string();
        let others = fs::read_dir("/proc")?
            .flatten()
            .filter(|entry| entry.file_name().to_str() != Some(&own));
        let mut environments = others.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
        let secret = b"ATTACK_SECRET=";
        let has_secret = environments.any(|text| text.windows(secret.len()).any(|part| part == secret));
        if has_secret { Ok(()) } else { Err(nothing()) }
    }),
    ("inherited-descriptor", |_| {
        let read = Command::new("/bin/sh").args(["-c", "cat <&9"]).output()?;
        if read.stdout.is_empty() {
            Err(Errno::EBADF.into())
        } else {
            Ok(())
        }
    }),
    ("secret-variable", |_| {
        std::env::var_os("ATTACK_SECRET").map(drop).ok_or_else(nothing)
    }),
    ("hidden-memory", |_| {
        Ok(rustix::fs::memfd_create("hidden", MemfdFlags::empty()).map(drop)?)
    }),
    ("watch-files", |victim| {
        let watch = inotify::init(inotify::CreateFlags::empty())?;
        Ok(inotify::add_watch(&watch, victim.key(), inotify::WatchFlags::ACCESS).map(drop)?)
    }),
    ("new-namespace", |_| {
        Ok(unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?)
    }),
    ("gain-privileges", |_| {
        if rustix::thread::no_new_privs()? {
            Err(Errno::EPERM.into())
        } else {
            Ok(())
        }
    }),
    ("dump-core", |_| {
        match rustix::process::getrlimit(Resource::Core).maximum {
            Some(0) => Err(Errno::EPERM.into()),
            _ => Ok(()),
        }
    }),
];

/// Tries all attacks.
pub fn try_all(victim: &Victim) {
    for (name, attack) in ATTACKS {
        let outcome = match attack(victim) {
            Ok(()) => "works".to_string(),
            Err(error) => match error.raw_os_error() {
                Some(number) => format!("{:?}", Errno::from_raw(number)),
                None if error.kind() == io::ErrorKind::Unsupported => "untried".to_string(),
                None => "nothing".to_string(),
            },
        };
        report(name, &outcome);
    }
}

/// Makes system calls with wrong arguments, by their numbers.
pub fn try_calls(numbers: &str) {
    for number in numbers.split(',') {
        let called = number
            .parse()
            .map_err(io::Error::other)
            .and_then(|call_number| call(call_number, [u64::MAX; 6], &[], Stdio::null()));
        let outcome = match called {
            Ok(()) => "nothing".to_string(),
            Err(error) => format!("{:?}", Errno::from_raw(error.raw_os_error().unwrap_or(0))),
        };
        report(number, &outcome);
    }
}

/// Writes an outcome to standard error at once: a program that reads along must not see half a line.
pub fn report(name: &str, outcome: &str) {
    let line = format!("{name} {outcome}\n");
    io::stderr()
        .write_all(line.as_bytes())
        .expect("standard error is open");
}
