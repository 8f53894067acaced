//! Sets of cells as sets: subsets and single cells.

use crate::board::Bitboard;

/// Whether all of `smaller` are in `larger`.
pub fn is_subset(smaller: Bitboard, larger: Bitboard) -> bool {
    (smaller & !larger).is_empty()
}

/// The first of `cells`, perhaps none.
pub fn first_of(cells: Bitboard) -> Bitboard {
    Bitboard(cells.0 & cells.0.wrapping_neg())
}

/// All of `cells` but the first.
pub fn without_first(cells: Bitboard) -> Bitboard {
    Bitboard(cells.0 & cells.0.wrapping_sub(1))
}

/// Whether there is exactly one cell.
pub fn is_single(cells: Bitboard) -> bool {
    !cells.is_empty() && without_first(cells).is_empty()
}
