//! The boards of a game as values, for programs that draw them and do not know the rules.

use lodestone_game::Diagram;
use lodestone_game::board::{Bitboard, Cell};
use referee_core::game::Position;
use referee_core::game::grid::Grid;
use serde_json::{Value, json};

/// The most bytes of a board that the rules draw as text.
const MAX_TEXT: usize = 20_000;

/// The boards of a game, one after the other.
#[derive(Clone, Debug, Default)]
pub struct BoardEncoder(Last);

/// The last board.
#[derive(Clone, Debug, Default)]
enum Last {
    /// The pieces of a built-in game.
    Pieces([Bitboard; 2]),
    Grid(Grid),
    #[default]
    Other,
}

impl BoardEncoder {
    /// The board of the next position:
    ///
    /// | JSON | board |
    /// |---|---|
    /// | string that begins with `columns` or `lines` | a grid, as the answer to `query grid` |
    /// | other string | the grid before with some other cells: pairs of an index and a cell |
    /// | object | `text`: a text |
    /// | null | none |
    pub fn next(&mut self, position: &dyn Position) -> Value {
        if let Some(position) = position.built_in() {
            return self.next_of(&position.diagram()).into();
        }
        let Some(grid) = Grid::of(position) else {
            self.0 = Last::Other;
            return match position.board() {
                text if text.is_empty() || text.len() > MAX_TEXT => Value::Null,
                text => json!({"text": text}),
            };
        };
        let text = match &self.0 {
            Last::Grid(before) if grid.has_shape_of(before) => changes(grid.changes(before)),
            _ => grid.to_string(),
        };
        self.0 = Last::Grid(grid);
        text.into()
    }

    /// The next board of a built-in game.
    fn next_of(&mut self, diagram: &Diagram) -> String {
        let now = diagram.pieces;
        let Last::Pieces(before) = std::mem::replace(&mut self.0, Last::Pieces(now)) else {
            return diagram.grid();
        };
        let changed = (before[0] ^ now[0]) | (before[1] ^ now[1]);
        changes(changed.cells().map(|cell| {
            let word = diagram.owner(cell).map_or(".", |side| ["x", "o"][side.index()]);
            (index(cell, diagram.columns), word)
        }))
    }

    /// The same for a game by a rules program as an object with `columns`, `rows` and `cells`, or with a
    /// `text`; null without a board, and for a built-in game.
    pub fn next_object(&mut self, position: &dyn Position) -> Value {
        let board = self.next(position);
        self.object(&board)
    }

    /// The last board, which `next` returned, as an object.
    pub fn object(&self, board: &Value) -> Value {
        match &self.0 {
            Last::Other => board.clone(),
            Last::Grid(Grid {
                columns,
                rows,
                cells,
                format,
                has_lines,
            }) => {
                let mut object = json!({"columns": columns, "rows": rows, "cells": cells});
                if let Some(format) = format {
                    object["names"] = format.as_str().into();
                }
                if *has_lines {
                    object["lines"] = true.into();
                }
                object
            }
            Last::Pieces(_) => Value::Null,
        }
    }
}

/// The indices of the cells to mark, such as those of a winning line.
pub fn highlights(position: &dyn Position) -> Vec<usize> {
    let cells = position.built_in().map(|position| {
        let columns = position.info().columns;
        position.highlights().cells().map(|cell| index(cell, columns))
    });
    cells.into_iter().flatten().collect()
}

/// The index of a cell, row by row from the top left.
fn index(cell: Cell, columns: &str) -> usize {
    usize::from(cell.row()) * columns.len() + usize::from(cell.column())
}

/// Pairs of an index and a cell.
fn changes<'a>(cells: impl Iterator<Item = (usize, &'a str)>) -> String {
    let pairs: Vec<String> = cells.map(|(index, cell)| format!("{index} {cell}")).collect();
    pairs.join(" ")
}
