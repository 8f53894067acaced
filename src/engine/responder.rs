//! The responder: the single writer of stdout. It also holds the running job.
//!
//! One lock protects both. So lines never mix, and each `go` is answered exactly once,
//! by the first thread that may answer: the worker at the end of its search, the
//! session, or the deadline timer.

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use std::{io, thread};

use lodestone_game::protocol::{Dialect, Reply};

use super::job::{Job, JobId};

/// Writes replies and answers searches; shared by all threads of the engine.
pub(crate) struct Responder {
    output: Mutex<Output>,
    /// `None` on a platform without threads.
    timer: Option<DeadlineTimer>,
}

struct Output {
    stdout: Box<dyn Write + Send>,
    dialect: Dialect,
    /// The running job.
    running: Option<Job>,
    /// The number of the latest job.
    latest: JobId,
    /// A write error of another thread. It ends the session.
    failure: Option<io::Error>,
}

/// Every error is a write error: of this call, or of an earlier answer by another
/// thread.
impl Responder {
    /// Writes to `stdout`; no job runs yet. There is no deadline timer.
    pub(crate) fn without_timer(stdout: impl Write + Send + 'static) -> Arc<Responder> {
        Arc::new(Responder {
            output: Mutex::new(Output::new(stdout)),
            timer: None,
        })
    }

    /// Writes to `stdout` and starts the deadline timer; no job runs yet.
    pub(crate) fn start(stdout: impl Write + Send + 'static) -> Arc<Responder> {
        Arc::new_cyclic(|responder: &Weak<Responder>| {
            let responder = responder.clone();
            let on_deadline = move || {
                if let Some(responder) = responder.upgrade() {
                    responder.on_deadline();
                }
            };
            Responder {
                output: Mutex::new(Output::new(stdout)),
                timer: Some(DeadlineTimer::start(on_deadline)),
            }
        })
    }

    /// Sets the dialect of later answers.
    pub(crate) fn set_dialect(&self, dialect: Dialect) {
        self.lock().dialect = dialect;
    }

    /// Writes some replies at once.
    pub(crate) fn write(&self, replies: &[Reply]) -> io::Result<()> {
        self.checked()?.write(replies)
    }

    /// Writes what the running job has reported.
    pub(crate) fn write_reports(&self) -> io::Result<()> {
        let mut output = self.checked()?;
        let replies = output.running.as_ref().map(|job| job.reports.take());
        output.write(&replies.unwrap_or_default())
    }

    /// Takes over a job and returns its number. A job that is settled is answered at once.
    pub(crate) fn begin(&self, job: Job) -> io::Result<JobId> {
        let mut output = self.checked()?;
        output.latest += 1;
        output.running = Some(job);
        output.answer_if_settled()?;
        self.set_timer(&output);
        Ok(output.latest)
    }

    /// Whether a job runs: a search without an answer, `perft` or `bench`.
    pub(crate) fn is_running(&self) -> bool {
        self.lock().running.is_some()
    }

    /// When the running search must be answered; `None` without a time limit and before
    /// `ponderhit`.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.lock().due()
    }

    /// Starts the time limit of a pondering search with a `ponderhit` that arrived at
    /// `arrival`. Returns `false` if no search is pondering.
    pub(crate) fn ponder_hit(&self, arrival: Instant) -> io::Result<bool> {
        let mut output = self.checked()?;
        let search = output.running.as_mut().and_then(|job| job.search.as_mut());
        let was_pondering = search.is_some_and(|search| search.ponder_hit(arrival));
        output.answer_if_settled()?;
        self.set_timer(&output);
        Ok(was_pondering)
    }

    /// Called by the worker: the work of this job is done. Answers unless the job has been
    /// answered or its answer waits for the client.
    pub(crate) fn job_ended(&self, id: JobId) {
        let mut output = self.lock();
        if id == output.latest
            && let Some(job) = &mut output.running
        {
            job.has_ended = true;
            let written = output.answer_if_settled();
            output.keep_failure(written);
        }
    }

    /// Called by the session and the timer when a deadline has passed: answers a search that
    /// is due.
    pub(crate) fn on_deadline(&self) {
        let mut output = self.lock();
        if output.due().is_some_and(|due| Instant::now() >= due) {
            let written = output.answer();
            output.keep_failure(written);
        }
    }

    /// Answers the running search. Stops `perft` and `bench`, which then end by themselves.
    pub(crate) fn stop(&self) -> io::Result<()> {
        let mut output = self.checked()?;
        match &output.running {
            Some(job) if job.search.is_none() => job.stop.set(),
            _ => output.answer()?,
        }
        Ok(())
    }

    fn set_timer(&self, output: &Output) {
        if let Some((timer, due)) = self.timer.as_ref().zip(output.due()) {
            timer.set(due);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the output; the write error of another thread if there was one.
    fn checked(&self) -> io::Result<MutexGuard<'_, Output>> {
        let mut output = self.lock();
        output.failure.take().map_or(Ok(output), Err)
    }
}

impl Output {
    fn new(stdout: impl Write + Send + 'static) -> Output {
        Output {
            stdout: Box::new(stdout),
            dialect: Dialect::default(),
            running: None,
            latest: 0,
            failure: None,
        }
    }

    fn due(&self) -> Option<Instant> {
        self.running.as_ref()?.search.as_ref()?.due
    }

    /// Keeps a write error for the session.
    fn keep_failure(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failure = Some(error);
        }
    }

    fn answer_if_settled(&mut self) -> io::Result<()> {
        if self.running.as_ref().is_some_and(Job::is_settled) {
            self.answer()?;
        }
        Ok(())
    }

    /// Ends the running job: writes its last reports, and `bestmove` for a search.
    fn answer(&mut self) -> io::Result<()> {
        let Some(job) = self.running.take() else {
            return Ok(());
        };
        job.stop.set();
        let mut replies = job.reports.take();
        replies.extend(job.search.map(|search| search.best_move(self.dialect)));
        self.write(&replies)
    }

    /// The only place that writes to stdout.
    fn write(&mut self, replies: &[Reply]) -> io::Result<()> {
        if replies.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = replies.iter().map(Reply::to_string).collect();
        let text = lines.join("\n") + "\n";
        log::debug!("writing {}", text.trim_end());
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()
    }
}

// The deadline timer: a second thread that waits for the deadline.
//
// On a busy machine a thread that sleeps until a deadline may be woken late. Two threads
// with the same deadline, the session and this one, are less often both late:
// `research/latency.md` has the figures.

/// A thread that waits for deadlines and ends when this is dropped.
pub(crate) struct DeadlineTimer(Sender<Instant>);

impl DeadlineTimer {
    /// Calls `on_deadline` whenever a deadline has passed. Without a thread it is never
    /// called; the session checks the deadline as well.
    pub(crate) fn start(on_deadline: impl Fn() + Send + 'static) -> DeadlineTimer {
        let (deadlines, received) = channel();
        let thread = thread::Builder::new().name("timer".to_string());
        if let Err(error) = thread.spawn(move || run(&received, on_deadline)) {
            log::warn!("no thread for the deadline timer: {error}");
        }
        DeadlineTimer(deadlines)
    }

    /// Replaces the deadline.
    pub(crate) fn set(&self, deadline: Instant) {
        // Fails only without a thread.
        let _ = self.0.send(deadline);
    }
}

fn run(deadlines: &Receiver<Instant>, on_deadline: impl Fn()) {
    let mut next = deadlines.recv().ok();
    while let Some(deadline) = next {
        next = match deadlines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(deadline) => Some(deadline),
            Err(RecvTimeoutError::Timeout) => {
                on_deadline();
                deadlines.recv().ok()
            }
            Err(RecvTimeoutError::Disconnected) => None,
        };
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::{Arc, Barrier};
    use std::thread;
    use std::time::Duration;

    use lodestone_game::board::{Cell, Move};
    use lodestone_game::protocol::{Command, Limits};
    use lodestone_game::time::Budget;

    use super::*;
    use crate::engine::job::{PendingSearch, PublishedMove};
    use crate::engine::job::{Reports, Work};

    /// Keeps what is written.
    #[derive(Clone, Default)]
    pub struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Written {
        pub fn lines(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            text.lines().map(str::to_string).collect()
        }
    }

    /// A search that runs `run` and has published `0:7`. `movetime` is its whole time limit.
    pub fn search(
        limits: &Limits,
        arrival: Instant,
        run: impl FnOnce(&Reports) + Send + 'static,
    ) -> (Job, Work) {
        let budget = limits.movetime.map(|time| {
            let limit = Duration::from_millis(time as u64);
            Budget {
                soft: limit,
                hard: limit,
            }
        });
        let published = PublishedMove::new(Some(Move::place(Cell::new(0, 7))));
        let move_text = |mv: Move| format!("{}:{}", mv.to().row(), mv.to().column());
        let pending = PendingSearch::new(limits, arrival, budget, published, move_text);
        Job::new(Some(pending), move |_, reports| run(reports))
    }

    fn begin(responder: &Responder, go: &str) -> (JobId, Reports) {
        let Ok(Command::Go(limits)) = Command::parse(go) else {
            panic!("{go}")
        };
        let (job, _) = search(&limits, Instant::now(), |_| ());
        let reports = job.reports.clone();
        (responder.begin(job).unwrap(), reports)
    }

    /// What the session does with a responder.
    type SessionCall = fn(&Responder) -> io::Result<()>;

    fn ponder_hit(responder: &Responder) -> io::Result<()> {
        responder.ponder_hit(Instant::now()).map(|_| ())
    }

    #[test]
    fn a_search_is_answered_once_by_the_first_thread() {
        let races: [(&str, SessionCall); 3] = [
            ("go depth 1", Responder::stop),
            ("go infinite", Responder::stop),
            ("go ponder depth 1", ponder_hit),
        ];
        for (go, call) in races {
            let written = Written::default();
            let responder = Responder::start(written.clone());
            let start = Barrier::new(2);
            let rounds = 500;
            for _ in 0..rounds {
                let (id, reports) = begin(&responder, go);
                thread::scope(|scope| {
                    scope.spawn(|| {
                        reports.push(Reply::ReadyOk);
                        start.wait();
                        responder.job_ended(id);
                    });
                    start.wait();
                    call(&responder).unwrap();
                });
                assert!(!responder.is_running(), "{go}");
            }
            assert_eq!(
                written.lines(),
                ["readyok", "bestmove 0:7"].repeat(rounds),
                "{go}"
            );
        }
    }

    #[test]
    fn a_deadline_answers_only_a_search_that_is_due() {
        let written = Written::default();
        let responder = Responder::start(written.clone());
        for go in ["go infinite", "go movetime 3600000", "go ponder movetime 0"] {
            begin(&responder, go);
            responder.on_deadline();
            assert!(responder.is_running(), "{go}");
            responder.stop().unwrap();
        }
        begin(&responder, "go movetime 0");
        responder.on_deadline();
        responder.on_deadline();
        assert_eq!(written.lines(), ["bestmove 0:7"; 4]);
    }

    #[test]
    fn the_timer_answers_without_a_session() {
        let calls: [(&str, SessionCall); 2] = [
            ("go movetime 5", |_| Ok(())),
            ("go ponder movetime 5", ponder_hit),
        ];
        for (go, call) in calls {
            let written = Written::default();
            let responder = Responder::start(written.clone());
            begin(&responder, go);
            call(&responder).unwrap();
            let latest = Instant::now() + Duration::from_secs(10);
            while responder.is_running() && Instant::now() < latest {
                thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(written.lines(), ["bestmove 0:7"], "{go}");
        }
    }

    #[test]
    fn the_dialect_decides_whether_an_answer_has_the_expected_reply() {
        let written = Written::default();
        let responder = Responder::start(written.clone());
        for dialect in Dialect::ALL {
            responder.set_dialect(dialect);
            let published = PublishedMove::new(None);
            published.set(&[0, 1].map(|column| Move::place(Cell::new(0, column))));
            let move_text = |mv: Move| mv.to().column().to_string();
            let limits = Limits::default();
            let pending = PendingSearch::new(&limits, Instant::now(), None, published, move_text);
            let (job, _) = Job::new(Some(pending), |_, _| ());
            responder.begin(job).unwrap();
            responder.stop().unwrap();
        }
        assert_eq!(written.lines(), ["bestmove 0 ponder 1", "bestmove 0"]);
    }

    #[test]
    fn an_answer_stops_the_work() {
        let responder = Responder::start(io::sink());
        let calls: [SessionCall; 2] = [Responder::stop, |responder| {
            responder.on_deadline();
            Ok(())
        }];
        for call in calls {
            let limits = Limits {
                movetime: Some(0),
                ..Limits::default()
            };
            let (job, _) = search(&limits, Instant::now(), |_| ());
            let stop = job.stop.clone();
            responder.begin(job).unwrap();
            call(&responder).unwrap();
            assert!(stop.is_set());
        }
    }

    #[test]
    fn a_late_worker_does_not_answer_the_next_search() {
        let written = Written::default();
        let responder = Responder::start(written.clone());
        let (first, reports) = begin(&responder, "go depth 1");
        responder.stop().unwrap();
        let (second, _) = begin(&responder, "go depth 1");
        reports.push(Reply::ReadyOk);
        responder.job_ended(first);
        assert_eq!(written.lines(), ["bestmove 0:7"]);
        responder.job_ended(second);
        responder.job_ended(second);
        assert_eq!(written.lines(), ["bestmove 0:7"; 2]);
    }

    #[test]
    fn a_count_ends_with_its_reports_and_without_bestmove() {
        let written = Written::default();
        let responder = Responder::start(written.clone());
        let (job, mut work) = Job::new(None, |stop, reports| {
            reports.push(Reply::Text(format!("stopped: {}", stop.is_set())));
        });
        let id = responder.begin(job).unwrap();
        responder.stop().unwrap();
        assert!(responder.is_running());
        assert!(work(None));
        responder.job_ended(id);
        assert!(!responder.is_running());
        assert_eq!(written.lines(), ["stopped: true"]);
    }

    #[test]
    fn the_session_sees_the_write_error_of_another_thread() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let calls: [SessionCall; 3] = [Responder::write_reports, Responder::stop, ponder_hit];
        for call in calls {
            let responder = Responder::start(Full);
            let (id, _) = begin(&responder, "go depth 1");
            responder.job_ended(id);
            assert!(!responder.is_running());
            let error = call(&responder).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}

#[cfg(test)]
mod timer_tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_the_last_deadline_counts_and_only_once() {
        let (called, calls) = channel();
        let timer = DeadlineTimer::start(move || called.send(Instant::now()).unwrap());
        let begin = Instant::now();
        timer.set(begin + Duration::from_hours(1));
        timer.set(begin + Duration::from_millis(5));
        assert!(calls.recv().unwrap() >= begin + Duration::from_millis(5));
        timer.set(begin);
        calls.recv().unwrap();
        drop(timer);
        // The thread has ended and made no further call.
        assert!(calls.recv().is_err());
    }
}
