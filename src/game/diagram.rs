//! A board as something to be drawn, and its plain drawing.

use std::fmt;

use super::Game;
use crate::board::{Bitboard, Cell, Side};

/// What there is to draw of a position: labels, signs and who stands where.
/// Whoever wants colours or other signs draws from the parts; `Display` draws
/// plain text, labels on all four sides, one line a row, without a line break
/// at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The label of each column from left to right.
    pub columns: &'static str,
    /// The label of each row from top to bottom.
    pub rows: &'static str,
    /// How the first and the second player's pieces are drawn.
    pub signs: [char; 2],
    /// The cells of the first and the second player.
    pub pieces: [Bitboard; 2],
}

impl Diagram {
    /// How an empty cell is drawn.
    pub const EMPTY_SIGN: char = '·';

    /// The drawing of `position`.
    pub fn of<G: Game>(position: &G) -> Diagram {
        Diagram {
            columns: G::INFO.columns,
            rows: G::INFO.rows,
            signs: G::INFO.signs,
            pieces: Side::BOTH.map(|side| position.pieces(side)),
        }
    }

    /// Who stands on `cell`.
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
