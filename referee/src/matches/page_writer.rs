//! The page of a match (`--html`), which is that of `referee report --html` for the result file.
//!
//! It is written at the end, and now and then before by a thread, which rests twenty times as long as
//! it works.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process;
use std::slice;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::io::files::temporary_folder_hint;
use referee_core::io::text::ShowPath;
use referee_core::results::archive::{self, ArchiveError};
use referee_core::system::files::create_private;

use crate::report::match_report::{MatchReport, PageOptions, write_page};
use crate::report::page::PageFile;

/// The shortest time between two pages.
const INTERVAL: Duration = Duration::from_secs(2);

/// The thread rests this many times as long as the last page took: 5 % of a core.
const REST: u32 = 20;

/// The time for boards by a rules program on a page before the last one.
const BOARDS_TIME: Duration = Duration::from_millis(100);

/// The time for boards on the last page.
const LAST_BOARDS_TIME: Duration = Duration::from_secs(10);

/// The page of a match, and where its games are.
pub(super) struct MatchPage {
    pub file: PageFile,
    /// The result file.
    pub results: PathBuf,
    /// The rules of its games.
    pub rules: Ruleset,
    /// The folders of transcripts; `None` if the page has nothing that only the authors of the engines
    /// may see.
    pub folders: Option<Vec<PathBuf>>,
    /// The result file if it is deleted at the end.
    pub _temporary: Option<PageRecords>,
}

/// The result file of a match with a page, but without `--out`. Dropping it deletes it.
pub(super) struct PageRecords {
    pub path: PathBuf,
}

impl PageRecords {
    /// Makes a new file that only this user can read.
    pub fn new() -> Result<PageRecords, Failure> {
        let mut number = 0;
        loop {
            let path = env::temp_dir().join(format!("referee-{}-{number}.jsonl", process::id()));
            match create_private(&path) {
                Ok(_) => return Ok(PageRecords { path }),
                // A killed process has left it, or another user has made it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => {
                    let hint = temporary_folder_hint();
                    return Err(Failure::Usage(format!(
                        "--html: no temporary file: {error}{hint}"
                    )));
                }
            }
        }
    }
}

impl Drop for PageRecords {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            log::warn!("{} cannot be deleted: {error}", self.path.shown());
        }
    }
}

impl MatchPage {
    /// Writes the page of the games so far.
    fn write(&self, boards_time: Duration) -> Result<(), Failure> {
        let failed = |error: ArchiveError| Failure::Output(format!("the page cannot be written: {error}"));
        let matches = archive::read(slice::from_ref(&self.results)).map_err(failed)?;
        let Some(one) = matches.first() else { return Ok(()) };
        let options = PageOptions {
            folders: self.folders.clone(),
            is_of_match: true,
            boards_time: Some(boards_time),
            rules: Some(self.rules),
        };
        let report = MatchReport::new(one, None, Some(options), None).map_err(failed)?;
        write_page(&self.file, slice::from_ref(&report), None, None)
    }
}

/// The thread that writes the page of a match in progress.
pub(super) struct PageWriter {
    finished: Sender<()>,
    thread: JoinHandle<MatchPage>,
}

impl PageWriter {
    /// Starts the thread, and returns where each finished game is reported.
    pub fn start(page: MatchPage) -> Result<(PageWriter, Sender<()>), Failure> {
        let (finished, games) = channel();
        let thread = thread::Builder::new().name("page".into());
        let thread = thread.spawn(move || {
            write_now_and_then(&page, &games);
            page
        });
        let thread = thread.map_err(|error| Failure::Usage(format!("--html: no thread: {error}")))?;
        Ok((
            PageWriter {
                finished: finished.clone(),
                thread,
            },
            finished,
        ))
    }

    /// Writes the page for the last time. All other senders must be dropped.
    pub fn end(self) -> Result<(), Failure> {
        drop(self.finished);
        let failed = |_| Failure::Output("the page cannot be written: its thread has failed".into());
        let page = self.thread.join().map_err(failed)?;
        page.write(LAST_BOARDS_TIME)
    }
}

/// Writes pages until all senders are dropped. A failure is a warning, once: it is tried again.
fn write_now_and_then(page: &MatchPage, games: &Receiver<()>) {
    let mut has_warned = false;
    while games.recv().is_ok() {
        let began = Instant::now();
        if let Err(failure) = page.write(BOARDS_TIME)
            && !std::mem::replace(&mut has_warned, true)
        {
            log::warn!("{failure}; retrying");
        }
        let next = Instant::now() + (began.elapsed() * REST).max(INTERVAL);
        // The games until then share a page; the last one of them leads to it.
        loop {
            match games.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}
