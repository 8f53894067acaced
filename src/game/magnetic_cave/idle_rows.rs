//! Rows that do not matter for the result, or only in part.
//!
//! Proofs: `docs/magnetic-cave.md`.

use super::needs::{Needs, is_horizontal};
use super::pairing::Pairs;
use super::playable;
use crate::board::{Bitboard, rows_of, without_first};

/// Rows whose needs do not matter: each need of either side that has a cell in one of these rows
/// contains a pair there, which belongs to the strategy of the other side. A horizontal need
/// has a pair only if the strategy uses other cells of its row.
pub(crate) fn paired_rows<const N: usize>(empty: Bitboard, needs: &[Needs<N>; 2]) -> Bitboard {
    let playable = playable(!empty);
    let (all, without) = cells_without_pair(needs, !Bitboard::EMPTY, playable);
    // Mostly, no row is left after this.
    let mut rows = rows_of(all) & !rows_of(without);
    while !rows.is_empty() {
        let (_, mut unpaired) = cells_without_pair(needs, rows, playable);
        if unpaired.is_empty() {
            unpaired = needs.iter().fold(unpaired, |cells, needs| {
                cells | cells_without_own_pair(needs, rows, playable)
            });
        }
        if unpaired.is_empty() {
            break;
        }
        rows &= !rows_of(unpaired);
    }
    rows
}

/// The cells of all needs that have cells in `rows`, and the cells of those that contain no pair there.
fn cells_without_pair<const N: usize>(
    needs: &[Needs<N>; 2],
    rows: Bitboard,
    playable: Bitboard,
) -> (Bitboard, Bitboard) {
    let inside = rows & playable;
    let (mut all, mut without) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for needs in needs {
        for &need in needs.all() {
            // Without branches, which would be taken at random.
            let cells = if (need & rows).is_empty() {
                Bitboard::EMPTY
            } else {
                need
            };
            let has_pair = !without_first(need & inside).is_empty() | is_horizontal(need);
            all |= cells;
            without |= if has_pair { Bitboard::EMPTY } else { cells };
        }
    }
    (all, without)
}

/// The cells of those needs of one side that have cells in `rows`, but for which no pair was found there.
/// All needs but horizontal ones contain a pair.
fn cells_without_own_pair<const N: usize>(needs: &Needs<N>, rows: Bitboard, playable: Bitboard) -> Bitboard {
    let inside = rows & playable;
    let in_rows = |need: Bitboard| !(need & rows).is_empty();
    let mut without = Bitboard::EMPTY;
    let mut pairs = Pairs::default();
    // Needs without a choice get their pairs first.
    for has_choice in [false, true] {
        for &need in needs.all() {
            let cells = need & inside;
            let is_next = without_first(without_first(cells)).is_empty() != has_choice;
            if is_next && in_rows(need) && !is_horizontal(need) && !pairs.add(cells) {
                without |= need;
            }
        }
    }
    let used = rows_of(pairs.cells());
    for &need in needs.all() {
        if in_rows(need & used) && is_horizontal(need) && !pairs.add_neighbours(need) {
            without |= need;
        }
    }
    without
}

/// The empty cells that matter if all needs lie in `cells`. In a row where the needs use only
/// one end of the gap, it is that end. If they use both ends and the gap has an even
/// number of cells, it is the two ends. In other rows with cells of needs, it is the gap.
pub(crate) fn relevant_cells(empty: Bitboard, cells: Bitboard) -> Bitboard {
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
