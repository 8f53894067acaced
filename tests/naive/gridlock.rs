//! Gridlock: sliding pieces, room.

use std::cmp::Ordering;

use super::{Game, Position};

/// The rules.
pub struct Gridlock;

/// The steps to a cell's orthogonal neighbours, as (row, column).
const NEIGHBOURS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

impl Game for Gridlock {
    fn start(&self) -> &'static str {
        "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"
    }

    fn size(&self) -> usize {
        7
    }

    fn has_turns(&self) -> bool {
        true
    }

    fn moves_left(&self, position: &Position) -> usize {
        (position.limit - position.played) as usize
    }

    fn is_valid(&self, position: &Position) -> bool {
        let (xs, os) = (position.count('x'), position.count('o'));
        xs == os
            && (1..=24).contains(&xs)
            && (1..=1000).contains(&position.limit)
            && position.played <= position.limit
    }

    fn outcome(&self, position: &Position) -> Option<(&'static str, &'static str)> {
        if position.pseudo_legal_moves().is_empty() {
            Some((if position.to_move == 'x' { "0-1" } else { "1-0" }, "blocked"))
        } else if position.played == position.limit {
            let result = match position.room('x').cmp(&position.room('o')) {
                Ordering::Greater => "1-0",
                Ordering::Less => "0-1",
                Ordering::Equal => "1/2-1/2",
            };
            Some((result, "mobility"))
        } else {
            None
        }
    }

    fn moves_at(&self, position: &Position, row: i32, column: i32) -> Vec<String> {
        let mut moves = Vec::new();
        if position.at(row, column) == Some(position.to_move) {
            for (down, right) in NEIGHBOURS {
                if position.at(row + down, column + right) == Some('.') {
                    moves.push(position.name(row, column) + &position.name(row + down, column + right));
                }
            }
        }
        moves
    }

    fn change(&self, position: &mut Position, text: &str) {
        let (from_row, from_column) = position.cell(&text[..2]);
        let (to_row, to_column) = position.cell(&text[2..]);
        position.grid[from_row][from_column] = '.';
        position.grid[to_row][to_column] = position.to_move;
        position.played += 1;
    }

    /// The top left cell is `a1`.
    fn name(&self, row: usize, column: usize) -> String {
        format!("{}{}", b"abcdefg"[row] as char, column + 1)
    }
}

impl Position {
    /// Gridlock: the number of distinct empty cells next to a piece of `side`.
    pub fn room(&self, side: char) -> usize {
        let beside = |&(row, column): &(i32, i32)| {
            self.at(row, column) == Some('.')
                && NEIGHBOURS
                    .iter()
                    .any(|(down, right)| self.at(row + down, column + right) == Some(side))
        };
        self.cells().iter().filter(|cell| beside(cell)).count()
    }
}
