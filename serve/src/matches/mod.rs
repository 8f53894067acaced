//! Matches, ladders and analyses as child processes.
//!
//! * [`form`]: what a user asks for; [`options`], [`words`]: the command that does it.
//! * [`child`]: the command as a process; [`state`]: what spectators see of it.
//! * [`job`]: all of one job; this file: all jobs; [`requests`]: who asks for them.
//!
//! A form is kept beside its result file, so that a new server can resume the job. The command is built
//! anew from the form each time: a file in the folder starts nothing that the command line does not offer.

mod child;
pub mod form;
pub mod job;
mod options;
mod requests;
pub mod state;
pub mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use self::form::{Form, Phase, SAVED, SavedJob, result_path, saved_path, stem};
use self::job::Job;
use crate::files::{self, CountCache, ResultFile};
use crate::known::OfferedPlayers;
use crate::reply::Refusal;
use referee_core::io::text::ShowPath;

pub use requests::routes;

/// The most jobs that run at a time.
const MAX_RUNNING: usize = 8;

/// How long all jobs may take to end when the server ends.
const END_TIME: Duration = Duration::from_secs(5);

/// The interval between two looks at jobs that end.
const INTERVAL: Duration = Duration::from_millis(20);

/// All jobs of the server.
#[derive(Debug)]
pub struct Matches {
    /// What the command line of the server offers.
    pub offer: Arc<OfferedPlayers>,
    /// The counts of result files.
    pub counts: Arc<CountCache>,
    jobs: Mutex<BTreeMap<String, Arc<Job>>>,
    is_closed: AtomicBool,
}

impl Matches {
    /// No jobs yet but those in the folder.
    pub fn new(offer: Arc<OfferedPlayers>) -> Arc<Matches> {
        Arc::new(Matches {
            offer,
            counts: Arc::default(),
            jobs: Mutex::default(),
            is_closed: AtomicBool::new(false),
        })
    }

    /// Whether a job writes the file of this name.
    pub fn is_running(&self, file: &str) -> bool {
        let stem = file.strip_suffix(".jsonl").unwrap_or(file);
        self.jobs().get(stem).is_some_and(|job| job.is_active())
    }

    /// All jobs, those that can be resumed included.
    pub fn list(&self) -> Vec<Value> {
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut stems: Vec<String> = names
            .filter_map(|name| name.strip_suffix(SAVED).map(String::from))
            .collect();
        stems.retain(|name| stem(name) == Ok(name));
        {
            let mut jobs = self.jobs();
            // The user may have deleted files.
            jobs.retain(|stem, job| job.is_active() || stems.contains(stem));
            for stem in stems {
                if !jobs.contains_key(&stem)
                    && let Some(job) = self.saved(&stem)
                {
                    jobs.insert(stem, job);
                }
            }
        }
        let jobs: Vec<(String, Arc<Job>)> = self.jobs().clone().into_iter().collect();
        let files = files::list(self.folder());
        let entry = |(stem, job): (String, Arc<Job>)| {
            let is_own = |file: &&ResultFile| file.name.strip_suffix(".jsonl") == Some(&stem);
            let is_loaded = job.state().is_loaded;
            let file = files.iter().find(is_own);
            let counts = file.filter(|_| !is_loaded).map(|file| self.counts.counts(file));
            job.entry(counts, file.map(ResultFile::modified))
        };
        jobs.into_iter().map(entry).collect()
    }

    pub fn find(&self, name: &str) -> Result<Arc<Job>, Refusal> {
        let stem = stem(name).map_err(Refusal::unknown)?;
        let mut jobs = self.jobs();
        if let Some(job) = jobs.get(stem) {
            return Ok(Arc::clone(job));
        }
        let job = self
            .saved(stem)
            .ok_or_else(|| Refusal::unknown(format!("There is no match `{stem}`")))?;
        jobs.insert(stem.into(), Arc::clone(&job));
        Ok(job)
    }

    /// Starts a job, or resumes it if the same one has this name. Returns the name of its file.
    pub fn start(&self, name: &str, form: Form) -> Result<String, Refusal> {
        let stem = stem(name).map_err(Refusal::wrong)?;
        let command = words::command(&form, &self.offer, stem).map_err(Refusal::wrong)?;
        let mut jobs = self.jobs();
        let known = jobs.get(stem).cloned().or_else(|| self.saved(stem));
        let metadata = result_path(self.folder(), stem).symlink_metadata();
        let is_taken = metadata.is_ok_and(|metadata| metadata.len() > 0);
        let same = known.filter(|job| *job.form() == form);
        if is_taken && same.is_none() {
            return Err(Refusal::wrong(format!(
                "The file {stem}.jsonl exists and is that of another command; choose another name"
            )));
        }
        let games = self.games(&form);
        let job = same.unwrap_or_else(|| {
            let saved = SavedJob {
                form,
                state: Phase::Paused,
                games: 0,
            };
            Job::new(stem, self.folder(), saved)
        });
        self.launch(&jobs, stem, &job, command, games)?;
        jobs.insert(stem.into(), job);
        Ok(format!("{stem}.jsonl"))
    }

    /// Runs the command of a job again.
    pub fn resume(&self, name: &str) -> Result<(), Refusal> {
        let job = self.find(name)?;
        let stem = stem(name).map_err(Refusal::wrong)?;
        let why = match job.state().phase {
            Phase::Stopped => Some("it was stopped for good"),
            Phase::Finished => Some("it is finished"),
            _ => None,
        };
        if let Some(why) = why {
            return Err(Refusal::wrong(format!("`{stem}` cannot be resumed: {why}")));
        }
        let command = words::command(job.form(), &self.offer, stem).map_err(Refusal::wrong)?;
        self.launch(&self.jobs(), stem, &job, command, self.games(job.form()))
    }

    /// Ends a job, which is then paused or stopped.
    pub fn end(&self, name: &str, wanted: Phase) -> Result<(), Refusal> {
        let job = self.find(name)?;
        let _jobs = self.jobs();
        let phase = job.state().phase;
        match (job.is_active(), wanted, phase) {
            (true, ..) => job.end(wanted),
            (false, Phase::Stopped, Phase::Paused | Phase::Failed) => job.stop(),
            (false, ..) => return Err(Refusal::wrong("It is not running")),
        }
        Ok(())
    }

    /// Takes a job from the list that does not run. Its result file stays.
    pub fn remove(&self, name: &str) -> Result<(), Refusal> {
        let job = self.find(name)?;
        let stem = stem(name).map_err(Refusal::wrong)?;
        let mut jobs = self.jobs();
        if job.is_active() {
            return Err(Refusal::wrong("It is running; stop it first"));
        }
        fs::remove_file(saved_path(self.folder(), stem)).map_err(Refusal::failed)?;
        jobs.remove(stem);
        Ok(())
    }

    /// Ends all jobs so that they can be resumed, and waits for them. No job starts any more.
    pub fn shut_down(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        let jobs: Vec<Arc<Job>> = self.jobs().values().cloned().collect();
        for job in &jobs {
            job.terminate();
        }
        for kills in [false, true] {
            for job in jobs.iter().filter(|_| kills) {
                job.kill();
            }
            let until = Instant::now() + END_TIME;
            while jobs.iter().any(|job| job.is_active()) && Instant::now() < until {
                thread::sleep(INTERVAL);
            }
        }
    }

    fn folder(&self) -> &Path {
        &self.offer.results
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saved(&self, stem: &str) -> Option<Arc<Job>> {
        let saved = SavedJob::read(self.folder(), stem)?;
        let command = words::command(&saved.form, &self.offer, stem);
        let job = Job::new(stem, self.folder(), saved);
        match command {
            Ok(command) => job.state().command = command.shown,
            Err(why) => job.state().why = Some(why),
        }
        Some(job)
    }

    /// The number of games of an analysis.
    fn games(&self, form: &Form) -> Option<u64> {
        let Form::Analysis(form) = form else { return None };
        let count = |file: ResultFile| self.counts.counts(&file).games;
        form.game
            .map(|_| 1)
            .or_else(|| files::find(self.folder(), &form.file).map(count))
    }

    fn launch(
        &self,
        jobs: &BTreeMap<String, Arc<Job>>,
        stem: &str,
        job: &Arc<Job>,
        command: words::Command,
        games: Option<u64>,
    ) -> Result<(), Refusal> {
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(Refusal::failed("The server is ending"));
        }
        if jobs.get(stem).is_some_and(|job| job.is_active()) {
            return Err(Refusal::wrong(format!("The match `{stem}` is running")));
        }
        if jobs.values().filter(|job| job.is_active()).count() >= MAX_RUNNING {
            return Err(Refusal::too_many(format!(
                "{MAX_RUNNING} matches are running; pause one first"
            )));
        }
        files::check_place(self.folder(), &format!("{stem}.jsonl")).map_err(Refusal::wrong)?;
        job.start(command, games)
            .map_err(|error| Refusal::failed(format!("{}: {error}", self.folder().shown())))
    }
}

#[cfg(test)]
mod tests {
    use referee_core::io::interrupt::Interrupt;
    use sentences::{assert_rows, expect};

    use super::form::MatchForm;
    use super::words::tests::serve_args;
    use super::*;
    use crate::site::Site;

    #[test]
    fn what_cannot_be_resumed_is_refused_with_the_reason() {
        let folder = tempfile::TempDir::new().unwrap();
        let form = Form::Match(MatchForm {
            players: vec!["builtin:random".into(); 2],
            ..MatchForm::default()
        });
        for state in [Phase::Finished, Phase::Stopped, Phase::Paused] {
            let saved = SavedJob {
                form: form.clone(),
                state,
                games: 2,
            };
            let stem = format!("{state:?}");
            saved.write(folder.path(), &stem).unwrap();
            fs::create_dir(result_path(folder.path(), &stem)).unwrap();
        }
        let args = serve_args(&["--results", folder.path().to_str().unwrap()]);
        let site = Site::open(&args, &Arc::new(Interrupt::unreachable().unwrap())).unwrap();
        let table = expect![[r#"
            Finished | `Finished` cannot be resumed: it is finished
            Stopped | `Stopped` cannot be resumed: it was stopped for good
            Paused | Paused.jsonl in the folder of results is not a file; move it away, or choose another name
        "#]];
        let refused = |[name]: [&str; 1]| format!("{:?}", site.matches.resume(name).unwrap_err());
        assert_rows(table, refused);
        site.matches.remove("Stopped").unwrap();
        assert_rows(expect!["Stopped | There is no match `Stopped`"], refused);
        site.shut_down();
        assert_rows(expect!["Paused | The server is ending"], refused);
    }
}
