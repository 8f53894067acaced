//! Untrusted text for people: in error messages, on a terminal, in a line of a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Input that an error message repeats is cut to this many characters.
pub(crate) const MAX_QUOTE: usize = 40;

/// The byte order mark of UTF-8, which some editors and shells write before a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// `text` without a byte order mark at its beginning.
pub fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Opens a text file, after its byte order mark.
///
/// # Errors
/// It cannot be opened or read.
pub fn open(path: &Path) -> io::Result<BufReader<File>> {
    let mut file = BufReader::new(File::open(path)?);
    let begin = file.fill_buf()?;
    let mark = begin.len() - without_byte_order_mark(begin).len();
    file.consume(mark);
    Ok(file)
}

/// Makes untrusted text safe for a terminal and for one line of output: at most `length`
/// characters, and escapes (`\n`, `\u{1b}`) for those that are not [printable](is_printable).
///
/// ```
/// use lodestone::text::printable;
///
/// assert_eq!(printable("\x1b[31mred", 8), r"\u{1b}[31mred");
/// assert_eq!(printable("too long", 3), "too…");
/// ```
#[must_use]
pub fn printable(text: &str, length: usize) -> String {
    let mut shown = String::new();
    for character in text.chars().take(length) {
        if is_printable(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    if text.chars().nth(length).is_some() {
        shown.push('…');
    }
    shown
}

/// Whether a character may be shown as it is. Control characters, line separators,
/// characters that change the direction of text, and invisible ones may not.
#[must_use]
pub fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
        )
        && !matches!(character, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

/// Text in backticks for an error message: short and [`printable`].
pub fn quoted(text: &str) -> String {
    format!("`{}`", printable(text, MAX_QUOTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_is_not_printable() {
        assert_eq!(printable("a\"'ß\\ü磁", 20), "a\"'ß\\ü磁");
        assert_eq!(printable("u\u{308}\u{1f600}", 20), "u\u{308}\u{1f600}");
        assert_eq!(
            printable("\0\t\r\n\x1b[31m\x7f\u{9b}", 20),
            r"\0\t\r\n\u{1b}[31m\u{7f}\u{9b}"
        );
        for invisible in [
            '\u{61c}', '\u{200b}', '\u{200f}', '\u{2028}', '\u{202e}', '\u{2066}', '\u{feff}',
        ] {
            let escape = format!("\\u{{{:x}}}", u32::from(invisible));
            assert_eq!(printable(&invisible.to_string(), 1), escape);
        }
    }

    #[test]
    fn cuts_long_text() {
        assert_eq!(printable("abc", 3), "abc");
        assert_eq!(printable("abcd", 3), "abc…");
        assert_eq!(quoted(&"a".repeat(40)), format!("`{}`", "a".repeat(40)));
        assert_eq!(quoted(&"a".repeat(41)), format!("`{}…`", "a".repeat(40)));
    }
}
