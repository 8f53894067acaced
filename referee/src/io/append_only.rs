//! A file that only grows, by whole pieces.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The open file.
#[derive(Debug)]
pub struct AppendOnly {
    path: PathBuf,
    file: File,
    /// The length of all whole pieces.
    length: u64,
}

impl AppendOnly {
    /// A file, opened for appending, in which so much stands already.
    pub fn new(path: &Path, file: File, length: u64) -> AppendOnly {
        AppendOnly {
            path: path.to_path_buf(),
            file,
            length,
        }
    }

    /// Appends a piece and hands it to the system.
    ///
    /// # Errors
    /// Where it could not be written. What was written of it is taken back.
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

    /// The file itself.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Whether nothing stands in it.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Takes the file away, unless it is a device or a pipe.
    pub fn remove(self) {
        let is_file = self.file.metadata().is_ok_and(|metadata| metadata.is_file());
        if is_file && let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{}: {error}", self.path.display());
        }
    }
}
