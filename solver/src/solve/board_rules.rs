//! The rules of Magnetic Cave on a board of any size, as data.

use std::fmt;

use lodestone::board::Bitboard;

/// The size of the board, and how many bricks in line win.
///
/// Cells outside a smaller board count as filled, and so does the wall. Then a cell is
/// playable if it is empty and its left or right neighbour is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardRules {
    /// The number of columns, 1 to 8.
    pub width: u32,
    /// The number of rows, 1 to 8.
    pub height: u32,
    /// The number of bricks of one colour in a row, column or diagonal that wins, 1 to 8.
    pub connect: u32,
}

/// The steps from one cell of a line to the next, as columns and rows.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// The cells whose left or right neighbour would lie outside the 8×8 grid.
const EDGES: Bitboard = Bitboard(Bitboard::column(0).0 | Bitboard::column(7).0);

impl BoardRules {
    /// The largest width, height and number in line.
    pub const MAX: u32 = 8;

    /// The number of symmetries of the board: the board itself, columns reversed, rows
    /// reversed, both. Each is its own inverse.
    pub const SYMMETRIES: usize = 4;

    /// All cells of the board.
    pub fn cells(self) -> Bitboard {
        Bitboard::corner(self.height, self.width)
    }

    /// The cells of each line.
    pub fn lines(self) -> Vec<Bitboard> {
        let (width, height) = (self.width as i32, self.height as i32);
        let mut lines = Vec::new();
        for (across, down) in DIRECTIONS {
            for start in 0..width * height {
                let cell = |step: i32| (start % width + across * step, start / width + down * step);
                let (column, row) = cell(self.connect as i32 - 1);
                if (0..width).contains(&column) && (0..height).contains(&row) {
                    let cells = (0..self.connect as i32).map(cell);
                    let line = cells.fold(0, |line, (column, row)| line | 1 << (8 * row + column));
                    // One brick in line is the same line in all directions.
                    if !lines.contains(&Bitboard(line)) {
                        lines.push(Bitboard(line));
                    }
                }
            }
        }
        lines
    }

    /// The playable cells, given the empty cells of the board.
    pub fn playable(empty: Bitboard) -> Bitboard {
        (EDGES | (!empty).east() | (!empty).west()) & empty
    }

    /// The image of a set of cells under the symmetry with this index, which is less than
    /// [`SYMMETRIES`](Self::SYMMETRIES).
    pub fn image(self, cells: Bitboard, symmetry: usize) -> Bitboard {
        let cells = if symmetry & 1 == 0 {
            cells
        } else {
            cells.mirrored(self.width)
        };
        if symmetry & 2 == 0 {
            cells
        } else {
            cells.upside_down(self.height)
        }
    }
}

impl fmt::Display for BoardRules {
    /// As in the first line of a file: `5x6, 4 in line`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BoardRules {
            width,
            height,
            connect,
        } = self;
        write!(f, "{width}x{height}, {connect} in line")
    }
}
