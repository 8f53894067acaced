//! Lines from engines and people: bounded, and decoded leniently.

use std::io;

pub use lodestone_game::lines::Overlong;

use crate::io::untrusted::Untrusted;
use crate::system::pipes::Reader;

/// Maximum length of a line, in bytes without its line end.
pub const LONGEST_LINE: usize = 64 * 1024;

/// A buffer for such lines.
pub type LineBuffer = lodestone_game::lines::LineBuffer<LONGEST_LINE>;

/// Size of one read, in bytes.
const READ_SIZE: usize = 16 * 1024;

/// Reads once from `source`, which may be non-blocking. Returns the number of bytes, 0 at
/// the end.
pub fn read_from(source: &Reader, buffer: &mut LineBuffer) -> io::Result<usize> {
    buffer.fill(|bytes| {
        bytes.reserve(READ_SIZE);
        source.append_to(bytes)
    })
}

/// A line as text: without a carriage return at its end, with U+FFFD for bytes that are not
/// UTF-8.
pub fn text(line: &[u8]) -> Untrusted {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Untrusted::from(&*String::from_utf8_lossy(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_bytes_that_are_not_utf8() {
        assert_eq!(text(b"a\xff\0b\r"), "a\u{fffd}\0b");
    }
}
