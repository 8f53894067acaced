//! Lines from standard input: bounded, stamped with their arrival.

use std::io::{BufRead, ErrorKind};
use std::time::Instant;

/// A longer line is refused; the rest of it is skipped.
pub const LONGEST_LINE: usize = 1 << 20;

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

/// Reads lines and hands each to `sink` until there are no more or `sink` says
/// stop by returning `false`.
pub fn read_lines(mut source: impl BufRead, mut sink: impl FnMut(Input) -> bool) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let more = match read_line(&mut source, &mut line) {
            LineRead::End => {
                sink(Input::End);
                false
            }
            LineRead::TooLong => sink(Input::Unusable(format!(
                "a line has more than {LONGEST_LINE} bytes"
            ))),
            LineRead::Whole => {
                let arrival = Instant::now();
                match std::str::from_utf8(&line) {
                    Ok(text) => sink(Input::Line(text.to_string(), arrival)),
                    Err(error) => sink(Input::Unusable(format!(
                        "a line is not UTF-8 text: byte {} of it is wrong",
                        error.valid_up_to() + 1
                    ))),
                }
            }
        };
        if !more {
            return;
        }
    }
}

/// How reading one line went.
enum LineRead {
    Whole,
    TooLong,
    End,
}

/// Reads up to the next line end into `line`, which never grows beyond
/// [`LONGEST_LINE`]. An error of the source counts as its end.
fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> LineRead {
    let mut too_long = false;
    loop {
        let available = match source.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                log::error!("standard input cannot be read: {error}");
                &[]
            }
        };
        let at_end = available.is_empty();
        let line_end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..line_end.unwrap_or(available.len())];
        too_long |= line.len() + part.len() > LONGEST_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(line_end.is_some());
        source.consume(used);
        if line_end.is_some() || at_end {
            return match (too_long, at_end && line.is_empty()) {
                (true, _) => LineRead::TooLong,
                (false, true) => LineRead::End,
                (false, false) => LineRead::Whole,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<String> {
        let mut seen = Vec::new();
        read_lines(std::io::BufReader::with_capacity(7, bytes), |input| {
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
    }
}
