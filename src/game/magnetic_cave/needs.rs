//! Needs: the empty cells of a side's open lines. Once it holds all cells of a need, it has
//! completed five.

use super::lines::{DIRECTIONS, Direction, LENGTH};
use crate::board::Bitboard;
use crate::cell_sets::{is_subset, without_first};

/// The minimal needs of one side. A need that contains another one is left out: it can only
/// be filled together with that one or after it, and if a brick of the other side blocks the
/// smaller need, it blocks the larger one too.
///
/// `N` is the capacity. Less memory to fill and to copy saves time.
#[derive(Clone, Copy, Debug)]
pub struct Needs<const N: usize> {
    sets: [Bitboard; N],
    count: usize,
}

/// The maximum number of minimal needs of a side.
pub const MAX_NEEDS: usize = 64;

/// Most positions of the solver have at most this many needs for each side.
pub const FEW_NEEDS: usize = 16;

impl<const N: usize> Needs<N> {
    /// No needs.
    const NONE: Needs<N> = Needs {
        sets: [Bitboard::EMPTY; N],
        count: 0,
    };

    /// The minimal needs of a side, given the empty cells and the other side's bricks.
    /// `None` if there are more than the capacity.
    pub fn of(empty: Bitboard, other: Bitboard) -> Option<Needs<N>> {
        Needs::minimal(DIRECTIONS.into_iter().flat_map(|direction| {
            let starts = open_starts(other, direction);
            starts
                .cells()
                .map(move |start| direction.line_from(start) & empty)
        }))
    }

    /// The minimal ones of these sets of cells. `None` if there are more than the capacity.
    pub fn minimal(sets: impl IntoIterator<Item = Bitboard>) -> Option<Needs<N>> {
        let mut needs = Needs::NONE;
        for need in sets {
            if needs.all().iter().any(|&smaller| is_subset(smaller, need)) {
                continue;
            }
            needs.remove(|larger| is_subset(need, larger));
            if needs.count == N {
                return None;
            }
            needs.push(need);
        }
        Some(needs)
    }

    /// The same needs with another capacity; `None` if they are too many for it.
    pub fn with_capacity<const M: usize>(&self) -> Option<Needs<M>> {
        let mut needs = Needs::NONE;
        needs.count = self.count;
        needs.sets.get_mut(..self.count)?.copy_from_slice(self.all());
        Some(needs)
    }

    /// The needs, in no particular order.
    pub fn all(&self) -> &[Bitboard] {
        &self.sets[..self.count]
    }

    /// The cells of all needs.
    pub fn cells(&self) -> Bitboard {
        self.all()
            .iter()
            .fold(Bitboard::EMPTY, |cells, &need| cells | need)
    }

    /// The needs that contain none of `cells`: those that remain after a brick of the other side
    /// on one of them.
    pub fn without(&self, cells: Bitboard) -> Needs<N> {
        let mut next = Needs::NONE;
        for &need in self.all() {
            if (need & cells).is_empty() {
                next.push(need);
            }
        }
        next
    }

    /// The needs after an own brick on `cell`. None of them becomes empty: a side that can
    /// complete five has won already.
    pub fn after_own(&self, cell: Bitboard) -> Needs<N> {
        let mut next = Needs::NONE;
        for &need in self.all() {
            if !(need & cell).is_empty() {
                next.push(need & !cell);
            }
        }
        // These are minimal; of the others, those that contain none of these.
        let smaller = next.count;
        for &need in self.all() {
            let contains = |&smaller: &Bitboard| is_subset(smaller, need);
            if (need & cell).is_empty() && !next.sets[..smaller].iter().any(contains) {
                next.push(need);
            }
        }
        next
    }

    /// Whether a need that contains `cell` lies in `cells` and `cell`.
    pub fn uses(&self, cell: Bitboard, cells: Bitboard) -> bool {
        let allowed = cells | cell;
        self.all()
            .iter()
            .any(|&need| !(need & cell).is_empty() && is_subset(need, allowed))
    }

    fn push(&mut self, need: Bitboard) {
        self.sets[self.count] = need;
        self.count += 1;
    }

    fn remove(&mut self, is_removed: impl Fn(Bitboard) -> bool) {
        let mut index = 0;
        while index < self.count {
            if is_removed(self.sets[index]) {
                self.count -= 1;
                self.sets[index] = self.sets[self.count];
            } else {
                index += 1;
            }
        }
    }
}

/// Whether a need with several cells is part of a row. A horizontal need of one cell is
/// playable, because a brick of its line lies beside it.
pub fn is_horizontal(need: Bitboard) -> bool {
    let row = Bitboard(0xff << (need.0.trailing_zeros() & 0b111_000));
    !without_first(need).is_empty() && is_subset(need, row)
}

/// The first cells of the lines of one direction that contain no `blocked` cell.
fn open_starts(blocked: Bitboard, direction: Direction) -> Bitboard {
    let any = (1..LENGTH).fold(blocked, |any, index| any | direction.nth(blocked, index));
    direction.starts() & !any
}
