//! The worker: a thread that runs one job at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Instant;
use std::{io, thread};

use super::events::{EventSender, EventSource, SessionEvent};
use super::job::{JobId, Work};
use super::responder::Responder;

/// Stack size of the worker thread, in bytes. A deep search recurses once per ply, with a
/// move list each time.
const STACK_SIZE: usize = 16 << 20;

/// Runs jobs in a thread of its own. If the previous job has not ended, a new thread takes
/// over, and the old one exits after its job.
pub(crate) struct Worker {
    report: Report,
    thread: Option<WorkerThread>,
}

/// Where the end of a job is reported.
#[derive(Clone)]
struct Report {
    /// Weak, so a thread that outlives the session does not keep its output open.
    responder: Weak<Responder>,
    events: EventSender,
}

struct WorkerThread {
    jobs: Sender<(JobId, Work)>,
    /// Whether it has finished the last job that it received.
    is_idle: Arc<AtomicBool>,
}

impl Report {
    fn job_ended(&self, id: JobId) {
        if let Some(responder) = self.responder.upgrade() {
            responder.job_ended(id);
            self.events.send(SessionEvent::JobEnded(id));
        }
    }
}

impl Worker {
    /// Reports the end of each job to `responder`, then as an event. Starts no thread yet.
    pub(crate) fn new(responder: &Arc<Responder>, events: EventSender) -> Worker {
        Worker {
            report: Report {
                responder: Arc::downgrade(responder),
                events,
            },
            thread: None,
        }
    }

    /// Starts a job. Its end is always reported, even if the job panics or no thread can
    /// be started.
    pub(crate) fn start(&mut self, id: JobId, work: Work) {
        let idle = self
            .thread
            .take()
            .filter(|thread| thread.is_idle.load(Ordering::Acquire));
        let thread = match idle.map_or_else(|| spawn(self.report.clone()), Ok) {
            Ok(thread) => thread,
            Err(error) => {
                log::error!("no thread for job {id}: {error}");
                return self.report.job_ended(id);
            }
        };
        thread.is_idle.store(false, Ordering::Release);
        if thread.jobs.send((id, work)).is_err() {
            log::error!("the thread for job {id} is gone");
            return self.report.job_ended(id);
        }
        self.thread = Some(thread);
    }
}

/// A thread that runs jobs until its sender is dropped.
fn spawn(report: Report) -> io::Result<WorkerThread> {
    let (jobs, received) = channel::<(JobId, Work)>();
    let is_idle = Arc::new(AtomicBool::new(true));
    let becomes_idle = Arc::clone(&is_idle);
    let run = move || {
        for (id, mut work) in received {
            if catch_unwind(AssertUnwindSafe(|| work(None))).is_err() {
                log::error!("job {id} panicked; its best move so far is played");
            }
            // First, because the client may start the next job as soon as it has the answer.
            becomes_idle.store(true, Ordering::Release);
            report.job_ended(id);
        }
    };
    let thread = thread::Builder::new().name("worker".to_string());
    thread.stack_size(STACK_SIZE).spawn(run)?;
    Ok(WorkerThread { jobs, is_idle })
}

// The platform: how events arrive, where jobs run, and whether a timer watches the
// deadline. The session is the same on all of them.

/// What a session needs from its system.
pub(crate) trait Platform {
    /// The next event. Returns `None` once the deadline has passed.
    fn next(&mut self, deadline: Option<Instant>) -> Option<SessionEvent>;

    /// Starts a job. Its end is reported to the responder, then as an event.
    fn start(&mut self, id: JobId, work: Work);

    /// Whether a job needs further calls of [`Platform::next`].
    fn is_working(&self) -> bool;
}

/// A system with threads: jobs run in a worker thread, and the responder has a timer.
pub(crate) struct WithThreads<E> {
    events: E,
    worker: Worker,
}

impl<E: EventSource> WithThreads<E> {
    /// Takes events from this source and reports ends of jobs to the responder.
    pub(crate) fn new(events: E, responder: &Arc<Responder>) -> WithThreads<E> {
        WithThreads {
            worker: Worker::new(responder, events.sender()),
            events,
        }
    }
}

impl<E: EventSource> Platform for WithThreads<E> {
    fn next(&mut self, deadline: Option<Instant>) -> Option<SessionEvent> {
        self.events.next(deadline)
    }

    fn start(&mut self, id: JobId, work: Work) {
        self.worker.start(id, work);
    }

    fn is_working(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc::Receiver;
    use std::thread::ThreadId;
    use std::time::Duration;

    use lodestone_game::protocol::Reply;

    use super::*;
    use crate::engine::job::Job;

    /// Passes on each write, and returns from it late.
    struct SlowOutput(Sender<()>);

    impl Write for SlowOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(()).unwrap();
            thread::sleep(Duration::from_millis(1));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn worker_is_idle_when_job_end_is_reported() {
        let (written, reported) = channel();
        let (events, _queue) = channel();
        let responder = Responder::start(SlowOutput(written));
        let mut worker = Worker::new(&responder, EventSender::new(events));
        let (ran, threads): (Sender<ThreadId>, Receiver<ThreadId>) = channel();
        for _ in 0..20 {
            let ran = ran.clone();
            let (job, work) = Job::new(None, move |_, reports| {
                ran.send(thread::current().id()).unwrap();
                reports.push(Reply::ReadyOk);
            });
            let id = responder.begin(job).unwrap();
            worker.start(id, work);
            reported.recv().unwrap();
            let thread = worker.thread.as_ref().unwrap();
            assert!(thread.is_idle.load(Ordering::Acquire));
        }
        let mut threads: Vec<ThreadId> = threads.try_iter().collect();
        assert_eq!(threads.len(), 20);
        threads.dedup();
        assert_eq!(threads.len(), 1);
    }

    #[test]
    fn a_job_does_not_wait_for_the_one_before() {
        let (events, _queue) = channel();
        let responder = Responder::start(io::sink());
        let mut worker = Worker::new(&responder, EventSender::new(events));
        let (release, released) = channel();
        let (ended, end) = channel();
        let (job, work) = Job::new(None, move |_, _| released.recv().unwrap());
        worker.start(responder.begin(job).unwrap(), work);
        let (job, work) = Job::new(None, move |_, _| ended.send(()).unwrap());
        worker.start(responder.begin(job).unwrap(), work);
        end.recv_timeout(Duration::from_secs(20)).unwrap();
        release.send(()).unwrap();
    }
}
