//! What every player of the engine is asked, and how it answers: the seam
//! between the engine and whoever thinks.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::board::{Move, MoveList};
use crate::game::Game;
use crate::score::Score;

/// A player: finds a move for a position.
pub trait Thinker<G: Game>: Send {
    /// The best move of `root`, one of `task.moves`, which is not empty. Ends
    /// soon after a bound of the task is reached.
    fn think(&mut self, root: &G, task: &Task<'_>) -> Move;

    /// What comes next belongs to another game.
    fn new_game(&mut self);

    /// What this player thinks of an unfinished position without search, for
    /// the side to move, in its own unit; `None` where it has no opinion.
    fn evaluate(&self, position: &G) -> Option<i32>;
}

/// One search: the moves to choose from, its bounds, and whom to tell.
pub struct Task<'a> {
    /// The moves to choose from: legal, and at least one.
    pub moves: MoveList,
    /// What ends the search.
    pub bounds: Bounds,
    /// Ends the search when it is set.
    pub stop: StopToken,
    /// Who hears of its progress.
    pub observer: &'a dyn Observer,
}

/// What ends a search; whichever comes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// No iteration deeper than this many plies.
    pub depth: Option<u32>,
    /// At most this many positions.
    pub nodes: Option<u64>,
    /// Enough when a win in at most this many own moves is proven.
    pub mate: Option<u32>,
    /// Not worth beginning another iteration after this.
    pub soft: Option<Instant>,
    /// The search must end here.
    pub hard: Option<Instant>,
}

impl Task<'_> {
    /// How often a search should look at [`Task::must_stop`], in positions: a
    /// fraction of a millisecond, and a power of two.
    pub const CHECK_INTERVAL: u64 = 1024;

    /// Whether the search has to end now, apart from its bound on positions.
    pub fn must_stop(&self) -> bool {
        self.stop.is_set() || self.bounds.hard.is_some_and(|hard| Instant::now() >= hard)
    }

    /// Whether a search that has looked at `nodes` positions has to end; the
    /// clock is read only now and then.
    pub fn must_stop_after(&self, nodes: u64) -> bool {
        self.bounds.nodes.is_some_and(|most| nodes >= most)
            || (nodes.is_multiple_of(Self::CHECK_INTERVAL) && self.must_stop())
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
pub trait Observer {
    /// The best move so far: what is played if the search does not come to its
    /// end in time.
    fn publish(&self, best: Move);

    /// Something to show.
    fn report(&self, progress: Progress);
}

/// What a search tells about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
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

/// An observer that keeps the last report, for whoever waits for the end of a
/// search.
#[derive(Debug, Default)]
pub struct LastReport(RefCell<Option<Progress>>);

impl LastReport {
    /// The last report, if there was one.
    pub fn into_inner(self) -> Option<Progress> {
        self.0.into_inner()
    }
}

impl Observer for LastReport {
    fn publish(&self, _best: Move) {}

    fn report(&self, progress: Progress) {
        self.0.replace(Some(progress));
    }
}
