//! Positions in a search to the turn limit.

use super::Gridlock;
use crate::board::{Move, Side};
use crate::game::{self, Evaluate, Forced, Game, Outcome};

/// A position of which nothing shows at a glance.
#[derive(Clone, Copy, Debug)]
pub struct GridlockSolverPosition(pub Gridlock);

impl game::SolverPosition for GridlockSolverPosition {
    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn plies_left(&self) -> u32 {
        self.0.plies_left()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn forced(&self) -> Forced {
        Forced::Nothing
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn can_be_held(&self, _side: Side) -> bool {
        false
    }

    fn is_won(&self, _side: Side) -> bool {
        false
    }

    fn moves(&self, mut see: impl FnMut(Move, i32)) {
        for &mv in self.0.generate_moves().iter() {
            see(mv, self.0.order_hint(mv));
        }
    }

    fn play(&self, mv: Move) -> Self {
        GridlockSolverPosition(self.0.play(mv))
    }
}
