//! A job in a thread of its own: a search or a count, how it is stopped and how
//! it reports.

use std::io;
#[cfg(unix)]
use std::io::{PipeWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
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
    fn put(&self, event: Event) {
        let _ = self.queue.send(event);
        // A full pipe has been rung often enough.
        #[cfg(unix)]
        if let Some(mut bell) = self.bell.as_deref() {
            let _ = bell.write(&[1]);
        }
    }
}

/// What a job has to say. The session takes it now and then, and before it
/// answers: nobody is woken for it, because whoever was just awake waits longer for
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
#[derive(Debug)]
pub struct Workshop {
    mailbox: Mailbox,
    worker: Option<Worker>,
}

/// A job, its number, and where it says what it has to say.
type Order = (JobId, Job, Reports);

/// A thread, and the job that it was given last.
#[derive(Debug)]
struct Worker {
    jobs: Sender<Order>,
    /// `None` once it is done.
    busy_with: Option<JobId>,
}

impl Workshop {
    /// Nobody works yet.
    pub const fn new(mailbox: Mailbox) -> Workshop {
        Workshop {
            mailbox,
            worker: None,
        }
    }

    /// Starts a job. [`Event::Done`] follows in any case, even when the job panics
    /// or no thread can be had.
    pub fn start(&mut self, id: JobId, job: Job, reports: Reports) {
        let idle = self.worker.take().filter(|worker| worker.busy_with.is_none());
        let worker = idle.map_or_else(|| hire(&self.mailbox), |worker| Ok(worker.jobs));
        let given = worker.map(|jobs| {
            let is_given = jobs.send((id, job, reports)).is_ok();
            (jobs, is_given)
        });
        match given {
            Ok((jobs, true)) => {
                self.worker = Some(Worker {
                    jobs,
                    busy_with: Some(id),
                });
            }
            Ok((_, false)) => {
                log::error!("the thread for job {id} is gone");
                self.mailbox.put(Event::Done(id));
            }
            Err(error) => {
                log::error!("no thread for job {id}: {error}");
                self.mailbox.put(Event::Done(id));
            }
        }
    }

    /// This job is done.
    pub fn done(&mut self, id: JobId) {
        if let Some(worker) = self.worker.as_mut().filter(|worker| worker.busy_with == Some(id)) {
            worker.busy_with = None;
        }
    }
}

/// A thread that does jobs until nobody can give it one any more.
fn hire(mailbox: &Mailbox) -> io::Result<Sender<Order>> {
    let (jobs, given) = channel::<Order>();
    let mailbox = mailbox.clone();
    let work = move || {
        for (id, job, reports) in given {
            if catch_unwind(AssertUnwindSafe(|| job(&reports))).is_err() {
                log::error!("job {id} panicked; its best move so far is played");
            }
            mailbox.put(Event::Done(id));
        }
    };
    let thread = thread::Builder::new().name("worker".to_string());
    thread.stack_size(STACK).spawn(work)?;
    Ok(jobs)
}

/// The best move of a search so far and the reply that it expects, written by
/// the search and read by the session. Both in one word, so that they always
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
    use super::*;
    use crate::board::Cell;

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
