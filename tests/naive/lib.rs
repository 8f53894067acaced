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
pub mod gridlock_values;
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

    /// The FEN of `position startpos`.
    pub fn start(self) -> &'static str {
        match self {
            Rules::MagneticCave => "8/8/8/8/8/8/8/8 x",
            Rules::Gridlock => "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40",
        }
    }

    /// The number of rows, and of columns.
    pub fn size(self) -> usize {
        match self {
            Rules::MagneticCave => 8,
            Rules::Gridlock => 7,
        }
    }
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

/// The steps to a cell's orthogonal neighbours, as (row, column).
const NEIGHBOURS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// The directions of a line of five as (row, column): right, down, down right, down left.
const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Position {
    /// The starting position.
    pub fn start(rules: Rules) -> Position {
        Position::parse(rules, rules.start()).unwrap()
    }

    /// Parses a FEN; `None` if the text or the position is invalid.
    pub fn parse(rules: Rules, fen: &str) -> Option<Position> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let (played, limit) = match (rules, fields.len()) {
            (Rules::MagneticCave, 2) => (0, 0),
            (Rules::Gridlock, 4) => (number(fields[2])?, number(fields[3])?),
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
        position.is_valid().then_some(position)
    }

    /// The FEN of the position.
    pub fn fen(&self) -> String {
        let rows: Vec<String> = self.grid.iter().map(|row| row_text(row)).collect();
        let board = format!("{} {}", rows.join("/"), self.to_move);
        match self.rules {
            Rules::MagneticCave => board,
            Rules::Gridlock => format!("{board} {} {}", self.played, self.limit),
        }
    }

    /// `x` or `o`.
    pub fn side_to_move(&self) -> char {
        self.to_move
    }

    /// An upper bound on the number of moves left.
    pub fn moves_left(&self) -> usize {
        match self.rules {
            Rules::MagneticCave => self.count('.'),
            Rules::Gridlock => (self.limit - self.played) as usize,
        }
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
        match self.rules {
            Rules::MagneticCave => {
                let (row, column) = self.cell(&text);
                next.grid[row][column] = self.to_move;
            }
            Rules::Gridlock => {
                let (from_row, from_column) = self.cell(&text[..2]);
                let (to_row, to_column) = self.cell(&text[2..]);
                next.grid[from_row][from_column] = '.';
                next.grid[to_row][to_column] = self.to_move;
                next.played += 1;
            }
        }
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
        match self.rules {
            Rules::MagneticCave => {
                if self.has_five('x') {
                    Some(("1-0", "five"))
                } else if self.has_five('o') {
                    Some(("0-1", "five"))
                } else if self.count('.') == 0 {
                    Some(("1/2-1/2", "full"))
                } else {
                    None
                }
            }
            Rules::Gridlock => {
                if self.pseudo_legal_moves().is_empty() {
                    Some((if self.to_move == 'x' { "0-1" } else { "1-0" }, "blocked"))
                } else if self.played == self.limit {
                    let result = match self.room('x').cmp(&self.room('o')) {
                        std::cmp::Ordering::Greater => "1-0",
                        std::cmp::Ordering::Less => "0-1",
                        std::cmp::Ordering::Equal => "1/2-1/2",
                    };
                    Some((result, "mobility"))
                } else {
                    None
                }
            }
        }
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

    /// Magnetic Cave: the side to move has placed a brick on an empty cell, which need not
    /// be playable.
    pub fn with_brick(&self, row: usize, column: usize) -> Position {
        let mut next = self.clone();
        next.grid[row][column] = self.to_move;
        next.to_move = other(self.to_move);
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
        let mut moves = Vec::new();
        for (row, column) in self.cells() {
            match self.rules {
                Rules::MagneticCave => {
                    if self.at(row, column) == Some('.') && self.is_supported(row, column) {
                        moves.push(self.name(row, column));
                    }
                }
                Rules::Gridlock if self.at(row, column) == Some(self.to_move) => {
                    for (down, right) in NEIGHBOURS {
                        if self.at(row + down, column + right) == Some('.') {
                            moves.push(self.name(row, column) + &self.name(row + down, column + right));
                        }
                    }
                }
                Rules::Gridlock => {}
            }
        }
        moves
    }

    /// Magnetic Cave: whether a brick is supported, by the left wall, the right wall, or a
    /// brick of any colour beside it in its row.
    fn is_supported(&self, row: i32, column: i32) -> bool {
        let holds = |cell: Option<char>| match cell {
            None => true, // the wall
            Some(brick) => brick != '.',
        };
        holds(self.at(row, column - 1)) || holds(self.at(row, column + 1))
    }

    /// Whether a position parsed from a FEN is valid.
    fn is_valid(&self) -> bool {
        let (xs, os) = (self.count('x'), self.count('o'));
        match self.rules {
            Rules::MagneticCave => {
                let counts_fit = match self.to_move {
                    'x' => xs == os,
                    _ => xs == os + 1,
                };
                counts_fit && !self.has_five(self.to_move)
            }
            Rules::Gridlock => {
                xs == os
                    && (1..=24).contains(&xs)
                    && (1..=1000).contains(&self.limit)
                    && self.played <= self.limit
            }
        }
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

    /// The name of a cell. The top left cell is `a8` in Magnetic Cave, `a1` in Gridlock.
    fn name(&self, row: i32, column: i32) -> String {
        let (row, column) = (row as usize, column as usize);
        match self.rules {
            Rules::MagneticCave => format!("{}{}", b"abcdefgh"[column] as char, 8 - row),
            Rules::Gridlock => format!("{}{}", b"abcdefg"[row] as char, column + 1),
        }
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
