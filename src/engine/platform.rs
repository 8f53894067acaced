//! The platform: how events arrive, where jobs run, and whether a timer watches the
//! deadline. The session is the same on all of them.

use std::sync::Arc;
use std::time::Instant;

use super::events::{Event, EventSource};
use super::job::{JobId, Work};
use super::responder::Responder;
use super::worker::Worker;

/// What a session needs from its system.
pub(crate) trait Platform {
    /// The next event. Returns `None` once the deadline has passed.
    fn next(&mut self, deadline: Option<Instant>) -> Option<Event>;

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
    fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
        self.events.next(deadline)
    }

    fn start(&mut self, id: JobId, work: Work) {
        self.worker.start(id, work);
    }

    fn is_working(&self) -> bool {
        false
    }
}
