//! Command lines for a shell.

use crate::system::files::quote;

/// The words, quoted where a shell needs it, with spaces between them.
pub fn join(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word, quoted if a shell needs it. Settings such as `st=1` stay as they are.
pub fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "=._-/+:,@%".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    quote(word).unwrap_or_else(|_| word.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::files::{STARTS_SCRIPTS, split_words};

    #[test]
    fn quotes_only_what_a_shell_would_change() {
        let line = ["a", "st=0.5", "-x", "two words", "", "a*", "$HOME"];
        if STARTS_SCRIPTS {
            assert_eq!(join(&line), "a st=0.5 -x 'two words' '' 'a*' '$HOME'");
        } else {
            assert_eq!(join(&line), r#"a st=0.5 -x "two words" "" "a*" "$HOME""#);
        }
        assert_eq!(split_words(&join(&line)).unwrap(), line);
    }
}
