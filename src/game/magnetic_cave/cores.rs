//! Cores: the empty cells of a row that neither side likes to touch, because a brick there
//! makes a waiting cell playable.

use crate::board::Side;

/// The core of a row. Bit 0 is its left end, which is neutral, as is the right end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// By side, the waiting cells.
    pub waiting: [u8; 2],
    /// The number of cells.
    pub len: u32,
}

/// What follows when a core is opened.
#[derive(Clone, Copy, Debug)]
pub enum Opening {
    /// This side completes five.
    Win(Side),
    /// After so many moves, a core and neutral cells are left.
    Rest(u32, Option<Core>, u32),
}

impl Core {
    /// The number of cells of a core with one waiting cell.
    pub const SIMPLE: u32 = 3;

    /// The core of a row with these waiting cells, of which there is at least one.
    pub fn of(waiting: [u8; 2]) -> Core {
        let all = waiting[0] | waiting[1];
        let left = all.trailing_zeros();
        Core {
            waiting: waiting.map(|cells| (cells >> left) << 1),
            len: u8::BITS - all.leading_zeros() - left + 2,
        }
    }

    /// The same core with its ends exchanged.
    pub fn reversed(self) -> Core {
        Core {
            waiting: self.waiting.map(|cells| cells.reverse_bits() >> (8 - self.len)),
            ..self
        }
    }

    /// `side` plays the left end; both sides play the forced moves that follow.
    pub fn open(self, side: Side) -> Opening {
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
        if rest == [0, 0] {
            return Opening::Rest(played, None, self.len - played);
        }
        let core = Core::of(rest);
        Opening::Rest(played, Some(core), self.len - played - core.len)
    }
}

/// The game of the cores by plain search, for tests.
#[cfg(test)]
pub mod reference {
    use crate::board::Side;
    use crate::random::Random;

    /// The result for `side`, by plain search: each row is a string of cells, each a set of the sides
    /// that complete five there, played from both ends; `neutral` cells lie elsewhere.
    pub fn plain_points(rows: &[Vec<u8>], neutral: u32, side: Side) -> i32 {
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
    pub fn random_rows(random: &mut Random) -> (Vec<Vec<u8>>, Vec<[u8; 2]>) {
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
}
