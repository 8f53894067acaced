//! What the solver needs from the search: limits, a table of proofs, and what was
//! learned about moves.

use lodestone_game::board::{Bitboard, Cell, Side};

/// The search around the solver.
///
/// The table holds proofs. A proof belongs to a `place`, a hash of what each position of the
/// proof has in common, and has a set of `cells`, which says what else it depends on. A `tag`
/// is a hash of both, for a given position. So a proof holds in a position if its place is the
/// same, and the tag that the position has for the proof's cells is the tag of the proof.
pub trait ProofSearch {
    /// Counts a position. Returns false if the search must stop.
    fn enter(&mut self) -> bool;

    /// The cells of a proof that is stored at `place` and has the tag that `tag` returns for
    /// its cells. Only 43 bits of tags, and 6 of the place, are compared.
    fn find(&self, place: u64, tag: impl Fn(Bitboard) -> u64) -> Option<Bitboard>;

    /// Reads what is stored at `place` into the processor's cache.
    fn touch(&self, _place: u64) {}

    /// Stores a proof for a position with this number of empty cells.
    fn store(&mut self, place: u64, tag: u64, cells: Bitboard, empty: u32);

    /// What was learned about moves.
    fn ordering(&mut self) -> &mut ProofOrdering;

    /// Whether other threads work on the same proof, and are told of positions with this many
    /// empty cells. The methods below are called for such positions only. Their `key` is a hash
    /// of the position and the question.
    fn is_shared(&self, _empty: u32) -> bool {
        false
    }

    /// Whether a thread searches this position now. Then its search can wait until other moves
    /// are searched.
    fn is_searched(&self, _key: u64) -> bool {
        false
    }

    /// This thread begins to search a position.
    fn begin(&self, _key: u64) {}

    /// This thread has ended the search of a position.
    fn end(&self, _key: u64) {}

    /// Whether a thread has decided this position lately, so that the table should know its
    /// proof.
    fn is_decided(&self, _key: u64) -> bool {
        false
    }

    /// This thread has stored a proof for this position, or found none in the table.
    fn set_decided(&self, _key: u64, _is_decided: bool) {}
}

/// Upper bound on a history value. A bonus moves a value towards ± this.
const HISTORY_LIMIT: i32 = 1 << 14;

/// Upper bound on the history bonus of one cutoff, which is the square of the number of
/// empty cells.
const MAX_BONUS: u32 = 400;

/// The weight of [`ProofOrdering::history`], in percent of a hint.
const HISTORY_PERCENT: i32 = 150;

/// The bonus of the killers, in units of history, the more recent one first.
const KILLER_BONUS: [i32; 2] = [8000, 4000];

/// What a deferred move loses; more than all scores.
const DEFERRED: i32 = 1 << 28;

/// What the order of moves depends on in a position, besides the position itself.
#[derive(Clone, Copy, Debug)]
pub struct ProofNode {
    /// The side of the question.
    pub attacker: Side,
    /// The side to move.
    pub mover: Side,
    /// The number of empty cells.
    pub empty: u32,
    /// The cell of the last move, if it is known.
    pub previous: Option<Cell>,
}

impl ProofNode {
    /// The index of its list in [`ProofOrdering::replies`].
    fn replies_index(self) -> usize {
        let question = 2 * self.attacker.index() + self.mover.index();
        65 * question + self.previous.map_or(64, Cell::index)
    }
}

/// Move ordering of a solver: history, continuation history and killers, for one question at a
/// time: can a side, the attacker, win? A cell is good if it decided that question in another
/// position.
#[derive(Debug)]
pub struct ProofOrdering {
    /// By attacker, side to move and cell.
    history: [[[i32; 64]; 2]; 2],
    /// Continuation history: by attacker, side to move, and cell of the last move, a list by cell.
    replies: Vec<[i32; 64]>,
    /// By number of empty cells, the last two cells that decided.
    killers: [[Option<Cell>; 2]; 65],
    /// The cells of all positions on the current path, with their scores.
    stack: Vec<(i32, Cell)>,
}

impl Default for ProofOrdering {
    fn default() -> ProofOrdering {
        ProofOrdering {
            history: [[[0; 64]; 2]; 2],
            replies: vec![[0; 64]; 4 * 65],
            killers: [[None; 2]; 65],
            stack: Vec::new(),
        }
    }
}

impl ProofOrdering {
    /// Puts the cells of a position on the stack, each with the game's own `hint` in units of
    /// history. Returns their place on the stack.
    pub fn push(&mut self, node: ProofNode, cells: Bitboard, hint: impl Fn(Cell) -> i32) -> usize {
        let first = self.stack.len();
        let history = &self.history[node.attacker.index()][node.mover.index()];
        let replies = &self.replies[node.replies_index()];
        let killers = &self.killers[node.empty as usize];
        self.stack.extend(cells.cells().map(|cell| {
            let killer = killers.iter().position(|&killer| killer == Some(cell));
            let bonus = killer.map_or(0, |index| KILLER_BONUS[index]);
            let known = history[cell.index()] * HISTORY_PERCENT / 100 + replies[cell.index()];
            (known + hint(cell) + bonus, cell)
        }));
        first
    }

    /// The number of cells on the stack from `first` on.
    pub fn count_from(&self, first: usize) -> usize {
        self.stack.len() - first
    }

    /// The best cell from `next` on; puts it there. `None` after the last.
    pub fn best(&mut self, next: usize) -> Option<Cell> {
        // `max_by_key` returns the last of equals, hence the reverse.
        let rest = (next..self.stack.len()).rev();
        let best = rest.max_by_key(|&index| self.stack[index].0)?;
        self.stack.swap(next, best);
        Some(self.stack[next].1)
    }

    /// Puts the cell at `index` behind all that were not put there before.
    pub(crate) fn defer(&mut self, index: usize) {
        self.stack[index].0 -= DEFERRED;
    }

    /// Takes the cells from `first` on off the stack.
    pub fn pop(&mut self, first: usize) {
        self.stack.truncate(first);
    }

    /// The cell at `best` decided the question; those from `first` on before it did not.
    pub fn on_decision(&mut self, node: ProofNode, first: usize, best: usize) {
        let bonus = (node.empty * node.empty).min(MAX_BONUS) as i32;
        let history = &mut self.history[node.attacker.index()][node.mover.index()];
        let replies = &mut self.replies[node.replies_index()];
        for (index, &(_, cell)) in self.stack[..=best].iter().enumerate().skip(first) {
            let bonus = if index == best { bonus } else { -bonus };
            update(&mut history[cell.index()], bonus);
            update(&mut replies[cell.index()], bonus);
        }
        let (_, cell) = self.stack[best];
        let killers = &mut self.killers[node.empty as usize];
        if killers[0] != Some(cell) {
            *killers = [Some(cell), killers[0]];
        }
    }
}

/// Adds a bonus with decay, so that the value stays within ±[`HISTORY_LIMIT`].
fn update(value: &mut i32, bonus: i32) {
    *value += bonus - *value * bonus.abs() / HISTORY_LIMIT;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_move_decides_between_equal_replies() {
        let mut ordering = ProofOrdering::default();
        let [reply, other] = [Cell::new(0, 3), Cell::new(5, 1)];
        let cells = Bitboard::from(reply) | Bitboard::from(other);
        let node = |previous| ProofNode {
            attacker: Side::First,
            mover: Side::Second,
            empty: 20,
            previous: Some(previous),
        };
        let [before_reply, before_other] = [Cell::new(0, 2), Cell::new(5, 0)].map(node);
        for _ in 0..50 {
            for (node, decides) in [(before_reply, reply), (before_other, other)] {
                let first = ordering.push(node, Bitboard::from(decides), |_| 0);
                ordering.on_decision(node, first, first);
                ordering.pop(first);
            }
        }
        for (node, best) in [(before_reply, reply), (before_other, other)] {
            let first = ordering.push(node, cells, |_| 0);
            assert_eq!(ordering.best(first), Some(best));
            ordering.pop(first);
        }
    }
}
