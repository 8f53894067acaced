//! The root strategy of Gridlock.

use std::path::Path;

use super::{Gridlock, crowded, exact, shallow};
use crate::board::Move;
use crate::game::{ExactMove, RootResult, RootSearch, RootStrategy, SwindleLimits};

/// The root strategy of Gridlock: exact values with few pieces, a solver for crowded boards.
#[derive(Debug)]
pub struct GridlockRoot;

impl RootStrategy<Gridlock> for GridlockRoot {
    const SELECTIVE_ITERATIONS: u32 = 4;

    // Measured: `docs/gridlock.md`.
    const SWINDLE_LIMITS: Option<SwindleLimits> = Some(SwindleLimits {
        draw: &[-750, -600, -375, -187, -100],
        win: &[-750, -600, -300, 100, 400, 500],
        first_move: None,
    });

    const SHALLOW_MODELS: usize = 1;

    fn exact_moves(
        position: &Gridlock,
        moves: &[Move],
        rounds: u32,
        may_go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<ExactMove>> {
        exact::exact_moves(position, moves, rounds, may_go_on)
    }

    fn prepare() {
        exact::prepare();
    }

    fn use_table(path: Option<&Path>) -> Result<String, String> {
        exact::use_table(path)
    }

    fn solver_share(root: &Gridlock) -> u32 {
        crowded::solver_share(root)
    }

    fn solve_root(root: &Gridlock, moves: &[Move], search: &mut impl RootSearch) -> Option<RootResult> {
        crowded::solve(root, moves, search)
    }

    fn shallow_reply(position: &Gridlock, _model: usize, nodes: &mut u64) -> Option<Move> {
        shallow::reply(position, nodes)
    }
}
