//! The private folder of one engine process, limited in size.

use std::collections::{HashSet, VecDeque};
use std::env;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::mkdtemp;

use super::Refusal;
use crate::io::text::ShowPath;

/// The most bytes in a scratch folder, 64 MiB.
pub const MAX_BYTES: u64 = 64 << 20;

/// The most files and folders in it.
pub const MAX_FILES: u64 = 4096;

/// A scratch folder. Dropping it deletes it.
#[derive(Debug)]
pub struct ScratchFolder {
    path: PathBuf,
}

/// What a scratch folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes on the disk.
    pub bytes: u64,
    pub files: u64,
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
        let (used, allowed) = (self.bytes.div_ceil(1 << 20), MAX_BYTES >> 20);
        (self.bytes > MAX_BYTES)
            .then(|| format!("wrote {used} MB to its scratch folder, {allowed} MB are allowed"))
    }

    fn add(&mut self, metadata: &Metadata) {
        // Blocks of 512 bytes.
        self.bytes += metadata.blocks() * 512;
        self.files += 1;
    }
}

impl ScratchFolder {
    /// Makes a new folder that only this user can enter.
    pub fn new() -> Result<ScratchFolder, Refusal> {
        let folder = mkdtemp(&env::temp_dir().join("referee-engine-XXXXXX"));
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

    /// Its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds; stops counting when it is too much. `processes` are those of its engine:
    /// deleted files that they hold open count, too.
    pub fn usage(&self, processes: &[i32]) -> Usage {
        let mut usage = Usage::default();
        let Ok(device) = fs::metadata(&self.path).map(|metadata| metadata.dev()) else {
            return usage;
        };
        let mut open = VecDeque::from([self.path.clone()]);
        while let Some(folder) = open.pop_front().filter(|_| usage.excess().is_none()) {
            for entry in entries(&folder) {
                let Ok(metadata) = fs::symlink_metadata(&entry) else {
                    continue;
                };
                usage.add(&metadata);
                if metadata.is_dir() {
                    open.push_back(entry);
                }
            }
        }
        // Processes may share them.
        let mut seen = HashSet::new();
        for metadata in processes.iter().flat_map(|id| deleted_files(*id)) {
            if metadata.dev() == device && seen.insert(metadata.ino()) {
                usage.add(&metadata);
            }
        }
        usage
    }
}

/// What is in a folder. An engine may have made the folder unreadable.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).or_else(|_| {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        fs::read_dir(folder)
    });
    listed
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

/// Deleted files that a process holds open.
fn deleted_files(process: i32) -> Vec<Metadata> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd"));
    let files = descriptors.into_iter().flatten().flatten();
    files
        .filter_map(|descriptor| fs::metadata(descriptor.path()).ok())
        .filter(|metadata| metadata.is_file() && metadata.nlink() == 0)
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
    let mut number = 0;
    // Folders that are moved here are numbered, in a folder of their own.
    let top = folder.with_extension("deleted");
    fs::DirBuilder::new().mode(0o700).create(&top)?;
    fs::rename(folder, top.join("0"))?;
    while let Some(next) = entries(&top).pop() {
        for entry in entries(&next) {
            if fs::symlink_metadata(&entry)?.is_dir() {
                number += 1;
                // A folder without write permission cannot be moved.
                fs::set_permissions(&entry, fs::Permissions::from_mode(0o700))?;
                fs::rename(&entry, top.join(number.to_string()))?;
            } else {
                fs::remove_file(&entry)?;
            }
        }
        fs::remove_dir(&next)?;
    }
    fs::remove_dir(&top)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn counts_files_and_their_bytes() {
        let scratch = ScratchFolder::new().unwrap();
        assert_eq!(scratch.usage(&[]), Usage::default());
        fs::create_dir(scratch.path().join("a")).unwrap();
        fs::write(scratch.path().join("a/b"), vec![1; 1 << 20]).unwrap();
        let usage = scratch.usage(&[]);
        assert_eq!(usage.files, 2);
        assert!(usage.bytes >= 1 << 20 && usage.excess().is_none(), "{usage:?}");
        // A file that is deleted while it is open.
        let held = fs::File::create(scratch.path().join("c")).unwrap();
        io::Write::write_all(&mut &held, &vec![1; 1 << 20]).unwrap();
        fs::remove_file(scratch.path().join("c")).unwrap();
        let with_deleted = scratch.usage(&[std::process::id() as i32]);
        assert!(with_deleted.bytes >= usage.bytes + (1 << 20), "{with_deleted:?}");
        for number in 0..=MAX_FILES {
            fs::write(scratch.path().join(number.to_string()), "").unwrap();
        }
        assert!(scratch.usage(&[]).excess().is_some());
    }
}
