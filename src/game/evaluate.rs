//! What players need to know about a game beyond its rules.

use lodestone_game::Game;
use lodestone_game::board::{Move, MoveList, Side};
use lodestone_game::score::Value;

/// What the search needs beyond the rules. The default methods are correct for
/// every game; a game overrides them to be searched faster or better.
pub trait Evaluate: Game {
    /// Facts about a position that the search computes once per node.
    type NodeInfo;

    /// Whether [`evaluate`](Self::evaluate) has weights that were fitted to games. The command
    /// `eval` calls such a value `learned`, any other `counted`.
    const IS_LEARNED: bool = false;

    /// Whether to reduce the depth by one ply where the table has no move
    /// (internal iterative reduction).
    const INTERNAL_ITERATIVE_REDUCTION: bool = false;

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

    /// By side, whether it can still win, whatever both sides play; `true` if
    /// unknown.
    fn can_win(&self) -> [bool; 2] {
        [true; 2]
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
    /// ±[`MAX_EVAL`](lodestone_game::score::MAX_EVAL). Without `contempt`, as between
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

/// How much the search counts on mistakes of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contempt {
    /// The side that the search plays.
    pub(crate) side: Side,
    /// From 0 for an equal opponent to 100 for one that searches four plies.
    pub(crate) percent: u8,
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
