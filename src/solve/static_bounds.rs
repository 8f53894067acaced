//! Proofs without search: a side cannot win, or has won. Proofs: `docs/magnetic-cave.md`.

use super::node::{NeedStack, Node, NodeThreats, rows_of};
use crate::board::{Bitboard, Side};
use crate::cell_sets::{first_of, is_subset, without_first};

/// The cell and its neighbours in the row.
fn core(cell: Bitboard) -> Bitboard {
    cell | cell.east() | cell.west()
}

/// The side to move when an even number of cells is empty.
fn even_side(node: &Node) -> Side {
    if node.empty.count().is_multiple_of(2) {
        node.mover
    } else {
        node.mover.opponent()
    }
}

/// A proof by pairs, perhaps with a guarded cell, that `attacker` cannot win. Neither side
/// completes a line with its next move. `None` without a proof, else the waiting cells of the
/// defender that it uses.
pub fn held(stack: &NeedStack, node: &Node, threats: &NodeThreats, attacker: Side) -> Option<Bitboard> {
    let mut bound = PairBound::new(stack, node, threats, attacker);
    let Some(common) = bound.common_cells_without_pair() else {
        return bound
            .holds(Bitboard::EMPTY, Bitboard::EMPTY)
            .then_some(Bitboard::EMPTY);
    };
    if common.is_empty() {
        return None;
    }
    // Parity is on the side of a defender that moves with an even number of empty cells. The
    // other one must have a waiting cell of its own.
    let own = if attacker == even_side(node) {
        let own = first_of(threats.waiting[attacker.opponent().index()]);
        if own.is_empty() {
            return None;
        }
        own
    } else {
        Bitboard::EMPTY
    };
    let own_core = core(own);
    let inner = node.empty & node.empty.east() & node.empty.west();
    let is_held = (common & inner).cells().map(Bitboard::from).any(|guarded| {
        let core = core(guarded);
        (rows_of(core) & own_core).is_empty() && bound.holds(core | own_core, guarded)
    });
    is_held.then_some(own)
}

/// Pairs of empty cells that prove that `attacker` cannot win: each of its open lines contains a
/// pair, and the defender answers a brick on one cell of a pair with a brick on the other.
pub fn pairing(stack: &NeedStack, node: &Node, attacker: Side) -> Option<Vec<Bitboard>> {
    let threats = NodeThreats::of(stack, node);
    let mut bound = PairBound::new(stack, node, &threats, attacker);
    bound
        .find_pairs(Bitboard::EMPTY, Bitboard::EMPTY)
        .then_some(bound.pairs)
}

/// A proof by waiting cells that `side` wins: one for the side that moves with an even number
/// of empty cells, two for the other. Neither side completes a line with its next move. `None`
/// without a proof, else these cells.
pub fn won(stack: &NeedStack, node: &Node, threats: &NodeThreats, side: Side) -> Option<Bitboard> {
    let waiting = threats.waiting[side.index()];
    if waiting.is_empty() {
        return None;
    }
    let mut bound = PairBound::new(stack, node, threats, side.opponent());
    let mut holds = |cores| bound.holds(cores, Bitboard::EMPTY);
    let mut cells = waiting.cells().map(Bitboard::from);
    if side == even_side(node) {
        return cells.find(|&cell| holds(core(cell)));
    }
    let mut adjacent = (waiting & waiting.east()).cells().map(Bitboard::from);
    if let Some(cell) = adjacent.find(|&cell| holds(core(cell) | core(cell.west()))) {
        return Some(cell | cell.west());
    }
    let first = cells.next()?;
    let other =
        cells.find(|&other| (core(first) & core(other)).is_empty() && holds(core(first) | core(other)));
    other.map(|other| first | other)
}

/// The search for pairs of empty cells such that each need of the attacker contains a pair, and
/// the defender can answer a brick on one cell of a pair with a brick on the other.
struct PairBound<'a> {
    needs: &'a [Bitboard],
    playable: Bitboard,
    pairs: Vec<Bitboard>,
    used: Bitboard,
}

impl<'a> PairBound<'a> {
    fn new(stack: &'a NeedStack, node: &Node, threats: &NodeThreats, attacker: Side) -> PairBound<'a> {
        PairBound {
            needs: stack.needs(node, attacker),
            playable: threats.playable,
            pairs: Vec::new(),
            used: Bitboard::EMPTY,
        }
    }

    /// The cells that all needs without a pair of playable cells have in common, perhaps none.
    /// `None` if each need has such a pair. Horizontal needs do not count.
    fn common_cells_without_pair(&self) -> Option<Bitboard> {
        let mut common = None;
        for &need in self.needs {
            if is_horizontal(need) || !without_first(need & self.playable).is_empty() {
                continue;
            }
            let cells = common.map_or(need, |cells| cells & need);
            if cells.is_empty() {
                return Some(cells);
            }
            common = Some(cells);
        }
        common
    }

    /// Whether pairs were found that use none of the `avoided` cells. Needs that contain the
    /// `guarded` cell need no pair.
    fn holds(&mut self, avoided: Bitboard, guarded: Bitboard) -> bool {
        let playable = self.playable & !avoided;
        let needs = self.needs;
        let relevant = || needs.iter().copied().filter(|&need| (need & guarded).is_empty());
        let mut is_horizontal_only = true;
        for need in relevant() {
            if !is_horizontal(need) {
                is_horizontal_only = false;
                if without_first(need & playable).is_empty() {
                    return false;
                }
            }
        }
        // A brick makes at most one horizontal threat: at its own end of the row's gap. A defender
        // that may play anywhere answers each threat at once.
        if is_horizontal_only && avoided.is_empty() {
            return true;
        }
        self.find_pairs(avoided, guarded)
    }

    /// As [`holds`](Self::holds), with a pair for each need.
    fn find_pairs(&mut self, avoided: Bitboard, guarded: Bitboard) -> bool {
        self.pairs.clear();
        self.used = Bitboard::EMPTY;
        let playable = self.playable & !avoided;
        let needs = self.needs;
        let relevant = || needs.iter().copied().filter(|&need| (need & guarded).is_empty());
        for need in relevant().filter(|&need| is_horizontal(need)) {
            if !self.add_neighbours(need & !avoided) {
                return false;
            }
        }
        // Needs without a choice get their pairs first.
        let has_choice = |cells: Bitboard| cells.count() > 2;
        [false, true].into_iter().all(|choice| {
            relevant()
                .filter(|&need| !is_horizontal(need) && has_choice(need & playable) == choice)
                .all(|need| self.add(need & playable))
        })
    }

    fn covers(&self, cells: Bitboard) -> bool {
        self.pairs.iter().any(|&pair| is_subset(pair, cells))
    }

    /// Ensures that `cells`, which are playable, contain a pair; false if that is impossible.
    fn add(&mut self, cells: Bitboard) -> bool {
        let free = cells & !self.used;
        let more = without_first(free);
        self.covers(cells) || !more.is_empty() && self.push(first_of(free) | first_of(more))
    }

    /// Ensures that `cells` contain a pair of neighbours in a row, or any earlier pair; false if
    /// that is impossible.
    fn add_neighbours(&mut self, cells: Bitboard) -> bool {
        let free = cells & !self.used;
        let left = first_of(free & free.west());
        self.covers(cells) || !left.is_empty() && self.push(left | left.east())
    }

    fn push(&mut self, pair: Bitboard) -> bool {
        self.pairs.push(pair);
        self.used |= pair;
        true
    }
}

/// Whether a need with several cells is part of a row. A horizontal need of one cell is
/// playable, because a brick of its line lies beside it.
pub fn is_horizontal(need: Bitboard) -> bool {
    !without_first(need).is_empty() && is_subset(need, rows_of(first_of(need)))
}
