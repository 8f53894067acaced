//! The root strategy of Magnetic Cave: when the solver takes over from the iterations.

mod proof_table;
mod prover;
mod shared_proof;

use std::sync::Arc;

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::magnetic_cave::MagneticCave;
use lodestone_game::score::Value;

use self::shared_proof::SharedProof;
use super::swindle::{self, PlaysForMistakes, SwindleLimits, Swindles};
use crate::game::magnetic_cave::{ProofOrdering, shallow};
use crate::search::{RootState, RootStrategy, SearchThread, ShallowOpponent};

/// Growth of [`SOLVER_COST`] per empty cell.
const SOLVER_COST_GROWTH: f64 = 1.83;

/// The solver's expected cost at 30 empty cells, in nodes. The medians of endgames, with the iterations before
/// the solver, are 33,000 with 32 empty cells, 107,000 with 34 and 351,000 with 36 (`research/notes/magnetic-cave.md`); single endgames
/// need several times as many.
const SOLVER_COST: (i32, f64) = (30, 10_000.0);

/// From this number of empty cells on, a proof takes 0.01 s in the median (`research/magnetic-cave.md`), ...
const SOLVED_EMPTY: u32 = 28;

/// ... so a clock need not last for more plies than these there.
const SOLVED_PLIES: u32 = 8;

/// No value is less.
const NEVER: Value = Value::MIN;

/// Iterations before the switch to the solver. They order the root moves well, and in a
/// drawn position that order decides the move. Measured: `research/notes/magnetic-cave.md`.
const ITERATIONS_BEFORE_SOLVER: u32 = 14;

/// The minimum number of iterations before the solver. It is enough once they have
/// searched 1 / [`SOLVER_COST_DIVISOR`] of the solver's expected nodes.
const MIN_ITERATIONS_BEFORE_SOLVER: u32 = 10;

/// Helpers begin the proof after this many iterations, as soon as they know the speed of the
/// search. So it is under way, or done, when the main thread begins it.
const HELPER_ITERATIONS_BEFORE_SOLVER: u32 = 4;

/// See [`MIN_ITERATIONS_BEFORE_SOLVER`].
const SOLVER_COST_DIVISOR: u64 = 3;

/// The same if the limits allow [`AMPLE_BUDGET`] times the solver's expected nodes.
const AMPLE_SOLVER_COST_DIVISOR: u64 = 10;

/// See [`AMPLE_SOLVER_COST_DIVISOR`].
const AMPLE_BUDGET: u64 = 4;

/// With a node limit or deadline, the solver runs if it is expected to need at most this many
/// times the nodes that are left: half of the endgames need less than expected, and a part of
/// the proof also finds better moves.
const MAX_SOLVER_COST: u64 = 3;

/// The solver also runs when this part of the nodes is searched, in percent, if it is
/// expected to need at most [`MAX_LATE_SOLVER_COST`] times the nodes that are left. It seldom
/// finishes then, but finds moves that lose. Measured: `research/notes/magnetic-cave.md`.
const LATE_SOLVER_PERCENT: u64 = 30;

/// With a limit, the solver asks first whether the side to move wins only if the
/// iterations before it have at least this value. With less, most positions are draws, and if the
/// time ends early, a move that is proven not to lose is worth more.
const MIN_ATTACK_VALUE: Value = 300;

/// See [`LATE_SOLVER_PERCENT`].
const MAX_LATE_SOLVER_COST: u64 = 30;

/// Without a node limit or deadline, the solver runs if it is expected to need at most
/// this many nodes. Enough for Magnetic Cave with 41 empty cells.
const MAX_UNLIMITED_SOLVER_NODES: u64 = 10_000_000;

/// The search for swindles begins once the nodes so far are this part of those that are left.
const READY_DIVISOR: u64 = 3;

/// The proof that a first move keeps a draw may use this part of the nodes that are left.
const CHECK_DIVISOR: u64 = 4;

/// What the strategy of one thread remembers.
#[derive(Debug, Default)]
pub struct MagneticCaveMemory {
    /// The move ordering of the solver.
    ordering: ProofOrdering,
    /// The solver stops at this number of nodes of the thread; `None` without a limit.
    limit: Option<u64>,
    /// What other threads say about the proof; `None` if there are none.
    shared: Option<Arc<SharedProof>>,
    /// Whether a result of another thread ends the proof.
    awaits_result: bool,
    swindles: Swindles,
}

/// An estimate of the nodes that the solver needs for this position.
fn solver_cost(position: &MagneticCave) -> u64 {
    let (empty, nodes) = SOLVER_COST;
    let more = position.empty().count() as i32 - empty;
    (nodes * SOLVER_COST_GROWTH.powi(more)) as u64
}

impl PlaysForMistakes for MagneticCave {
    // Measured: `research/notes/magnetic-cave.md`.
    const LIMITS: SwindleLimits = SwindleLimits {
        draw: &[NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, -800, -600, -400],
        win: &[NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, 0, 300, 900],
        first_move: Some(100),
    };

    const MODELS: usize = shallow::MODELS.len();

    fn shallow_reply(&self, model: usize, nodes: &mut u64) -> Option<Move> {
        shallow::reply(shallow::MODELS.get(model)?, self, nodes)
    }

    fn swindles(memory: &MagneticCaveMemory) -> &Swindles {
        &memory.swindles
    }

    fn swindles_mut(memory: &mut MagneticCaveMemory) -> &mut Swindles {
        &mut memory.swindles
    }

    /// A good search comes first.
    fn is_time_for_swindles(search: &SearchThread<'_, MagneticCave>, state: &RootState) -> bool {
        let left = search.node_budget();
        search.next_depth(state.depth, state.max_depth) >= search.root.plies_left()
            || left.is_none_or(|left| search.nodes >= left / READY_DIVISOR)
    }

    fn keeps_draw(search: &mut SearchThread<'_, MagneticCave>, next: &MagneticCave) -> bool {
        let budget = search.node_budget().map_or(u64::MAX, |left| left / CHECK_DIVISOR);
        search.is_won_within(next, next.side_to_move(), budget) == Some(false)
    }
}

impl RootStrategy for MagneticCave {
    type Memory = MagneticCaveMemory;

    fn plies_on_clock(&self) -> u32 {
        let left = self.plies_left();
        left.min(left.saturating_sub(SOLVED_EMPTY) + SOLVED_PLIES)
    }

    fn shallow_opponent(played: &[(MagneticCave, Move)]) -> ShallowOpponent {
        swindle::shallow_opponent(played)
    }

    fn new_search(threads: &mut [MagneticCaveMemory]) {
        let shared = (threads.len() > 1).then(|| Arc::new(SharedProof::new(threads.len())));
        for memory in threads {
            memory.swindles.new_search();
            *memory = MagneticCaveMemory {
                shared: shared.clone(),
                swindles: std::mem::take(&mut memory.swindles),
                ..MagneticCaveMemory::default()
            };
        }
    }

    fn begin(search: &mut SearchThread<'_, MagneticCave>) -> Option<Move> {
        swindle::begin(search);
        None
    }

    fn next_iteration(search: &mut SearchThread<'_, MagneticCave>, state: &mut RootState) -> Option<Move> {
        state.depth = search.next_depth(state.depth, state.max_depth);
        None
    }

    fn solve(
        search: &mut SearchThread<'_, MagneticCave>,
        moves: &mut [Move],
        previous: Value,
    ) -> Option<Value> {
        let least = search.node_budget().map_or(0, |_| MIN_ATTACK_VALUE);
        let attacks = previous >= least && search.is_likely_to_prove();
        search.prove_root(moves, attacks)
    }

    fn after_iteration(search: &mut SearchThread<'_, MagneticCave>, state: &RootState) {
        swindle::after_iteration(search, state);
    }

    fn line<'a>(search: &'a SearchThread<'_, MagneticCave>, best: &'a [Move], value: Value) -> &'a [Move] {
        swindle::line(search, best, value)
    }

    fn finish(search: &mut SearchThread<'_, MagneticCave>, state: &RootState) -> Move {
        swindle::finish(search, state)
    }
}

impl SearchThread<'_, MagneticCave> {
    /// The depth of the next iteration: one ply more, or the switch to the solver, which
    /// searches to the end of the game, if it is likely to finish in time, or if it uses the rest
    /// of the nodes better.
    fn next_depth(&self, depth: u32, max_depth: u32) -> u32 {
        let plies_left = self.root.plies_left();
        let cost = solver_cost(&self.root);
        let budget = self.node_budget();
        let is_ample = budget.is_none_or(|nodes| nodes / AMPLE_BUDGET >= cost);
        let divisor = if is_ample {
            AMPLE_SOLVER_COST_DIVISOR
        } else {
            SOLVER_COST_DIVISOR
        };
        let shared = self.memory.shared.as_ref();
        let is_finished = shared.is_some_and(|shared| shared.is_finished());
        // With helpers, the proof is under way.
        let enough =
            is_finished || is_ample && shared.is_some() || self.nodes.saturating_mul(divisor) >= cost;
        let is_prepared = depth >= ITERATIONS_BEFORE_SOLVER
            || depth >= MIN_ITERATIONS_BEFORE_SOLVER && enough
            || self.helper > 0 && depth >= HELPER_ITERATIONS_BEFORE_SOLVER;
        let is_affordable = is_finished || cost <= self.affordable_nodes();
        let is_useful = is_prepared && is_affordable || self.is_late(cost);
        if max_depth >= plies_left && is_useful {
            plies_left
        } else {
            depth + 1
        }
    }

    /// Whether the solver should use the rest of the nodes, although it is not likely to
    /// finish. `cost` is its expected cost in nodes.
    fn is_late(&self, cost: u64) -> bool {
        self.node_budget().is_some_and(|nodes| {
            let all = self.nodes.saturating_add(nodes);
            self.nodes.saturating_mul(100) >= all.saturating_mul(LATE_SOLVER_PERCENT)
                && cost <= nodes.saturating_mul(MAX_LATE_SOLVER_COST)
        })
    }

    /// Whether the solver is likely to finish.
    fn is_likely_to_prove(&self) -> bool {
        self.node_budget()
            .is_none_or(|nodes| solver_cost(&self.root) <= nodes)
    }

    /// The greatest expected cost with which the solver runs, in nodes.
    fn affordable_nodes(&self) -> u64 {
        match self.node_budget() {
            Some(nodes) => nodes.saturating_mul(MAX_SOLVER_COST),
            None => MAX_UNLIMITED_SOLVER_NODES,
        }
    }
}
