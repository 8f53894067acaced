//! Lines from a client: bounded, stamped with their arrival.

use std::io::{self, ErrorKind, Read};
use std::time::Instant;

use crate::lines::{LineBuffer, Overlong};

/// Maximum length of a line, in bytes without its line end.
pub const MAX_LINE: usize = 1 << 20;

/// Size of one read, in bytes. Small, because the buffer is cleared before each read and
/// most lines are short.
const READ_SIZE: usize = 1 << 13;

/// A piece of input.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its line end, and the time when its end arrived.
    Line(String, Instant),
    /// A line that is too long or not UTF-8, with the error as a sentence.
    Unusable {
        /// The error as a sentence.
        error: String,
        /// What the line says, with replacements for wrong bytes; empty if it is too long.
        text: String,
    },
    /// The end of input.
    End,
}

impl Input {
    /// The length of the line, in bytes.
    pub const fn bytes(&self) -> usize {
        match self {
            Input::Line(text, _) => text.len(),
            Input::Unusable { .. } | Input::End => 0,
        }
    }
}

/// Splits input into lines.
///
/// ```
/// use lodestone_game::input::{Input, Lines};
///
/// let mut lines = Lines::default();
/// lines.read_from(&mut &b"uci\nisr"[..]);
/// assert!(matches!(lines.pop(), Some(Input::Line(line, _)) if line == "uci"));
/// assert_eq!(lines.pop(), None);
/// ```
#[derive(Debug, Default)]
pub struct Lines {
    buffer: LineBuffer<MAX_LINE>,
    /// When the latest bytes arrived.
    read_at: Option<Instant>,
    has_ended: bool,
    /// Whether [`Input::End`] was returned.
    is_end_reported: bool,
}

impl Lines {
    /// Reads once; may block. An error of the source counts as the end of input. Returns
    /// `false` if there is nothing to read yet.
    ///
    /// The caller takes all lines first, so the buffer holds at most an unfinished line and
    /// one read.
    pub fn read_from(&mut self, source: &mut impl Read) -> bool {
        let read = self.buffer.fill(|bytes| {
            let length = bytes.len();
            bytes.resize(length + READ_SIZE, 0);
            let read = loop {
                match source.read(&mut bytes[length..]) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => break read,
                }
            };
            bytes.truncate(length + read.as_ref().unwrap_or(&0));
            read
        });
        self.read_at = Some(Instant::now());
        match read {
            Ok(count) => self.has_ended = count == 0,
            // Nothing to read yet.
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Err(error) => {
                log::error!("cannot read the input: {error}");
                self.has_ended = true;
            }
        }
        true
    }

    /// Whether the source has ended.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next line, or once the end of input; `None` if more must be read first.
    pub fn pop(&mut self) -> Option<Input> {
        let mut line = self.buffer.next_line();
        if line.is_none() && self.has_ended {
            line = self.buffer.take_rest();
        }
        match line {
            Some(line) => Some(self.input(line)),
            None if self.has_ended && !self.is_end_reported => {
                self.is_end_reported = true;
                Some(Input::End)
            }
            None => None,
        }
    }

    fn input(&self, line: Result<Vec<u8>, Overlong>) -> Input {
        let Ok(line) = line else {
            return Input::Unusable {
                error: format!("a line has more than {MAX_LINE} bytes"),
                text: String::new(),
            };
        };
        match String::from_utf8(line) {
            Ok(text) => Input::Line(text, self.read_at.unwrap_or_else(Instant::now)),
            Err(error) => {
                let byte = error.utf8_error().valid_up_to() + 1;
                Input::Unusable {
                    error: format!("a line is not UTF-8 text: byte {byte} of it is wrong"),
                    text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                }
            }
        }
    }
}

/// Reads lines and passes each to `sink`, until the end of input or until `sink` returns
/// `false`.
pub fn read_lines(mut source: impl io::Read, mut sink: impl FnMut(Input) -> bool) {
    let mut lines = Lines::default();
    loop {
        while let Some(input) = lines.pop() {
            let has_ended = input == Input::End;
            if !sink(input) || has_ended {
                return;
            }
        }
        lines.read_from(&mut source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that returns seven bytes per read.
    struct SmallReads<'a>(&'a [u8]);

    impl Read for SmallReads<'_> {
        fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut space[..7])
        }
    }

    fn read(bytes: &[u8]) -> Vec<String> {
        let mut seen = Vec::new();
        read_lines(SmallReads(bytes), |input| {
            seen.push(match input {
                Input::Line(text, _) => text,
                Input::Unusable { error, .. } => format!("! {error}"),
                Input::End => "end".to_string(),
            });
            true
        });
        seen
    }

    #[test]
    fn returns_lines_and_then_the_end() {
        assert_eq!(
            read(b"uci\n\nisready\r\ngo infinite"),
            ["uci", "", "isready\r", "go infinite", "end"]
        );
        assert_eq!(read(b""), ["end"]);
        assert_eq!(read(b"uci\n"), ["uci", "end"]);
    }

    #[test]
    fn reports_and_skips_unusable_lines() {
        let mut bytes = vec![b'x'; MAX_LINE + 1];
        bytes.extend(b"\nuci\n\xff\xfe\nquit\n");
        let seen = read(&bytes);
        assert_eq!(seen[0], "! a line has more than 1048576 bytes");
        assert_eq!(seen[1], "uci");
        assert_eq!(seen[2], "! a line is not UTF-8 text: byte 1 of it is wrong");
        assert_eq!(seen[3..], ["quit", "end"]);
    }

    #[test]
    fn accepts_a_line_of_maximum_length() {
        let mut bytes = vec![b'x'; MAX_LINE];
        bytes.push(b'\n');
        assert_eq!(read(&bytes)[0].len(), MAX_LINE);
        bytes[MAX_LINE] = b'x';
        assert_eq!(read(&bytes), ["! a line has more than 1048576 bytes", "end"]);
    }
}
