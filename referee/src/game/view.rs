//! Games as values for programs that draw them: `referee match --json-moves`, and `referee serve`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::grid::Grid;
use super::position::Position;
use super::{Game, TimesLeft};

/// The most bytes of a board that the rules draw as text.
const MAX_TEXT: usize = 20_000;

/// A game up to its last move.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GameView {
    /// The FEN of the first position.
    pub start: String,
    /// All moves.
    pub moves: Vec<String>,
    /// The number of moves that belong to the opening.
    pub opening: usize,
    /// The side to move in each position, `1` or `2`.
    pub turns: String,
    /// The time of each move after the opening, in milliseconds.
    pub ms: Vec<u64>,
    /// The score of each move after the opening, from its mover's point of view, such as `cp 12`.
    pub scores: Vec<Option<String>>,
    /// The milliseconds that both sides have; `None` without a game clock.
    pub clocks: [Option<u64>; 2],
    /// The [`board`] of each position, in a game by a rules program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boards: Option<Vec<Value>>,
}

/// The last move of a game: what it adds to the lists of [`GameView`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveView {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The side to move after it.
    pub turn: String,
    /// Its time in milliseconds.
    pub ms: u64,
    /// Its score.
    pub score: Option<String>,
    /// The milliseconds that both sides have after it.
    pub clocks: [Option<u64>; 2],
    /// The board after it.
    pub board: Value,
}

impl GameView {
    /// All of a game.
    pub fn new(game: &Game) -> GameView {
        let positions = || game.positions().iter().map(AsRef::as_ref);
        let (first, thoughts) = (game.first_position(), game.thoughts());
        let scores = thoughts.iter().map(|thought| thought.score);
        GameView {
            start: first.fen(),
            moves: game.moves().to_vec(),
            opening: game.opening_plies(),
            turns: positions().map(turn).collect(),
            ms: thoughts
                .iter()
                .map(|thought| thought.time.as_millis() as u64)
                .collect(),
            scores: scores.map(|score| Some(score?.to_string())).collect(),
            clocks: milliseconds(game.game_clocks()),
            boards: first
                .built_in()
                .is_none()
                .then(|| positions().map(board).collect()),
        }
    }

    /// Adds a move.
    pub fn push(&mut self, last: MoveView) {
        self.moves.push(last.text);
        self.turns += &last.turn;
        self.ms.push(last.ms);
        self.scores.push(last.score);
        self.clocks = last.clocks;
        if let Some(boards) = &mut self.boards {
            boards.push(last.board);
        }
    }

    /// Keeps this number of moves. The clocks stay.
    pub fn truncate(&mut self, moves: usize) {
        let own = moves.saturating_sub(self.opening);
        self.moves.truncate(moves);
        self.turns.truncate(moves + 1);
        self.ms.truncate(own);
        self.scores.truncate(own);
        if let Some(boards) = &mut self.boards {
            boards.truncate(moves + 1);
        }
    }
}

impl MoveView {
    /// The last move; `None` before the first one after the opening.
    pub fn of(game: &Game) -> Option<MoveView> {
        let played = game.last()?;
        Some(MoveView {
            text: played.text.to_string(),
            turn: turn(game.position()).to_string(),
            ms: played.thought.time.as_millis() as u64,
            score: played.thought.score.map(|score| score.to_string()),
            clocks: milliseconds(game.game_clocks()),
            board: board(game.position()),
        })
    }
}

/// The board of a position by a rules program: its `columns`, `rows` and `cells`, or its `text`; null for a
/// built-in game, and if the rules draw none.
pub fn board(position: &dyn Position) -> Value {
    if position.built_in().is_some() {
        return Value::Null;
    }
    if let Some(Grid { columns, rows, cells }) = Grid::of(position) {
        return json!({"columns": columns, "rows": rows, "cells": cells});
    }
    match position.board() {
        text if text.is_empty() || text.len() > MAX_TEXT => Value::Null,
        text => json!({"text": text}),
    }
}

/// The side to move: 1 or 2.
fn turn(position: &dyn Position) -> &'static str {
    ["1", "2"][position.side_to_move().index()]
}

fn milliseconds(clocks: TimesLeft) -> [Option<u64>; 2] {
    clocks.map(|left| left.map(|left| left.as_millis() as u64))
}
