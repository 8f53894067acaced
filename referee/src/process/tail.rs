//! The last lines that an engine wrote to stderr.

use crate::io::text::printable;

/// Minimum number of bytes kept; the maximum is twice as many.
const KEPT: usize = 4 * 1024;

/// Maximum length of a line, in characters.
const MAX_LINE: usize = 400;

/// The last few kilobytes of a stream.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
    /// Number of bytes in the whole stream so far.
    total: u64,
}

impl Tail {
    /// Appends output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.total += bytes.len() as u64;
        if self.bytes.len() > 2 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
        }
    }

    /// Number of bytes in the whole stream so far.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The last lines, safe to print.
    pub fn lines(&self) -> Vec<String> {
        self.lines_since(0)
    }

    /// The last lines after this many bytes of the stream.
    pub fn lines_since(&self, total: u64) -> Vec<String> {
        let new = (self.total.saturating_sub(total) as usize).min(self.bytes.len());
        let text = String::from_utf8_lossy(&self.bytes[self.bytes.len() - new..]);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| printable(line, MAX_LINE)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines_in_bounded_memory() {
        let mut tail = Tail::default();
        for number in 0..10_000 {
            tail.push(format!("line {number}\n\n").as_bytes());
        }
        assert!(tail.bytes.len() <= 2 * KEPT);
        let lines = tail.lines();
        assert!(lines.len() > 200);
        assert_eq!(lines.last().unwrap(), "line 9999");
        let total = tail.total();
        assert_eq!(tail.lines_since(total).len(), 0);
        tail.push(b"one\ntwo\n");
        assert_eq!(tail.lines_since(total), ["one", "two"]);
    }
}
