//! The facts of Gridlock.

use crate::board::Cell;
use crate::game::{EndReason, GameInfo, MoveError};
use crate::text::quoted;

/// The side to move has no move.
pub(crate) const BLOCKED: EndReason = EndReason("blocked");

/// The turn limit: the side with more empty cells next to its pieces wins.
pub(crate) const MOBILITY: EndReason = EndReason("mobility");

/// See [`GameInfo`].
pub(crate) const INFO: GameInfo = GameInfo {
    name: "gridlock",
    title: "Gridlock",
    summary: "slide a piece; a player who cannot move loses",
    rules: &[
        "Both players have the same number of pieces, x and o, on random cells of a board of 7 by 7. \
         They take turns; x begins.",
        "In a turn a player moves one own piece to an empty cell above, below, left or right of it. \
         So a piece on g4 can move to g5: type g4g5, or first g4 and then g5.",
        "A player who is to move and cannot move loses.",
        "At the turn limit, the player with more space wins: the empty cells beside the own \
         pieces, each counted once. Equal space is a tie.",
    ],
    example: (
        "xo3ox/ox3ox/6o/7/3x3/7/7 x 40 40",
        "Here the turn limit is reached. The space of x is b3, c2, d4, e3, e5 and f4; that of o is \
         a3, a5, b5, c1, c6 and d7. Both have 6 cells, so it is a tie.",
    ),
    columns: "1234567",
    rows: "abcdefg",
    signs: ['X', 'O'],
    colours: None,
    shows_capitals: false,
    move_form: "two cells, from and to",
    sample_move: "g4g5",
    slides: true,
    has_setup: true,
    default_opponent: "mobility",
    end_reasons: &[BLOCKED, MOBILITY],
    // Few pieces and many, near the turn limit and far from it.
    bench: &[
        ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40", 6),
        ("x5o/7/3x3/7/3o3/7/o5x x 0 20", 8),
        (
            "xo1xo1x/o1x1o1o/1x1o1x1/o1x1x1o/1o1x1o1/x1o1o1x/ox1o1xx o 12 60",
            6,
        ),
        ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 33 40", 7),
    ],
};

/// The name of a cell.
pub(crate) fn cell_text(cell: Cell) -> String {
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
pub(crate) fn parse_move(text: &str) -> Result<(Cell, Cell), MoveError> {
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
pub(crate) fn parse_piece(text: &str) -> Result<Cell, MoveError> {
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
