//! The names of cells, the row's letter and the column's digit, `a1` top left;
//! and of moves, from and to, `g4g5`.

use crate::board::Cell;
use crate::game::MoveError;

/// The name of a cell.
pub fn cell_text(cell: Cell) -> String {
    let row = char::from(b'a' + cell.row());
    let column = char::from(b'1' + cell.column());
    format!("{row}{column}")
}

/// The two cells of a move, any letter case.
pub fn parse_move(text: &str) -> Result<(Cell, Cell), MoveError> {
    match text.to_ascii_lowercase().as_bytes() {
        &[
            from_row @ b'a'..=b'g',
            from_column @ b'1'..=b'7',
            to_row @ b'a'..=b'g',
            to_column @ b'1'..=b'7',
        ] => Ok((
            Cell::new(from_row - b'a', from_column - b'1'),
            Cell::new(to_row - b'a', to_column - b'1'),
        )),
        _ => Err(MoveError::Malformed(format!(
            "`{text}` is no move: expected two cells, each a row from a to g and a column from 1 to 7, such as g4g5"
        ))),
    }
}
