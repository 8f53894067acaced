//! The result files of the folder, and what lists show of them; files with a value as JSON.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lodestone_game::text::is_printable;
use referee_core::results::game_counter::GameCounter;
use referee_core::system::files::{Folder, identity};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Clone, Debug)]
pub struct ResultFile {
    /// Its name in the folder.
    pub name: String,
    pub path: PathBuf,
    /// Its length and the time of its last change: another pair, another content.
    pub stamp: Stamp,
}

impl ResultFile {
    /// The time of its last change, in milliseconds since 1970.
    pub fn modified(&self) -> u64 {
        let since = self.stamp.1.duration_since(UNIX_EPOCH);
        since.unwrap_or_default().as_millis() as u64
    }
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

pub fn find(folder: &Path, name: &str) -> Option<ResultFile> {
    list(folder).into_iter().find(|file| file.name == name)
}

/// Checks that a match can write to the place of a result file. What is there may have come with the folder, so it must be
/// a file without another name.
pub fn check_place(folder: &Path, name: &str) -> Result<(), String> {
    let found = match folder.join(name).symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(format!("{name} cannot be written: {error}")),
        Ok(found) => found,
    };
    let why = if found.is_symlink() {
        "a link"
    } else if !found.is_file() {
        "not a file"
    } else if identity(&found).is_some_and(|(_, names)| names > 1) {
        "a file with another name, too (a hard link)"
    } else {
        return Ok(());
    };
    Err(format!(
        "{name} in the folder of results is {why}; move it away, or choose another name"
    ))
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
pub struct CountCache {
    known: Mutex<HashMap<PathBuf, (Stamp, Counts)>>,
    /// What was counted of each file; locked while a file is read.
    counters: Mutex<HashMap<PathBuf, GameCounter>>,
    /// Whether a thread counts.
    is_counting: AtomicBool,
}

/// How long a list waits for its counts; those that are not known then come with the next list.
const PATIENCE: Duration = Duration::from_millis(200);

impl CountCache {
    /// The counts of a file. What is new in it is read.
    pub fn counts(&self, file: &ResultFile) -> Counts {
        if let Some((stamp, counts)) = self.last(file)
            && stamp == file.stamp
        {
            return counts;
        }
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = counters.entry(file.path.clone()).or_default();
        // A file that cannot be read is shown without games.
        if counter.read(&file.path).is_err() {
            *counter = GameCounter::default();
        }
        let counts = Counts {
            games: counter.games(),
            players: counter.players,
            has_rules: counter.has_rules,
        };
        drop(counters);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(file.path.clone(), (file.stamp, counts));
        counts
    }

    /// The last counts of these files, as far as they are known after a moment. A thread counts the others.
    pub fn soon(self: &Arc<Self>, files: &[ResultFile]) -> Vec<Option<Counts>> {
        let is_new = |file: &&ResultFile| self.last(file).is_none_or(|(stamp, _)| stamp != file.stamp);
        let new: Vec<ResultFile> = files.iter().filter(is_new).cloned().collect();
        if !new.is_empty() && !self.is_counting.swap(true, Ordering::SeqCst) {
            let (done, waits) = mpsc::channel();
            let cache = Arc::clone(self);
            let count = move || {
                for file in &new {
                    cache.counts(file);
                }
                cache.is_counting.store(false, Ordering::SeqCst);
                let _ = done.send(());
            };
            if thread::Builder::new().name("counts".into()).spawn(count).is_err() {
                self.is_counting.store(false, Ordering::SeqCst);
            }
            let _ = waits.recv_timeout(PATIENCE);
        }
        let counts = files.iter().map(|file| Some(self.last(file)?.1));
        counts.collect()
    }

    fn last(&self, file: &ResultFile) -> Option<(Stamp, Counts)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&file.path).copied()
    }
}

/// Reads a value from a file of at most this number of bytes. A link or a pipe may lead anywhere, and is refused.
pub fn read_json<T: DeserializeOwned>(folder: &Folder, name: &str, most: u64) -> io::Result<T> {
    let mut text = String::new();
    folder.file(name)?.take(most).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text)?)
}

/// Writes a value to a file; a crash meanwhile leaves the old one.
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

    #[test]
    fn each_list_counts_the_files_that_are_new() {
        let folder = tempfile::TempDir::new().unwrap();
        let cache = Arc::new(CountCache::default());
        for name in ["a.jsonl", "b.jsonl"] {
            fs::write(folder.path().join(name), "{}\n").unwrap();
            let files = list(folder.path());
            cache.soon(&files);
            // The thread that counts has the cache until it ends.
            while Arc::strong_count(&cache) > 1 {
                thread::yield_now();
            }
            assert!(cache.soon(&files).iter().all(Option::is_some), "{name}");
        }
    }
}
