//! The 96 lines of five, tested all at once with bitboards.
//!
//! A line is identified by its first cell and its [`Direction`]. A shift of a bitboard by
//! `k` steps of a direction moves the `k`-th cell of every line onto its first cell. So the
//! AND of five shifted bitboards finds all complete lines of a direction. A mask excludes
//! first cells from which a line would leave the board.

use crate::board::{Bitboard, Cell, Side, full_adder};

/// One of the four directions of a line.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    /// The distance between neighbouring cells of a line, in bits.
    step: u32,
    /// The first cells of all lines of this direction.
    pub(crate) starts: Bitboard,
}

/// Rows and columns in which a line that runs down or to the right can begin.
const TOP: u64 = Bitboard::corner(4, 8).0;
const LEFT: u64 = Bitboard::corner(8, 4).0;

/// Right, down, down right, down left. Lines of the first direction are horizontal: a cell
/// between or beside the bricks of a row is always playable.
pub(crate) const DIRECTIONS: [Direction; 4] = [
    Direction {
        step: 1,
        starts: Bitboard(LEFT),
    },
    Direction {
        step: 8,
        starts: Bitboard(TOP),
    },
    Direction {
        step: 9,
        starts: Bitboard(TOP & LEFT),
    },
    Direction {
        step: 7,
        starts: Bitboard(TOP & !LEFT),
    },
];

/// The number of cells of a line.
pub(crate) const LENGTH: u32 = 5;

impl Direction {
    /// The first cells of the lines whose cell number `index`, 0 to 4, is in `cells`. Only
    /// cells of [`Direction::starts`] are meaningful.
    pub(crate) const fn nth(self, cells: Bitboard, index: u32) -> Bitboard {
        Bitboard(cells.0 >> (self.step * index))
    }

    /// The cells number `index`, 0 to 4, of the lines with these first cells.
    pub(crate) const fn to_nth(self, starts: Bitboard, index: u32) -> Bitboard {
        Bitboard(starts.0 << (self.step * index))
    }

    /// The cells of the line with the first cell `start`, one of [`Direction::starts`].
    pub(crate) const fn line_from(self, start: Cell) -> Bitboard {
        self.line(start.index() as u32)
    }

    /// The cells of the line with the first bit `start`.
    const fn line(self, start: u32) -> Bitboard {
        let mut cells = 0;
        let mut index = 0;
        while index < LENGTH {
            cells |= 1 << (start + self.step * index);
            index += 1;
        }
        Bitboard(cells)
    }
}

/// All lines, by direction and then in ascending order of their first cells.
pub(crate) const LINES: [Bitboard; 96] = {
    let mut lines = [Bitboard::EMPTY; 96];
    let mut count = 0;
    let mut direction = 0;
    while direction < 4 {
        let mut start = 0;
        while start < 64 {
            if DIRECTIONS[direction].starts.0 >> start & 1 == 1 {
                lines[count] = DIRECTIONS[direction].line(start);
                count += 1;
            }
            start += 1;
        }
        direction += 1;
    }
    assert!(count == 96);
    lines
};

/// The first cells of all complete lines of `bricks`, in any direction.
pub(crate) fn winning_starts(bricks: Bitboard) -> Bitboard {
    DIRECTIONS.iter().fold(Bitboard::EMPTY, |found, &direction| {
        found | complete(bricks, direction)
    })
}

/// The first cells of the complete lines of one direction.
fn complete(bricks: Bitboard, direction: Direction) -> Bitboard {
    (1..LENGTH).fold(bricks & direction.starts, |all, index| {
        all & direction.nth(bricks, index)
    })
}

/// Whether a line without any of `bricks` exists. If not, the other side can no longer win.
pub(crate) fn has_open_line(bricks: Bitboard) -> bool {
    DIRECTIONS.iter().any(|&direction| {
        let any = (1..LENGTH).fold(bricks, |any, index| any | direction.nth(bricks, index));
        !(direction.starts & !any).is_empty()
    })
}

/// A run of five or more bricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LongLine {
    /// The topmost cell, or the leftmost of a row.
    pub(crate) from: Cell,
    /// The other end.
    pub(crate) to: Cell,
    /// The number of bricks, 5 to 8.
    pub(crate) length: u32,
}

/// The longest run of five or more bricks of one colour; `None` without one.
pub(crate) fn longest_line(bricks: Bitboard) -> Option<LongLine> {
    let mut longest: Option<LongLine> = None;
    for direction in DIRECTIONS {
        let starts = complete(bricks, direction);
        for from in starts.cells() {
            // A run of n bricks has n − 4 first cells, one step apart.
            let step = direction.step as u8;
            let index = |more: u32| from.index() as u8 + step * more as u8;
            let mut more = 0;
            while more < 3 && starts.contains(Cell::from_index(index(more + 1))) {
                more += 1;
            }
            let length = LENGTH + more;
            if longest.is_none_or(|line| line.length < length) {
                let to = Cell::from_index(index(length - 1));
                longest = Some(LongLine { from, to, length });
            }
        }
    }
    longest
}

// Open lines with bricks: lines in which only one side has bricks. Without horizontal
// lines.

/// All directions but the horizontal one.
const COUNTED: &[Direction] = DIRECTIONS.split_at(1).1;

/// The open lines of a position that have one, two or three bricks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenLines {
    /// The first cells of these lines, by side, direction, and number of bricks − 1.
    starts: [[[Bitboard; 3]; COUNTED.len()]; 2],
}

/// The empty cells of a side's open lines with three bricks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Threes {
    /// All of them.
    pub(crate) cells: Bitboard,
    /// Those of two lines or more.
    pub(crate) forks: Bitboard,
    /// Cells that are not playable, but the other empty cell of their line is: a brick there makes
    /// them waiting cells.
    pub(crate) waiting: Bitboard,
    /// The number of lines whose empty cells are both playable: a fourth brick forces a reply.
    pub(crate) forcing: u32,
}

impl OpenLines {
    /// The open lines for these bricks of the first and the second player.
    pub(crate) fn of(first: Bitboard, second: Bitboard) -> OpenLines {
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
    pub(crate) fn counts(&self, side: Side) -> impl Iterator<Item = u32> {
        self.starts[side.index()]
            .iter()
            .flatten()
            .map(|lines| lines.count())
    }

    /// The empty cells of all open lines of `side` with three bricks.
    pub(crate) fn threes(&self, side: Side, empty: Bitboard, playable: Bitboard) -> Threes {
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
    pub(crate) fn cells(&self, side: Side, bricks: usize) -> Bitboard {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_straight_and_on_the_board() {
        for line in LINES {
            let cells: Vec<Cell> = line.cells().collect();
            assert_eq!(cells.len(), 5);
            let steps: Vec<(i32, i32)> = cells
                .windows(2)
                .map(|pair| {
                    let (a, b) = (pair[0], pair[1]);
                    (
                        b.row() as i32 - a.row() as i32,
                        b.column() as i32 - a.column() as i32,
                    )
                })
                .collect();
            assert!(steps.iter().all(|step| step == &steps[0]), "{cells:?}");
            assert!([(0, 1), (1, 0), (1, 1), (1, -1)].contains(&steps[0]));
        }
        let mut distinct = LINES.map(|line| line.0);
        distinct.sort_unstable();
        assert!(distinct.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn only_complete_lines_win() {
        for line in LINES {
            assert!(!winning_starts(line).is_empty());
            for cell in line.cells() {
                assert!(winning_starts(line & !Bitboard::from(cell)).is_empty());
            }
        }
        // A run that wraps around the edge of the board does not win.
        let wrapped = Bitboard(0b1_1111 << 6);
        assert!(winning_starts(wrapped).is_empty());
    }

    #[test]
    fn line_is_open_without_an_opposing_brick() {
        let mut random = crate::random::Random::new(4);
        for _ in 0..2000 {
            let bricks = Bitboard(random.next_u64() | random.next_u64() & random.next_u64());
            let expected = LINES.iter().any(|&line| (line & bricks).is_empty());
            assert_eq!(has_open_line(bricks), expected);
        }
    }

    #[test]
    fn finds_the_whole_run() {
        let row = Bitboard(0b0111_1110);
        assert_eq!(
            longest_line(row),
            Some(LongLine {
                from: Cell::new(0, 1),
                to: Cell::new(0, 6),
                length: 6
            })
        );
        assert_eq!(longest_line(Bitboard::column(7)).map(|line| line.length), Some(8));
        assert_eq!(longest_line(Bitboard(0b1111)), None);
    }
}

#[cfg(test)]
mod open_lines_tests {
    use super::super::lines::LINES;
    use super::*;
    use crate::random::Random;

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
}
