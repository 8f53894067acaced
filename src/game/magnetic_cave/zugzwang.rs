//! Who runs out of harmless moves first.
//!
//! A *waiting cell* would complete five for a side but holds no brick yet. It
//! lies strictly inside its row's gap, and whoever plays beside it opens it for
//! the other side. So each row with waiting cells keeps a *core* that nobody
//! wants to touch: its waiting cells and one cell on either side. All other
//! empty cells are neutral. Once those are filled, whoever is to move is in
//! zugzwang and has to open a core:
//!
//! * In an own core this costs nothing: the opponent must block the waiting
//!   cell, the third cell of the core follows, and the opponent is in zugzwang.
//! * In a core of the opponent, or one that both sides wait for, it loses.
//!
//! Both sides use up their own cores in turn, so the counts decide.

use super::MagneticCave;
use crate::board::{Bitboard, Side};
use crate::game::Game;

/// Who keeps how many cores, and who is in zugzwang once all neutral cells are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standoff {
    /// By side, the rows in which only this side waits.
    own: [u32; 2],
    /// The rows in which both do.
    shared: u32,
    /// Who is to move without a neutral cell.
    stuck: Side,
}

impl Standoff {
    /// How many kinds of standoff there are.
    pub const KINDS: usize = 2 * 3 * 4 * 2;

    /// What the waiting cells, by side, make of a position.
    pub fn of(position: &MagneticCave, cells: [Bitboard; 2]) -> Standoff {
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
        let stuck = if neutral.is_multiple_of(2) {
            mover
        } else {
            mover.opponent()
        };
        Standoff { own, shared, stuck }
    }

    /// Who wins when all neutral cells are filled in turn, as far as the number of
    /// cores tells; `None` for nobody.
    pub fn winner(&self) -> Option<Side> {
        let stuck = self.stuck;
        let (spare, danger) = (
            self.own[stuck.index()],
            self.own[stuck.opponent().index()] + self.shared,
        );
        if danger > spare {
            Some(stuck.opponent())
        } else if spare >= danger + 2 {
            Some(stuck)
        } else {
            None
        }
    }

    /// The number of its kind, 0 to [`KINDS`](Self::KINDS) − 1. Many cores are as good
    /// as three, the second player's, or two, the first player's; or one that is shared.
    pub fn kind(&self) -> usize {
        let [first, second] = [self.own[0].min(2), self.own[1].min(3)].map(|count| count as usize);
        let shared = usize::from(self.shared > 0);
        ((shared * 3 + first) * 4 + second) * 2 + self.stuck.index()
    }
}

/// The cells of a row that nobody wants to touch: from the left neighbour of
/// the leftmost waiting cell to the right neighbour of the rightmost one.
fn core_length(waiting_in_row: Bitboard) -> u32 {
    66 - waiting_in_row.0.leading_zeros() - waiting_in_row.0.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Cell;
    use crate::game::magnetic_cave::threats::Threats;

    #[test]
    fn a_core_reaches_one_cell_beyond_its_waiting_cells() {
        assert_eq!(core_length(Bitboard(0b0000_1000)), 3);
        assert_eq!(core_length(Bitboard(0b0001_1000 << 8)), 4);
        assert_eq!(core_length(Bitboard(0b0010_0100 << 56)), 6);
    }

    /// The waiting cells by side, and the winner.
    fn waiting(fen: &str) -> ([Bitboard; 2], Option<Side>) {
        let position = MagneticCave::from_fen(fen).unwrap();
        let cells = Side::BOTH.map(|side| Threats::of(&position).waiting(side));
        (cells, Standoff::of(&position, cells).winner())
    }

    #[test]
    fn one_core_of_three_is_won_by_the_first_player_only() {
        // Column d waits for d4, for x and then for o. Whoever is to move, the
        // other 61 cells leave the second player to open the gap.
        let (cells, winner) = waiting("3x3o/3x3o/3x4/3x4/8/8/7o/7o x");
        assert_eq!(cells, [Bitboard::from(Cell::new(4, 3)), Bitboard::EMPTY]);
        assert_eq!(winner, Some(Side::First));
        assert_eq!(waiting("3x3o/3x3o/3x4/3x4/8/8/7o/x6o o").1, Some(Side::First));
        assert_eq!(waiting("3o3x/3o3x/3o4/3o4/8/8/7x/7x x").1, None);
    }

    #[test]
    fn two_cores_of_three_are_won_by_whoever_owns_them() {
        let both = "x2o3x/x2o3x/3o4/3o4/5o2/5o2/x4o1x/x4o1x x";
        assert_eq!(waiting(both).1, Some(Side::Second));
        let colours_exchanged = "o2x3o/o2x3o/3x4/3x4/5x2/5x2/o4x1o/o4x1o x";
        // The first player, in zugzwang, uses up one of its own cores; then the
        // second has to open the other.
        assert_eq!(waiting(colours_exchanged).1, Some(Side::First));
    }
}
