//! What every player of the engine is asked, and how it answers: the seam
//! between the engine and whoever thinks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::options::SearchOptions;
use crate::board::{Move, MoveList};
use crate::game::Game;
use crate::score::Score;

/// A player: finds a move for a position.
pub trait Searcher<G: Game>: Send {
    /// The best move of `root`, one of `task.moves`, which is not empty. Ends
    /// soon after a bound of the task is reached.
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move;

    /// What comes next belongs to another game.
    fn new_game(&mut self);

    /// What this player thinks of an unfinished position without search, for
    /// the side to move, in its own unit; `None` where it has no opinion.
    fn evaluate(&self, position: &G) -> Option<i32>;
}

/// One search: the moves to choose from, its bounds, and whom to tell.
///
/// ```
/// use lodestone::game::{Game, magnetic_cave::MagneticCave};
/// use lodestone::search::{Bounds, LastReport, Task};
///
/// let last = LastReport::default();
/// let task = Task {
///     bounds: Bounds {
///         depth: Some(3),
///         ..Bounds::default()
///     },
///     ..Task::new(MagneticCave::startpos().legal_moves(), &last)
/// };
/// assert_eq!(task.options.threads, 1);
/// ```
pub struct Task<'a> {
    /// The moves to choose from: legal, and at least one.
    pub moves: MoveList,
    /// What ends the search.
    pub limits: SearchLimits,
    /// Threads, MultiPV and contempt.
    pub options: SearchOptions,
    /// Ends the search when it is set.
    pub stop: StopToken,
    /// Who hears of its progress.
    pub observer: &'a dyn Observer,
}

/// What ends a search; whichever comes first.
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// No iteration deeper than this many plies.
    pub depth: Option<u32>,
    /// At most this many positions.
    pub nodes: Option<u64>,
    /// Enough when a win in at most this many own moves is proven.
    pub mate: Option<u32>,
    /// What the clock says.
    pub deadlines: Deadlines,
}

impl<'a> Task<'a> {
    /// How often a search should look at [`Task::must_stop`], in positions: a
    /// fraction of a millisecond, and a power of two.
    pub const CHECK_INTERVAL: u64 = 1024;

    /// A search without limits, with the default options.
    pub fn new(moves: MoveList, observer: &'a dyn Observer) -> Task<'a> {
        Task {
            moves,
            limits: SearchLimits::default(),
            options: SearchOptions::default(),
            stop: StopToken::default(),
            observer,
        }
    }

    /// Whether the search has to end now, apart from its bound on positions.
    pub fn must_stop(&self) -> bool {
        self.stop.is_set() || self.limits.deadlines.is_hard_past()
    }

    /// Whether a search that has looked at `nodes` positions has to end; the
    /// clock is read only now and then.
    pub fn must_stop_after(&self, nodes: u64) -> bool {
        self.limits.nodes.is_some_and(|most| nodes >= most)
            || (nodes.is_multiple_of(Self::CHECK_INTERVAL) && self.must_stop())
    }
}

/// When a search has to end. Shared with whoever began the search, who may set
/// it while the search runs: a search in the opponent's time gets its deadlines
/// when the opponent has moved.
#[derive(Clone, Debug)]
pub struct Deadlines(Arc<Instants>);

#[derive(Debug)]
struct Instants {
    /// What both count from, in nanoseconds; [`NEVER`] where there is none.
    begin: Instant,
    soft: AtomicU64,
    hard: AtomicU64,
}

/// No deadline.
const NEVER: u64 = u64::MAX;

impl Default for Deadlines {
    /// None yet.
    fn default() -> Deadlines {
        Deadlines(Arc::new(Instants {
            begin: Instant::now(),
            soft: AtomicU64::new(NEVER),
            hard: AtomicU64::new(NEVER),
        }))
    }
}

impl Deadlines {
    /// Sets both.
    pub fn set(&self, soft: Instant, hard: Instant) {
        let nanoseconds = |instant: Instant| {
            let since = instant.saturating_duration_since(self.0.begin);
            u64::try_from(since.as_nanos()).unwrap_or(NEVER)
        };
        self.0.soft.store(nanoseconds(soft), Ordering::Relaxed);
        self.0.hard.store(nanoseconds(hard), Ordering::Relaxed);
    }

    /// After this it is not worth beginning another iteration.
    pub fn soft(&self) -> Option<Instant> {
        self.instant(&self.0.soft)
    }

    /// The search must end here.
    pub fn hard(&self) -> Option<Instant> {
        self.instant(&self.0.hard)
    }

    /// Whether the search should begin no further iteration.
    pub fn is_soft_past(&self) -> bool {
        self.soft().is_some_and(|soft| Instant::now() >= soft)
    }

    /// Whether the search has to end.
    pub fn is_hard_past(&self) -> bool {
        self.hard().is_some_and(|hard| Instant::now() >= hard)
    }

    fn instant(&self, nanoseconds: &AtomicU64) -> Option<Instant> {
        match nanoseconds.load(Ordering::Relaxed) {
            NEVER => None,
            set => self.0.begin.checked_add(Duration::from_nanos(set)),
        }
    }
}

/// Tells a search from outside that it has to end. Each search has its own, so
/// that a late `stop` cannot hit the next one.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// Ends the search.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the search has to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Who hears of a search while it runs.
pub trait Observer: Sync {
    /// The best line so far, at least one move: its first is played if the search
    /// does not come to its end in time, its second is what the opponent is
    /// expected to play.
    fn publish(&self, line: &[Move]);

    /// Something to show.
    fn report(&self, progress: Progress);
}

/// What a search tells about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which of the best lines this is, from 1.
    pub multipv: usize,
    /// Plies searched.
    pub depth: u32,
    /// Plies of the deepest line.
    pub seldepth: u32,
    /// What the position is worth for the side to move.
    pub score: Score,
    /// Positions searched.
    pub nodes: u64,
    /// How full the table is, in thousandths; `None` without one.
    pub hashfull: Option<u32>,
    /// The line that both sides are expected to play.
    pub line: Vec<Move>,
}

/// An observer that keeps the last report of the best line, for whoever waits for the end of a
/// search.
#[derive(Debug, Default)]
pub struct LastReport(Mutex<Option<Progress>>);

impl LastReport {
    /// The last report, if there was one.
    pub fn into_inner(self) -> Option<Progress> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for LastReport {
    fn publish(&self, _line: &[Move]) {}

    fn report(&self, progress: Progress) {
        if progress.multipv == 1 {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_can_be_set_from_outside_and_are_kept_exactly() {
        let mine = Deadlines::default();
        let theirs = mine.clone();
        assert_eq!((mine.soft(), mine.hard()), (None, None));
        assert!(!mine.is_hard_past());
        let now = Instant::now();
        let [soft, hard] = [1, 2].map(|hours| now + Duration::from_hours(hours));
        theirs.set(soft, hard);
        assert_eq!((mine.soft(), mine.hard()), (Some(soft), Some(hard)));
        assert!(!mine.is_soft_past());
        theirs.set(now, hard);
        assert!(mine.is_soft_past() && !mine.is_hard_past());
        theirs.set(now, now);
        assert!(mine.is_hard_past());
    }
}
