//! Foreign text in error messages: short and free of control characters.

/// Longer text is cut to this many characters.
const MAX_LENGTH: usize = 40;

/// Text in backticks, cut and escaped as by [`escaped`].
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", escaped(text))
}

/// Text cut to [`MAX_LENGTH`] characters, with control characters escaped so that a
/// terminal does not interpret them.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(MAX_LENGTH) {
        if matches!(character, '\'' | '"' | '\\') {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    if text.chars().nth(MAX_LENGTH).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_short_and_on_one_line() {
        assert_eq!(quoted("a\"ß\\"), "`a\"ß\\`");
        assert_eq!(quoted("\x1b[31m\n\u{202e}"), "`\\u{1b}[31m\\n\\u{202e}`");
        assert_eq!(quoted(&"a".repeat(40)), format!("`{}`", "a".repeat(40)));
        assert_eq!(quoted(&"a".repeat(41)), format!("`{}…`", "a".repeat(40)));
    }
}
