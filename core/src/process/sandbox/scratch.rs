//! The private folder of one engine process, limited in size.
//!
//! The engine changes the folder while the supervisor looks at it or deletes it. So these functions hold a
//! descriptor of each folder and follow no link: a path could lead elsewhere a moment later.

use std::env;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::mkdtemp;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use super::held::{Held, is_gone};
use super::{Refusal, SCRATCH};
use crate::io::text::ShowPath;

/// The most bytes in a scratch folder, 64 MiB.
pub const MAX_BYTES: u64 = 64 << 20;

/// The most files and folders in it.
pub const MAX_FILES: u64 = 4096;

/// The most folders in each other. Each costs a descriptor while the supervisor looks, and a path of a hundred
/// folders is longer than programs make them.
const MAX_DEPTH: u64 = 100;

/// Bytes and files of the file system in memory that is mounted there, if that is possible: its folder is a file, too,
/// and a bot that fills it has more than is allowed.
pub(super) const MOUNTED: (u64, u64) = (MAX_BYTES + (64 << 10), MAX_FILES + 2);

/// A scratch folder. Dropping it deletes it.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    path: PathBuf,
}

/// The file system in memory that an engine sees in place of its scratch folder.
#[derive(Debug)]
pub(crate) struct Mounted(OwnedFd);

impl Mounted {
    /// The one of the folder with this path.
    pub fn open(path: &Path) -> io::Result<Mounted> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::PATH;
        Ok(Mounted(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// Its path for other processes of this user, as long as this process runs.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    /// What it holds, as the kernel counts it.
    pub fn usage(&self) -> Usage {
        let Ok(found) = rustix::fs::fstatvfs(&self.0) else {
            return Usage {
                is_hidden: true,
                ..Usage::default()
            };
        };
        Usage {
            bytes: found.f_blocks.saturating_sub(found.f_bfree) * found.f_frsize,
            files: found.f_files.saturating_sub(found.f_ffree + 1),
            ..Usage::default()
        }
    }
}

/// What a scratch folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes on the disk.
    pub bytes: u64,
    pub files: u64,
    /// The depth of the deepest folder in it.
    pub depth: u64,
    /// Whether a part of it could not be read.
    pub is_hidden: bool,
}

impl Usage {
    /// What is more than allowed, as a clause that follows the engine's name.
    pub fn excess(self) -> Option<String> {
        if self.files > MAX_FILES {
            let found = self.files;
            return Some(format!(
                "has {found} files in its scratch folder, {MAX_FILES} are allowed"
            ));
        }
        if self.depth > MAX_DEPTH {
            return Some(format!(
                "has more than {MAX_DEPTH} folders in each other in its scratch folder"
            ));
        }
        let (used, allowed) = (self.bytes.div_ceil(1 << 20), MAX_BYTES >> 20);
        (self.bytes > MAX_BYTES)
            .then(|| format!("wrote {used} MB to its scratch folder, {allowed} MB are allowed"))
    }

    /// What a folder holds; stops counting when it is too much.
    pub fn of(folder: &Path) -> Usage {
        let mut usage = Usage::default();
        let folder = open_folder(CWD, folder).map(|folder| usage.add_folder(&folder, 0));
        usage.is_hidden |= folder.is_err();
        usage
    }

    /// Adds the deleted files that the engine still holds.
    #[must_use]
    pub fn and(mut self, held: &Held) -> Usage {
        held.deleted.values().for_each(|bytes| self.add(*bytes));
        self
    }

    fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.files += 1;
    }

    /// Adds what is in a folder at this depth, until it is too much.
    fn add_folder(&mut self, folder: &OwnedFd, depth: u64) {
        self.depth = self.depth.max(depth);
        let names = match names(folder) {
            Ok(names) => names,
            Err(error) => {
                self.is_hidden |= !is_gone(&error);
                return;
            }
        };
        for name in names {
            if self.excess().is_some() {
                return;
            }
            let stat = match rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(error) => {
                    self.is_hidden |= !is_gone(&error.into());
                    continue;
                }
            };
            // Blocks of 512 bytes.
            self.add(stat.st_blocks as u64 * 512);
            if FileType::from_raw_mode(stat.st_mode).is_dir() {
                match open_folder(folder, &name) {
                    Ok(inner) => self.add_folder(&inner, depth + 1),
                    // Perhaps replaced by a link meanwhile.
                    Err(error) => self.is_hidden |= !is_gone(&error),
                }
            }
        }
    }
}

impl ScratchFolder {
    /// Makes a new folder that only this user can enter.
    pub fn new() -> Result<ScratchFolder, Refusal> {
        let folder = mkdtemp(&env::temp_dir().join(format!("{SCRATCH}XXXXXX")));
        // Landlock and mounts need the path behind links.
        let path = folder
            .map_err(io::Error::from)
            .and_then(|folder| folder.canonicalize());
        path.map(|path| ScratchFolder { path }).map_err(|error| {
            let parent = env::temp_dir();
            Refusal(format!(
                "the sandbox needs a folder in {}: {error}",
                parent.shown()
            ))
        })
    }

    /// One that a supervisor has left, if it is there.
    pub fn left(path: PathBuf) -> Option<ScratchFolder> {
        path.exists().then_some(ScratchFolder { path })
    }

    /// Its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a folder, but not one behind a link. Makes it accessible: an engine may have made it without
/// permissions.
fn open_folder(parent: impl AsFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let held = rustix::fs::openat(
        parent,
        name,
        flags | OFlags::PATH | OFlags::NOFOLLOW,
        Mode::empty(),
    )?;
    let all = Mode::RWXU.as_raw_mode();
    if rustix::fs::fstat(&held)?.st_mode & all != all {
        let path = format!("/proc/self/fd/{}", held.as_raw_fd());
        fs::set_permissions(path, fs::Permissions::from_mode(all))?;
    }
    Ok(rustix::fs::openat(
        &held,
        c".",
        flags | OFlags::RDONLY,
        Mode::empty(),
    )?)
}

/// The names in a folder; at most a few more than it may have.
fn names(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let names = Dir::read_from(folder)?.map(|entry| Ok(entry?.file_name().to_owned()));
    let is_dots = |name: &CString| [c".", c".."].contains(&name.as_c_str());
    names
        .filter(|name| !name.as_ref().is_ok_and(is_dots))
        .take(MAX_FILES as usize + 2)
        .collect()
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = delete(&self.path) {
            log::warn!("{} cannot be deleted: {error}", self.path.shown());
        }
    }
}

/// Deletes a folder, however deeply its folders are nested: those inside are moved to the
/// top first, so that no path is long and no chain of open folders is needed.
fn delete(folder: &Path) -> io::Result<()> {
    // One that was mounted over is empty, and this works on a full disk, too.
    if fs::remove_dir(folder).is_ok() {
        return Ok(());
    }
    // Folders that are moved here are numbered, in a separate folder.
    let top_path = folder.with_extension("deleted");
    fs::DirBuilder::new().mode(0o700).create(&top_path)?;
    fs::rename(folder, top_path.join("0"))?;
    let top = open_folder(CWD, &top_path)?;
    let (mut count, mut open) = (1, vec![0]);
    while let Some(number) = open.last() {
        let name = number.to_string();
        let next = open_folder(&top, &name)?;
        let inner = names(&next)?;
        if inner.is_empty() {
            rustix::fs::unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
            open.pop();
        }
        for name in inner {
            if rustix::fs::unlinkat(&next, &name, AtFlags::empty()).is_ok() {
                continue;
            }
            // A folder without write permission cannot be moved.
            open_folder(&next, &name)?;
            rustix::fs::renameat(&next, &name, &top, count.to_string())?;
            open.push(count);
            count += 1;
        }
    }
    fs::remove_dir(&top_path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::sandbox::held::{Holders, Live};

    #[test]
    fn deletes_folders_of_any_depth_and_mode() {
        let scratch = ScratchFolder::new().unwrap();
        let path = scratch.path().to_path_buf();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let hidden = path.join("hidden");
        fs::create_dir(&hidden).unwrap();
        fs::write(hidden.join("file"), "x").unwrap();
        fs::set_permissions(&hidden, fs::Permissions::from_mode(0o300)).unwrap();
        // A tree that is deeper than any path may be long.
        let mut tree = path.join("tree");
        fs::create_dir(&tree).unwrap();
        for _ in 0..60 {
            let deeper = path.join("deeper");
            let long = deeper.join("d".repeat(200));
            fs::create_dir(&deeper).unwrap();
            fs::rename(&tree, &long).unwrap();
            tree = path.join("tree");
            fs::rename(&deeper, &tree).unwrap();
        }
        drop(scratch);
        assert!(!path.exists());
        assert!(!path.with_extension("deleted").exists());
    }

    #[test]
    fn folders_behind_links_are_not_touched() {
        let scratch = ScratchFolder::new().unwrap();
        let other = tempfile::tempdir().unwrap();
        for number in 0..100 {
            fs::write(other.path().join(number.to_string()), "x").unwrap();
        }
        let mode = |mode| fs::set_permissions(other.path(), fs::Permissions::from_mode(mode)).unwrap();
        mode(0o500);
        std::os::unix::fs::symlink(other.path(), scratch.path().join("link")).unwrap();
        // As if the engine replaced a folder by the link after it was found.
        let folder = open_folder(CWD, scratch.path()).unwrap();
        assert!(open_folder(&folder, c"link").is_err());
        assert_eq!(Usage::of(scratch.path()).files, 1);
        drop(scratch);
        let found = fs::metadata(other.path()).unwrap().permissions().mode();
        assert_eq!(found & 0o777, 0o500);
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 100);
        mode(0o700);
    }

    #[test]
    fn counts_what_is_deeper_than_a_path_is_long() {
        let scratch = ScratchFolder::new().unwrap();
        let mut folder = open_folder(CWD, scratch.path()).unwrap();
        let name = "d".repeat(250);
        let mode = Mode::RWXU;
        let deeper = |folder: &OwnedFd| {
            rustix::fs::mkdirat(folder, &name, mode).unwrap();
            open_folder(folder, &name).unwrap()
        };
        for _ in 0..20 {
            folder = deeper(&folder);
        }
        let flags = OFlags::CREATE | OFlags::WRONLY;
        let file = rustix::fs::openat(&folder, "file", flags, mode).unwrap();
        io::Write::write_all(&mut fs::File::from(file), &vec![1; 1 << 20]).unwrap();
        let usage = Usage::of(scratch.path());
        assert_eq!((usage.files, usage.depth), (21, 20));
        assert!(usage.bytes >= 1 << 20 && usage.excess().is_none(), "{usage:?}");
        for _ in 20..=MAX_DEPTH {
            folder = deeper(&folder);
        }
        let excess = Usage::of(scratch.path()).excess().unwrap();
        assert!(excess.contains("more than 100 folders"), "{excess}");
    }

    #[test]
    fn counts_files_and_their_bytes() {
        let scratch = ScratchFolder::new().unwrap();
        assert_eq!(Usage::of(scratch.path()), Usage::default());
        fs::create_dir(scratch.path().join("a")).unwrap();
        fs::write(scratch.path().join("a/b"), vec![1; 1 << 20]).unwrap();
        let usage = Usage::of(scratch.path());
        assert_eq!(usage.files, 2);
        assert!(usage.bytes >= 1 << 20 && usage.excess().is_none(), "{usage:?}");
        // A file that is deleted while it is open.
        let held = fs::File::create(scratch.path().join("c")).unwrap();
        io::Write::write_all(&mut &held, &vec![1; 1 << 20]).unwrap();
        fs::remove_file(scratch.path().join("c")).unwrap();
        let live = Live {
            folder: "/proc/self".into(),
            ..Live::default()
        };
        let deleted = Holders::default().look(&[live], &[scratch.path()]);
        let with_deleted = usage.and(&deleted);
        assert!(with_deleted.bytes >= usage.bytes + (1 << 20), "{with_deleted:?}");
        for number in 0..=MAX_FILES {
            fs::write(scratch.path().join(number.to_string()), "").unwrap();
        }
        assert!(Usage::of(scratch.path()).excess().is_some());
    }
}
