//! What the rules force on a side.

use crate::board::Move;

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
