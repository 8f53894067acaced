//! A job in a thread of its own: a search or a count, how it is stopped and how
//! it reports.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
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
