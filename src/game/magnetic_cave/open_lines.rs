//! Open lines: lines in which only one side has bricks. Without horizontal lines.

use lodestone_game::board::{Bitboard, Side, full_adder};
use lodestone_game::magnetic_cave::lines::{DIRECTIONS, Direction, LENGTH};

/// All directions but the horizontal one.
const COUNTED: &[Direction] = DIRECTIONS.split_at(1).1;

/// The open lines of a position that have one, two or three bricks.
#[derive(Clone, Copy, Debug)]
pub struct OpenLines {
    /// The first cells of these lines, by side, direction, and number of bricks − 1.
    starts: [[[Bitboard; 3]; COUNTED.len()]; 2],
}

/// The empty cells of a side's open lines with three bricks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threes {
    /// All of them.
    pub cells: Bitboard,
    /// Those of two lines or more.
    pub forks: Bitboard,
    /// Cells that are not playable, but the other empty cell of their line is: a brick there makes
    /// them waiting cells.
    pub waiting: Bitboard,
    /// The number of lines whose empty cells are both playable: a fourth brick forces a reply.
    pub forcing: u32,
}

impl OpenLines {
    /// The open lines for these bricks of the first and the second player.
    pub fn of(first: Bitboard, second: Bitboard) -> OpenLines {
        let mut starts = [[[Bitboard::EMPTY; 3]; COUNTED.len()]; 2];
        for (index, &direction) in COUNTED.iter().enumerate() {
            let [(any_first, exactly_first), (any_second, exactly_second)] =
                [first, second].map(|bricks| counts(bricks, direction));
            let all = direction.starts;
            starts[0][index] = exactly_first.map(|lines| lines & all & !any_second);
            starts[1][index] = exactly_second.map(|lines| lines & all & !any_first);
        }
        OpenLines { starts }
    }

    /// Number of open lines of `side`: nine counts, by direction (down, down right, down
    /// left) and then by number of bricks (1, 2, 3).
    pub fn counts(&self, side: Side) -> impl Iterator<Item = u32> {
        self.starts[side.index()]
            .iter()
            .flatten()
            .map(|lines| lines.count())
    }

    /// The empty cells of all open lines of `side` with three bricks.
    pub fn threes(&self, side: Side, empty: Bitboard, playable: Bitboard) -> Threes {
        let mut threes = Threes::default();
        let mut waiting = Bitboard::EMPTY;
        for (direction, lines) in COUNTED.iter().zip(self.starts[side.index()]) {
            let lines = lines[2];
            if lines.is_empty() {
                continue;
            }
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| direction.nth(playable, index));
            // Of the two empty cells, an odd number is playable: one.
            let one = lines & (a ^ b ^ c ^ d ^ e);
            threes.forcing += (lines & !one & (a | b | c | d | e)).count();
            for index in 0..LENGTH {
                let cells = direction.to_nth(lines, index);
                threes.forks |= threes.cells & cells;
                threes.cells |= cells;
                waiting |= direction.to_nth(one, index);
            }
        }
        threes.forks &= empty;
        threes.cells &= empty;
        threes.waiting = waiting & empty & !playable;
        threes
    }

    /// The cells, empty or not, of all open lines of `side` with this number of bricks,
    /// 1 to 3.
    pub fn cells(&self, side: Side, bricks: usize) -> Bitboard {
        let directions = COUNTED.iter().zip(self.starts[side.index()]);
        directions.fold(Bitboard::EMPTY, |cells, (direction, lines)| {
            (0..LENGTH).fold(cells, |cells, index| {
                cells | direction.to_nth(lines[bricks - 1], index)
            })
        })
    }
}

/// The first cells of the lines that contain any of `bricks`, and of those that contain
/// exactly one, two, or three. Only cells of [`Direction::starts`] are meaningful.
fn counts(bricks: Bitboard, direction: Direction) -> (Bitboard, [Bitboard; 3]) {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| direction.nth(bricks, index));
    // Two full adders: the number of bricks is `ones + 2 * (twos + more_twos)`.
    let (sum, twos) = full_adder(a, b, c);
    let (ones, more_twos) = full_adder(sum, d, e);
    let (one_pair, two_pairs) = (twos ^ more_twos, twos & more_twos);
    let exactly = [ones & !(one_pair | two_pairs), one_pair & !ones, one_pair & ones];
    (a | b | c | d | e, exactly)
}

/// Whether a line without any of `bricks` exists. If not, the other side can no longer win.
pub(crate) fn has_open_line(bricks: Bitboard) -> bool {
    DIRECTIONS.iter().any(|&direction| {
        let any = (1..LENGTH).fold(bricks, |any, index| any | direction.nth(bricks, index));
        !(direction.starts & !any).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use lodestone_game::magnetic_cave::lines::LINES;
    use lodestone_game::random::Random;

    use super::*;

    #[test]
    fn threes_match_the_list_of_lines() {
        let mut random = Random::new(12);
        let (mut forks, mut waiting, mut forcing) = (0, 0, 0);
        for _ in 0..2000 {
            let own = Bitboard(random.next_u64() & random.next_u64());
            let other = Bitboard(random.next_u64() & random.next_u64() & random.next_u64()) & !own;
            let empty = !(own | other);
            let playable = empty & Bitboard(random.next_u64());
            let mut expected = Threes::default();
            for &line in LINES.iter().skip(32) {
                let cells = line & !own;
                if !(line & other).is_empty() || cells.count() != 2 {
                    continue;
                }
                expected.forks |= expected.cells & cells;
                expected.cells |= cells;
                match (cells & playable).count() {
                    1 => expected.waiting |= cells & !playable,
                    2 => expected.forcing += 1,
                    _ => {}
                }
            }
            let threes = OpenLines::of(other, own).threes(Side::Second, empty, playable);
            assert_eq!(threes, expected);
            assert_eq!(
                OpenLines::of(own, other).threes(Side::First, empty, playable),
                expected
            );
            forks += threes.forks.count();
            waiting += threes.waiting.count();
            forcing += threes.forcing;
        }
        assert!(
            forks > 100 && waiting > 100 && forcing > 100,
            "{forks} {waiting} {forcing}"
        );
    }

    #[test]
    fn open_lines_match_the_list_of_lines() {
        let mut random = Random::new(11);
        for _ in 0..500 {
            let own = Bitboard(random.next_u64() & random.next_u64() & random.next_u64());
            let other = Bitboard(random.next_u64() & random.next_u64()) & !own;
            let [first, second] = [OpenLines::of(own, other), OpenLines::of(other, own)];
            let (mut counts, mut cells) = ([[0; 3]; 3], [Bitboard::EMPTY; 4]);
            // 32 horizontal lines, 32 vertical ones, 16 on each diagonal.
            for (index, &line) in LINES.iter().enumerate().skip(32) {
                let direction = [0, 0, 1, 2][(index - 32) / 16];
                let bricks = (line & own).count() as usize;
                if (line & other).is_empty() && (1..=3).contains(&bricks) {
                    counts[direction][bricks - 1] += 1;
                    cells[bricks] |= line;
                }
            }
            assert!(first.counts(Side::First).eq(counts.into_iter().flatten()));
            assert!(second.counts(Side::Second).eq(counts.into_iter().flatten()));
            for (bricks, &cells) in cells.iter().enumerate().skip(1) {
                assert_eq!(first.cells(Side::First, bricks), cells);
                assert_eq!(second.cells(Side::Second, bricks), cells);
            }
        }
    }

    #[test]
    fn line_is_open_without_an_opposing_brick() {
        let mut random = Random::new(4);
        for _ in 0..2000 {
            let bricks = Bitboard(random.next_u64() | random.next_u64() & random.next_u64());
            let expected = LINES.iter().any(|&line| (line & bricks).is_empty());
            assert_eq!(has_open_line(bricks), expected);
        }
    }
}
