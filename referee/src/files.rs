//! Files that somebody names, read whole and in bounded memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// All bytes of a file; `None` where there are more than `most`.
///
/// # Errors
/// A sentence that names the file, where it cannot be read or is none.
pub fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    let name = path.display();
    let failed = |error: io::Error| format!("`{name}` cannot be read: {error}");
    // Anything else, such as a pipe, might never end or never begin.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("`{name}` is no file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
