//! A file that replaces another one when it is complete.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that a command writes at its end: checked before it begins, and replaced when the new
/// one is complete.
#[derive(Debug)]
pub struct Target {
    pub path: PathBuf,
    /// Whether the path is a device or a pipe, which is written to but not replaced.
    is_device: bool,
}

/// Why a target was not written.
#[derive(Debug, Error)]
pub enum TargetError {
    #[error(transparent)]
    Write(#[from] io::Error),
    /// What was to be written cannot be read.
    #[error("{0}")]
    Read(String),
}

impl Target {
    /// Checks that `path` can be written. `check` refuses an old file that has another content.
    pub fn open(path: &Path, check: impl FnOnce(File) -> io::Result<()>) -> io::Result<Target> {
        let mut target = Target {
            path: path.to_path_buf(),
            is_device: false,
        };
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                OpenOptions::new().append(true).open(path)?;
                target.is_device = true;
                return Ok(target);
            }
            Ok(metadata) => {
                let old = File::open(path)?;
                if metadata.len() > 0 {
                    check(old)?;
                }
                // A symbolic link is kept; its target is replaced.
                target.path = fs::canonicalize(path)?;
            }
        }
        drop(Draft::new(&target.path)?);
        Ok(target)
    }

    /// Writes the file. The old one is kept after an error.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), TargetError>,
    ) -> Result<(), TargetError> {
        if self.is_device {
            let mut out = BufWriter::new(OpenOptions::new().append(true).open(&self.path)?);
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        let draft = Draft::new(&self.path)?;
        let mut out = BufWriter::new(&draft.file);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        Ok(draft.replace(&self.path)?)
    }
}

/// Why an old file is not replaced.
pub fn refusal(why: &str) -> io::Error {
    io::Error::other(format!("{why}, so it is not overwritten; give a new file"))
}

/// A temporary file in the folder of the target. It is deleted on drop unless it
/// has replaced the target.
#[derive(Debug)]
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// An empty draft beside `target`.
    fn new(target: &Path) -> io::Result<Draft> {
        let mut name = OsString::from(".");
        let Some(last) = target.file_name() else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        name.push(last);
        name.push(format!(".{}.tmp", std::process::id()));
        let path = target.with_file_name(name);
        let file = File::create(&path)?;
        Ok(Draft { path, file })
    }

    /// Syncs the file and renames it to the target.
    fn replace(self, target: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(target) {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_all()?;
        fs::rename(&self.path, target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Fails after a rename.
        let _ = fs::remove_file(&self.path);
    }
}
