//! Names of cells: the letter of the column, then the digit of the rank, as in `a6`.

use crate::board::Cell;
use crate::game::MoveError;
use crate::text::quoted;

/// The name of a cell.
pub fn cell_text(cell: Cell) -> String {
    let column = char::from(b'a' + cell.column());
    let rank = char::from(b'8' - cell.row());
    format!("{column}{rank}")
}

/// Parses the name of a cell, in any letter case.
pub fn parse_cell(text: &str) -> Result<Cell, MoveError> {
    match text.to_ascii_lowercase().as_bytes() {
        &[column @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Cell::new(b'8' - rank, column - b'a')),
        _ => Err(MoveError::Malformed(format!(
            "{} is no move: expected a column from a to h and a rank from 1 to 8, such as a6",
            quoted(text)
        ))),
    }
}
