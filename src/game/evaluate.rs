//! What players need to know about a game beyond its rules.

use std::path::Path;

use super::proof::ProofSearch;
use super::rules::Game;
use crate::board::{Move, MoveList, Side};
use crate::score::Value;

/// What the search needs beyond the rules. The default methods are correct for
/// every game; a game overrides them to be searched faster or better.
pub trait Evaluate: Game {
    /// Facts about a position that the search computes once per node.
    type NodeInfo;

    /// Whether the game has a solver of its own, [`proves_win`](Self::proves_win).
    const HAS_OWN_SOLVER: bool = false;

    /// When the search plays for mistakes of an opponent that moves as
    /// [`shallow_reply`](Self::shallow_reply) says; `None` in games without such a model.
    const SWINDLE_LIMITS: Option<SwindleLimits> = None;

    /// The number of models of [`shallow_reply`](Self::shallow_reply).
    const SHALLOW_MODELS: usize = 0;

    /// Whether to reduce the depth by one ply where the table has no move
    /// (internal iterative reduction).
    const INTERNAL_ITERATIVE_REDUCTION: bool = false;

    /// The fixed-depth players of the course assignments.
    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>];

    /// The node info of an unfinished position.
    fn node_info(&self) -> Self::NodeInfo;

    /// What the rules force on the side to move, as far as it can be seen without search.
    fn forced(&self, _info: &Self::NodeInfo) -> Forced {
        Forced::Nothing
    }

    /// The moves to search in a position where nothing is forced, in rising
    /// order. May leave out moves that lose to the opponent's next move, but
    /// not all moves.
    fn candidates(&self, _info: &Self::NodeInfo) -> MoveList {
        self.generate_moves()
    }

    /// The key of the transposition table: [`Game::key`], or
    /// [`Game::symmetry_key`] where that pays.
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// An estimate of the nodes that the solver needs for this position;
    /// `u64::MAX` if unknown.
    fn solver_cost(&self) -> u64 {
        u64::MAX
    }

    /// The plies for which a clock must last: those until the end of the game, or fewer if the solver
    /// needs hardly any time for the last ones.
    fn plies_on_clock(&self) -> u32 {
        self.plies_left()
    }

    /// By side, whether it can still win, whatever both sides play; `true` if
    /// unknown.
    fn can_win(&self) -> [bool; 2] {
        [true; 2]
    }

    /// The exact result of each of these legal moves, where the game knows every position
    /// that can follow. `None` if it does not, or if `may_go_on` returns false before the
    /// knowledge is there; a later call then finds more of it. Opponents who reply at random
    /// for `rounds` rounds decide [`ExactMove::chance`].
    fn exact_moves(
        &self,
        _moves: &[Move],
        _rounds: u32,
        _may_go_on: &dyn Fn() -> bool,
    ) -> Option<Vec<ExactMove>> {
        None
    }

    /// Computes the exact values that stay in memory for the life of the process, so that no
    /// search has to. A second call does nothing.
    fn prepare() {}

    /// Opens a file of exact values for [`Evaluate::exact_moves`], or closes it. Returns what
    /// the file answers, in a few words; nothing in a game without such files.
    ///
    /// # Errors
    /// The file cannot be used. None is open then.
    fn use_table(_path: Option<&Path>) -> Result<String, String> {
        Ok(String::new())
    }

    /// The game's own solver: whether `attacker` wins this unfinished position against
    /// every defence. `None` if the search stops it, or if the game has no such solver.
    fn proves_win(&self, _attacker: Side, _search: &mut impl ProofSearch) -> Option<bool> {
        None
    }

    /// The part of all nodes, in percent, that [`Evaluate::solve_root`] gets at this root; 0 if it
    /// has no task there.
    fn solver_share(&self) -> u32 {
        0
    }

    /// A solver that works in turn with the search: the proven result of this unfinished
    /// position if only these moves may be played. `None` if the search stops it; it finds
    /// what it has stored when it is called again.
    fn solve_root(&self, _moves: &[Move], _search: &mut impl RootSearch) -> Option<RootResult> {
        None
    }

    /// The reply of an opponent that searches a few plies only, by the model with this number;
    /// `None` if the game is over, or without such a model. Adds the positions searched to `nodes`.
    fn shallow_reply(&self, _model: usize, _nodes: &mut u64) -> Option<Move> {
        None
    }

    /// A hash of the board and the side to move, in games in which a position can occur
    /// again; `None` in others.
    fn repetition_key(&self) -> Option<u64> {
        None
    }

    /// The result of an unfinished position for the side to move, where its next move is the
    /// last of the game and the game can tell it without playing the moves: 1 for a win, 0
    /// for a draw, −1 for a loss. The solver asks for it.
    fn last_move_points(&self) -> Option<i32> {
        None
    }

    /// The static evaluation for the side to move, within
    /// ±[`MAX_EVAL`](crate::score::MAX_EVAL). Without `contempt`, as between
    /// equal players.
    fn evaluate(&self, info: &Self::NodeInfo, contempt: Option<Contempt>) -> Value;

    /// A first move ordering score; the search tries higher ones earlier.
    fn order_hint(&self, mv: Move) -> i32;

    /// Calls `visit` with each move and its [`order_hint`](Self::order_hint).
    fn order_hints(&self, moves: &[Move], mut visit: impl FnMut(Move, i32)) {
        for &mv in moves {
            visit(mv, self.order_hint(mv));
        }
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
/// its last moves, without a gap, that were its [`Evaluate::shallow_reply`]. The last limit
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

/// How much the search counts on mistakes of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contempt {
    /// The side that the search plays.
    pub side: Side,
    /// From 0 for an equal opponent to 100 for one that searches four plies.
    pub percent: u8,
}

/// A player of a course assignment: alpha-beta of fixed depth.
#[derive(Clone, Copy, Debug)]
pub struct ReferencePlayer<G> {
    /// The value of `Personality`.
    pub name: &'static str,
    /// The evaluation for the first player, of finished positions too.
    pub evaluate: fn(&G) -> i32,
}

/// What the frozen player `plain` needs. Implementations never change: a test
/// pins the node counts of `plain`.
pub trait Yardstick: Game {
    /// The evaluation for the side to move, within ±10 000.
    fn plain_value(&self) -> Value;

    /// The key of the table of `plain`.
    fn plain_key(&self) -> u64;
}

/// What the rules force on the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// Nothing that can be seen without search.
    Nothing,
    /// This move wins at once.
    Win(Move),
    /// Every other move loses to the opponent's next move.
    Only(Move),
    /// Every move loses to the opponent's next move; this is one of them.
    Loss(Move),
}

/// The search around a game's solver, see [`Evaluate::solve_root`](super::Evaluate::solve_root).
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
