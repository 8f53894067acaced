//! Text for people: foreign text made safe to print, wrapping, times.

use std::time::Duration;

/// `text` without anything that would disturb a terminal or a line of output,
/// cut to at most `length` characters.
#[must_use]
pub fn printable(text: &str, length: usize) -> String {
    let mut shown: String = text
        .chars()
        .take(length)
        .map(|sign| if sign.is_control() { '\u{fffd}' } else { sign })
        .collect();
    if text.chars().nth(length).is_some() {
        shown.push('…');
    }
    shown
}

/// Sentences broken into lines that fit a terminal of 80 columns.
#[must_use]
pub fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

/// A time for people: seconds with milliseconds, so that times line up.
#[must_use]
pub fn time(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// A time for who has to find out why it was too long.
#[must_use]
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_broken_between_words() {
        let word = "a".repeat(39);
        assert_eq!(
            wrapped(&format!("{word} {word} b c")),
            format!("{word} {word}\nb c")
        );
        assert_eq!(wrapped(&"a".repeat(90)), "a".repeat(90), "a word is never broken");
        assert_eq!(wrapped(""), "");
    }

    #[test]
    fn printable_text_is_short_and_tame() {
        assert_eq!(printable("a\x1b[31mb\tü", 20), "a\u{fffd}[31mb\u{fffd}ü");
        assert_eq!(printable("abc", 3), "abc");
        assert_eq!(printable("abcd", 3), "abc…");
    }
}
