//! A job: work for the worker, and what the responder needs to answer for it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lodestone_game::board::Move;
use lodestone_game::protocol::{Dialect, Limits, Reply};
use lodestone_game::time::Budget;

use crate::search::{Deadlines, StopToken};

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

// A `go` that has no answer yet: its best move so far, its time limit, and what it
// waits for.

/// The move of `bestmove` where there is none: the game is over, or `position` was refused.
const NO_MOVE: &str = "0000";

/// The best move of a search so far and the reply it expects. The searcher writes it, the
/// responder reads it. Both moves share one atomic word, so they always belong together.
#[derive(Clone, Debug)]
pub(crate) struct PublishedMove(Arc<AtomicU32>);

impl PublishedMove {
    /// Starts with the move to play if the search finds none; `None` if there is no move to
    /// play.
    pub(crate) fn new(fallback: Option<Move>) -> PublishedMove {
        let bits = fallback.map_or(0, |mv| mv.to_bits().into());
        PublishedMove(Arc::new(AtomicU32::new(bits)))
    }

    /// Publishes the first two moves of a line. An empty line changes nothing.
    pub(crate) fn set(&self, line: &[Move]) {
        if let Some(best) = line.first() {
            let ponder = line.get(1).map_or(0, |reply| u32::from(reply.to_bits()));
            let both = u32::from(best.to_bits()) | ponder << 16;
            self.0.store(both, Ordering::Relaxed);
        }
    }

    /// The best move, and the expected reply if there is one.
    pub(crate) fn get(&self) -> (Option<Move>, Option<Move>) {
        let both = self.0.load(Ordering::Relaxed);
        (Move::from_bits(both as u16), Move::from_bits((both >> 16) as u16))
    }
}

/// A `go` that must be answered exactly once.
pub(crate) struct PendingSearch {
    published: PublishedMove,
    move_text: fn(Move) -> String,
    budget: Option<Budget>,
    /// Shared with the searcher, which stops at them.
    pub(crate) deadlines: Deadlines,
    /// When the answer is due; `None` without a time limit and before `ponderhit`.
    pub(crate) due: Option<Instant>,
    /// Whether it waits for `ponderhit`.
    is_pondering: bool,
    /// Whether only `stop` ends it.
    is_unbounded: bool,
}

/// The part of its time by which a search stops before the answer is due. Usually the
/// worker answers then. If the system wakes it late, the session still answers in time.
const LEAD_PART: u32 = 50;

/// Upper bound of the time that [`LEAD_PART`] takes.
const MAX_LEAD: Duration = Duration::from_millis(1);

impl PendingSearch {
    /// The search for a `go` that arrived at `arrival`. Its time starts then, or at
    /// `ponderhit`.
    pub(crate) fn new(
        limits: &Limits,
        arrival: Instant,
        budget: Option<Budget>,
        published: PublishedMove,
        move_text: fn(Move) -> String,
    ) -> PendingSearch {
        let mut search = PendingSearch {
            published,
            move_text,
            budget,
            deadlines: Deadlines::default(),
            due: None,
            is_pondering: limits.ponder,
            is_unbounded: !limits.is_bounded(),
        };
        if !limits.ponder {
            search.start_clock(arrival);
        }
        search
    }

    /// A `go` for which there is no move to play. The answer is `0000`.
    pub(crate) fn without_move(limits: &Limits, arrival: Instant) -> PendingSearch {
        let no_text = |_| NO_MOVE.to_string();
        PendingSearch::new(limits, arrival, None, PublishedMove::new(None), no_text)
    }

    /// Whether there is no move to play.
    pub(crate) fn has_no_move(&self) -> bool {
        self.published.get().0.is_none()
    }

    /// Handles a `ponderhit` that arrived at `arrival`: the time limit starts. Returns
    /// `false` if the search is not pondering.
    pub(crate) fn ponder_hit(&mut self, arrival: Instant) -> bool {
        let was_pondering = std::mem::replace(&mut self.is_pondering, false);
        if was_pondering {
            self.start_clock(arrival);
        }
        was_pondering
    }

    /// Whether the answer may be sent before `stop` as soon as the search has ended.
    pub(crate) fn may_answer(&self) -> bool {
        !self.is_pondering && !self.is_unbounded
    }

    /// The answer as of now. UGI has no `ponder` part.
    pub(crate) fn best_move(&self, dialect: Dialect) -> Reply {
        let (best, ponder) = self.published.get();
        let ponder = ponder.filter(|_| dialect == Dialect::Uci);
        Reply::BestMove {
            best: best.map_or(NO_MOVE.to_string(), self.move_text),
            ponder: ponder.map(self.move_text),
        }
    }

    fn start_clock(&mut self, begin: Instant) {
        if let Some(Budget { soft, hard }) = self.budget {
            let lead = (hard / LEAD_PART).min(MAX_LEAD);
            self.deadlines
                .set(begin + soft, begin + hard.saturating_sub(lead));
            self.due = Some(begin + hard);
        }
    }
}

#[cfg(test)]
mod pending_tests {
    use lodestone_game::board::Cell;
    use lodestone_game::protocol::Command;

    use super::*;

    #[test]
    fn a_move_is_published_together_with_its_reply() {
        let [one, two, three] = [1, 2, 3].map(|column| Move::place(Cell::new(0, column)));
        let published = PublishedMove::new(Some(one));
        assert_eq!(published.get(), (Some(one), None));
        published.set(&[two, three, one]);
        assert_eq!(published.get(), (Some(two), Some(three)));
        published.set(&[]);
        published.set(&[one]);
        assert_eq!(published.get(), (Some(one), None));
        assert_eq!(PublishedMove::new(None).get(), (None, None));
    }

    const BUDGET: Budget = Budget {
        soft: Duration::from_millis(20),
        hard: Duration::from_millis(40),
    };

    fn pending(go: &str, arrival: Instant, budget: Budget) -> PendingSearch {
        let Ok(Command::Go(limits)) = Command::parse(go) else {
            panic!("{go}")
        };
        let published = PublishedMove::new(Some(Move::place(Cell::new(0, 7))));
        let move_text = |mv: Move| format!("{}", mv.to().column());
        PendingSearch::new(&limits, arrival, Some(budget), published, move_text)
    }

    #[test]
    fn search_stops_shortly_before_the_answer_is_due() {
        let arrival = Instant::now() + Duration::from_secs(1);
        let milliseconds = |number: u64| Duration::from_millis(number);
        let long = Budget {
            hard: milliseconds(500),
            ..BUDGET
        };
        let short_lead = Duration::from_micros(800);
        for (budget, lead) in [(BUDGET, short_lead), (long, milliseconds(1))] {
            let search = pending("go movetime 1", arrival, budget);
            assert_eq!(search.due, Some(arrival + budget.hard));
            let deadlines = search.deadlines;
            assert_eq!(deadlines.soft(), Some(arrival + budget.soft));
            assert_eq!(deadlines.hard().map(|hard| hard + lead), search.due);
        }
    }

    #[test]
    fn time_of_a_pondering_search_starts_once_at_ponderhit() {
        let arrival = Instant::now();
        let mut search = pending("go ponder movetime 1", arrival, BUDGET);
        assert_eq!((search.due, search.deadlines.hard()), (None, None));
        assert!(!search.may_answer());
        let hit = arrival + Duration::from_secs(1);
        assert!(search.ponder_hit(hit));
        assert!(search.may_answer());
        assert_eq!(search.due, Some(hit + BUDGET.hard));
        assert_eq!(search.deadlines.soft(), Some(hit + BUDGET.soft));
        assert!(!search.ponder_hit(hit + Duration::from_secs(1)));
        assert_eq!(search.due, Some(hit + BUDGET.hard));
    }

    #[test]
    fn only_uci_gets_the_expected_reply() {
        let search = pending("go infinite", Instant::now(), BUDGET);
        assert!(!search.may_answer() && !search.has_no_move());
        let [best, reply] = [1, 2].map(|column| Move::place(Cell::new(0, column)));
        search.published.set(&[best, reply]);
        assert_eq!(search.best_move(Dialect::Uci).to_string(), "bestmove 1 ponder 2");
        assert_eq!(search.best_move(Dialect::Ugi).to_string(), "bestmove 1");
    }
}
