//! Splits bytes into lines, in bounded memory.

use crate::text::{BYTE_ORDER_MARK, without_byte_order_mark};

/// The beginning of a line that is longer than its [`LineBuffer`] allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlong(pub Vec<u8>);

impl Overlong {
    /// That of this line.
    fn of(line: &[u8]) -> Overlong {
        /// Enough for a quotation.
        const MOST: usize = 256;
        Overlong(line.iter().copied().take(MOST).collect())
    }
}

/// Bytes that were read and not yet taken as lines of up to `MAX` bytes, without their line
/// ends and without a byte order mark before the first one.
///
/// ```
/// use lodestone_game::lines::LineBuffer;
///
/// let mut buffer = LineBuffer::<80>::default();
/// buffer.fill(|bytes| bytes.extend(b"uci\nisr"));
/// assert_eq!(buffer.next_line(), Some(Ok(b"uci".to_vec())));
/// assert_eq!(buffer.next_line(), None);
/// ```
#[derive(Debug, Default)]
pub struct LineBuffer<const MAX: usize> {
    bytes: Vec<u8>,
    /// Start of the next line.
    start: usize,
    /// No line end before this index.
    searched: usize,
    /// Whether the bytes before the next line end belong to a discarded line.
    skipping: bool,
    /// Whether the bytes are past a byte order mark.
    has_begun: bool,
}

impl<const MAX: usize> LineBuffer<MAX> {
    /// Lets `read` append bytes, and returns its result.
    ///
    /// The caller takes all lines first, so the buffer holds at most an unfinished line and
    /// one read.
    pub fn fill<T>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let result = read(&mut self.bytes);
        if !self.has_begun && (self.bytes.len() > 2 || !BYTE_ORDER_MARK.starts_with(&self.bytes)) {
            self.has_begun = true;
            self.start = self.bytes.len() - without_byte_order_mark(&self.bytes).len();
            self.searched = self.start;
        }
        result
    }

    /// Allocated memory in bytes: at most twice a line of maximum length and one read.
    pub const fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// The next line without its line end; `None` if more must be read first. An overlong
    /// line is reported once, as soon as it is too long, and its rest is skipped.
    pub fn next_line(&mut self) -> Option<Result<Vec<u8>, Overlong>> {
        loop {
            let rest = self.bytes.get(self.searched..).unwrap_or_default();
            let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.bytes.len();
                if self.skipping {
                    self.start = self.searched;
                }
                if self.searched - self.start <= MAX {
                    return None;
                }
                let overlong = Overlong::of(self.bytes.get(self.start..).unwrap_or_default());
                self.start = self.searched;
                self.skipping = true;
                return Some(Err(overlong));
            };
            let end = self.searched + length;
            let line = self.start..end;
            self.start = end + 1;
            self.searched = self.start;
            if !std::mem::take(&mut self.skipping) {
                return Some(bounded::<MAX>(self.bytes.get(line).unwrap_or_default()));
            }
        }
    }

    /// The bytes after the last line end, at the end of input; `None` if there are none.
    pub fn take_rest(&mut self) -> Option<Result<Vec<u8>, Overlong>> {
        let rest = self.unfinished().map(bounded::<MAX>);
        self.start = self.bytes.len();
        self.searched = self.start;
        rest
    }

    /// The start of a line that has no end yet; `None` if there is none.
    pub fn unfinished(&self) -> Option<&[u8]> {
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        (!self.skipping && !rest.is_empty()).then_some(rest)
    }

    /// Discards all bytes, and the rest of an unfinished line when it arrives. Returns the
    /// number of lines and the first of them, empty if it is overlong.
    pub fn discard(&mut self) -> Option<(u64, Vec<u8>)> {
        self.has_begun = true;
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
            (
                1 + lines.count() as u64,
                bounded::<MAX>(first).unwrap_or_default(),
            )
        });
        self.start = self.bytes.len();
        self.searched = self.start;
        discarded
    }
}

fn bounded<const MAX: usize>(line: &[u8]) -> Result<Vec<u8>, Overlong> {
    let is_short = line.len() <= MAX;
    is_short.then(|| line.to_vec()).ok_or_else(|| Overlong::of(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_LENGTH: usize = 64 * 1024;

    impl LineBuffer<MAX_LENGTH> {
        fn push(&mut self, text: &[u8]) {
            self.fill(|bytes| bytes.extend_from_slice(text));
        }

        fn lines(&mut self) -> Vec<String> {
            std::iter::from_fn(|| self.next_line())
                .map(|line| String::from_utf8(line.unwrap()).unwrap())
                .collect()
        }
    }

    #[test]
    fn a_byte_order_mark_is_dropped_before_the_first_line_only() {
        for (chunks, expected) in [
            (
                &["\u{feff}uci\n\u{feff}d\n".as_bytes()][..],
                &["uci", "\u{feff}d"][..],
            ),
            (&[b"\xef", b"\xbb", b"\xbfu", b"ci\n"], &["uci"]),
            (&[b"\xef\xbb\xbf"], &[]),
            (&[b"\n\xef\xbb\xbf\n"], &["", "\u{feff}"]),
        ] {
            let mut buffer = LineBuffer::default();
            let mut lines = Vec::new();
            for chunk in chunks {
                buffer.push(chunk);
                lines.extend(buffer.lines());
            }
            assert_eq!(lines, expected);
            assert_eq!(buffer.take_rest(), None);
        }
    }

    #[test]
    fn lines_do_not_depend_on_the_size_of_reads() {
        let mut buffer = LineBuffer::default();
        let mut lines = Vec::new();
        for byte in b"one\r\ntwo\n\nthree" {
            buffer.push(&[*byte]);
            lines.extend(buffer.lines());
        }
        assert_eq!(lines, ["one\r", "two", ""]);
        assert_eq!(buffer.take_rest(), Some(Ok(b"three".to_vec())));
        assert_eq!(buffer.take_rest(), None);
    }

    #[test]
    fn shows_an_unfinished_line() {
        let mut buffer = LineBuffer::default();
        assert_eq!(buffer.unfinished(), None);
        buffer.push(b"uciok\nbestmove a1");
        assert_eq!(buffer.lines(), ["uciok"]);
        assert_eq!(buffer.unfinished(), Some(&b"bestmove a1"[..]));
        buffer.push(b"\n");
        assert_eq!(buffer.lines(), ["bestmove a1"]);
        assert_eq!(buffer.unfinished(), None);
    }

    #[test]
    fn reports_an_overlong_line_with_or_without_its_end() {
        let long = vec![b'a'; MAX_LENGTH];
        let mut buffer = LineBuffer::default();
        buffer.push(&long);
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"\n");
        assert_eq!(buffer.next_line().unwrap().unwrap().len(), MAX_LENGTH);

        buffer.push(&long);
        buffer.push(b"a");
        assert_eq!(buffer.next_line(), Some(Err(Overlong(vec![b'a'; 256]))));
        buffer.push(&long);
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"\nuciok\n");
        assert_eq!(buffer.lines(), ["uciok"]);

        let mut buffer = LineBuffer::default();
        buffer.push(&long);
        buffer.push(b"a\n");
        assert_eq!(buffer.next_line(), Some(Err(Overlong(vec![b'a'; 256]))));
    }

    #[test]
    fn skips_the_rest_of_a_discarded_line() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"info\nbestmo");
        assert_eq!(buffer.discard(), Some((2, b"info".to_vec())));
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
        buffer.push(&vec![b'a'; MAX_LENGTH + 1]);
        assert_eq!(buffer.discard(), Some((1, Vec::new())));
        buffer.push(b"a\nuciok\n");
        assert_eq!(buffer.lines(), ["uciok"]);
    }

    #[test]
    fn drops_the_bytes_of_an_endless_line() {
        let mut buffer = LineBuffer::default();
        let mut errors = 0;
        for _ in 0..2000 {
            buffer.push(&[b'x'; 1024]);
            errors += buffer.next_line().map_or(0, |line| i32::from(line.is_err()));
            assert_eq!(buffer.next_line(), None);
        }
        assert_eq!(errors, 1);
        assert!(buffer.capacity() <= 2 * (MAX_LENGTH + 1024));
        assert_eq!(buffer.take_rest(), None);
    }
}
