//! A job in a thread of its own: a search or a count, how it is stopped and how
//! it reports.

use std::io;
#[cfg(unix)]
use std::io::{PipeWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::input::Input;
use crate::board::Move;
use crate::protocol::Reply;

/// What the session waits for.
#[derive(Debug)]
pub enum Event {
    /// Something came in.
    Input(Input),
    /// A job has ended.
    Done(JobId),
}

/// Jobs are numbered, so that what an old one still says is not taken for the
/// new one's.
pub type JobId = u64;

/// What runs in a thread of its own.
pub type Job = Box<dyn FnOnce(&Reports) + Send>;

/// Where jobs leave events for the session: that they have ended.
#[derive(Clone, Debug)]
pub struct Mailbox {
    queue: Sender<Event>,
    /// Rung for a session that waits for more than the queue.
    #[cfg(unix)]
    bell: Option<Arc<PipeWriter>>,
}

impl Mailbox {
    /// In front of a session that waits for this queue only.
    pub const fn new(queue: Sender<Event>) -> Mailbox {
        Mailbox {
            queue,
            #[cfg(unix)]
            bell: None,
        }
    }

    /// In front of a session that waits for this pipe, which does not block.
    #[cfg(unix)]
    pub fn with_bell(queue: Sender<Event>, bell: PipeWriter) -> Mailbox {
        Mailbox {
            queue,
            bell: Some(Arc::new(bell)),
        }
    }

    /// Leaves an event. It is lost when the session has ended.
    pub fn put(&self, event: Event) {
        let _ = self.queue.send(event);
        // A full pipe has been rung often enough.
        #[cfg(unix)]
        if let Some(mut bell) = self.bell.as_deref() {
            let _ = bell.write(&[1]);
        }
    }
}

/// What a job has to say. The session takes it now and then, and whoever answers
/// before that: nobody is woken for it, because whoever was just awake waits longer for
/// its next turn on a busy machine, and the answer is what must not be late.
#[derive(Clone, Debug, Default)]
pub struct Reports(Arc<Mutex<Vec<Reply>>>);

impl Reports {
    /// Says something.
    pub fn say(&self, reply: Reply) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(reply);
    }

    /// What was said since this was last asked; nothing where somebody is about to
    /// say something, for whom nobody waits.
    pub fn take(&self) -> Vec<Reply> {
        self.0
            .try_lock()
            .map(|mut said| std::mem::take(&mut *said))
            .unwrap_or_default()
    }
}

/// Deep searches recurse once a ply, with a list of moves each time.
const STACK: usize = 16 << 20;

/// Who does jobs: a thread that waits for the next one. Where it has not come back
/// from the last one, another takes its place, and it ends when it does.
pub struct Workshop {
    job_ended: JobEnded,
    worker: Option<Worker>,
}

/// What is done when a job has ended, by the thread that has done it.
type JobEnded = Arc<dyn Fn(JobId) + Send + Sync>;

/// A job, its number, and where it says what it has to say.
type Order = (JobId, Job, Reports);

/// A thread that does jobs.
struct Worker {
    jobs: Sender<Order>,
    /// It has come back from the job that it was given last.
    is_idle: Arc<AtomicBool>,
}

impl Workshop {
    /// Nobody works yet.
    pub fn new(job_ended: impl Fn(JobId) + Send + Sync + 'static) -> Workshop {
        Workshop {
            job_ended: Arc::new(job_ended),
            worker: None,
        }
    }

    /// Starts a job. That it has ended is told in any case, even when the job panics
    /// or no thread can be had.
    pub fn start(&mut self, id: JobId, job: Job, reports: Reports) {
        let idle = self
            .worker
            .take()
            .filter(|worker| worker.is_idle.load(Ordering::Acquire));
        let worker = match idle.map_or_else(|| hire(&self.job_ended), Ok) {
            Ok(worker) => worker,
            Err(error) => {
                log::error!("no thread for job {id}: {error}");
                return (self.job_ended)(id);
            }
        };
        worker.is_idle.store(false, Ordering::Release);
        if worker.jobs.send((id, job, reports)).is_err() {
            log::error!("the thread for job {id} is gone");
            return (self.job_ended)(id);
        }
        self.worker = Some(worker);
    }
}

/// A thread that does jobs until nobody can give it one any more.
fn hire(job_ended: &JobEnded) -> io::Result<Worker> {
    let (jobs, given) = channel::<Order>();
    let is_idle = Arc::new(AtomicBool::new(true));
    let (job_ended, is_back) = (Arc::clone(job_ended), Arc::clone(&is_idle));
    let work = move || {
        for (id, job, reports) in given {
            if catch_unwind(AssertUnwindSafe(|| job(&reports))).is_err() {
                log::error!("job {id} panicked; its best move so far is played");
            }
            // Whoever hears of the end may want to start the next job at once.
            is_back.store(true, Ordering::Release);
            job_ended(id);
        }
    };
    let thread = thread::Builder::new().name("worker".to_string());
    thread.stack_size(STACK).spawn(work)?;
    Ok(Worker { jobs, is_idle })
}

/// The best move of a search so far and the reply that it expects, written by
/// the search and read by whoever answers. Both in one word, so that they always
/// belong together.
#[derive(Clone, Debug)]
pub struct Published(Arc<AtomicU32>);

impl Published {
    /// Begins with a move that can be played whatever happens.
    pub fn new(first: Move) -> Published {
        Published(Arc::new(AtomicU32::new(first.to_bits().into())))
    }

    /// Replaces both by the beginning of a line; one without a move changes
    /// nothing.
    pub fn set(&self, line: &[Move]) {
        if let Some(best) = line.first() {
            let ponder = line.get(1).map_or(0, |reply| u32::from(reply.to_bits()));
            let both = u32::from(best.to_bits()) | ponder << 16;
            self.0.store(both, Ordering::Relaxed);
        }
    }

    /// The move, and the reply if one is expected.
    pub fn get(&self) -> (Option<Move>, Option<Move>) {
        let both = self.0.load(Ordering::Relaxed);
        (Move::from_bits(both as u16), Move::from_bits((both >> 16) as u16))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Cell;

    #[test]
    fn whoever_is_told_of_the_end_of_a_job_finds_its_thread_idle() {
        let (ended, told) = channel();
        let mut workshop = Workshop::new(move |id| {
            ended.send((id, thread::current().id())).unwrap();
            // It is not back yet.
            thread::sleep(Duration::from_millis(1));
        });
        let mut threads = Vec::new();
        for id in 0..20 {
            workshop.start(id, Box::new(|_| ()), Reports::default());
            let (ended, thread) = told.recv().unwrap();
            assert_eq!(ended, id);
            threads.push(thread);
        }
        threads.dedup();
        assert_eq!(threads.len(), 1);
    }

    #[test]
    fn a_move_is_published_with_the_reply_that_belongs_to_it() {
        let [one, two, three] = [1, 2, 3].map(|column| Move::place(Cell::new(0, column)));
        let published = Published::new(one);
        assert_eq!(published.get(), (Some(one), None));
        published.set(&[two, three, one]);
        assert_eq!(published.get(), (Some(two), Some(three)));
        published.set(&[]);
        published.set(&[one]);
        assert_eq!(published.get(), (Some(one), None));
    }
}
