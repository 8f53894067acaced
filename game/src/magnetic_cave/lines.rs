//! The 96 lines of five, tested all at once with bitboards.
//!
//! A line is identified by its first cell and its [`Direction`]. A shift of a bitboard by
//! `k` steps of a direction moves the `k`-th cell of every line onto its first cell. So the
//! AND of five shifted bitboards finds all complete lines of a direction. A mask excludes
//! first cells from which a line would leave the board.

use crate::board::{Bitboard, Cell};

/// One of the four directions of a line.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    /// The distance between neighbouring cells of a line, in bits.
    step: u32,
    /// The first cells of all lines of this direction.
    pub starts: Bitboard,
}

/// Rows and columns in which a line that runs down or to the right can begin.
const TOP: u64 = Bitboard::corner(4, 8).0;
const LEFT: u64 = Bitboard::corner(8, 4).0;

/// Right, down, down right, down left. Lines of the first direction are horizontal: a cell
/// between or beside the bricks of a row is always playable.
pub const DIRECTIONS: [Direction; 4] = [
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
pub const LENGTH: u32 = 5;

impl Direction {
    /// The first cells of the lines whose cell number `index`, 0 to 4, is in `cells`. Only
    /// cells of [`Direction::starts`] are meaningful.
    #[inline]
    pub const fn nth(self, cells: Bitboard, index: u32) -> Bitboard {
        Bitboard(cells.0 >> (self.step * index))
    }

    /// The cells number `index`, 0 to 4, of the lines with these first cells.
    #[inline]
    pub const fn to_nth(self, starts: Bitboard, index: u32) -> Bitboard {
        Bitboard(starts.0 << (self.step * index))
    }

    /// The cells of the line with the first cell `start`, one of [`Direction::starts`].
    #[inline]
    pub const fn line_from(self, start: Cell) -> Bitboard {
        self.line(start.index() as u32)
    }

    /// The cells of the line with the first bit `start`.
    #[inline]
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
pub const LINES: [Bitboard; 96] = {
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
#[inline]
pub fn winning_starts(bricks: Bitboard) -> Bitboard {
    DIRECTIONS.iter().fold(Bitboard::EMPTY, |found, &direction| {
        found | complete(bricks, direction)
    })
}

/// The first cells of the complete lines of one direction.
#[inline]
fn complete(bricks: Bitboard, direction: Direction) -> Bitboard {
    (1..LENGTH).fold(bricks & direction.starts, |all, index| {
        all & direction.nth(bricks, index)
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
