//! A job: work for the worker thread, and what the responder needs to answer for it.

use std::sync::{Arc, Mutex, PoisonError};

use super::pending::PendingSearch;
use crate::protocol::Reply;
use crate::search::StopToken;

/// Identifies a job: a worker may report the end of an earlier one.
pub type JobId = u64;

/// The part of a job that the worker thread runs.
pub type Work = Box<dyn FnOnce() + Send>;

/// The responder's view of a search, `perft` or `bench`.
pub struct Job {
    /// Ends the work early.
    pub stop: StopToken,
    /// Output of the work that is not written yet.
    pub reports: Reports,
    /// The `go` to answer with `bestmove`; `None` for `perft` and `bench`.
    pub search: Option<PendingSearch>,
    /// Whether the work is done.
    pub has_ended: bool,
}

impl Job {
    /// A job, and the work that `run` does for it.
    pub fn new(
        search: Option<PendingSearch>,
        run: impl FnOnce(&StopToken, &Reports) + Send + 'static,
    ) -> (Job, Work) {
        let (stop, reports) = (StopToken::default(), Reports::default());
        let job = Job {
            stop: stop.clone(),
            reports: reports.clone(),
            has_ended: search.as_ref().is_some_and(PendingSearch::has_no_move),
            search,
        };
        (job, Box::new(move || run(&stop, &reports)))
    }

    /// Whether the work is done and the client lets the engine answer.
    pub fn is_settled(&self) -> bool {
        self.has_ended && self.search.as_ref().is_none_or(PendingSearch::may_answer)
    }
}

/// Output of a job, shared by the worker, which adds to it, and the responder, which
/// writes it.
///
/// Adding wakes no thread. On a busy machine a thread that has just run waits longer for
/// its next turn, and the answer must not be late.
#[derive(Clone, Debug, Default)]
pub struct Reports(Arc<Mutex<Vec<Reply>>>);

impl Reports {
    /// Adds a reply.
    pub fn push(&self, reply: Reply) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(reply);
    }

    /// Removes and returns all replies. Never waits: returns none while the worker is
    /// adding one.
    pub fn take(&self) -> Vec<Reply> {
        self.0
            .try_lock()
            .map(|mut replies| std::mem::take(&mut *replies))
            .unwrap_or_default()
    }
}
