//! An append-only file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that holds only whole pieces: a failed write is undone.
#[derive(Debug)]
pub struct AppendOnly {
    pub path: PathBuf,
    file: File,
    /// Total length of the pieces, in bytes.
    length: u64,
}

impl AppendOnly {
    /// Wraps a file opened for appending that holds `length` bytes.
    pub fn new(path: &Path, file: File, length: u64) -> AppendOnly {
        AppendOnly {
            path: path.to_path_buf(),
            file,
            length,
        }
    }

    /// Appends a piece.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(piece) {
            if let Err(error) = self.file.set_len(self.length) {
                log::error!("the end of {} may be torn: {error}", self.path.display());
            }
            return Err(error);
        }
        self.length += piece.len() as u64;
        Ok(())
    }

    /// Removes all pieces.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.length = 0;
        Ok(())
    }

    /// The open file.
    pub const fn file(&self) -> &File {
        &self.file
    }

    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Deletes the file, unless it is a device or a pipe.
    pub fn remove(self) {
        let is_file = self.file.metadata().is_ok_and(|metadata| metadata.is_file());
        if is_file && let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
    }
}
