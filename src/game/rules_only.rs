//! A solver position for any game.

use super::evaluate::Evaluate;
use super::outcome::Outcome;
use super::solver::SolverPosition;
use crate::board::{Move, Side};

/// A [`SolverPosition`] without static bounds, for any game.
#[derive(Clone, Copy, Debug)]
pub struct RulesOnly<G>(pub G);

impl<G: Evaluate> SolverPosition for RulesOnly<G> {
    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn plies_left(&self) -> u32 {
        self.0.plies_left()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn moves(&self, mut visit: impl FnMut(Move, i32)) {
        for &mv in self.0.generate_moves().iter() {
            visit(mv, self.0.order_hint(mv));
        }
    }

    fn play(&self, mv: Move) -> Self {
        RulesOnly(self.0.play(mv))
    }
}
