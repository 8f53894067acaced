//! A game as the adapter follows it: a start and moves, with the position after each of them.

use lodestone_game::protocol::Start;
use referee_core::failure::Stop;
use referee_core::game::{GameMove, Position, Ruleset};

/// A start and moves.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The start as clients name it.
    pub start: Start,
    /// The first position, and the one after each move.
    positions: Vec<Box<dyn Position>>,
    moves: Vec<GameMove>,
}

impl Line {
    /// The start of the game.
    pub fn startpos(rules: Ruleset) -> Line {
        Line {
            start: Start::Startpos,
            positions: vec![rules.startpos()],
            moves: Vec::new(),
        }
    }

    /// This start.
    pub fn begun(rules: Ruleset, position: Box<dyn Position>) -> Line {
        let mut line = Line::startpos(rules);
        if position.fen() != line.position().fen() {
            line.start = Start::Fen(position.fen());
            line.positions = vec![position];
        }
        line
    }

    /// The line that a `position` command describes. What the line before has of it is not asked again.
    pub fn parse(rules: Ruleset, start: &Start, moves: &[String], before: &Line) -> Result<Line, String> {
        let first = match start {
            Start::Startpos => rules.startpos(),
            Start::Fen(fen) => rules.parse_fen(fen).map_err(|error| error.to_string())?,
        };
        let mut line = Line::begun(rules, first);
        if line.start == before.start {
            let pairs = moves.iter().zip(&before.moves);
            line = before.up_to(pairs.take_while(|(text, mv)| **text == mv.text).count());
        }
        for (number, text) in (1..).zip(moves).skip(line.moves.len()) {
            let mv = line.position().parse_move(text);
            let mv = mv.map_err(|error| format!("move {number}: {error}"))?;
            line.play(mv).map_err(|stop| stop.to_string())?;
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
    pub fn position(&self) -> &dyn Position {
        // Never empty: the first position stays.
        self.positions[self.moves.len()].as_ref()
    }

    pub fn moves(&self) -> &[GameMove] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: GameMove) -> Result<(), Stop> {
        let position = self.position().after(&mv)?;
        self.positions.push(position);
        self.moves.push(mv);
        Ok(())
    }
}
