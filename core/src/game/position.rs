//! A position of any game. Moves and positions are text here, and boards are grids; what only the built-in games have
//! is behind [`Position::built_in`].

use std::fmt::{self, Debug};

use lodestone_game::board::{Move, Side};
use lodestone_game::{AnyPosition, GameInfo, GameResult, MoveError as BuiltInError, Outcome};

use super::grid::Grid;
use crate::failure::Stop;

/// A legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameMove {
    /// Its text, as the protocol writes it.
    pub text: String,
}

impl fmt::Display for GameMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a text cannot be played as a move.
#[derive(Debug)]
pub enum MoveError {
    /// It is not a move. The sentence says what a move looks like.
    Malformed(String),
    /// The move is illegal here. The sentence says why.
    Illegal(String),
    /// The rules sent no answer.
    Stopped(Stop),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Malformed(why) | MoveError::Illegal(why) => f.write_str(why),
            MoveError::Stopped(stop) => write!(f, "{stop}"),
        }
    }
}

impl From<BuiltInError> for MoveError {
    fn from(error: BuiltInError) -> MoveError {
        match error {
            BuiltInError::Malformed(why) => MoveError::Malformed(why),
            BuiltInError::Illegal(why) => MoveError::Illegal(why),
        }
    }
}

/// A position of any game: a value that never changes.
pub trait Position: Debug + Send {
    /// The facts of the game.
    fn info(&self) -> &'static GameInfo;

    /// The position as text, which [`parse_fen`](super::GameRules::parse_fen) reads.
    fn fen(&self) -> String;

    /// The side to move. Finished positions have one, too.
    fn side_to_move(&self) -> Side;

    /// How the rules end the game here; `None` while it is unfinished.
    fn outcome(&self) -> Option<Outcome>;

    /// The reason for the outcome of this position, as a sentence.
    fn explain(&self, outcome: Outcome) -> String;

    /// All legal moves; none after the end.
    fn legal_moves(&self) -> Vec<GameMove>;

    /// Reads a legal move.
    ///
    /// # Errors
    /// The text is no move, or no legal one.
    fn parse_move(&self, text: &str) -> Result<GameMove, MoveError>;

    /// Reads a legal move in the protocol's words or, if the rules have one, in the notation of people.
    ///
    /// # Errors
    /// The text is no move, or no legal one.
    fn parse_written(&self, text: &str) -> Result<GameMove, MoveError> {
        self.parse_move(text)
    }

    /// Reads the first half of a move, the cell of a piece, in games with
    /// [`GameInfo::slides`]. Returns the name of the cell.
    ///
    /// # Errors
    /// The text is no cell of a piece that can move.
    fn parse_piece(&self, text: &str) -> Result<String, MoveError> {
        self.parse_move(text).map(|mv| mv.text)
    }

    /// The position after a legal move.
    ///
    /// # Errors
    /// The rules sent no answer.
    fn after(&self, mv: &GameMove) -> Result<Box<dyn Position>, Stop>;

    /// A hash that is equal for equal positions, and for symmetric ones of a built-in game.
    fn symmetry_key(&self) -> u64;

    /// An upper bound on the number of plies still to be played.
    fn plies_left(&self) -> u32 {
        u32::MAX
    }

    /// The board as plain text; empty if there is none.
    fn board(&self) -> String;

    /// The drawn board, if there is one.
    fn grid(&self) -> Option<Grid> {
        None
    }

    /// The indices of the cells to mark on it, such as those of a winning line.
    fn highlights(&self) -> Vec<usize> {
        Vec::new()
    }

    /// What a reader should know of the position beside the board, as sentences.
    fn note(&self) -> String {
        String::new()
    }

    /// The points of both sides as the rules count them, such as `34 30`.
    fn points(&self) -> Option<String> {
        None
    }

    /// The result with perfect play that the rules know before the end of the game, as by tables.
    ///
    /// # Errors
    /// The rules sent no answer.
    fn proven(&self) -> Result<Option<GameResult>, Stop> {
        Ok(None)
    }

    /// The position, if the game is a built-in one.
    fn built_in(&self) -> Option<&dyn AnyPosition> {
        None
    }

    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Position>;
}

impl Clone for Box<dyn Position> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A position of a built-in game.
#[derive(Clone, Debug)]
pub(super) struct BuiltInPosition(pub Box<dyn AnyPosition>);

impl BuiltInPosition {
    fn named(&self, mv: Move) -> GameMove {
        GameMove {
            text: self.0.move_text(mv),
        }
    }
}

impl Position for BuiltInPosition {
    fn info(&self) -> &'static GameInfo {
        self.0.info()
    }

    fn fen(&self) -> String {
        self.0.fen()
    }

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn explain(&self, outcome: Outcome) -> String {
        self.0.explain(outcome)
    }

    fn legal_moves(&self) -> Vec<GameMove> {
        let moves = self.0.legal_moves();
        moves.iter().map(|&mv| self.named(mv)).collect()
    }

    fn parse_move(&self, text: &str) -> Result<GameMove, MoveError> {
        Ok(self.named(self.0.parse_move(text)?))
    }

    fn parse_piece(&self, text: &str) -> Result<String, MoveError> {
        Ok(self.0.cell_text(self.0.parse_piece(text)?))
    }

    fn after(&self, mv: &GameMove) -> Result<Box<dyn Position>, Stop> {
        let mut next = self.clone();
        // A legal move can always be read.
        if let Ok(mv) = self.0.parse_move(&mv.text) {
            next.0.play(mv);
        }
        Ok(Box::new(next))
    }

    fn symmetry_key(&self) -> u64 {
        self.0.symmetry_key()
    }

    fn plies_left(&self) -> u32 {
        self.0.plies_left()
    }

    fn board(&self) -> String {
        self.0.diagram().to_string()
    }

    fn grid(&self) -> Option<Grid> {
        Some(Grid::from(&self.0.diagram()))
    }

    fn highlights(&self) -> Vec<usize> {
        let diagram = self.0.diagram();
        self.0
            .highlights()
            .cells()
            .map(|cell| diagram.index(cell))
            .collect()
    }

    fn note(&self) -> String {
        self.0.note()
    }

    fn built_in(&self) -> Option<&dyn AnyPosition> {
        Some(self.0.as_ref())
    }

    fn boxed_clone(&self) -> Box<dyn Position> {
        Box::new(self.clone())
    }
}
