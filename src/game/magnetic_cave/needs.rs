//! Needs: the empty cells of a side's open lines. Once it holds all cells of a need, it has
//! completed five.

use lodestone_game::board::{Bitboard, is_subset, without_first};
use lodestone_game::magnetic_cave::lines::{DIRECTIONS, Direction, LENGTH};

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
pub(crate) const MAX_NEEDS: usize = 64;

/// Most positions of the solver have at most this many needs for each side.
pub(crate) const FEW_NEEDS: usize = 16;

impl<const N: usize> Needs<N> {
    /// No needs.
    pub(crate) const NONE: Needs<N> = Needs {
        sets: [Bitboard::EMPTY; N],
        count: 0,
    };

    /// The minimal needs of a side, given the empty cells and the other side's bricks.
    /// `None` if there are more than the capacity.
    pub(crate) fn of(empty: Bitboard, other: Bitboard) -> Option<Needs<N>> {
        Needs::minimal(DIRECTIONS.into_iter().flat_map(|direction| {
            let starts = open_starts(other, direction);
            starts
                .cells()
                .map(move |start| direction.line_from(start) & empty)
        }))
    }

    /// The minimal ones of these sets of cells. `None` if there are more than the capacity.
    pub(crate) fn minimal(sets: impl IntoIterator<Item = Bitboard>) -> Option<Needs<N>> {
        let mut needs = Needs::NONE;
        for need in sets {
            if needs.all().iter().any(|&smaller| is_subset(smaller, need)) {
                continue;
            }
            needs.retain(|larger| !is_subset(need, larger));
            if needs.count == N {
                return None;
            }
            needs.push(need);
        }
        Some(needs)
    }

    /// The same needs with another capacity; `None` if they are too many for it.
    pub(crate) fn with_capacity<const M: usize>(&self) -> Option<Needs<M>> {
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
    pub(crate) fn cells(&self) -> Bitboard {
        self.all()
            .iter()
            .fold(Bitboard::EMPTY, |cells, &need| cells | need)
    }

    /// Leaves out the needs that contain any of `cells`.
    pub(crate) fn remove(&mut self, cells: Bitboard) {
        self.retain(|need| (need & cells).is_empty());
    }

    /// Makes these the needs after a brick of the other side on `cell`, given those before.
    pub(crate) fn set_without(&mut self, before: &Needs<N>, cell: Bitboard) {
        self.count = 0;
        for &need in before.all() {
            self.push_if((need & cell).is_empty(), need);
        }
    }

    /// Makes these the needs after an own brick on `cell`, given those before. None of them becomes empty: a
    /// side that can complete five has won already.
    pub(crate) fn set_after_own(&mut self, before: &Needs<N>, cell: Bitboard) {
        self.count = 0;
        for &need in before.all() {
            self.push_if(!(need & cell).is_empty(), need & !cell);
        }
        // These are minimal; of the others, those that contain none of these.
        let smaller = self.count;
        for &need in before.all() {
            let is_minimal = self.sets[..smaller].iter().fold(true, |is_minimal, &smaller| {
                is_minimal & !is_subset(smaller, need)
            });
            self.push_if(is_minimal & (need & cell).is_empty(), need);
        }
    }

    /// Whether a need that contains `cell` lies in `cells` and `cell`.
    pub(crate) fn uses(&self, cell: Bitboard, cells: Bitboard) -> bool {
        let allowed = cells | cell;
        self.all().iter().fold(false, |uses, &need| {
            uses | (!(need & cell).is_empty() & is_subset(need, allowed))
        })
    }

    /// Adds a need if `is_added`; there must be room for it in any case. Without a branch, which would
    /// be taken at random.
    fn push_if(&mut self, is_added: bool, need: Bitboard) {
        if let Some(place) = self.sets.get_mut(self.count) {
            *place = need;
        }
        self.count += usize::from(is_added);
    }

    fn push(&mut self, need: Bitboard) {
        self.sets[self.count] = need;
        self.count += 1;
    }

    fn retain(&mut self, is_kept: impl Fn(Bitboard) -> bool) {
        let mut kept = 0;
        for index in 0..self.count {
            let need = self.sets[index];
            self.sets[kept] = need;
            kept += usize::from(is_kept(need));
        }
        self.count = kept;
    }
}

/// Whether a need with several cells is part of a row. A horizontal need of one cell is
/// playable, because a brick of its line lies beside it.
pub(crate) fn is_horizontal(need: Bitboard) -> bool {
    let row = Bitboard(0xff << (need.0.trailing_zeros() & 0b111_000));
    !without_first(need).is_empty() & is_subset(need, row)
}

/// The first cells of the lines of one direction that contain no `blocked` cell.
fn open_starts(blocked: Bitboard, direction: Direction) -> Bitboard {
    let any = (1..LENGTH).fold(blocked, |any, index| any | direction.nth(blocked, index));
    direction.starts & !any
}
