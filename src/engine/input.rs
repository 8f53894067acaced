//! Lines from a client: bounded, stamped with their arrival.

use std::io::{self, ErrorKind, Read};
use std::time::Instant;

/// A longer line is refused; the rest of it is skipped.
pub const LONGEST_LINE: usize = 1 << 20;

/// How much is read at once, in bytes. Most lines are short, and so much is cleared
/// for each of them.
const READ_SIZE: usize = 1 << 13;

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its end, and when it had come in whole.
    Line(String, Instant),
    /// Something that cannot be a line of the protocol; the sentence says why.
    Unusable(String),
    /// Nothing more will come.
    End,
}

impl Input {
    /// The length of the line, in bytes.
    pub const fn bytes(&self) -> usize {
        match self {
            Input::Line(text, _) => text.len(),
            Input::Unusable(_) | Input::End => 0,
        }
    }
}

/// What was read and not yet taken as a line.
///
/// ```
/// use lodestone::engine::input::{Input, Lines};
///
/// let mut lines = Lines::default();
/// lines.read_from(&mut &b"uci\nisr"[..]);
/// assert!(matches!(lines.pop(), Some(Input::Line(line, _)) if line == "uci"));
/// assert_eq!(lines.pop(), None);
/// ```
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Where the line begins that has not been taken.
    start: usize,
    /// No line end stands before this place.
    searched: usize,
    /// The line was too long: what comes of it is thrown away.
    is_too_long: bool,
    /// When the last bytes came.
    read_at: Option<Instant>,
    /// The source has come to its end.
    has_ended: bool,
    /// That was told.
    is_end_told: bool,
}

impl Lines {
    /// Reads once, which may wait. The owner takes all lines before that, so no
    /// more is kept than an unfinished line and one reading. An error of the
    /// source counts as its end.
    pub fn read_from(&mut self, source: &mut impl Read) {
        self.bytes.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let length = self.bytes.len();
        self.bytes.resize(length + READ_SIZE, 0);
        let read = loop {
            match source.read(&mut self.bytes[length..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.read_at = Some(Instant::now());
        let count = match read {
            Ok(count) => {
                self.has_ended = count == 0;
                count
            }
            // There is nothing yet.
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) => {
                log::error!("the input cannot be read: {error}");
                self.has_ended = true;
                0
            }
        };
        self.bytes.truncate(length + count);
    }

    /// Whether there is nothing more to be read.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next line, or the end, once; `None` where more has to be read first.
    pub fn pop(&mut self) -> Option<Input> {
        let rest = &self.bytes[self.searched..];
        let end = match rest.iter().position(|&byte| byte == b'\n') {
            Some(place) => self.searched + place,
            None if self.has_ended && (self.start < self.bytes.len() || self.is_too_long) => self.bytes.len(),
            None => {
                self.searched = self.bytes.len();
                if self.is_too_long || self.searched - self.start > LONGEST_LINE {
                    self.is_too_long = true;
                    self.start = self.searched;
                }
                let is_over = self.has_ended && !std::mem::replace(&mut self.is_end_told, self.has_ended);
                return is_over.then_some(Input::End);
            }
        };
        let line = &self.bytes[self.start..end];
        let input = if self.is_too_long || line.len() > LONGEST_LINE {
            Input::Unusable(format!("a line has more than {LONGEST_LINE} bytes"))
        } else {
            match std::str::from_utf8(line) {
                Ok(text) => Input::Line(text.to_string(), self.read_at.unwrap_or_else(Instant::now)),
                Err(error) => Input::Unusable(format!(
                    "a line is not UTF-8 text: byte {} of it is wrong",
                    error.valid_up_to() + 1
                )),
            }
        };
        self.is_too_long = false;
        self.start = (end + 1).min(self.bytes.len());
        self.searched = self.start;
        Some(input)
    }
}

/// Reads lines and hands each to `sink` until there are no more or `sink` says
/// stop by returning `false`.
pub fn read_lines(mut source: impl io::Read, mut sink: impl FnMut(Input) -> bool) {
    let mut lines = Lines::default();
    loop {
        while let Some(input) = lines.pop() {
            let is_over = input == Input::End;
            if !sink(input) || is_over {
                return;
            }
        }
        lines.read_from(&mut source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives seven bytes at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut space[..7])
        }
    }

    fn read(bytes: &[u8]) -> Vec<String> {
        let mut seen = Vec::new();
        read_lines(Drops(bytes), |input| {
            seen.push(match input {
                Input::Line(text, _) => text,
                Input::Unusable(why) => format!("! {why}"),
                Input::End => "end".to_string(),
            });
            true
        });
        seen
    }

    #[test]
    fn lines_come_one_by_one_and_then_the_end() {
        assert_eq!(
            read(b"uci\n\nisready\r\ngo infinite"),
            ["uci", "", "isready\r", "go infinite", "end"]
        );
        assert_eq!(read(b""), ["end"]);
        assert_eq!(read(b"uci\n"), ["uci", "end"]);
    }

    #[test]
    fn bad_lines_are_named_and_skipped() {
        let mut bytes = vec![b'x'; LONGEST_LINE + 1];
        bytes.extend(b"\nuci\n\xff\xfe\nquit\n");
        let seen = read(&bytes);
        assert_eq!(seen[0], "! a line has more than 1048576 bytes");
        assert_eq!(seen[1], "uci");
        assert_eq!(seen[2], "! a line is not UTF-8 text: byte 1 of it is wrong");
        assert_eq!(seen[3..], ["quit", "end"]);
    }

    #[test]
    fn the_longest_line_is_still_read() {
        let mut bytes = vec![b'x'; LONGEST_LINE];
        bytes.push(b'\n');
        assert_eq!(read(&bytes)[0].len(), LONGEST_LINE);
        bytes[LONGEST_LINE] = b'x';
        assert_eq!(read(&bytes), ["! a line has more than 1048576 bytes", "end"]);
    }

    #[test]
    fn a_line_that_never_ends_is_not_kept() {
        let mut lines = Lines::default();
        let mut source = io::repeat(b'x');
        for _ in 0..200 {
            lines.read_from(&mut source);
            assert_eq!(lines.pop(), None);
        }
        assert!(lines.bytes.capacity() <= 2 * (LONGEST_LINE + READ_SIZE));
        lines.read_from(&mut &b"\nuci\n"[..]);
        assert!(matches!(lines.pop(), Some(Input::Unusable(_))));
        assert!(matches!(lines.pop(), Some(Input::Line(line, _)) if line == "uci"));
    }
}
