//! A result file that is being written: append-only, one line at a time, each
//! of them there in full before the next game begins.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

/// The open file.
#[derive(Debug)]
pub struct Store {
    file: File,
    /// The length of all whole lines.
    length: u64,
}

impl Store {
    /// Creates the file. What exists is never written over.
    ///
    /// # Errors
    /// Where the file exists or cannot be created.
    pub fn create(path: &Path) -> io::Result<Store> {
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        Ok(Store { file, length: 0 })
    }

    /// Appends one line and hands it to the system.
    ///
    /// # Errors
    /// Where the line could not be written. What was written of it is taken
    /// back, so that the file still holds whole lines only.
    pub fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        if let Err(error) = self.file.write_all(&text) {
            if let Err(error) = self.file.set_len(self.length) {
                log::error!("the last line of the result file may be torn: {error}");
            }
            return Err(error);
        }
        self.length += text.len() as u64;
        Ok(())
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// Where the disk says that it is not.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_and_nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let mut store = Store::create(&path).unwrap();
        store.append(&[1, 2]).unwrap();
        store.append(&"ü\n").unwrap();
        store.sync().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[1,2]\n\"ü\\n\"\n");
        let error = Store::create(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }
}
