//! The state of one search thread, and its access to the transposition table.

use std::time::Instant;

use super::options::{SearchOptions, SearchParameters};
use super::ordering::MoveOrdering;
use super::shared_proof::{NodeCount, SharedProof};
use super::swindle::{FirstMoves, Swindle};
use super::table::{MAX_ENTRY_DEPTH, TableEntry, TranspositionTable, value_from_table, value_to_table};
use super::task::Task;
use crate::board::{Move, Side};
use crate::game::{Contempt, Evaluate, ProofOrdering};

/// The depth of the deepest iteration, in plies; less than a table entry can store.
pub(super) const MAX_DEPTH: u32 = MAX_ENTRY_DEPTH - 5;

/// Upper bound on the distance from the root, in plies: the deepest iteration, and a margin
/// of one ply per cell.
pub(super) const MAX_PLY: usize = MAX_DEPTH as usize + 64;

/// A move with its ordering score.
pub(super) type ScoredMove = (i32, Move);

/// One thread of a running search.
pub(super) struct SearchThread<'a> {
    pub(super) table: &'a TranspositionTable,
    pub(super) ordering: &'a mut MoveOrdering,
    pub(super) task: &'a Task<'a>,
    /// 0 is the main thread, which returns the move; helpers count from 1.
    pub(super) helper: u32,
    /// Nodes of all helpers.
    pub(super) helper_nodes: &'a NodeCount,
    /// Nodes of this thread.
    pub(super) nodes: u64,
    pub(super) seldepth: u32,
    /// MultiPV: the index of the line being searched, from 0.
    pub(super) line_index: usize,
    pub(super) start: Instant,
    /// Off in MultiPV.
    pub(super) contempt: Option<Contempt>,
    /// Whether iterations that reach the end of the game prune and reduce as others do.
    pub(super) is_selective: bool,
    /// The search is being stopped; all further values are meaningless.
    pub(super) stopped: bool,
    /// By ply, the principal variation from that ply on.
    pub(super) pv: Vec<Vec<Move>>,
    /// The solver's move stack: the moves of all positions on the current path.
    pub(super) move_stack: Vec<ScoredMove>,
    /// The move ordering of a game's own solver.
    pub(super) proof_ordering: ProofOrdering,
    /// A game's own solver stops at this number of nodes.
    pub(super) proof_limit: u64,
    /// What other threads say about the proof; `None` if there are none.
    pub(super) shared_proof: Option<&'a SharedProof>,
    /// The same while a result of another thread ends the proof.
    pub(super) awaited: Option<&'a SharedProof>,
    /// Nodes of the game's solver at the root.
    pub(super) solver_nodes: u64,
    /// The game's solver at the root stops at this number of nodes.
    pub(super) solver_limit: u64,
    /// The best line of play for mistakes found so far.
    pub(super) swindle: Option<Swindle>,
    /// A line that the search before began, before it is checked.
    pub(super) planned: Option<Swindle>,
    /// The moves with which a line may begin.
    pub(super) first_moves: FirstMoves,
}

impl<'a> SearchThread<'a> {
    /// The state of thread number `helper` at the root; `mover` is the side to move.
    pub(super) fn new(
        mover: Side,
        task: &'a Task<'a>,
        table: &'a TranspositionTable,
        ordering: &'a mut MoveOrdering,
        (helper, helper_nodes): (u32, &'a NodeCount),
    ) -> SearchThread<'a> {
        let SearchOptions {
            contempt, multipv, ..
        } = task.options;
        SearchThread {
            table,
            ordering,
            task,
            helper,
            helper_nodes,
            nodes: 0,
            seldepth: 0,
            line_index: 0,
            start: Instant::now(),
            contempt: (contempt > 0 && multipv == 1).then_some(Contempt {
                side: mover,
                percent: contempt,
            }),
            is_selective: false,
            stopped: false,
            pv: vec![Vec::new(); MAX_PLY + 1],
            move_stack: Vec::new(),
            proof_ordering: ProofOrdering::default(),
            proof_limit: u64::MAX,
            shared_proof: None,
            awaited: None,
            solver_nodes: 0,
            solver_limit: 0,
            swindle: None,
            planned: None,
            first_moves: FirstMoves::default(),
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

    /// Whether this thread must stop. A helper also updates its shared node count from
    /// time to time.
    pub(super) fn must_stop(&self) -> bool {
        if self.helper > 0 && self.nodes.is_multiple_of(Task::CHECK_INTERVAL) {
            self.helper_nodes.set(self.helper, self.nodes);
        }
        self.task.must_stop_after(self.nodes)
    }

    /// How often a position occurred in the game before the root.
    pub(super) fn repetitions<G: Evaluate>(&self, position: &G) -> usize {
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
