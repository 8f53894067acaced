//! Games as JSON, for programs that draw them: `referee match --json-moves`, and `referee serve`.

use serde_json::{Map, Value, json};

use super::grid::Grid;
use super::position::Position;
use super::{Game, Played};

/// The most characters of a board that the rules draw as text.
const MAX_TEXT: usize = 20_000;

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
fn turn(position: &dyn Position) -> usize {
    1 + position.side_to_move().index()
}

/// A game up to its last move:
///
/// | field | content |
/// |---|---|
/// | `start` | the FEN of the first position |
/// | `moves` | all moves |
/// | `opening` | the number of moves that belong to the opening |
/// | `turns` | the side to move in each position, `1` or `2` |
/// | `ms`, `scores` | the time in milliseconds and the score of each move after the opening |
/// | `clocks` | the milliseconds that both sides have; null without a clock |
/// | `boards` | the [`board`] of each position, in a game by a rules program |
pub fn game(game: &Game) -> Map<String, Value> {
    let positions = || game.positions().iter().map(|position| position.as_ref());
    let turns: String = positions().map(|position| turn(position).to_string()).collect();
    let thoughts = game.thoughts();
    let clocks = game.game_clocks().map(|left| left.map(|left| left.as_millis() as u64));
    let mut fields = Map::new();
    fields.insert("start".into(), game.first_position().fen().into());
    fields.insert("moves".into(), game.moves().into());
    fields.insert("opening".into(), game.opening_plies().into());
    fields.insert("turns".into(), turns.into());
    fields.insert(
        "ms".into(),
        thoughts
            .iter()
            .map(|thought| thought.time.as_millis() as u64)
            .collect(),
    );
    let scores = thoughts
        .iter()
        .map(|thought| thought.score.map(|score| score.to_string()));
    fields.insert("scores".into(), scores.collect());
    fields.insert("clocks".into(), json!(clocks));
    if game.position().built_in().is_none() {
        fields.insert("boards".into(), positions().map(board).collect());
    }
    fields
}

/// The last move, with the fields of [`game`] in the singular: what follows them in its lists.
pub(crate) fn last_move(game: &Game) -> Option<Map<String, Value>> {
    let Played { text, thought, .. } = game.last()?;
    let clocks = game.game_clocks().map(|left| left.map(|left| left.as_millis() as u64));
    let fields = json!({
        "move": text,
        "turn": turn(game.position()).to_string(),
        "ms": thought.time.as_millis() as u64,
        "score": thought.score.map(|score| score.to_string()),
        "clocks": clocks,
        "board": board(game.position()),
    });
    match fields {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}
