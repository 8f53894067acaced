//! The beginning of a game: a start position and moves.

use std::fmt;

use lodestone_game::board::Side;

use super::line::PositionLine;
use super::position::{GameMove, Position};
use super::ruleset::Ruleset;
use crate::failure::Stop;
use crate::io::interrupt;

/// A start position and the moves from there: the beginning of a game, or all of one.
#[derive(Clone, Debug)]
pub struct MoveSequence {
    /// The current position as engines receive it.
    line: PositionLine,
    /// All positions: the first one, and the one after each move.
    positions: Vec<Box<dyn Position>>,
    /// All moves as text.
    moves: Vec<String>,
}

impl MoveSequence {
    /// An opening without moves.
    pub fn new(rules: Ruleset, position: Box<dyn Position>) -> MoveSequence {
        let is_startpos = position.fen() == rules.startpos().fen();
        let opening = MoveSequence::placed(position);
        if is_startpos {
            let line = PositionLine::start();
            return MoveSequence { line, ..opening };
        }
        opening
    }

    /// This position, which engines receive as text.
    pub fn placed(position: Box<dyn Position>) -> MoveSequence {
        MoveSequence {
            line: PositionLine::of_text(&position.fen()),
            positions: vec![position],
            moves: Vec::new(),
        }
    }

    /// Adds a legal move.
    ///
    /// # Errors
    /// The rules sent no answer, or a signal has come; nothing is added.
    pub(crate) fn play(&mut self, mv: GameMove) -> Result<(), Stop> {
        // Random openings may need thousands of moves, and each move a question to a slow program.
        interrupt::check()?;
        let position = self.position().after(&mv)?;
        self.push(mv.text, position);
        Ok(())
    }

    /// Adds a move that leads to this position.
    pub(super) fn push(&mut self, mv: String, position: Box<dyn Position>) {
        self.positions.push(position);
        self.line.push(&mv);
        self.moves.push(mv);
    }

    /// Takes back the last move.
    pub(super) fn pop(&mut self) {
        if self.moves.pop().is_some() {
            self.line.pop();
            self.positions.pop();
        }
    }

    /// The current position as engines receive it.
    pub const fn line(&self) -> &PositionLine {
        &self.line
    }

    /// All positions: the first one, and the one after each move.
    pub fn positions(&self) -> &[Box<dyn Position>] {
        &self.positions
    }

    /// All moves as text.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// The side that made each move.
    pub fn movers(&self) -> impl Iterator<Item = Side> {
        let before = self.positions.iter().take(self.moves.len());
        before.map(|position| position.side_to_move())
    }

    /// The position before the first move.
    pub fn first_position(&self) -> &dyn Position {
        self.positions[0].as_ref()
    }

    /// The position after all moves.
    pub fn position(&self) -> &dyn Position {
        // Never empty: the first position stays.
        self.positions[self.moves.len()].as_ref()
    }
}

/// What of a match's openings an engine may not be able to play: the first of each kind, as a line of a book.
#[derive(Clone, Debug, Default)]
pub struct FarStarts {
    /// One that is not the start position itself.
    pub moved: Option<String>,
    /// One that begins at the text of a position.
    pub placed: Option<String>,
}

impl FarStarts {
    /// Takes the next opening into account.
    pub fn add(&mut self, opening: &MoveSequence) {
        if self.moved.is_none() && !(opening.line().is_from_startpos() && opening.moves().is_empty()) {
            self.moved = Some(opening.to_string());
        }
        if self.placed.is_none() && !opening.line().is_from_startpos() {
            self.placed = Some(opening.to_string());
        }
    }
}

impl fmt::Display for MoveSequence {
    /// A line of a book.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line.start_and_moves())
    }
}
