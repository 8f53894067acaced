//! Move ordering: table move, killer moves (solver only), history heuristic plus the
//! game's own hint.

use lodestone_game::board::{Move, MoveList, Side};

use crate::game::Evaluate;

/// What the search has learned about moves: history and killers.
#[derive(Debug)]
pub(crate) struct MoveOrdering {
    /// History heuristic, indexed by side, origin and target; within ±[`HISTORY_LIMIT`].
    history: Vec<i32>,
    /// Killer moves: by ply, the last two moves that caused a beta cutoff. Only the solver
    /// uses them; elsewhere they gained nothing (`research/notes/magnetic-cave.md`).
    killers: Vec<[Option<Move>; 2]>,
}

/// Upper bound on a history value. A bonus moves a value towards ± this.
const HISTORY_LIMIT: i32 = 1 << 14;

/// Score of the table move: first.
const TABLE_MOVE_SCORE: i32 = 1 << 30;

/// Scores of the killers, the more recent one first: after the table move.
const KILLER_SCORES: [i32; 2] = [1 << 20, (1 << 20) - 1];

/// One point of [`Evaluate::order_hint`], in units of history.
const HINT_WEIGHT: i32 = 64;

/// Upper bound on the history bonus of one beta cutoff, which is the square of the depth.
const MAX_BONUS: u32 = 400;

/// History entries of one side: 64 origins × 64 targets.
const MOVES: usize = 1 << 12;

impl MoveOrdering {
    /// Empty history and killers. `plies` is an upper bound on the distance from the root.
    pub(crate) fn new(plies: usize) -> MoveOrdering {
        MoveOrdering {
            history: vec![0; 2 * MOVES],
            killers: vec![[None; 2]; plies],
        }
    }

    /// Prepares for a new search: clears the killers and halves the history.
    pub(crate) fn new_search(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().for_each(|value| *value /= 2);
    }

    /// Clears history and killers.
    pub(crate) fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    fn history_index(side: Side, mv: Move) -> usize {
        side.index() * MOVES + move_index(mv)
    }

    /// Makes a move that caused a beta cutoff the first killer of its ply.
    pub(crate) fn add_killer(&mut self, ply: u32, mv: Move) {
        if let Some(killers) = self.killers.get_mut(ply as usize)
            && killers[0] != Some(mv)
        {
            *killers = [Some(mv), killers[0]];
        }
    }

    /// History heuristic: `best` caused a beta cutoff at this depth, and the moves `tried`
    /// before it did not.
    pub(crate) fn on_beta_cutoff(
        &mut self,
        side: Side,
        depth: u32,
        best: Move,
        tried: impl Iterator<Item = Move>,
    ) {
        let bonus = (depth * depth).min(MAX_BONUS) as i32;
        self.update_history(side, best, bonus);
        for mv in tried {
            self.update_history(side, mv, -bonus);
        }
    }

    /// Adds a bonus with decay, so that the value stays within ±[`HISTORY_LIMIT`].
    fn update_history(&mut self, side: Side, mv: Move, bonus: i32) {
        let value = &mut self.history[MoveOrdering::history_index(side, mv)];
        *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
    }

    /// Scores for the moves of `side` without killers.
    fn scores(&self, side: Side, table_move: Option<Move>) -> MoveScores<'_> {
        MoveScores {
            history: &self.history[side.index() * MOVES..][..MOVES],
            killers: [None; 2],
            table_move,
        }
    }

    /// Scores for the moves of `side` with the killers of `ply`.
    pub(crate) fn scores_with_killers(
        &self,
        side: Side,
        table_move: Option<Move>,
        ply: u32,
    ) -> MoveScores<'_> {
        MoveScores {
            killers: self.killers.get(ply as usize).copied().unwrap_or_default(),
            ..self.scores(side, table_move)
        }
    }

    /// A picker for these moves, best first, without killers.
    pub(crate) fn picker<G: Evaluate>(
        &self,
        position: &G,
        moves: MoveList,
        table_move: Option<Move>,
    ) -> MovePicker {
        let move_scores = self.scores(position.side_to_move(), table_move);
        let mut scores = [0; MoveList::CAPACITY];
        let mut next_score = scores.iter_mut();
        position.order_hints(&moves, |mv, hint| {
            if let Some(score) = next_score.next() {
                *score = move_scores.of(mv, hint);
            }
        });
        MovePicker {
            moves,
            scores,
            next: 0,
        }
    }
}

/// The index of a move in one side's history, less than [`MOVES`].
fn move_index(mv: Move) -> usize {
    mv.from().index() << 6 | mv.to().index()
}

/// Ordering scores for the moves of one position.
pub(crate) struct MoveScores<'a> {
    /// The history of the side to move.
    history: &'a [i32],
    killers: [Option<Move>; 2],
    table_move: Option<Move>,
}

impl MoveScores<'_> {
    /// The score of a move with the game's own `hint`.
    pub(crate) fn of(&self, mv: Move, hint: i32) -> i32 {
        if self.table_move == Some(mv) {
            TABLE_MOVE_SCORE
        } else if let Some(index) = self.killers.iter().position(|&killer| killer == Some(mv)) {
            KILLER_SCORES[index]
        } else {
            self.history[move_index(mv)] + HINT_WEIGHT * hint
        }
    }
}

/// Picks moves best first, by selection sort. The order of equals depends only on the
/// list, so a search is the same on every machine.
pub(crate) struct MovePicker {
    moves: MoveList,
    scores: [i32; MoveList::CAPACITY],
    next: usize,
}

impl MovePicker {
    /// The moves picked so far, in order.
    pub(crate) fn picked(&self) -> &[Move] {
        &self.moves[..self.next]
    }
}

impl Iterator for MovePicker {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let rest = self.next..self.moves.len();
        // `max_by_key` returns the last of equals, hence the reverse.
        let best = rest.rev().max_by_key(|&index| self.scores[index])?;
        self.moves.swap(self.next, best);
        self.scores.swap(self.next, best);
        self.next += 1;
        self.moves.get(self.next - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::Game;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;

    #[test]
    fn picks_each_move_once_and_the_table_move_first() {
        let position = MagneticCave::startpos();
        let moves = position.legal_moves();
        let table_move = moves[9];
        let mut ordering = MoveOrdering::new(4);
        ordering.on_beta_cutoff(Side::First, 20, moves[5], moves[..2].iter().copied());
        let picked: Vec<Move> = ordering
            .picker(&position, moves.clone(), Some(table_move))
            .collect();
        assert_eq!(picked[..2], [table_move, moves[5]]);
        let mut sorted = picked.clone();
        sorted.sort_unstable();
        assert_eq!(sorted[..], moves[..]);
        // Moves that did not cause the cutoff come late.
        assert!(
            picked[2..].iter().position(|mv| moves[..2].contains(mv)) > Some(8),
            "{picked:?}"
        );
    }

    #[test]
    fn killers_precede_history_at_their_ply_only() {
        let moves = MagneticCave::startpos().legal_moves();
        let mut ordering = MoveOrdering::new(4);
        for _ in 0..100 {
            ordering.on_beta_cutoff(Side::First, 20, moves[5], [].into_iter());
        }
        for mv in [&moves[7], &moves[8], &moves[9], &moves[9]] {
            ordering.add_killer(2, *mv);
        }
        let first_moves = |ply| {
            let scores = ordering.scores_with_killers(Side::First, Some(moves[1]), ply);
            let mut sorted = moves.to_vec();
            sorted.sort_by_key(|&mv| -scores.of(mv, 0));
            sorted[..4].to_vec()
        };
        assert_eq!(first_moves(2), [moves[1], moves[9], moves[8], moves[5]]);
        assert_eq!(first_moves(1)[..2], [moves[1], moves[5]]);
    }
}
