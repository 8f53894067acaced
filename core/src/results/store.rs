//! A result file that is being written.
//!
//! The file is append-only and locked against other writers. A record is written
//! before the next game of its slot starts, and is on disk within a second. If
//! the writer is killed, or the disk is full, the file consists of complete lines
//! and at most one torn line. Opening the file again removes the torn line.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use super::differences::MOST_DIFFERENCES;
use super::header::{Header, UnfitPlayer};
use super::reader::{Line, ReadError, Reader, RunStart, SprtVerdict};
use super::record::Record;
use crate::io::files::{AppendOnly, IN_USE, append_alone};
use crate::io::interrupt;
use crate::io::json;
use crate::io::text::{ShowPath, listed};
use crate::io::untrusted::Untrusted;
use crate::system::files;

/// The interval between syncs to disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A result file, open for appending.
#[derive(Debug)]
pub struct Store {
    pub(super) lines: AppendOnly,
    /// Whether the file has records.
    has_games: bool,
    /// What is written in front of the first record of this run.
    run: Option<RunStart>,
    /// The header of the last run, and whether this run has written another one.
    last_header: Option<(Box<Header>, bool)>,
    syncer: Syncer,
}

/// Why a result file cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// An input or output error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another referee is writing to the file.
    #[error("{IN_USE}")]
    InUse,
    /// The file is not a result file.
    #[error("it is not a result file, so it is not overwritten; use a new file")]
    Foreign,
    /// A line is invalid: a message with its number.
    #[error("{0}")]
    Invalid(String),
    /// The records of the file have other fields: the difference.
    #[error(
        "{0}. All records of a file have the same fields: run its own command again to resume it, or use a \
         new file"
    )]
    OtherFields(String),
    /// The file belongs to another match: the differences.
    #[error(
        "it holds another match: {}. Run its own command again to resume it, or use a new file",
        listed(.0, MOST_DIFFERENCES, "; ")
    )]
    Different(Vec<String>),
}

/// A result file that no other referee writes to. A new one is deleted again if it stays empty.
#[derive(Debug)]
pub struct LockedFile {
    path: PathBuf,
    /// `None` when it is in use.
    file: Option<File>,
}

impl LockedFile {
    /// Creates the file, or locks it.
    pub fn open(path: &Path) -> Result<LockedFile, OpenError> {
        Ok(LockedFile {
            file: Some(open_locked(path, false)?),
            path: path.to_path_buf(),
        })
    }

    /// The same for a file in a folder that belongs to another file, and may have come with it: no link is followed.
    pub fn open_beside(path: &Path) -> Result<LockedFile, OpenError> {
        Ok(LockedFile {
            file: Some(open_locked(path, true)?),
            path: path.to_path_buf(),
        })
    }

    /// Reads the file up to a torn last line, and passes each header, record and pairing to `take`.
    pub fn read(mut self, take: impl FnMut(Line) -> Result<(), OpenError>) -> Result<ReadFile, OpenError> {
        let file = self.file.as_mut().ok_or(OpenError::InUse)?;
        // A device or a pipe has no content to resume.
        let content = if file.metadata()?.is_file() {
            read_content(file, take)?
        } else {
            Content::default()
        };
        Ok(ReadFile {
            locked: self,
            content,
        })
    }
}

/// A locked file that has been read: [`Store::resume`] goes on in it.
#[derive(Debug)]
pub struct ReadFile {
    locked: LockedFile,
    content: Content,
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        let metadata = self.file.as_ref().and_then(|file| file.metadata().ok());
        if metadata.is_some_and(|metadata| metadata.is_file() && metadata.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Store {
    /// Creates or resumes the file of a match. Passes its records and pairings to `seen` and removes a torn last
    /// line. Returns the store, and the verdict of a test that ended the match.
    pub fn open(
        path: &Path,
        header: &Header,
        mut seen: impl FnMut(Line) -> Result<(), String>,
    ) -> Result<(Store, Option<SprtVerdict>), OpenError> {
        let (mut differences, mut other_fields) = (Vec::new(), None);
        let read = LockedFile::open(path)?.read(|line| {
            match line {
                Line::Header(line) => {
                    differences = line.differences(header);
                    other_fields = line.other_fields(header);
                }
                Line::Record(_) if !differences.is_empty() => {
                    return Err(OpenError::Different(std::mem::take(&mut differences)));
                }
                line @ (Line::Record(_) | Line::Pairings(_)) => match other_fields.take() {
                    Some(why) => return Err(OpenError::OtherFields(why)),
                    None => seen(line).map_err(OpenError::Invalid)?,
                },
                _ => {}
            }
            Ok(())
        })?;
        Store::resume(read, header)
    }

    /// Goes on in a file that has been read, as [`Store::open`].
    pub fn resume(read: ReadFile, header: &Header) -> Result<(Store, Option<SprtVerdict>), OpenError> {
        let ReadFile {
            mut locked,
            content: mut old,
        } = read;
        let mut file = locked.file.take().ok_or(OpenError::InUse)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            old = old.of_match(&mut file, header)?;
            if old.length < metadata.len() {
                file.set_len(old.length)?;
            }
        }
        sync_folder(&locked.path);
        let is_current = old.last_header.iter().any(|last| last.is_current(header));
        // A whole match does not need the machines of its runs.
        let run = header.schedule.shard.map(|_| RunStart {
            host: host_name().into(),
        });
        let mut store = Store {
            syncer: Syncer::new(file.try_clone()?),
            lines: AppendOnly::new(&locked.path, file, old.length),
            has_games: old.has_games,
            run: run.filter(|run| old.host.as_ref() != Some(&run.host)),
            last_header: old.last_header.map(|last| (last, !is_current)),
        };
        if old.lacks_line_break {
            store.append_bytes(b"\n")?;
        }
        if !is_current && let Err(error) = store.append(header) {
            store.remove_if_empty();
            return Err(error.into());
        }
        Ok((store, old.end))
    }

    /// Syncs the file to disk, and gives it back as one that has been read: its last header is `header`.
    pub fn into_read(self, header: &Header) -> io::Result<ReadFile> {
        self.sync()?;
        let (path, file, length) = self.lines.into_parts();
        let content = Content {
            length,
            last_header: Some(Box::new(header.clone())),
            has_games: self.has_games,
            ..Content::default()
        };
        let locked = LockedFile {
            path,
            file: Some(file),
        };
        Ok(ReadFile { locked, content })
    }

    /// Appends a record.
    pub fn append_game(&mut self, record: &Record) -> io::Result<()> {
        self.has_games = true;
        if let Some(run) = self.run.take() {
            self.append(&Line::Run(run))?;
        }
        self.append(record)
    }

    /// Warns of programs that are not those of the last run, and records those of this one if it
    /// plays games.
    pub fn note_programs(&mut self, header: &Header, plays: bool) -> io::Result<()> {
        let Some((last, is_replaced)) = self.last_header.take() else {
            return Ok(());
        };
        let consequence = if plays {
            "its games are of two programs"
        } else {
            "no game was played with the new program; use another file to play with it"
        };
        if self.has_games {
            header
                .changed_programs(&last)
                .for_each(|change| log::warn!("{change}: {consequence}"));
        }
        if !plays || is_replaced || header.has_files_of(&last) {
            return Ok(());
        }
        self.append(header)
    }

    /// Replaces the header of a file without records. Devices and pipes receive another one.
    pub fn replace_header(&mut self, header: &Header) -> io::Result<()> {
        let is_file = self.lines.file().metadata()?.is_file();
        if is_file && !self.has_games {
            self.lines.clear()?;
        }
        self.append(header)
    }

    /// Deletes the file if it has no records.
    pub fn remove_if_empty(self) {
        if !self.has_games {
            self.lines.remove();
        }
    }

    /// Appends one line of JSON.
    pub fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.append_bytes((json::line(line)? + "\n").as_bytes())
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.syncer.check()?;
        self.lines.append(bytes)?;
        self.syncer.is_dirty.store(true, Ordering::Release);
        Ok(())
    }

    /// Syncs the file to disk.
    pub fn sync(&self) -> io::Result<()> {
        self.syncer.check()?;
        sync(self.lines.file())
    }
}

/// The unfit players in the result file of this match; none if the file does not exist or
/// is not of this match, which [`Store::open`] reports.
pub fn unfit_in(path: &Path, header: &Header) -> Vec<UnfitPlayer> {
    let file = files::open_regular(path).ok();
    let first = file.and_then(|file| Reader::new(BufReader::new(file)).next_line().ok()?);
    match first.map(|located| located.line) {
        Some(Line::Header(line)) if line.differences(header).is_empty() => line.unfit,
        _ => Vec::new(),
    }
}

/// The existing content of a file.
#[derive(Debug, Default)]
pub struct Content {
    /// The length of all complete lines in bytes.
    length: u64,
    /// Whether the last line is complete except for its line break.
    lacks_line_break: bool,
    last_header: Option<Box<Header>>,
    /// Whether the file has records.
    has_games: bool,
    /// The verdict of a test that ended the match.
    end: Option<SprtVerdict>,
    /// The machine of the last run, if the file names it.
    host: Option<Untrusted>,
}

impl Content {
    /// The content of the file as that of the match with this header: nothing of another match without games,
    /// which is replaced.
    fn of_match(self, file: &mut File, header: &Header) -> Result<Content, OpenError> {
        let Some(last) = &self.last_header else {
            return torn_header(file, header).map(|()| self);
        };
        let differences = last.differences(header);
        match differences.is_empty() {
            true => Ok(self),
            false if self.has_games => Err(OpenError::Different(differences)),
            false => Ok(Content::default()),
        }
    }
}

/// Reads the file up to a torn line, and passes each header, record, pairing and sandbox to `take`.
pub fn read_content(
    file: &mut File,
    mut take: impl FnMut(Line) -> Result<(), OpenError>,
) -> Result<Content, OpenError> {
    let mut old = Content::default();
    let mut reader = Reader::new(BufReader::new(&*file));
    loop {
        interrupt::check().map_err(io::Error::other)?;
        let located = match reader.next_line() {
            Ok(Some(located)) => located,
            Ok(None) | Err(ReadError::Torn { .. }) => break,
            Err(ReadError::Io(error)) => return Err(error.into()),
            Err(ReadError::Invalid { .. }) if old.last_header.is_none() => return Err(OpenError::Foreign),
            Err(error) => return Err(OpenError::Invalid(error.to_string())),
        };
        let number = located.number;
        let mut take = |line| {
            take(line).map_err(|error| match error {
                OpenError::Invalid(why) => OpenError::Invalid(format!("line {number}: {why}")),
                error => error,
            })
        };
        match located.line {
            Line::Header(line) => {
                old.last_header = Some(line.clone());
                take(Line::Header(line))?;
            }
            _ if old.last_header.is_none() => return Err(OpenError::Foreign),
            line @ Line::Record(_) => {
                old.has_games = true;
                take(line)?;
            }
            line @ (Line::Pairings(_) | Line::Sandbox(_)) => take(line)?,
            Line::Sprt(end) => old.end = Some(end),
            Line::Run(run) => old.host = Some(run.host),
            Line::Other => {}
        }
        (old.length, old.lacks_line_break) = (located.end, !located.is_ended);
    }
    Ok(old)
}

/// Checks a file without a whole line: it is empty, or its line is the beginning of this header.
fn torn_header(file: &mut File, header: &Header) -> Result<(), OpenError> {
    let expected = json::line(header).map_err(io::Error::from)?;
    let mut found = Vec::new();
    file.rewind()?;
    (&*file).take(expected.len() as u64 + 1).read_to_end(&mut found)?;
    if expected.as_bytes().starts_with(&found) {
        Ok(())
    } else {
        Err(OpenError::Foreign)
    }
}

/// Opens the file, and locks it against other referees until it is closed.
fn open_locked(path: &Path, beside: bool) -> Result<File, OpenError> {
    append_alone(path, beside)?.ok_or(OpenError::InUse)
}

/// The name of this machine.
pub fn host_name() -> String {
    let name = files::host_name().map(|name| name.trim().to_string());
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "unknown".into())
}

/// Syncs the directory entry of a new file, if the system supports it.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")));
    if let Err(error) = folder.and_then(|folder| folder.sync_all()) {
        log::debug!("the folder of {} cannot be synced: {error}", path.shown());
    }
}

/// Syncs a file to disk; does nothing for a device or a pipe.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

/// A thread that syncs the file in the background, so no game waits for the disk.
#[derive(Debug)]
struct Syncer {
    /// Whether something was written since the last sync.
    is_dirty: Arc<AtomicBool>,
    /// The error of the last sync that failed.
    error: Arc<Mutex<Option<io::Error>>>,
    /// Dropping the sender ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    fn new(file: File) -> Syncer {
        let (stop, stopped) = mpsc::channel();
        let is_dirty = Arc::new(AtomicBool::new(false));
        let error = Arc::new(Mutex::new(None));
        let (dirty, last_error) = (Arc::clone(&is_dirty), Arc::clone(&error));
        let thread = std::thread::Builder::new().name("sync".into()).spawn(move || {
            while stopped.recv_timeout(SYNC_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if dirty.swap(false, Ordering::AcqRel)
                    && let Err(error) = sync(&file)
                {
                    *last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
        });
        if let Err(error) = &thread {
            log::warn!("results are synced to disk only at the end of the match: {error}");
        }
        Syncer {
            is_dirty,
            error,
            stop: Some(stop),
            thread: thread.ok(),
        }
    }

    /// Returns the error of a failed sync once.
    fn check(&self) -> io::Result<()> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), Err)
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The thread does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use sentences::expect;
    use tempfile::TempDir;

    use super::*;
    use crate::samples::header;
    use crate::samples::record;

    struct Folder(TempDir);

    impl Folder {
        fn new() -> Folder {
            Folder(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> std::path::PathBuf {
            self.0.path().join("results.jsonl")
        }

        /// Opens the file; returns the ids of its games.
        fn open(&self, header: &Header) -> Result<(Store, Vec<u64>), OpenError> {
            let mut ids = Vec::new();
            let (store, _) = Store::open(&self.path(), header, |line| {
                if let Line::Record(record) = line {
                    ids.push(record.id);
                }
                Ok(())
            })?;
            Ok((store, ids))
        }

        fn text(&self) -> String {
            fs::read_to_string(self.path()).unwrap()
        }
    }

    #[test]
    fn a_torn_last_line_is_removed_and_its_game_is_played_again() {
        resumes_after_torn_lines(53);
    }

    /// Writes a file up to each of these bytes, and goes on in it.
    fn resumes_after_torn_lines(step: usize) {
        let folder = Folder::new();
        let (mut store, _) = folder.open(&header()).unwrap();
        store.append_game(&record(1, "a", "b")).unwrap();
        store.append_game(&record(2, "b", "a")).unwrap();
        drop(store);
        let text = folder.text();
        let ends: Vec<usize> = text.match_indices('\n').map(|(offset, _)| offset + 1).collect();
        for length in (0..=text.len()).step_by(step) {
            fs::write(folder.path(), &text[..length]).unwrap();
            let (mut store, ids) = folder.open(&header()).unwrap();
            // A record without its line break is complete.
            let complete = ends.iter().filter(|&&end| end <= length + 1).count();
            assert_eq!(ids.len(), complete.saturating_sub(1), "{length} bytes");
            for id in ids.len() as u64 + 1..=2 {
                let names = if id == 1 { ["a", "b"] } else { ["b", "a"] };
                store.append_game(&record(id, names[0], names[1])).unwrap();
            }
            drop(store);
            assert_eq!(folder.text(), text, "{length} bytes");
        }
    }

    #[test]
    fn leaves_other_files_unchanged() {
        let folder = Folder::new();
        for text in [
            "notes\n",
            "notes",
            "{}\n",
            "{\"header\":1}\n",
            "{\"moves\":[]}\n",
            "{\"header\"",
        ] {
            fs::write(folder.path(), text).unwrap();
            let opened = folder.open(&header());
            if text == "{\"header\"" {
                assert!(opened.is_ok(), "the beginning of our header");
                continue;
            }
            assert!(matches!(opened, Err(OpenError::Foreign)), "{text}");
            assert_eq!(folder.text(), text);
        }
        let directory = Store::open(folder.0.path(), &header(), |_| Ok(()));
        assert!(matches!(directory, Err(OpenError::Io(_))));
    }

    #[test]
    fn a_header_that_cannot_be_written_leaves_no_file() {
        let folder = Folder::new();
        let path = folder.path();
        fs::write(&path, "").unwrap();
        let read_only = File::open(&path).ok();
        let locked = LockedFile {
            path,
            file: read_only,
        };
        let content = Content::default();
        assert!(Store::resume(ReadFile { locked, content }, &header()).is_err());
        assert!(!folder.path().exists());
    }

    #[test]
    fn names_an_invalid_line() {
        let folder = Folder::new();
        drop(folder.open(&header()).unwrap());
        let text = folder.text() + "garbage\n";
        fs::write(folder.path(), &text).unwrap();
        let error = folder.open(&header()).unwrap_err().to_string();
        expect! {"line 2: not JSON: expected value, column 1"}.assert_eq(&error);
        assert_eq!(folder.text(), text);

        fs::write(
            folder.path(),
            text.replace("garbage", &serde_json::to_string(&record(1, "a", "b")).unwrap()),
        )
        .unwrap();
        let error = Store::open(&folder.path(), &header(), |_| Err("no such game".into())).unwrap_err();
        assert_eq!(error.to_string(), "line 2: no such game");
    }

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
        fn resumes_after_a_torn_line_at_any_byte() {
            // The files of Wine are slow.
            resumes_after_torn_lines(if cfg!(windows) { 7 } else { 1 });
        }
    }
}
