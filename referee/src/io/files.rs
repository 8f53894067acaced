//! Files named by the user: read whole in bounded memory, written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use lodestone::text::without_byte_order_mark;

/// Reads a text file without its byte order mark; `None` if it is longer than `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    let name = path.display();
    let failed = |error: io::Error| format!("`{name}` cannot be read: {error}");
    // A pipe might never end or never begin.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("`{name}` is not a file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    let is_whole = bytes.len() as u64 <= most;
    bytes.drain(..bytes.len() - without_byte_order_mark(&bytes).len());
    Ok(is_whole.then_some(bytes))
}

/// Writes a new file.
pub fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}
