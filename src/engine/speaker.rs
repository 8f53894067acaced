//! What is said, and by whom: the session, the worker that has come to the end of
//! its search, or the watch when the time is over.
//!
//! One lock holds the output and what runs. So lines are never mixed, each `go` is
//! answered once, by whoever is awake first, and neither misses what the other has
//! done: of `ponderhit` and the end of the search, the second brings the answer.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::running::{Kind, Question, Running};
use super::work::{JobId, Reports};
use crate::protocol::{Dialect, Reply};
use crate::search::StopToken;

/// The output and what runs.
pub struct Speaker(Mutex<State>);

struct State {
    output: Box<dyn Write + Send>,
    dialect: Dialect,
    last_job: JobId,
    running: Option<Running>,
    /// Why a worker could not write its answer. The session has to end with it.
    failure: Option<io::Error>,
}

/// Where something is said, the errors are those of writing, now or by a worker
/// before.
impl Speaker {
    /// Nothing runs yet.
    pub fn new(output: impl Write + Send + 'static) -> Speaker {
        Speaker(Mutex::new(State {
            output: Box::new(output),
            dialect: Dialect::default(),
            last_job: 0,
            running: None,
            failure: None,
        }))
    }

    /// Answers are in this dialect from now on.
    pub fn set_dialect(&self, dialect: Dialect) {
        self.lock().dialect = dialect;
    }

    /// Says several things in one write.
    pub fn say(&self, replies: &[Reply]) -> io::Result<()> {
        self.writable()?.say(replies)
    }

    /// Says what the search or count has reported meanwhile.
    pub fn show_reports(&self) -> io::Result<()> {
        let mut state = self.writable()?;
        let replies = state.running.as_ref().map(|running| running.reports.take());
        state.say(&replies.unwrap_or_default())
    }

    /// Something runs from now on; the number of its job, and where it says what
    /// it has to say. Where the answer is known it is given at once.
    pub fn begin(&self, kind: Kind, stop: StopToken) -> io::Result<(JobId, Reports)> {
        let mut state = self.writable()?;
        state.last_job += 1;
        let (id, reports) = (state.last_job, Reports::default());
        state.running = Some(Running {
            id,
            stop,
            reports: reports.clone(),
            kind,
        });
        state.finish_if_settled()?;
        Ok((id, reports))
    }

    /// Whether a search waits for its answer, or a count runs.
    pub fn is_running(&self) -> bool {
        self.lock().running.is_some()
    }

    /// Whether a count runs. Only the session ends it, with [`Speaker::count_ended`].
    pub fn is_counting(&self) -> bool {
        let state = self.lock();
        state
            .running
            .as_ref()
            .is_some_and(|running| matches!(running.kind, Kind::Count))
    }

    /// When the answer of a search has to be out; `None` where nothing says so
    /// (yet).
    pub fn deadline(&self) -> Option<Instant> {
        self.lock().question().and_then(|question| question.deadline())
    }

    /// The opponent has played the expected move, which came in at `arrival`.
    /// `false` if no search is pondering.
    pub fn ponder_hit(&self, arrival: Instant) -> io::Result<bool> {
        let mut state = self.writable()?;
        let was_pondering = state
            .question()
            .is_some_and(|question| question.ponder_hit(arrival));
        state.finish_if_settled()?;
        Ok(was_pondering)
    }

    /// A job has ended, says its worker: a search that need not wait for the client
    /// is answered, unless it has been.
    pub fn job_ended(&self, id: JobId) {
        let mut state = self.lock();
        if !state.is_current(id) {
            return;
        }
        if let Some(question) = state.question() {
            question.search_ended();
        }
        if let Err(error) = state.finish_if_settled() {
            state.failure = Some(error);
        }
    }

    /// The clock has struck: a search whose deadline has passed is answered, unless it
    /// has been.
    pub fn clock_struck(&self) {
        let mut state = self.lock();
        let deadline = state.question().and_then(|question| question.deadline());
        let is_due = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_due && let Err(error) = state.finish() {
            state.failure = Some(error);
        }
    }

    /// The session has heard that a job has ended: a count says the rest. What
    /// waited for that comes behind it, so it is not the worker who says it.
    pub fn count_ended(&self, id: JobId) -> io::Result<()> {
        let mut state = self.writable()?;
        if state.is_current(id) && state.question().is_none() {
            state.finish()?;
        }
        Ok(())
    }

    /// Answers a search; a count is told to come to its end.
    pub fn stop(&self) -> io::Result<()> {
        let mut state = self.writable()?;
        match &state.running {
            Some(Running {
                kind: Kind::Count,
                stop,
                ..
            }) => stop.set(),
            _ => state.finish()?,
        }
        Ok(())
    }

    /// Ends what runs: a search is told to stop and answered, whether or not its
    /// thread has noticed.
    pub fn finish(&self) -> io::Result<()> {
        self.writable()?.finish()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for one who wants to say something: not where an answer was lost.
    fn writable(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        match state.failure.take() {
            Some(error) => Err(error),
            None => Ok(state),
        }
    }
}

impl State {
    /// What has to be answered by `bestmove`.
    fn question(&mut self) -> Option<&mut Question> {
        match &mut self.running {
            Some(Running {
                kind: Kind::Search(question),
                ..
            }) => Some(question),
            _ => None,
        }
    }

    fn is_current(&self, id: JobId) -> bool {
        self.running.as_ref().is_some_and(|running| running.id == id)
    }

    fn finish_if_settled(&mut self) -> io::Result<()> {
        if self.question().is_some_and(|question| question.is_settled()) {
            self.finish()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let Some(Running {
            stop, kind, reports, ..
        }) = self.running.take()
        else {
            return Ok(());
        };
        stop.set();
        let mut replies = reports.take();
        if let Kind::Search(question) = kind {
            let (best, ponder) = question.answer();
            // UGI knows no move behind the move.
            let ponder = ponder.filter(|_| self.dialect == Dialect::Uci);
            replies.push(Reply::BestMove { best, ponder });
        }
        self.say(&replies)
    }

    /// The only place that writes to standard output.
    fn say(&mut self, replies: &[Reply]) -> io::Result<()> {
        if replies.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = replies.iter().map(Reply::to_string).collect();
        let text = lines.join("\n") + "\n";
        log::debug!("said {}", text.trim_end());
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::{Arc, Barrier};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::board::{Cell, Move};
    use crate::engine::desk::Search;
    use crate::engine::time::Budget;
    use crate::engine::work::{Job, Published};
    use crate::protocol::Command;
    use crate::search::Deadlines;

    /// What was written, for one who listens.
    #[derive(Clone, Default)]
    pub struct Heard(Arc<Mutex<Vec<u8>>>);

    impl Write for Heard {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Heard {
        pub fn lines(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            text.lines().map(str::to_string).collect()
        }
    }

    /// A search that does `job` and has published a move, to be answered within
    /// 20 ms by `bestmove 0:7`.
    pub fn search(job: Job) -> Search {
        let limit = Duration::from_millis(20);
        Search {
            job,
            stop: StopToken::default(),
            published: Published::new(Move::place(Cell::new(0, 7))),
            notation: |mv| format!("{}:{}", mv.to().row(), mv.to().column()),
            budget: Some(Budget {
                soft: limit,
                hard: limit,
            }),
            deadlines: Deadlines::default(),
        }
    }

    fn begin(speaker: &Speaker, go: &str) -> (JobId, Reports) {
        let Ok(Command::Go(limits)) = Command::parse(go) else {
            panic!("{go}")
        };
        let search = search(Box::new(|_| ()));
        let question = Question::new(&limits, Instant::now(), Some(&search));
        speaker.begin(Kind::Search(question), search.stop).unwrap()
    }

    /// What the session does with a speaker.
    type Session = fn(&Speaker) -> io::Result<()>;

    fn ponder_hit(speaker: &Speaker) -> io::Result<()> {
        speaker.ponder_hit(Instant::now()).map(|_| ())
    }

    #[test]
    fn a_search_is_answered_once_by_whoever_comes_first() {
        let races: [(&str, Session); 3] = [
            ("go depth 1", Speaker::finish),
            ("go infinite", Speaker::stop),
            ("go ponder depth 1", ponder_hit),
        ];
        for (go, meanwhile) in races {
            let heard = Heard::default();
            let speaker = Speaker::new(heard.clone());
            let start = Barrier::new(2);
            let rounds = 500;
            for _ in 0..rounds {
                let (id, reports) = begin(&speaker, go);
                thread::scope(|scope| {
                    scope.spawn(|| {
                        reports.say(Reply::ReadyOk);
                        start.wait();
                        speaker.job_ended(id);
                    });
                    start.wait();
                    meanwhile(&speaker).unwrap();
                });
                assert!(!speaker.is_running(), "{go}");
            }
            assert_eq!(heard.lines(), ["readyok", "bestmove 0:7"].repeat(rounds), "{go}");
        }
    }

    #[test]
    fn the_clock_answers_what_is_due_and_nothing_else() {
        let heard = Heard::default();
        let speaker = Speaker::new(heard.clone());
        begin(&speaker, "go movetime 1000");
        speaker.clock_struck();
        assert!(heard.lines().is_empty());
        thread::sleep(Duration::from_millis(20));
        speaker.clock_struck();
        speaker.clock_struck();
        assert_eq!(heard.lines(), ["bestmove 0:7"]);
        begin(&speaker, "go ponder movetime 1000");
        thread::sleep(Duration::from_millis(20));
        speaker.clock_struck();
        assert_eq!(heard.lines(), ["bestmove 0:7"]);
    }

    #[test]
    fn a_worker_that_comes_late_does_not_answer_the_next_search() {
        let heard = Heard::default();
        let speaker = Speaker::new(heard.clone());
        let (first, reports) = begin(&speaker, "go depth 1");
        speaker.finish().unwrap();
        let (second, _) = begin(&speaker, "go depth 1");
        reports.say(Reply::ReadyOk);
        speaker.job_ended(first);
        assert_eq!(heard.lines(), ["bestmove 0:7"]);
        speaker.job_ended(second);
        speaker.job_ended(second);
        assert_eq!(heard.lines(), ["bestmove 0:7"; 2]);
    }

    #[test]
    fn the_session_is_told_of_an_answer_that_was_lost() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let everything: [Session; 4] = [Speaker::show_reports, Speaker::finish, Speaker::stop, ponder_hit];
        for session_does in everything {
            let speaker = Speaker::new(Full);
            let (id, _) = begin(&speaker, "go depth 1");
            speaker.job_ended(id);
            assert!(!speaker.is_running());
            let error = session_does(&speaker).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
