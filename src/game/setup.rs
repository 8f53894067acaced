//! The options `--pieces` and `--turns`.

/// What a person chooses before a game with a random start. Games without
/// [`GameInfo::has_setup`](super::GameInfo::has_setup) ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Pieces per side, 1 to [`Setup::MAX_PIECES`].
    pub pieces: u32,
    /// The turn limit in plies, 1 to [`Setup::MAX_TURNS`].
    pub turns: u32,
}

impl Setup {
    /// The most pieces per side: two sides on 49 cells leave one cell empty.
    pub const MAX_PIECES: u32 = 24;

    /// The highest turn limit, in plies.
    pub const MAX_TURNS: u32 = 1000;
}

impl Default for Setup {
    /// Five pieces and forty turns.
    fn default() -> Setup {
        Setup { pieces: 5, turns: 40 }
    }
}
