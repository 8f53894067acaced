//! The output of a program as text, in bounded memory.

use std::ops::Range;

use anstream::adapter::StripBytes;

use crate::io::text::printable;

/// Maximum length of the text that is kept, in bytes.
const MAX_KEPT: usize = 64 * 1024;

/// Maximum length of a line in an error message, in characters.
const MAX_LINE: usize = 60;

/// Maximum number of lines below an error message.
const MAX_LINES: usize = 16;

/// Maximum length of each, in characters.
const MAX_SCREEN_LINE: usize = 100;

/// The text that a program has written: without escape sequences, with `\n` as line end, and
/// with U+FFFD for bytes that are not UTF-8.
#[derive(Debug, Default)]
pub struct ScreenText {
    /// The end of the whole text.
    text: String,
    /// Where the text begins that was not consumed.
    unread: usize,
    /// Removes escape sequences from UTF-8 text.
    stripper: StripBytes,
    /// The beginning of a character.
    pending: Vec<u8>,
    /// Whether the last character was a carriage return.
    after_return: bool,
}

impl ScreenText {
    /// Appends output. Returns the new text.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let mut new = String::new();
        for chunk in self.pending.utf8_chunks() {
            new.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                new.push(char::REPLACEMENT_CHARACTER);
            }
        }
        let incomplete = incomplete_end(&self.pending);
        if incomplete > 0 {
            // The replacement character stands for the incomplete one.
            new.pop();
        }
        self.pending.drain(..self.pending.len() - incomplete);
        let plain: Vec<u8> = self
            .stripper
            .strip_next(new.as_bytes())
            .flatten()
            .copied()
            .collect();
        let new = String::from_utf8_lossy(&plain);
        let new = self.with_line_feeds(&new);
        self.text.push_str(&new);
        self.shorten();
        new
    }

    /// Replaces carriage returns, alone or before a line feed, by line feeds.
    fn with_line_feeds(&mut self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        for sign in text.chars() {
            match sign {
                '\r' => plain.push('\n'),
                '\n' if self.after_return => {}
                sign => plain.push(sign),
            }
            self.after_return = sign == '\r';
        }
        plain
    }

    /// Drops the oldest text.
    fn shorten(&mut self) {
        if self.text.len() > 2 * MAX_KEPT {
            let cut = self.text.ceil_char_boundary(self.text.len() - MAX_KEPT);
            self.text.drain(..cut);
            self.unread = self.unread.saturating_sub(cut);
        }
    }

    /// The text that was not consumed.
    pub fn unread(&self) -> &str {
        self.text.get(self.unread..).unwrap_or_default()
    }

    /// Consumes this part of [`ScreenText::unread`], and what is before it.
    pub fn consume(&mut self, part: &Range<usize>) {
        let end = self.unread + part.end;
        self.unread = self.text.ceil_char_boundary(end.min(self.text.len()));
    }

    /// Consumes everything.
    pub const fn consume_all(&mut self) {
        self.unread = self.text.len();
    }

    /// The last line that is not blank, quoted for an error message.
    pub fn last_line(&self) -> String {
        let lines = self.text.lines().map(str::trim);
        match lines.rev().find(|line| !line.is_empty()) {
            Some(line) => format!("its last line is `{}`", printable(line, MAX_LINE)),
            None => "it has written nothing".to_string(),
        }
    }

    /// The last lines, safe to print.
    pub fn last_lines(&self) -> Vec<String> {
        let lines: Vec<&str> = self.text.trim_end().lines().collect();
        let last = lines.iter().skip(lines.len().saturating_sub(MAX_LINES));
        last.map(|line| printable(&line.replace('\t', "    "), MAX_SCREEN_LINE))
            .collect()
    }
}

/// The number of bytes at the end that are the beginning of a character.
fn incomplete_end(bytes: &[u8]) -> usize {
    // The last invalid part decides.
    let last = bytes
        .utf8_chunks()
        .last()
        .map_or(&[][..], |chunk| chunk.invalid());
    match std::str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text of these bytes, in pieces of this size.
    fn text(bytes: &[u8], size: usize) -> String {
        let mut screen = ScreenText::default();
        let pieces: Vec<String> = bytes.chunks(size).map(|piece| screen.push(piece)).collect();
        assert_eq!(pieces.concat(), screen.unread());
        screen.unread().to_string()
    }

    #[test]
    fn text_does_not_depend_on_the_size_of_reads() {
        let bytes = "\x1b[2J\x1b[1;31mA■\x1b[0m\r\nb\rc\n\n\u{1b}]0;title\u{7}磁\t石".as_bytes();
        for size in 1..bytes.len() {
            assert_eq!(text(bytes, size), "A■\nb\nc\n\n磁\t石", "{size}");
        }
        assert_eq!(
            text(b"a\xffb\xe2\x96", 9),
            "a\u{fffd}b",
            "the last character may be completed"
        );
    }

    #[test]
    fn consumes_parts_and_forgets_the_oldest_text() {
        let mut screen = ScreenText::default();
        screen.push("one ■ two".as_bytes());
        screen.consume(&(0..3));
        assert_eq!(screen.unread(), " ■ two");
        screen.consume(&(0..2));
        assert_eq!(screen.unread(), " two", "a character is consumed whole");
        screen.consume_all();
        assert_eq!(screen.unread(), "");
        for number in 0..100_000 {
            screen.push(format!("line {number} ■\n").as_bytes());
        }
        assert!(screen.text.len() <= 2 * MAX_KEPT);
        assert_eq!(screen.last_line(), "its last line is `line 99999 ■`");
        assert_eq!(screen.last_lines().len(), MAX_LINES);
        assert!(screen.unread().ends_with("line 99999 ■\n"));
    }

    #[test]
    fn quotes_the_last_line() {
        let mut screen = ScreenText::default();
        assert_eq!(screen.last_line(), "it has written nothing");
        screen.push(b"Your \x07choice: \n \n");
        assert_eq!(screen.last_line(), "its last line is `Your choice:`");
    }

    proptest! {
        #[test]
        fn any_bytes_are_text(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1..20_usize) {
            let text = text(&bytes, size);
            prop_assert!(!text.contains(['\x1b', '\r']));
        }
    }
}
