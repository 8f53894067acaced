//! The facts of Magnetic Cave.

use crate::board::Cell;
use crate::game::{EndReason, GameInfo, MoveError};
use crate::text::quoted;

/// Five or more bricks of one colour in line.
pub(crate) const FIVE: EndReason = EndReason("five");

/// The board is full.
pub const FULL: EndReason = EndReason("full");

/// See [`GameInfo`].
pub(crate) const INFO: GameInfo = GameInfo {
    name: "magnetic-cave",
    title: "Magnetic Cave",
    summary: "bricks stick to walls and bricks; five in line win",
    rules: &[
        "Two players take turns and put one brick each on a board of 8 by 8 cells: first x, then o.",
        "The left and the right wall are magnets. A brick goes on an empty cell beside a wall, or \
         directly to the left or right of a brick of any colour.",
        "At first a6 and h1 are legal moves. b6 is not: it touches neither a wall nor a brick. \
         After a6 it is legal.",
        "Five or more bricks of one colour in a row, column or diagonal win at once. If the board \
         is full without such a bridge, the game is a tie.",
    ],
    example: (
        "8/3xxxxx/8/8/8/8/8/oooo4 o",
        "Here x wins with a bridge from d7 to h7.",
    ),
    columns: "abcdefgh",
    rows: "87654321",
    signs: ['■', '□'],
    colours: Some(["black", "white"]),
    shows_capitals: true,
    move_form: "a cell",
    sample_move: "a6",
    slides: false,
    has_setup: false,
    default_opponent: "squares",
    end_reasons: &[FIVE, FULL],
    // Openings, middle games with threats, an endgame.
    bench: &[
        ("8/8/8/8/8/8/8/8 x", 9),
        ("8/xo6/5xxx/oo6/8/8/o7/8 x", 9),
        ("oo4xx/xo3xox/xox4x/o7/o6o/6oo/xo6/xx4xo x", 10),
        ("xo3ooo/x5xx/ooox2xx/ox4xo/x5ox/ooxo1oxx/ooxxxoox/6xo x", 13),
    ],
};

/// The name of a cell.
pub(crate) fn cell_text(cell: Cell) -> String {
    let column = char::from(b'a' + cell.column());
    let rank = char::from(b'8' - cell.row());
    format!("{column}{rank}")
}

/// Parses the name of a cell, in any letter case.
pub(crate) fn parse_cell(text: &str) -> Result<Cell, MoveError> {
    match text.to_ascii_lowercase().as_bytes() {
        &[column @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Cell::new(b'8' - rank, column - b'a')),
        _ => Err(MoveError::Malformed(format!(
            "{} is no move: expected a column from a to h and a rank from 1 to 8, such as a6",
            quoted(text)
        ))),
    }
}
