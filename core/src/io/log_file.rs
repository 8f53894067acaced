//! The log of a match in a file (`--log`): messages of the referee, and on request every line
//! to and from every engine.
//!
//! A thread of its own writes the file, so that a slow disk never delays a game. The queue to
//! it is bounded: lines that do not fit are counted and dropped.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use log::{LevelFilter, Record};

use super::files::{IN_USE, append_alone, refusal};
use super::text::printable;

/// The largest number of lines that wait for the disk.
const QUEUE: usize = 2048;

/// Longer lines of engines are cut to this number of characters.
const MAX_LINE: usize = 4096;

/// How long a line may stay in memory.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// The log of this process, if there is one.
static LOG: OnceLock<LogFile> = OnceLock::new();

thread_local! {
    /// The slot, from 1, and the game that this thread plays; 0 for none.
    static CONTEXT: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
}

/// A log file that is being written.
#[derive(Debug)]
struct LogFile {
    level: LevelFilter,
    has_engines: bool,
    /// `None` after the last line.
    queue: SyncSender<Option<String>>,
    lost: Arc<AtomicU64>,
    writer: Mutex<Option<JoinHandle<io::Result<()>>>>,
}

/// Opens the log of this process; lines are appended. A file that ends in `.gz` is compressed.
/// Messages up to `level` are written, and with `has_engines` the lines of engines.
pub fn open(path: &Path, level: LevelFilter, has_engines: bool) -> io::Result<()> {
    let log = LogFile::open(path, level, has_engines)?;
    LOG.set(log)
        .map_err(|_| io::Error::other("there is another log already"))?;
    if log::max_level() < level {
        log::set_max_level(level);
    }
    Ok(())
}

/// Writes what is left and closes the log, if there is one.
pub fn close() -> io::Result<()> {
    LOG.get().map_or(Ok(()), LogFile::close)
}

/// Marks the lines of this thread with a slot, from 0, and a game.
pub fn set_context(slot: usize, game: u64) {
    CONTEXT.set((slot + 1, game));
}

/// Writes a message of the referee.
pub fn message(record: &Record<'_>) {
    if let Some(log) = LOG.get().filter(|log| record.level() <= log.level) {
        log.push(&format!("{} {}", record.level(), record.args()));
    }
}

/// Writes a line to (`>`) or from (`<`) an engine, or a remark about one (`#`).
pub(crate) fn engine_line(engine: &str, direction: char, line: &str) {
    if let Some(log) = LOG.get().filter(|log| log.has_engines) {
        log.push(&format!("{engine} {direction} {line}"));
    }
}

impl LogFile {
    fn open(path: &Path, level: LevelFilter, has_engines: bool) -> io::Result<LogFile> {
        let is_compressed = path.extension() == Some(OsStr::new("gz"));
        let file = append_alone(path, false)?.ok_or_else(|| io::Error::other(IN_USE))?;
        if !is_log(&file, is_compressed)? {
            return Err(refusal("the file exists and is not a log of the referee"));
        }
        let mut file = BufWriter::new(file);
        let (queue, lines) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        let lost_lines = Arc::clone(&lost);
        let write = move || {
            if !is_compressed {
                return write_lines(&lines, &mut file, &lost_lines);
            }
            let mut compressed = GzEncoder::new(file, Compression::default());
            let written = write_lines(&lines, &mut compressed, &lost_lines);
            written.and(compressed.finish()?.flush())
        };
        let writer = thread::Builder::new().name("log".into()).spawn(write)?;
        Ok(LogFile {
            level,
            has_engines,
            queue,
            lost,
            writer: Mutex::new(Some(writer)),
        })
    }

    /// Adds the time and the place of the thread to a line. Never waits.
    fn push(&self, line: &str) {
        let context = match CONTEXT.get() {
            (0, _) => String::new(),
            (slot, 0) => format!("[slot {slot}] "),
            (slot, game) => format!("[slot {slot} game {game}] "),
        };
        let line = format!("{:.6} {context}{}\n", Timestamp::now(), printable(line, MAX_LINE));
        if let Err(TrySendError::Full(_)) = self.queue.try_send(Some(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn close(&self) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = writer.take() else {
            return Ok(());
        };
        // The writer has ended if this fails.
        let _ = self.queue.send(None);
        writer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread of the log ended")))
    }
}

/// The length of the time at the beginning of a line, in bytes.
const TIME_LENGTH: usize = "2026-01-01T00:00:00.000000Z".len();

/// The first bytes of a file that is compressed with gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Whether a file is a device or a pipe, is empty, or begins as a log does.
fn is_log(file: &File, is_compressed: bool) -> io::Result<bool> {
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Ok(true);
    }
    let mut begin = Vec::new();
    file.take(TIME_LENGTH as u64).read_to_end(&mut begin)?;
    let time = || str::from_utf8(&begin).is_ok_and(|time| time.parse::<Timestamp>().is_ok());
    Ok(if is_compressed {
        begin.starts_with(&GZIP)
    } else {
        time()
    })
}

/// Writes lines until the last one. After an error, lines are dropped.
fn write_lines(lines: &Receiver<Option<String>>, output: &mut dyn Write, lost: &AtomicU64) -> io::Result<()> {
    let mut failed = Ok(());
    let mut is_dirty = false;
    loop {
        let written = match lines.recv_timeout(FLUSH_INTERVAL) {
            Ok(Some(line)) => {
                is_dirty = true;
                match lost.swap(0, Ordering::Relaxed) {
                    0 => output.write_all(line.as_bytes()),
                    count => {
                        let time = Timestamp::now();
                        write!(output, "{time:.6} {count} lines lost: the disk is slow\n{line}")
                    }
                }
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if is_dirty => {
                is_dirty = false;
                output.flush()
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
        };
        if failed.is_ok() {
            failed = written;
        }
    }
    failed.and(output.flush())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use flate2::read::MultiGzDecoder;

    use super::*;

    #[test]
    fn only_a_log_is_continued() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["log", "log.gz"] {
            let path = folder.path().join(name);
            let open = || LogFile::open(&path, LevelFilter::Info, false);
            for begin in ["#!/bin/sh\necho uciok\n", "2026"] {
                fs::write(&path, begin).unwrap();
                assert!(open().is_err(), "{begin}");
                assert_eq!(fs::read_to_string(&path).unwrap(), begin);
            }
            fs::write(&path, "").unwrap();
            open().unwrap().close().unwrap();
        }
    }

    #[test]
    fn appends_lines_with_their_time_and_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for _ in 0..2 {
            let log = LogFile::open(&path, LevelFilter::Info, true).unwrap();
            log.push("one\u{1b}");
            set_context(2, 7);
            log.push("two");
            log.close().unwrap();
            log.push("too late");
            CONTEXT.set((0, 0));
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        let (time, rest) = lines[0].split_once(' ').unwrap();
        assert!(time.parse::<Timestamp>().is_ok() && time.len() == TIME_LENGTH);
        assert_eq!(rest, "one\\u{1b}");
        assert!(lines[1].ends_with(" [slot 3 game 7] two"), "{text}");
    }

    #[test]
    fn a_line_is_in_the_file_while_the_log_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = LogFile::open(&path, LevelFilter::Info, true).unwrap();
        log.push("one");
        let until = Instant::now() + Duration::from_mins(1);
        while fs::read_to_string(&path).unwrap().is_empty() {
            assert!(Instant::now() < until);
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn compressed_logs_can_be_read_and_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.gz");
        for _ in 0..2 {
            let log = LogFile::open(&path, LevelFilter::Info, true).unwrap();
            for _ in 0..500 {
                log.push("info depth 7 score cp 34 nodes 1234");
            }
            log.close().unwrap();
        }
        let bytes = fs::read(&path).unwrap();
        let mut text = String::new();
        MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().count(), 1000);
        assert!(bytes.len() * 4 < text.len(), "{} {}", bytes.len(), text.len());
    }

    #[test]
    fn lines_that_do_not_fit_are_counted() {
        let (queue, lines) = sync_channel(2);
        let log = LogFile {
            level: LevelFilter::Info,
            has_engines: true,
            queue,
            lost: Arc::default(),
            writer: Mutex::new(None),
        };
        for _ in 0..5 {
            log.push("a");
        }
        assert_eq!(log.lost.load(Ordering::Relaxed), 3);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        drop(log.queue);
        let mut file = fs::File::create(&path).unwrap();
        write_lines(&lines, &mut file, &log.lost).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(" 3 lines lost: the disk is slow\n"), "{text}");
        assert_eq!(text.lines().count(), 3);
    }

    #[test]
    fn write_errors_are_reported_at_the_end() {
        let full = Path::new("/dev/full");
        if full.exists() {
            let log = LogFile::open(full, LevelFilter::Info, true).unwrap();
            log.push("a");
            assert!(log.close().is_err());
        }
    }
}
