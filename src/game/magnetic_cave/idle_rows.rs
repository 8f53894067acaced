//! Rows that do not matter for the result, or only in part.
//!
//! Proofs: `docs/magnetic-cave.md`.

use super::needs::{Needs, is_horizontal};
use super::pairing::Pairs;
use super::playable;
use crate::board::Bitboard;
use crate::cell_sets::{rows_of, without_first};

/// Rows whose needs do not matter: each need of either side that has a cell in one of these rows
/// contains a pair there, which belongs to the strategy of the other side. A horizontal need
/// has a pair only if the strategy uses other cells of its row.
pub fn paired_rows<const N: usize>(empty: Bitboard, needs: &[Needs<N>; 2]) -> Bitboard {
    let playable = playable(!empty);
    let mut rows = rows_of(needs[0].cells() | needs[1].cells());
    loop {
        let unpaired = needs.iter().fold(Bitboard::EMPTY, |unpaired, needs| {
            unpaired | unpaired_rows(needs, rows, playable)
        });
        if (unpaired & rows).is_empty() {
            return rows;
        }
        rows &= !unpaired;
        if rows.is_empty() {
            return rows;
        }
    }
}

/// The rows of the needs of one side for which no pair in `rows` was found.
fn unpaired_rows<const N: usize>(needs: &Needs<N>, rows: Bitboard, playable: Bitboard) -> Bitboard {
    let inside = rows & playable;
    let in_rows = |need: Bitboard| !(need & rows).is_empty();
    let mut unpaired = Bitboard::EMPTY;
    for &need in needs.all() {
        if in_rows(need) && without_first(need & inside).is_empty() && !is_horizontal(need) {
            unpaired |= rows_of(need);
        }
    }
    if !unpaired.is_empty() {
        return unpaired;
    }
    let mut pairs = Pairs::default();
    // Needs without a choice get their pairs first.
    for has_choice in [false, true] {
        for &need in needs.all() {
            let cells = need & inside;
            let is_next = without_first(without_first(cells)).is_empty() != has_choice;
            if is_next && in_rows(need) && !is_horizontal(need) && !pairs.add(cells) {
                unpaired |= rows_of(need);
            }
        }
    }
    let used = rows_of(pairs.cells());
    for &need in needs.all() {
        if in_rows(need & used) && is_horizontal(need) && !pairs.add_neighbours(need) {
            unpaired |= rows_of(need);
        }
    }
    unpaired
}

/// The empty cells that matter if all needs lie in `cells`. In a row where the needs use only
/// one end of the gap, it is that end. If they use both ends and the gap has an even
/// number of cells, it is the two ends. In other rows with cells of needs, it is the gap.
pub fn relevant_cells(empty: Bitboard, cells: Bitboard) -> Bitboard {
    let left = empty & !empty.east();
    let right = empty & !empty.west();
    let inner = rows_of(cells & !(left | right));
    let both = rows_of(cells & left & !right) & rows_of(cells & right & !left);
    let whole = inner | both & odd_rows(empty);
    empty & whole | cells & !whole
}

/// The rows with an odd number of `cells`.
fn odd_rows(cells: Bitboard) -> Bitboard {
    let mut sums = cells.0 ^ cells.0 >> 4;
    sums ^= sums >> 2;
    sums ^= sums >> 1;
    Bitboard((sums & Bitboard::column(0).0) * 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Cell;

    fn cells(list: &[(u8, u8)]) -> Bitboard {
        list.iter().fold(Bitboard::EMPTY, |cells, &(column, row)| {
            cells | Bitboard::from(Cell::new(row, column))
        })
    }

    #[test]
    fn needs_at_the_ends_of_a_gap_leave_waiting_moves() {
        let even = cells(&[(2, 3), (3, 3), (4, 3), (5, 3)]);
        let odd = cells(&[(2, 3), (3, 3), (4, 3)]);
        let elsewhere = cells(&[(0, 7), (1, 7)]);
        let relevant = |gap: Bitboard, needed: &[(u8, u8)]| relevant_cells(gap | elsewhere, cells(needed));
        for needed in [&[(2, 3)][..], &[(5, 3)], &[(2, 3), (5, 3)]] {
            assert_eq!(relevant(even, needed), cells(needed));
        }
        assert_eq!(relevant(odd, &[(4, 3)]), cells(&[(4, 3)]));
        assert_eq!(relevant(odd, &[(2, 3), (4, 3)]), odd);
        assert_eq!(relevant(even, &[(3, 3)]), even);
        assert_eq!(relevant(even, &[(2, 3), (4, 3)]), even);
    }

    #[test]
    fn rows_with_a_pair_for_each_need_are_paired() {
        let column =
            |rows: std::ops::Range<u8>| rows.fold(Bitboard::EMPTY, |line, row| line | cells(&[(3, row)]));
        let none = Needs::<4>::of(Bitboard::EMPTY, !Bitboard::EMPTY).unwrap();
        let paired = |empty: Bitboard, line: Bitboard| {
            let needs = Needs::of(empty, !line).unwrap();
            assert_eq!(needs.all(), [line & empty]);
            let rows = paired_rows(empty, &[needs, none]);
            assert_eq!(rows, paired_rows(empty, &[none, needs]));
            rows
        };
        // Both cells of the need are playable.
        let playable = cells(&[(3, 0), (3, 1)]);
        assert_eq!(paired(playable, column(0..5)), rows_of(playable));
        // One of them is not.
        let inner = playable | cells(&[(2, 0), (4, 0)]);
        assert_eq!(paired(inner, column(0..5)), Bitboard::EMPTY);
        // Two of three are.
        let more = inner | cells(&[(3, 2)]);
        assert_eq!(paired(more, column(0..5)), rows_of(more));
    }
}
