//! Positions in a search to the end of the game.
//!
//! Why a position may be taken for another, a move left out, and a side be held
//! to be kept from winning: `docs/magnetic-cave.md`.

use super::lines::open_cells;
use super::open_lines::OpenLines;
use super::pairs::Held;
use super::threats::{Threats, completing};
use super::{MagneticCave, playable};
use crate::board::{Bitboard, Cell, Move, Side};
use crate::game::{self, Forced, Game, Outcome};
use crate::random::mix;

/// A position with what is needed of it. A brick changes what its own side would
/// complete, and what is open to the other one; the rest is kept.
#[derive(Clone, Copy, Debug)]
pub struct CaveSolverPosition {
    bricks: [Bitboard; 2],
    mover: Side,
    /// By side, the empty cells that would complete five, and some that are
    /// occupied.
    completing: [Bitboard; 2],
    /// By side, the cells of all lines that it can still complete.
    open: [Bitboard; 2],
}

/// How promising a move looks that lies in an open line with one, two or three
/// bricks, whoever's they are.
const PROMISE: [i32; 3] = [8, 16, 32];

impl CaveSolverPosition {
    /// An unfinished position.
    pub fn of(position: &MagneticCave) -> CaveSolverPosition {
        let bricks = Side::BOTH.map(|side| position.pieces(side));
        CaveSolverPosition {
            bricks,
            mover: position.side_to_move(),
            completing: bricks.map(completing),
            open: [open_cells(bricks[1]), open_cells(bricks[0])],
        }
    }

    fn empty(&self) -> Bitboard {
        !(self.bricks[0] | self.bricks[1])
    }

    fn threats(&self) -> Threats {
        let empty = self.empty();
        Threats {
            completing: self.completing.map(|cells| cells & empty),
            playable: playable(!empty),
        }
    }

    /// A side as the one that is to be held.
    fn held(&self, side: Side) -> Held {
        let empty = self.empty();
        Held {
            blocked: self.bricks[side.opponent().index()],
            empty,
            playable: playable(!empty),
        }
    }

    /// The rows in which an empty cell can still be of use.
    fn rows(&self) -> Bitboard {
        rows_of(self.empty() & (self.open[0] | self.open[1]))
    }
}

impl game::SolverPosition for CaveSolverPosition {
    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn plies_left(&self) -> u32 {
        self.empty().count()
    }

    fn outcome(&self) -> Option<Outcome> {
        // Nobody has five: whoever could, did not have to play here.
        self.empty().is_empty().then(|| Outcome::draw(super::FULL))
    }

    fn forced(&self) -> Forced {
        self.threats().forced(self.mover)
    }

    fn key(&self) -> u64 {
        let [first, second] = self.bricks;
        let live = [first & self.open[0], second & self.open[1]];
        let rows = self.rows();
        let idle = (self.empty() & !rows).count();
        let occupied = (first | second) & rows;
        let mixed = mix(live[0].0 ^ 0x9e37_79b9_7f4a_7c15)
            .wrapping_add(mix(live[1].0 ^ 0xd1b5_4a32_d192_ed03))
            .wrapping_add(mix(occupied.0 ^ 0x8cb9_2ba7_2f3d_8dd7));
        mix(mixed ^ rows.0 ^ u64::from(idle))
    }

    fn can_be_held(&self, side: Side) -> bool {
        let held = self.held(side);
        let Some(common) = held.without_pair() else {
            return held.by_pairs(Bitboard::EMPTY, Bitboard::EMPTY);
        };
        if common.is_empty() {
            return false;
        }
        let other = side.opponent();
        let own_core = match side {
            Side::Second => Bitboard::EMPTY,
            Side::First => match self.threats().waiting(other).first() {
                Some(cell) => core(cell),
                None => return false,
            },
        };
        let inner = held.empty & held.empty.east() & held.empty.west();
        (common & inner).cells().any(|cell| {
            let core = core(cell);
            (rows_of(core) & own_core).is_empty() && held.by_pairs(core | own_core, cell.into())
        })
    }

    fn is_won(&self, side: Side) -> bool {
        let waiting = self.threats().waiting(side);
        if waiting.is_empty() {
            return false;
        }
        let held = self.held(side.opponent());
        let mut cores = waiting.cells().map(core);
        match side {
            Side::First => cores.any(|core| held.by_pairs(core, Bitboard::EMPTY)),
            Side::Second => {
                let twins = waiting & waiting.east();
                twins.cells().any(|cell| {
                    let cells = core(cell);
                    held.by_pairs(cells | cells.west(), Bitboard::EMPTY)
                }) || cores.next().is_some_and(|one| {
                    cores.any(|other| (one & other).is_empty() && held.by_pairs(one | other, Bitboard::EMPTY))
                })
            }
        }
    }

    fn moves(&self, mut see: impl FnMut(Move, i32)) {
        let rows = self.rows();
        let safe = self.threats().safe(self.mover);
        let mut cells = safe & rows;
        // All moves of the other rows do the same: they pass the turn.
        if let Some(cell) = (safe & !rows).first() {
            cells |= cell.into();
        }
        let lines = OpenLines::of(self.bricks[0], self.bricks[1]);
        let planes = Side::BOTH.map(|side| [1, 2, 3].map(|bricks| lines.cells(side, bricks)));
        let promise = |cell: Cell| {
            let worths = planes.iter().flat_map(|planes| planes.iter().zip(PROMISE));
            worths
                .map(|(plane, worth)| if plane.contains(cell) { worth } else { 0 })
                .sum()
        };
        for cell in cells.cells() {
            see(Move::place(cell), promise(cell));
        }
    }

    fn play(&self, mv: Move) -> Self {
        let mut next = *self;
        let (own, other) = (self.mover.index(), self.mover.opponent().index());
        let cell = mv.to();
        next.bricks[own] |= cell.into();
        next.mover = self.mover.opponent();
        if self.open[own].contains(cell) {
            next.completing[own] = completing(next.bricks[own]);
        }
        if self.open[other].contains(cell) {
            next.open[other] = open_cells(next.bricks[own]);
        }
        next
    }
}

/// A waiting cell and its neighbours in the row.
fn core(cell: Cell) -> Bitboard {
    let cell = Bitboard::from(cell);
    cell | cell.east() | cell.west()
}

/// All cells of the rows that have any of these.
fn rows_of(cells: Bitboard) -> Bitboard {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high = (((cells.0 & LOW) + LOW) | cells.0) & !LOW;
    Bitboard((high >> 7) * 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::SolverPosition as _;
    use crate::random::Random;

    #[test]
    fn what_is_kept_from_move_to_move_is_what_is_seen_anew() {
        let mut random = Random::new(8);
        for _ in 0..300 {
            let mut position = MagneticCave::startpos();
            let mut ending = CaveSolverPosition::of(&position);
            while let Some(&mv) = random.choose(&position.legal_moves()) {
                position = position.play(mv);
                ending = ending.play(mv);
                let anew = CaveSolverPosition::of(&position);
                assert_eq!(ending.key(), anew.key(), "{}", position.fen());
                assert_eq!(ending.open, anew.open, "{}", position.fen());
                assert_eq!(ending.threats(), anew.threats(), "{}", position.fen());
            }
        }
    }
}
