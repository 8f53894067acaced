//! What runs beside the session: a search or a count, what it waits for and when
//! it is over.

use std::time::{Duration, Instant};

use super::desk::Search;
use super::time::Budget;
use super::work::{JobId, Reports};
use crate::protocol::Limits;
use crate::search::{Deadlines, StopToken};

/// What a finished position's `bestmove` says.
const NO_MOVE: &str = "0000";

/// A job and what becomes of it.
pub struct Running {
    /// The job's number.
    pub id: JobId,
    /// Ends the job.
    pub stop: StopToken,
    /// What it has said and nobody has heard yet.
    pub reports: Reports,
    /// What it is.
    pub kind: Kind,
}

/// What a job is.
pub enum Kind {
    /// A search, to be answered by `bestmove`.
    Search(Question),
    /// `perft` or `bench`: what comes in meanwhile is looked at afterwards.
    Count,
}

/// A `go` that has to be answered once.
pub struct Question {
    /// What to answer, asked at the moment of the answer: the best move, and the
    /// reply that it expects.
    answer: Box<dyn Fn() -> (String, Option<String>) + Send>,
    clock: Clock,
    /// The client has yet to say `ponderhit`.
    is_pondering: bool,
    /// Nothing but `stop` ends it.
    is_unbounded: bool,
    /// The search has come to its end.
    has_ended: bool,
}

/// The time limit of a search, which may begin to count later than the search.
#[derive(Default)]
struct Clock {
    budget: Option<Budget>,
    /// When the search ends by itself.
    deadlines: Deadlines,
    /// When the answer has to be out; `None` until the time counts.
    deadline: Option<Instant>,
}

/// The part of its time by which a search ends before the answer is due, at most
/// [`LONGEST_LEAD`]. Then the worker answers, and the session if that comes late:
/// on a busy machine two chances to be in time.
const LEAD_PART: u32 = 50;

/// The most that [`LEAD_PART`] takes.
const LONGEST_LEAD: Duration = Duration::from_millis(1);

impl Clock {
    /// The time counts from here.
    fn start(&mut self, begin: Instant) {
        if let Some(Budget { soft, hard }) = self.budget {
            let lead = (hard / LEAD_PART).min(LONGEST_LEAD);
            self.deadlines
                .set(begin + soft, begin + hard.saturating_sub(lead));
            self.deadline = Some(begin + hard);
        }
    }
}

impl Question {
    /// The question whose `go` came in at `arrival`. Without a search the game is
    /// over. A search without an end of its own, and one in the opponent's time,
    /// is not answered before the client wants it.
    pub fn new(limits: &Limits, arrival: Instant, search: Option<&Search>) -> Question {
        let (answer, mut clock): (Box<dyn Fn() -> _ + Send>, Clock) = match search {
            None => (Box::new(|| (NO_MOVE.to_string(), None)), Clock::default()),
            Some(search) => {
                let (published, notation) = (search.published.clone(), search.notation);
                let answer = move || {
                    let (best, ponder) = published.get();
                    let best = best.map_or(NO_MOVE.to_string(), notation);
                    (best, ponder.map(notation))
                };
                let clock = Clock {
                    budget: search.budget,
                    deadlines: search.deadlines.clone(),
                    deadline: None,
                };
                (Box::new(answer), clock)
            }
        };
        if !limits.ponder {
            clock.start(arrival);
        }
        Question {
            answer,
            clock,
            is_pondering: limits.ponder,
            is_unbounded: !limits.is_bounded(),
            has_ended: search.is_none(),
        }
    }

    /// The best move so far, and the reply that it expects.
    pub fn answer(&self) -> (String, Option<String>) {
        (self.answer)()
    }

    /// When the answer has to be out; `None` where nothing says so (yet).
    pub fn deadline(&self) -> Option<Instant> {
        self.clock.deadline
    }

    /// The search has come to its end.
    pub fn search_ended(&mut self) {
        self.has_ended = true;
    }

    /// The opponent has played the expected move, which came in at `arrival`:
    /// the time begins to count. `false` if that has been said, or was never
    /// waited for.
    pub fn ponder_hit(&mut self, arrival: Instant) -> bool {
        let was_pondering = std::mem::replace(&mut self.is_pondering, false);
        if was_pondering {
            self.clock.start(arrival);
        }
        was_pondering
    }

    /// Whether the answer is known and may be given.
    pub fn is_settled(&self) -> bool {
        self.has_ended && !self.is_pondering && !self.is_unbounded
    }
}
