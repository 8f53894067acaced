//! The transcript of one engine's current game. The referee saves it if a fault decides
//! the game.
//!
//! Its memory is bounded: the oldest lines are dropped first. Lines are stored unformatted, because
//! most transcripts are never written.

use std::collections::VecDeque;
use std::time::Instant;

use crate::io::log_file;
use crate::io::untrusted::Untrusted;

/// Memory for one engine's transcript, in bytes.
const CAPACITY: usize = 64 * 1024;

/// Longer lines are cut to this many bytes.
const MAX_LINE: usize = 4 * 1024;

/// Memory per line in addition to its text, so that empty lines are bounded, too.
const OVERHEAD: usize = size_of::<TranscriptLine>();

/// The origin of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Sent by the referee.
    Referee,
    /// Written by the engine.
    Engine,
    /// A remark of the referee about the output.
    Remark,
}

impl Origin {
    /// The sign before such a line in transcripts and logs.
    pub const fn sign(self) -> char {
        match self {
            Origin::Referee => '>',
            Origin::Engine => '<',
            Origin::Remark => '#',
        }
    }
}

/// A line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptLine {
    /// Where it comes from.
    pub origin: Origin,
    /// When it was sent, or its end was read.
    pub at: Instant,
    /// Text without the line end.
    pub text: Untrusted,
    /// Bytes cut off its end.
    pub cut: usize,
}

/// The dialogue with one engine in one game.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// Number of lines dropped before the first of `lines`.
    pub lost: u64,
    /// The last lines, in order.
    pub lines: Vec<TranscriptLine>,
    /// The last lines of its standard error.
    pub stderr: Vec<String>,
}

/// The last lines, in bounded memory.
#[derive(Debug, Default)]
pub struct TranscriptBuffer {
    lines: VecDeque<TranscriptLine>,
    /// Memory of `lines`.
    size: usize,
    /// Number of lines dropped before the first of `lines`.
    pub lost: u64,
    /// The engine in the log of the match, which receives every line.
    owner: Option<String>,
}

impl TranscriptBuffer {
    /// A buffer whose lines also go to the log of the match, under this name.
    pub(crate) fn logged(owner: &str) -> TranscriptBuffer {
        TranscriptBuffer {
            owner: Some(owner.to_string()),
            ..TranscriptBuffer::default()
        }
    }

    /// Adds one line.
    pub fn push(&mut self, origin: Origin, at: Instant, line: &str) {
        if let Some(owner) = &self.owner {
            log_file::engine_line(owner, origin.sign(), line);
        }
        let kept = line.floor_char_boundary(MAX_LINE);
        let text = line.get(..kept).unwrap_or_default();
        self.size += text.len() + OVERHEAD;
        while self.size > CAPACITY
            && let Some(line) = self.lines.pop_front()
        {
            self.size -= line.text.as_bytes().len() + OVERHEAD;
            self.lost += 1;
        }
        self.lines.push_back(TranscriptLine {
            origin,
            at,
            text: text.into(),
            cut: line.len() - text.len(),
        });
    }

    /// Adds lines that were sent together.
    pub(crate) fn push_lines(&mut self, origin: Origin, at: Instant, lines: &str) {
        for line in lines.lines() {
            self.push(origin, at, line);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.lines.clear();
        (self.size, self.lost) = (0, 0);
    }

    /// The last lines, in order.
    pub fn lines(&self) -> Vec<TranscriptLine> {
        self.lines.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(transcript: &TranscriptBuffer) -> Vec<String> {
        transcript
            .lines()
            .into_iter()
            .map(|line| line.text.raw().to_string())
            .collect()
    }

    #[test]
    fn keeps_the_last_lines_in_bounded_memory() {
        let mut transcript = TranscriptBuffer::default();
        let now = Instant::now();
        for number in 0..100_000 {
            transcript.push(Origin::Engine, now, &format!("line {number}"));
        }
        let lines = texts(&transcript);
        assert_eq!(lines.last().unwrap(), "line 99999");
        assert_eq!(lines.len() as u64 + transcript.lost, 100_000);
        assert_eq!(lines[0], format!("line {}", transcript.lost));
        assert!(transcript.size <= CAPACITY);
        assert!(lines.len() > 500);
        for _ in 0..100_000 {
            transcript.push(Origin::Engine, now, "");
        }
        assert!(OVERHEAD * transcript.lines.len() <= CAPACITY);
        transcript.clear();
        assert_eq!((texts(&transcript).len(), transcript.lost), (0, 0));
    }

    #[test]
    fn cuts_long_lines_between_characters() {
        let mut transcript = TranscriptBuffer::default();
        let line = format!("{}ü and more", "a".repeat(MAX_LINE - 1));
        transcript.push(Origin::Engine, Instant::now(), &line);
        let cut = &transcript.lines()[0];
        assert_eq!(cut.text.as_bytes().len(), MAX_LINE - 1);
        assert_eq!(cut.cut, "ü and more".len());
    }

    #[test]
    fn splits_lines_that_were_sent_together() {
        let mut transcript = TranscriptBuffer::default();
        transcript.push_lines(Origin::Referee, Instant::now(), "position startpos\ngo depth 1\n");
        transcript.push(Origin::Remark, Instant::now(), "");
        assert_eq!(texts(&transcript), ["position startpos", "go depth 1", ""]);
        assert_eq!(transcript.lines()[0].origin, Origin::Referee);
    }
}
