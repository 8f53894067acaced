//! What people see.

mod screen;

pub use screen::{Detail, GameView, Screen, labels};

use std::time::Duration;

/// `text` without anything that would disturb a terminal or a line of output,
/// cut to at most `length` characters.
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

/// A time for people: seconds with milliseconds, so that times line up.
pub fn time(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// A time for who has to find out why it was too long.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_short_and_tame() {
        assert_eq!(printable("a\x1b[31mb\tü", 20), "a\u{fffd}[31mb\u{fffd}ü");
        assert_eq!(printable("abc", 3), "abc");
        assert_eq!(printable("abcd", 3), "abc…");
    }
}
