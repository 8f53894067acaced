//! Command lines for a shell.

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
    shlex::try_quote(word).map_or_else(|_| word.to_string(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_only_what_a_shell_would_change() {
        let line = ["a", "st=0.5", "-x", "two words", "", "a*", "$HOME"];
        assert_eq!(join(&line), "a st=0.5 -x 'two words' '' 'a*' '$HOME'");
        assert_eq!(shlex::split(&join(&line)).unwrap(), line);
    }
}
