//! The boards of a game as values, for programs that draw them and do not know the rules.

use referee_core::game::Position;
use referee_core::game::grid::Grid;
use serde_json::{Value, json};

/// The most bytes of a board that the rules draw as text.
const MAX_TEXT: usize = 20_000;

/// The boards of a game, one after the other.
#[derive(Clone, Debug, Default)]
pub struct BoardEncoder(Option<Grid>);

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
        let Some(grid) = position.grid() else {
            self.0 = None;
            return match position.board() {
                text if text.is_empty() || text.len() > MAX_TEXT => Value::Null,
                text => json!({"text": text}),
            };
        };
        let text = match &self.0 {
            Some(before) if grid.has_shape_of(before) => changes(grid.changes(before)),
            _ => grid.to_string(),
        };
        self.0 = Some(grid);
        text.into()
    }

    /// The same as an object with `columns`, `rows` and `cells`, or with a `text`; null without a board.
    pub fn next_object(&mut self, position: &dyn Position) -> Value {
        let board = self.next(position);
        self.object(&board)
    }

    /// The last board, which `next` returned, as an object.
    pub fn object(&self, board: &Value) -> Value {
        match &self.0 {
            None => board.clone(),
            Some(Grid {
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
        }
    }
}

/// Pairs of an index and a cell.
fn changes<'a>(cells: impl Iterator<Item = (usize, &'a str)>) -> String {
    let pairs: Vec<String> = cells.map(|(index, cell)| format!("{index} {cell}")).collect();
    pairs.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_says_whether_cells_are_crossings_of_lines() {
        for (word, lines) in [("lines", json!(true)), ("columns", Value::Null)] {
            let grid = Grid::read(&format!("{word} a b rows 1 cells x o")).unwrap();
            assert_eq!(BoardEncoder(Some(grid)).object(&Value::Null)["lines"], lines);
        }
    }
}
