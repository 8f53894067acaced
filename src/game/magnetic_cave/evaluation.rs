//! What lodestone thinks of a position of Magnetic Cave.
//!
//! Two things count. Lines that only one side has bricks in, by the number of
//! those bricks; and cells that would complete five but that no brick holds on
//! yet. The second decide the ending: nobody wants to play beside such a cell,
//! because that opens it for the other, so in the end one side runs out of
//! other moves. With one such cell left in a gap of three, the other 61 cells
//! are neutral and it is the second player who must open the gap; so the first
//! player likes gaps that stay odd, the second player gaps that stay even.

use super::MagneticCave;
use super::lines::{DIRECTIONS, LINES};
use super::seed_players::{GROUPS, SQUARES};
use super::threats::{completing, forced};
use crate::board::{Bitboard, Cell, Move, Side};
use crate::game::{Evaluate, Forced, Game, SeedPlayer};
use crate::score::{Value, judged};

/// The worth of an unmixed line with one to four bricks.
const LINE_VALUES: [Value; 4] = [2, 7, 20, 45];

/// The worth of a cell that would complete five in a gap whose parity is right
/// for its owner, and in another gap.
const RIGHT_PARITY: Value = 260;
const WRONG_PARITY: Value = 70;

/// The worth of being the one to move.
const TEMPO: Value = 5;

impl Evaluate for MagneticCave {
    fn evaluate(&self) -> Value {
        let (own, other) = self.own_and_other();
        let side = self.side_to_move();
        let value = line_value(own, other) - line_value(other, own) + self.gap_value(side)
            - self.gap_value(side.opponent());
        judged(value + TEMPO)
    }

    fn forced(&self) -> Forced {
        forced(self)
    }

    fn order_hint(&self, one: Move) -> i32 {
        LINES_THROUGH[one.to().index()]
    }

    const SEED_PLAYERS: &'static [SeedPlayer<Self>] = &[GROUPS, SQUARES];
}

impl MagneticCave {
    /// The worth of the cells that would complete five for `side` one day.
    fn gap_value(&self, side: Side) -> Value {
        let empty = self.empty();
        let waiting = completing(self.pieces(side)) & empty & !self.playable();
        let mut value = 0;
        let mut rest = waiting;
        while let Some(cell) = rest.first() {
            let row = Bitboard(0xff << (8 * cell.row()));
            let in_row = waiting & row;
            rest &= !row;
            value += if core_length(in_row) % 2 == odd_for(side) {
                RIGHT_PARITY
            } else {
                WRONG_PARITY
            };
        }
        value
    }
}

/// The parity that a gap's core should have for `side`.
const fn odd_for(side: Side) -> u32 {
    match side {
        Side::First => 1,
        Side::Second => 0,
    }
}

/// The cells of a row that nobody wants to touch: from the neighbour of the
/// leftmost waiting cell to the neighbour of the rightmost one.
fn core_length(waiting_in_row: Bitboard) -> u32 {
    66 - waiting_in_row.0.leading_zeros() - waiting_in_row.0.trailing_zeros()
}

/// The worth of all lines that `own` has bricks in and `other` has not.
fn line_value(own: Bitboard, other: Bitboard) -> Value {
    let mut value = 0;
    for direction in DIRECTIONS {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| direction.nth(own, index));
        let mixed = (1..5).fold(other, |any, index| any | direction.nth(other, index));
        let open = direction.starts() & !mixed;
        // Two full adders: the number of bricks is `ones + 2 * (twos + more_twos)`.
        let (sum, twos) = add(a, b, c);
        let (ones, more_twos) = add(sum, d, e);
        let one_pair = twos ^ more_twos;
        let two_pairs = twos & more_twos;
        let counts = [
            ones & !(one_pair | two_pairs),
            one_pair & !ones,
            one_pair & ones,
            two_pairs & !ones,
        ];
        for (lines, worth) in counts.into_iter().zip(LINE_VALUES) {
            value += (lines & open).count() as Value * worth;
        }
    }
    value
}

/// A full adder: for each bit, the sum and the carry of three.
fn add(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

/// How many lines go through each cell: 3 in the corners, up to 16 in the
/// middle.
const LINES_THROUGH: [i32; 64] = {
    let mut through = [0; 64];
    let mut line = 0;
    while line < LINES.len() {
        let mut cell = 0;
        while cell < 64 {
            if LINES[line].contains(Cell::from_index(cell)) {
                through[cell as usize] += 1;
            }
            cell += 1;
        }
        line += 1;
    }
    through
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn line_value_counts_every_unmixed_line() {
        let mut random = Random::new(11);
        for _ in 0..500 {
            let own = Bitboard(random.next_u64() & random.next_u64() & random.next_u64());
            let other = Bitboard(random.next_u64() & random.next_u64()) & !own;
            let expected: Value = LINES
                .iter()
                .filter(|&&line| (line & other).is_empty())
                .filter_map(|&line| LINE_VALUES.get((line & own).count().checked_sub(1)? as usize))
                .sum();
            assert_eq!(line_value(own, other), expected);
        }
    }

    #[test]
    fn a_core_reaches_one_cell_beyond_its_waiting_cells() {
        assert_eq!(core_length(Bitboard(0b0000_1000)), 3);
        assert_eq!(core_length(Bitboard(0b0001_1000 << 8)), 4);
        assert_eq!(core_length(Bitboard(0b0010_0100 << 56)), 6);
    }

    #[test]
    fn evaluation_is_the_same_for_both_colours() {
        // Colours exchanged in a position without waiting cells: only the
        // tempo is left.
        let value = |fen| MagneticCave::from_fen(fen).unwrap().evaluate();
        assert_eq!(value("8/8/8/8/8/8/8/8 x"), TEMPO);
        assert_eq!(value("x6o/8/8/8/8/8/8/8 x"), TEMPO);
    }
}
