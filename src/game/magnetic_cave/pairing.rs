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
//! lines. Proofs: `research/magnetic-cave.md`.

use lodestone_game::board::{Bitboard, first_of, is_subset, rows_of, without_first};
use lodestone_game::magnetic_cave::playable;

use super::needs::{Needs, is_horizontal};

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

// Rows that do not matter for the result, or only in part.
//
// Proofs: `research/magnetic-cave.md`.

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
mod idle_rows_tests {
    use lodestone_game::board::Cell;

    use super::*;

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
        // One of three is, but all are neighbours in a row.
        let gap = cells(&[(2, 3), (3, 3), (4, 3), (5, 3)]);
        let line = cells(&[(0, 3), (1, 3), (2, 3), (3, 3), (4, 3)]);
        assert_eq!(paired(gap, line), rows_of(gap));
    }
}
