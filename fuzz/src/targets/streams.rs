//! Bytes that become lines: what engines write, and what the engine hears.
//!
//! The first line of an input says in which pieces the rest of it comes: a digit
//! D stands for a piece of 4 to the power of D bytes, `!` for a disturbance, and
//! any other byte for a piece of as many bytes as its value. What is left after
//! them comes in one piece. A `~` in the rest stands for a long row of letters.

use std::collections::VecDeque;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::ops::Range;

use lodestone::engine::input::{self, Input, read_lines};
use referee::io::lines::{self, LineBuffer, Overlong};

use super::pieces::{one_line, stretched};

/// The rest of an input is not longer than this, in bytes.
const MOST: usize = 3 << 20;

/// No piece is longer, so that a pipe takes it whole.
const LONGEST_PIECE: usize = 1 << 15;

/// In which pieces bytes come, and where they are disturbed.
#[derive(Clone, Copy, Debug)]
enum Step {
    Piece(usize),
    Disturbance,
}

/// The steps that an input says, and what comes in them; a `~` stands for
/// `letters` letters.
fn parts(input: &[u8], letters: usize) -> (Vec<Step>, Vec<u8>) {
    let end = input.iter().position(|&byte| byte == b'\n');
    let (plan, rest) = input.split_at(end.unwrap_or(0));
    let step = |&byte: &u8| match byte {
        b'0'..=b'9' => Step::Piece(1 << (2 * (byte - b'0'))),
        b'!' => Step::Disturbance,
        _ => Step::Piece(byte.into()),
    };
    let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    (plan.iter().map(step).collect(), stretched(rest, letters, MOST))
}

/// Where the lines of some bytes stand, without their ends; the last has none.
fn line_spans(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    bytes
        .split(|&byte| byte == b'\n')
        .map(|line| {
            let span = start..start + line.len();
            start = span.end + 1;
            span
        })
        .collect()
}

/// What an engine writes, in pieces: the referee takes the lines that one finds
/// who looks at the whole, in bounded memory; after a disturbance one piece is
/// thrown away with all lines that it touches, as between two thinks.
pub fn lines(input: &[u8]) -> String {
    let (steps, bytes) = parts(input, 20_000);
    let (source, sink) = io::pipe().expect("there is a pipe");
    let mut reading = Reading {
        buffer: LineBuffer::default(),
        source,
        sink,
        taken: Vec::new(),
        thrown_away: Vec::new(),
    };
    let mut at = 0;
    let mut is_disturbed = false;
    for step in steps.into_iter().chain([Step::Piece(bytes.len())]) {
        let Step::Piece(length) = step else {
            is_disturbed = true;
            continue;
        };
        let end = bytes.len().min(at + length);
        while at < end {
            let piece = at..end.min(at + LONGEST_PIECE);
            at = piece.end;
            reading.read(&bytes, piece, is_disturbed);
        }
        is_disturbed = false;
    }
    reading.taken.extend(reading.buffer.take_rest());
    assert_eq!(reading.buffer.take_rest(), None);
    let expected = expected_lines(&bytes, &reading.thrown_away);
    assert_eq!(reading.taken, expected);
    let count = |is_overlong| {
        let lines = expected.iter().filter(|line| line.is_err() == is_overlong);
        ["none", "one", "some"][lines.count().min(2)]
    };
    let thrown_away = if reading.thrown_away.is_empty() {
        ""
    } else {
        "disturbed"
    };
    format!("lines {}, overlong {}, {thrown_away}", count(false), count(true))
}

/// A line buffer at work.
struct Reading {
    buffer: LineBuffer,
    source: io::PipeReader,
    sink: io::PipeWriter,
    taken: Vec<Result<Vec<u8>, Overlong>>,
    /// What was read to be thrown away, in its order.
    thrown_away: Vec<Range<usize>>,
}

impl Reading {
    /// Reads a part of the bytes and takes its lines or throws them away.
    fn read(&mut self, bytes: &[u8], piece: Range<usize>, is_thrown_away: bool) {
        self.sink
            .write_all(&bytes[piece.clone()])
            .expect("the pipe has room");
        let mut start = piece.start;
        while start < piece.end {
            let read = lines::read_from(&self.source, &mut self.buffer);
            let end = start + read.expect("the pipe is open");
            if is_thrown_away {
                let expected = expected_discard(bytes, &self.thrown_away, &(start..end));
                assert_eq!(self.buffer.discard(), expected);
                self.thrown_away.push(start..end);
            } else {
                self.taken.extend(std::iter::from_fn(|| self.buffer.next_line()));
            }
            assert!(
                self.buffer.capacity() <= 2 * (lines::LONGEST_LINE + LONGEST_PIECE),
                "the buffer grows"
            );
            start = end;
        }
    }
}

/// What becomes of the line that stands at `span`.
#[derive(PartialEq, Eq)]
enum Fate {
    Taken,
    Overlong,
    ThrownAway,
}

/// A line is thrown away by the first piece that has a part of it, or that
/// comes while it has no end, unless it was found to be too long before.
fn fate(span: &Range<usize>, thrown_away: &[Range<usize>]) -> Fate {
    let hit = thrown_away
        .iter()
        .find(|piece| span.start < piece.end && span.end >= piece.start);
    let before = hit.map_or(span.end, |piece| piece.start);
    match hit {
        _ if before.saturating_sub(span.start) > lines::LONGEST_LINE => Fate::Overlong,
        Some(_) => Fate::ThrownAway,
        None => Fate::Taken,
    }
}

fn expected_lines(bytes: &[u8], thrown_away: &[Range<usize>]) -> Vec<Result<Vec<u8>, Overlong>> {
    let is_line = |span: &Range<usize>| span.end < bytes.len() || !span.is_empty();
    let spans = line_spans(bytes).into_iter().filter(is_line);
    spans
        .filter_map(|span| match fate(&span, thrown_away) {
            Fate::Taken => Some(Ok(bytes[span].to_vec())),
            Fate::Overlong => Some(Err(Overlong)),
            Fate::ThrownAway => None,
        })
        .collect()
}

/// How many lines a piece throws away, and the first of them, as far as it has
/// come.
fn expected_discard(bytes: &[u8], before: &[Range<usize>], piece: &Range<usize>) -> Option<(u64, Vec<u8>)> {
    let with_it: Vec<Range<usize>> = before.iter().chain([piece]).cloned().collect();
    let spans = line_spans(bytes).into_iter().filter(|span| {
        let was_there = before
            .iter()
            .any(|other| span.start < other.end && span.end >= other.start);
        !was_there && span.start < piece.end && fate(span, &with_it) == Fate::ThrownAway
    });
    let hit: Vec<Range<usize>> = spans.collect();
    let first = hit.first()?;
    let first = &bytes[first.start..first.end.min(piece.end)];
    let shown = if first.len() > lines::LONGEST_LINE {
        Vec::new()
    } else {
        first.to_vec()
    };
    Some((hit.len() as u64, shown))
}

/// What the engine hears, in pieces: it reads the lines that one finds who looks
/// at the whole; a disturbance is a read that a signal interrupts.
pub fn input(input: &[u8]) -> String {
    let (steps, bytes) = parts(input, 300_000);
    let expected: Vec<Result<String, String>> = line_spans(&bytes)
        .into_iter()
        .filter(|span| span.end < bytes.len() || !span.is_empty())
        .map(|span| match &bytes[span] {
            line if line.len() > input::MAX_LINE => Err("more than".to_string()),
            line => String::from_utf8(line.to_vec()).map_err(|error| {
                let place = error.utf8_error().valid_up_to() + 1;
                format!("byte {place} of it is wrong")
            }),
        })
        .collect();
    let source = Pieces {
        steps: steps.into(),
        bytes: &bytes,
    };
    let mut heard = Vec::new();
    let mut ends = 0;
    read_lines(BufReader::new(source), |input| {
        assert_eq!(ends, 0, "there is something behind the end");
        match input {
            Input::Line(line, _) => heard.push(Ok(line)),
            Input::Unusable(why) => heard.push(Err(why)),
            Input::End => ends += 1,
        }
        true
    });
    assert_eq!(ends, 1, "the end is told once");
    assert_eq!(heard.len(), expected.len());
    for (heard, expected) in heard.iter().zip(&expected) {
        match (heard, expected) {
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}, not {part}"),
            _ => assert_eq!(heard, expected),
        }
    }
    let errors = heard.iter().filter_map(|line| line.as_ref().err());
    errors.map(one_line).collect()
}

/// Bytes that come in pieces.
struct Pieces<'a> {
    steps: VecDeque<Step>,
    bytes: &'a [u8],
}

impl Read for Pieces<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let length = match self.steps.pop_front() {
            Some(Step::Disturbance) => return Err(ErrorKind::Interrupted.into()),
            // A read of nothing would be the end.
            Some(Step::Piece(length)) => length.max(1),
            None => self.bytes.len(),
        };
        let length = length.min(space.len());
        let read = Read::read(&mut self.bytes, &mut space[..length])?;
        Ok(read)
    }
}
