//! Principal variation search.
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

use super::ordering::MovePicker;
use super::table::{Bound, TableEntry};
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::{Evaluate, Forced, SolverPosition};
use crate::score::{INFINITE, Value, is_decisive, win_in};

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

impl SearchThread<'_> {
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
            return self.solve(&position.solver_position(), ply, alpha, beta);
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
            return outcome.value_for(position.side_to_move(), ply);
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
