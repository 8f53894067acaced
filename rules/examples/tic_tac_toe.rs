//! Tic-tac-toe: place a mark on an empty cell. Three in a row, column or diagonal win.
//!
//! A move is a cell: `a1` is at the bottom left. A FEN has the cells from the top left, then the side to move, x or o:
//! `x...o.... x`.

use referee_rules::{GameResult, Grid, Rules, run};

const CELLS: [&str; 9] = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"];
const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

struct Game;

#[derive(Clone)]
struct Position {
    /// `.`, `x` or `o`, from the top left.
    cells: [char; 9],
    is_first_to_move: bool,
}

impl Position {
    fn winner(&self) -> Option<char> {
        let has_all = |player: char| {
            let mut lines = LINES.iter();
            lines.any(|line| line.iter().all(|&cell| self.cells[cell] == player))
        };
        ['x', 'o'].into_iter().find(|&player| has_all(player))
    }
}

impl Rules for Game {
    type Position = Position;

    fn start(&self) -> Position {
        Position {
            cells: ['.'; 9],
            is_first_to_move: true,
        }
    }

    fn turn(&self, position: &Position) -> bool {
        position.is_first_to_move
    }

    fn moves(&self, position: &Position) -> Vec<String> {
        let cells = CELLS.iter().zip(position.cells);
        let empty = cells.filter(|(_, cell)| *cell == '.');
        empty.map(|(name, _)| (*name).to_string()).collect()
    }

    fn play(&self, position: &Position, mv: &str) -> Position {
        let mut next = position.clone();
        for (name, cell) in CELLS.iter().zip(&mut next.cells) {
            if *name == mv {
                *cell = if position.is_first_to_move { 'x' } else { 'o' };
            }
        }
        next.is_first_to_move = !position.is_first_to_move;
        next
    }

    fn result(&self, position: &Position) -> Option<GameResult> {
        match position.winner() {
            Some(winner) => Some(GameResult::win(winner == 'x')),
            None if position.cells.contains(&'.') => None,
            None => Some(GameResult::Draw),
        }
    }

    // The following methods are optional.

    fn name(&self) -> String {
        "Tic-tac-toe".into()
    }

    fn reason(&self, position: &Position) -> Option<String> {
        Some(match position.winner() {
            Some(winner) => format!("{winner} has three in line"),
            None => "the board is full".into(),
        })
    }

    fn fen(&self, position: &Position) -> Option<String> {
        let cells: String = position.cells.iter().collect();
        let side = if position.is_first_to_move { "x" } else { "o" };
        Some(format!("{cells} {side}"))
    }

    fn from_fen(&self, text: &str) -> Result<Position, String> {
        let expected = || "expected nine cells, each x, o or `.`, and the side to move, x or o".to_string();
        let (cells, side) = text.split_once(' ').ok_or_else(expected)?;
        let cells: Vec<char> = cells.chars().collect();
        let cells: [char; 9] = cells.try_into().map_err(|_| expected())?;
        if !cells.iter().all(|cell| ".xo".contains(*cell)) || !["x", "o"].contains(&side) {
            return Err(expected());
        }
        Ok(Position {
            cells,
            is_first_to_move: side == "x",
        })
    }

    fn grid(&self, position: &Position) -> Option<Grid> {
        Some(Grid::new("a b c", "3 2 1", position.cells))
    }
}

fn main() {
    run(Game);
}
