//! The search to the end of the game: nothing is judged or reduced, so that what
//! it finds is proven. It keeps the contract of
//! [`super::principal_variation`], and is asked for windows without a line.

use super::table::{Bound, TableEntry};
use super::thread::SearchThread;
use crate::board::Move;
use crate::game::{Forced, SolverPosition};
use crate::score::{INFINITE, Value, win_in};

/// The table is looked into at all moves before one is tried where so many plies
/// are left: a look costs less than the search that it may save.
const TRANSPOSITION_CUTOFF_DEPTH: u32 = 18;

impl SearchThread<'_> {
    /// The value of a position for its side to move, searched to the end.
    pub(super) fn solve<E: SolverPosition>(
        &mut self,
        ending: &E,
        ply: u32,
        mut alpha: Value,
        mut beta: Value,
    ) -> Value {
        if self.stopped || self.must_stop() {
            self.stopped = true;
            return 0;
        }
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        let mover = ending.side_to_move();
        if let Some(outcome) = ending.outcome() {
            return outcome.value_for(mover, ply);
        }
        alpha = alpha.max(-win_in(ply));
        beta = beta.min(win_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        match ending.forced() {
            Forced::Win(_) => win_in(ply + 1),
            Forced::Loss(_) => -win_in(ply + 2),
            Forced::Only(mv) => -self.solve(&ending.play(mv), ply + 1, -beta, -alpha),
            Forced::Nothing => {
                if let Some(value) = static_bound(ending, ply, (alpha, beta)) {
                    return value;
                }
                self.solve_moves(ending, ply, (alpha, beta))
            }
        }
    }

    /// A position whose moves have to be tried.
    fn solve_moves<E: SolverPosition>(
        &mut self,
        ending: &E,
        ply: u32,
        (alpha, beta): (Value, Value),
    ) -> Value {
        let depth = ending.plies_left();
        let key = ending.key();
        let known = self.probe(key, ply);
        if let Some(entry) = known
            && entry.allows_cutoff(depth, alpha, beta)
        {
            return entry.value;
        }
        let first = self.untried.len();
        let untried = &mut self.untried;
        ending.moves(|mv, promise| untried.push((promise, mv)));
        let found = if depth >= TRANSPOSITION_CUTOFF_DEPTH {
            self.transposition_cutoff(ending, first, ply, beta)
        } else {
            None
        };
        let value = found.unwrap_or_else(|| {
            let best = known.and_then(|entry| entry.best);
            self.rank(ending, first, ply, best);
            let (value, best) = self.try_moves(ending, first, ply, (alpha, beta));
            if !self.stopped {
                let bound = Bound::of(value, alpha, beta);
                self.store(
                    key,
                    ply,
                    TableEntry {
                        best,
                        value,
                        bound,
                        depth,
                    },
                );
            }
            value
        });
        self.untried.truncate(first);
        value
    }

    /// Adds to how promising the moves from `first` on look what was learned of
    /// them.
    fn rank<E: SolverPosition>(&mut self, ending: &E, first: usize, ply: u32, best: Option<Move>) {
        let learned = self
            .ordering
            .learned_with_killers(ending.side_to_move(), best, ply);
        for (rank, mv) in &mut self.untried[first..] {
            *rank = learned.rank(*mv, *rank);
        }
    }

    /// The value of a move that the table knows to be good enough.
    fn transposition_cutoff<E: SolverPosition>(
        &self,
        ending: &E,
        first: usize,
        ply: u32,
        beta: Value,
    ) -> Option<Value> {
        self.untried[first..].iter().find_map(|&(_, mv)| {
            let next = ending.play(mv);
            let entry = self.probe(next.key(), ply + 1)?;
            let is_settled = entry.allows_cutoff(next.plies_left(), -beta, INFINITE);
            (is_settled && -entry.value >= beta).then_some(-entry.value)
        })
    }

    /// Tries the moves from `first` on, the highest rank first: the value, and the
    /// move that is better than alpha.
    fn try_moves<E: SolverPosition>(
        &mut self,
        ending: &E,
        first: usize,
        ply: u32,
        (mut alpha, beta): (Value, Value),
    ) -> (Value, Option<Move>) {
        let (mut best, mut best_move) = (-INFINITE, None);
        for next in first..self.untried.len() {
            let rest = next..self.untried.len();
            // The last of equals, hence the reverse.
            let highest = rest.rev().max_by_key(|&index| self.untried[index].0);
            self.untried.swap(next, highest.unwrap_or(next));
            let (_, mv) = self.untried[next];
            let value = -self.solve(&ending.play(mv), ply + 1, -beta, -alpha);
            if self.stopped {
                return (0, None);
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(mv);
                }
                if value >= beta {
                    let tried = self.untried[first..next].iter().map(|&(_, mv)| mv);
                    self.ordering
                        .on_beta_cutoff(ending.side_to_move(), ending.plies_left(), mv, tried);
                    self.ordering.add_killer(ply, mv);
                    break;
                }
            }
        }
        (best, best_move)
    }
}

/// The value of a position in which nothing is forced, as far as it shows at a
/// glance and is enough for the window.
fn static_bound<E: SolverPosition>(ending: &E, ply: u32, (alpha, beta): (Value, Value)) -> Option<Value> {
    let mover = ending.side_to_move();
    // Who has to win, that the answer be yes.
    let (attacker, sign) = if alpha >= 0 {
        (mover, 1)
    } else if beta <= 0 {
        (mover.opponent(), -1)
    } else {
        return None;
    };
    let won = sign * win_in(ply + ending.plies_left());
    if ending.can_be_held(attacker) {
        Some(0)
    } else if (won <= alpha || won >= beta) && ending.is_won(attacker) {
        Some(won)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::node_count::NodeCount;
    use super::super::ordering::MoveOrdering;
    use super::super::table::TranspositionTable;
    use super::super::task::{LastReport, Task};
    use super::*;
    use crate::game::gridlock::Gridlock;
    use crate::game::{Evaluate, Game, Setup};
    use crate::random::Random;
    use crate::score::is_decisive;

    #[test]
    fn what_was_judged_of_a_position_is_not_taken_for_its_result() {
        let mut random = Random::new(2);
        for turns in TRANSPOSITION_CUTOFF_DEPTH..TRANSPOSITION_CUTOFF_DEPTH + 20 {
            let root = Gridlock::random_start(Setup { pieces: 1, turns }, &mut random);
            let table = TranspositionTable::new(4).unwrap();
            for &mv in root.legal_moves().iter() {
                let judged = TableEntry {
                    best: None,
                    value: -5,
                    bound: Bound::Exact,
                    depth: 1,
                };
                table.store(root.play(mv).table_key(), judged);
            }
            let last = LastReport::default();
            let task = Task::new(root.legal_moves(), &last);
            let (mut ordering, helped) = (MoveOrdering::new(64), NodeCount::default());
            let mover = root.side_to_move();
            let mut search = SearchThread::new(mover, &task, &table, &mut ordering, (0, &helped));
            let value = search.solve(&root.solver_position(), 0, 0, 1);
            assert!(value == 0 || is_decisive(value), "{}: {value}", root.fen());
        }
    }
}
