//! Pairing strategy: a static proof that a side, the attacker, cannot win.
//!
//! The defender pairs empty cells so that each need of the attacker contains a whole pair.
//! It answers a brick on one cell of a pair with a brick on the other, so no line is ever
//! completed. The answer is always playable if the pair is
//!
//! * two cells that are playable now: they stay so until they are taken, or
//! * two neighbours in a row: a brick on one makes the other playable.
//!
//! The defender may play anywhere else: its own brick on a cell of a pair blocks the pair's
//! lines. Proofs: `docs/magnetic-cave.md`.

use super::needs::is_horizontal;
use crate::board::{Bitboard, first_of, is_subset, rows_of, without_first};

/// The search for a pairing strategy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairingStrategy<'a> {
    /// The attacker's needs.
    pub(crate) needs: &'a [Bitboard],
    /// The playable cells.
    pub(crate) playable: Bitboard,
}

impl PairingStrategy<'_> {
    /// Whether a pairing strategy was found. Pairs may not use `avoided` cells; needs
    /// that contain a `guarded` cell need no pair.
    pub(crate) fn exists(&self, avoided: Bitboard, guarded: Bitboard) -> bool {
        let playable = self.playable & !avoided;
        let (mut horizontal, mut others) = (CellSets::default(), CellSets::default());
        for &need in self.needs {
            if !(need & guarded).is_empty() {
                continue;
            }
            if is_horizontal(need) {
                if !horizontal.push(need & !avoided) {
                    return false;
                }
                continue;
            }
            let cells = need & playable;
            if without_first(cells).is_empty() || !others.push(cells) {
                return false;
            }
        }
        // An attacker with horizontal lines only has one threat at a time, and a defender
        // that may play anywhere can answer it.
        if others.count == 0 && avoided.is_empty() {
            return true;
        }
        // Needs with the least choice get their pairs first.
        others.sort_by_size();
        let mut choice = PairChoice {
            pairs: Pairs::default(),
            horizontal: horizontal.all(),
            avoided,
            steps: 0,
        };
        choice.exists(others.all())
    }

    /// The cells that all needs without a pair and without a `guarded` cell have in common, perhaps none. `None` if
    /// there are no such needs. Horizontal lines do not count.
    pub(crate) fn common_cells_without_pair(&self, guarded: Bitboard) -> Option<Bitboard> {
        let mut common = None;
        for &need in self.needs {
            if !(need & guarded).is_empty()
                || is_horizontal(need)
                || !without_first(need & self.playable).is_empty()
            {
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
}

/// The search for disjoint pairs.
struct PairChoice<'a> {
    pairs: Pairs,
    /// The horizontal needs, without the avoided cells.
    horizontal: &'a [Bitboard],
    avoided: Bitboard,
    /// The positions of this search so far.
    steps: u32,
}

impl PairChoice<'_> {
    /// The search gives up after this number of steps. Few positions take more.
    const MAX_STEPS: u32 = 64;

    /// Whether each of the sets of playable cells can have a pair, and each horizontal need that
    /// must have one.
    fn exists(&mut self, sets: &[Bitboard]) -> bool {
        self.steps += 1;
        if self.steps > Self::MAX_STEPS {
            return false;
        }
        let Some((&cells, rest)) = sets.split_first() else {
            return self.covers_horizontal();
        };
        if self.pairs.cover(cells) {
            return self.exists(rest);
        }
        let mut firsts = cells & !self.pairs.used;
        while !firsts.is_empty() {
            let first = first_of(firsts);
            firsts = without_first(firsts);
            for second in firsts.cells().map(Bitboard::from) {
                if self.pairs.push(first | second) {
                    if self.exists(rest) {
                        return true;
                    }
                    self.pairs.pop();
                }
            }
        }
        false
    }

    /// A threat in a row is answered in this row. So a horizontal need must have a pair only if
    /// the strategy depends on cells of its row: cells of pairs, or avoided cells.
    fn covers_horizontal(&self) -> bool {
        let rows = rows_of(self.pairs.used | self.avoided);
        let mut pairs = self.pairs;
        let mut needs = self.horizontal.iter();
        needs.all(|&cells| (cells & rows).is_empty() || pairs.add_neighbours(cells))
    }
}

/// Some sets of cells.
#[derive(Default)]
struct CellSets {
    sets: [Bitboard; CellSets::CAPACITY],
    count: usize,
}

impl CellSets {
    /// With more needs than this, a pairing strategy is not searched for.
    const CAPACITY: usize = 16;

    /// Adds a set; `false` if the list is full.
    fn push(&mut self, cells: Bitboard) -> bool {
        if self.count == CellSets::CAPACITY {
            return false;
        }
        self.sets[self.count] = cells;
        self.count += 1;
        true
    }

    fn all(&self) -> &[Bitboard] {
        &self.sets[..self.count]
    }

    /// Puts the smallest sets first.
    fn sort_by_size(&mut self) {
        self.sets[..self.count].sort_unstable_by_key(|cells| cells.count());
    }
}

/// Disjoint pairs of cells.
#[derive(Clone, Copy, Default)]
pub struct Pairs {
    list: [Bitboard; Pairs::CAPACITY],
    count: usize,
    used: Bitboard,
}

impl Pairs {
    /// 64 cells have at most 32 disjoint pairs.
    const CAPACITY: usize = 32;

    /// The cells of all pairs.
    pub(crate) fn cells(&self) -> Bitboard {
        self.used
    }

    /// Whether `cells` contain a whole pair already.
    fn cover(&self, cells: Bitboard) -> bool {
        self.list[..self.count].iter().any(|&pair| is_subset(pair, cells))
    }

    /// Ensures that `cells` contain a whole pair; `false` if that is impossible.
    pub(crate) fn add(&mut self, cells: Bitboard) -> bool {
        if self.cover(cells) {
            return true;
        }
        let free = cells & !self.used;
        let more = without_first(free);
        !more.is_empty() && self.push(first_of(free) | first_of(more))
    }

    /// Ensures that `cells` contain a whole pair of neighbours in a row, or any earlier
    /// pair; `false` if that is impossible.
    pub(crate) fn add_neighbours(&mut self, cells: Bitboard) -> bool {
        if self.cover(cells) {
            return true;
        }
        let free = cells & !self.used;
        let left = first_of(free & free.west());
        !left.is_empty() && self.push(left | left.east())
    }

    fn push(&mut self, pair: Bitboard) -> bool {
        if self.count == Pairs::CAPACITY {
            return false;
        }
        self.list[self.count] = pair;
        self.count += 1;
        self.used |= pair;
        true
    }

    /// Removes the pair that was added last.
    fn pop(&mut self) {
        if let Some(last) = self.count.checked_sub(1) {
            self.used &= !self.list[last];
            self.count = last;
        }
    }
}
