//! The value of a position.

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardValue {
    /// The side to move wins.
    Win,
    /// Neither side wins.
    Draw,
    /// The opponent wins.
    Loss,
}

impl BoardValue {
    /// As in the output of `lodestone solve`.
    pub fn word(self) -> &'static str {
        match self {
            BoardValue::Win => "win",
            BoardValue::Draw => "draw",
            BoardValue::Loss => "loss",
        }
    }
}
