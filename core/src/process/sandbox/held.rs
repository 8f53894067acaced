//! What the processes of an engine hold and nobody else sees: data in pipes and sockets, deleted files, watches and
//! locks.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most that a pipe holds.
const PIPE: u64 = 64 << 10;

/// The most that one end of a pair of sockets sends before the other one reads: the default of
/// `net.core.wmem_default`, and what the kernel counts for each message.
const SOCKET: u64 = 256 << 10;

/// Bytes of `/proc/PID/maps` of all processes together: some 150,000 mappings.
const MAX_MAPS: u64 = 16 << 20;

/// The most deleted files that are mapped and not open. How much of them is on the disk can be seen by root alone; it is
/// at most the limit of a file's size. Programs that load a library from a temporary file have a few.
const MAX_MAPPED: u64 = 4;

/// The most watches of epoll, of which the user has some 228 for each megabyte of the machine's memory. The
/// event loops of asyncio, Node.js and Java have one for each open file.
const MAX_WATCHES: u64 = 4096;

/// The most locks of parts of files. Each is memory of the kernel and makes every `close` of the file slower, for all
/// programs. `SQLite` has three.
const MAX_LOCKS: u64 = 64;

/// Bytes that are read of the text about a descriptor, with a line of less than 100 for each watch or lock.
const INFO: u64 = 1 << 20;

/// The most sockets. Connections that nobody has accepted, and what was sent on those that are closed, belong to no process:
/// memory of the kernel, of which all programs of the machine share a part.
const MAX_SOCKETS: u64 = 512;

/// How long what a process holds is taken to be the same, if it seems to sleep.
const KEPT: Duration = Duration::from_secs(1);

/// A thread that stands for its process.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// The number of the process, and when it started.
    pub process: (i32, u64),
    /// The folder of the thread in `/proc`.
    pub folder: PathBuf,
    /// What differs if the process has run since an earlier look.
    pub activity: (u64, Vec<u8>),
}

/// Whether this is the error of reading a file in `/proc` of a process or thread that has exited.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    let gone = [rustix::io::Errno::NOENT, rustix::io::Errno::SRCH];
    gone.map(|gone| Some(gone.raw_os_error()))
        .contains(&error.raw_os_error())
}

/// What processes hold.
#[derive(Debug, Default)]
pub struct Held {
    /// Bytes that their pipes and sockets can hold.
    pub buffers: u64,
    /// Deleted files on the devices of the folders that are counted: device and inode, and their bytes on the disk.
    pub deleted: HashMap<(u64, u64), u64>,
    /// How many of these are mapped and not open, and cannot be measured.
    mapped: u64,
    /// Watches of epoll.
    watches: u64,
    /// Locks of parts of files.
    locks: u64,
    sockets: u64,
    /// Whether a process hides what it holds.
    pub is_hidden: bool,
}

/// What one process holds.
#[derive(Debug, Default)]
struct Holdings {
    /// Its pipes and sockets: device and inode, and what they can hold.
    buffers: Vec<((u64, u64), u64)>,
    /// Its open deleted files, and their bytes on the disk.
    deleted: Vec<((u64, u64), u64)>,
    /// Its mapped deleted files: their bytes on the disk, or where the mapping ends in them and `false`.
    mapped: Vec<((u64, u64), (u64, bool))>,
    watches: u64,
    locks: u64,
    /// The length of the text about its mappings.
    maps: u64,
    is_hidden: bool,
}

/// What a process held at an earlier look: when that was, [`Live::activity`] then, and what it held.
type Known = (Instant, (u64, Vec<u8>), Holdings);

/// Looks at processes again and again, and reads what a process holds only if it may have changed.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    known: HashMap<(i32, u64), Known>,
}

impl Holders {
    /// Looks at processes. `folders` are those in which deleted files are counted.
    pub fn look(&mut self, live: &[Live], folders: &[&Path]) -> Held {
        let mut held = Held::default();
        let devices: io::Result<Vec<u64>> = folders
            .iter()
            .map(|folder| Ok(fs::metadata(folder)?.dev()))
            .collect();
        held.is_hidden |= devices.is_err();
        let devices = devices.unwrap_or_default();
        let mut before = std::mem::take(&mut self.known);
        let mut seen = HashSet::new();
        let mut left = MAX_MAPS;
        for Live {
            process,
            folder,
            activity,
        } in live
        {
            let is_same =
                |(at, then, holdings): &Known| at.elapsed() < KEPT && then == activity && !holdings.is_hidden;
            let known = before.remove(process).filter(is_same);
            let known = known.unwrap_or_else(|| {
                let holdings = Holdings::of(folder, &devices, folders, left);
                (Instant::now(), activity.clone(), holdings)
            });
            left = left.saturating_sub(known.2.maps);
            held.add(&known.2, &mut seen);
            self.known.insert(*process, known);
            // Many busy processes leave little time to look.
            if held.excess().is_some() {
                return held;
            }
        }
        held.is_hidden |= left == 0;
        held
    }
}

impl Held {
    /// What is more than allowed, as a clause that follows the engine's name.
    pub fn excess(&self) -> Option<String> {
        let Held {
            mapped,
            watches,
            locks,
            sockets,
            ..
        } = self;
        if *sockets > MAX_SOCKETS {
            return Some(format!("has {sockets} sockets, {MAX_SOCKETS} are allowed"));
        }
        if *mapped > MAX_MAPPED {
            return Some(format!(
                "has mapped {mapped} files that it deleted, {MAX_MAPPED} are allowed"
            ));
        }
        if *watches > MAX_WATCHES {
            return Some(format!(
                "has {watches} watches of epoll, {MAX_WATCHES} are allowed"
            ));
        }
        (*locks > MAX_LOCKS).then(|| format!("has {locks} locks of files, {MAX_LOCKS} are allowed"))
    }

    /// Adds what a process holds; several may share it.
    fn add(&mut self, holdings: &Holdings, seen: &mut HashSet<(u64, u64)>) {
        for (file, bytes) in &holdings.buffers {
            if seen.insert(*file) {
                self.buffers += bytes;
                self.sockets += u64::from(*bytes == SOCKET);
            }
        }
        self.deleted.extend(holdings.deleted.iter().copied());
        for (file, (bytes, is_measured)) in &holdings.mapped {
            if !self.deleted.contains_key(file) {
                self.deleted.insert(*file, *bytes);
                self.mapped += u64::from(!is_measured);
            }
        }
        self.watches += holdings.watches;
        self.locks += holdings.locks;
        self.is_hidden |= holdings.is_hidden;
    }
}

impl Holdings {
    /// Those of the process of a thread, given by its folder in `/proc`. At most `most` bytes are read about its mappings.
    fn of(thread: &Path, devices: &[u64], folders: &[&Path], most: u64) -> Holdings {
        let mut holdings = Holdings::default();
        if let Err(error) = holdings.add_open(thread, devices) {
            holdings.is_hidden |= exists(thread, &error);
        }
        if !folders.is_empty()
            && let Err(error) = holdings.add_mapped(thread, devices, folders, most)
        {
            holdings.is_hidden |= exists(thread, &error);
        }
        holdings
    }

    /// Adds what the process has open.
    fn add_open(&mut self, thread: &Path, devices: &[u64]) -> io::Result<()> {
        let descriptors = fs::read_dir(thread.join("fd"))?;
        let paths: io::Result<Vec<PathBuf>> = descriptors.map(|entry| Ok(entry?.path())).collect();
        for path in paths? {
            self.add_file(&path, devices)?;
            if self.watches <= MAX_WATCHES && self.locks <= MAX_LOCKS {
                self.add_info(&thread.join("fdinfo").join(path.file_name().unwrap_or_default()))?;
            }
        }
        // A program stays on the disk while it runs, even if no part of it is mapped.
        self.add_file(&thread.join("exe"), devices)
    }

    /// Adds the file behind a link in `/proc`.
    fn add_file(&mut self, path: &Path, devices: &[u64]) -> io::Result<()> {
        let file = match fs::metadata(path) {
            Ok(file) => file,
            // Closed meanwhile.
            Err(error) if is_gone(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        let (kind, inode) = (file.file_type(), (file.dev(), file.ino()));
        if kind.is_fifo() {
            self.buffers.push((inode, PIPE));
        } else if kind.is_socket() {
            self.buffers.push((inode, SOCKET));
        } else if kind.is_file() && file.nlink() == 0 && devices.contains(&file.dev()) {
            // Blocks of 512 bytes.
            self.deleted.push((inode, file.blocks() * 512));
        }
        Ok(())
    }

    /// Adds the watches and locks of a descriptor: a line each in the text about it. `/proc/locks` has the locks of all
    /// programs; reading it takes a time that grows with the square of their number, and does not say whose the locks of
    /// open files (`F_OFD_SETLK`) are.
    fn add_info(&mut self, path: &Path) -> io::Result<()> {
        let mut text = Vec::new();
        match File::open(path).and_then(|file| file.take(INFO).read_to_end(&mut text)) {
            Ok(_) => {}
            Err(error) if is_gone(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        for line in text.split(|&byte| byte == b'\n') {
            self.watches += u64::from(line.starts_with(b"tfd:"));
            self.locks += u64::from(is_lock(line));
        }
        Ok(())
    }

    /// Adds the deleted files of the folders that the process has mapped.
    fn add_mapped(&mut self, thread: &Path, devices: &[u64], folders: &[&Path], most: u64) -> io::Result<()> {
        let mut text = Vec::new();
        self.maps = File::open(thread.join("maps"))?
            .take(most)
            .read_to_end(&mut text)? as u64;
        for line in text.split(|&byte| byte == b'\n') {
            let found = folders.iter().zip(devices).find_map(|(folder, device)| {
                let (inode, end) = deleted(line, folder)?;
                Some(((*device, inode), end))
            });
            let Some((file, end)) = found else { continue };
            let range = line.split(|&byte| byte == b' ').next().unwrap_or_default();
            let path = thread.join("map_files").join(std::ffi::OsStr::from_bytes(range));
            // For root alone.
            let bytes = fs::metadata(path).ok().map(|file| file.blocks() * 512);
            self.mapped.push((file, (bytes.unwrap_or(end), bytes.is_some())));
        }
        Ok(())
    }
}

/// Whether a process exists that could not be read for this reason.
fn exists(thread: &Path, error: &io::Error) -> bool {
    !is_gone(error) && has_memory(thread)
}

/// Whether the process of a thread has memory. One that exits gives it up, and nobody may look at its
/// descriptors from then on.
fn has_memory(thread: &Path) -> bool {
    match fs::read(thread.join("statm")) {
        Ok(text) => !text.starts_with(b"0 "),
        Err(error) => !is_gone(&error),
    }
}

/// Whether a line about a descriptor tells of a lock of a part of a file: `lock:`, its number, its kind and the rest. A
/// descriptor has at most one lock of another kind.
fn is_lock(line: &[u8]) -> bool {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    words.next() == Some(b"lock:") && matches!(words.nth(1), Some(b"POSIX" | b"OFDLCK"))
}

/// The inode of a deleted file of the scratch folder, and where the mapping ends in it, from a line of
/// `/proc/PID/maps`: `START-END MODE OFFSET DEVICE INODE PATH`, with numbers in base 16 but for the inode.
fn deleted(line: &[u8], scratch: &Path) -> Option<(u64, u64)> {
    let mut fields = line.splitn(6, |&byte| byte == b' ');
    let mut number = |base| {
        let field = std::str::from_utf8(fields.next()?).ok()?;
        let mut parts = field.split('-').map(|part| u64::from_str_radix(part, base).ok());
        Some((parts.next().flatten(), parts.next().flatten()))
    };
    let (start, end) = number(16)?;
    number(16)?;
    let (offset, _) = number(16)?;
    number(16)?;
    let (inode, _) = number(10)?;
    let path = fields.next()?.trim_ascii_start();
    let inside = path.strip_prefix(scratch.as_os_str().as_bytes())?;
    let is_deleted = inside.starts_with(b"/") && inside.ends_with(b" (deleted)");
    is_deleted.then_some((inode?, offset?.saturating_add(end?.saturating_sub(start?))))
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[test]
    fn finds_deleted_files_in_mappings() {
        let found = |line: &str| deleted(line.as_bytes(), Path::new("/tmp/x y"));
        let line = "7f00-9f00 r--s 00001000 fe:00 1234                    /tmp/x y/a b (deleted)";
        assert_eq!(found(line), Some((1234, 0x3000)));
        for other in [
            "7f00-9f00 r--s 00001000 fe:00 1234                    /tmp/x y/a b",
            "7f00-9f00 r--s 00001000 fe:00 1234                    /tmp/x yz/a (deleted)",
            "7f00-9f00 rw-s 00000000 00:01 99                      /dev/zero (deleted)",
            "7f00-9f00 rw-p 00000000 00:00 0 ",
            "",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    /// What a process holds.
    fn held_by(id: u32, folders: &[&Path]) -> Held {
        let live = |folder: String| Live {
            process: (id as i32, folder.len() as u64),
            folder: folder.into(),
            activity: (0, Vec::new()),
        };
        // The process, and its thread: they share all.
        let live = [format!("/proc/{id}"), format!("/proc/{id}/task/{id}")].map(live);
        Holders::default().look(&live, folders)
    }

    /// Held by a test that counts what this process has open, which is that of all its tests.
    static COUNTING: Mutex<()> = Mutex::new(());

    /// What this process has open.
    fn own() -> Holdings {
        let mut own = Holdings::default();
        own.add_open(Path::new("/proc/self"), &[]).unwrap();
        own
    }

    #[test]
    fn buffers_of_pipes_and_sockets_count_once() {
        let buffers = |stdin: Stdio, stdout: Stdio| {
            let mut child = std::process::Command::new("/bin/sleep");
            let child = child.arg("60").stdin(stdin).stdout(stdout).stderr(Stdio::null());
            let mut child = child.spawn().unwrap();
            let held = held_by(child.id(), &[]);
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(held.excess(), None);
            held.buffers
        };
        let (_own, its) = std::os::unix::net::UnixStream::pair().unwrap();
        let with = buffers(std::os::fd::OwnedFd::from(its).into(), Stdio::piped());
        // A test runner may pass on a pipe.
        assert_eq!(with - buffers(Stdio::null(), Stdio::null()), SOCKET + PIPE);
    }

    #[test]
    fn sockets_and_mapped_files_count_once() {
        let sockets = |count: u64| Holdings {
            buffers: (0..count).map(|inode| ((8, inode), SOCKET)).collect(),
            ..Holdings::default()
        };
        let mapped = |count: u64| Holdings {
            mapped: (0..count).map(|inode| ((8, inode), (1, false))).collect(),
            ..Holdings::default()
        };
        for (holdings, excess) in [
            (sockets(MAX_SOCKETS), None),
            (sockets(513), Some("has 513 sockets, 512 are allowed")),
            (mapped(MAX_MAPPED), None),
            (
                mapped(5),
                Some("has mapped 5 files that it deleted, 4 are allowed"),
            ),
        ] {
            let mut held = Held::default();
            let mut seen = HashSet::new();
            // Two processes share them.
            (0..2).for_each(|_| held.add(&holdings, &mut seen));
            assert_eq!(held.excess().as_deref(), excess);
        }
    }

    #[test]
    fn watches_are_counted() {
        use rustix::event::epoll;

        let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
        let watches = || own().watches;
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let (reader, _writer) = io::pipe().unwrap();
        epoll::add(
            &poll,
            &reader,
            epoll::EventData::new_u64(1),
            epoll::EventFlags::IN,
        )
        .unwrap();
        assert!(watches() >= 1);
        let copies: Vec<_> = (0..2 * MAX_WATCHES / 16)
            .map(|_| epoll::create(epoll::CreateFlags::CLOEXEC).unwrap())
            .collect();
        let readers: Vec<_> = (0..16).map(|_| reader.try_clone().unwrap()).collect();
        for (poll, reader) in copies
            .iter()
            .flat_map(|poll| readers.iter().map(move |reader| (poll, reader)))
        {
            epoll::add(poll, reader, epoll::EventData::new_u64(1), epoll::EventFlags::IN).unwrap();
        }
        let held = Held {
            watches: watches(),
            ..Held::default()
        };
        assert!(
            held.excess()
                .unwrap()
                .contains("watches of epoll, 4096 are allowed")
        );
    }

    #[test]
    fn locks_of_parts_of_files_are_counted() {
        let lines = [
            ("lock:\t1: POSIX  ADVISORY  READ 12 fe:00:1234 0 EOF", true),
            ("lock:\t2: OFDLCK ADVISORY  WRITE -1 fe:00:99 0 9", true),
            ("lock:\t3: FLOCK  ADVISORY  WRITE 12 fe:00:99 0 EOF", false),
            ("flags:\t0100002", false),
            ("lock:", false),
        ];
        for (line, is_counted) in lines {
            assert_eq!(is_lock(line.as_bytes()), is_counted, "{line}");
        }
        // Beyond the limit of watches, locks are not counted.
        let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
        let file = tempfile::tempfile().unwrap();
        let locks = || own().locks;
        assert_eq!(locks(), 0);
        rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
        assert_eq!(locks(), 1);
        let excess = |locks| {
            Held {
                locks,
                ..Held::default()
            }
            .excess()
        };
        assert_eq!(excess(MAX_LOCKS), None);
        assert_eq!(
            excess(65).as_deref(),
            Some("has 65 locks of files, 64 are allowed")
        );
    }

    #[test]
    fn what_sleeps_is_not_read_again_and_what_runs_is() {
        let live = |ticks| Live {
            process: (std::process::id() as i32, 1),
            folder: "/proc/self".into(),
            activity: (ticks, Vec::new()),
        };
        let is_so = || {
            let mut holders = Holders::default();
            let before = holders.look(&[live(1)], &[]).buffers;
            let _pipes: Vec<_> = (0..50).map(|_| io::pipe().unwrap()).collect();
            let asleep = holders.look(&[live(1)], &[]).buffers;
            asleep == before && holders.look(&[live(2)], &[]).buffers >= before + 20 * PIPE
        };
        // Meanwhile, other tests may close pipes, and after a while what sleeps is read again.
        assert!((0..20).any(|_| is_so()));
    }

    #[test]
    fn a_process_that_cannot_be_read_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("fd"), "no folder").unwrap();
        fs::write(folder.path().join("statm"), "9 9").unwrap();
        assert!(Holdings::of(folder.path(), &[], &[], 9).is_hidden);
        fs::write(folder.path().join("statm"), "0 0").unwrap();
        assert!(!Holdings::of(folder.path(), &[], &[], 9).is_hidden);
    }
}
