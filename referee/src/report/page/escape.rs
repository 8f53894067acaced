//! Escaping of untrusted text for the page.

use std::fmt::Write as _;

use crate::io::text::printable;

/// The text of an element or an attribute value: markup is escaped, and characters that
/// cannot be shown are spelled out.
pub fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text, usize::MAX).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// JSON that may stand in a `script` element. These characters occur in strings only, where
/// an escape means the same.
pub fn json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(character));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            html("</td><script>alert(\"1\" & '2')</script>"),
            "&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;"
        );
        assert!(!html("a\u{202e}b\u{7}").contains(['\u{202e}', '\u{7}']));
    }

    proptest! {
        #[test]
        fn escaped_json_means_the_same(text in any::<String>()) {
            let text = format!("{text}</script><!--&\u{2028}\u{2029}");
            let escaped = json(&serde_json::to_string(&text).unwrap());
            let has_markup = escaped.contains(['<', '>', '&', '\u{2028}', '\u{2029}']);
            prop_assert!(!has_markup);
            prop_assert_eq!(serde_json::from_str::<Value>(&escaped).unwrap(), Value::String(text));
        }
    }
}
