//! A result file that is being written: append-only, one writer, each line
//! there in full before the next game of its slot begins, and on the disk
//! within a second.
//!
//! Whenever its writer ends, by `kill -9` or a full disk, the file holds whole
//! lines and perhaps the beginning of one. Who opens it again cuts that off and
//! goes on.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::header::Header;
use super::reader::{Line, ReadError, Reader, SprtVerdict};
use super::record::Record;
use crate::io::append_only::AppendOnly;

/// What was written is on the disk after this time.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// So long is waited for a file that another process holds: one that was killed
/// while it started another one still holds it until that one is a program of its
/// own.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// How often it is asked meanwhile.
const ASK_AGAIN: Duration = Duration::from_millis(10);

/// The open file.
#[derive(Debug)]
pub struct Store {
    /// Whole lines.
    lines: AppendOnly,
    /// Whether there is a game in it.
    has_games: bool,
    disk: Disk,
}

/// Why a match cannot write its results to a file.
#[derive(Debug)]
pub enum OpenError {
    /// The system refuses.
    Io(io::Error),
    /// Another referee is writing to it.
    InUse,
    /// There is something in it that is no result file.
    Foreign,
    /// A line is wrong: which, and how.
    Wrong(String),
    /// It holds the results of another match: what differs.
    Different(Vec<String>),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => error.fmt(f),
            OpenError::InUse => f.write_str("another referee is writing to it"),
            OpenError::Foreign => {
                f.write_str("there is something else in it, and it is not written over; give a new file")
            }
            OpenError::Wrong(why) => f.write_str(why),
            OpenError::Different(what) => write!(
                f,
                "it holds another match: {}. The same command goes on with it; another one needs a new file",
                what.join("; ")
            ),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Io(error)
    }
}

impl Store {
    /// Opens a file for the match that `header` describes, or creates it. What
    /// is in it of the same match is handed to `seen`, and what was cut off is
    /// taken away. Gives back, too, what a test found that ended the match.
    ///
    /// # Errors
    /// Where that cannot be done; nothing in the file has changed then.
    pub fn open(
        path: &Path,
        header: &Header,
        seen: impl FnMut(Record) -> Result<(), String>,
    ) -> Result<(Store, Option<SprtVerdict>), OpenError> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        lock(&file, path)?;
        let is_file = file.metadata()?.is_file();
        // A device or a pipe has nothing to go on with.
        let old = if is_file {
            read(&mut file, header, seen)?
        } else {
            Old::default()
        };
        if is_file && old.length < file.metadata()?.len() {
            file.set_len(old.length)?;
        }
        sync_folder(path);
        let mut store = Store {
            disk: Disk::new(file.try_clone()?),
            lines: AppendOnly::new(path, file, old.length),
            has_games: old.has_games,
        };
        if old.lacks_line_end {
            store.append_bytes(b"\n")?;
        }
        if !old.has_header
            && let Err(error) = store.append(header)
        {
            store.remove_if_empty();
            return Err(error.into());
        }
        Ok((store, old.end))
    }

    /// Appends the record of a game.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub fn append_game(&mut self, record: &Record) -> io::Result<()> {
        self.has_games = true;
        self.append(record)
    }

    /// Takes the file away where there is no game in it.
    pub fn remove_if_empty(self) {
        if !self.has_games {
            self.lines.remove();
        }
    }

    /// Appends one line and hands it to the system.
    ///
    /// # Errors
    /// Where the line could not be written. What was written of it is taken
    /// back, so that the file still holds whole lines only.
    pub fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.append_bytes(&text)
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.disk.check()?;
        self.lines.append(bytes)?;
        self.disk.is_behind.store(true, Ordering::Release);
        Ok(())
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// Where the disk says that it is not.
    pub fn sync(&self) -> io::Result<()> {
        self.disk.check()?;
        sync(self.lines.file())
    }
}

/// What a file holds already.
#[derive(Debug, Default)]
struct Old {
    /// The length of all whole lines.
    length: u64,
    /// Whether the last of them is whole but for its line end.
    lacks_line_end: bool,
    /// Whether its header is that of the match, with as many games.
    has_header: bool,
    /// Whether there is a game in it.
    has_games: bool,
    /// What a test found.
    end: Option<SprtVerdict>,
}

/// Reads what is in the file, up to a line that is cut off.
fn read(
    file: &mut File,
    header: &Header,
    mut seen: impl FnMut(Record) -> Result<(), String>,
) -> Result<Old, OpenError> {
    let mut old = Old::default();
    let mut last_header: Option<Box<Header>> = None;
    let mut differences = Vec::new();
    let mut reader = Reader::new(BufReader::new(&*file));
    loop {
        let placed = match reader.next_line() {
            Ok(Some(placed)) => placed,
            Err(ReadError::Torn { start: 0, .. }) => return begun(file, header),
            Ok(None) | Err(ReadError::Torn { .. }) => break,
            Err(ReadError::Io(error)) => return Err(error.into()),
            Err(ReadError::Invalid { .. } | ReadError::InvalidHeader { .. }) if last_header.is_none() => {
                return Err(OpenError::Foreign);
            }
            Err(error) => return Err(OpenError::Wrong(error.to_string())),
        };
        let number = placed.number;
        match placed.line {
            Line::Header(line) => {
                differences = line.differences(header);
                last_header = Some(line);
            }
            _ if last_header.is_none() => return Err(OpenError::Foreign),
            Line::Record(record) => {
                if !differences.is_empty() {
                    return Err(OpenError::Different(differences));
                }
                old.has_games = true;
                seen(*record).map_err(|why| OpenError::Wrong(format!("line {number}: {why}")))?;
            }
            Line::End(end) => old.end = Some(end.sprt),
            Line::Other => {}
        }
        (old.length, old.lacks_line_end) = (placed.end, !placed.is_ended);
    }
    if !differences.is_empty() {
        return if old.has_games {
            Err(OpenError::Different(differences))
        } else {
            // Another match that never began has nothing to lose.
            Ok(Old::default())
        };
    }
    old.has_header = last_header.is_some_and(|last| last.schedule.games == header.schedule.games);
    Ok(old)
}

/// A file whose first line is cut off: one that has been begun for this match
/// is begun again.
fn begun(file: &mut File, header: &Header) -> Result<Old, OpenError> {
    let whole = serde_json::to_vec(header).map_err(io::Error::from)?;
    let mut begun = Vec::new();
    file.rewind()?;
    (&*file).take(whole.len() as u64 + 1).read_to_end(&mut begun)?;
    if whole.starts_with(&begun) {
        Ok(Old::default())
    } else {
        Err(OpenError::Foreign)
    }
}

/// Keeps other referees from the file, for as long as it is open.
fn lock(file: &File, path: &Path) -> Result<(), OpenError> {
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(ASK_AGAIN),
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse),
            Err(TryLockError::Error(error)) => {
                // Some network file systems have no locks.
                log::debug!("{} cannot be locked: {error}", path.display());
                return Ok(());
            }
        }
    }
}

/// Puts the name of a new file on the disk, where the system lets us.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")));
    if let Err(error) = folder.and_then(|folder| folder.sync_all()) {
        log::debug!("the folder of {} cannot be synced: {error}", path.display());
    }
}

/// Waits until a file is on the disk; a device or a pipe never is.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_data() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

/// A thread that puts on the disk what was written, so that no game waits for
/// the disk.
#[derive(Debug)]
struct Disk {
    /// Whether something was written since the last time.
    is_behind: Arc<AtomicBool>,
    /// What the disk said when it refused.
    error: Arc<Mutex<Option<io::Error>>>,
    /// Ends the thread when it is dropped.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Disk {
    fn new(file: File) -> Disk {
        let (stop, stopped) = mpsc::channel();
        let is_behind = Arc::new(AtomicBool::new(false));
        let error = Arc::new(Mutex::new(None));
        let (behind, told) = (Arc::clone(&is_behind), Arc::clone(&error));
        let thread = std::thread::Builder::new().name("disk".into()).spawn(move || {
            while stopped.recv_timeout(SYNC_EVERY) == Err(RecvTimeoutError::Timeout) {
                if behind.swap(false, Ordering::AcqRel)
                    && let Err(error) = sync(&file)
                {
                    *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                }
            }
        });
        if let Err(error) = &thread {
            log::warn!("results are put on the disk at the end only: {error}");
        }
        Disk {
            is_behind,
            error,
            stop: Some(stop),
            thread: thread.ok(),
        }
    }

    /// Tells of an error since the last time.
    fn check(&self) -> io::Result<()> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), Err)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It does nothing that could panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::results::header::tests::header;
    use crate::results::record::tests::record;

    struct Place(TempDir);

    impl Place {
        fn new() -> Place {
            Place(tempfile::tempdir().unwrap())
        }

        fn path(&self) -> std::path::PathBuf {
            self.0.path().join("results.jsonl")
        }

        /// Opens the file; gives back the numbers of its games.
        fn open(&self, header: &Header) -> Result<(Store, Vec<u64>), OpenError> {
            let mut ids = Vec::new();
            let (store, _) = Store::open(&self.path(), header, |record| {
                ids.push(record.id);
                Ok(())
            })?;
            Ok((store, ids))
        }

        fn text(&self) -> String {
            fs::read_to_string(self.path()).unwrap()
        }
    }

    #[test]
    fn what_was_written_is_found_again() {
        let place = Place::new();
        let (mut store, ids) = place.open(&header()).unwrap();
        assert!(ids.is_empty());
        store.append_game(&record(2, "a", "b")).unwrap();
        store.append_game(&record(1, "b", "a")).unwrap();
        store.sync().unwrap();
        drop(store);
        let text = place.text();
        assert_eq!(text.lines().count(), 3);
        let (store, ids) = place.open(&header()).unwrap();
        assert_eq!(ids, [2, 1]);
        drop(store);
        assert_eq!(place.text(), text, "the header is there once");
    }

    #[test]
    fn a_file_that_is_cut_anywhere_loses_one_line_at_most() {
        let place = Place::new();
        let (mut store, _) = place.open(&header()).unwrap();
        store.append_game(&record(1, "a", "b")).unwrap();
        store.append_game(&record(2, "b", "a")).unwrap();
        drop(store);
        let text = place.text();
        let ends: Vec<usize> = text.match_indices('\n').map(|(place, _)| place + 1).collect();
        for length in 0..=text.len() {
            fs::write(place.path(), &text[..length]).unwrap();
            let (mut store, ids) = place.open(&header()).unwrap();
            // A record is whole without its line end.
            let whole = ends.iter().filter(|&&end| end <= length + 1).count();
            assert_eq!(ids.len(), whole.saturating_sub(1), "{length} bytes");
            for id in ids.len() as u64 + 1..=2 {
                let names = if id == 1 { ["a", "b"] } else { ["b", "a"] };
                store.append_game(&record(id, names[0], names[1])).unwrap();
            }
            drop(store);
            assert_eq!(place.text(), text, "{length} bytes");
        }
    }

    #[test]
    fn a_second_writer_is_refused() {
        let place = Place::new();
        let first = place.open(&header()).unwrap();
        assert!(matches!(place.open(&header()), Err(OpenError::InUse)));
        drop(first);
        assert!(place.open(&header()).is_ok());
    }

    #[test]
    fn another_match_is_refused_and_a_longer_one_goes_on() {
        let place = Place::new();
        let (mut store, _) = place.open(&header()).unwrap();
        store.append_game(&record(1, "a", "b")).unwrap();
        drop(store);
        let text = place.text();
        let mut other = header();
        other.seed = 9;
        let error = place.open(&other).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("it holds another match: seed was 1, now 9. "),
            "{error}"
        );
        assert_eq!(place.text(), text);

        let mut longer = header();
        longer.schedule.games += 2;
        assert_eq!(place.open(&longer).unwrap().1, [1]);
        assert_eq!(place.text().lines().count(), 3, "a second header");
        let error = place.open(&header()).unwrap_err().to_string();
        assert!(error.contains("schedule.games was 12, now 10"), "{error}");
    }

    #[test]
    fn what_is_no_result_file_is_left_alone() {
        let place = Place::new();
        for text in [
            "notes\n",
            "notes",
            "{}\n",
            "{\"header\":1}\n",
            "{\"moves\":[]}\n",
            "{\"header\"",
        ] {
            fs::write(place.path(), text).unwrap();
            let opened = place.open(&header());
            if text == "{\"header\"" {
                assert!(opened.is_ok(), "it may have been begun by us");
                continue;
            }
            assert!(matches!(opened, Err(OpenError::Foreign)), "{text}");
            assert_eq!(place.text(), text);
        }
        let folder = Store::open(place.0.path(), &header(), |_| Ok(()));
        assert!(matches!(folder, Err(OpenError::Io(_))));
    }

    #[test]
    fn a_wrong_line_in_the_middle_is_named() {
        let place = Place::new();
        drop(place.open(&header()).unwrap());
        let text = place.text() + "garbage\n";
        fs::write(place.path(), &text).unwrap();
        let error = place.open(&header()).unwrap_err().to_string();
        assert_eq!(error, "line 2: expected value, column 1");
        assert_eq!(place.text(), text);

        fs::write(
            place.path(),
            text.replace("garbage", &serde_json::to_string(&record(1, "a", "b")).unwrap()),
        )
        .unwrap();
        let error = Store::open(&place.path(), &header(), |_| Err("no such game".into())).unwrap_err();
        assert_eq!(error.to_string(), "line 2: no such game");
    }
}
