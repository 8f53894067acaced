//! The interface between the engine and its players: a [`Task`] goes in, progress goes
//! to an [`Observer`], a move comes out.

use std::sync::{Mutex, PoisonError};

use super::limits::{Pause, SearchLimits, StopToken};
use super::options::SearchOptions;
use super::swindle::ShallowOpponent;
use crate::board::{Move, MoveList};
use crate::game::Game;
use crate::score::Score;

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
/// use lodestone::game::{Game, magnetic_cave::MagneticCave};
/// use lodestone::search::{LastReport, SearchLimits, Task};
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
    pub const CHECK_INTERVAL: u64 = 1024;

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
    pub fn must_stop(&self) -> bool {
        self.stop.is_set() || self.limits.deadlines.is_hard_past()
    }

    /// Whether a search must end or pause after `nodes` nodes. Reads the clock only every
    /// [`CHECK_INTERVAL`](Self::CHECK_INTERVAL) nodes.
    pub fn must_stop_after(&self, nodes: u64) -> bool {
        self.limits.nodes.is_some_and(|limit| nodes >= limit)
            || (nodes.is_multiple_of(Self::CHECK_INTERVAL)
                && (self.must_stop() || self.pause.is_some_and(Pause::is_due)))
    }

    /// Whether the pause has interrupted the search.
    pub fn is_paused(&self) -> bool {
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

/// A progress report of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The rank of this line in MultiPV, from 1.
    pub multipv: usize,
    /// Search depth in plies.
    pub depth: u32,
    /// Selective depth: plies of the deepest line.
    pub seldepth: u32,
    /// The score for the side to move.
    pub score: Score,
    /// Number of nodes searched.
    pub nodes: u64,
    /// How full the table is, in thousandths; `None` without a table.
    pub hashfull: Option<u32>,
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
