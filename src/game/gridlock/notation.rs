//! Names of cells, the letter of the row and the digit of the column, `a1` at the top left;
//! and of moves, origin and target, as in `g4g5`.

use crate::board::Cell;
use crate::game::MoveError;
use crate::text::quoted;

/// The name of a cell.
pub fn cell_text(cell: Cell) -> String {
    let row = char::from(b'a' + cell.row());
    let column = char::from(b'1' + cell.column());
    format!("{row}{column}")
}

/// The cell with this name.
const fn cell(row: u8, column: u8) -> Option<Cell> {
    match (row.to_ascii_lowercase(), column) {
        (row @ b'a'..=b'g', b'1'..=b'7') => Some(Cell::new(row - b'a', column - b'1')),
        _ => None,
    }
}

/// Parses a move to its two cells, in any letter case.
pub fn parse_move(text: &str) -> Result<(Cell, Cell), MoveError> {
    let cells = match *text.as_bytes() {
        [from_row, from_column, to_row, to_column] => {
            cell(from_row, from_column).zip(cell(to_row, to_column))
        }
        _ => None,
    };
    cells.ok_or_else(|| {
        MoveError::Malformed(format!(
            "{} is no move: expected two cells, each a row from a to g and a column from 1 to 7, such as g4g5",
            quoted(text)
        ))
    })
}

/// Parses the cell of a piece, in any letter case.
pub fn parse_piece(text: &str) -> Result<Cell, MoveError> {
    let piece = match *text.as_bytes() {
        [row, column] => cell(row, column),
        _ => None,
    };
    piece.ok_or_else(|| {
        MoveError::Malformed(format!(
            "{} is no cell: expected a row from a to g and a column from 1 to 7, such as g4",
            quoted(text)
        ))
    })
}
