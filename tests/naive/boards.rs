//! Magnetic Cave on boards of any size.

use std::collections::HashMap;

/// Plain minimax of all positions, from the text of the rules: a board is a text of `.`, `x` and
/// `o`, row by row.
pub struct Minimax {
    width: usize,
    height: usize,
    connect: usize,
    /// By board: 1, 0 or -1 for the side to move.
    pub values: HashMap<Vec<u8>, i8>,
}

impl Minimax {
    /// An empty table for boards of this width, height and number in line.
    pub fn new([width, height, connect]: [usize; 3]) -> Minimax {
        Minimax {
            width,
            height,
            connect,
            values: HashMap::new(),
        }
    }

    /// The empty board.
    pub fn start(&self) -> Vec<u8> {
        vec![b'.'; self.width * self.height]
    }

    /// `x` or `o`.
    pub fn side_to_move(board: &[u8]) -> u8 {
        let count = |side| board.iter().map(|&cell| u32::from(cell == side)).sum::<u32>();
        if count(b'x') == count(b'o') { b'x' } else { b'o' }
    }

    /// The playable cells.
    pub fn moves(&self, board: &[u8]) -> Vec<usize> {
        let is_legal = |&cell: &usize| {
            let column = cell % self.width;
            let at_wall = column == 0 || column == self.width - 1;
            let beside = |neighbour: usize| board[neighbour] != b'.';
            board[cell] == b'.' && (at_wall || beside(cell - 1) || beside(cell + 1))
        };
        (0..board.len()).filter(is_legal).collect()
    }

    /// Whether the brick on `cell` completes a line.
    pub fn completes(&self, board: &[u8], cell: usize) -> bool {
        let at = |column: isize, row: isize| {
            let inside =
                (0..self.width as isize).contains(&column) && (0..self.height as isize).contains(&row);
            inside.then(|| board[row as usize * self.width + column as usize])
        };
        let (column, row) = ((cell % self.width) as isize, (cell / self.width) as isize);
        [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .any(|(across, down)| {
                let run = |sign: isize| {
                    (1..self.connect as isize)
                        .take_while(|step| {
                            at(column + sign * step * across, row + sign * step * down) == Some(board[cell])
                        })
                        .count()
                };
                run(1) + run(-1) + 1 >= self.connect
            })
    }

    /// The value of a position; of all positions after it, too.
    pub fn value(&mut self, board: &mut Vec<u8>) -> i8 {
        if let Some(&value) = self.values.get(board) {
            return value;
        }
        let side = Minimax::side_to_move(board);
        let mut best = None;
        for cell in self.moves(board) {
            board[cell] = side;
            let value = if self.completes(board, cell) {
                1
            } else {
                -self.value(board)
            };
            board[cell] = b'.';
            best = best.max(Some(value));
        }
        let value = best.unwrap_or(0);
        self.values.insert(board.clone(), value);
        value
    }
}
