//! What a game knows beyond evaluations: solvers, exact values, and models of weak opponents. Only the
//! search at the root asks for it.

use std::path::Path;

use super::proof::ProofSearch;
use super::rules::Game;
use crate::board::{Move, Side};
use crate::score::Value;

/// The root strategy of a game. The defaults know nothing.
pub trait RootStrategy<G: Game> {
    /// Whether the game has a solver of its own, [`proves_win`](Self::proves_win).
    const HAS_OWN_SOLVER: bool = false;

    /// The maximum number of selective iterations: if there is no time for the search to the end of
    /// the game, iterations of the same depth with reductions come first. Each is one ply deeper,
    /// so that moves that are reduced more still reach the end.
    const SELECTIVE_ITERATIONS: u32 = 0;

    /// When the search plays for mistakes of an opponent that moves as
    /// [`shallow_reply`](Self::shallow_reply) says; `None` in games without such a model.
    const SWINDLE_LIMITS: Option<SwindleLimits> = None;

    /// The number of models of [`shallow_reply`](Self::shallow_reply).
    const SHALLOW_MODELS: usize = 0;

    /// An estimate of the nodes that the solver needs for this position;
    /// `u64::MAX` if unknown.
    fn solver_cost(_position: &G) -> u64 {
        u64::MAX
    }

    /// The plies for which a clock must last: those until the end of the game, or fewer if the solver
    /// needs hardly any time for the last ones.
    fn plies_on_clock(position: &G) -> u32 {
        position.plies_left()
    }

    /// The exact result of each of these legal moves, where the game knows every position
    /// that can follow. `None` if it does not, or if `may_go_on` returns false before the
    /// knowledge is there; a later call then finds more of it. Opponents who reply at random
    /// for `rounds` rounds decide [`ExactMove::chance`].
    fn exact_moves(
        _position: &G,
        _moves: &[Move],
        _rounds: u32,
        _may_go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<ExactMove>> {
        None
    }

    /// Computes the exact values that stay in memory for the life of the process, so that no
    /// search has to. A second call does nothing.
    fn prepare() {}

    /// Opens a file of exact values for [`exact_moves`](Self::exact_moves), or closes it. Returns what
    /// the file answers, in a few words; nothing in a game without such files.
    ///
    /// # Errors
    /// The file cannot be used. None is open then.
    fn use_table(_path: Option<&Path>) -> Result<String, String> {
        Ok(String::new())
    }

    /// The game's own solver: whether `attacker` wins this unfinished position against
    /// every defence. `None` if the search stops it, or if the game has no such solver.
    fn proves_win(_position: &G, _attacker: Side, _search: &mut impl ProofSearch) -> Option<bool> {
        None
    }

    /// The part of all nodes, in percent, that [`solve_root`](Self::solve_root) gets at this root; 0 if
    /// it has no task there.
    fn solver_share(_root: &G) -> u32 {
        0
    }

    /// A solver that works in turn with the search: the proven result of this unfinished
    /// position if only these moves may be played. `None` if the search stops it; it finds
    /// what it has stored when it is called again.
    fn solve_root(_root: &G, _moves: &[Move], _search: &mut impl RootSearch) -> Option<RootResult> {
        None
    }

    /// The reply of an opponent that searches a few plies only, by the model with this number;
    /// `None` if the game is over, or without such a model. Adds the positions searched to `nodes`.
    fn shallow_reply(_position: &G, _model: usize, _nodes: &mut u64) -> Option<Move> {
        None
    }
}

/// A move with its exact result, for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactMove {
    /// The move.
    pub mv: Move,
    /// With best play of both sides: 1 for a win, 0 for a draw, −1 for a loss.
    pub points: i32,
    /// The points to expect from an opponent who replies at random for some rounds, from 0
    /// for a loss to 1000 for a win.
    pub chance: i32,
    /// The static evaluation of the position after the move.
    pub evaluation: Value,
}

/// Below which values of the root the search plays for mistakes of the opponent: by the number of
/// its last moves, without a gap, that were its [`RootStrategy::shallow_reply`]. The last limit
/// holds for more moves, too.
#[derive(Clone, Copy, Debug)]
pub struct SwindleLimits {
    /// Where a mistake saves a draw.
    pub draw: &'static [Value],
    /// Where a mistake leads to a win.
    pub win: &'static [Value],
    /// How much less than the best move, by search, the first move of a line may be worth. Then
    /// it also keeps a proven draw. `None`: any first move will do.
    pub first_move: Option<Value>,
}

impl SwindleLimits {
    /// The limit for these points, 0 for a draw or 1 for a win, after this number of expected
    /// moves.
    pub fn limit(&self, points: i32, expected: u32) -> Value {
        let limits = if points > 0 { self.win } else { self.draw };
        let limit = limits.get(expected as usize).or(limits.last());
        limit.copied().unwrap_or(Value::MIN)
    }

    /// The number of expected moves from which on the limits stay the same.
    pub fn most_expected(&self) -> usize {
        self.draw.len().max(self.win.len()).saturating_sub(1)
    }
}

/// The search around a game's solver, see [`RootStrategy::solve_root`].
pub trait RootSearch {
    /// Counts a position. Returns false if the solver must stop.
    fn enter(&mut self) -> bool;

    /// What was stored under a key.
    fn find(&self, key: u64) -> Option<SolverFact>;

    /// Stores a fact. Facts of greater depth stay longer.
    fn store(&mut self, key: u64, fact: SolverFact);
}

/// What a solver stores of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverFact {
    /// The move that decided.
    pub best: Option<Move>,
    /// The solver's own code of what is known.
    pub code: u16,
    /// The depth of the search for it, in plies, at most 255.
    pub depth: u8,
}

/// The proven result of a root position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootResult {
    /// A move that keeps the result.
    pub best: Move,
    /// The result for the side to move: 1 for a win, 0 for a draw, −1 for a loss.
    pub points: i32,
}
