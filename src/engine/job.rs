//! A job: work for the worker, and what the responder needs to answer for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::pending::PendingSearch;
use crate::protocol::Reply;
use crate::search::StopToken;

/// Identifies a job: a worker may report the end of an earlier one.
pub(crate) type JobId = u64;

/// The part of a job that a worker runs: for about this time, or without a limit to its
/// end. Returns whether it has ended; if not, the next call continues.
pub(crate) type Work = Box<dyn FnMut(Option<Duration>) -> bool + Send>;

/// The responder's view of a search, `perft` or `bench`.
pub struct Job {
    /// Ends the work early.
    pub(crate) stop: StopToken,
    /// Output of the work that is not written yet.
    pub(crate) reports: Reports,
    /// The `go` to answer with `bestmove`; `None` for `perft` and `bench`.
    pub(crate) search: Option<PendingSearch>,
    /// Whether the work is done.
    pub(crate) has_ended: bool,
}

impl Job {
    /// A job, and the work that `run` does for it without interruption.
    pub(crate) fn new(
        search: Option<PendingSearch>,
        run: impl FnOnce(&StopToken, &Reports) + Send + 'static,
    ) -> (Job, Work) {
        let mut run = Some(run);
        Job::in_slices(search, move |stop, reports, _| {
            if let Some(run) = run.take() {
                run(stop, reports);
            }
            true
        })
    }

    /// A job, and the work that calls of `run` do for it: each for about the time that it
    /// gets, until it returns `true`.
    pub(crate) fn in_slices(
        search: Option<PendingSearch>,
        mut run: impl FnMut(&StopToken, &Reports, Option<Duration>) -> bool + Send + 'static,
    ) -> (Job, Work) {
        let (stop, reports) = (StopToken::default(), Reports::default());
        let job = Job {
            stop: stop.clone(),
            reports: reports.clone(),
            has_ended: search.as_ref().is_some_and(PendingSearch::has_no_move),
            search,
        };
        (job, Box::new(move |slice| run(&stop, &reports, slice)))
    }

    /// Whether the work is done and the client lets the engine answer.
    pub(crate) fn is_settled(&self) -> bool {
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
    pub(crate) fn push(&self, reply: Reply) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(reply);
    }

    /// Removes and returns all replies. Never waits: returns none while the worker is
    /// adding one.
    pub(crate) fn take(&self) -> Vec<Reply> {
        self.0
            .try_lock()
            .map(|mut replies| std::mem::take(&mut *replies))
            .unwrap_or_default()
    }
}
