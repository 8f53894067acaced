//! What was said between the referee and one engine in the current game, kept
//! for the case that the game is lost by a fault.
//!
//! It is kept in bounded memory, the oldest lines given up first, and nothing
//! is made of the lines but copies until somebody wants to read them.

use std::collections::VecDeque;
use std::time::Instant;

/// So much is kept of one engine's conversation, in bytes.
const KEPT: usize = 64 * 1024;

/// A longer line is cut to so many bytes.
const LONGEST_KEPT: usize = 4 * 1024;

/// What a line costs beside its text, so that empty ones cannot fill the
/// memory either.
const OVERHEAD: usize = size_of::<Mark>();

/// Whose a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The referee sent it.
    Referee,
    /// The engine wrote it.
    Engine,
    /// It is a remark about what the engine wrote.
    Remark,
}

/// One line of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptLine {
    /// Whose it is.
    pub origin: Origin,
    /// When it was sent, or its end was read.
    pub at: Instant,
    /// The line without its end.
    pub text: String,
    /// How many bytes were cut off its end.
    pub cut: usize,
}

/// What is known of an engine's game.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// How many lines came before the first of `lines`.
    pub lost: u64,
    /// The last lines in their order.
    pub lines: Vec<TranscriptLine>,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
}

/// One kept line without its text.
#[derive(Clone, Copy, Debug)]
struct Mark {
    origin: Origin,
    at: Instant,
    length: usize,
    cut: usize,
}

/// The last lines of a conversation.
#[derive(Debug, Default)]
pub struct TranscriptBuffer {
    marks: VecDeque<Mark>,
    /// The texts of all lines, one behind the other.
    bytes: VecDeque<u8>,
    /// How many lines were given up.
    lost: u64,
}

impl TranscriptBuffer {
    /// Adds one line.
    pub fn push(&mut self, origin: Origin, at: Instant, line: &str) {
        let kept = line.floor_char_boundary(LONGEST_KEPT);
        let text = line.get(..kept).unwrap_or_default();
        while self.bytes.len() + text.len() + OVERHEAD * (self.marks.len() + 1) > KEPT
            && let Some(mark) = self.marks.pop_front()
        {
            self.bytes.drain(..mark.length.min(self.bytes.len()));
            self.lost += 1;
        }
        self.bytes.extend(text.as_bytes());
        self.marks.push_back(Mark {
            origin,
            at,
            length: text.len(),
            cut: line.len() - text.len(),
        });
    }

    /// Adds whole lines that were sent together.
    pub fn push_lines(&mut self, origin: Origin, at: Instant, lines: &str) {
        for line in lines.lines() {
            self.push(origin, at, line);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.marks.clear();
        self.bytes.clear();
        self.lost = 0;
    }

    /// How many lines were said before the first of [`TranscriptBuffer::lines`].
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// The last lines in their order.
    pub fn lines(&self) -> Vec<TranscriptLine> {
        let mut bytes = self.bytes.iter().copied();
        let said = |mark: &Mark| {
            let text: Vec<u8> = bytes.by_ref().take(mark.length).collect();
            TranscriptLine {
                origin: mark.origin,
                at: mark.at,
                text: String::from_utf8_lossy(&text).into_owned(),
                cut: mark.cut,
            }
        };
        self.marks.iter().map(said).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(transcript: &TranscriptBuffer) -> Vec<String> {
        transcript.lines().into_iter().map(|said| said.text).collect()
    }

    #[test]
    fn the_last_lines_are_kept_in_bounded_memory() {
        let mut transcript = TranscriptBuffer::default();
        let now = Instant::now();
        for number in 0..100_000 {
            transcript.push(Origin::Engine, now, &format!("line {number}"));
        }
        let lines = texts(&transcript);
        assert_eq!(lines.last().unwrap(), "line 99999");
        assert_eq!(lines.len() as u64 + transcript.lost(), 100_000);
        assert_eq!(lines[0], format!("line {}", transcript.lost()));
        assert!(transcript.bytes.len() + OVERHEAD * transcript.marks.len() <= KEPT);
        assert!(lines.len() > 500);
        for _ in 0..100_000 {
            transcript.push(Origin::Engine, now, "");
        }
        assert!(OVERHEAD * transcript.marks.len() <= KEPT);
        transcript.clear();
        assert_eq!((texts(&transcript).len(), transcript.lost()), (0, 0));
    }

    #[test]
    fn a_long_line_is_cut_between_two_characters() {
        let mut transcript = TranscriptBuffer::default();
        let line = format!("{}ü and more", "a".repeat(LONGEST_KEPT - 1));
        transcript.push(Origin::Engine, Instant::now(), &line);
        let said = &transcript.lines()[0];
        assert_eq!(said.text.len(), LONGEST_KEPT - 1);
        assert_eq!(said.cut, "ü and more".len());
    }

    #[test]
    fn lines_sent_together_stand_alone() {
        let mut transcript = TranscriptBuffer::default();
        transcript.push_lines(Origin::Referee, Instant::now(), "position startpos\ngo depth 1\n");
        transcript.push(Origin::Remark, Instant::now(), "");
        assert_eq!(texts(&transcript), ["position startpos", "go depth 1", ""]);
        assert_eq!(transcript.lines()[0].origin, Origin::Referee);
    }
}
