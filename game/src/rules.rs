//! The rules of a game as a trait.

use std::fmt::{self, Debug};

use super::fen::FenError;
use super::info::{GameInfo, Outcome, Setup};
use crate::board::{Bitboard, Cell, Move, MoveList, Side};
use crate::random::Random;
use crate::text::quoted;

/// The rules of a game for two players who move in turn. A value is one
/// position. It is small, because the search copies it for every move. A board has at most 8×8
/// cells, a position fewer than [`MoveList::CAPACITY`] moves, and a game at most
/// [`Setup::MAX_TURNS`] plies.
///
/// `tests/naive` has the rules of each game once more. Its twin accepts the same FENs, and agrees
/// in every method up to [`plies_left`](Game::plies_left).
pub trait Game: Copy + Eq + Debug + Send + Sync + 'static {
    /// The facts that do not depend on a position.
    const INFO: GameInfo;

    /// The fixed-depth players of the course assignments.
    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>];

    /// The protocol's `startpos`.
    fn startpos() -> Self;

    /// A random start for `setup`. Games without a setup always start from
    /// [`Game::startpos`].
    fn random_start(_setup: Setup, _random: &mut Random) -> Self {
        Self::startpos()
    }

    /// Parses a FEN. Its first field is the board, its second the side to move. The position need
    /// not be reachable, but a side that has already won is not to move: [`Game::outcome`] looks at the
    /// side that moved last only.
    ///
    /// # Errors
    /// Names the wrong character and what is allowed there.
    fn from_fen(fen: &str) -> Result<Self, FenError>;

    /// The position as a FEN.
    fn fen(&self) -> String;

    /// The side to move. Finished positions have one too: the opponent of the
    /// side that moved last.
    fn side_to_move(&self) -> Side;

    /// The cells with a brick or piece of `side`.
    fn pieces(&self, side: Side) -> Bitboard;

    /// How the game ended; `None` while it is unfinished.
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves of an unfinished position, in rising order. Meaningless
    /// in a finished one; [`Game::legal_moves`] checks that first.
    fn generate_moves(&self) -> MoveList;

    /// The legal moves in rising order; none in a finished position.
    fn legal_moves(&self) -> MoveList {
        match self.outcome() {
            None => self.generate_moves(),
            Some(_) => MoveList::default(),
        }
    }

    /// The position after a legal move.
    #[must_use]
    fn play(&self, mv: Move) -> Self;

    /// A hash of everything that decides how the game can continue. Equal for
    /// transpositions, and almost certainly different for other positions.
    fn key(&self) -> u64;

    /// A hash that is also equal for symmetric positions: rotated or mirrored
    /// boards on which the same side has the same moves. Slower than
    /// [`Game::key`]; for opening books, not for the search.
    fn symmetry_key(&self) -> u64;

    /// An upper bound on the number of plies still to be played. It must hold,
    /// because the solver searches to this depth. It should be close: a clock is divided by it (see
    /// `RootStrategy::plies_on_clock` of the engine, which a game with
    /// a loose bound overrides), and `referee check` plays at most this many random moves.
    fn plies_left(&self) -> u32;

    /// Parses a move in any letter case.
    ///
    /// # Errors
    /// [`MoveError::Malformed`] if the text is not a move,
    /// [`MoveError::Illegal`] if the move cannot be played here.
    fn parse_move(&self, text: &str) -> Result<Move, MoveError>;

    /// Parses the first half of a move: the cell of the piece to move, in any
    /// letter case. Only for games with [`GameInfo::slides`].
    ///
    /// # Errors
    /// As [`Game::parse_move`]; always in games without sliding moves.
    fn parse_piece(&self, text: &str) -> Result<Cell, MoveError> {
        Err(MoveError::Malformed(format!(
            "{} is not a piece: in this game nothing moves once it is placed",
            quoted(text)
        )))
    }

    /// The text of a move, in lower case.
    fn move_text(mv: Move) -> String;

    /// The name of a cell, in lower case.
    fn cell_text(cell: Cell) -> String;

    /// The cells to mark on a drawn board, such as the winning line.
    fn highlights(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    /// What a reader should know of this position beside the board, as sentences; empty if nothing.
    fn note(&self) -> String {
        String::new()
    }

    /// The reason for `outcome`, the outcome of this position, as a sentence.
    fn explain(&self, outcome: Outcome) -> String;
}

/// A player of a course assignment: alpha-beta of fixed depth.
#[derive(Clone, Copy, Debug)]
pub struct ReferencePlayer<G> {
    /// The value of `Personality`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The evaluation for the first player, of finished positions too.
    pub evaluate: fn(&G) -> i32,
}

/// Why a text cannot be played as a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// The text is not a move. The sentence says what a move looks like.
    Malformed(String),
    /// The move is illegal here. The sentence says why.
    Illegal(String),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Malformed(why) | MoveError::Illegal(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for MoveError {}

/// Rotates or mirrors the board.
pub(crate) type Symmetry = fn(Bitboard) -> Bitboard;

/// The canonical image of a board: the least of the board and its images,
/// compared as numbers. All images of a board have the same one.
#[inline]
pub(crate) fn least_image(pieces: [Bitboard; 2], symmetries: &[Symmetry]) -> [Bitboard; 2] {
    let images = symmetries.iter().map(|symmetry| pieces.map(symmetry));
    images.fold(pieces, |least, image| {
        let [one, other] = [image, least].map(|pieces| pieces.map(|cells| cells.0));
        if one < other { image } else { least }
    })
}

/// The number of move sequences of exactly `depth` plies from `position`; 0 for
/// a finished game, unless `depth` is 0.
///
/// ```
/// use lodestone_game::{Game, magnetic_cave::MagneticCave, perft};
///
/// assert_eq!(perft(&MagneticCave::startpos(), 3), 4096);
/// ```
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // Bulk counting: the last ply is not played.
        1 => position.legal_moves().len() as u64,
        _ => position
            .legal_moves()
            .iter()
            .map(|&mv| perft(&position.play(mv), depth - 1))
            .sum(),
    }
}

/// Depths up to this one take so little time that they are not interrupted.
const UNINTERRUPTED: u32 = 3;

/// [`perft`] that can pause.
pub struct PausingPerft<G> {
    /// The positions whose sequences are not counted yet, with their depths in plies.
    left: Vec<(G, u32)>,
    count: u64,
}

impl<G: Game> PausingPerft<G> {
    /// Counts nothing yet.
    pub fn new(position: G, depth: u32) -> PausingPerft<G> {
        PausingPerft {
            left: vec![(position, depth)],
            count: 0,
        }
    }

    /// Counts until `pauses` returns true, at least one step. Returns the whole count at the
    /// end; `None` if the next call continues.
    pub fn run(&mut self, pauses: impl Fn() -> bool) -> Option<u64> {
        while let Some((position, depth)) = self.left.pop() {
            if depth <= UNINTERRUPTED {
                self.count += perft(&position, depth);
            } else {
                let moves = position.legal_moves();
                self.left
                    .extend(moves.iter().map(|&mv| (position.play(mv), depth - 1)));
            }
            if pauses() {
                return None;
            }
        }
        Some(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gridlock::Gridlock;
    use crate::magnetic_cave::MagneticCave;

    fn counts_the_same_with_pauses<G: Game>() {
        for depth in 0..=5 {
            let mut count = PausingPerft::new(G::startpos(), depth);
            let found = std::iter::repeat_with(|| count.run(|| true)).flatten().next();
            assert_eq!(found, Some(perft(&G::startpos(), depth)), "depth {depth}");
        }
    }

    #[test]
    fn pauses_do_not_change_the_count() {
        counts_the_same_with_pauses::<MagneticCave>();
        counts_the_same_with_pauses::<Gridlock>();
    }
}
