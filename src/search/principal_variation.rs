//! Principal variation search below the root, fail-soft.
//!
//! For a window `alpha < beta`, the value `v` of a node means:
//!
//! * `alpha < v < beta`: the exact value at this depth,
//! * `v <= alpha`: an upper bound,
//! * `v >= beta`: a lower bound.
//!
//! A value beyond ±[`MAX_EVAL`](lodestone_game::score::MAX_EVAL) is proven, whatever was reduced:
//! it comes from finished games only, and a pruned move counts as an evaluation.

use lodestone_game::board::Move;
use lodestone_game::score::{INFINITE, Value, is_decisive, win_in};

use super::ordering::MovePicker;
use super::table::{Bound, TableEntry};
use super::task::SearchParameters;
use super::thread::{RootStrategy, SearchThread};
use crate::game::{Evaluate, Forced};

// What each technique is worth in games: `research/notes/magnetic-cave.md`.

/// Late move reductions: the minimum depth, in plies.
const LATE_MOVE_MIN_DEPTH: u32 = 3;

/// Internal iterative reduction: the minimum depth, in plies. Only for games that
/// [use it](Evaluate::INTERNAL_ITERATIVE_REDUCTION).
const INTERNAL_ITERATIVE_REDUCTION_MIN_DEPTH: u32 = 4;

/// A [selective search](SearchThread::is_selective) leaves the last plies to the solver.
const SELECTIVE_SOLVER_PLIES: u32 = 3;

/// Changes the table key of positions from which a selective search reaches the end of the
/// game: the solver trusts entries that deep.
const SELECTIVE_KEY: u64 = 0x9e37_79b9_7f4a_7c15;

impl<G: RootStrategy> SearchThread<'_, G> {
    /// The value of a child for the side that moved. With `scout_first`, a null-window
    /// search first tests whether the move raises alpha (principal variation search).
    pub(crate) fn child(
        &mut self,
        next: &G,
        plies: (u32, u32),
        ply: u32,
        (alpha, beta): (Value, Value),
        scout_first: bool,
    ) -> Value {
        if scout_first {
            let value = self.scout(next, plies, ply, alpha);
            if value <= alpha || value >= beta || self.stopped {
                // A null-window search has no principal variation.
                self.pv[ply as usize].clear();
                return value;
            }
        }
        -self.node::<true>(next, plies.0, ply, -beta, -alpha)
    }

    /// The value of a position for its side to move; see the module's documentation.
    pub(super) fn node<const PV: bool>(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        mut alpha: Value,
        mut beta: Value,
    ) -> Value {
        // A search that reaches the end of the game is left to the solver.
        let left = position.plies_left();
        let is_solved = depth >= left && (!self.is_selective || left <= SELECTIVE_SOLVER_PLIES);
        if !PV && is_solved && position.outcome().is_none() {
            return self.solve(position, ply, alpha, beta);
        }
        if PV {
            self.pv[ply as usize].clear();
        }
        if !self.enter() {
            return 0;
        }
        self.seldepth = self.seldepth.max(ply);
        if let Some(outcome) = position.outcome() {
            return outcome.value_for(position.side_to_move(), ply);
        }
        // Mate distance pruning.
        alpha = alpha.max(-win_in(ply));
        beta = beta.min(win_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        let info = position.node_info();
        match position.forced(&info) {
            Forced::Win(mv) => {
                if PV {
                    self.pv[ply as usize].push(mv);
                }
                win_in(ply + 1)
            }
            Forced::Loss(mv) => {
                if PV {
                    let next = position.play(mv);
                    let reply = next.forced(&next.node_info());
                    let line = &mut self.pv[ply as usize];
                    line.push(mv);
                    if let Forced::Win(reply) = reply {
                        line.push(reply);
                    }
                }
                -win_in(ply + 2)
            }
            Forced::Only(mv) if depth > 0 => self.forced_reply::<PV>(position, mv, depth, ply, (alpha, beta)),
            Forced::Only(_) | Forced::Nothing => {
                let (lower, upper) = outcome_bounds(position);
                if lower == upper || lower >= beta {
                    return lower;
                }
                if upper <= alpha {
                    return upper;
                }
                let value = if depth == 0 {
                    self.evaluate(position, &info)
                } else {
                    let window = (alpha.max(lower), beta.min(upper));
                    self.search_moves::<PV>(position, &info, depth, ply, window)
                };
                value.clamp(lower, upper)
            }
        }
    }

    /// The value of a position with a forced reply.
    fn forced_reply<const PV: bool>(
        &mut self,
        position: &G,
        mv: Move,
        depth: u32,
        ply: u32,
        (alpha, beta): (Value, Value),
    ) -> Value {
        let value = -self.node::<PV>(&position.play(mv), depth - 1, ply + 1, -beta, -alpha);
        if PV && !self.stopped {
            self.update_pv(ply, mv);
        }
        value
    }

    /// The value of a position with several moves worth trying.
    fn search_moves<const PV: bool>(
        &mut self,
        position: &G,
        info: &G::NodeInfo,
        depth: u32,
        ply: u32,
        (mut alpha, beta): (Value, Value),
    ) -> Value {
        let is_last = depth >= position.plies_left();
        let is_selective = is_last && self.is_selective;
        let reaches_end = is_last && !self.is_selective;
        // `go mate N` must find every win within N moves, so it prunes nothing.
        let prunes = !reaches_end && self.task.limits.mate.is_none();
        let key = if reaches_end {
            position.key()
        } else if is_selective {
            position.key() ^ SELECTIVE_KEY
        } else {
            position.table_key()
        };
        let entry = self.probe(key, ply);
        // An entry of a mirror image may hold a move that is not legal here. It then
        // matches no move and has no effect.
        let mut table_move = entry.and_then(|entry| entry.best);
        if is_selective && table_move.is_none() {
            table_move = self.probe(position.key(), ply).and_then(|entry| entry.best);
        }
        if !PV
            && let Some(entry) = entry
            && entry.allows_cutoff(depth, alpha, beta)
        {
            return entry.value;
        }
        // Internal iterative reduction.
        let has_no_table_move =
            prunes && depth >= INTERNAL_ITERATIVE_REDUCTION_MIN_DEPTH && table_move.is_none();
        let depth = depth - u32::from(G::INTERNAL_ITERATIVE_REDUCTION && has_no_table_move);
        // Reverse futility pruning.
        let parameters = self.parameters();
        if !PV && prunes && depth <= parameters.reverse_futility_max_depth && !is_decisive(beta) {
            let value = self.evaluate(position, info);
            if value - parameters.reverse_futility_margin * depth as Value >= beta {
                return value;
            }
        }
        let moves = position.candidates(info);
        let first_alpha = alpha;
        let (mut best, mut best_move) = (-INFINITE, None);
        let mut picker = self.ordering.picker(position, moves, table_move);
        while let Some(mv) = picker.next() {
            let index = picker.picked().len() - 1;
            let next = position.play(mv);
            let is_late = prunes && index >= self.parameters().full_depth_moves && !is_forcing(&next);
            let reduction = if is_late {
                late_move_reduction(self.parameters(), depth, index, PV)
            } else {
                0
            };
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
                        self.update_pv(ply, mv);
                    }
                }
                if value >= beta {
                    self.on_beta_cutoff(position, &picker, depth, mv);
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

    /// Null-window search of a child: whether it exceeds `alpha` for the side that moved.
    /// A reduced search that exceeds it is repeated at full depth.
    fn scout(&mut self, next: &G, (depth, reduction): (u32, u32), ply: u32, alpha: Value) -> Value {
        let reduced = depth.saturating_sub(reduction);
        let value = -self.node::<false>(next, reduced, ply, -alpha - 1, -alpha);
        if value > alpha && reduced < depth && !self.stopped {
            return -self.node::<false>(next, depth, ply, -alpha - 1, -alpha);
        }
        value
    }

    /// The static evaluation, with this search's contempt.
    fn evaluate(&self, position: &G, info: &G::NodeInfo) -> Value {
        position.evaluate(info, self.contempt)
    }

    /// Updates the history of the moves picked so far; the last one caused the cutoff.
    fn on_beta_cutoff(&mut self, position: &G, picker: &MovePicker, depth: u32, mv: Move) {
        let moves = picker.picked();
        let tried = moves[..moves.len() - 1].iter().copied();
        self.ordering
            .on_beta_cutoff(position.side_to_move(), depth, mv, tried);
    }
}

/// Lower and upper bound of the value for the side to move: a side that can no longer
/// win has at most a draw.
fn outcome_bounds<G: Evaluate>(position: &G) -> (Value, Value) {
    let can_win = position.can_win();
    let mover = position.side_to_move();
    let lower = if can_win[mover.opponent().index()] {
        -INFINITE
    } else {
        0
    };
    let upper = if can_win[mover.index()] { INFINITE } else { 0 };
    (lower, upper)
}

/// Whether the move that led to `next` forces the reply. Forcing moves are not reduced.
fn is_forcing<G: Evaluate>(next: &G) -> bool {
    matches!(next.forced(&next.node_info()), Forced::Only(_) | Forced::Loss(_))
}

/// Late move reductions: the plies by which the move with this index is reduced.
fn late_move_reduction(parameters: &SearchParameters, depth: u32, index: usize, pv: bool) -> u32 {
    if depth < LATE_MOVE_MIN_DEPTH {
        return 0;
    }
    let product = depth.ilog2() * (index as u32).ilog2();
    let plies = (product * parameters.late_move_reduction).div_ceil(100);
    plies.saturating_sub(u32::from(pv))
}
