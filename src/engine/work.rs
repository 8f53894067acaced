//! A job in a thread of its own: a search or a count, how it is stopped and how
//! it reports.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use super::input::Input;
use crate::board::Move;
use crate::protocol::Reply;

/// What the session waits for.
#[derive(Debug)]
pub enum Event {
    /// Something came in.
    Input(Input),
    /// A job has something to say.
    Said(JobId, Reply),
    /// A job has ended.
    Done(JobId),
}

/// Jobs are numbered, so that what an old one still says is not taken for the
/// new one's.
pub type JobId = u64;

/// What runs in a thread of its own.
pub type Job = Box<dyn FnOnce(&Courier) + Send>;

/// Carries what a job says to the session.
#[derive(Clone, Debug)]
pub struct Courier {
    id: JobId,
    queue: Sender<Event>,
}

impl Courier {
    /// Says something. It is lost when the session has ended.
    pub fn say(&self, reply: Reply) {
        let _ = self.queue.send(Event::Said(self.id, reply));
    }
}

/// Deep searches recurse once a ply, with a list of moves each time.
const STACK: usize = 16 << 20;

/// Starts a job. [`Event::Done`] follows in any case, even when the job panics
/// or no thread can be had.
pub fn start(id: JobId, queue: &Sender<Event>, job: Job) {
    let courier = Courier {
        id,
        queue: queue.clone(),
    };
    let work = move || {
        if catch_unwind(AssertUnwindSafe(|| job(&courier))).is_err() {
            log::error!("job {id} panicked; its best move so far is played");
        }
        let _ = courier.queue.send(Event::Done(id));
    };
    let spawned = thread::Builder::new()
        .name(format!("job {id}"))
        .stack_size(STACK)
        .spawn(work);
    if let Err(error) = spawned {
        log::error!("no thread for job {id}: {error}");
        let _ = queue.send(Event::Done(id));
    }
}

/// The best move of a search so far, written by the search and read by the
/// session.
#[derive(Clone, Debug)]
pub struct Published(Arc<AtomicU16>);

impl Published {
    /// Begins with a move that can be played whatever happens.
    pub fn new(first: Move) -> Published {
        Published(Arc::new(AtomicU16::new(first.to_bits())))
    }

    /// Replaces the move.
    pub fn set(&self, best: Move) {
        self.0.store(best.to_bits(), Ordering::Relaxed);
    }

    /// The move.
    pub fn get(&self) -> Option<Move> {
        Move::from_bits(self.0.load(Ordering::Relaxed))
    }
}
