//! A position on a board of any size.

use std::collections::HashSet;
use std::fmt;

use lodestone_game::FenError;
use lodestone_game::board::{Bitboard, Cell, Side};
use lodestone_game::fen::{Field, board_text};

/// The labels of the rows of the largest board, from the top.
const ROW_LABELS: &str = "87654321";

/// A position of Magnetic Cave on a board of any size. The side to move follows from the
/// number of bricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPosition {
    /// The rules of this board.
    pub rules: BoardRules,
    /// The bricks of the first and the second player.
    pub bricks: [Bitboard; 2],
}

impl BoardPosition {
    /// The empty board.
    pub fn start(rules: BoardRules) -> BoardPosition {
        BoardPosition {
            rules,
            bricks: [Bitboard::EMPTY; 2],
        }
    }

    /// Reads a FEN: the rows from the top, separated by `/`, and the side to move.
    ///
    /// # Errors
    /// Names the wrong character; the numbers of bricks do not fit the side to move, or the
    /// side to move has a complete line.
    pub fn from_fen(rules: BoardRules, fen: &str) -> Result<BoardPosition, FenError> {
        let [board, side] = Field::split(fen, ["the board", "the side to move"])?;
        let labels = &ROW_LABELS[(BoardRules::MAX - rules.height) as usize..];
        let bricks = board.board(labels, rules.width as u8)?;
        let position = BoardPosition { rules, bricks };
        let mover = side.side()?;
        let [first, second] = bricks.map(Bitboard::count);
        let expected = first == second + u32::from(mover == Side::Second);
        if !expected {
            return Err(side.error(format!(
                "x and o must have equal numbers of bricks with x to move, and x one more with o to move; \
                 here x has {first} and o has {second}"
            )));
        }
        if position.has_line(mover) {
            return Err(board.error(format!(
                "{mover} has {connect} in line, so {mover} cannot be to move",
                mover = mover.letter(),
                connect = rules.connect
            )));
        }
        Ok(position)
    }

    /// The FEN.
    pub fn fen(&self) -> String {
        let BoardRules { width, height, .. } = self.rules;
        let board = board_text(self.bricks, height as u8, width as u8);
        format!("{board} {}", self.side_to_move().letter())
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Side {
        let [first, second] = self.bricks.map(Bitboard::count);
        Side::BOTH[usize::from(first > second)]
    }

    /// The empty cells.
    pub fn empty(&self) -> Bitboard {
        self.rules.cells() & !(self.bricks[0] | self.bricks[1])
    }

    /// The legal moves, if the game is not over.
    pub fn moves(&self) -> Bitboard {
        BoardRules::playable(self.empty())
    }

    /// The position after a brick of the side to move on `cell`.
    #[must_use]
    pub fn play(&self, cell: Bitboard) -> BoardPosition {
        let mut next = *self;
        next.bricks[self.side_to_move().index()] |= cell;
        next
    }

    /// Whether a side has a complete line.
    pub fn has_line(&self, side: Side) -> bool {
        let bricks = self.bricks[side.index()];
        self.rules.lines().iter().any(|&line| (line & !bricks).is_empty())
    }

    /// Whether the game is over.
    pub fn is_finished(&self) -> bool {
        self.empty().is_empty() || Side::BOTH.iter().any(|&side| self.has_line(side))
    }

    /// The image with the least bricks, compared as numbers. All images of a position have the
    /// same one.
    #[must_use]
    pub fn least_image(&self) -> BoardPosition {
        let image = |symmetry| self.bricks.map(|cells| self.rules.image(cells, symmetry));
        let images = (0..BoardRules::SYMMETRIES).map(image);
        let least = images.min_by_key(|bricks| bricks.map(|cells| cells.0));
        BoardPosition {
            rules: self.rules,
            bricks: least.unwrap_or(self.bricks),
        }
    }

    /// The name of a cell: a letter for the column, then the rank, 1 at the bottom.
    pub fn cell_text(&self, cell: Cell) -> String {
        let column = char::from(b'a' + cell.column());
        format!("{column}{}", self.rules.height - u32::from(cell.row()))
    }
}

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardValue {
    /// The side to move wins.
    Win,
    /// Neither side wins.
    Draw,
    /// The opponent wins.
    Loss,
}

impl BoardValue {
    /// As in the output of `lodestone-solver solve`.
    pub fn word(self) -> &'static str {
        match self {
            BoardValue::Win => "win",
            BoardValue::Draw => "draw",
            BoardValue::Loss => "loss",
        }
    }
}

/// All unfinished positions that arise from `start` after `plies` plies, in a fixed order. Only
/// one image of each is listed.
pub fn openings(start: &BoardPosition, plies: u32) -> Vec<BoardPosition> {
    let mut positions = vec![*start];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in &positions {
            for cell in position.moves().cells() {
                let image = position.play(cell.into()).least_image();
                if !image.is_finished() && seen.insert(image.bricks) {
                    next.push(image);
                }
            }
        }
        positions = next;
    }
    positions
}

// The rules of Magnetic Cave on a board of any size, as data.

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
