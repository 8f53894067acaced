//! The root strategy of Magnetic Cave.

use super::solver::Solver;
use super::solver_position::SolverPosition;
use super::{MagneticCave, shallow};
use crate::board::{Move, Side};
use crate::game::{Game, ProofSearch, RootStrategy, SwindleLimits};
use crate::score::Value;

/// Growth of [`SOLVER_COST`] per empty cell.
const SOLVER_COST_GROWTH: f64 = 1.83;

/// The solver's expected cost at 30 empty cells, in nodes. The medians of endgames, with the iterations before
/// the solver, are 33,000 with 32 empty cells, 107,000 with 34 and 351,000 with 36 (`docs/magnetic-cave.md`); single endgames
/// need several times as many.
const SOLVER_COST: (i32, f64) = (30, 10_000.0);

/// From this number of empty cells on, a proof takes 0.01 s in the median (`docs/magnetic-cave.md`), ...
const SOLVED_EMPTY: u32 = 28;

/// ... so a clock need not last for more plies than these there.
const SOLVED_PLIES: u32 = 8;

/// No value is less.
const NEVER: Value = Value::MIN;

/// The root strategy of Magnetic Cave: a solver of its own.
#[derive(Debug)]
pub struct MagneticCaveRoot;

impl RootStrategy<MagneticCave> for MagneticCaveRoot {
    const HAS_OWN_SOLVER: bool = true;

    // Measured: `docs/magnetic-cave.md`.
    const SWINDLE_LIMITS: Option<SwindleLimits> = Some(SwindleLimits {
        draw: &[NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, -800, -600, -400],
        win: &[NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, 0, 300, 900],
        first_move: Some(100),
    });

    const SHALLOW_MODELS: usize = shallow::MODELS.len();

    fn solver_cost(position: &MagneticCave) -> u64 {
        let (empty, nodes) = SOLVER_COST;
        let more = position.empty().count() as i32 - empty;
        (nodes * SOLVER_COST_GROWTH.powi(more)) as u64
    }

    fn plies_on_clock(position: &MagneticCave) -> u32 {
        let left = position.plies_left();
        left.min(left.saturating_sub(SOLVED_EMPTY) + SOLVED_PLIES)
    }

    fn proves_win(position: &MagneticCave, attacker: Side, search: &mut impl ProofSearch) -> Option<bool> {
        let answer = Solver::new(attacker, search).answer(&SolverPosition::of(position)?)?;
        Some(answer.attacker_wins)
    }

    fn shallow_reply(position: &MagneticCave, model: usize, nodes: &mut u64) -> Option<Move> {
        shallow::reply(shallow::MODELS.get(model)?, position, nodes)
    }
}
