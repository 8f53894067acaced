//! Append-only text files of results, from which an interrupted run continues.
//!
//! The first line is a header, and every other line a result. A process locks the file to which it
//! appends. A last line without an end, from a process that was killed, is ignored.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use lodestone_game::text::{printable, without_byte_order_mark};

/// A message shows this many characters of a first line.
const MAX_HEADER: usize = 100;

/// A file to which this process alone appends.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens or creates a file with this `header`, a line without its end. Passes all other whole
    /// lines with their numbers to `read`, and removes a last line without an end. `foreign` is the
    /// error for a file without a whole line that does not begin as the header does.
    ///
    /// # Errors
    /// A sentence: the file cannot be used, another process has locked it, it has another header, or
    /// `read` has failed.
    pub fn open(
        path: &Path,
        header: &str,
        foreign: &str,
        read: impl FnMut(usize, &str) -> Result<(), String>,
    ) -> Result<LineFile, String> {
        let of_file = |error: String| format!("{}: {error}", path.display());
        let cannot = |error: std::io::Error| of_file(format!("it cannot be used: {error}"));
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(path).map_err(cannot)?;
        if file.try_lock().is_err() {
            return Err(of_file("another run uses it".to_string()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        let lines = whole_lines(&bytes);
        if !lines.is_empty() {
            read_lines(lines, header, read).map_err(of_file)?;
        } else if !header.as_bytes().starts_with(&bytes) {
            return Err(of_file(foreign.to_string()));
        }
        file.set_len(lines.len() as u64).map_err(cannot)?;
        file.seek(SeekFrom::End(0)).map_err(cannot)?;
        let mut opened = LineFile {
            path: path.to_path_buf(),
            file,
        };
        if lines.is_empty() {
            opened.append(header)?;
        }
        Ok(opened)
    }

    /// Appends a line.
    ///
    /// # Errors
    /// A sentence: the file cannot be written.
    pub fn append(&mut self, line: &str) -> Result<(), String> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| format!("{}: it cannot be written: {error}", self.path.display()))
    }
}

/// Reads a file to which another process may append: passes all whole lines after the header with
/// their numbers to `read`.
///
/// # Errors
/// A sentence: the file cannot be read, it has another header, or `read` has failed.
pub fn read_whole_lines(
    path: &Path,
    header: &str,
    read: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), String> {
    let of_file = |error: String| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| of_file(format!("it cannot be read: {error}")))?;
    read_lines(whole_lines(&bytes), header, read).map_err(of_file)
}

/// The part of a file up to its last line end.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

fn read_lines(
    bytes: &[u8],
    header: &str,
    mut read: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), String> {
    let text = String::from_utf8_lossy(without_byte_order_mark(bytes));
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if first != header {
        let found = printable(first, MAX_HEADER);
        return Err(format!("line 1: expected `{header}`, found `{found}`"));
    }
    (2..).zip(lines).try_for_each(|(number, line)| read(number, line))
}
