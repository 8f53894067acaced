//! A folder for the files of a test, on the disk of the build: they may be large.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder for the files of a test, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder. No two tests may use one name; another run of them at the same time has other folders.
    pub fn new(name: &str) -> Folder {
        let name = format!("{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
