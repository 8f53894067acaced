//! Positions for the solver, which searches to the end of the game.

use super::outcome::Outcome;
use crate::board::{Move, Side};

/// A position in a search to the end of the game. Nothing is evaluated there;
/// all that counts is who can still win. Every static answer must be proven.
pub trait SolverPosition: Copy {
    /// As [`Game::side_to_move`](super::Game::side_to_move).
    fn side_to_move(&self) -> Side;

    /// As [`Game::plies_left`](super::Game::plies_left).
    fn plies_left(&self) -> u32;

    /// As [`Game::outcome`](super::Game::outcome).
    fn outcome(&self) -> Option<Outcome>;

    /// As [`Evaluate::forced`](super::Evaluate::forced).
    fn forced(&self) -> Forced {
        Forced::Nothing
    }

    /// A hash that is equal only for positions of equal value. It may ignore
    /// parts of the board that no longer matter.
    fn key(&self) -> u64;

    /// Whether a static bound proves that `side` cannot win. Called only if nothing is
    /// forced.
    fn can_be_held(&self, _side: Side) -> bool {
        false
    }

    /// Whether a static bound proves that `side` wins. Called only if nothing is forced.
    fn is_won(&self, _side: Side) -> bool {
        false
    }

    /// Calls `visit` with every move to search and its ordering score, from 0. May leave
    /// out moves that lose at once and moves equivalent to another one. Called only if
    /// nothing is forced.
    fn moves(&self, visit: impl FnMut(Move, i32));

    /// The position after a move.
    #[must_use]
    fn play(&self, mv: Move) -> Self;
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
