//! Reads result files line by line, in bounded memory.

use std::fmt;
use std::io::{self, BufRead, Read};

use lodestone_game::text::text_start;
use memchr::memmem;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::header::{Header, VERSION};
use super::record::Record;
use crate::io::text::{in_one_line, printable};
use crate::io::untrusted::Untrusted;
use crate::process::{Enforced, SandboxLevel};
use crate::schedule::Pairings;

/// The maximum length of a line in bytes: the header of a ladder of a hundred thousand versions, or a
/// hundred times the record of a game of a thousand moves.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// One line of a result file. All but headers, records and others are objects with one field, of this name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    #[serde(skip)]
    Header(Box<Header>),
    /// A finished game.
    #[serde(skip)]
    Record(Box<Record>),
    /// The pairings of the next round of a ladder.
    Pairings(Pairings),
    /// The end of a match that was decided by a sequential test.
    Sprt(SprtVerdict),
    /// The beginning of a run, in the files of shards: the records behind it are of this run.
    Run(RunStart),
    /// What restricted the engines in a run: the games up to the next such line.
    Sandbox(SandboxRun),
    /// Any other JSON object.
    #[serde(skip)]
    Other,
}

/// One run of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStart {
    /// The name of the machine.
    pub host: Untrusted,
}

/// The decision of a sequential test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtVerdict {
    /// The accepted hypothesis.
    pub accepted: Accepted,
    /// The number of pairs up to the decision, in the order of the schedule.
    /// Later games do not count.
    pub pairs: u64,
    /// The log-likelihood ratio at the decision.
    pub llr: f64,
}

/// The outcome of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Accepted {
    /// H0 was accepted.
    H0,
    /// H1 was accepted.
    H1,
    /// Neither: all openings were used before a decision.
    #[serde(rename = "inconclusive")]
    Inconclusive,
}

/// A line and its position in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedLine {
    pub line: Line,
    /// The line number, from 1.
    pub number: u64,
    /// The byte offset of the beginning of the line.
    pub start: u64,
    /// The byte offset of the end of the line, its line break included.
    pub end: u64,
    /// Whether the line break is present.
    pub is_ended: bool,
}

/// Why a file cannot be read any further.
#[derive(Debug, Error)]
pub enum ReadError {
    /// An input error.
    #[error(transparent)]
    Io(io::Error),
    /// A line is not a line of a result file.
    // The reason may quote the file.
    #[error("line {number}: {}", printable(why, usize::MAX))]
    Invalid {
        /// The line number, from 1.
        number: u64,
        /// The reason.
        why: String,
        /// Whether it is a header, of an unsupported version or with an invalid field.
        is_header: bool,
    },
    /// The last line is incomplete: the writer was killed.
    #[error("line {number} is cut off")]
    Torn {
        /// The byte offset of the beginning of the line.
        start: u64,
        /// The line number, from 1.
        number: u64,
    },
}

/// Reads the lines of a result file.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    bytes: Vec<u8>,
    number: u64,
    offset: u64,
}

impl<R: BufRead> Reader<R> {
    /// A reader at the beginning of a file.
    pub const fn new(input: R) -> Reader<R> {
        Reader::at(input, 0, 0)
    }

    /// A reader of an input that begins after this many lines and bytes of its
    /// file.
    pub(crate) const fn at(input: R, lines: u64, bytes: u64) -> Reader<R> {
        Reader {
            input,
            bytes: Vec::new(),
            number: lines,
            offset: bytes,
        }
    }

    /// The next line that is not empty; `None` at the end of the file.
    ///
    /// # Errors
    /// If it cannot be read or is invalid. Later lines must not be read then.
    pub fn next_line(&mut self) -> Result<Option<LocatedLine>, ReadError> {
        self.next_line_if(|_, _| true)
    }

    /// The next header, or the last line if it has no line break. Other lines are skipped unread, until
    /// `is_stopped`.
    pub(crate) fn next_header_or_end(
        &mut self,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<LocatedLine>, ReadError> {
        let header = memmem::Finder::new(b"\"header\"");
        self.next_line_if(|line, is_ended| !is_ended || header.find(line).is_some() || is_stopped())
    }

    /// The next line that is not the record of another game than `id`. Of those, `pass` gets the numbers, and the
    /// rest stays unread.
    pub(crate) fn next_line_of(
        &mut self,
        id: u64,
        pass: &mut dyn FnMut(u64),
    ) -> Result<Option<LocatedLine>, ReadError> {
        self.next_line_if(|line, is_ended| match number_in_front(line) {
            Some(other) if other != id && is_ended => {
                pass(other);
                false
            }
            _ => true,
        })
    }

    /// The byte offset of the end of the last line.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of lines so far, from the beginning of the file.
    pub(crate) const fn lines(&self) -> u64 {
        self.number
    }

    /// The next line that is not empty and `is_wanted`, by its bytes and whether it has a line break.
    fn next_line_if(
        &mut self,
        mut is_wanted: impl FnMut(&[u8], bool) -> bool,
    ) -> Result<Option<LocatedLine>, ReadError> {
        loop {
            self.bytes.clear();
            let start = self.offset;
            let mut input = self.input.by_ref().take(MAX_LINE);
            let length = input.read_until(b'\n', &mut self.bytes).map_err(ReadError::Io)?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.offset += length as u64;
            let (number, end) = (self.number, self.offset);
            let is_ended = self.bytes.ends_with(b"\n");
            if !is_ended && length as u64 == MAX_LINE {
                return Err(ReadError::Invalid {
                    number,
                    why: "longer than any record".into(),
                    is_header: false,
                });
            }
            let line = match start {
                0 => text_start(&self.bytes).map_err(ReadError::Io)?,
                _ => &self.bytes,
            };
            if (line.trim_ascii().is_empty() && is_ended) || !is_wanted(line, is_ended) {
                continue;
            }
            return match read_line(line, number) {
                Ok(line) => Ok(Some(LocatedLine {
                    line,
                    number,
                    start,
                    end,
                    is_ended,
                })),
                Err(_) if !is_ended => Err(ReadError::Torn { start, number }),
                Err(error) => Err(error),
            };
        }
    }
}

/// The number of a game whose record begins with it, as the referee writes them.
fn number_in_front(line: &[u8]) -> Option<u64> {
    memmem::find(line, b"\"moves\":")?;
    let number = line
        .strip_prefix(b"{\"id\":")?
        .split(|&byte| byte == b',')
        .next()?;
    str::from_utf8(number).ok()?.parse().ok()
}

/// The fields that determine the kind of a line.
#[derive(Deserialize)]
#[serde(expecting = "a JSON object")]
struct LineKind {
    header: Option<IgnoredAny>,
    moves: Option<IgnoredAny>,
    sprt: Option<IgnoredAny>,
}

/// Reads a line of a result file, without its line break, which is complete.
pub fn read_line(bytes: &[u8], number: u64) -> Result<Line, ReadError> {
    let mut is_header = false;
    let parsed = parse(bytes.trim_ascii_end(), &mut is_header);
    parsed.map_err(|why| invalid(number, &why, is_header))
}

/// Why a line is invalid. The message is part of a longer one, so it has no lines of its own.
fn invalid(number: u64, why: &str, is_header: bool) -> ReadError {
    ReadError::Invalid {
        number,
        why: in_one_line(why),
        is_header,
    }
}

fn parse(bytes: &[u8], is_header: &mut bool) -> Result<Line, String> {
    fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
        serde_json::from_slice(bytes).map_err(|error| {
            let kind = if error.is_data() { "" } else { "not JSON: " };
            match error.line() {
                // A single line needs no line number.
                1 => format!("{kind}{error}").replace(" at line 1 column", ", column"),
                _ => format!("{kind}{error}"),
            }
        })
    }
    // Checked as a whole, the text of its moves need not be checked one by one.
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(record) = serde_json::from_str(text)
    {
        return Ok(Line::Record(record));
    }
    let kind: LineKind = read(bytes)?;
    *is_header = kind.header.is_some();
    if *is_header {
        let header: Header = read(bytes)?;
        if header.header != VERSION {
            return Err(format!(
                "unsupported version {} of the file format; expected {VERSION}",
                header.header
            ));
        }
        return Ok(Line::Header(Box::new(header.checked()?)));
    }
    if kind.moves.is_some() {
        return read(bytes).map(Line::Record);
    }
    match serde_json::from_slice(bytes) {
        Ok(line) => Ok(line),
        Err(_) if kind.sprt.is_none() => Ok(Line::Other),
        Err(_) => read(bytes),
    }
}

/// The levels of the engines in a run, and what the kernel enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxRun {
    /// The levels of the engines.
    pub levels: Vec<SandboxLevel>,
    /// Kernel and version of Landlock.
    #[serde(flatten)]
    pub enforced: Enforced,
    /// Whether the referee ran as root.
    pub root: bool,
}

impl fmt::Display for SandboxRun {
    /// After "Sandbox: ".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = if self.root { ", as root" } else { "" };
        let levels: Vec<&str> = self.levels.iter().map(|level| level.name()).collect();
        write!(f, "{} ({}{root})", levels.join(" and "), self.enforced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::text::unknown;
    use crate::samples::record;
    use sentences::expect;

    fn read(text: &[u8]) -> Result<Vec<LocatedLine>, ReadError> {
        let mut reader = Reader::new(text);
        std::iter::from_fn(|| reader.next_line().transpose()).collect()
    }

    #[test]
    fn a_list_in_an_error_does_not_break_its_line() {
        let names = ["a".repeat(40), "b".repeat(40)];
        let list = unknown("format", "cup", &names.each_ref().map(String::as_str));
        assert!(list.contains('\n'), "{list}");
        let header = |format: &str| format!(r#"{{"header":1,"variant":"{format}"}}"#);
        for line in [header("x"), header("x\\n  y")] {
            let error = read_line(line.as_bytes(), 3).unwrap_err().to_string();
            assert!(!error.contains('\n') && error.starts_with("line 3: "), "{error}");
        }
        assert!(!invalid(3, &list, false).to_string().contains('\n'));
    }

    #[test]
    fn a_text_in_utf_16_is_named() {
        let error = read(b"\xff\xfe{\0").unwrap_err();
        assert_eq!(error.to_string(), "the text is UTF-16; save it as UTF-8");
    }

    #[test]
    fn recognises_the_kinds_of_lines() {
        let text = format!(
            "{}\n\n{{\"sprt\":{{\"accepted\":\"H0\",\"pairs\":3,\"llr\":-3.5}}}}\n{}\n{{\"note\":1}}",
            serde_json::to_string(&record(1, "a", "b")).unwrap(),
            r#"{"pairings":{"round":2,"boards":[[0,1]],"deviation":200}}"#
        );
        let lines = read(text.as_bytes()).unwrap();
        assert_eq!(lines.len(), 4);
        assert!(matches!(&lines[0].line, Line::Record(record) if record.id == 1));
        assert!(matches!(&lines[1].line, Line::Sprt(end) if end.pairs == 3));
        assert_eq!((lines[1].number, lines[1].is_ended), (3, true));
        assert!(matches!(&lines[2].line, Line::Pairings(round) if round.pairings == [[0, 1]]));
        assert_eq!((&lines[3].line, lines[3].is_ended), (&Line::Other, false));
        assert_eq!(lines[3].end, text.len() as u64);
    }

    #[test]
    fn records_of_other_games_are_passed_by_their_numbers() {
        let lines = [3, 1, 2].map(|id| serde_json::to_string(&record(id, "a", "b")).unwrap() + "\n");
        let text = lines.concat();
        let (mut reader, mut passed) = (Reader::new(text.as_bytes()), Vec::new());
        let found = reader
            .next_line_of(2, &mut |id| passed.push(id))
            .unwrap()
            .unwrap();
        assert_eq!((passed, found.number), (vec![3, 1], 3));
    }

    #[test]
    fn a_byte_order_mark_belongs_to_the_first_line() {
        let text = serde_json::to_string(&record(1, "a", "b")).unwrap() + "\n";
        let lines = read(["\u{feff}", &text, &text].concat().as_bytes()).unwrap();
        let end = 3 + text.len() as u64;
        assert_eq!((lines[0].start, lines[0].end, lines[1].start), (0, end, end));
        assert!(matches!(&lines[0].line, Line::Record(record) if record.id == 1));
        let again = read([&text, "\u{feff}", &text].concat().as_bytes());
        assert!(matches!(again, Err(ReadError::Invalid { number: 2, .. })));
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        expect! {"line 2: not JSON: expected value, column 1"}.assert_eq(&error("{}\nabc\n"));
        expect! {"line 1: not JSON: EOF while parsing a string, column 4"}.assert_eq(&error("{\"mo\n"));
        expect! {"line 1: invalid length 0, expected a JSON object, column 2"}.assert_eq(&error("[]\n"));
        assert_eq!(error("{\"moves\":[]}\n"), "line 1: missing field `id`, column 12");
        assert_eq!(
            error("{\"header\":2}\n").split(',').next().unwrap(),
            "line 1: missing field `variant`"
        );
        assert!(error(&"a".repeat(MAX_LINE as usize + 1)).contains("longer than any record"));
    }
}
