//! The escape sequences that redraw lines in place (ECMA-48).

use std::fmt::Write;

use crate::io::text::columns;
use unicode_width::UnicodeWidthChar;

/// Erases from the cursor to the end of the line (EL).
const ERASE_LINE: &str = "\x1b[K";

/// Erases from the cursor to the end of the screen (ED).
const ERASE_BELOW: &str = "\x1b[J";

/// Ends all colours (SGR).
const RESET_STYLE: &str = "\x1b[0m";

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// The number of lines.
    pub rows: usize,
    /// The number of characters of a line.
    pub columns: usize,
}

impl TerminalSize {
    /// The size if the terminal does not tell its own.
    pub(super) const DEFAULT: TerminalSize = TerminalSize {
        rows: 24,
        columns: 80,
    };
}

/// The lines on the terminal.
///
/// The cursor stays at the start of the first line. A terminal that wraps its lines again
/// after a change of width moves the cursor with its line, so the sequence "erase below"
/// always removes all lines, and no others.
#[derive(Debug, Default)]
pub(super) struct Frame {
    lines: Vec<String>,
    size: Option<TerminalSize>,
    /// The sequence that draws the lines below the cursor.
    drawing: String,
}

impl Frame {
    /// The sequence that replaces the lines, or `None` if they are unchanged. Lines that are
    /// too long are cut.
    pub fn replace(&mut self, lines: Vec<String>, size: TerminalSize) -> Option<String> {
        let is_resized = self.size != Some(size);
        let is_empty = self.lines.is_empty() && lines.is_empty();
        if is_empty || (self.lines == lines && !is_resized) {
            return None;
        }
        self.drawing = draw(&lines, size);
        self.lines = lines;
        self.size = Some(size);
        let before = if is_resized { ERASE_BELOW } else { "" };
        Some(format!("{before}{}", self.drawing))
    }

    /// The sequence that draws the lines below the cursor.
    pub fn redraw(&self) -> &str {
        &self.drawing
    }

    /// The sequence that erases the lines, to write other output in their place.
    pub const fn erase() -> &'static str {
        ERASE_BELOW
    }

    /// The sequence that moves the cursor below the lines and forgets them, so that they
    /// stay. It draws them again first, because the terminal may have echoed a key such as
    /// Ctrl-C.
    pub fn leave(&mut self) -> String {
        let Frame { lines, size, drawing } = std::mem::take(self);
        let height = lines.len().min(size.unwrap_or(TerminalSize::DEFAULT).rows);
        format!("\r{drawing}{}", "\r\n".repeat(height))
    }

    /// Forgets the lines, which have been erased.
    pub fn forget(&mut self) {
        *self = Frame::default();
    }

    /// Whether no lines are shown.
    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The sequence that draws lines below the cursor, and moves it back to their start.
fn draw(lines: &[String], size: TerminalSize) -> String {
    // A character in the last column makes some terminals wrap.
    let width = size.columns.saturating_sub(1);
    let shown: Vec<String> = lines
        .iter()
        .take(size.rows)
        .map(|line| cut(line, width) + ERASE_LINE)
        .collect();
    let mut text = shown.join("\r\n") + ERASE_BELOW + "\r";
    if shown.len() > 1 {
        let _ = write!(text, "\x1b[{}A", shown.len() - 1);
    }
    text
}

/// The beginning of a line that may have colours, at most `width` columns wide.
fn cut(line: &str, width: usize) -> String {
    let (mut text, mut used) = (String::new(), 0);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\x1b' {
            // A control sequence ends with its first letter.
            text.push(character);
            for part in characters.by_ref() {
                text.push(part);
                if part.is_ascii_alphabetic() {
                    break;
                }
            }
            continue;
        }
        used += character.width().unwrap_or(0);
        if used > width {
            if text.contains('\x1b') {
                text.push_str(RESET_STYLE);
            }
            break;
        }
        text.push(character);
    }
    text
}

/// The first text that is at most `width` columns wide; empty if there is none.
pub fn first_that_fits(texts: impl IntoIterator<Item = String>, width: usize) -> String {
    let mut texts = texts.into_iter();
    texts.find(|text| columns(text) <= width).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal of 6 lines with 20 columns that has received this output.
    fn terminal(output: &[&str]) -> vt100::Parser {
        let [rows, columns] = [6, 20].map(|size| std::num::NonZeroU16::new(size).unwrap());
        let mut terminal = vt100::Parser::new(rows, columns, 0);
        terminal.process(output.concat().as_bytes());
        terminal
    }

    fn screen(terminal: &vt100::Parser) -> Vec<String> {
        terminal
            .screen()
            .rows(0, 20)
            .map(|row| row.trim_end().to_string())
            .collect()
    }

    const SIZE: TerminalSize = TerminalSize { rows: 6, columns: 20 };

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.into()).collect()
    }

    #[test]
    fn replaces_lines_in_place() {
        let mut frame = Frame::default();
        let first = frame
            .replace(lines(&["a long line", "two", "three"]), SIZE)
            .unwrap();
        assert_eq!(frame.replace(lines(&["a long line", "two", "three"]), SIZE), None);
        let second = frame.replace(lines(&["short", "2"]), SIZE).unwrap();
        let shown = terminal(&["above\r\n", &first, &second]);
        assert_eq!(screen(&shown), ["above", "short", "2", "", "", ""]);
        assert_eq!(shown.screen().cursor_position(), (1, 0));

        let printed = format!("{}other\r\n{}", Frame::erase(), frame.redraw());
        let shown = terminal(&["above\r\n", &first, &second, &printed]);
        assert_eq!(screen(&shown), ["above", "other", "short", "2", "", ""]);
        let left = frame.leave();
        let shown = terminal(&["above\r\n", &first, &second, &printed, &left, "$"]);
        assert_eq!(screen(&shown), ["above", "other", "short", "2", "$", ""]);
    }

    #[test]
    fn scrolls_at_the_end_of_the_screen() {
        let mut frame = Frame::default();
        let drawn = frame.replace(lines(&["one", "two", "three"]), SIZE).unwrap();
        let again = frame.replace(lines(&["1", "2", "3"]), SIZE).unwrap();
        let shown = terminal(&["a\r\nb\r\nc\r\nd\r\ne\r\n", &drawn, &again]);
        assert_eq!(screen(&shown), ["c", "d", "e", "1", "2", "3"]);
    }

    #[test]
    fn cuts_what_does_not_fit() {
        let mut frame = Frame::default();
        let long = "x".repeat(30);
        let all: Vec<&str> = vec![&long; 9];
        let drawn = frame.replace(lines(&all), SIZE).unwrap();
        assert_eq!(screen(&terminal(&[&drawn])), vec!["x".repeat(19); 6]);

        assert_eq!(cut("ab\x1b[1mcd\x1b[0mef", 5), "ab\x1b[1mcd\x1b[0me\x1b[0m");
        assert_eq!(cut("ab\x1b[1mcd\x1b[0m", 4), "ab\x1b[1mcd\x1b[0m");
        assert_eq!(cut("磁石", 3), "磁");
    }

    #[test]
    fn finds_the_first_text_that_fits() {
        let texts = || ["a long text", "short", "x"].map(String::from);
        assert_eq!(first_that_fits(texts(), 80), "a long text");
        assert_eq!(first_that_fits(texts(), 5), "short");
        assert_eq!(first_that_fits(texts(), 0), "");
    }
}
