//! Operations on sets of cells: subsets, single cells, whole rows, and sums of digits.

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

/// All cells of the rows that contain any of `cells`.
pub fn rows_of(cells: Bitboard) -> Bitboard {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high = (((cells.0 & LOW) + LOW) | cells.0) & !LOW;
    Bitboard((high >> 7) * 0xff)
}

/// A full adder for each cell: the digits 1 and 2 of the number of these sets that contain it.
pub fn full_adder(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}
