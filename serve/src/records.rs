//! Reads result files for lists and standings: the players of the header, and the results of games.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;

/// The longest line that is read, in bytes. Longer ones are left out.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// The result of a game: the fields of its record that standings need.
#[derive(Debug, Deserialize)]
pub struct GameEntry<'a> {
    /// The number of the game.
    pub id: u64,
    /// The name of the first player.
    #[serde(borrow)]
    pub first: Cow<'a, str>,
    /// The name of the second player.
    #[serde(borrow)]
    pub second: Cow<'a, str>,
    /// `1-0`, `0-1` or `1/2-1/2`.
    #[serde(borrow)]
    pub result: Cow<'a, str>,
    /// Why the game ended.
    #[serde(borrow, default)]
    pub reason: Cow<'a, str>,
    /// The same as a sentence.
    #[serde(borrow, default)]
    pub detail: Cow<'a, str>,
}

/// A header: the fields that lists need.
#[derive(Debug, Default, Deserialize)]
pub struct Head {
    /// The players.
    pub engines: Vec<Named>,
    /// The rules program, if the game is not built in.
    #[serde(default)]
    pub rules: Option<serde::de::IgnoredAny>,
}

/// A player of a header.
#[derive(Debug, Deserialize)]
pub struct Named {
    /// Its name.
    pub name: String,
}

/// Calls `take` for each line without its line break, until it returns `false`. A torn last line counts.
///
/// # Errors
/// The source cannot be read.
pub fn lines(source: impl Read, mut take: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    let mut source = BufReader::with_capacity(64 * 1024, source);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = MAX_LINE as u64 + 1;
        if (&mut source).take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > MAX_LINE {
            source.skip_until(b'\n')?;
            continue;
        }
        if !take(&line) {
            return Ok(());
        }
        // One long line should not keep its memory.
        line.shrink_to(64 * 1024);
    }
}

/// Calls `take` for each game of a result file, a game once.
///
/// # Errors
/// The file cannot be read.
pub fn each(path: &Path, mut take: impl FnMut(&GameEntry<'_>)) -> io::Result<()> {
    let mut seen = HashSet::new();
    lines(File::open(path)?, |line| {
        if let Some(entry) = entry(line)
            && seen.insert(entry.id)
        {
            take(&entry);
        }
        true
    })
}

/// The game of a line, if it has one.
pub fn entry(line: &[u8]) -> Option<GameEntry<'_>> {
    serde_json::from_slice(line).ok()
}

/// The header of a result file.
pub fn head(path: &Path) -> Option<Head> {
    let mut head = None;
    let read = lines(File::open(path).ok()?, |line| {
        head = serde_json::from_slice(line).ok();
        false
    });
    read.ok().and(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_counts_once_and_a_torn_line_is_left_out() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.jsonl");
        let game =
            |id| format!(r#"{{"id":{id},"first":"a","second":"b\u00e4","moves":["a8"],"result":"1-0"}}"#);
        let text = [
            r#"{"header":1,"variant":"gridlock","engines":[{"name":"a"},{"name":"b"}]}"#.to_string(),
            game(1),
            game(2),
            game(1),
            r#"{"host":"x"}"#.into(),
            "x".repeat(MAX_LINE + 5),
            game(3),
            r#"{"id":4,"first":"a","second":"b","#.into(),
        ];
        std::fs::write(&path, text.join("\n")).unwrap();
        let mut ids = Vec::new();
        each(&path, |entry| ids.push((entry.id, entry.second.to_string()))).unwrap();
        assert_eq!(ids, [1, 2, 3].map(|id| (id, "bä".to_string())));
        let head = head(&path).unwrap();
        assert_eq!((head.engines.len(), head.rules.is_none()), (2, true));
    }
}
