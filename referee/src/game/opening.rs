//! The beginning of a game: a start position and moves.

use std::fmt;

use super::line::PositionLine;
use super::position::{GameMove, Position};
use super::ruleset::Ruleset;
use crate::io::interrupt::{self, Stop};

/// The beginning of a game.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position after its moves, as engines receive it.
    line: PositionLine,
    /// The position before the first move, and the one after each move.
    positions: Vec<Box<dyn Position>>,
    /// The moves before the players move.
    moves: Vec<GameMove>,
}

impl Opening {
    /// An opening without moves.
    pub fn new(rules: Ruleset, position: Box<dyn Position>) -> Opening {
        let fen = position.fen();
        let line = if fen == rules.startpos().fen() {
            PositionLine::start()
        } else {
            PositionLine::of_text(&fen)
        };
        Opening {
            line,
            positions: vec![position],
            moves: Vec::new(),
        }
    }

    /// This position, which engines receive as text.
    pub(crate) fn placed(position: Box<dyn Position>) -> Opening {
        Opening {
            line: PositionLine::of_text(&position.fen()),
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
        self.line.push(&mv.text);
        self.moves.push(mv);
        Ok(())
    }

    /// The position after its moves, as engines receive it.
    pub(crate) const fn line(&self) -> &PositionLine {
        &self.line
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
        f.write_str(self.line.start_and_moves())
    }
}
