//! The file of a page: checked before anything is read, replaced when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::io::failure::Failure;
use crate::io::files::Draft;

/// What a page of the referee begins with.
const BEGINNING: &[u8] = b"<!doctype html>\n<!-- A page of the referee of Lodestone -->";

/// Why a page is not complete.
#[derive(Debug, Error)]
pub enum PageError {
    /// The page cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The games cannot be read.
    #[error("{0}")]
    Read(String),
}

/// Where a page is written.
#[derive(Debug)]
pub struct PageFile {
    path: PathBuf,
    /// Whether the path is a device or a pipe, which is written to but not replaced.
    is_device: bool,
}

impl PageFile {
    /// Checks that the page of `--html` can be written to `path`.
    pub fn open(path: &Path) -> Result<PageFile, Failure> {
        PageFile::checked(path).map_err(|error| Failure::Usage(format!("--html {}: {error}", path.display())))
    }

    fn checked(path: &Path) -> io::Result<PageFile> {
        let mut file = PageFile {
            path: path.to_path_buf(),
            is_device: false,
        };
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                OpenOptions::new().append(true).open(path)?;
                file.is_device = true;
                return Ok(file);
            }
            Ok(metadata) => {
                let mut beginning = Vec::new();
                File::open(path)?
                    .take(BEGINNING.len() as u64)
                    .read_to_end(&mut beginning)?;
                if metadata.len() > 0 && beginning != BEGINNING {
                    return Err(io::Error::other(
                        "it is not a page of the referee, so it is not overwritten; give a new file",
                    ));
                }
                // A symbolic link is kept; its target is replaced.
                file.path = fs::canonicalize(path)?;
            }
        }
        drop(Draft::new(&file.path)?);
        Ok(file)
    }

    /// Writes the page. The old file is replaced when the new one is complete.
    pub fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), PageError>,
    ) -> Result<(), PageError> {
        if self.is_device {
            let mut out = BufWriter::new(OpenOptions::new().append(true).open(&self.path)?);
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        let draft = Draft::new(&self.path)?;
        let mut out = BufWriter::new(draft.file().try_clone()?);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        Ok(draft.replace(&self.path)?)
    }
}
