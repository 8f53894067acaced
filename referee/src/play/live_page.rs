//! The page of a match in progress (`referee match --html`). A thread rewrites it.
//!
//! The thread has its own counts and its own copies of the records, so it never holds the lock
//! of the match. It rests twenty times as long as it works. A lower priority would not help: it
//! would hold the lock of the running games for longer on a busy machine, and delay the last page.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::observers::RunningGames;
use super::state::GameListener;
use crate::io::failure::Failure;
use crate::player::verdict::without_stderr;
use crate::report::Summary;
use crate::report::page::{History, PageFile, PageMatch};
use crate::results::{Header, Record, transcripts};
use crate::tournament::Tournament;

/// The shortest time between two pages.
const INTERVAL: Duration = Duration::from_secs(2);

/// The longest time between two pages, beside the time to write one.
const MAX_INTERVAL: Duration = Duration::from_secs(30);

/// The thread rests this many times as long as the last page took: 5 % of a core.
const REST: u32 = 20;

/// The time for boards by a rules program on a page; the next page has more.
const BOARDS_TIME: Duration = Duration::from_millis(100);

/// The time for boards on the last page.
const LAST_BOARDS_TIME: Duration = Duration::from_secs(10);

/// The page of a match, and the thread that writes it.
pub struct LivePage {
    updates: Sender<PageUpdate>,
    thread: JoinHandle<Result<(), Failure>>,
    running: RunningGames,
}

/// A message to the thread.
enum PageUpdate {
    /// A finished game, of this run or of an earlier one.
    Game(Box<Record>),
    /// The games begin.
    Begin(Box<(Header, Tournament)>),
    /// The match has ended.
    End(Box<PageEnd>),
}

/// How a match ended.
pub struct PageEnd {
    /// The state of the match.
    pub tournament: Tournament,
    /// What a reader should know.
    pub note: Option<String>,
}

impl LivePage {
    /// A page that is first written when the games begin. `folders` have the transcripts; without them,
    /// the page has nothing that only the authors of the engines may see.
    pub fn start(
        file: PageFile,
        header: &Header,
        folders: Option<Vec<PathBuf>>,
    ) -> Result<LivePage, Failure> {
        let (updates, received) = channel();
        let running = RunningGames::default();
        let mut writer = PageWriter {
            file,
            folders,
            running: running.clone(),
            header: header.clone(),
            history: History::new(header),
            records: Vec::new(),
        };
        let thread = thread::Builder::new().name("page".into());
        let thread = thread.spawn(move || writer.run(&received));
        let thread = thread.map_err(|error| Failure::Usage(format!("--html: no thread: {error}")))?;
        Ok(LivePage {
            updates,
            thread,
            running,
        })
    }

    /// What passes each finished game to the page.
    pub fn listener(&self) -> GameListener {
        let updates = self.updates.clone();
        Box::new(move |record| {
            // The thread ends after the last game only.
            let _ = updates.send(PageUpdate::Game(Box::new(record.clone())));
        })
    }

    /// Where the games in progress are kept.
    pub fn running(&self) -> RunningGames {
        self.running.clone()
    }

    /// Begins to write the page. `header` has the marks of the engines that did not start, and
    /// the tournament the games so far.
    pub fn begin(&self, header: &Header, tournament: &Tournament) {
        let beginning = (header.clone(), tournament.clone());
        let _ = self.updates.send(PageUpdate::Begin(Box::new(beginning)));
    }

    /// Writes the page for the last time.
    pub fn end(self, end: PageEnd) -> Result<(), Failure> {
        let _ = self.updates.send(PageUpdate::End(Box::new(end)));
        let failed = || Failure::Output("the page cannot be written: its thread has failed".into());
        self.thread.join().unwrap_or_else(|_| Err(failed()))
    }
}

/// The thread of the page.
struct PageWriter {
    file: PageFile,
    folders: Option<Vec<PathBuf>>,
    running: RunningGames,
    header: Header,
    history: History,
    /// The records as JSON, which is smaller than their strings.
    records: Vec<Box<str>>,
}

impl PageWriter {
    /// Writes pages until the match ends. A page that cannot be written is a warning; only the
    /// last one must be written.
    fn run(&mut self, updates: &Receiver<PageUpdate>) -> Result<(), Failure> {
        let mut tournament: Option<Tournament> = None;
        let (mut next, mut interval, mut has_warned) = (Instant::now(), INTERVAL, false);
        loop {
            let update = match tournament {
                None => updates.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => updates.recv_timeout(next.saturating_duration_since(Instant::now())),
            };
            match update {
                Ok(PageUpdate::Game(record)) => self.add(*record, tournament.as_mut())?,
                Ok(PageUpdate::Begin(beginning)) => {
                    let (header, begun) = *beginning;
                    self.header = header;
                    tournament = Some(begun);
                    next = Instant::now();
                }
                Ok(PageUpdate::End(end)) => return self.end(*end),
                // The match did not begin.
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    let Some(tournament) = &tournament else { continue };
                    let began = Instant::now();
                    self.history.boards.get_mut().ask_for(BOARDS_TIME);
                    let written = self.write(tournament, &live(interval), self.running.records(), Vec::new());
                    if let Err(failure) = written
                        && !std::mem::replace(&mut has_warned, true)
                    {
                        log::warn!("{failure}; it is tried again");
                    }
                    interval = (began.elapsed() * REST).clamp(INTERVAL, MAX_INTERVAL);
                    next = Instant::now() + interval;
                }
            }
        }
    }

    /// Adds a game; before the games begin, the tournament has it already.
    fn add(&mut self, mut record: Record, tournament: Option<&mut Tournament>) -> Result<(), Failure> {
        if self.folders.is_none() {
            record.detail = without_stderr(&record.detail).into();
        }
        let text = serde_json::to_string(&record).map_err(|error| Failure::Output(error.to_string()))?;
        self.records.push(text.into());
        self.history.add(&record);
        tournament.map_or(Ok(()), |tournament| {
            tournament.add(record).map_err(Failure::Output)
        })
    }

    fn end(&mut self, end: PageEnd) -> Result<(), Failure> {
        if let Some(verdict) = end.tournament.verdict() {
            self.history.truncate(verdict.pairs);
        }
        self.history.boards.get_mut().ask_for(LAST_BOARDS_TIME);
        let notes = end.note.into_iter().collect();
        self.write(&end.tournament, &json!({"over": true}), Vec::new(), notes)
    }

    fn write(
        &self,
        tournament: &Tournament,
        live: &Value,
        running: Vec<Record>,
        notes: Vec<String>,
    ) -> Result<(), Failure> {
        let summary = Summary::new(&self.header, tournament);
        let one = PageMatch {
            header: &self.header,
            tournament,
            summary: &summary,
            history: &self.history,
            notes,
            transcripts: transcripts::excerpts(
                &tournament.failed,
                self.folders.as_deref().unwrap_or_default(),
            ),
            running,
            records: Box::new(|take| {
                self.records.iter().try_for_each(|text| {
                    let record = serde_json::from_str(text).map_err(|error| error.to_string())?;
                    take(&record)
                })
            }),
        };
        self.file.write(&[one], live, None)
    }
}

/// What the page knows of the match in progress: when it was written, in milliseconds since
/// 1970, and the time until the next page in milliseconds.
fn live(interval: Duration) -> Value {
    let written = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    json!({"written": written.as_millis() as u64, "every": interval.as_millis() as u64})
}
