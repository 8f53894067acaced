//! Cores: the empty cells of a row that neither side likes to touch, because a brick there
//! makes a waiting cell playable.

use crate::board::{Bitboard, Side};

/// The core of a row. Bit 0 is its left end, which is neutral, as is the right end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// By side, the waiting cells.
    pub(crate) waiting: [u8; 2],
    /// The number of cells.
    pub(crate) len: u32,
}

/// What follows when a core is opened.
#[derive(Clone, Copy, Debug)]
pub enum Opening {
    /// This side completes five.
    Win(Side),
    /// The forced moves end.
    Rest {
        /// The side to move.
        mover: Side,
        /// What is left of the core.
        core: Option<Core>,
        /// The number of empty cells of the row that are neutral now.
        neutral: u32,
    },
}

impl Core {
    /// The number of cells of a simple core, which has a single cell between its ends.
    const SIMPLE: u32 = 3;

    /// The core of a row with these waiting cells, of which there is at least one.
    pub(crate) fn of(waiting: [u8; 2]) -> Core {
        let all = waiting[0] | waiting[1];
        let left = all.trailing_zeros();
        Core {
            waiting: waiting.map(|cells| (cells >> left) << 1),
            len: u8::BITS - all.leading_zeros() - left + 2,
        }
    }

    /// The same core with its ends exchanged.
    pub(crate) fn reversed(self) -> Core {
        Core {
            waiting: self.waiting.map(|cells| cells.reverse_bits() >> (8 - self.len)),
            ..self
        }
    }

    /// `side` plays the left end; both sides play the forced moves that follow.
    pub(crate) fn open(self, side: Side) -> Opening {
        let (mut mover, mut played) = (side.opponent(), 1);
        loop {
            let has = |side: Side| self.waiting[side.index()] >> played & 1 == 1;
            if has(mover) {
                return Opening::Win(mover);
            }
            if !has(mover.opponent()) {
                break;
            }
            mover = mover.opponent();
            played += 1;
        }
        let rest = self.waiting.map(|cells| cells >> played);
        let core = (rest != [0, 0]).then(|| Core::of(rest));
        Opening::Rest {
            mover,
            core,
            neutral: self.len - played - core.map_or(0, |core| core.len),
        }
    }
}

/// The maximum number of cores in a list. More are rare, and would cost time.
const MAX_CORES: usize = 4;

/// A list of cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cores {
    list: [Core; MAX_CORES],
    count: usize,
}

impl Cores {
    /// Adds a core; `false` if the list is full.
    pub(crate) fn push(&mut self, core: Core) -> bool {
        let Some(place) = self.list.get_mut(self.count) else {
            return false;
        };
        *place = core;
        self.count += 1;
        true
    }

    /// The cores, in no particular order.
    pub(crate) fn all(&self) -> &[Core] {
        &self.list[..self.count]
    }

    /// The list after the core with this index was opened and `rest` is left of it.
    #[must_use]
    pub(crate) fn after_opening(&self, index: usize, rest: Option<Core>) -> Cores {
        let mut next = *self;
        if let Some(rest) = rest {
            next.list[index] = rest;
        } else {
            next.count -= 1;
            next.list[index] = next.list[next.count];
        }
        next
    }

    /// The numbers of cores in which only `side`, only the other side, and both complete five. `None` unless all cores
    /// are simple.
    pub(crate) fn simple_counts(&self, side: Side) -> Option<[i32; 3]> {
        let [mut own, mut other, mut shared] = [0; 3];
        for core in self.all() {
            if core.len != Core::SIMPLE {
                return None;
            }
            match [side, side.opponent()].map(|side| core.waiting[side.index()] != 0) {
                [true, true] => shared += 1,
                [true, false] => own += 1,
                _ => other += 1,
            }
        }
        Some([own, other, shared])
    }
}

/// The rows that contain any of these cells, and their cells, by side.
pub(crate) fn rows_with_cells(cells: [Bitboard; 2]) -> impl Iterator<Item = (u32, [u8; 2])> {
    let mut rest = cells[0] | cells[1];
    std::iter::from_fn(move || {
        let row = u32::from(rest.first()?.row());
        rest &= !Bitboard(0xff << (8 * row));
        Some((row, cells.map(|cells| (cells.0 >> (8 * row)) as u8)))
    })
}

/// The game of the cores by plain search, for tests.
#[cfg(test)]
pub mod reference {
    use crate::board::Side;
    use crate::random::Random;

    /// The result for `side`, by plain search: each row is a string of cells, each a set of the sides
    /// that complete five there, played from both ends; `neutral` cells lie elsewhere.
    pub(crate) fn plain_points(rows: &[Vec<u8>], neutral: u32, side: Side) -> i32 {
        let other = side.opponent();
        let completes = |cell: u8, side: Side| cell >> side.index() & 1 == 1;
        let mut moves = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            for (cell, rest) in [row.split_first(), row.split_last()].into_iter().flatten() {
                moves.push((*cell, index, rest.to_vec()));
            }
        }
        if moves.iter().any(|&(cell, ..)| completes(cell, side)) {
            return 1;
        }
        if moves.iter().any(|&(cell, ..)| completes(cell, other)) {
            moves.retain(|&(cell, ..)| completes(cell, other));
        } else if neutral > 0 {
            moves.push((0, rows.len(), Vec::new()));
        }
        let points = moves.into_iter().map(|(_, index, rest)| {
            let mut next = rows.to_vec();
            match next.get_mut(index) {
                Some(row) => *row = rest,
                None => return -plain_points(rows, neutral - 1, other),
            }
            -plain_points(&next, neutral, other)
        });
        points.max().unwrap_or(0)
    }

    /// Up to three random rows for [`plain_points`] with at most nine cells, and the waiting cells of each, by side.
    pub(crate) fn random_rows(random: &mut Random) -> (Vec<Vec<u8>>, Vec<[u8; 2]>) {
        let (mut rows, mut waiting, mut left) = (Vec::new(), Vec::new(), 9);
        for _ in 0..=random.below(3) {
            let inner = 1 + random.below(4) as usize;
            if inner + 2 > left {
                break;
            }
            left -= inner + 2;
            let mut row: Vec<u8> = (0..inner).map(|_| random.below(4) as u8).collect();
            for end in [0, inner - 1] {
                row[end] = row[end].max(1 + random.below(3) as u8);
            }
            waiting.push([0, 1].map(|side| {
                let bits = row.iter().enumerate();
                bits.fold(0, |cells, (at, cell)| cells | (cell >> side & 1) << (at + 1))
            }));
            row.insert(0, 0);
            row.push(0);
            rows.push(row);
        }
        (rows, waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_extends_one_cell_beyond_its_waiting_cells() {
        let core = |waiting, len| Core { waiting, len };
        assert_eq!(Core::of([0b0000_1000, 0]), core([0b010, 0], 3));
        assert_eq!(Core::of([0b0000_1000, 0b0001_0000]), core([0b0010, 0b0100], 4));
        assert_eq!(Core::of([0b0010_0100, 0]), core([0b01_0010, 0], 6));
        assert_eq!(core([0b0010, 0b0100], 4).reversed(), core([0b0100, 0b0010], 4));
    }

    #[test]
    fn each_row_with_cells_comes_once() {
        let cells = [1 << 7 | 1 << 16 | 1 << 23, 1 << 23 | 0b101 << 61].map(Bitboard);
        let rows: Vec<_> = rows_with_cells(cells).collect();
        assert_eq!(rows, [(0, [0x80, 0]), (2, [0x81, 0x80]), (7, [0, 0xa0])]);
    }
}
