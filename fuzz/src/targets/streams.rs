//! Byte streams that are split into lines: the output of engines, and the engine's
//! input.
//!
//! The first line of an input is a plan of the reads: a digit D is a chunk of 4^D
//! bytes, `!` an interruption, any other byte a chunk of as many bytes as its value.
//! The last chunk is everything that is left. In the bytes after the plan, a `~` stands
//! for many letters.

use std::collections::VecDeque;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::ops::Range;

use lodestone_game::input::{self, Input, read_lines};
use lodestone_game::text::without_byte_order_mark;
use referee_core::io::lines::{LONGEST_LINE, LineBuffer, Overlong, read_from};
use referee_core::system::pipes::Reader as PipeReader;

use super::support::{one_line, output_of, stretched};

/// Maximum number of bytes after the plan.
const MAX_BYTES: usize = 3 << 20;

/// Maximum length of a chunk in bytes. A pipe takes it in one write.
const MAX_CHUNK: usize = 1 << 15;

/// A step of the plan.
#[derive(Clone, Copy, Debug)]
enum Step {
    Chunk(usize),
    Interruption,
}

/// Splits an input into the plan and its bytes; a `~` stands for `letters` letters.
fn plan_and_bytes(input: &[u8], letters: usize) -> (Vec<Step>, Vec<u8>) {
    let end = input.iter().position(|&byte| byte == b'\n');
    let (plan, rest) = input.split_at(end.unwrap_or(0));
    let step = |&byte: &u8| match byte {
        b'0'..=b'9' => Step::Chunk(1 << (2 * (byte - b'0'))),
        b'!' => Step::Interruption,
        _ => Step::Chunk(byte.into()),
    };
    let mut rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    // The line buffer drops a byte order mark, which the models do not know.
    while rest.starts_with(b"\xef\xbb\xbf") {
        rest = without_byte_order_mark(rest);
    }
    (
        plan.iter().map(step).collect(),
        stretched(rest, letters, MAX_BYTES),
    )
}

/// The ranges of the lines, without their line ends. The last line has none.
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

/// The output of an engine, in chunks. The referee's line buffer must find the same
/// lines as a search of the whole output, in bounded memory. After an interruption it
/// discards one chunk, with all lines that the chunk touches, as between two moves.
pub fn lines(input: &[u8]) -> String {
    let (steps, bytes) = plan_and_bytes(input, 20_000);
    let (source, sink) = io::pipe().expect("a pipe can be made");
    let mut reader = Reader {
        buffer: LineBuffer::default(),
        source: output_of(source),
        sink,
        taken: Vec::new(),
        discarded: Vec::new(),
    };
    let mut at = 0;
    let mut is_interrupted = false;
    for step in steps.into_iter().chain([Step::Chunk(bytes.len())]) {
        let Step::Chunk(length) = step else {
            is_interrupted = true;
            continue;
        };
        let end = bytes.len().min(at + length);
        while at < end {
            let chunk = at..end.min(at + MAX_CHUNK);
            at = chunk.end;
            reader.read(&bytes, chunk, is_interrupted);
        }
        is_interrupted = false;
    }
    reader.taken.extend(reader.buffer.take_rest());
    assert_eq!(reader.buffer.take_rest(), None);
    let expected = expected_lines(&bytes, &reader.discarded);
    assert_eq!(reader.taken, expected);
    let count = |is_overlong| {
        let lines = expected.iter().filter(|line| line.is_err() == is_overlong);
        ["none", "one", "some"][lines.count().min(2)]
    };
    let discarded = if reader.discarded.is_empty() {
        ""
    } else {
        "interrupted"
    };
    format!("lines {}, overlong {}, {discarded}", count(false), count(true))
}

/// A line buffer that reads from a pipe.
struct Reader {
    buffer: LineBuffer,
    source: PipeReader,
    sink: io::PipeWriter,
    taken: Vec<Result<Vec<u8>, Overlong>>,
    /// The discarded ranges, in order.
    discarded: Vec<Range<usize>>,
}

impl Reader {
    /// Reads a chunk, and takes its lines or discards them.
    fn read(&mut self, bytes: &[u8], chunk: Range<usize>, is_discarded: bool) {
        self.sink
            .write_all(&bytes[chunk.clone()])
            .expect("the pipe has room");
        let mut start = chunk.start;
        while start < chunk.end {
            let read = read_from(&self.source, &mut self.buffer);
            let end = start + read.expect("the pipe is open");
            if is_discarded {
                let expected = expected_discard(bytes, &self.discarded, &(start..end));
                assert_eq!(self.buffer.discard(), expected);
                self.discarded.push(start..end);
            } else {
                self.taken.extend(std::iter::from_fn(|| self.buffer.next_line()));
            }
            assert!(
                self.buffer.capacity() <= 2 * (LONGEST_LINE + MAX_CHUNK),
                "the buffer grows"
            );
            start = end;
        }
    }
}

/// The expected treatment of a line.
#[derive(PartialEq, Eq)]
enum Treatment {
    Taken,
    Overlong,
    Discarded,
}

/// A line is discarded by the first discarded chunk that holds a part of it or arrives
/// before its end, unless the line was too long before.
fn treatment(span: &Range<usize>, discarded: &[Range<usize>]) -> Treatment {
    let hit = discarded
        .iter()
        .find(|chunk| span.start < chunk.end && span.end >= chunk.start);
    let before = hit.map_or(span.end, |chunk| chunk.start);
    match hit {
        _ if before.saturating_sub(span.start) > LONGEST_LINE => Treatment::Overlong,
        Some(_) => Treatment::Discarded,
        None => Treatment::Taken,
    }
}

fn expected_lines(bytes: &[u8], discarded: &[Range<usize>]) -> Vec<Result<Vec<u8>, Overlong>> {
    let is_line = |span: &Range<usize>| span.end < bytes.len() || !span.is_empty();
    let spans = line_spans(bytes).into_iter().filter(is_line);
    spans
        .filter_map(|span| match treatment(&span, discarded) {
            Treatment::Taken => Some(Ok(bytes[span].to_vec())),
            Treatment::Overlong => Some(Err(Overlong(bytes[span].iter().copied().take(256).collect()))),
            Treatment::Discarded => None,
        })
        .collect()
}

/// The number of lines that a chunk discards, and the part of the first line that has
/// arrived.
fn expected_discard(bytes: &[u8], before: &[Range<usize>], chunk: &Range<usize>) -> Option<(u64, Vec<u8>)> {
    let with_it: Vec<Range<usize>> = before.iter().chain([chunk]).cloned().collect();
    let spans = line_spans(bytes).into_iter().filter(|span| {
        let was_there = before
            .iter()
            .any(|other| span.start < other.end && span.end >= other.start);
        !was_there && span.start < chunk.end && treatment(span, &with_it) == Treatment::Discarded
    });
    let hit: Vec<Range<usize>> = spans.collect();
    let first = hit.first()?;
    let first = &bytes[first.start..first.end.min(chunk.end)];
    let shown = if first.len() > LONGEST_LINE {
        Vec::new()
    } else {
        first.to_vec()
    };
    Some((hit.len() as u64, shown))
}

/// The engine's input, in chunks. The reader must find the same lines as a search of
/// the whole input. An interruption is a read that fails because of a signal.
pub fn input(input: &[u8]) -> String {
    let (steps, bytes) = plan_and_bytes(input, 300_000);
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
    let source = PlannedReader {
        steps: steps.into(),
        bytes: &bytes,
    };
    let mut received = Vec::new();
    let mut ends = 0;
    read_lines(BufReader::new(source), |input| {
        assert_eq!(ends, 0, "there is input after the end");
        match input {
            Input::Line(line, _) => received.push(Ok(line)),
            Input::Unusable { error, .. } => received.push(Err(error)),
            Input::End => ends += 1,
        }
        true
    });
    assert_eq!(ends, 1, "the end is reported once");
    assert_eq!(received.len(), expected.len());
    for (received, expected) in received.iter().zip(&expected) {
        match (received, expected) {
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}, not {part}"),
            _ => assert_eq!(received, expected),
        }
    }
    let errors = received.iter().filter_map(|line| line.as_ref().err());
    errors.map(one_line).collect()
}

/// A source that follows the plan.
struct PlannedReader<'a> {
    steps: VecDeque<Step>,
    bytes: &'a [u8],
}

impl Read for PlannedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match self.steps.pop_front() {
            Some(Step::Interruption) => return Err(ErrorKind::Interrupted.into()),
            // An empty read would mean the end of input.
            Some(Step::Chunk(length)) => length.max(1),
            None => self.bytes.len(),
        };
        let length = length.min(buffer.len());
        let read = Read::read(&mut self.bytes, &mut buffer[..length])?;
        Ok(read)
    }
}
