//! Positions of the solver: equivalent positions, idle rows, static bounds.
//!
//! Proofs: `docs/magnetic-cave.md`.

use super::lines::open_cells;
use super::open_lines::OpenLines;
use super::pairing::PairingStrategy;
use super::threats::{Threats, completing};
use super::{MagneticCave, playable};
use crate::board::{Bitboard, Cell, Move, Side};
use crate::game::{Forced, Game, Outcome, SolverPosition};
use crate::random::mix;

/// A solver position of Magnetic Cave, updated incrementally: a brick changes the completing
/// cells of its own side and the open lines of the other side.
#[derive(Clone, Copy, Debug)]
pub struct CaveSolverPosition {
    bricks: [Bitboard; 2],
    mover: Side,
    /// By side, the cells that would complete five. May include occupied cells.
    completing: [Bitboard; 2],
    /// By side, the cells of all its open lines: lines without a brick of the other side.
    open: [Bitboard; 2],
}

/// Move ordering: the hint for a cell in an open line of either side, by the number of
/// bricks in the line, 1 to 3.
const LINE_HINTS: [i32; 3] = [8, 16, 32];

impl CaveSolverPosition {
    /// The solver position for an unfinished position.
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

    /// The search for a pairing strategy against `attacker`.
    fn pairing_against(&self, attacker: Side) -> PairingStrategy {
        let empty = self.empty();
        PairingStrategy {
            blocked: self.bricks[attacker.opponent().index()],
            empty,
            playable: playable(!empty),
        }
    }

    /// All cells of the rows that are not idle: an empty cell lies in an open line.
    fn live_rows(&self) -> Bitboard {
        rows_of(self.empty() & (self.open[0] | self.open[1]))
    }
}

impl SolverPosition for CaveSolverPosition {
    fn side_to_move(&self) -> Side {
        self.mover
    }

    fn plies_left(&self) -> u32 {
        self.empty().count()
    }

    fn outcome(&self) -> Option<Outcome> {
        // Neither side has five: `forced` reports a win before it is played.
        self.empty().is_empty().then(|| Outcome::draw(super::FULL))
    }

    fn forced(&self) -> Forced {
        self.threats().forced(self.mover)
    }

    fn key(&self) -> u64 {
        let [first, second] = self.bricks;
        let live = [first & self.open[0], second & self.open[1]];
        let rows = self.live_rows();
        let idle = (self.empty() & !rows).count();
        let occupied = (first | second) & rows;
        let mixed = mix(live[0].0 ^ 0x9e37_79b9_7f4a_7c15)
            .wrapping_add(mix(live[1].0 ^ 0xd1b5_4a32_d192_ed03))
            .wrapping_add(mix(occupied.0 ^ 0x8cb9_2ba7_2f3d_8dd7));
        mix(mixed ^ rows.0 ^ u64::from(idle))
    }

    /// Pairing strategy, with a guarded cell if some lines have no pair.
    fn can_be_held(&self, side: Side) -> bool {
        let pairing = self.pairing_against(side);
        let Some(common) = pairing.common_cells_without_pair() else {
            return pairing.exists(Bitboard::EMPTY, Bitboard::EMPTY);
        };
        if common.is_empty() {
            return false;
        }
        // Against the first player, parity requires a waiting cell of the defender.
        let own_core = match side {
            Side::Second => Bitboard::EMPTY,
            Side::First => match self.threats().waiting(side.opponent()).first() {
                Some(cell) => core(cell),
                None => return false,
            },
        };
        let inner = pairing.empty & pairing.empty.east() & pairing.empty.west();
        (common & inner).cells().any(|guarded| {
            let core = core(guarded);
            (rows_of(core) & own_core).is_empty() && pairing.exists(core | own_core, guarded.into())
        })
    }

    /// Won waiting cells: one for the first player, two for the second.
    fn is_won(&self, side: Side) -> bool {
        let waiting = self.threats().waiting(side);
        if waiting.is_empty() {
            return false;
        }
        let pairing = self.pairing_against(side.opponent());
        let mut cores = waiting.cells().map(core);
        match side {
            Side::First => cores.any(|core| pairing.exists(core, Bitboard::EMPTY)),
            Side::Second => {
                let adjacent = waiting & waiting.east();
                adjacent.cells().any(|cell| {
                    let cells = core(cell);
                    pairing.exists(cells | cells.west(), Bitboard::EMPTY)
                }) || cores.next().is_some_and(|first| {
                    cores.any(|other| {
                        (first & other).is_empty() && pairing.exists(first | other, Bitboard::EMPTY)
                    })
                })
            }
        }
    }

    fn moves(&self, mut visit: impl FnMut(Move, i32)) {
        let rows = self.live_rows();
        let safe = self.threats().safe(self.mover);
        let mut cells = safe & rows;
        // All moves in idle rows are equivalent: they only pass the turn.
        if let Some(cell) = (safe & !rows).first() {
            cells |= cell.into();
        }
        let lines = OpenLines::of(self.bricks[0], self.bricks[1]);
        let planes = Side::BOTH.map(|side| [1, 2, 3].map(|bricks| lines.cells(side, bricks)));
        let hint = |cell: Cell| {
            let hints = planes.iter().flat_map(|planes| planes.iter().zip(LINE_HINTS));
            hints
                .map(|(plane, hint)| if plane.contains(cell) { hint } else { 0 })
                .sum()
        };
        for cell in cells.cells() {
            visit(Move::place(cell), hint(cell));
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

/// The core of a waiting cell: the cell and its neighbours in the row.
fn core(cell: Cell) -> Bitboard {
    let cell = Bitboard::from(cell);
    cell | cell.east() | cell.west()
}

/// All cells of the rows that contain any of `cells`.
fn rows_of(cells: Bitboard) -> Bitboard {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high = (((cells.0 & LOW) + LOW) | cells.0) & !LOW;
    Bitboard((high >> 7) * 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn incremental_updates_match_a_new_position() {
        let mut random = Random::new(8);
        for _ in 0..300 {
            let mut position = MagneticCave::startpos();
            let mut updated = CaveSolverPosition::of(&position);
            while let Some(&mv) = random.choose(&position.legal_moves()) {
                position = position.play(mv);
                updated = updated.play(mv);
                let new = CaveSolverPosition::of(&position);
                assert_eq!(updated.key(), new.key(), "{}", position.fen());
                assert_eq!(updated.open, new.open, "{}", position.fen());
                assert_eq!(updated.threats(), new.threats(), "{}", position.fen());
            }
        }
    }
}
