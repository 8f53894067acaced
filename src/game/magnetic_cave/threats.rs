//! Cells that decide: where a side would complete five.

use super::MagneticCave;
use super::lines::DIRECTIONS;
use crate::board::{Bitboard, Move, Side};
use crate::game::{Forced, Game};

/// The cells that would complete a line of `own`, occupied ones included and
/// whether or not a brick holds there.
pub fn completing(own: Bitboard) -> Bitboard {
    let mut cells = Bitboard::EMPTY;
    for direction in DIRECTIONS {
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|index| direction.nth(own, index));
        let ab = a & b & direction.starts();
        let de = d & e & direction.starts();
        let cd = c & d;
        cells |= direction.to_nth(b & c & de, 0)
            | direction.to_nth(a & c & de, 1)
            | direction.to_nth(ab & de, 2)
            | direction.to_nth(ab & c & e, 3)
            | direction.to_nth(ab & cd, 4);
    }
    cells
}

/// The cells that decide in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats {
    /// By side, the empty cells that would complete five for it.
    pub completing: [Bitboard; 2],
    /// The cells on which a brick holds.
    pub playable: Bitboard,
}

impl Threats {
    /// The threats of a position.
    pub fn of(position: &MagneticCave) -> Threats {
        let empty = position.empty();
        Threats {
            completing: Side::BOTH.map(|side| completing(position.pieces(side)) & empty),
            playable: position.playable(),
        }
    }

    /// The cells that would complete five for `side` but that no brick holds on
    /// yet.
    pub fn waiting(&self, side: Side) -> Bitboard {
        self.completing[side.index()] & !self.playable
    }

    /// What these threats force on the side to move.
    pub fn forced(&self, mover: Side) -> Forced {
        let [own, other] =
            [mover, mover.opponent()].map(|side| self.completing[side.index()] & self.playable);
        if let Some(cell) = own.first() {
            return Forced::Win(Move::place(cell));
        }
        match (other.first(), other.count()) {
            (None, _) => Forced::Nothing,
            (Some(cell), 1) => Forced::Only(Move::place(cell)),
            (Some(cell), _) => Forced::Loss(Move::place(cell)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::{LINES, winning_starts};
    use super::*;
    use crate::random::Random;

    #[test]
    fn completing_cells_are_those_that_complete() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let own = Bitboard(random.next_u64() & random.next_u64());
            if !winning_starts(own).is_empty() {
                continue;
            }
            let expected = LINES.iter().fold(Bitboard::EMPTY, |cells, &line| {
                let missing = line & !own;
                if missing.count() == 1 {
                    cells | missing
                } else {
                    cells
                }
            });
            assert_eq!(completing(own), expected);
        }
    }

    #[test]
    fn forced_replies() {
        let forced_at = |fen| {
            let position = MagneticCave::from_fen(fen).unwrap();
            Threats::of(&position).forced(position.side_to_move())
        };
        let place = |position: &str, text| {
            Move::place(
                MagneticCave::from_fen(position)
                    .unwrap()
                    .parse_move(text)
                    .unwrap()
                    .to(),
            )
        };
        let win = "xxxx4/oooo4/8/8/8/8/8/8 x";
        assert_eq!(forced_at(win), Forced::Win(place(win, "e8")));
        let only = "xxxx4/ooo5/8/8/8/8/8/8 o";
        assert_eq!(forced_at(only), Forced::Only(place(only, "e8")));
        let loss = "xxxx4/xxxx4/ooo4o/ooo5/8/8/8/8 o";
        assert_eq!(forced_at(loss), Forced::Loss(place(loss, "e8")));
        assert_eq!(forced_at("8/8/8/8/8/8/8/8 x"), Forced::Nothing);
    }
}
