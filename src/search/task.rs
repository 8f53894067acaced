//! The interface between the engine and its players: a [`Task`] goes in, progress goes
//! to an [`Observer`], a move comes out.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lodestone_game::Game;
use lodestone_game::board::{Move, MoveList};
use lodestone_game::score::{Score, Value};

/// A player: finds a move for a position.
pub trait Searcher<G: Game>: Send {
    /// The best move of `root` among `task.moves`. Returns soon after a limit of the
    /// task is reached.
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move;

    /// Continues the search of the same root that [`Task::pause`] has interrupted. A player
    /// that cannot continue searches again from the beginning.
    fn resume(&mut self, root: &G, task: &Task<'_>) -> Move {
        self.search(root, task)
    }

    /// Whether [`Searcher::resume`] continues where the pause was.
    fn can_resume(&self) -> bool {
        false
    }

    /// Clears everything learned: the next position belongs to another game.
    fn new_game(&mut self);

    /// Static evaluation of an unfinished position for the side to move, in this
    /// player's own unit; `None` if it has no evaluation.
    fn evaluate(&self, position: &G) -> Option<i32>;

    /// The exact result of an unfinished position for the side to move, if this player knows
    /// it without search: 1 for a win, 0 for a draw, −1 for a loss.
    fn exact_points(&self, _position: &G) -> Option<i32> {
        None
    }

    /// Computes what the first search would have to compute before it can answer.
    fn prepare(&self) {}

    /// Whether the evaluation has weights that were fitted to games; else it counts.
    fn has_learned_evaluation(&self) -> bool {
        false
    }
}

/// One search: the root moves, limits, options and observer.
///
/// ```
/// use lodestone::search::{LastReport, SearchLimits, Task};
/// use lodestone_game::Game;
/// use lodestone_game::magnetic_cave::MagneticCave;
///
/// let last = LastReport::default();
/// let task = Task {
///     limits: SearchLimits {
///         depth: Some(3),
///         ..SearchLimits::default()
///     },
///     ..Task::new(MagneticCave::startpos().legal_moves(), &last)
/// };
/// assert_eq!(task.options.threads, 1);
/// ```
#[derive(Clone)]
pub struct Task<'a> {
    /// The root moves to choose from: legal, at least one.
    pub moves: MoveList,
    /// The [repetition keys](crate::game::Evaluate::repetition_key) of the earlier positions
    /// of the game, in any order; empty if unknown.
    pub earlier: Vec<u64>,
    /// How far the opponent's last moves are those of an opponent that searches a few plies.
    pub opponent: ShallowOpponent,
    /// What ends the search.
    pub limits: SearchLimits,
    /// Threads, MultiPV and contempt.
    pub options: SearchOptions,
    /// Stops the search from outside.
    pub stop: StopToken,
    /// Interrupts the search of a single thread; `None` if it has its thread for itself.
    pub pause: Option<&'a Pause>,
    /// Receives the best line and progress reports.
    pub observer: &'a dyn Observer,
}

impl<'a> Task<'a> {
    /// Interval between calls of [`Task::must_stop`], in nodes. A power of two; less
    /// than a millisecond of search.
    pub(crate) const CHECK_INTERVAL: u64 = 1024;

    /// A search without limits, with the default options.
    pub fn new(moves: MoveList, observer: &'a dyn Observer) -> Task<'a> {
        Task {
            moves,
            earlier: Vec::new(),
            opponent: ShallowOpponent::default(),
            limits: SearchLimits::default(),
            options: SearchOptions::default(),
            stop: StopToken::default(),
            pause: None,
            observer,
        }
    }

    /// Whether the search was stopped or its hard deadline has passed.
    pub(crate) fn must_stop(&self) -> bool {
        self.stop.is_set() || self.limits.deadlines.is_hard_past()
    }

    /// Whether a search must end or pause after `nodes` nodes. Reads the clock only every
    /// [`CHECK_INTERVAL`](Self::CHECK_INTERVAL) nodes.
    pub(crate) fn must_stop_after(&self, nodes: u64) -> bool {
        self.limits.nodes.is_some_and(|limit| nodes >= limit)
            || (nodes.is_multiple_of(Self::CHECK_INTERVAL)
                && (self.must_stop() || self.pause.is_some_and(Pause::is_due)))
    }

    /// Whether the pause has interrupted the search.
    pub(crate) fn is_paused(&self) -> bool {
        self.pause.is_some_and(Pause::is_reached)
    }
}

/// Receives the progress of a running search.
pub trait Observer: Sync {
    /// A new best line of at least one move. Its first move is played if the search does
    /// not finish in time; the second is the expected reply.
    fn publish(&self, line: &[Move]);

    /// Progress to show.
    fn report(&self, progress: Progress);
}

/// An observer that ignores what it gets.
pub(crate) struct Silent;

impl Observer for Silent {
    fn publish(&self, _line: &[Move]) {}

    fn report(&self, _progress: Progress) {}
}

/// A progress report of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The rank of this line in MultiPV, from 1.
    pub(crate) multipv: usize,
    /// Search depth in plies.
    pub depth: u32,
    /// Selective depth: plies of the deepest line.
    pub(crate) seldepth: u32,
    /// The score for the side to move.
    pub score: Score,
    /// Number of nodes searched.
    pub nodes: u64,
    /// How full the table is, in thousandths; `None` without a table.
    pub(crate) hashfull: Option<u32>,
    /// The principal variation.
    pub line: Vec<Move>,
}

/// An observer that keeps the last report of the best line.
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

/// What the opponent's last moves say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShallowOpponent {
    /// The number of the game's model of a weak opponent that fits best.
    pub(crate) model: usize,
    /// How many of the last moves, without a gap, are the replies of this model.
    pub(crate) expected: u32,
}

/// The limits of a search. The first one reached ends it.
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// Maximum depth of an iteration, in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes, over all threads.
    pub nodes: Option<u64>,
    /// Search for a proven win within this many own moves.
    pub mate: Option<u32>,
    /// Soft and hard deadlines.
    pub deadlines: Deadlines,
}

impl SearchLimits {
    /// A search that ends `time` after this call, or soon after.
    pub fn time(time: Duration) -> SearchLimits {
        let limits = SearchLimits::default();
        if let Some(end) = Instant::now().checked_add(time) {
            limits.deadlines.set(end, end);
        }
        limits
    }

    /// A search of at most `plies` plies, at least 1.
    pub fn depth(plies: u32) -> SearchLimits {
        SearchLimits {
            depth: Some(plies),
            ..SearchLimits::default()
        }
    }

    /// A search of at most `nodes` positions, at least 1.
    pub fn nodes(nodes: u64) -> SearchLimits {
        SearchLimits {
            nodes: Some(nodes),
            ..SearchLimits::default()
        }
    }
}

/// The deadlines of a search. Clones share one value, so the caller can set it while
/// the search runs: a search on the opponent's time gets its deadlines at `ponderhit`.
#[derive(Clone, Debug)]
pub struct Deadlines(Arc<Instants>);

/// Deadlines in nanoseconds since `origin`; [`NEVER`] if there is none.
#[derive(Debug)]
struct Instants {
    origin: Instant,
    soft: AtomicU64,
    hard: AtomicU64,
}

/// No deadline.
const NEVER: u64 = u64::MAX;

impl Default for Deadlines {
    /// No deadlines.
    fn default() -> Deadlines {
        Deadlines(Arc::new(Instants {
            origin: Instant::now(),
            soft: AtomicU64::new(NEVER),
            hard: AtomicU64::new(NEVER),
        }))
    }
}

impl Deadlines {
    /// Sets both deadlines.
    pub(crate) fn set(&self, soft: Instant, hard: Instant) {
        let nanoseconds = |instant: Instant| {
            let since = instant.saturating_duration_since(self.0.origin);
            u64::try_from(since.as_nanos()).unwrap_or(NEVER)
        };
        self.0.soft.store(nanoseconds(soft), Ordering::Relaxed);
        self.0.hard.store(nanoseconds(hard), Ordering::Relaxed);
    }

    /// The soft deadline: no further iteration begins after it.
    pub(crate) fn soft(&self) -> Option<Instant> {
        self.instant(&self.0.soft)
    }

    /// The hard deadline: the search must end by then.
    pub(crate) fn hard(&self) -> Option<Instant> {
        self.instant(&self.0.hard)
    }

    /// Whether the soft deadline has passed.
    pub(crate) fn is_soft_past(&self) -> bool {
        self.soft().is_some_and(|soft| Instant::now() >= soft)
    }

    /// Whether the hard deadline has passed.
    pub(crate) fn is_hard_past(&self) -> bool {
        self.hard().is_some_and(|hard| Instant::now() >= hard)
    }

    fn instant(&self, nanoseconds: &AtomicU64) -> Option<Instant> {
        match nanoseconds.load(Ordering::Relaxed) {
            NEVER => None,
            set => self.0.origin.checked_add(Duration::from_nanos(set)),
        }
    }
}

/// Stops a search from another thread. Each search has its own token, so a late `stop`
/// cannot stop the next search.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// Stops the search.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the search must stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The time when a search must pause, because it shares its thread with the session.
#[derive(Debug)]
pub struct Pause {
    at: Instant,
    is_reached: AtomicBool,
}

impl Pause {
    /// A pause at this time.
    pub(crate) const fn at(at: Instant) -> Pause {
        Pause {
            at,
            is_reached: AtomicBool::new(false),
        }
    }

    /// Whether the search must pause now. From then on [`Pause::is_reached`] holds.
    pub(crate) fn is_due(&self) -> bool {
        let is_due = Instant::now() >= self.at;
        if is_due {
            self.is_reached.store(true, Ordering::Relaxed);
        }
        is_due
    }

    /// Whether the pause has interrupted the search.
    pub(crate) fn is_reached(&self) -> bool {
        self.is_reached.load(Ordering::Relaxed)
    }
}

/// The options of a search, with the engine's defaults. All threads of a search share
/// one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Number of search threads, at least 1.
    pub threads: usize,
    /// MultiPV: number of best lines to find, at least 1.
    pub multipv: usize,
    /// Contempt in percent, 0 to 100: how far to count on the opponent's mistakes. It
    /// applies only where [`multipv`](Self::multipv) is 1.
    pub contempt: u8,
    /// The parameters to tune.
    #[cfg(feature = "tune")]
    pub parameters: SearchParameters,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            multipv: 1,
            // More wins against the reference players than 0, with hardly a loss
            // (`research/notes/evaluation.md`).
            contempt: 30,
            #[cfg(feature = "tune")]
            parameters: SearchParameters::DEFAULT,
        }
    }
}

impl SearchOptions {
    /// The defaults without contempt: the search treats both players as equals.
    pub fn without_contempt() -> SearchOptions {
        SearchOptions {
            contempt: 0,
            ..SearchOptions::default()
        }
    }
}

// What each technique is worth in games: `research/notes/magnetic-cave.md`.

/// The parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchParameters {
    /// Reverse futility pruning: how far the evaluation must exceed beta, per ply of depth.
    pub(crate) reverse_futility_margin: Value,
    /// Reverse futility pruning: the maximum depth, in plies.
    pub(crate) reverse_futility_max_depth: u32,
    /// Late move reductions: the plies by which a move is reduced, in percent of
    /// log₂(depth) · log₂(number of the move).
    pub(crate) late_move_reduction: u32,
    /// Late move reductions: how many moves of a node are searched to full depth.
    pub(crate) full_depth_moves: usize,
    /// Half the width of the first aspiration window.
    pub(crate) aspiration_width: Value,
}

impl SearchParameters {
    /// The parameters that a build without the feature `tune` uses.
    pub(crate) const DEFAULT: SearchParameters = SearchParameters {
        reverse_futility_margin: 60,
        reverse_futility_max_depth: 3,
        late_move_reduction: 50,
        full_depth_moves: 3,
        aspiration_width: 24,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_reached_when_it_is_noticed() {
        let now = Instant::now();
        let (past, future) = (Pause::at(now), Pause::at(now + Duration::from_hours(1)));
        assert!(!past.is_reached());
        assert!(past.is_due() && past.is_reached());
        assert!(!future.is_due() && !future.is_reached());
    }

    #[test]
    fn clones_share_exact_deadlines() {
        let deadlines = Deadlines::default();
        let clone = deadlines.clone();
        assert_eq!((deadlines.soft(), deadlines.hard()), (None, None));
        assert!(!deadlines.is_hard_past());
        let now = Instant::now();
        let [soft, hard] = [1, 2].map(|hours| now + Duration::from_hours(hours));
        clone.set(soft, hard);
        assert_eq!((deadlines.soft(), deadlines.hard()), (Some(soft), Some(hard)));
        assert!(!deadlines.is_soft_past());
        clone.set(now, hard);
        assert!(deadlines.is_soft_past() && !deadlines.is_hard_past());
        clone.set(now, now);
        assert!(deadlines.is_hard_past());
    }
}
