//! Text for people: sanitising, wrapping, alignment, durations.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Sanitises untrusted text for a terminal or a line of output: control
/// characters become U+FFFD, and more than `length` characters are cut off.
#[must_use]
pub fn printable(text: &str, length: usize) -> String {
    let mut safe: String = text
        .chars()
        .take(length)
        .map(|character| {
            if character.is_control() {
                '\u{fffd}'
            } else {
                character
            }
        })
        .collect();
    if text.chars().nth(length).is_some() {
        safe.push('…');
    }
    safe
}

/// The number of terminal columns that a line of text takes (Unicode Standard
/// Annex 11).
#[must_use]
pub fn columns(text: &str) -> usize {
    text.width()
}

/// `text` with trailing spaces, at least `width` columns wide.
#[must_use]
pub fn padded(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(columns(text)))
}

/// The beginning of `text`, at most `width` columns wide.
#[must_use]
pub fn truncated(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, character)| {
        used += character.width().unwrap_or(0);
        used > width
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Wraps text between words to lines of at most 80 columns.
#[must_use]
pub fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let width = columns(word);
        if column > 0 && column + 1 + width > WIDTH {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}

/// A duration in seconds with three decimals.
#[must_use]
pub fn time(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// A duration in milliseconds with three decimals.
#[must_use]
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_long_text_between_words() {
        let word = "a".repeat(39);
        assert_eq!(
            wrapped(&format!("{word} {word} b c")),
            format!("{word} {word}\nb c")
        );
        assert_eq!(wrapped(&"a".repeat(90)), "a".repeat(90), "words are never broken");
        assert_eq!(wrapped(""), "");
    }

    #[test]
    fn replaces_control_characters_and_cuts_long_text() {
        assert_eq!(printable("a\x1b[31mb\tü", 20), "a\u{fffd}[31mb\u{fffd}ü");
        assert_eq!(printable("abc", 3), "abc");
        assert_eq!(printable("abcd", 3), "abc…");
    }

    #[test]
    fn counts_columns_of_wide_and_combining_characters() {
        assert_eq!(columns("abc"), 3);
        assert_eq!(columns("磁石"), 4);
        assert_eq!(columns("u\u{308}"), 1);
        assert_eq!(padded("磁石", 6), "磁石  ");
        assert_eq!(padded("磁石", 3), "磁石");
        assert_eq!(truncated("磁石", 3), "磁");
        assert_eq!(truncated("u\u{308}ber", 1), "u\u{308}");
        assert_eq!(truncated("abc", 3), "abc");
    }
}
