//! A job: a match, a ladder or an analysis, which runs as a child process or can be resumed.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use serde_json::{Value, json};
use tokio::sync::watch;

use super::child::{self, Running};
use super::form::{Form, Phase, SavedJob};
use super::state::{Games, JobState};
use super::words::Command;
use crate::files::{self, Counts};

/// The interval between two texts for spectators.
const INTERVAL: Duration = Duration::from_millis(200);

/// The child of a job.
#[derive(Debug, Default)]
struct Control {
    is_active: bool,
    running: Option<Arc<Running>>,
    /// How a user wants it to end: paused or stopped.
    request: Option<Phase>,
}

#[derive(Debug)]
pub struct Job {
    stem: String,
    folder: PathBuf,
    form: Form,
    state: Mutex<JobState>,
    control: Mutex<Control>,
    /// Whether spectators have not seen the state.
    is_new: AtomicBool,
    texts: watch::Sender<Arc<str>>,
}

impl Job {
    /// A job that does not run.
    pub fn new(stem: &str, folder: &Path, saved: SavedJob) -> Arc<Job> {
        // The server was killed while the job ran.
        let phase = match saved.state {
            Phase::Running => Phase::Paused,
            phase => phase,
        };
        let state = JobState::new(format!("{stem}.jsonl"), saved.form.kind(), phase, saved.games);
        Arc::new(Job {
            stem: stem.into(),
            folder: folder.into(),
            form: saved.form,
            state: Mutex::new(state),
            control: Mutex::default(),
            is_new: AtomicBool::new(true),
            texts: watch::Sender::new("".into()),
        })
    }

    /// What the job does.
    pub const fn form(&self) -> &Form {
        &self.form
    }

    /// Whether its child runs, or is about to start or to end.
    pub fn is_active(&self) -> bool {
        locked(&self.control).is_active
    }

    /// The state, while nothing changes it.
    pub fn state(&self) -> MutexGuard<'_, JobState> {
        locked(&self.state)
    }

    /// Starts the child. `games` is the number of games, if known.
    pub fn start(self: &Arc<Job>, command: Command, games: Option<u64>) -> io::Result<()> {
        self.show(|state| {
            state.restart(command.shown.clone());
            state.games = games.unwrap_or(state.games);
        });
        if let Err(error) = self.save(Phase::Running) {
            self.show(|state| state.phase = Phase::Failed);
            return Err(error);
        }
        *locked(&self.control) = Control {
            is_active: true,
            ..Control::default()
        };
        let job = Arc::clone(self);
        let started = thread::Builder::new().spawn(move || job.run(&command));
        started.map(|_| ()).inspect_err(|_| {
            *locked(&self.control) = Control::default();
            self.show(|state| state.phase = Phase::Failed);
        })
    }

    /// Ends the child; the job is then paused or stopped.
    pub fn end(&self, phase: Phase) {
        let mut control = locked(&self.control);
        control.request = Some(phase);
        if let Some(running) = &control.running {
            running.end();
        }
        drop(control);
        self.show(|state| {
            if state.phase == Phase::Running {
                state.why = Some(match state.kind {
                    "analysis" => "The analysis is ending".into(),
                    _ => "The match is ending; its finished games are saved".into(),
                });
            }
        });
    }

    /// Ends a job for good that does not run.
    pub fn stop(&self) {
        self.show(|state| state.end(Phase::Stopped, None));
        self.save_or_log(Phase::Stopped);
    }

    /// Ends the child with its running games, so that it can be resumed.
    pub fn terminate(&self) {
        let mut control = locked(&self.control);
        control.request = control.request.or(Some(Phase::Paused));
        if let Some(running) = &control.running {
            running.terminate();
        }
    }

    /// Kills the child.
    pub fn kill(&self) {
        if let Some(running) = &locked(&self.control).running {
            running.kill();
        }
    }

    /// The texts for spectators, from now on.
    pub fn follow(&self) -> watch::Receiver<Arc<str>> {
        self.load(false);
        self.is_new.store(true, Ordering::SeqCst);
        let mut texts = self.texts.subscribe();
        texts.mark_changed();
        self.publish();
        texts
    }

    /// The job in a list. `counts` are those of its file, if its games are not in the state.
    pub fn entry(&self, counts: Option<Counts>, modified: Option<u64>) -> Value {
        let state = self.state();
        let (played, players) = match counts {
            Some(counts) => (counts.games, counts.players),
            None => (state.played, state.players()),
        };
        json!({
            "name": state.name, "kind": state.kind, "state": state.phase, "played": played, "games": state.games,
            "players": players, "command": state.command, "why": state.why, "modified": modified,
        })
    }

    fn run(&self, command: &Command) {
        self.load(true);
        let ended = match Running::start(command) {
            Ok((running, output, errors)) => {
                let mut control = locked(&self.control);
                control.running = Some(Arc::clone(&running));
                if control.request.is_some() {
                    running.end();
                }
                drop(control);
                thread::scope(|scope| {
                    let (end, ended) = mpsc::channel::<()>();
                    scope
                        .spawn(move || child::warnings(errors, |line| self.change(|state| state.warn(line))));
                    scope.spawn(move || {
                        // Spectators see the changes until the output ends.
                        while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                            self.publish();
                        }
                    });
                    let relayed = child::lines(output, |line| self.change(|state| state.apply(line)));
                    drop(end);
                    if let Err(error) = relayed {
                        log::warn!("{}: {error}", self.stem);
                    }
                });
                running
                    .wait()
                    .ok_or_else(|| "The child process does not end".to_string())
            }
            Err(error) => Err(format!("The child process cannot be started: {error}")),
        };
        let request = locked(&self.control).request;
        if self.state().kind == "analysis" {
            // What was found is in the file.
            self.load(true);
        }
        let (phase, why) = end(&mut self.state(), ended, request);
        self.save_or_log(phase);
        {
            // Who sees the new phase can start the job again.
            let mut control = locked(&self.control);
            self.show(|state| state.end(phase, why));
            *control = Control::default();
        }
    }

    /// Reads the games of the file, which may have other ones after a run by hand.
    fn load(&self, again: bool) {
        if again || !self.state().is_loaded {
            // Others can use the state while the file is read.
            let file = files::find(&self.folder, &format!("{}.jsonl", self.stem));
            let games = file.map(|file| Games::of_file(&file.path));
            self.state().take_games(games.unwrap_or_default());
        }
    }

    /// A change that spectators see while the child runs.
    fn change(&self, change: impl FnOnce(&mut JobState)) {
        change(&mut self.state());
        self.is_new.store(true, Ordering::SeqCst);
    }

    /// A change that spectators see at once.
    fn show(&self, change: impl FnOnce(&mut JobState)) {
        self.change(change);
        self.publish();
    }

    /// Shows spectators the state if it has changed. Without spectators, there is no text.
    fn publish(&self) {
        if self.texts.receiver_count() > 0 && self.is_new.swap(false, Ordering::SeqCst) {
            let text = self.state().text();
            self.texts.send_replace(text.into());
        }
    }

    fn save(&self, state: Phase) -> io::Result<()> {
        let saved = SavedJob {
            form: self.form.clone(),
            state,
            games: self.state().games,
        };
        saved.write(&self.folder, &self.stem)
    }

    fn save_or_log(&self, state: Phase) {
        if let Err(error) = self.save(state) {
            log::warn!("the state of {} cannot be saved: {error}", self.stem);
        }
    }
}

/// How a child ended.
fn end(
    state: &mut JobState,
    ended: Result<ExitStatus, String>,
    request: Option<Phase>,
) -> (Phase, Option<String>) {
    match (ended, request) {
        (Err(why), _) => (Phase::Failed, Some(why)),
        (Ok(status), _) if status.success() && state.kind == "ladder" => {
            let why = "The run is over. A ladder can continue at any time";
            (request.unwrap_or(Phase::Paused), Some(why.into()))
        }
        (Ok(status), _) if status.success() => (Phase::Finished, None),
        (Ok(status), request) if is_interrupted(status) => {
            // The page says it in its own words.
            let _ = state.take_failure();
            let why = request
                .is_none()
                .then(|| "The match was interrupted by a signal".into());
            (request.unwrap_or(Phase::Paused), why)
        }
        (Ok(_), Some(phase)) => (phase, None),
        (Ok(status), None) => {
            let why = state
                .take_failure()
                .unwrap_or_else(|| format!("The command ended with {status}"));
            (Phase::Failed, Some(why))
        }
    }
}

/// Whether a status is that of SIGINT or SIGTERM.
fn is_interrupted(status: ExitStatus) -> bool {
    matches!(status.code(), Some(130 | 143))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
