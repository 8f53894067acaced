//! A naive second implementation of the rules of all games.
//!
//! Tests compare the engine's bitboards with this module. It was written from the text of
//! the rules and imports nothing from `lodestone`, so both are unlikely to share a mistake.
//! Boards are grids of characters, moves are strings, and loops run over rows and columns.
//! It is slow, but obvious.
//!
//! If the two disagree, read the rules before you believe either. [`positions`] generates
//! positions for comparison.

// `tests/referee/records.rs` includes this file as a module, and uses only a part of it.
#![allow(dead_code)]
// A panic fails the test.
#![allow(clippy::missing_panics_doc)]
#![allow(clippy::return_self_not_must_use)]

use std::collections::HashMap;

pub mod boards;
mod gridlock;
pub mod gridlock_values;
mod magnetic_cave;
pub mod positions;

/// The rules of a [`Position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// 8×8, columns `a`–`h`, ranks 8 (top) to 1: bricks, five in line.
    MagneticCave,
    /// 7×7, rows `a` (top) to `g`, columns 1–7: sliding pieces, room.
    Gridlock,
}

impl Rules {
    /// The rules of the game with this name.
    pub fn of(name: &str) -> Rules {
        match name {
            "magnetic-cave" => Rules::MagneticCave,
            "gridlock" => Rules::Gridlock,
            other => panic!("tests/naive has no rules of {other}"),
        }
    }

    fn game(self) -> &'static dyn Game {
        match self {
            Rules::MagneticCave => &magnetic_cave::MagneticCave,
            Rules::Gridlock => &gridlock::Gridlock,
        }
    }

    /// The FEN of `position startpos`.
    pub fn start(self) -> &'static str {
        self.game().start()
    }

    /// The number of rows, and of columns.
    pub fn size(self) -> usize {
        self.game().size()
    }
}

/// What differs between the games; the methods of [`Position`] with the same names say more.
trait Game {
    fn start(&self) -> &'static str;
    fn size(&self) -> usize;
    /// Whether a FEN ends with the turns played and the turn limit.
    fn has_turns(&self) -> bool;
    fn moves_left(&self, position: &Position) -> usize;
    fn is_valid(&self, position: &Position) -> bool;
    fn outcome(&self, position: &Position) -> Option<(&'static str, &'static str)>;
    /// The moves of the side to move with what is on this cell, even if the game is over.
    fn moves_at(&self, position: &Position, row: i32, column: i32) -> Vec<String>;
    /// Changes the board as a legal move does.
    fn change(&self, position: &mut Position, text: &str);
    /// The name of a cell.
    fn name(&self, row: usize, column: usize) -> String;
}

/// A board, the side to move and, in Gridlock, the turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    rules: Rules,
    /// `x`, `o` or `.`; `grid[0]` is the top row.
    grid: Vec<Vec<char>>,
    to_move: char,
    /// Turns played and turn limit in Gridlock; zero in Magnetic Cave.
    played: u32,
    limit: u32,
}

impl Position {
    /// The starting position.
    pub fn start(rules: Rules) -> Position {
        Position::parse(rules, rules.start()).unwrap()
    }

    /// Parses a FEN; `None` if the text or the position is invalid.
    pub fn parse(rules: Rules, fen: &str) -> Option<Position> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let (played, limit) = match (rules.game().has_turns(), fields.len()) {
            (false, 2) => (0, 0),
            (true, 4) => (number(fields[2])?, number(fields[3])?),
            _ => return None,
        };
        let position = Position {
            rules,
            grid: parse_grid(fields[0], rules.size())?,
            to_move: match fields[1] {
                "x" => 'x',
                "o" => 'o',
                _ => return None,
            },
            played,
            limit,
        };
        rules.game().is_valid(&position).then_some(position)
    }

    /// The FEN of the position.
    pub fn fen(&self) -> String {
        let rows: Vec<String> = self.grid.iter().map(|row| row_text(row)).collect();
        let board = format!("{} {}", rows.join("/"), self.to_move);
        if self.rules.game().has_turns() {
            format!("{board} {} {}", self.played, self.limit)
        } else {
            board
        }
    }

    /// `x` or `o`.
    pub fn side_to_move(&self) -> char {
        self.to_move
    }

    /// An upper bound on the number of moves left.
    pub fn moves_left(&self) -> usize {
        self.rules.game().moves_left(self)
    }

    /// The number of cells that contain `what`: `x`, `o` or `.`.
    pub fn count(&self, what: char) -> usize {
        self.grid.iter().flatten().filter(|&&cell| cell == what).count()
    }

    /// All legal moves, sorted; none in a finished game.
    pub fn legal_moves(&self) -> Vec<String> {
        let mut moves = match self.outcome() {
            Some(_) => Vec::new(),
            None => self.pseudo_legal_moves(),
        };
        moves.sort();
        moves
    }

    /// The position after the move `text`; `None` if it is illegal.
    pub fn play(&self, text: &str) -> Option<Position> {
        let text = text.to_lowercase();
        if !self.legal_moves().contains(&text) {
            return None;
        }
        let mut next = self.clone();
        self.rules.game().change(&mut next, &text);
        next.to_move = other(self.to_move);
        Some(next)
    }

    /// The points of a finished game for the side to move: 1, 0 or −1; `None` if it is not over.
    pub fn points(&self) -> Option<i32> {
        let (result, _) = self.outcome()?;
        let first = match result {
            "1-0" => 1,
            "0-1" => -1,
            _ => 0,
        };
        Some(if self.to_move == 'x' { first } else { -first })
    }

    /// Result and reason of a finished game in the words of a result file, such as
    /// `("1-0", "five")`; `None` if the game is not over.
    pub fn outcome(&self) -> Option<(&'static str, &'static str)> {
        self.rules.game().outcome(self)
    }

    /// The number of move sequences of exactly `depth` moves.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.legal_moves()
            .iter()
            .map(|text| self.play(text).unwrap().perft(depth - 1))
            .sum()
    }

    /// Minimax of this many plies, for the side to move: 1 for a win, −1 for a loss, 0 for a draw
    /// and for games that are longer.
    pub fn minimax(&self, plies: u32) -> i32 {
        if let Some(points) = self.points() {
            return points;
        }
        if plies == 0 {
            return 0;
        }
        let moves = self.legal_moves();
        let values = moves.iter().map(|mv| -self.play(mv).unwrap().minimax(plies - 1));
        values.max().unwrap()
    }

    /// Minimax to the end of the game; `known` remembers values by FEN.
    pub fn value(&self, known: &mut HashMap<String, i32>) -> i32 {
        if let Some(points) = self.points() {
            return points;
        }
        let fen = self.fen();
        if let Some(&value) = known.get(&fen) {
            return value;
        }
        let moves = self.legal_moves();
        let values = moves.iter().map(|mv| -self.play(mv).unwrap().value(known));
        let value = values.max().unwrap();
        known.insert(fen, value);
        value
    }

    /// The position with rearranged cells: the cell in (row, column) gets the content of
    /// `source(row, column)`.
    pub fn rearranged(&self, source: impl Fn(usize, usize) -> (usize, usize)) -> Position {
        let mut next = self.clone();
        for (row, cells) in next.grid.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                let (from_row, from_column) = source(row, column);
                *cell = self.grid[from_row][from_column];
            }
        }
        next
    }

    /// The position with the sides exchanged: pieces and side to move.
    pub fn exchanged(&self) -> Position {
        let mut next = self.clone();
        for cell in next.grid.iter_mut().flatten().filter(|cell| **cell != '.') {
            *cell = other(*cell);
        }
        next.to_move = other(self.to_move);
        next
    }

    /// The moves on this board, even if the game is over.
    fn pseudo_legal_moves(&self) -> Vec<String> {
        let cells = self.cells().into_iter();
        cells
            .flat_map(|(row, column)| self.rules.game().moves_at(self, row, column))
            .collect()
    }

    /// The content of a cell; `None` outside the board.
    fn at(&self, row: i32, column: i32) -> Option<char> {
        let row = self.grid.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// All (row, column) pairs of the board.
    fn cells(&self) -> Vec<(i32, i32)> {
        let size = self.rules.size() as i32;
        (0..size)
            .flat_map(|row| (0..size).map(move |column| (row, column)))
            .collect()
    }

    fn name(&self, row: i32, column: i32) -> String {
        self.rules.game().name(row as usize, column as usize)
    }

    /// The (row, column) of the cell with this name.
    fn cell(&self, name: &str) -> (usize, usize) {
        let (row, column) = *self
            .cells()
            .iter()
            .find(|&&(row, column)| self.name(row, column) == name)
            .unwrap();
        (row as usize, column as usize)
    }
}

fn other(side: char) -> char {
    if side == 'x' { 'o' } else { 'x' }
}

/// Parses a decimal number that consists of digits only.
fn number(text: &str) -> Option<u32> {
    let digits = text.chars().all(|character| character.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// Parses the board of a FEN: `size` rows of `size` cells.
fn parse_grid(text: &str, size: usize) -> Option<Vec<Vec<char>>> {
    let rows: Option<Vec<Vec<char>>> = text.split('/').map(|row| parse_row(row, size)).collect();
    rows.filter(|rows| rows.len() == size)
}

/// Parses one row: `x`, `o`, and one digit for each run of empty cells. Two adjacent digits
/// are invalid.
fn parse_row(text: &str, size: usize) -> Option<Vec<char>> {
    let mut cells = Vec::new();
    let mut after_digit = false;
    for character in text.chars() {
        match character {
            'x' | 'o' => cells.push(character),
            '1'..='8' if !after_digit => {
                let run = character as usize - '0' as usize;
                cells.extend(std::iter::repeat_n('.', run));
            }
            _ => return None,
        }
        after_digit = character.is_ascii_digit();
    }
    (cells.len() == size).then_some(cells)
}

/// The text of one row, with runs of empty cells as digits.
fn row_text(row: &[char]) -> String {
    let mut text = String::new();
    let mut run = 0;
    for &cell in row {
        if cell == '.' {
            run += 1;
            continue;
        }
        if run > 0 {
            text += &run.to_string();
            run = 0;
        }
        text.push(cell);
    }
    if run > 0 {
        text += &run.to_string();
    }
    text
}
