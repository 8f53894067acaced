//! The result files of the folder, and what lists show of them; files with a value as JSON.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use lodestone::text::is_printable;
use referee::{Folder, archive};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A result file.
#[derive(Clone, Debug)]
pub struct ResultFile {
    /// Its name in the folder.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its length and the time of its last change: another pair, another content.
    pub stamp: Stamp,
}

/// The length of a file in bytes, and the time of its last change.
pub type Stamp = (u64, SystemTime);

/// What lists show of a result file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of finished games.
    pub games: u64,
    /// The number of players.
    pub players: usize,
    /// Whether the rules come from a program.
    pub has_rules: bool,
}

/// The result files of a folder, in the order of their names. A link counts if it stays in the folder.
pub fn list(folder: &Path) -> Vec<ResultFile> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut all: Vec<ResultFile> = names.filter_map(|name| open(folder, &name)).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// The result file of this name.
pub fn find(folder: &Path, name: &str) -> Option<ResultFile> {
    list(folder).into_iter().find(|file| file.name == name)
}

fn open(folder: &Path, name: &str) -> Option<ResultFile> {
    let is_plain = |sign: char| sign.is_alphanumeric() || sign.is_ascii_graphic() || sign == ' ';
    let is_printable = |sign: char| is_plain(sign) && is_printable(sign);
    let stem = name.strip_suffix(".jsonl").filter(|stem| !stem.is_empty());
    if stem.is_none() || name.starts_with('.') || !name.chars().all(is_printable) {
        return None;
    }
    let path = folder.join(name);
    if path.symlink_metadata().ok()?.is_symlink() {
        let target = path.canonicalize().ok()?;
        if target.parent() != folder.canonicalize().ok().as_deref() {
            return None;
        }
    }
    let metadata = path.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(ResultFile {
        name: name.into(),
        path,
        stamp: (metadata.len(), metadata.modified().ok()?),
    })
}

/// The counts of files that were read before.
#[derive(Debug, Default)]
pub struct CountCache(Mutex<HashMap<PathBuf, (Stamp, Counts)>>);

impl CountCache {
    /// The counts of a file, which is read if it has changed.
    pub fn counts(&self, file: &ResultFile) -> Counts {
        let known = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&file.path)
            .copied();
        if let Some((stamp, counts)) = known
            && stamp == file.stamp
        {
            return counts;
        }
        let mut counts = Counts::default();
        // A file that cannot be read is shown without games.
        for one in archive::read(std::slice::from_ref(&file.path)).unwrap_or_default() {
            counts.games += one.count_games().unwrap_or_default() as u64;
            counts.players = counts.players.max(one.header.engines.len());
            counts.has_rules |= one.header.rules.is_some();
        }
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(file.path.clone(), (file.stamp, counts));
        counts
    }
}

/// Reads a value from a file of at most this number of bytes. A link or a pipe may lead anywhere, and is refused.
///
/// # Errors
/// It is not such a file.
pub fn read_json<T: DeserializeOwned>(folder: &Folder, name: &str, most: u64) -> io::Result<T> {
    let mut text = String::new();
    folder.file(name)?.take(most).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

/// Writes a value to a file; a crash meanwhile leaves the old one.
///
/// # Errors
/// The folder cannot be written.
pub fn write_json(folder: &Path, path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_result_files_of_the_folder_only() {
        let outside = tempfile::TempDir::new().unwrap();
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(outside.path().join("secret.jsonl"), "{}\n").unwrap();
        for name in [
            "b.jsonl",
            "a b.jsonl",
            "x.txt",
            ".hidden.jsonl",
            "line\u{202e}.jsonl",
        ] {
            fs::write(folder.path().join(name), "{}\n").unwrap();
        }
        fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
        #[cfg(unix)]
        {
            let link =
                |target: &Path, name: &str| std::os::unix::fs::symlink(target, folder.path().join(name));
            link(&outside.path().join("secret.jsonl"), "out.jsonl").unwrap();
            link(Path::new("missing"), "missing.jsonl").unwrap();
        }
        let names: Vec<String> = list(folder.path()).into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["a b.jsonl", "b.jsonl"]);
        for name in [
            "../secret.jsonl",
            "/etc/passwd",
            "",
            ".",
            "..",
            "out.jsonl",
            "b.jsonl/",
            "./b.jsonl",
            "b.jsonl\0",
        ] {
            assert!(find(folder.path(), name).is_none(), "{name}");
        }
        assert!(find(folder.path(), "b.jsonl").is_some());
    }

    #[test]
    fn a_file_is_read_again_after_a_change() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.jsonl");
        let engine = r#"{"name":"a","cmd":"a","st":"3","timemargin":0}"#;
        let header = format!(
            r#"{{"header":1,"variant":"gridlock","seed":1,"schedule":{{"format":"round-robin","games":2}},"engines":[{engine},{engine}]}}"#
        );
        let game = r#"{"id":1,"variant":"gridlock","round":1,"pair":1,"first":"a","second":"a","start":"startpos","moves":["a1a2"],"opening_plies":0,"ms":[1],"score":[null],"result":"1-0","reason":"blocked","detail":"why"}"#;
        fs::write(&path, format!("{header}\n{game}\n")).unwrap();
        let cache = CountCache::default();
        let games = || cache.counts(&find(folder.path(), "a.jsonl").unwrap()).games;
        assert_eq!((games(), games()), (1, 1));
        let other = game.replace(":1,", ":2,");
        fs::write(&path, format!("{header}\n{game}\n{game}\n{other}\n{{\"id\":3,")).unwrap();
        assert_eq!(games(), 2);
    }
}
