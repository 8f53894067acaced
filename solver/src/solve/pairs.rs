//! Disjoint pairs of empty cells. A side answers a brick on one cell of a pair with a brick on
//! the other.

use lodestone::board::{Bitboard, first_of, is_subset, without_first};

/// Disjoint pairs of cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pairs {
    /// 64 cells have at most 32 disjoint pairs.
    list: [Bitboard; 32],
    count: usize,
    used: Bitboard,
}

impl Pairs {
    /// The pairs.
    pub fn list(&self) -> &[Bitboard] {
        &self.list[..self.count]
    }

    /// The cells of all pairs.
    pub fn cells(&self) -> Bitboard {
        self.used
    }

    /// Whether `cells` contain a pair.
    pub fn covers(&self, cells: Bitboard) -> bool {
        self.list().iter().any(|&pair| is_subset(pair, cells))
    }

    /// Ensures that `cells`, which are playable, contain a pair; false if that is impossible.
    pub fn add(&mut self, cells: Bitboard) -> bool {
        if self.covers(cells) {
            return true;
        }
        let free = cells & !self.used;
        let more = without_first(free);
        if !more.is_empty() {
            self.push(first_of(free) | first_of(more));
        }
        !more.is_empty()
    }

    /// Ensures that `cells` contain a pair of neighbours in a row, or any earlier pair; false if
    /// that is impossible.
    pub fn add_neighbours(&mut self, cells: Bitboard) -> bool {
        if self.covers(cells) {
            return true;
        }
        let free = cells & !self.used;
        let left = first_of(free & free.west());
        if !left.is_empty() {
            self.push(left | left.east());
        }
        !left.is_empty()
    }

    /// Adds a pair of cells that no pair contains.
    pub fn push(&mut self, pair: Bitboard) {
        self.list[self.count] = pair;
        self.count += 1;
        self.used |= pair;
    }

    /// Removes the pairs from this number on.
    pub fn truncate(&mut self, count: usize) {
        for pair in &self.list[count..self.count] {
            self.used &= !*pair;
        }
        self.count = count;
    }
}

/// Whether a need with several cells is part of a row. A horizontal need of one cell is
/// playable, because a brick of its line lies beside it.
pub fn is_horizontal(need: Bitboard) -> bool {
    let row = need.0.trailing_zeros() & 0b111_000;
    need.0 >> row <= 0xff && !without_first(need).is_empty()
}
