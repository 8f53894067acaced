//! The player `lodestone`: principal variation search.
//!
//! The contract of its `node`, for a window `alpha < beta`:
//!
//! * a result `v` with `alpha < v < beta` is the value at this depth,
//! * `v <= alpha` says that the value is at most `v`,
//! * `v >= beta` says that the value is at least `v`;
//!
//! and a result beyond the judged values is proven, whatever was reduced on
//! the way: it comes from finished games only, and a move that is left out
//! counts as judged.

use std::time::Instant;

use super::exact::RankedMove;
use super::ordering::{MoveOrdering, MovePicker};
use super::table::{Bound, MAX_DEPTH, TableEntry, TranspositionTable, value_from_table, value_to_table};
use super::task::{Searcher, Task};
use super::threads::{NodeCount, Threads};
use crate::board::{Move, Side};
use crate::game::{Contempt, Evaluate, Forced, Outcome, SolverPosition};
use crate::score::{Value, WIN, is_decisive, win_in};

/// The deepest iteration; as many plies as a table entry can tell.
pub(super) const DEEPEST: u32 = MAX_DEPTH - 5;

/// The longest line: the deepest iteration, and extensions, each of which fills
/// a cell of the board for good.
const LONGEST_LINE: usize = DEEPEST as usize + 64;

/// More than any value.
pub(super) const INFINITE: Value = WIN + 1;

/// Late moves are searched less deep from this depth on.
const REDUCTION_DEPTH: u32 = 3;

/// How many moves are searched in full before the late ones begin.
const FULL_DEPTH_MOVES: usize = 3;

/// From this depth on a position of which the table knows no move is searched a ply
/// less deep, where [this pays](Evaluate::INTERNAL_ITERATIVE_REDUCTION).
const UNKNOWN_DEPTH: u32 = 4;

/// A position this much above beta for each ply that is left is not searched.
const CUTOFF_MARGIN: Value = 60;

/// The deepest search that this may save.
const CUTOFF_DEPTH: u32 = 3;

/// The player `lodestone`.
#[derive(Debug)]
pub struct Lodestone {
    table: TranspositionTable,
    /// One for each thread of the last search.
    orderings: Vec<MoveOrdering>,
}

impl Lodestone {
    /// A player with an empty memory that remembers positions in `table`.
    pub fn new(table: TranspositionTable) -> Lodestone {
        Lodestone {
            table,
            orderings: Vec::new(),
        }
    }
}

impl<G: Evaluate> Searcher<G> for Lodestone {
    fn search(&mut self, root: &G, task: &Task<'_>) -> Move {
        self.table.next_search();
        self.orderings
            .resize_with(task.threads.max(1), || MoveOrdering::new(LONGEST_LINE));
        self.orderings.iter_mut().for_each(MoveOrdering::next_search);
        let threads = Threads::new(task);
        threads.search(root, task, &self.table, &mut self.orderings)
    }

    fn new_game(&mut self) {
        self.table.clear();
        self.orderings.iter_mut().for_each(MoveOrdering::clear);
    }

    fn evaluate(&self, position: &G) -> Option<i32> {
        Some(position.evaluate(&position.node_info(), None))
    }
}

/// One search while it runs, as one thread sees it. What concerns the root is
/// in [`super::deepening`], what concerns several threads in [`super::threads`].
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
    /// The moves that [`super::exact`] has still to try on its way to the
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
            contempt: (task.contempt > 0 && task.multipv == 1).then_some(Contempt {
                side: mover,
                percent: task.contempt,
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
}

/// The worth of a game finished `ply` plies from the root for the side to move.
pub(super) fn outcome_value(mover: Side, outcome: Outcome, ply: u32) -> Value {
    outcome.points_for(mover) * win_in(ply)
}

impl SearchThread<'_> {
    /// Makes the line from `ply` on: `one`, and then the line behind it.
    pub(super) fn extend_line(&mut self, ply: u32, mv: Move) {
        let (line, rest) = self.lines.split_at_mut(ply as usize + 1);
        if let (Some(line), Some(rest)) = (line.last_mut(), rest.first()) {
            line.clear();
            line.push(mv);
            line.extend_from_slice(rest);
        }
    }

    /// The value of the position after a move, for the side that moved. A
    /// `late` move is first asked only whether it is better than alpha at all.
    pub(super) fn child<G: Evaluate>(
        &mut self,
        next: &G,
        plies: (u32, u32),
        ply: u32,
        (alpha, beta): (Value, Value),
        late: bool,
    ) -> Value {
        if late {
            let value = self.scout(next, plies, ply, alpha);
            if value <= alpha || value >= beta || self.stopped {
                // How it goes on was not asked.
                self.lines[ply as usize].clear();
                return value;
            }
        }
        -self.node::<G, true>(next, plies.0, ply, -beta, -alpha)
    }

    /// The value of a position for its side to move; see the module's contract.
    pub(super) fn node<G: Evaluate, const PV: bool>(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        mut alpha: Value,
        mut beta: Value,
    ) -> Value {
        // A search to the end of the longest game is exact: nothing is judged or
        // reduced.
        if !PV && depth >= position.plies_left() && position.outcome().is_none() {
            return self.exact(&position.solver_position(), ply, alpha, beta);
        }
        if PV {
            self.lines[ply as usize].clear();
        }
        if self.stopped || self.must_stop() {
            self.stopped = true;
            return 0;
        }
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if let Some(outcome) = position.outcome() {
            return outcome_value(position.side_to_move(), outcome, ply);
        }
        // A shorter win than one already found, or a longer loss, is all that
        // can matter here.
        alpha = alpha.max(-win_in(ply));
        beta = beta.min(win_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let info = position.node_info();
        match position.forced(&info) {
            Forced::Win(mv) => {
                if PV {
                    self.lines[ply as usize].push(mv);
                }
                win_in(ply + 1)
            }
            Forced::Loss(mv) => {
                if PV {
                    let next = position.play(mv);
                    let reply = next.forced(&next.node_info());
                    let line = &mut self.lines[ply as usize];
                    line.push(mv);
                    if let Forced::Win(reply) = reply {
                        line.push(reply);
                    }
                }
                -win_in(ply + 2)
            }
            Forced::Only(mv) if depth > 0 => {
                self.forced_reply::<G, PV>(position, mv, depth, ply, (alpha, beta))
            }
            Forced::Only(_) | Forced::Nothing => {
                let (floor, ceiling) = outcome_bounds(position);
                if floor == ceiling || floor >= beta {
                    return floor;
                }
                if ceiling <= alpha {
                    return ceiling;
                }
                let value = if depth == 0 {
                    self.evaluate(position, &info)
                } else {
                    let window = (alpha.max(floor), beta.min(ceiling));
                    self.inner::<G, PV>(position, &info, depth, ply, window)
                };
                value.clamp(floor, ceiling)
            }
        }
    }

    /// A position with one move only.
    fn forced_reply<G: Evaluate, const PV: bool>(
        &mut self,
        position: &G,
        mv: Move,
        depth: u32,
        ply: u32,
        (alpha, beta): (Value, Value),
    ) -> Value {
        let value = -self.node::<G, PV>(&position.play(mv), depth - 1, ply + 1, -beta, -alpha);
        if PV && !self.stopped {
            self.extend_line(ply, mv);
        }
        value
    }

    /// A position whose moves have to be tried.
    fn inner<G: Evaluate, const PV: bool>(
        &mut self,
        position: &G,
        info: &G::NodeInfo,
        depth: u32,
        ply: u32,
        (mut alpha, beta): (Value, Value),
    ) -> Value {
        let to_the_end = depth >= position.plies_left();
        // Where a win in so many moves is asked for, nothing is judged or reduced
        // either.
        let exhaustive = to_the_end || self.task.limits.mate.is_some();
        let key = if to_the_end {
            position.solver_position().key()
        } else {
            position.table_key()
        };
        let known = self.probe(key, ply);
        // That of an image may be no move here, and is then not met again.
        let table_move = known.and_then(|entry| entry.best);
        if !PV
            && let Some(entry) = known
            && entry.allows_cutoff(depth, alpha, beta)
        {
            return entry.value;
        }
        let is_unknown = !exhaustive && depth >= UNKNOWN_DEPTH && table_move.is_none();
        let depth = depth - u32::from(G::INTERNAL_ITERATIVE_REDUCTION && is_unknown);
        if !PV && !exhaustive && depth <= CUTOFF_DEPTH && !is_decisive(beta) {
            let value = self.evaluate(position, info);
            if value - CUTOFF_MARGIN * depth as Value >= beta {
                return value;
            }
        }
        let moves = position.candidates(info);
        let first_alpha = alpha;
        let (mut best, mut best_move) = (-INFINITE, None);
        let mut ranked = self.ordering.rank(position, moves, table_move);
        while let Some(mv) = ranked.next() {
            let index = ranked.taken().len() - 1;
            let next = position.play(mv);
            let quiet = !exhaustive && index >= FULL_DEPTH_MOVES && !is_forcing(&next);
            let reduction = if quiet { reduction(depth, index, PV) } else { 0 };
            let value = if PV {
                self.child(&next, (depth - 1, reduction), ply + 1, (alpha, beta), index > 0)
            } else {
                self.scout(&next, (depth - 1, reduction), ply + 1, alpha)
            };
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(mv);
                    if PV {
                        self.extend_line(ply, mv);
                    }
                }
                if value >= beta {
                    self.on_beta_cutoff(position, &ranked, depth, mv);
                    break;
                }
            }
        }
        let bound = Bound::of(best, first_alpha, beta);
        self.store(
            key,
            ply,
            TableEntry {
                best: best_move,
                value: best,
                bound,
                depth,
            },
        );
        best
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

    /// Whether the position after a move is better than `alpha` for the side
    /// that moved, first at a reduced depth.
    fn scout<G: Evaluate>(
        &mut self,
        next: &G,
        (depth, reduction): (u32, u32),
        ply: u32,
        alpha: Value,
    ) -> Value {
        let reduced = depth.saturating_sub(reduction);
        let value = -self.node::<G, false>(next, reduced, ply, -alpha - 1, -alpha);
        if value > alpha && reduced < depth && !self.stopped {
            return -self.node::<G, false>(next, depth, ply, -alpha - 1, -alpha);
        }
        value
    }

    /// The judged value of a position for its side to move.
    fn evaluate<G: Evaluate>(&self, position: &G, info: &G::NodeInfo) -> Value {
        position.evaluate(info, self.contempt)
    }

    /// Learns from a refutation.
    fn on_beta_cutoff<G: Evaluate>(&mut self, position: &G, ranked: &MovePicker, depth: u32, mv: Move) {
        let taken = ranked.taken();
        let tried = taken[..taken.len() - 1].iter().copied();
        self.ordering
            .on_beta_cutoff(position.side_to_move(), depth, mv, tried);
    }
}

/// The least and the most that the side to move can reach: a side that cannot
/// win any more has a tie at best.
fn outcome_bounds<G: Evaluate>(position: &G) -> (Value, Value) {
    let can_win = position.can_win();
    let mover = position.side_to_move();
    let floor = if can_win[mover.opponent().index()] {
        -INFINITE
    } else {
        0
    };
    let ceiling = if can_win[mover.index()] { INFINITE } else { 0 };
    (floor, ceiling)
}

/// Whether the move that led to `next` leaves the opponent no choice. Such moves
/// are few, and what they lead to is easily overlooked.
fn is_forcing<G: Evaluate>(next: &G) -> bool {
    matches!(next.forced(&next.node_info()), Forced::Only(_) | Forced::Loss(_))
}

/// By how much the depth of a quiet move with this index is reduced.
fn reduction(depth: u32, index: usize, pv: bool) -> u32 {
    if depth < REDUCTION_DEPTH {
        return 0;
    }
    let deep = depth.ilog2();
    let late = (index as u32).ilog2();
    (deep * late).div_ceil(2).saturating_sub(u32::from(pv))
}
