//! A file that replaces another one when it is complete.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A temporary file in the folder of the target. It is deleted on drop unless it
/// has replaced the target.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// An empty draft beside `target`.
    pub fn new(target: &Path) -> io::Result<Draft> {
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

    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Syncs the file and renames it to the target.
    pub fn replace(self, target: &Path) -> io::Result<()> {
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
