//! The end of what an engine wrote to stderr.

use crate::io::text::printable;

/// How many bytes are kept at least, once so many came.
const KEPT: usize = 4 * 1024;

/// How many characters of a line are shown.
const SHOWN_LENGTH: usize = 400;

/// Keeps the last few kilobytes of a stream.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    /// Adds what came next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
        }
    }

    /// The last lines, fit to be printed.
    pub fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| printable(line, SHOWN_LENGTH)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_in_bounded_memory() {
        let mut tail = Tail::default();
        for number in 0..10_000 {
            tail.push(format!("line {number}\n\n").as_bytes());
        }
        assert!(tail.bytes.len() <= 2 * KEPT);
        let lines = tail.lines();
        assert!(lines.len() > 200);
        assert_eq!(lines.last().unwrap(), "line 9999");
    }
}
