//! The rules of both games a second time, as plainly as they can be said.
//!
//! The tests hold the engine's bitboards against this module. It is worth
//! something only as long as it shares nothing with them: it imports nothing of
//! `lodestone`, and it was written from the rules' text. Boards are grids of
//! characters, moves are strings, loops run over rows and columns. It is slow,
//! and that is fine; being obvious is its whole job.
//!
//! Where the two disagree, read the rules again before you believe either.
//! [`positions`] makes the positions to compare them on.

// Every test program includes this module and uses what it needs of it.
#![allow(dead_code)]

pub mod positions;

/// Which rules a [`Position`] follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// 8×8, columns `a`–`h`, ranks 8 (top) to 1: bricks, five in line.
    MagneticCave,
    /// 7×7, rows `a` (top) to `g`, columns 1–7: sliding pieces, free space.
    Gridlock,
}

impl Rules {
    /// The FEN that `position startpos` means.
    pub fn start(self) -> &'static str {
        match self {
            Rules::MagneticCave => "8/8/8/8/8/8/8/8 x",
            Rules::Gridlock => "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40",
        }
    }

    /// Rows of the board, and columns.
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
    /// `x`, `o` or `.`; `grid[0]` is the row printed on top.
    grid: Vec<Vec<char>>,
    to_move: char,
    /// Turns played and turn limit: Gridlock only, otherwise zero.
    played: u32,
    limit: u32,
}

/// The steps to a cell's orthogonal neighbours, as (row, column).
const NEIGHBOURS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// The directions in which five bricks may lie: along a row, down a column, and
/// down either diagonal.
const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Position {
    /// The starting position.
    pub fn start(rules: Rules) -> Position {
        Position::parse(rules, rules.start()).unwrap()
    }

    /// Reads a FEN; `None` where the text or the position it describes is not
    /// allowed.
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
        position.is_allowed().then_some(position)
    }

    /// Writes the FEN.
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

    /// At most this many moves are still to come.
    pub fn moves_left(&self) -> usize {
        match self.rules {
            Rules::MagneticCave => self.count('.'),
            Rules::Gridlock => (self.limit - self.played) as usize,
        }
    }

    /// How many cells hold `what`: `x`, `o` or `.`.
    pub fn count(&self, what: char) -> usize {
        self.grid.iter().flatten().filter(|&&cell| cell == what).count()
    }

    /// All moves of the side to move, sorted; none once the game is over.
    pub fn legal_moves(&self) -> Vec<String> {
        let mut moves = match self.outcome() {
            Some(_) => Vec::new(),
            None => self.moves_on_the_board(),
        };
        moves.sort();
        moves
    }

    /// The position after `text`; `None` if that is no legal move.
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

    /// Result and reason of a finished game, in the words of a result file, such
    /// as `("1-0", "five")`; `None` while the game goes on.
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
                if self.moves_on_the_board().is_empty() {
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

    /// How many games of exactly `depth` moves start here.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.legal_moves()
            .iter()
            .map(|text| self.play(text).unwrap().perft(depth - 1))
            .sum()
    }

    /// Gridlock: how many empty cells lie next to a piece of `side`, each
    /// counted once.
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

    /// The same position on a board whose cells have changed places: the cell in
    /// (row, column) takes what stood on `source(row, column)`.
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

    /// Magnetic Cave: the side to move has put a brick on an empty cell, whether
    /// or not anything holds it there.
    pub fn with_brick(&self, row: usize, column: usize) -> Position {
        let mut next = self.clone();
        next.grid[row][column] = self.to_move;
        next.to_move = other(self.to_move);
        next
    }

    /// The same position with the two sides exchanged, pieces and move alike.
    pub fn exchanged(&self) -> Position {
        let mut next = self.clone();
        for cell in next.grid.iter_mut().flatten().filter(|cell| **cell != '.') {
            *cell = other(*cell);
        }
        next.to_move = other(self.to_move);
        next
    }

    /// The moves that the board offers, whether or not the game is over.
    fn moves_on_the_board(&self) -> Vec<String> {
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

    /// Magnetic Cave: a brick holds at the left wall, at the right wall, or
    /// beside a brick of any colour in its row.
    fn is_supported(&self, row: i32, column: i32) -> bool {
        let holds = |cell: Option<char>| match cell {
            None => true, // the wall
            Some(brick) => brick != '.',
        };
        holds(self.at(row, column - 1)) || holds(self.at(row, column + 1))
    }

    /// Whether a position read from a FEN is one that the rules allow.
    fn is_allowed(&self) -> bool {
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

    /// What stands on a cell; `None` outside the board.
    fn at(&self, row: i32, column: i32) -> Option<char> {
        let row = self.grid.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// Every (row, column) of the board.
    fn cells(&self) -> Vec<(i32, i32)> {
        let size = self.rules.size() as i32;
        (0..size)
            .flat_map(|row| (0..size).map(move |column| (row, column)))
            .collect()
    }

    /// The name of a cell: `a8` is Magnetic Cave's top left, `a1` Gridlock's.
    fn name(&self, row: i32, column: i32) -> String {
        let (row, column) = (row as usize, column as usize);
        match self.rules {
            Rules::MagneticCave => format!("{}{}", b"abcdefgh"[column] as char, 8 - row),
            Rules::Gridlock => format!("{}{}", b"abcdefg"[row] as char, column + 1),
        }
    }

    /// The (row, column) of a cell's name.
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

/// A decimal number: digits and nothing else.
fn number(text: &str) -> Option<u32> {
    let digits = text.chars().all(|character| character.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// The rows of a FEN's board, `size` of them with `size` cells each.
fn parse_grid(text: &str, size: usize) -> Option<Vec<Vec<char>>> {
    let rows: Option<Vec<Vec<char>>> = text.split('/').map(|row| parse_row(row, size)).collect();
    rows.filter(|rows| rows.len() == size)
}

/// One row: `x`, `o`, and a digit for each run of empty cells. Two digits side
/// by side would be one run written as two.
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

/// One row as text, each run of empty cells as its length.
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
