//! PGN files.
//!
//! * [`Export`] writes a file from result files, at once and in the order of the
//!   schedule. It replaces only an older export of the same match.
//! * [`Appender`] appends each finished game to a new file, for matches without a
//!   result file.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use lodestone::text::without_byte_order_mark;

use crate::io::files::{AppendOnly, Draft};
use crate::results::pgn::{self, SOURCE_TAG};
use crate::results::{Header, Record};
use crate::schedule::Shard;
use crate::tournament::archive::Match;

/// Upper bound of the size of a game's tags in bytes.
const MAX_TAGS: u64 = 1024 * 1024;

/// An export of result files to a PGN file.
#[derive(Debug)]
pub struct Export {
    /// The path of the PGN file.
    path: PathBuf,
    /// The shard of the games; `None` for the whole match.
    shard: Option<Shard>,
    /// Whether the path is a device or a pipe, which is written to but not
    /// replaced.
    is_device: bool,
}

impl Export {
    /// Checks that the games of a match, or of its shard, can be exported to
    /// `path`. Called before the first game is played.
    pub fn open(path: &Path, header: &Header) -> io::Result<Export> {
        let mut export = Export {
            path: path.to_path_buf(),
            shard: header.schedule.shard,
            is_device: false,
        };
        let Some(old) = existing(path)? else {
            return export.checked();
        };
        let metadata = old.metadata()?;
        if !metadata.is_file() {
            export.is_device = true;
            return Ok(export);
        }
        if metadata.len() > 0 {
            let Some(source) = source_of(old)? else {
                return Err(refusal("it was not exported from a result file"));
            };
            let whole = pgn::source(&header.without_shard());
            let is_part = export.shard.is_none() && source.split(' ').next() == Some(&whole);
            if source != pgn::source(header) && !is_part {
                return Err(refusal("it holds the games of another match or shard"));
            }
        }
        // A symbolic link is kept; its target is replaced.
        export.path = fs::canonicalize(path)?;
        export.checked()
    }

    /// Checks that a file can be created in the folder.
    fn checked(self) -> io::Result<Export> {
        let draft = Draft::new(&self.path)?;
        drop(draft);
        Ok(self)
    }

    /// Writes the games of these matches, match by match in the order of their
    /// schedules, each once; calls `watch` before each game. The old file is replaced when
    /// the new one is complete, and kept if there are no games or after an error.
    pub fn write(
        &self,
        matches: &[Match],
        watch: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<(), String> {
        let mut index = Vec::new();
        for played in matches {
            index.push(played.locations(watch).map_err(|error| error.to_string())?);
        }
        if index.iter().all(BTreeMap::is_empty) {
            return Ok(());
        }
        let here = |error: io::Error| format!("{}: {error}", self.path.display());
        let mut draft = if self.is_device {
            None
        } else {
            Some(Draft::new(&self.path).map_err(here)?)
        };
        let file = match &draft {
            Some(draft) => draft.file().try_clone(),
            None => OpenOptions::new().append(true).open(&self.path),
        };
        let mut out = BufWriter::new(file.map_err(here)?);
        for (one, locations) in matches.iter().zip(index) {
            let mut part = one.header.clone();
            part.schedule.shard = self.shard;
            let source = pgn::source(&part);
            for location in locations.into_values() {
                watch()?;
                let record = one.record(&location).map_err(|error| error.to_string())?;
                let text = pgn::text(&one.header, &record, Some(&source));
                out.write_all(text.as_bytes()).map_err(here)?;
            }
        }
        out.flush().map_err(here)?;
        drop(out);
        draft
            .take()
            .map_or(Ok(()), |draft| draft.replace(&self.path).map_err(here))
    }
}

/// Opens an existing file for reading; `None` if there is none.
fn existing(path: &Path) -> io::Result<Option<File>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // A device or a pipe must be writable.
        Ok(metadata) if !metadata.is_file() => OpenOptions::new().append(true).open(path).map(Some),
        Ok(_) => File::open(path).map(Some),
    }
}

/// The source of the first game of a PGN file.
fn source_of(file: File) -> io::Result<Option<String>> {
    let mut tags = BufReader::new(file.take(MAX_TAGS));
    let mut line = Vec::new();
    let begin = format!("[{SOURCE_TAG} \"");
    loop {
        line.clear();
        tags.read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(without_byte_order_mark(&line));
        if !text.starts_with('[') {
            return Ok(None);
        }
        if let Some(value) = text.strip_prefix(&begin) {
            return Ok(value.split('"').next().map(String::from));
        }
    }
}

fn refusal(why: &str) -> io::Error {
    io::Error::other(format!("{why}, so it is not overwritten; give a new file"))
}

/// A new PGN file to which games are appended.
#[derive(Debug)]
pub struct Appender {
    games: AppendOnly,
    header: Header,
}

impl Appender {
    /// Creates a file for the games of a match.
    pub fn open(path: &Path, header: Header) -> io::Result<Appender> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > 0 {
            return Err(refusal("it is not empty"));
        }
        Ok(Appender {
            games: AppendOnly::new(path, file, 0),
            header,
        })
    }

    /// Appends a game.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        let text = pgn::text(&self.header, record, None);
        self.games.append(text.as_bytes())
    }

    /// Deletes the file if it has no games.
    pub fn remove_if_empty(self) {
        if self.games.is_empty() {
            self.games.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::results::header_tests::header;
    use crate::results::pgn;
    use crate::results::tests::record;
    use crate::tournament::archive;

    /// Writes a result file with these games; returns its matches.
    fn archive(folder: &TempDir, name: &str, header: &Header, ids: &[u64]) -> Vec<Match> {
        let mut text = serde_json::to_string(header).unwrap() + "\n";
        for &id in ids {
            let names = if id % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
            text += &serde_json::to_string(&record(id, names[0], names[1])).unwrap();
            text.push('\n');
        }
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        archive::read(&[path]).unwrap()
    }

    fn names_in(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn exports_games_once_in_schedule_order() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[3, 1, 2, 1]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &header())
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        let expected: String = [(1, "a", "b"), (2, "b", "a"), (3, "a", "b")]
            .map(|(id, first, second)| {
                pgn::text(
                    &header(),
                    &record(id, first, second),
                    Some(&pgn::source(&header())),
                )
            })
            .concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(
            names_in(&folder),
            ["a.jsonl", "a.pgn"],
            "no temporary file is left"
        );
    }

    #[test]
    fn replaces_only_an_export_of_the_same_match() {
        let folder = TempDir::new().unwrap();
        let few = archive(&folder, "a.jsonl", &header(), &[1]);
        let more = archive(&folder, "b.jsonl", &header(), &[1, 2]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &header())
            .unwrap()
            .write(&few, &mut || Ok(()))
            .unwrap();
        let old = fs::read_to_string(&path).unwrap();

        let mut other = header();
        other.seed = 2;
        let error = Export::open(&path, &other).unwrap_err().to_string();
        assert!(
            error.starts_with("it holds the games of another match or shard, "),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), old);
        Export::open(&path, &header())
            .unwrap()
            .write(&more, &mut || Ok(()))
            .unwrap();
        assert!(fs::read_to_string(&path).unwrap().len() > old.len());

        for text in [
            "notes",
            "[Event \"x\"]\n\n1. e4 *\n",
            "[Event \"x\"]\n\n[ResultFile \"",
            &pgn::text(&header(), &record(1, "a", "b"), None),
        ] {
            fs::write(&path, text).unwrap();
            let error = Export::open(&path, &header()).unwrap_err().to_string();
            assert!(
                error.starts_with("it was not exported from a result file, "),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::write(&path, "").unwrap();
        assert!(
            Export::open(&path, &header()).is_ok(),
            "an empty file may be replaced"
        );
    }

    #[test]
    fn whole_match_replaces_a_shard() {
        let folder = TempDir::new().unwrap();
        let shard = |text: &str| {
            let mut header = header();
            header.schedule.shard = Some(text.parse().unwrap());
            header
        };
        let matches = archive(&folder, "a.jsonl", &shard("0/2"), &[1, 2]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &shard("0/2"))
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("[ResultFile \"{} 0/2\"]\n", pgn::source(&header()))));
        assert!(Export::open(&path, &shard("0/2")).is_ok());
        assert!(Export::open(&path, &shard("1/2")).is_err());
        Export::open(&path, &header())
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        assert!(
            Export::open(&path, &shard("0/2")).is_err(),
            "a shard does not replace the whole"
        );
    }

    #[test]
    fn stopped_export_keeps_the_old_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        let matches = archive(&folder, "a.jsonl", &header(), &[1]);
        Export::open(&path, &header())
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        let old = fs::read(&path).unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[1, 2, 3]);
        let mut games = 0;
        // Three games are located, then written.
        let stopped = Export::open(&path, &header()).unwrap().write(&matches, &mut || {
            games += 1;
            if games < 5 {
                Ok(())
            } else {
                Err("interrupted".into())
            }
        });
        assert_eq!(stopped, Err("interrupted".into()));
        assert_eq!(fs::read(&path).unwrap(), old);
        assert_eq!(names_in(&folder), ["a.jsonl", "a.pgn"]);
    }

    #[test]
    #[cfg(unix)] // on Windows links need a privilege
    fn keeps_a_symbolic_link() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[1]);
        fs::create_dir(folder.path().join("deep")).unwrap();
        let (target, link) = (folder.path().join("deep/a.pgn"), folder.path().join("a.pgn"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        Export::open(&link, &header())
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::metadata(&target).unwrap().len() > 0);
    }

    #[test]
    #[cfg(unix)]
    fn writes_to_a_device_without_replacing_it() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[1]);
        let null = Path::new("/dev/null");
        Export::open(null, &header())
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
        let full = Path::new("/dev/full");
        if full.exists() {
            let error = Export::open(full, &header())
                .unwrap()
                .write(&matches, &mut || Ok(()));
            assert!(error.unwrap_err().starts_with("/dev/full: No space left"));
        }
    }

    #[test]
    fn rejects_unwritable_paths_at_once() {
        let folder = TempDir::new().unwrap();
        for name in ["no/a.pgn", ".", ""] {
            let path = folder.path().join(name);
            assert!(Export::open(&path, &header()).is_err(), "{name}");
            assert!(Appender::open(&path, header()).is_err(), "{name}");
        }
        assert!(names_in(&folder).is_empty());
    }

    #[test]
    fn creates_no_file_without_games() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &header())
            .unwrap()
            .write(&matches, &mut || Ok(()))
            .unwrap();
        Appender::open(&path, header()).unwrap().remove_if_empty();
        assert_eq!(names_in(&folder), ["a.jsonl"]);
    }

    #[test]
    fn appends_games_to_a_new_file_only() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.pgn");
        let mut appender = Appender::open(&path, header()).unwrap();
        appender.append(&record(2, "b", "a")).unwrap();
        appender.append(&record(1, "a", "b")).unwrap();
        appender.remove_if_empty();
        let expected = [(2, "b", "a"), (1, "a", "b")]
            .map(|(id, first, second)| pgn::text(&header(), &record(id, first, second), None))
            .concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        let error = Appender::open(&path, header()).unwrap_err().to_string();
        assert!(error.starts_with("it is not empty, "), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }
}
