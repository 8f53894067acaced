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
}

impl Tail {
    /// Appends output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * KEPT {
            self.bytes.drain(..self.bytes.len() - KEPT);
        }
    }

    /// The last lines, safe to print.
    pub fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
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
    }
}
