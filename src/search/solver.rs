//! The solver for games without one of their own: alpha-beta to the end of the game, without
//! evaluation, pruning or reductions, so its results are proven. Values have the meaning described in
//! [`super::principal_variation`]; there is no principal variation.

use lodestone_game::board::Move;
use lodestone_game::score::{INFINITE, Value, win_in};

use super::table::{Bound, TableEntry};
use super::thread::{RootStrategy, SearchThread};
use crate::game::Forced;

/// Enhanced transposition cutoff: the minimum number of plies left. Nearer to the end, a
/// probe per move costs more than it saves (`research/notes/magnetic-cave.md`).
const ENHANCED_TRANSPOSITION_CUTOFF_MIN_PLIES: u32 = 18;

impl<G: RootStrategy> SearchThread<'_, G> {
    /// The proven value of a position for its side to move.
    pub(super) fn solve(&mut self, position: &G, ply: u32, mut alpha: Value, mut beta: Value) -> Value {
        if !self.enter() {
            return 0;
        }
        self.seldepth = self.seldepth.max(ply);
        let mover = position.side_to_move();
        if let Some(outcome) = position.outcome() {
            return outcome.value_for(mover, ply);
        }
        // Mate distance pruning.
        alpha = alpha.max(-win_in(ply));
        beta = beta.min(win_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }
        if let Forced::Win(_) = position.forced(&position.node_info()) {
            return win_in(ply + 1);
        }
        if let Some(points) = position.last_move_points() {
            return points * win_in(ply + 1);
        }
        self.solve_moves(position, ply, (alpha, beta))
    }

    /// The value of an unfinished position.
    fn solve_moves(&mut self, position: &G, ply: u32, (alpha, beta): (Value, Value)) -> Value {
        let depth = position.plies_left();
        let key = position.key();
        let entry = self.probe(key, ply);
        if let Some(entry) = entry
            && entry.allows_cutoff(depth, alpha, beta)
        {
            return entry.value;
        }
        let first = self.move_stack.len();
        let move_stack = &mut self.move_stack;
        let moves = position.generate_moves();
        position.order_hints(&moves, |mv, hint| move_stack.push((hint, mv)));
        let cutoff = if depth >= ENHANCED_TRANSPOSITION_CUTOFF_MIN_PLIES {
            self.enhanced_transposition_cutoff(position, first, ply, beta)
        } else {
            None
        };
        let value = cutoff.unwrap_or_else(|| {
            let table_move = entry.and_then(|entry| entry.best);
            self.score_moves(position, first, ply, table_move);
            let (value, best) = self.try_moves(position, first, ply, (alpha, beta));
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
        self.move_stack.truncate(first);
        value
    }

    /// Replaces the hints of the moves from `first` on by their ordering scores.
    fn score_moves(&mut self, position: &G, first: usize, ply: u32, table_move: Option<Move>) {
        let scores = self
            .ordering
            .scores_with_killers(position.side_to_move(), table_move, ply);
        for (score, mv) in &mut self.move_stack[first..] {
            *score = scores.of(*mv, *score);
        }
    }

    /// Enhanced transposition cutoff: the value of a move whose table entry proves a beta
    /// cutoff.
    fn enhanced_transposition_cutoff(
        &self,
        position: &G,
        first: usize,
        ply: u32,
        beta: Value,
    ) -> Option<Value> {
        self.move_stack[first..].iter().find_map(|&(_, mv)| {
            let next = position.play(mv);
            let entry = self.probe(next.key(), ply + 1)?;
            let is_known = entry.allows_cutoff(next.plies_left(), -beta, INFINITE);
            (is_known && -entry.value >= beta).then_some(-entry.value)
        })
    }

    /// Searches the moves from `first` on, the highest score first. Returns the value, and
    /// the best move if it raises alpha.
    fn try_moves(
        &mut self,
        position: &G,
        first: usize,
        ply: u32,
        (mut alpha, beta): (Value, Value),
    ) -> (Value, Option<Move>) {
        let (mut best, mut best_move) = (-INFINITE, None);
        for next in first..self.move_stack.len() {
            let rest = next..self.move_stack.len();
            // `max_by_key` returns the last of equals, hence the reverse.
            let highest = rest.rev().max_by_key(|&index| self.move_stack[index].0);
            self.move_stack.swap(next, highest.unwrap_or(next));
            let (_, mv) = self.move_stack[next];
            let value = -self.solve(&position.play(mv), ply + 1, -beta, -alpha);
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
                    let tried = self.move_stack[first..next].iter().map(|&(_, mv)| mv);
                    self.ordering
                        .on_beta_cutoff(position.side_to_move(), position.plies_left(), mv, tried);
                    self.ordering.add_killer(ply, mv);
                    break;
                }
            }
        }
        (best, best_move)
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::gridlock::Gridlock;
    use lodestone_game::random::Random;
    use lodestone_game::score::is_decisive;
    use lodestone_game::{Game, Setup};

    use super::super::task::SearchLimits;
    use super::super::thread::with_thread;
    use super::*;
    use crate::game::Evaluate;

    #[test]
    fn a_win_after_a_known_move_keeps_its_distance() {
        let turns = ENHANCED_TRANSPOSITION_CUTOFF_MIN_PLIES + 4;
        let root = Gridlock::random_start(Setup { pieces: 2, turns }, &mut Random::new(3));
        let next = root.play(root.legal_moves()[0]);
        let value = with_thread(&root, SearchLimits::default(), |search| {
            let lost = TableEntry {
                best: None,
                value: -win_in(8),
                bound: Bound::Exact,
                depth: next.plies_left(),
            };
            search.store(next.key(), 1, lost);
            search.solve(&root, 0, win_in(9), win_in(8))
        });
        assert_eq!(value, win_in(8));
    }

    #[test]
    fn the_last_move_ends_the_game_in_one_ply() {
        let mut random = Random::new(4);
        let mut values = Vec::new();
        for _ in 0..40 {
            let mut root = Gridlock::random_start(Setup { pieces: 3, turns: 6 }, &mut random);
            while root.plies_left() > 1 && root.outcome().is_none() {
                root = root.play(root.legal_moves()[0]);
            }
            let mover = root.side_to_move();
            let points = |&mv| root.play(mv).outcome().map(|outcome| outcome.value_for(mover, 1));
            let Some(best) = root.legal_moves().iter().filter_map(points).max() else {
                continue;
            };
            let value = with_thread(&root, SearchLimits::default(), |search| {
                search.solve(&root, 0, -INFINITE, INFINITE)
            });
            assert_eq!(value, best, "{}", root.fen());
            values.push(value);
        }
        for value in [win_in(1), -win_in(1)] {
            assert!(values.contains(&value), "{values:?}");
        }
    }

    #[test]
    fn ignores_table_entries_of_evaluations() {
        let mut random = Random::new(2);
        for turns in ENHANCED_TRANSPOSITION_CUTOFF_MIN_PLIES..ENHANCED_TRANSPOSITION_CUTOFF_MIN_PLIES + 20 {
            let root = Gridlock::random_start(Setup { pieces: 1, turns }, &mut random);
            let value = with_thread(&root, SearchLimits::default(), |search| {
                for &mv in root.legal_moves().iter() {
                    let evaluated = TableEntry {
                        best: None,
                        value: -5,
                        bound: Bound::Exact,
                        depth: 1,
                    };
                    search.table.store(root.play(mv).table_key(), evaluated);
                }
                search.solve(&root, 0, 0, 1)
            });
            assert!(value == 0 || is_decisive(value), "{}: {value}", root.fen());
        }
    }
}
