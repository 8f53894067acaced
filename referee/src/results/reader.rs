//! Result files, line by line, in bounded memory.

use std::fmt;
use std::io::{self, BufRead, Read};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::header::{Header, VERSION};
use super::record::Record;

/// No line is longer than this, in bytes: a game of a thousand moves with all
/// that is written of them takes less than a tenth of it.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// One line of a result file.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// What was played with which engines.
    Header(Box<Header>),
    /// A finished game.
    Record(Box<Record>),
    /// A test ended the match.
    End(SprtEnd),
    /// An object that says nothing about games.
    Other,
}

/// The last line of a match that a sequential test ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtEnd {
    /// What was found.
    pub sprt: SprtVerdict,
}

/// What a sequential test found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtVerdict {
    /// `H0`, `H1`, or `inconclusive`: the openings were used up.
    pub accepted: String,
    /// After so many pairs, in the order of the schedule; games beyond them do
    /// not count.
    pub pairs: u64,
    /// The log-likelihood ratio then.
    pub llr: f64,
}

/// A line and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The line.
    pub line: Line,
    /// Its number, from 1.
    pub number: u64,
    /// Where it ends in the file, in bytes, its line end included.
    pub end: u64,
    /// Whether its line end is there.
    pub is_ended: bool,
}

/// Why a file cannot be read any further.
#[derive(Debug)]
pub enum ReadError {
    /// The system cannot read it.
    Io(io::Error),
    /// A line is not what belongs there.
    Wrong {
        /// Its number, from 1.
        number: u64,
        /// What is wrong.
        why: String,
    },
    /// The last line is cut off: it was being written when its writer ended.
    Torn {
        /// Where it begins, in bytes.
        start: u64,
        /// Its number, from 1.
        number: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io(error) => error.fmt(f),
            ReadError::Wrong { number, why } => write!(f, "line {number}: {why}"),
            ReadError::Torn { number, .. } => write!(f, "line {number} is cut off"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads lines.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    bytes: Vec<u8>,
    number: u64,
    place: u64,
}

impl<R: BufRead> Reader<R> {
    /// A reader from the first line on.
    pub const fn new(input: R) -> Reader<R> {
        Reader::behind(input, 0, 0)
    }

    /// A reader of an input that begins behind so many lines and bytes of its
    /// file.
    pub const fn behind(input: R, lines: u64, bytes: u64) -> Reader<R> {
        Reader {
            input,
            bytes: Vec::new(),
            number: lines,
            place: bytes,
        }
    }

    /// The next line that is not empty; `None` behind the last.
    ///
    /// # Errors
    /// Where it cannot be read or is none. Nothing behind it is read.
    pub fn next_line(&mut self) -> Result<Option<Placed>, ReadError> {
        loop {
            self.bytes.clear();
            let start = self.place;
            let mut input = self.input.by_ref().take(LONGEST_LINE);
            let length = input.read_until(b'\n', &mut self.bytes).map_err(ReadError::Io)?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.place += length as u64;
            let is_ended = self.bytes.ends_with(b"\n");
            if !is_ended && length as u64 == LONGEST_LINE {
                return Err(self.wrong("longer than any record".into()));
            }
            if self.bytes.trim_ascii().is_empty() && is_ended {
                continue;
            }
            return match parse(self.bytes.trim_ascii_end()) {
                Ok(line) => Ok(Some(Placed {
                    line,
                    number: self.number,
                    end: self.place,
                    is_ended,
                })),
                Err(_) if !is_ended => Err(ReadError::Torn {
                    start,
                    number: self.number,
                }),
                Err(why) => Err(self.wrong(why)),
            };
        }
    }

    const fn wrong(&self, why: String) -> ReadError {
        ReadError::Wrong {
            number: self.number,
            why,
        }
    }
}

/// Which kind of line it is.
#[derive(Deserialize)]
struct Kind {
    header: Option<IgnoredAny>,
    moves: Option<IgnoredAny>,
    sprt: Option<IgnoredAny>,
}

/// What a line says.
fn parse(bytes: &[u8]) -> Result<Line, String> {
    fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
        serde_json::from_slice(bytes).map_err(|error| match error.line() {
            // Line 1 of a text of one line says nothing.
            1 => format!("{error}").replace(" at line 1 column", ", column"),
            _ => error.to_string(),
        })
    }
    let kind: Kind = read(bytes)?;
    if kind.header.is_some() {
        let header: Header = read(bytes)?;
        if header.header != VERSION {
            return Err(format!(
                "the file has version {} of the format, {VERSION} is understood",
                header.header
            ));
        }
        return Ok(Line::Header(Box::new(header)));
    }
    if kind.moves.is_some() {
        return Ok(Line::Record(Box::new(read(bytes)?)));
    }
    if kind.sprt.is_some() {
        return Ok(Line::End(read(bytes)?));
    }
    Ok(Line::Other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::record::tests::record;

    fn read(text: &[u8]) -> Result<Vec<Placed>, ReadError> {
        let mut reader = Reader::new(text);
        std::iter::from_fn(|| reader.next_line().transpose()).collect()
    }

    #[test]
    fn lines_are_told_apart() {
        let text = format!(
            "{}\n\n{{\"sprt\":{{\"accepted\":\"H0\",\"pairs\":3,\"llr\":-3.5}}}}\n{{\"note\":1}}",
            serde_json::to_string(&record(1, "a", "b")).unwrap()
        );
        let lines = read(text.as_bytes()).unwrap();
        assert_eq!(lines.len(), 3);
        assert!(matches!(&lines[0].line, Line::Record(one) if one.id == 1));
        assert!(matches!(&lines[1].line, Line::End(end) if end.sprt.pairs == 3));
        assert_eq!((lines[1].number, lines[1].is_ended), (3, true));
        assert_eq!((&lines[2].line, lines[2].is_ended), (&Line::Other, false));
        assert_eq!(lines[2].end, text.len() as u64);
    }

    #[test]
    fn a_line_that_is_cut_off_is_no_other_error() {
        let text = serde_json::to_string(&record(1, "a", "b")).unwrap() + "\n";
        let whole = text.repeat(2);
        for length in text.len() + 1..whole.len() - 1 {
            let mut reader = Reader::new(&whole.as_bytes()[..length]);
            assert!(reader.next_line().is_ok());
            let start = text.len() as u64;
            assert!(
                matches!(reader.next_line(), Err(ReadError::Torn { start: place, number: 2 }) if place == start),
                "{length} bytes"
            );
        }
        assert!(
            read(&whole.as_bytes()[..whole.len() - 1]).is_ok(),
            "only the line end"
        );
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error("{}\nabc\n"), "line 2: expected value, column 1");
        assert_eq!(error("{\"mo\n"), "line 1: EOF while parsing a string, column 4");
        assert_eq!(
            error("[]\n"),
            "line 1: invalid length 0, expected struct Kind with 3 elements, column 2"
        );
        assert_eq!(error("{\"moves\":[]}\n"), "line 1: missing field `id`, column 12");
        assert_eq!(
            error("{\"header\":2}\n").split(',').next().unwrap(),
            "line 1: missing field `variant`"
        );
        assert!(error(&"a".repeat(LONGEST_LINE as usize + 1)).contains("longer than any record"));
    }
}
