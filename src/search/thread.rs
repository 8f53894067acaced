//! The state of one search thread.

use std::time::Instant;

use super::node_count::NodeCount;
use super::options::SearchOptions;
use super::ordering::MoveOrdering;
use super::table::{MAX_DEPTH, TableEntry, TranspositionTable, value_from_table, value_to_table};
use super::task::Task;
use crate::board::{Move, Side};
use crate::game::Contempt;

/// The deepest iteration; as many plies as a table entry can tell.
pub(super) const DEEPEST: u32 = MAX_DEPTH - 5;

/// The longest line: the deepest iteration, and extensions, each of which fills
/// a cell of the board for good.
pub(super) const LONGEST_LINE: usize = DEEPEST as usize + 64;

/// A move that is to be tried, with its rank.
pub(super) type RankedMove = (i32, Move);

/// One search while it runs, as one thread sees it. The root is in
/// [`super::iterative_deepening`], the threads are in [`super::lazy_smp`].
pub(super) struct SearchThread<'a> {
    pub(super) table: &'a TranspositionTable,
    pub(super) ordering: &'a mut MoveOrdering,
    pub(super) task: &'a Task<'a>,
    /// The number of this thread: 0 is the one that answers.
    pub(super) helper: u32,
    /// The positions that the helpers have searched.
    pub(super) helped: &'a NodeCount,
    pub(super) nodes: u64,
    pub(super) seldepth: u32,
    /// How many better lines this iteration has found already.
    pub(super) place: usize,
    pub(super) begin: Instant,
    /// `None` also where several lines are compared, which needs a cool head.
    pub(super) contempt: Option<Contempt>,
    /// The search had to end: values from here on mean nothing.
    pub(super) stopped: bool,
    /// By ply, the principal variation from there on.
    pub(super) lines: Vec<Vec<Move>>,
    /// The moves that [`super::solver`] has still to try on its way to the
    /// position that it is at, and has tried.
    pub(super) untried: Vec<RankedMove>,
}

impl<'a> SearchThread<'a> {
    /// The search of thread number `helper`.
    pub(super) fn new(
        mover: Side,
        task: &'a Task<'a>,
        table: &'a TranspositionTable,
        ordering: &'a mut MoveOrdering,
        (helper, node_count): (u32, &'a NodeCount),
    ) -> SearchThread<'a> {
        let SearchOptions {
            contempt, multipv, ..
        } = task.options;
        SearchThread {
            table,
            ordering,
            task,
            helper,
            helped: node_count,
            nodes: 0,
            seldepth: 0,
            place: 0,
            begin: Instant::now(),
            contempt: (contempt > 0 && multipv == 1).then_some(Contempt {
                side: mover,
                percent: contempt,
            }),
            stopped: false,
            lines: vec![Vec::new(); LONGEST_LINE + 1],
            untried: Vec::new(),
        }
    }

    /// Whether this thread has to end; a helper tells now and then what it has
    /// done.
    pub(super) fn must_stop(&self) -> bool {
        if self.helper > 0 && self.nodes.is_multiple_of(Task::CHECK_INTERVAL) {
            self.helped.set(self.helper, self.nodes);
        }
        self.task.must_stop_after(self.nodes)
    }

    /// Makes the line from `ply` on: `one`, and then the line behind it.
    pub(super) fn extend_line(&mut self, ply: u32, mv: Move) {
        let (line, rest) = self.lines.split_at_mut(ply as usize + 1);
        if let (Some(line), Some(rest)) = (line.last_mut(), rest.first()) {
            line.clear();
            line.push(mv);
            line.extend_from_slice(rest);
        }
    }

    /// What the table knows, its value counted from the root, where the position is at
    /// `ply`.
    pub(super) fn probe(&self, key: u64, ply: u32) -> Option<TableEntry> {
        let entry = self.table.probe(key)?;
        let value = value_from_table(entry.value, ply);
        Some(TableEntry { value, ..entry })
    }

    /// The other way round.
    pub(super) fn store(&self, key: u64, ply: u32, entry: TableEntry) {
        let value = value_to_table(entry.value, ply);
        self.table.store(key, TableEntry { value, ..entry });
    }
}
