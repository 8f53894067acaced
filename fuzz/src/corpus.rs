//! The inputs in the repository: `fuzz/corpus/TARGET/NAME`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder with the inputs of a target.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// The inputs of a target, sorted by file name.
///
/// # Errors
/// The folder or a file in it cannot be read.
pub fn read(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(folder(target))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}
