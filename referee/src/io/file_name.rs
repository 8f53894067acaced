//! File names as people type them: with quotes, or with `~` for the home folder.

use std::path::PathBuf;

/// The file of a typed name. Quotes around it and backslashes before spaces are removed as
/// in a shell, `~/` is the home folder; spaces need no quotes.
pub fn typed_file(typed: &str) -> PathBuf {
    let typed = typed.trim();
    let is_quoted = typed.contains(['"', '\'', '\\']);
    let words = is_quoted.then(|| shlex::split(typed)).flatten();
    match words.as_deref() {
        Some([name]) => expand_home(name),
        // An apostrophe or a backslash of the name itself.
        _ => expand_home(typed),
    }
}

/// Replaces `~` at the beginning by the home folder.
pub fn expand_home(name: &str) -> PathBuf {
    let rest = name
        .strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_quotes_spaces_and_the_home_folder() {
        let home = std::env::home_dir().unwrap();
        for (typed, name) in [
            ("game.txt", PathBuf::from("game.txt")),
            (" my game ", "my game".into()),
            ("\"my game\"", "my game".into()),
            ("'my game'", "my game".into()),
            ("my\\ game", "my game".into()),
            ("Ann's game", "Ann's game".into()),
            ("~/games/1", home.join("games/1")),
            ("\"~/my game\"", home.join("my game")),
            ("~", home),
            ("~ann/game", "~ann/game".into()),
        ] {
            assert_eq!(typed_file(typed), name, "{typed}");
        }
    }
}
