//! Proofs without search: a side cannot win, or has won. Proofs: `research/magnetic-cave.md`.

use lodestone_game::board::{Bitboard, Side, first_of, rows_of, without_first};

use super::idle_rows::{Pairs, is_horizontal};
use super::node::{NeedStack, Node, NodeThreats};

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
        .find_pairs(Bitboard::EMPTY, Bitboard::EMPTY, node.empty)
        .then(|| bound.pairs.list().to_vec())
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
    pairs: Pairs,
    /// The positions of the current search for pairs.
    steps: u32,
}

impl<'a> PairBound<'a> {
    /// A search for pairs gives up after this number of steps.
    const MAX_STEPS: u32 = 64;

    fn new(stack: &'a NeedStack, node: &Node, threats: &NodeThreats, attacker: Side) -> PairBound<'a> {
        PairBound {
            needs: stack.needs(node, attacker),
            playable: threats.playable,
            pairs: Pairs::default(),
            steps: 0,
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
    ///
    /// A brick makes at most one horizontal threat: at its own end of the row's gap. A defender
    /// that may play anywhere in this row answers each threat at once. So horizontal needs must
    /// contain a pair only in rows with other pairs or `avoided` cells.
    fn holds(&mut self, avoided: Bitboard, guarded: Bitboard) -> bool {
        self.find_pairs(avoided, guarded, rows_of(avoided))
    }

    /// As [`holds`](Self::holds), with a pair for each horizontal need in `rows` too.
    fn find_pairs(&mut self, avoided: Bitboard, guarded: Bitboard, rows: Bitboard) -> bool {
        let playable = self.playable & !avoided;
        let needs = self.needs.iter().copied();
        let relevant = needs.filter(|&need| (need & guarded).is_empty());
        let has_pair = |need: Bitboard| !without_first(need & playable).is_empty();
        if !relevant.clone().all(|need| is_horizontal(need) || has_pair(need)) {
            return false;
        }
        let (mut sets, mut horizontal) = (Vec::with_capacity(self.needs.len()), Vec::new());
        for need in relevant {
            if is_horizontal(need) {
                horizontal.push(need & !avoided);
            } else {
                sets.push(need & playable);
            }
        }
        // Needs with the least choice get their pairs first.
        sets.sort_by_key(|cells| cells.count());
        self.pairs.truncate(0);
        self.steps = 0;
        self.choose_pairs(&sets, &horizontal, rows)
    }

    /// Whether pairs were found for these sets of playable cells, and for the horizontal needs in
    /// `rows` and in the rows of pairs.
    fn choose_pairs(&mut self, sets: &[Bitboard], horizontal: &[Bitboard], rows: Bitboard) -> bool {
        self.steps += 1;
        if self.steps > Self::MAX_STEPS {
            return false;
        }
        let count = self.pairs.list().len();
        let Some((&cells, rest)) = sets.split_first() else {
            let rows = rows | rows_of(self.pairs.cells());
            let mut needs = horizontal.iter().filter(|&&need| !(need & rows).is_empty());
            let is_found = needs.all(|&need| self.pairs.add_neighbours(need));
            if !is_found {
                self.pairs.truncate(count);
            }
            return is_found;
        };
        if self.pairs.covers(cells) {
            return self.choose_pairs(rest, horizontal, rows);
        }
        let mut firsts = cells & !self.pairs.cells();
        while !firsts.is_empty() {
            let first = first_of(firsts);
            firsts = without_first(firsts);
            for second in firsts.cells().map(Bitboard::from) {
                self.pairs.push(first | second);
                if self.choose_pairs(rest, horizontal, rows) {
                    return true;
                }
                self.pairs.truncate(count);
            }
        }
        false
    }
}
