//! A board as data for drawing, and as plain text.

use std::fmt;

use super::rules::Game;
use crate::board::{Bitboard, Cell, Side};

/// The parts of a drawn board: labels, signs and pieces. `Display` draws them as
/// plain text: labels on all four sides, one line per row, no line break at the
/// end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The label of each column from left to right.
    pub columns: &'static str,
    /// The label of each row from top to bottom.
    pub rows: &'static str,
    /// The signs of both sides, the first player's first.
    pub signs: [char; 2],
    /// The pieces of both sides, the first player's first.
    pub pieces: [Bitboard; 2],
}

impl Diagram {
    /// The sign of an empty cell.
    pub const EMPTY_SIGN: char = '·';

    /// The diagram of `position`.
    pub fn of<G: Game>(position: &G) -> Diagram {
        Diagram {
            columns: G::INFO.columns,
            rows: G::INFO.rows,
            signs: G::INFO.signs,
            pieces: Side::BOTH.map(|side| position.pieces(side)),
        }
    }

    /// The side that occupies `cell`.
    pub fn owner(&self, cell: Cell) -> Option<Side> {
        Side::BOTH
            .into_iter()
            .find(|side| self.pieces[side.index()].contains(cell))
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = |f: &mut fmt::Formatter<'_>| {
            f.write_str(" ")?;
            self.columns.chars().try_for_each(|label| write!(f, " {label}"))
        };
        header(f)?;
        for (row, label) in (0..).zip(self.rows.chars()) {
            write!(f, "\n{label}")?;
            for (column, _) in (0..).zip(self.columns.chars()) {
                let sign = self
                    .owner(Cell::new(row, column))
                    .map_or(Diagram::EMPTY_SIGN, |side| self.signs[side.index()]);
                write!(f, " {sign}")?;
            }
            write!(f, " {label}")?;
        }
        f.write_str("\n")?;
        header(f)
    }
}
