//! The beginning of a game: a start position and moves.

use std::fmt;

use lodestone::protocol::Start;

use super::position::{GameMove, Position};
use super::ruleset::Ruleset;
use crate::io::interrupt::{self, Stop};

/// The beginning of a game.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position before the first move, as engines receive it.
    pub start: Start,
    /// The position before the first move, and the one after each move.
    positions: Vec<Box<dyn Position>>,
    /// The moves before the players move.
    moves: Vec<GameMove>,
}

impl Opening {
    /// An opening without moves.
    pub fn new(rules: Ruleset, position: Box<dyn Position>) -> Opening {
        let fen = position.fen();
        let start = if fen == rules.startpos().fen() {
            Start::Startpos
        } else {
            Start::Fen(fen)
        };
        Opening {
            start,
            positions: vec![position],
            moves: Vec::new(),
        }
    }

    /// This position, which engines receive as text.
    pub(crate) fn placed(position: Box<dyn Position>) -> Opening {
        Opening {
            start: Start::Fen(position.fen()),
            positions: vec![position],
            moves: Vec::new(),
        }
    }

    /// Adds a legal move.
    ///
    /// # Errors
    /// The rules gave no answer, or a signal has come; nothing is added.
    pub(crate) fn play(&mut self, mv: GameMove) -> Result<(), Stop> {
        // Random openings may need thousands of moves, and each move a question to a slow program.
        interrupt::check()?;
        self.positions.push(self.end().after(&mv)?);
        self.moves.push(mv);
        Ok(())
    }

    /// The position before the first move, and the one after each move.
    pub(crate) fn positions(&self) -> &[Box<dyn Position>] {
        &self.positions
    }

    /// The moves before the players move.
    pub fn moves(&self) -> &[GameMove] {
        &self.moves
    }

    /// The position before the first move.
    pub fn first_position(&self) -> &dyn Position {
        self.positions[0].as_ref()
    }

    /// The position after its moves.
    pub fn end(&self) -> &dyn Position {
        // Never empty: the first position stays.
        self.positions[self.moves.len()].as_ref()
    }
}

impl fmt::Display for Opening {
    /// A line of a book.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Startpos => f.write_str("startpos")?,
            Start::Fen(fen) => f.write_str(fen)?,
        }
        if !self.moves.is_empty() {
            f.write_str(" moves")?;
        }
        self.moves.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}
