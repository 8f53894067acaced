//! The exact value of a position.

/// The value of a position for the side to move, with best play of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExactValue {
    /// A loss.
    Loss = 1,
    /// A draw.
    Draw = 2,
    /// A win.
    Win = 3,
}

impl ExactValue {
    /// The value of the same result for the other side.
    #[must_use]
    pub fn reversed(self) -> ExactValue {
        match self {
            ExactValue::Loss => ExactValue::Win,
            ExactValue::Draw => ExactValue::Draw,
            ExactValue::Win => ExactValue::Loss,
        }
    }

    /// The value of a position by the values of the positions after its moves, each for its
    /// own side to move. Without a move it is a loss.
    pub fn of_next(next: impl Iterator<Item = ExactValue>) -> ExactValue {
        next.min().map_or(ExactValue::Loss, ExactValue::reversed)
    }
}
