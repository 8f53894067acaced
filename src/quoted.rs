//! How an error message repeats what somebody wrote.

/// A longer text is shortened to this many characters.
const LONGEST: usize = 40;

/// A text in backticks, as [`escaped`] writes it.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", escaped(text))
}

/// A text shortened, and without what a terminal would obey: it may come from
/// anywhere.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for sign in text.chars().take(LONGEST) {
        if matches!(sign, '\'' | '"' | '\\') {
            shown.push(sign);
        } else {
            shown.extend(sign.escape_debug());
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_short_line() {
        assert_eq!(quoted("a\"ß\\"), "`a\"ß\\`");
        assert_eq!(quoted("\x1b[31m\n\u{202e}"), "`\\u{1b}[31m\\n\\u{202e}`");
        assert_eq!(quoted(&"a".repeat(40)), format!("`{}`", "a".repeat(40)));
        assert_eq!(quoted(&"a".repeat(41)), format!("`{}…`", "a".repeat(40)));
    }
}
