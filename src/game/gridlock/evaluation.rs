//! What the search needs to know about Gridlock.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Move, Side, full_adder};
use lodestone_game::gridlock::{Gridlock, MAX_GAIN};
use lodestone_game::random::mix;
use lodestone_game::score::Value;

use super::features::Features;
use super::network::NETWORK;
use crate::game::{Contempt, Evaluate, Forced};

impl Evaluate for Gridlock {
    type NodeInfo = ();

    const IS_LEARNED: bool = true;

    fn node_info(&self) {}

    /// A move wins at once if it takes the opponent's last cell, and the cell it leaves does
    /// not help the opponent.
    fn forced(&self, (): &()) -> Forced {
        let mover = self.side_to_move();
        let last = self.room(mover.opponent());
        if last.count() != 1 {
            return Forced::Nothing;
        }
        let beside_other = self.pieces(mover.opponent()).neighbours();
        let helpers = self.pieces(mover) & last.neighbours() & !beside_other;
        match (helpers.first(), last.first()) {
            (Some(from), Some(to)) => Forced::Win(Move::slide(from, to)),
            _ => Forced::Nothing,
        }
    }

    fn repetition_key(&self) -> Option<u64> {
        let [first, second] = Side::BOTH.map(|side| self.pieces(side).0);
        Some(mix(first ^ mix(second << 1 | self.side_to_move() as u64)))
    }

    /// The sign of the own room minus the opponent's after the best move.
    fn last_move_points(&self) -> Option<i32> {
        if self.plies_left() != 1 {
            return None;
        }
        let mover = self.side_to_move();
        let [own, other] = [mover, mover.opponent()].map(|side| self.room(side).count());
        if own + MAX_GAIN < other {
            return Some(-1);
        }
        let difference = own as i32 - other as i32;
        Some((difference + best_gain(self)).signum())
    }

    fn evaluate(&self, (): &(), _contempt: Option<Contempt>) -> Value {
        NETWORK.evaluate(&Features::of(self))
    }

    fn order_hint(&self, mv: Move) -> i32 {
        let mut hint = 0;
        self.order_hints(&[mv], |_, value| hint = value);
        hint
    }

    fn order_hints(&self, moves: &[Move], mut visit: impl FnMut(Move, i32)) {
        self.room_differences(moves, |mv, [own, other]| {
            let win = if other == 0 { 1000 } else { 0 };
            visit(mv, own as i32 - other as i32 + win);
            true
        });
    }
}

// The greatest gain in room by a move, for all moves at once.
//
// A move from cell *f* to its neighbour *t* changes the own room by
//
// * the empty neighbours of *t* that were no room,
// * less the empty neighbours of *f*, other than *t*, without another own neighbour,
// * less *t* itself, but *f* becomes room.
//
// The neighbours of *f* and *t* are different cells, because *f* and *t* have different colours of
// a chessboard. The room of the opponent gains *f* and loses *t* if they are next to its pieces.
// So the gain is a number that depends on *t* only, less one that depends on *f* only. Each
// number is stored as three sets of cells, one for each binary digit.

/// A number from 0 to 7 for each cell: the cells whose number has the digit 1, 2 and 4.
type Numbers = [Bitboard; 3];

/// The functions that shift a set of cells to its four neighbours.
const DIRECTIONS: [fn(Bitboard) -> Bitboard; 4] =
    [Bitboard::north, Bitboard::south, Bitboard::east, Bitboard::west];

/// The greatest gain for the difference in room (own less opponent's) that a legal move of the
/// side to move has, at most [`MAX_GAIN`](lodestone_game::gridlock::MAX_GAIN); the meaningless value −7 if it has
/// no move.
pub(super) fn best_gain(position: &Gridlock) -> i32 {
    let side = position.side_to_move();
    let (own, empty) = (position.pieces(side), position.empty());
    let beside_other = position.pieces(side.opponent()).neighbours();
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
    use lodestone_game::Setup;
    use lodestone_game::random::Random;

    use super::*;

    /// Random positions with this many turns left, either side to move.
    fn positions(turns: u32) -> impl Iterator<Item = Gridlock> {
        let mut random = Random::new(6);
        std::iter::repeat_with(move || {
            let pieces = 1 + random.below(24) as u32;
            let start = Gridlock::random_start(
                Setup {
                    pieces,
                    turns: turns + 1,
                },
                &mut random,
            );
            let moves = start.generate_moves();
            start.play(*random.choose(&moves).unwrap_or(&moves[0]))
        })
        .filter(|position| position.outcome().is_none())
    }

    #[test]
    fn last_move_is_the_best_result_of_all_moves() {
        let mut seen = [0; 3];
        for position in positions(1).take(3000) {
            let side = position.side_to_move();
            let after = |mv| {
                position
                    .play(mv)
                    .outcome()
                    .map(|outcome| outcome.points_for(side))
            };
            let moves = position.legal_moves();
            let best = moves.iter().filter_map(|&mv| after(mv)).max();
            assert_eq!(position.last_move_points(), best, "{}", position.fen());
            seen[(best.unwrap() + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }

    #[test]
    fn forced_is_a_move_that_leaves_the_opponent_no_move() {
        let (mut wins, mut others) = (0, 0);
        for position in positions(9).take(20_000) {
            let wins_at_once = |mv: Move| position.play(mv).outcome().is_some();
            let has_win = position.legal_moves().iter().any(|&mv| wins_at_once(mv));
            if let Forced::Win(mv) = position.forced(&()) {
                let moves = position.legal_moves();
                assert!(moves.contains(&mv) && wins_at_once(mv), "{}", position.fen());
                wins += 1;
            } else {
                assert!(!has_win, "{}", position.fen());
                others += 1;
            }
        }
        assert!(wins > 50 && others > 50, "{wins} wins, {others} others");
    }

    #[test]
    fn hints_and_rooms_are_those_after_the_move() {
        for position in positions(9).take(300) {
            let side = position.side_to_move();
            let moves = position.legal_moves();
            let mut visited = Vec::new();
            position.room_differences(&moves, |mv, rooms| {
                let next = position.play(mv);
                assert_eq!(rooms, [side, side.opponent()].map(|side| next.room(side).count()));
                visited.push(mv);
                true
            });
            assert_eq!(visited, moves.to_vec());
        }
    }
}

#[cfg(test)]
mod gain_tests {
    use lodestone_game::Setup;
    use lodestone_game::random::Random;

    use super::*;

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
            assert_eq!(Some(best_gain(&position)), gain, "{}", position.fen());
        }
    }
}
