//! What the processes of an engine hold and nobody else sees: data in pipes and sockets, and deleted files.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The most that a pipe holds.
const PIPE: u64 = 64 << 10;

/// The most that one end of a pair of sockets sends before the other one reads: the default of
/// `net.core.wmem_default`, and what the kernel counts for each message.
const SOCKET: u64 = 256 << 10;

/// Bytes of `/proc/PID/maps` of all processes together: some 150,000 mappings.
const MAX_MAPS: u64 = 16 << 20;

/// The most deleted files that are mapped and not open. How much of them is on the disk cannot be seen; it is
/// at most the limit of a file's size. Programs that load a library from a temporary file have a few.
const MAX_MAPPED: u64 = 16;

/// What processes hold.
#[derive(Debug, Default)]
pub struct Held {
    /// Bytes that their pipes and sockets can hold.
    pub buffers: u64,
    /// Deleted files on the device of the scratch folder: inodes, and their bytes on the disk.
    pub deleted: HashMap<u64, u64>,
    /// How many of these are mapped and not open.
    mapped: u64,
    /// Whether a process hides what it holds.
    pub is_hidden: bool,
}

impl Held {
    /// Looks at processes. Each is given by the folder in `/proc` of one of its threads, which share their
    /// descriptors. Deleted files are looked for if there is a `scratch` folder.
    pub fn by(threads: &[PathBuf], scratch: Option<&Path>) -> Held {
        let mut held = Held::default();
        let device = scratch.and_then(|folder| Some(fs::metadata(folder).ok()?.dev()));
        let mut seen = HashSet::new();
        for thread in threads {
            held.add_open(thread, device, &mut seen);
        }
        let mut left = MAX_MAPS;
        for (thread, folder) in threads.iter().filter_map(|thread| Some((thread, scratch?))) {
            held.add_mapped(thread, folder, &mut left);
        }
        held.is_hidden |= left == 0;
        held
    }

    /// What is more than allowed, as a clause that follows the engine's name.
    pub fn excess(&self) -> Option<String> {
        let mapped = self.mapped;
        (mapped > MAX_MAPPED)
            .then(|| format!("has mapped {mapped} files that it deleted, {MAX_MAPPED} are allowed"))
    }

    /// Adds what a process has open; several may share it.
    fn add_open(&mut self, thread: &Path, device: Option<u64>, seen: &mut HashSet<(u64, u64)>) {
        let descriptors = match fs::read_dir(thread.join("fd")) {
            Ok(descriptors) => descriptors,
            Err(error) => {
                self.is_hidden |= error.kind() == io::ErrorKind::PermissionDenied && has_memory(thread);
                return;
            }
        };
        // A program stays on the disk while it runs, even if no part of it is mapped.
        let paths = descriptors
            .flatten()
            .map(|entry| entry.path())
            .chain([thread.join("exe")]);
        let files = paths.filter_map(|path| fs::metadata(path).ok());
        for file in files.filter(|file| seen.insert((file.dev(), file.ino()))) {
            let kind = file.file_type();
            if kind.is_fifo() {
                self.buffers += PIPE;
            } else if kind.is_socket() {
                self.buffers += SOCKET;
            } else if kind.is_file() && file.nlink() == 0 && device == Some(file.dev()) {
                // Blocks of 512 bytes.
                self.deleted.insert(file.ino(), file.blocks() * 512);
            }
        }
    }

    /// Adds the deleted files of the scratch folder that a process has mapped.
    fn add_mapped(&mut self, thread: &Path, scratch: &Path, left: &mut u64) {
        let mut text = Vec::new();
        let is_read =
            File::open(thread.join("maps")).and_then(|file| file.take(*left).read_to_end(&mut text));
        // It may have just exited.
        *left -= is_read.map_or(0, |length| length as u64);
        for (inode, end) in text
            .split(|&byte| byte == b'\n')
            .filter_map(|line| deleted(line, scratch))
        {
            let known = self.deleted.len();
            self.deleted.entry(inode).or_insert(end);
            self.mapped += (self.deleted.len() - known) as u64;
        }
    }
}

/// Whether the process of a thread has memory. One that exits gives it up, and nobody may look at its
/// descriptors from then on.
fn has_memory(thread: &Path) -> bool {
    fs::read(thread.join("statm")).is_ok_and(|text| !text.starts_with(b"0 "))
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

    #[test]
    fn buffers_of_pipes_and_sockets_count_once() {
        let buffers = |stdin: Stdio, stdout: Stdio| {
            let mut child = std::process::Command::new("/bin/sleep");
            let child = child.arg("60").stdin(stdin).stdout(stdout).stderr(Stdio::null());
            let mut child = child.spawn().unwrap();
            let process = PathBuf::from(format!("/proc/{}", child.id()));
            let thread = process.join("task").join(child.id().to_string());
            let held = Held::by(&[process, thread], None);
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
}
