//! Splits bytes into lines, in bounded memory.

use rustix::buffer::spare_capacity;

/// Longest accepted line, in bytes without its line end.
pub const LONGEST_LINE: usize = 64 * 1024;

/// Bytes per read.
const READ_SIZE: usize = 16 * 1024;

/// A line longer than [`LONGEST_LINE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlong;

/// Bytes that were read but not yet taken as lines.
#[derive(Debug, Default)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Start of the bytes not yet taken.
    start: usize,
    /// No line end before this offset.
    searched: usize,
    /// Whether the rest of a discarded line is still to come.
    skipping: bool,
}

impl LineBuffer {
    /// Lets `read` append to the buffer and returns its result.
    ///
    /// Callers take all lines before the next read, so the buffer holds at most one
    /// unfinished line and one read.
    pub fn fill<T>(&mut self, read: impl FnOnce(rustix::buffer::SpareCapacity<'_, u8>) -> T) -> T {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.bytes.reserve(READ_SIZE);
        read(spare_capacity(&mut self.bytes))
    }

    /// Allocated bytes: at most twice the longest line and one read, if all lines are taken
    /// before each read.
    pub const fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The next whole line without its end; invalid UTF-8 is replaced. `None` if there is
    /// none. An overlong line is reported once, as soon as it is too long, and its rest is
    /// skipped.
    pub fn next_line(&mut self) -> Option<Result<String, Overlong>> {
        loop {
            let rest = self.bytes.get(self.searched..).unwrap_or_default();
            let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.bytes.len();
                if self.skipping {
                    self.start = self.searched;
                }
                if self.searched - self.start <= LONGEST_LINE {
                    return None;
                }
                self.start = self.searched;
                self.skipping = true;
                return Some(Err(Overlong));
            };
            let end = self.searched + length;
            let line = self.start..end;
            self.start = end + 1;
            self.searched = self.start;
            if !std::mem::take(&mut self.skipping) {
                return Some(text(self.bytes.get(line).unwrap_or_default()));
            }
        }
    }

    /// The text after the last line end; `None` if there is none.
    pub fn take_rest(&mut self) -> Option<Result<String, Overlong>> {
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        let rest = (!self.skipping && !rest.is_empty()).then(|| text(rest));
        self.start = self.bytes.len();
        self.searched = self.start;
        rest
    }

    /// The start of an unfinished line; `None` if there is none.
    pub fn unfinished(&self) -> Option<String> {
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        (!self.skipping && !rest.is_empty()).then(|| String::from_utf8_lossy(rest).into_owned())
    }

    /// Discards everything read so far, and the rest of an unfinished line. Returns the
    /// number of lines, and the first of them.
    pub fn discard(&mut self) -> Option<(u64, String)> {
        let mut pending = self.bytes.get(self.start..).unwrap_or_default();
        if self.skipping {
            let end = pending.iter().position(|&byte| byte == b'\n');
            self.skipping = end.is_none();
            pending = end.map_or(&[], |end| pending.get(end + 1..).unwrap_or_default());
        }
        self.skipping |= pending.last().is_some_and(|&byte| byte != b'\n');
        let mut lines = pending.split_inclusive(|&byte| byte == b'\n');
        let discarded = lines.next().map(|first| {
            let first = first.strip_suffix(b"\n").unwrap_or(first);
            (1 + lines.count() as u64, text(first).unwrap_or_default())
        });
        self.start = self.bytes.len();
        self.searched = self.start;
        discarded
    }
}

/// Decodes a line, without a trailing carriage return.
fn text(line: &[u8]) -> Result<String, Overlong> {
    if line.len() > LONGEST_LINE {
        return Err(Overlong);
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Ok(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl LineBuffer {
        fn push(&mut self, text: &[u8]) {
            self.fill(|_| ());
            self.bytes.extend_from_slice(text);
        }

        fn lines(&mut self) -> Vec<String> {
            std::iter::from_fn(|| self.next_line())
                .collect::<Result<_, _>>()
                .unwrap()
        }
    }

    #[test]
    fn joins_lines_from_any_pieces() {
        let mut buffer = LineBuffer::default();
        let mut lines = Vec::new();
        for byte in b"one\r\ntwo\n\nthree" {
            buffer.push(&[*byte]);
            lines.extend(buffer.lines());
        }
        assert_eq!(lines, ["one", "two", ""]);
        assert_eq!(buffer.take_rest(), Some(Ok("three".into())));
        assert_eq!(buffer.take_rest(), None);
    }

    #[test]
    fn unfinished_line_is_not_a_line() {
        let mut buffer = LineBuffer::default();
        assert_eq!(buffer.unfinished(), None);
        buffer.push(b"uciok\nbestmove a1");
        assert_eq!(buffer.lines(), ["uciok"]);
        assert_eq!(buffer.unfinished(), Some("bestmove a1".into()));
        buffer.push(b"\n");
        assert_eq!(buffer.lines(), ["bestmove a1"]);
        assert_eq!(buffer.unfinished(), None);
    }

    #[test]
    fn overlong_line_is_an_error_with_or_without_its_end() {
        let long = vec![b'a'; LONGEST_LINE];
        let mut buffer = LineBuffer::default();
        buffer.push(&long);
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"\n");
        assert_eq!(buffer.next_line().unwrap().unwrap().len(), LONGEST_LINE);

        buffer.push(&long);
        buffer.push(b"a");
        assert_eq!(buffer.next_line(), Some(Err(Overlong)));
        buffer.push(&long);
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"\nuciok\n");
        assert_eq!(buffer.lines(), ["uciok"]);

        let mut buffer = LineBuffer::default();
        buffer.push(&long);
        buffer.push(b"a\n");
        assert_eq!(buffer.next_line(), Some(Err(Overlong)));
    }

    #[test]
    fn rest_of_a_discarded_line_is_skipped() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"info\nbestmo");
        assert_eq!(buffer.discard(), Some((2, "info".into())));
        buffer.push(b"ve a1");
        assert_eq!(buffer.lines(), [""; 0]);
        assert_eq!(buffer.discard(), None);
        buffer.push(b"\nbestmove a2\n");
        assert_eq!(buffer.lines(), ["bestmove a2"]);
        assert_eq!(buffer.discard(), None);
    }

    #[test]
    fn discards_an_overlong_unfinished_line() {
        let mut buffer = LineBuffer::default();
        buffer.push(&vec![b'a'; LONGEST_LINE + 1]);
        assert_eq!(buffer.discard().map(|(count, _)| count), Some(1));
        buffer.push(b"a\nuciok\n");
        assert_eq!(buffer.lines(), ["uciok"]);
    }

    #[test]
    fn replaces_invalid_utf8() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"a\xff\0b\n");
        assert_eq!(buffer.lines(), ["a\u{fffd}\0b"]);
    }
}
