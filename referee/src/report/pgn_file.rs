//! Files of games as PGN.
//!
//! Where a result file has the games, the file is made from it, in one go and
//! in the order of the schedule: [`Export`]. It takes the place of an older one
//! that was made from the same match, never of anything else. Where no result
//! file has them, [`Appender`] writes each game as it ends to a new file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::archive::{ArchiveError, Match, Place};
use crate::io::append_only::AppendOnly;
use crate::results::pgn::{self, SOURCE_TAG};
use crate::results::{Header, Line, Record};
use crate::schedule::Shard;

/// The tags of a game take less than this, in bytes.
const LONGEST_TAGS: u64 = 1024 * 1024;

/// A file that will be made from result files.
#[derive(Debug)]
pub struct Export {
    /// Where it will stand.
    path: PathBuf,
    /// The part of its match that it is for; the whole where absent.
    shard: Option<Shard>,
    /// Whether something is there that files cannot take the place of: a device
    /// or a pipe.
    is_device: bool,
}

impl Export {
    /// Whether the games of this match, or of its shard, can be written to
    /// `path`: found out before the first of them is played.
    ///
    /// # Errors
    /// Where the system refuses, or where there is a file that was not made
    /// from a result file of the same match. One of a shard gives way to one of
    /// the same shard or of the whole.
    pub fn open(path: &Path, header: &Header) -> io::Result<Export> {
        let mut export = Export {
            path: path.to_path_buf(),
            shard: header.schedule.shard,
            is_device: false,
        };
        let Some(old) = existing(path)? else {
            return export.tried();
        };
        let metadata = old.metadata()?;
        if !metadata.is_file() {
            export.is_device = true;
            return Ok(export);
        }
        if metadata.len() > 0 {
            let Some(source) = source_of(old)? else {
                return Err(refusal("there is something else in it"));
            };
            let whole = pgn::source(&header.without_shard());
            let is_part = export.shard.is_none() && source.split(' ').next() == Some(&whole);
            if source != pgn::source(header) && !is_part {
                return Err(refusal("it holds the games of another match or shard"));
            }
        }
        // What a link leads to is written, not the link.
        export.path = fs::canonicalize(path)?;
        export.tried()
    }

    /// Makes sure that a file can be made in the folder.
    fn tried(self) -> io::Result<Export> {
        let draft = Draft::new(&self.path)?;
        drop(draft);
        Ok(self)
    }

    /// Writes all games of these matches, match by match in the order of their
    /// schedules, each once. What was there before stays until all is written;
    /// where there are no games, it stays for good.
    ///
    /// # Errors
    /// A sentence, where games cannot be read or written.
    pub fn write(&self, matches: &[Match]) -> Result<(), String> {
        let mut index = Vec::new();
        for one in matches {
            index.push(places(one).map_err(|error| error.to_string())?);
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
            Some(draft) => draft.file.try_clone(),
            None => OpenOptions::new().append(true).open(&self.path),
        };
        let mut out = BufWriter::new(file.map_err(here)?);
        for (one, places) in matches.iter().zip(index) {
            let mut part = one.header.clone();
            part.schedule.shard = self.shard;
            let source = pgn::source(&part);
            for place in places.into_values() {
                let record = one.record(&place).map_err(|error| error.to_string())?;
                let text = pgn::text(&one.header, &record, Some(&source));
                out.write_all(text.as_bytes()).map_err(here)?;
            }
        }
        out.flush().map_err(here)?;
        drop(out);
        draft
            .take()
            .map_or(Ok(()), |draft| draft.put(&self.path).map_err(here))
    }
}

/// Where each game of a match stands, the first time that it does.
fn places(one: &Match) -> Result<BTreeMap<u64, Place>, ArchiveError> {
    let mut places = BTreeMap::new();
    one.lines(|line, place| {
        if let Line::Record(record) = line {
            places.entry(record.id).or_insert(place);
        }
        Ok(())
    })?;
    Ok(places)
}

/// The file at a path, opened for reading; `None` where there is none.
fn existing(path: &Path) -> io::Result<Option<File>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // A pipe is not opened before there is something to write.
        Ok(metadata) if !metadata.is_file() => OpenOptions::new().append(true).open(path).map(Some),
        Ok(_) => File::open(path).map(Some),
    }
}

/// What the first game of a file says of its origin.
fn source_of(file: File) -> io::Result<Option<String>> {
    let mut tags = BufReader::new(file.take(LONGEST_TAGS));
    let mut line = Vec::new();
    let begin = format!("[{SOURCE_TAG} \"");
    loop {
        line.clear();
        tags.read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line);
        if !text.starts_with('[') {
            return Ok(None);
        }
        if let Some(value) = text.strip_prefix(&begin) {
            return Ok(value.split('"').next().map(String::from));
        }
    }
}

fn refusal(why: &str) -> io::Error {
    io::Error::other(format!("{why}, and it is not written over; give a new file"))
}

/// A file that is being written beside the one whose place it will take; gone
/// unless it does.
#[derive(Debug)]
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    fn new(target: &Path) -> io::Result<Draft> {
        let mut name = OsString::from(".");
        let Some(last) = target.file_name() else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        name.push(last);
        name.push(format!(".{}.tmp", std::process::id()));
        let path = target.with_file_name(name);
        let file = File::create(&path)?;
        Ok(Draft { path, file })
    }

    /// Puts it on the disk and in the place of the other.
    fn put(self, target: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(target) {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_all()?;
        fs::rename(&self.path, target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // It may have taken its place.
        let _ = fs::remove_file(&self.path);
    }
}

/// A new file that gets game after game.
#[derive(Debug)]
pub struct Appender {
    /// Whole games.
    games: AppendOnly,
    header: Header,
}

impl Appender {
    /// A file for the games of the match that `header` describes.
    ///
    /// # Errors
    /// Where the system refuses, or where something is in the file.
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

    /// Appends a game and hands it to the system.
    ///
    /// # Errors
    /// Where it cannot be written. What was written of it is taken back.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        let text = pgn::text(&self.header, record, None);
        self.games.append(text.as_bytes())
    }

    /// Takes the file away where there is no game in it.
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
    use crate::report::archive;
    use crate::results::header_tests::header;
    use crate::results::pgn;
    use crate::results::tests::record;

    /// A result file with these games; gives back what is read from it.
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
    fn games_stand_once_and_in_the_order_of_the_schedule() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[3, 1, 2, 1]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &header()).unwrap().write(&matches).unwrap();
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
        assert_eq!(names_in(&folder), ["a.jsonl", "a.pgn"], "no draft is left");
    }

    #[test]
    fn only_an_older_one_of_the_same_match_is_written_over() {
        let folder = TempDir::new().unwrap();
        let few = archive(&folder, "a.jsonl", &header(), &[1]);
        let more = archive(&folder, "b.jsonl", &header(), &[1, 2]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &header()).unwrap().write(&few).unwrap();
        let old = fs::read_to_string(&path).unwrap();

        let mut other = header();
        other.seed = 2;
        let error = Export::open(&path, &other).unwrap_err().to_string();
        assert!(
            error.starts_with("it holds the games of another match or shard, "),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), old);
        Export::open(&path, &header()).unwrap().write(&more).unwrap();
        assert!(fs::read_to_string(&path).unwrap().len() > old.len());

        for text in [
            "notes",
            "[Event \"x\"]\n\n1. e4 *\n",
            "[Event \"x\"]\n\n[ResultFile \"",
            &pgn::text(&header(), &record(1, "a", "b"), None),
        ] {
            fs::write(&path, text).unwrap();
            let error = Export::open(&path, &header()).unwrap_err().to_string();
            assert!(error.starts_with("there is something else in it, "), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::write(&path, "").unwrap();
        assert!(Export::open(&path, &header()).is_ok(), "nothing is lost");
    }

    #[test]
    fn the_games_of_a_shard_give_way_to_those_of_the_whole() {
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
            .write(&matches)
            .unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("[ResultFile \"{} 0/2\"]\n", pgn::source(&header()))));
        assert!(Export::open(&path, &shard("0/2")).is_ok());
        assert!(Export::open(&path, &shard("1/2")).is_err());
        Export::open(&path, &header()).unwrap().write(&matches).unwrap();
        assert!(Export::open(&path, &shard("0/2")).is_err(), "the whole is more");
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[1]);
        fs::create_dir(folder.path().join("deep")).unwrap();
        let (target, link) = (folder.path().join("deep/a.pgn"), folder.path().join("a.pgn"));
        fs::write(&target, "").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        Export::open(&link, &header()).unwrap().write(&matches).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::metadata(&target).unwrap().len() > 0);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[1]);
        let null = Path::new("/dev/null");
        Export::open(null, &header()).unwrap().write(&matches).unwrap();
        assert!(!fs::metadata(null).unwrap().is_file());
        let full = Path::new("/dev/full");
        if full.exists() {
            let error = Export::open(full, &header()).unwrap().write(&matches);
            assert!(error.unwrap_err().starts_with("/dev/full: No space left"));
        }
    }

    #[test]
    fn paths_that_cannot_be_written_are_found_at_once() {
        let folder = TempDir::new().unwrap();
        for name in ["no/a.pgn", ".", ""] {
            let path = folder.path().join(name);
            assert!(Export::open(&path, &header()).is_err(), "{name}");
            assert!(Appender::open(&path, header()).is_err(), "{name}");
        }
        assert!(names_in(&folder).is_empty());
    }

    #[test]
    fn a_match_without_games_leaves_no_file() {
        let folder = TempDir::new().unwrap();
        let matches = archive(&folder, "a.jsonl", &header(), &[]);
        let path = folder.path().join("a.pgn");
        Export::open(&path, &header()).unwrap().write(&matches).unwrap();
        Appender::open(&path, header()).unwrap().remove_if_empty();
        assert_eq!(names_in(&folder), ["a.jsonl"]);
    }

    #[test]
    fn games_are_appended_to_a_new_file_only() {
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
