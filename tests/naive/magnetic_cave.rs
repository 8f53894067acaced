//! Magnetic Cave: bricks that a wall or a brick beside them holds, five in line.

use super::{Game, Position, other};

/// The rules.
pub struct MagneticCave;

/// The directions of a line of five as (row, column): right, down, down right, down left.
const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Game for MagneticCave {
    fn start(&self) -> &'static str {
        "8/8/8/8/8/8/8/8 x"
    }

    fn size(&self) -> usize {
        8
    }

    fn has_turns(&self) -> bool {
        false
    }

    fn moves_left(&self, position: &Position) -> usize {
        position.count('.')
    }

    fn is_valid(&self, position: &Position) -> bool {
        let (xs, os) = (position.count('x'), position.count('o'));
        let counts_fit = match position.to_move {
            'x' => xs == os,
            _ => xs == os + 1,
        };
        counts_fit && !position.has_five(position.to_move)
    }

    fn outcome(&self, position: &Position) -> Option<(&'static str, &'static str)> {
        if position.has_five('x') {
            Some(("1-0", "five"))
        } else if position.has_five('o') {
            Some(("0-1", "five"))
        } else if position.count('.') == 0 {
            Some(("1/2-1/2", "full"))
        } else {
            None
        }
    }

    fn moves_at(&self, position: &Position, row: i32, column: i32) -> Vec<String> {
        if position.at(row, column) == Some('.') && position.is_supported(row, column) {
            vec![position.name(row, column)]
        } else {
            Vec::new()
        }
    }

    fn change(&self, position: &mut Position, text: &str) {
        let (row, column) = position.cell(text);
        position.grid[row][column] = position.to_move;
    }

    /// The top left cell is `a8`.
    fn name(&self, row: usize, column: usize) -> String {
        format!("{}{}", b"abcdefgh"[column] as char, 8 - row)
    }
}

impl Position {
    /// Magnetic Cave: whether `side` has five consecutive bricks in a line.
    pub fn has_five(&self, side: char) -> bool {
        for (row, column) in self.cells() {
            for (down, right) in DIRECTIONS {
                if (0..5).all(|step| self.at(row + step * down, column + step * right) == Some(side)) {
                    return true;
                }
            }
        }
        false
    }

    /// Magnetic Cave: the side to move has placed a brick on an empty cell, which need not
    /// be playable.
    pub fn with_brick(&self, row: usize, column: usize) -> Position {
        let mut next = self.clone();
        next.grid[row][column] = self.to_move;
        next.to_move = other(self.to_move);
        next
    }

    /// Whether a brick is supported, by the left wall, the right wall, or a brick of any colour
    /// beside it in its row.
    fn is_supported(&self, row: i32, column: i32) -> bool {
        let holds = |cell: Option<char>| match cell {
            None => true, // the wall
            Some(brick) => brick != '.',
        };
        holds(self.at(row, column - 1)) || holds(self.at(row, column + 1))
    }
}
