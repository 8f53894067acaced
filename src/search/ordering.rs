//! Which move is looked at first: the earlier the best one comes, the less
//! there is to search.

use crate::board::{Move, MoveList, Side};
use crate::game::Evaluate;

/// What earlier parts of a search found out about moves.
#[derive(Debug)]
pub struct MoveOrdering {
    /// By side to move, then by origin and target of the move.
    history: Vec<i32>,
    /// By ply, the two moves that last refuted a position there. Only a search to the
    /// end knows them: elsewhere they brought nothing (`docs/magnetic-cave.md`).
    killers: Vec<[Option<Move>; 2]>,
}

/// History values stay within ± this.
const HISTORY_LIMIT: i32 = 1 << 14;

/// The move from the table comes first, whatever else is known.
const TABLE_MOVE: i32 = 1 << 30;

/// Then the killers, the later one first.
const KILLERS: [i32; 2] = [1 << 20, (1 << 20) - 1];

/// One point of a game's own hint weighs as much as this in history.
const HINT: i32 = 64;

impl MoveOrdering {
    /// Nothing is known yet. `plies` bounds the distance from the root.
    pub fn new(plies: usize) -> MoveOrdering {
        MoveOrdering {
            history: vec![0; 2 << 12],
            killers: vec![[None; 2]; plies],
        }
    }

    /// Prepares for another search: killers are forgotten, history fades.
    pub fn next_search(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().for_each(|value| *value /= 2);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.killers.fill([None; 2]);
        self.history.fill(0);
    }

    fn history_index(side: Side, mv: Move) -> usize {
        side.index() << 12 | move_index(mv)
    }

    /// Makes a move that refuted a position at `ply` the first of its killers.
    pub fn add_killer(&mut self, ply: u32, mv: Move) {
        if let Some(killers) = self.killers.get_mut(ply as usize)
            && killers[0] != Some(mv)
        {
            *killers = [Some(mv), killers[0]];
        }
    }

    /// Learns that `best` refuted a position `depth` plies above the horizon
    /// after the moves `tried` before it had not.
    pub fn on_beta_cutoff(&mut self, side: Side, depth: u32, best: Move, tried: impl Iterator<Item = Move>) {
        let bonus = (depth * depth).min(400) as i32;
        self.learn(side, best, bonus);
        for mv in tried {
            self.learn(side, mv, -bonus);
        }
    }

    /// Moves a history value towards its limit, the slower the nearer it is.
    fn learn(&mut self, side: Side, mv: Move, bonus: i32) {
        let value = &mut self.history[MoveOrdering::history_index(side, mv)];
        *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
    }

    /// What is known of the moves of `side`, where the table knows `table_move`.
    fn learned(&self, side: Side, table_move: Option<Move>) -> MoveScores<'_> {
        MoveScores {
            history: &self.history[side.index() << 12..][..1 << 12],
            killers: [None; 2],
            table_move,
        }
    }

    /// The same with the killers of `ply`.
    pub fn learned_with_killers(&self, side: Side, table_move: Option<Move>, ply: u32) -> MoveScores<'_> {
        MoveScores {
            killers: self.killers.get(ply as usize).copied().unwrap_or_default(),
            ..self.learned(side, table_move)
        }
    }

    /// The moves with their ranks, to be taken best first; killers play no part.
    pub fn rank<G: Evaluate>(&self, position: &G, moves: MoveList, table_move: Option<Move>) -> MovePicker {
        let learned = self.learned(position.side_to_move(), table_move);
        let mut ranks = [0; MoveList::CAPACITY];
        for (rank, &mv) in ranks.iter_mut().zip(moves.iter()) {
            *rank = learned.rank(mv, position.order_hint(mv));
        }
        MovePicker {
            moves,
            ranks,
            next: 0,
        }
    }
}

/// A move as a number below 2¹².
fn move_index(mv: Move) -> usize {
    mv.from().index() << 6 | mv.to().index()
}

/// What is known of the moves of a position.
pub struct MoveScores<'a> {
    /// By origin and target of the move.
    history: &'a [i32],
    killers: [Option<Move>; 2],
    table_move: Option<Move>,
}

impl MoveScores<'_> {
    /// The rank of a move of which the game itself gives a `hint`.
    pub fn rank(&self, mv: Move, hint: i32) -> i32 {
        if self.table_move == Some(mv) {
            TABLE_MOVE
        } else if let Some(index) = self.killers.iter().position(|&killer| killer == Some(mv)) {
            KILLERS[index]
        } else {
            self.history[move_index(mv)] + HINT * hint
        }
    }
}

/// Moves to be taken best first. Which of equals comes first depends on nothing
/// but the list, so that a search is the same on every machine.
pub struct MovePicker {
    moves: MoveList,
    ranks: [i32; MoveList::CAPACITY],
    next: usize,
}

impl MovePicker {
    /// The moves taken so far, in the order in which they were taken.
    pub fn taken(&self) -> &[Move] {
        &self.moves[..self.next]
    }
}

impl Iterator for MovePicker {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let rest = self.next..self.moves.len();
        // `max_by_key` prefers the last of equals, hence the reverse.
        let best = rest.rev().max_by_key(|&index| self.ranks[index])?;
        self.moves.swap(self.next, best);
        self.ranks.swap(self.next, best);
        self.next += 1;
        self.moves.get(self.next - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::magnetic_cave::MagneticCave;

    #[test]
    fn all_moves_come_once_and_the_table_move_first() {
        let position = MagneticCave::startpos();
        let moves = position.legal_moves();
        let table_move = moves[9];
        let mut ordering = MoveOrdering::new(4);
        ordering.on_beta_cutoff(Side::First, 20, moves[5], moves[..2].iter().copied());
        let ranked: Vec<Move> = ordering
            .rank(&position, moves.clone(), Some(table_move))
            .collect();
        assert_eq!(ranked[..2], [table_move, moves[5]]);
        let mut sorted = ranked.clone();
        sorted.sort_unstable();
        assert_eq!(sorted[..], moves[..]);
        // What had been tried in vain comes late.
        assert!(
            ranked[2..].iter().position(|mv| moves[..2].contains(mv)) > Some(8),
            "{ranked:?}"
        );
    }

    #[test]
    fn killers_come_before_what_history_says_and_at_their_ply_only() {
        let moves = MagneticCave::startpos().legal_moves();
        let mut ordering = MoveOrdering::new(4);
        for _ in 0..100 {
            ordering.on_beta_cutoff(Side::First, 20, moves[5], [].into_iter());
        }
        for mv in [&moves[7], &moves[8], &moves[9]] {
            ordering.add_killer(2, *mv);
        }
        let first_moves = |ply| {
            let learned = ordering.learned_with_killers(Side::First, Some(moves[1]), ply);
            let mut ranked = moves.to_vec();
            ranked.sort_by_key(|&mv| -learned.rank(mv, 0));
            ranked[..4].to_vec()
        };
        assert_eq!(first_moves(2), [moves[1], moves[9], moves[8], moves[5]]);
        assert_eq!(first_moves(1)[..2], [moves[1], moves[5]]);
    }
}
