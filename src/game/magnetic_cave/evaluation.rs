//! What lodestone thinks of a position of Magnetic Cave.
//!
//! Two things count: lines that only one side has bricks in, by the number of
//! those bricks; and waiting cells, which decide the ending, see
//! [`super::zugzwang`].
//!
//! The weights were fitted by logistic regression (400 is one unit of log-odds)
//! to the results of 24 000 games of lodestone against itself, at 2 000
//! positions a move, and of 6 000 games at 20 000 positions against `groups` and
//! `squares`, and set between the two.

use super::MagneticCave;
use super::lines::{DIRECTIONS, Direction, LINES, has_open_line};
use super::seed_players::{GROUPS, SQUARES};
use super::threats::Threats;
use super::zugzwang;
use crate::board::{Bitboard, Cell, Move, MoveList, Side};
use crate::game::{Evaluate, Forced, Game, Judgement, SeedPlayer};
use crate::score::{Value, judged};

/// The worth of an unmixed line with one, two or three bricks, for each of
/// [`DIRECTIONS`]. Lines along a row are worth nothing: their cells can always
/// be played, so each threat is answered at once. What four bricks are worth is
/// in the cell that waits for the fifth.
const LINE_VALUES: [[Value; 3]; 4] = [[0; 3], [32, 68, 125], [29, 42, 95], [29, 42, 95]];

/// The worth of a waiting cell, by its owner: the first player is the one whom
/// a single one helps.
const WAITING: [Value; 2] = [280, 240];

/// The worth for the second player of a cell that both wait for.
const SHARED: Value = 150;

/// The worth of winning the zugzwang as things stand, by the winner and by the
/// number of empty cells in eights: the fewer are left, the less can change.
const ZUGZWANG: [[Value; 8]; 2] = [
    [650, 520, 310, 175, 70, 60, 50, 0],
    [350, 280, 150, 85, 40, 20, 20, 0],
];

/// The worth of being the one to move.
const TEMPO: Value = 65;

impl Evaluate for MagneticCave {
    type Glance = Threats;

    fn glance(&self) -> Threats {
        Threats::of(self)
    }

    fn forced(&self, threats: &Threats) -> Forced {
        threats.forced(self.side_to_move())
    }

    fn candidates(&self, threats: &Threats) -> MoveList {
        threats
            .safe(self.side_to_move())
            .cells()
            .map(Move::place)
            .collect()
    }

    fn exact_cost(&self) -> u64 {
        let (empty, cost) = EXACT_COST;
        let more = self.empty().count() as i32 - empty;
        (cost * EXACT_COST_GROWTH.powi(more)) as u64
    }

    fn hopes(&self) -> [bool; 2] {
        Side::BOTH.map(|side| has_open_line(self.pieces(side.opponent())))
    }

    fn judge(&self, threats: &Threats) -> Judgement {
        let [first, second] = line_values(self.pieces(Side::First), self.pieces(Side::Second));
        let value = first - second + self.waiting_value(threats);
        let value = match self.side_to_move() {
            Side::First => value,
            Side::Second => -value,
        };
        Judgement {
            value: judged(value + TEMPO),
            tension: first + second,
        }
    }

    fn order_hint(&self, one: Move) -> i32 {
        LINES_THROUGH[one.to().index()]
    }

    const SEED_PLAYERS: &'static [SeedPlayer<Self>] = &[GROUPS, SQUARES];
}

impl MagneticCave {
    /// The worth of all waiting cells, for the first player.
    fn waiting_value(&self, threats: &Threats) -> Value {
        let cells = Side::BOTH.map(|side| threats.waiting(side));
        if cells == [Bitboard::EMPTY; 2] {
            return 0;
        }
        let [first, second] = cells.map(Bitboard::count).map(|count| count as Value);
        let eighth = (self.empty().count() as usize / 8).min(7);
        let zugzwang = match zugzwang::winner(self, cells) {
            Some(Side::First) => ZUGZWANG[0][eighth],
            Some(Side::Second) => -ZUGZWANG[1][eighth],
            None => 0,
        };
        let shared = (cells[0] & cells[1]).count() as Value;
        first * WAITING[0] - second * WAITING[1] - shared * SHARED + zugzwang
    }
}

/// For each of two sides, the worth of all lines that it has bricks in and the
/// other one has not.
fn line_values(one: Bitboard, other: Bitboard) -> [Value; 2] {
    let mut values = [0; 2];
    for (direction, worths) in DIRECTIONS.into_iter().zip(LINE_VALUES).skip(1) {
        let [(any_one, counts_one), (any_other, counts_other)] =
            [one, other].map(|bricks| counts(bricks, direction));
        let open = [direction.starts() & !any_other, direction.starts() & !any_one];
        for (index, worth) in worths.into_iter().enumerate() {
            values[0] += (counts_one[index] & open[0]).count() as Value * worth;
            values[1] += (counts_other[index] & open[1]).count() as Value * worth;
        }
    }
    values
}

/// On the first cells of lines: whether the line holds any of `bricks`; and
/// whether it holds exactly one, two, or three.
fn counts(bricks: Bitboard, direction: Direction) -> (Bitboard, [Bitboard; 3]) {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| direction.nth(bricks, index));
    // Two full adders: the number of bricks is `ones + 2 * (twos + more_twos)`.
    let (sum, twos) = add(a, b, c);
    let (ones, more_twos) = add(sum, d, e);
    let (one_pair, two_pairs) = (twos ^ more_twos, twos & more_twos);
    let exactly = [ones & !(one_pair | two_pairs), one_pair & !ones, one_pair & ones];
    (a | b | c | d | e, exactly)
}

/// A full adder: for each bit, the sum and the carry of three.
fn add(a: Bitboard, b: Bitboard, c: Bitboard) -> (Bitboard, Bitboard) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

/// With so many empty cells, half of the positions from games took fewer
/// positions than this to be searched to their end.
const EXACT_COST: (i32, f64) = (26, 550_000.0);

/// Each further empty cell multiplies that by about this.
const EXACT_COST_GROWTH: f64 = 1.9;

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
    fn line_values_count_every_unmixed_line() {
        let mut random = Random::new(11);
        for _ in 0..500 {
            let own = Bitboard(random.next_u64() & random.next_u64() & random.next_u64());
            let other = Bitboard(random.next_u64() & random.next_u64()) & !own;
            // 32 lines to the right, 32 down, 16 and 16 along the diagonals.
            let worths = LINES.chunks(16).zip([0, 0, 1, 1, 2, 3]);
            let expected: Value = worths
                .flat_map(|(lines, direction)| lines.iter().map(move |line| (line, LINE_VALUES[direction])))
                .filter(|&(&line, _)| (line & other).is_empty())
                .filter_map(|(&line, worths)| {
                    worths.get((line & own).count().checked_sub(1)? as usize).copied()
                })
                .sum();
            assert_eq!(line_values(own, other)[0], expected);
            assert_eq!(line_values(other, own)[1], expected);
        }
    }

    #[test]
    fn evaluation_is_the_same_for_both_colours() {
        // Colours exchanged in a position without waiting cells: only the
        // tempo is left.
        let value = |fen| {
            let position = MagneticCave::from_fen(fen).unwrap();
            position.judge(&position.glance()).value
        };
        assert_eq!(value("8/8/8/8/8/8/8/8 x"), TEMPO);
        assert_eq!(value("x6o/8/8/8/8/8/8/8 x"), TEMPO);
    }
}
