//! A game as the adapter follows it: a start and moves, with the position after each of them.

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Variant};
use lodestone::protocol::Start;

/// A start and moves.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The start as clients name it.
    pub start: Start,
    /// The first position, and the one after each move.
    positions: Vec<Box<dyn AnyPosition>>,
    moves: Vec<Move>,
}

impl Line {
    /// The start of the game.
    pub fn startpos(variant: Variant) -> Line {
        Line {
            start: Start::Startpos,
            positions: vec![variant.startpos()],
            moves: Vec::new(),
        }
    }

    /// This start.
    pub fn begun(variant: Variant, position: Box<dyn AnyPosition>) -> Line {
        let mut line = Line::startpos(variant);
        if position.fen() != line.position().fen() {
            line.start = Start::Fen(position.fen());
            line.positions = vec![position];
        }
        line
    }

    /// The line that a `position` command describes.
    pub fn parse(variant: Variant, start: &Start, moves: &[String]) -> Result<Line, String> {
        let start = match start {
            Start::Startpos => variant.startpos(),
            Start::Fen(fen) => variant.parse_fen(fen).map_err(|error| error.to_string())?,
        };
        let mut line = Line::begun(variant, start);
        for (number, text) in (1..).zip(moves) {
            let mv = line.position().parse_move(text);
            line.play(mv.map_err(|error| format!("move {number}: {error}"))?);
        }
        Ok(line)
    }

    /// The line up to its first moves, at most `plies`.
    pub fn up_to(&self, plies: usize) -> Line {
        let mut line = self.clone();
        line.moves.truncate(plies);
        line.positions.truncate(plies + 1);
        line
    }

    /// The current position.
    pub fn position(&self) -> &dyn AnyPosition {
        // Never empty: the first position stays.
        self.positions[self.moves.len()].as_ref()
    }

    /// The moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        let mut position = self.position().boxed_clone();
        position.play(mv);
        self.positions.push(position);
        self.moves.push(mv);
    }
}
