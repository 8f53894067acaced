//! The state of one search thread with its access to the transposition table, and what a game adds
//! to the search at the root.

use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::time::Instant;

use lodestone_game::board::Move;
use lodestone_game::score::Value;

use super::ordering::MoveOrdering;
use super::table::{MAX_ENTRY_DEPTH, TableEntry, TranspositionTable, value_from_table, value_to_table};
use super::task::{SearchOptions, SearchParameters, ShallowOpponent, Task};
use crate::game::{Contempt, Evaluate};

/// The depth of the deepest iteration, in plies; less than a table entry can store.
pub(super) const MAX_DEPTH: u32 = MAX_ENTRY_DEPTH - 5;

/// Upper bound on the distance from the root, in plies: the deepest iteration, and a margin
/// of one ply per cell.
pub(super) const MAX_PLY: usize = MAX_DEPTH as usize + 64;

/// A move with its ordering score.
pub(super) type ScoredMove = (i32, Move);

/// What the search at the root asks a game. The defaults know nothing beyond the rules and the
/// evaluation.
pub trait RootStrategy: Evaluate {
    /// What the strategy of one thread remembers, also between searches of one game.
    type Memory: Default + Debug + Send;

    /// The plies for which a clock must last: those until the end of the game, or fewer if a solver
    /// needs hardly any time for the last ones.
    fn plies_on_clock(&self) -> u32 {
        self.plies_left()
    }

    /// The exact result of an unfinished position for the side to move, if it is known without
    /// search: 1 for a win, 0 for a draw, −1 for a loss.
    fn exact_points(&self) -> Option<i32> {
        None
    }

    /// Computes the exact values that stay in memory for the life of the process, so that no
    /// search has to. A second call does nothing.
    fn prepare() {}

    /// Opens a file of exact values, or closes it. Returns what the file answers, in a few words;
    /// nothing in a game without such files.
    ///
    /// # Errors
    /// The file cannot be used. None is open then.
    fn use_table(_path: Option<&Path>) -> Result<String, String> {
        Ok(String::new())
    }

    /// What the moves of a game say about the opponent. Takes the positions with the moves played
    /// there; the last one is a move of the opponent.
    fn shallow_opponent(_played: &[(Self, Move)]) -> ShallowOpponent {
        ShallowOpponent::default()
    }

    /// Prepares the memories of all threads for a new search, the main thread's first.
    fn new_search(_threads: &mut [Self::Memory]) {}

    /// Called before the first iteration. Returns a move to play without search.
    #[doc(hidden)]
    fn begin(_search: &mut SearchThread<'_, Self>) -> Option<Move> {
        None
    }

    /// Sets the next iteration, or returns a move to play without a further one.
    #[doc(hidden)]
    fn next_iteration(_search: &mut SearchThread<'_, Self>, state: &mut RootState) -> Option<Move> {
        state.depth += 1;
        None
    }

    /// The value of the root for these moves by a search to the end of the game; puts the best move
    /// first, and its line into the principal variation. `previous` is the value of the iteration
    /// before. `None` if stopped.
    #[doc(hidden)]
    fn solve(search: &mut SearchThread<'_, Self>, moves: &mut [Move], _previous: Value) -> Option<Value> {
        search.solve_root(moves)
    }

    /// Called after each iteration: reports its lines.
    #[doc(hidden)]
    fn after_iteration(search: &mut SearchThread<'_, Self>, state: &RootState) {
        search.report_lines(&state.lines);
    }

    /// Whether an only move may be played before its result is known.
    #[doc(hidden)]
    fn may_play_only_move(_search: &SearchThread<'_, Self>) -> bool {
        true
    }

    /// The line to show and play where `best` is the best line, with this value.
    #[doc(hidden)]
    fn line<'a>(_search: &'a SearchThread<'_, Self>, best: &'a [Move], _value: Value) -> &'a [Move] {
        best
    }

    /// The move to play at the end of the search, or where it is interrupted.
    #[doc(hidden)]
    fn finish(_search: &mut SearchThread<'_, Self>, state: &RootState) -> Move {
        state.best()
    }
}

/// A principal variation with its value.
#[derive(Clone, Debug, Default)]
pub(crate) struct RootLine {
    pub(crate) value: Value,
    pub(super) moves: Vec<Move>,
    /// The depth of its iteration, in plies.
    pub(super) depth: u32,
    /// Whether that was a search to the end of the game, without evaluations and reductions: then a value
    /// of 0 is a proven draw.
    pub(super) is_solved: bool,
    pub(super) seldepth: u32,
}

/// The state of the search at the root. It stays when a pause interrupts the search; the rest is
/// in the transposition table.
#[derive(Debug)]
pub struct RootState {
    /// The root moves, the best so far first.
    pub(crate) moves: Vec<Move>,
    /// The lines of MultiPV, the best first.
    pub(crate) lines: Vec<RootLine>,
    /// The depth of this iteration, in plies.
    pub(crate) depth: u32,
    /// The plies by which a selective iteration goes beyond it: it prunes and reduces, although it
    /// reaches the end of the game.
    pub(crate) selective: u32,
    /// The depth of the last useful iteration.
    pub(crate) max_depth: u32,
    /// Whether this iteration was interrupted.
    pub(super) is_interrupted: bool,
    /// The nodes and the start of an interrupted search.
    pub(super) nodes: u64,
    pub(super) start: Instant,
}

impl RootState {
    /// The move to play. With MultiPV it is that of the best line, which has been reported, and not one of
    /// an unfinished iteration.
    pub(crate) fn best(&self) -> Move {
        match self.lines.as_slice() {
            [first, _, ..] => first.moves.first().copied().unwrap_or(self.moves[0]),
            _ => self.moves[0],
        }
    }
}

/// What the threads of a search tell each other, besides the table.
#[derive(Debug, Default)]
pub(crate) struct Team {
    /// The node count of each helper, in a cache line of its own.
    helper_nodes: Vec<Padded>,
    /// The best move of the main thread so far; 0 if there is none.
    main_best: AtomicU16,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Padded(AtomicU64);

impl Team {
    pub(crate) fn new(helpers: usize) -> Team {
        let mut helper_nodes = Vec::new();
        helper_nodes.resize_with(helpers, Padded::default);
        Team {
            helper_nodes,
            main_best: AtomicU16::new(0),
        }
    }

    /// Sets the node count of thread number `helper`, from 1.
    pub(super) fn set_nodes(&self, helper: u32, nodes: u64) {
        if let Some(Padded(count)) = self.helper_nodes.get(helper as usize - 1) {
            count.store(nodes, Ordering::Relaxed);
        }
    }

    /// The nodes of all helpers, as of their last updates.
    pub(crate) fn helper_nodes(&self) -> u64 {
        let counts = self.helper_nodes.iter();
        counts.map(|Padded(count)| count.load(Ordering::Relaxed)).sum()
    }

    /// The best move of the main thread so far.
    pub(crate) fn main_best(&self) -> Option<Move> {
        Move::from_bits(self.main_best.load(Ordering::Relaxed))
    }

    pub(super) fn set_main_best(&self, best: Move) {
        self.main_best.store(best.to_bits(), Ordering::Relaxed);
    }
}

/// One thread of a running search.
pub struct SearchThread<'a, G: RootStrategy> {
    pub(crate) root: G,
    pub(crate) table: &'a TranspositionTable,
    pub(crate) ordering: &'a mut MoveOrdering,
    /// The memory of the game's root strategy.
    pub(crate) memory: &'a mut G::Memory,
    pub(crate) task: &'a Task<'a>,
    /// 0 is the main thread, which returns the move; helpers count from 1.
    pub(crate) helper: u32,
    pub(crate) team: &'a Team,
    /// Nodes of this thread.
    pub(crate) nodes: u64,
    pub(super) seldepth: u32,
    /// MultiPV: the index of the line being searched, from 0.
    pub(crate) line_index: usize,
    pub(crate) start: Instant,
    /// Off in MultiPV.
    pub(crate) contempt: Option<Contempt>,
    /// Whether iterations that reach the end of the game prune and reduce as others do.
    pub(super) is_selective: bool,
    /// The search is being stopped; all further values are meaningless.
    pub(crate) stopped: bool,
    /// By ply, the principal variation from that ply on.
    pub(crate) pv: Vec<Vec<Move>>,
    /// The solver's move stack: the moves of all positions on the current path.
    pub(super) move_stack: Vec<ScoredMove>,
}

impl<'a, G: RootStrategy> SearchThread<'a, G> {
    /// The state of thread number `helper` at the root.
    pub(crate) fn new(
        root: G,
        task: &'a Task<'a>,
        table: &'a TranspositionTable,
        (ordering, memory): (&'a mut MoveOrdering, &'a mut G::Memory),
        (helper, team): (u32, &'a Team),
    ) -> SearchThread<'a, G> {
        let SearchOptions {
            contempt, multipv, ..
        } = task.options;
        SearchThread {
            root,
            table,
            ordering,
            memory,
            task,
            helper,
            team,
            nodes: 0,
            seldepth: 0,
            line_index: 0,
            start: Instant::now(),
            contempt: (contempt > 0 && multipv == 1).then_some(Contempt {
                side: root.side_to_move(),
                percent: contempt,
            }),
            is_selective: false,
            stopped: false,
            pv: vec![Vec::new(); MAX_PLY + 1],
            move_stack: Vec::new(),
        }
    }

    /// The parameters of this search.
    #[cfg(feature = "tune")]
    pub(super) const fn parameters(&self) -> &SearchParameters {
        &self.task.options.parameters
    }

    /// The parameters of this search: constants.
    #[cfg(not(feature = "tune"))]
    #[allow(clippy::unused_self)] // used with the feature `tune`
    #[inline]
    pub(super) const fn parameters(&self) -> &'static SearchParameters {
        &SearchParameters::DEFAULT
    }

    /// Counts a node. Returns false if this thread must stop.
    #[inline]
    pub(crate) fn enter(&mut self) -> bool {
        if self.stopped || self.must_stop() {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        true
    }

    /// Whether this thread must stop. A helper also updates its shared node count from
    /// time to time.
    fn must_stop(&self) -> bool {
        if self.helper > 0 && self.nodes.is_multiple_of(Task::CHECK_INTERVAL) {
            self.team.set_nodes(self.helper, self.nodes);
        }
        self.task.must_stop_after(self.nodes)
    }

    /// Estimate of the nodes that can still be searched: from the node limit, the
    /// deadline and the speed so far. `None` without a node limit or deadline.
    pub(crate) fn node_budget(&self) -> Option<u64> {
        let limits = &self.task.limits;
        let by_nodes = limits.nodes.map(|limit| limit.saturating_sub(self.nodes));
        let by_time = limits.deadlines.hard().map(|hard| {
            let now = Instant::now();
            let (spent, left) = (now - self.start, hard.saturating_duration_since(now));
            (self.nodes as f64 * left.as_secs_f64() / spent.as_secs_f64().max(1e-6)) as u64
        });
        by_nodes.into_iter().chain(by_time).min()
    }

    /// How often a position occurred in the game before the root.
    pub(super) fn repetitions(&self, position: &G) -> usize {
        let key = position.repetition_key();
        let earlier = self.task.earlier.iter();
        earlier.filter(|&&earlier| Some(earlier) == key).count()
    }

    /// Sets the principal variation from `ply` on: `mv`, then that of the next ply.
    pub(super) fn update_pv(&mut self, ply: u32, mv: Move) {
        let (line, rest) = self.pv.split_at_mut(ply as usize + 1);
        if let (Some(line), Some(rest)) = (line.last_mut(), rest.first()) {
            line.clear();
            line.push(mv);
            line.extend_from_slice(rest);
        }
    }

    /// Probes the table for a position at `ply`. Distances in the value count from the
    /// root.
    pub(super) fn probe(&self, key: u64, ply: u32) -> Option<TableEntry> {
        let entry = self.table.probe(key)?;
        let value = value_from_table(entry.value, ply);
        Some(TableEntry { value, ..entry })
    }

    /// Stores an entry for a position at `ply`. Distances in the value count from the
    /// root.
    pub(super) fn store(&self, key: u64, ply: u32, entry: TableEntry) {
        let value = value_to_table(entry.value, ply);
        self.table.store(key, TableEntry { value, ..entry });
    }
}

/// Runs a single thread with these limits and an empty table.
#[cfg(test)]
pub(crate) fn with_thread<G: RootStrategy, T>(
    root: &G,
    limits: super::task::SearchLimits,
    run: impl FnOnce(&mut SearchThread<'_, G>) -> T,
) -> T {
    let last = super::task::LastReport::default();
    let task = Task {
        limits,
        ..Task::new(root.legal_moves(), &last)
    };
    let table = TranspositionTable::new(1).unwrap();
    let memory = (&mut MoveOrdering::new(MAX_PLY), &mut G::Memory::default());
    run(&mut SearchThread::new(
        *root,
        &task,
        &table,
        memory,
        (0, &Team::new(0)),
    ))
}
