//! The greatest gain in room by a move, for all moves at once.
//!
//! A move from cell *f* to its neighbour *t* changes the own room by
//!
//! * the empty neighbours of *t* that were no room,
//! * less the empty neighbours of *f*, other than *t*, without another own neighbour,
//! * less *t* itself, but *f* becomes room.
//!
//! The neighbours of *f* and *t* are different cells, because *f* and *t* have different colours of
//! a chessboard. The room of the opponent gains *f* and loses *t* if they are next to its pieces.
//! So the gain is a number that depends on *t* only, less one that depends on *f* only. Each
//! number is stored as three sets of cells, one for each binary digit.

use super::Gridlock;
use crate::board::{Bitboard, full_adder};
use crate::game::Game;

/// A number from 0 to 7 for each cell: the cells whose number has the digit 1, 2 and 4.
type Numbers = [Bitboard; 3];

/// The functions that shift a set of cells to its four neighbours.
const DIRECTIONS: [fn(Bitboard) -> Bitboard; 4] =
    [Bitboard::north, Bitboard::south, Bitboard::east, Bitboard::west];

impl Gridlock {
    /// The greatest gain for the difference in room (own less opponent's) that a legal move of the
    /// side to move has, at most [`MAX_GAIN`](super::MAX_GAIN); the meaningless value −7 if it has
    /// no move.
    pub(super) fn best_gain(&self) -> i32 {
        let side = self.side_to_move;
        let (own, empty) = (self.pieces(side), self.empty());
        let beside_other = self.pieces(side.opponent()).neighbours();
        let [ones, twos, fours] = neighbours_in(own);
        let own_room = empty & (ones | twos | fours);
        let beside_one = empty & ones & !twos;
        let gains = plus(neighbours_in(empty & !own_room), beside_one, beside_other);
        let losses = plus(neighbours_in(beside_one), Bitboard::EMPTY, beside_other);
        // 7 less a number has the opposite digits.
        let rests = losses.map(|cells| !cells);
        let towards = |shift: fn(Bitboard) -> Bitboard| {
            let from = own & shift(empty);
            greatest(from, sum(gains.map(shift), rests))
        };
        let best = towards(Bitboard::north)
            .max(towards(Bitboard::south))
            .max(towards(Bitboard::east))
            .max(towards(Bitboard::west));
        best - 7
    }
}

/// The sum of two numbers of each cell: the cells whose sum has the digit 8, 4, 2 and 1.
#[inline]
fn sum([a1, a2, a4]: Numbers, [b1, b2, b4]: Numbers) -> [Bitboard; 4] {
    let (s1, carry) = (a1 ^ b1, a1 & b1);
    let (s2, carry) = full_adder(a2, b2, carry);
    let (s4, s8) = full_adder(a4, b4, carry);
    [s8, s4, s2, s1]
}

/// For each cell, the number of its neighbours in a set.
fn neighbours_in(cells: Bitboard) -> Numbers {
    let [a, b, c, d] = DIRECTIONS.map(|shift| shift(cells));
    let (ones, pair) = full_adder(a, b, c);
    let carry = ones & d;
    [ones ^ d, pair ^ carry, pair & carry]
}

/// Adds one to the numbers of the cells in each of two sets. The sums must be at most 7.
fn plus([ones, twos, fours]: Numbers, first: Bitboard, second: Bitboard) -> Numbers {
    let (ones, carry) = full_adder(ones, first, second);
    [ones, twos ^ carry, fours ^ (twos & carry)]
}

/// The greatest number of these cells, from the digits 8, 4, 2 and 1; 0 for no cells.
fn greatest(mut cells: Bitboard, digits: [Bitboard; 4]) -> i32 {
    let mut number = 0;
    for digit in digits {
        let with_digit = cells & digit;
        number *= 2;
        if !with_digit.is_empty() {
            number += 1;
            cells = with_digit;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Setup;
    use crate::random::Random;

    #[test]
    fn gain_is_that_of_the_best_move() {
        let mut random = Random::new(3);
        for number in 0..20_000 {
            let setup = Setup {
                pieces: 1 + number % 24,
                turns: 10,
            };
            let position = Gridlock::random_start(setup, &mut random);
            let side = position.side_to_move();
            let difference = |position: &Gridlock| {
                let [own, other] = [side, side.opponent()].map(|side| position.room(side).count() as i32);
                own - other
            };
            let moves = position.legal_moves();
            let best = moves.iter().map(|&mv| difference(&position.play(mv))).max();
            let gain = best.map(|best| best - difference(&position));
            assert_eq!(Some(position.best_gain()), gain, "{}", position.fen());
        }
    }
}
