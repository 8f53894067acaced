//! Rows, and parts of rows, in which all cells are waiting moves. Proofs: facts 4 and 5 of
//! `research/magnetic-cave.md`.

use lodestone_game::board::{Bitboard, first_of, is_subset, rows_of, without_first};

use super::board_position::BoardRules;

/// Rows in which each side can answer the other by pairs: each need with a cell in one of these
/// rows contains a pair there. Horizontal needs must contain one only where other needs use
/// their row.
pub fn paired_rows(empty: Bitboard, needs: [&[Bitboard]; 2]) -> Bitboard {
    let playable = BoardRules::playable(empty);
    let all = needs.iter().flat_map(|needs| needs.iter());
    let mut rows = rows_of(all.fold(Bitboard::EMPTY, |cells, &need| cells | need));
    while !rows.is_empty() {
        let unpaired = needs.map(|needs| rows_without_pairs(needs, rows, playable));
        let unpaired = (unpaired[0] | unpaired[1]) & rows;
        if unpaired.is_empty() {
            break;
        }
        rows &= !unpaired;
    }
    rows
}

/// The rows of the needs of one side for which no pair in `rows` was found, among the needs with
/// a cell in `rows`.
fn rows_without_pairs(needs: &[Bitboard], rows: Bitboard, playable: Bitboard) -> Bitboard {
    let cells = rows & playable;
    let mut unpaired = Bitboard::EMPTY;
    for &need in needs {
        // Without a branch, which would be taken at random.
        let has_pair = !without_first(need & cells).is_empty() | is_horizontal(need);
        let is_left_out = has_pair | (need & rows).is_empty();
        unpaired |= if is_left_out { Bitboard::EMPTY } else { need };
    }
    if !unpaired.is_empty() {
        return rows_of(unpaired);
    }
    let mut pairs = Pairs::default();
    // Needs without a choice get their pairs first.
    for choice in [false, true] {
        for &need in needs {
            let has_choice = (need & cells).count() > 2;
            let is_relevant = has_choice == choice && !(need & rows).is_empty();
            if is_relevant && !is_horizontal(need) && !pairs.add(need & cells) {
                unpaired |= need;
            }
        }
    }
    let used = rows & rows_of(pairs.cells());
    for &need in needs {
        if !(need & used).is_empty() && is_horizontal(need) && !pairs.add_neighbours(need) {
            unpaired |= need;
        }
    }
    rows_of(unpaired)
}

/// The empty cells that decide the result if all needs lie in `cells`; all other empty cells are
/// waiting moves. Of a row whose needs use only one end of its gap, it is that end; of a gap with
/// an even number of cells and needs at both ends only, the two ends; else the gap.
pub fn live_cells(empty: Bitboard, cells: Bitboard) -> Bitboard {
    /// Every other column.
    const COLUMNS: Bitboard = Bitboard(0x5555_5555_5555_5555);
    let (left, right) = (empty & !empty.east(), empty & !empty.west());
    let inner = rows_of(cells & !(left | right));
    let both = rows_of(cells & left) & rows_of(cells & right);
    // The ends of a gap with an even number of cells lie in columns of different parity.
    let even = rows_of(left & COLUMNS) ^ rows_of(right & COLUMNS);
    cells | empty & (inner | both & !even)
}

// Disjoint pairs of empty cells. A side answers a brick on one cell of a pair with a brick on
// the other.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells marked by a digit or a letter, row by row from the top.
    fn cells(rows: &str, mark: char) -> Bitboard {
        let marks = rows.split('/').zip(0..).flat_map(|(row, rank)| {
            let columns = row.chars().zip(0..);
            columns.filter_map(move |(sign, column)| (sign == mark).then_some(8 * rank + column))
        });
        marks.fold(Bitboard::EMPTY, |cells, cell: u32| cells | Bitboard(1 << cell))
    }

    #[test]
    fn cells_between_the_ends_of_a_gap_are_waiting_moves() {
        // Needs at `n`, other empty cells at `.`; the result is what stays alive.
        for (rows, live) in [
            ("##n...##", "..a"),
            ("##...n##", ".....a"),
            ("##n..n##", "..a..a"),
            ("##n.n###", "..aaa"),
            ("##.n..##", "..aaaa"),
            ("###n####", "...a"),
            ("##nn####/##....##", "..aa"),
            ("##n..n##/.....n.#", "..a..a/aaaaaaa"),
        ] {
            let needed = cells(rows, 'n');
            assert_eq!(
                live_cells(needed | cells(rows, '.'), needed),
                cells(live, 'a'),
                "{rows}"
            );
        }
    }

    #[test]
    fn rows_are_paired_if_each_need_contains_a_pair_in_them() {
        // The cells of needs of one side have the same sign.
        for (rows, horizontal, expected) in [
            // Two playable cells, or three.
            ("###1####/###1####", false, "aaaaaaaa/aaaaaaaa"),
            ("##.1.###/###1####/###1####", false, "aaaaaaaa/aaaaaaaa/aaaaaaaa"),
            // Only one of two is playable.
            ("##.1.###/###1####", false, ""),
            // Two needs cannot share one pair of cells if each has a cell of its own only.
            ("##12####/##21####", false, "aaaaaaaa/aaaaaaaa"),
            // A horizontal need without other needs in its row.
            ("#11111##", true, "aaaaaaaa"),
        ] {
            let empty = !cells(rows, '#') & Bitboard::corner(rows.split('/').count() as u32, 8);
            let needs: Vec<Bitboard> = ['1', '2']
                .map(|mark| cells(rows, mark))
                .into_iter()
                .filter(|need| !need.is_empty())
                .collect();
            assert_eq!(needs.iter().all(|&need| is_horizontal(need)), horizontal);
            let expected = cells(expected, 'a');
            assert_eq!(paired_rows(empty, [&needs, &[]]), expected, "{rows}");
            assert_eq!(paired_rows(empty, [&[], &needs]), expected, "{rows}");
        }
        // Three needs of two cells each cannot be paired in three cells.
        let [a, b, c] = ["1", "/1", "//1"].map(|rows| cells(rows, '1'));
        let needs = [a | b, b | c, a | c];
        assert_eq!(paired_rows(a | b | c, [&needs, &[]]), Bitboard::EMPTY);
        assert_eq!(paired_rows(a | b | c, [&needs[..1], &[]]), rows_of(a | b));
    }
}
