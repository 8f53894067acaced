//! Zugzwang: which side runs out of harmless moves first.
//!
//! A *waiting cell* would complete five for a side but is not playable yet. It lies
//! strictly inside its row's gap, and a brick beside it makes it playable for the other
//! side. So each row with waiting cells has a *core* that neither side wants to touch: its
//! waiting cells and one cell on either side. All other empty cells are neutral. When they
//! are full, the side to move is in zugzwang and must open a core:
//!
//! * Its own core costs nothing: the opponent must block the waiting cell, the third cell
//!   of the core follows, and the opponent is in zugzwang.
//! * A core of the opponent, or a shared one, loses.
//!
//! Both sides use up their own cores in turn, so the numbers of cores decide.

use super::MagneticCave;
use crate::board::{Bitboard, Side};
use crate::game::Game;

/// The cores of a position, and the side that is in zugzwang once all neutral cells are
/// full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zugzwang {
    /// By side, the number of rows in which only this side has a waiting cell.
    own: [u32; 2],
    /// The number of rows in which both sides have one.
    shared: u32,
    /// The side to move once all neutral cells are full.
    to_move: Side,
}

impl Zugzwang {
    /// The number of kinds, see [`kind`](Self::kind).
    pub const KINDS: usize = 2 * 3 * 4 * 2;

    /// The zugzwang of a position, given its waiting cells by side.
    pub fn of(position: &MagneticCave, cells: [Bitboard; 2]) -> Zugzwang {
        let mut waiting = cells[0] | cells[1];
        let mut neutral = position.empty().count();
        let (mut own, mut shared) = ([0, 0], 0);
        while let Some(cell) = waiting.first() {
            let row = Bitboard(0xff << (8 * cell.row()));
            neutral = neutral.saturating_sub(core_length(waiting & row));
            waiting &= !row;
            match cells.map(|cells| !(cells & row).is_empty()) {
                [true, true] => shared += 1,
                [first, _] => own[usize::from(!first)] += 1,
            }
        }
        let mover = position.side_to_move();
        let to_move = if neutral.is_multiple_of(2) {
            mover
        } else {
            mover.opponent()
        };
        Zugzwang { own, shared, to_move }
    }

    /// The side that wins the zugzwang by the number of cores, if one does.
    pub fn winner(&self) -> Option<Side> {
        let side = self.to_move;
        let (harmless, losing) = (
            self.own[side.index()],
            self.own[side.opponent().index()] + self.shared,
        );
        if losing > harmless {
            Some(side.opponent())
        } else if harmless >= losing + 2 {
            Some(side)
        } else {
            None
        }
    }

    /// The side to move once all neutral cells are full.
    pub fn side_to_move(&self) -> Side {
        self.to_move
    }

    /// The kind of this zugzwang, less than [`KINDS`](Self::KINDS): the side to move, at
    /// most two cores of the first player, three of the second, and one shared.
    pub fn kind(&self) -> usize {
        let [first, second] = [self.own[0].min(2), self.own[1].min(3)].map(|count| count as usize);
        let shared = usize::from(self.shared > 0);
        ((shared * 3 + first) * 4 + second) * 2 + self.to_move.index()
    }
}

/// The number of cells in the core of a row: from the left neighbour of the leftmost
/// waiting cell to the right neighbour of the rightmost.
fn core_length(waiting_in_row: Bitboard) -> u32 {
    66 - waiting_in_row.0.leading_zeros() - waiting_in_row.0.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Cell;
    use crate::game::magnetic_cave::threats::Threats;

    #[test]
    fn core_extends_one_cell_beyond_its_waiting_cells() {
        assert_eq!(core_length(Bitboard(0b0000_1000)), 3);
        assert_eq!(core_length(Bitboard(0b0001_1000 << 8)), 4);
        assert_eq!(core_length(Bitboard(0b0010_0100 << 56)), 6);
    }

    /// The waiting cells by side, and the winner of the zugzwang.
    fn waiting(fen: &str) -> ([Bitboard; 2], Option<Side>) {
        let position = MagneticCave::from_fen(fen).unwrap();
        let cells = Side::BOTH.map(|side| Threats::of(&position).waiting(side));
        (cells, Zugzwang::of(&position, cells).winner())
    }

    #[test]
    fn one_core_wins_for_the_first_player_only() {
        // d4 completes column d, for x and then for o. With either side to move, the 61
        // cells outside the core leave the second player to open it.
        let (cells, winner) = waiting("3x3o/3x3o/3x4/3x4/8/8/7o/7o x");
        assert_eq!(cells, [Bitboard::from(Cell::new(4, 3)), Bitboard::EMPTY]);
        assert_eq!(winner, Some(Side::First));
        assert_eq!(waiting("3x3o/3x3o/3x4/3x4/8/8/7o/x6o o").1, Some(Side::First));
        assert_eq!(waiting("3o3x/3o3x/3o4/3o4/8/8/7x/7x x").1, None);
    }

    #[test]
    fn two_cores_win_for_their_owner() {
        let both = "x2o3x/x2o3x/3o4/3o4/5o2/5o2/x4o1x/x4o1x x";
        assert_eq!(waiting(both).1, Some(Side::Second));
        let colours_exchanged = "o2x3o/o2x3o/3x4/3x4/5x2/5x2/o4x1o/o4x1o x";
        // The first player, in zugzwang, uses up one of its own cores; then the second
        // player must open the other.
        assert_eq!(waiting(colours_exchanged).1, Some(Side::First));
    }
}
