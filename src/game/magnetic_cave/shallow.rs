//! The replies of opponents that search to a small fixed depth, as the course projects do: the
//! [reference players](super::reference_players). The search plays for their mistakes.
//!
//! Both evaluations are sums over the lines, so each move has a *gain*: what it adds to the
//! difference of the side that plays it. A brick changes the gains on its own lines only. They are
//! kept for all cells and both sides, so the last ply needs no moves: the greatest gain is enough.

use super::lines::LINES;
use super::reference_players::FIVE;
use super::{MagneticCave, playable};
use crate::board::{Bitboard, Cell, Move, Side};
use crate::game::Game;

/// The search depth in plies, as in the course projects.
const DEPTH: u32 = 4;

/// Greater than any value.
const INFINITE: i32 = i32::MAX;

/// An evaluation as a sum over lines. A line has a code: six times the bricks of the first player,
/// plus those of the second.
#[derive(Debug)]
pub struct LineModel {
    /// By code, the gain of each cell of the line: of the first player in the low byte, of the
    /// second in the high byte.
    gains: [u16; 36],
    /// By side and code, what a brick of the side adds to both gains.
    changes: [[u16; 36]; 2],
    /// The value of a finished game; `None` if each five counts as [`FIVE`], beside the other lines.
    won: Option<i32>,
}

/// What a brick of each side adds to the code of a line.
const STEPS: [u8; 2] = [6, 1];

/// By side, the code of a line of four bricks and an empty cell.
const FOURS: [u8; 2] = [24, 4];

/// The number of lines, as a power of two.
const LINE_SLOTS: usize = 128;

/// `groups` and `squares`.
pub static MODELS: [LineModel; 2] = [LineModel::new(false), LineModel::new(true)];

impl LineModel {
    /// The model of `squares`, or of `groups`.
    const fn new(squares: bool) -> LineModel {
        let mut gains = [0; 36];
        let mut code = 0;
        while code < 36 {
            let (first, second) = (code as u16 / 6, code as u16 % 6);
            gains[code] = if squares {
                2 * first + 1 + ((2 * second + 1) << 8)
            } else {
                groups_gain(first, second) + (groups_gain(second, first) << 8)
            };
            code += 1;
        }
        let mut changes = [[0; 36]; 2];
        let mut side = 0;
        while side < 2 {
            let mut code = 0;
            while code + (STEPS[side] as usize) < 36 {
                changes[side][code] = gains[code + STEPS[side] as usize].wrapping_sub(gains[code]);
                code += 1;
            }
            side += 1;
        }
        let won = if squares { Some(FIVE * 100) } else { None };
        LineModel { gains, changes, won }
    }
}

/// The gain of a cell by one line for `groups`: a further brick in a line without bricks of the
/// opponent, and the end of the opponent's line.
const fn groups_gain(own: u16, other: u16) -> u16 {
    (if other == 0 { 1 } else { 0 }) + (if own == 0 { other } else { 0 })
}

/// The cells of each line.
static LINE_CELLS: [[u8; 5]; 96] = {
    let mut cells = [[0; 5]; 96];
    let mut line = 0;
    while line < 96 {
        let (mut cell, mut count) = (0, 0);
        while cell < 64 {
            if LINES[line].0 >> cell & 1 == 1 {
                cells[line][count] = cell as u8;
                count += 1;
            }
            cell += 1;
        }
        line += 1;
    }
    cells
};

/// The lines through each cell: their number, then the lines.
static CELL_LINES: [(u8, [u8; 16]); 64] = {
    let mut lines = [(0, [0; 16]); 64];
    let mut line = 0;
    while line < 96 {
        let mut index = 0;
        while index < 5 {
            let (count, list) = &mut lines[LINE_CELLS[line][index] as usize];
            list[*count as usize] = line as u8;
            *count += 1;
            index += 1;
        }
        line += 1;
    }
    lines
};

/// The lines through a cell.
fn lines_through(cell: usize) -> &'static [u8] {
    let (count, lines) = &CELL_LINES[cell % 64];
    lines.get(..usize::from(*count)).unwrap_or(lines)
}

/// The move of the reference player that `model` describes: the first one of the greatest value.
/// Adds the positions searched to `nodes`, without the last ply. `None` if the game is over.
pub fn reply(model: &'static LineModel, position: &MagneticCave, nodes: &mut u64) -> Option<Move> {
    if position.outcome().is_some() {
        return None;
    }
    let board = Board::of(model, position);
    let mut search = ShallowSearch { model, nodes: 0 };
    let mut moves: Vec<_> = board.moves().map(|cell| (0, cell)).collect();
    for (value, cell) in &mut moves {
        *value = search.after(&board, *cell, 2, (-INFINITE, INFINITE));
    }
    moves.sort_by_key(|&(value, cell)| (-value, cell));
    let (mut best, mut choice) = (-INFINITE, None);
    for (_, cell) in moves {
        // An earlier move needs only the same value.
        let alpha = match choice {
            Some(choice) if cell < choice => best - 1,
            _ => best,
        };
        let value = search.after(&board, cell, DEPTH, (alpha, INFINITE));
        if value > alpha {
            (best, choice) = (value, Some(cell));
        }
    }
    *nodes += search.nodes;
    choice.map(|cell| Move::place(Cell::from_index(cell as u8)))
}

/// A position with the sums of a [`LineModel`].
#[derive(Clone, Copy)]
struct Board {
    /// By side, the bricks.
    bricks: [Bitboard; 2],
    /// By side, the cells of lines with four bricks and an empty cell, that one and perhaps others.
    completing: [Bitboard; 2],
    /// The side to move, 0 or 1.
    mover: usize,
    /// The value for the first player.
    value: i32,
    /// The codes of the lines.
    codes: [u8; LINE_SLOTS],
    /// The gains of all cells, as in [`LineModel::gains`].
    gains: [u16; 64],
}

impl Board {
    fn of(model: &LineModel, position: &MagneticCave) -> Board {
        let bricks = Side::BOTH.map(|side| position.pieces(side));
        let mut board = Board {
            bricks: [Bitboard::EMPTY; 2],
            completing: [Bitboard::EMPTY; 2],
            mover: 0,
            value: 0,
            codes: [0; LINE_SLOTS],
            gains: [0; 64],
        };
        for &cell in LINE_CELLS.iter().flatten() {
            board.gains[usize::from(cell % 64)] += model.gains[0];
        }
        for (side, bricks) in bricks.into_iter().enumerate() {
            for cell in bricks.cells() {
                board.mover = side;
                board = board.play(model, cell.index());
            }
        }
        board.mover = position.side_to_move().index();
        board
    }

    fn playable(&self) -> Bitboard {
        playable(self.bricks[0] | self.bricks[1])
    }

    /// The cells of the legal moves, in rising order.
    fn moves(&self) -> impl Iterator<Item = usize> {
        self.playable().cells().map(Cell::index)
    }

    /// The value for the side to move.
    fn own_value(&self) -> i32 {
        if self.mover == 0 { self.value } else { -self.value }
    }

    /// What a brick on this cell adds to the difference of the side to move, unless it makes five.
    fn gain(&self, cell: usize) -> i32 {
        i32::from(self.gains[cell % 64] >> (8 * self.mover) & 0xff)
    }

    /// The playable cells that make five for the side to move.
    fn wins(&self, playable: Bitboard) -> Bitboard {
        self.completing[self.mover & 1] & playable
    }

    /// The value of a brick on this cell, which makes five, for the side to move.
    fn won_value(&self, model: &LineModel, cell: usize) -> i32 {
        model.won.unwrap_or_else(|| {
            let four = FOURS[self.mover & 1];
            let fives = lines_through(cell)
                .iter()
                .filter(|&&line| self.codes[usize::from(line) % LINE_SLOTS] == four);
            // A line of five would count 5 as others do.
            self.own_value() + self.gain(cell) + (FIVE - 5) * fives.count() as i32
        })
    }

    /// The board after a move.
    #[inline]
    fn play(&self, model: &LineModel, cell: usize) -> Board {
        let mut next = *self;
        let side = self.mover & 1;
        let gain = self.gain(cell);
        next.value += if side == 0 { gain } else { -gain };
        next.bricks[side] |= Bitboard(1 << (cell % 64));
        next.mover = 1 - side;
        for &line in lines_through(cell) {
            let code = &mut next.codes[usize::from(line) % LINE_SLOTS];
            let change = model.changes[side][usize::from(*code) % 36];
            *code += STEPS[side];
            if *code == FOURS[side] {
                next.completing[side] |= LINES[usize::from(line) % 96];
            }
            if change != 0 {
                for &cell in &LINE_CELLS[usize::from(line) % 96] {
                    let gains = &mut next.gains[usize::from(cell) % 64];
                    *gains = gains.wrapping_add(change);
                }
            }
        }
        next
    }
}

/// A search to a fixed depth.
struct ShallowSearch {
    model: &'static LineModel,
    /// The positions searched, without those of the last ply.
    nodes: u64,
}

impl ShallowSearch {
    /// The value of a move for the side that plays it, by a search of this depth; alpha-beta,
    /// fail-soft.
    fn after(&mut self, board: &Board, cell: usize, depth: u32, (alpha, beta): (i32, i32)) -> i32 {
        if board
            .wins(board.playable())
            .contains(Cell::from_index(cell as u8))
        {
            return board.won_value(self.model, cell);
        }
        -self.search(&board.play(self.model, cell), depth - 1, (-beta, -alpha))
    }

    /// The value of an unfinished position or a full board for its side to move.
    fn search(&mut self, board: &Board, depth: u32, (mut alpha, beta): (i32, i32)) -> i32 {
        self.nodes += u64::from(depth > 1);
        let playable = board.playable();
        if playable.is_empty() {
            return board.own_value();
        }
        let wins = board.wins(playable);
        if !wins.is_empty() && depth <= 2 {
            // A later five is too late.
            let values = wins.cells().map(|cell| board.won_value(self.model, cell.index()));
            return values.max().unwrap_or(-INFINITE);
        }
        let gain = |cell: Cell| board.gain(cell.index());
        if depth == 1 {
            return board.own_value() + playable.cells().map(gain).max().unwrap_or(0);
        }
        let threats = board.completing[1 - (board.mover & 1)] & playable;
        let mut moves = [(0, 0); 16];
        let mut count = 0;
        for (slot, cell) in moves.iter_mut().zip(playable.cells()) {
            let is_urgent = wins.contains(cell) || threats.contains(cell);
            *slot = (gain(cell) + if is_urgent { FIVE } else { 0 }, cell.index());
            count += 1;
        }
        let mut rest = &mut moves[..count];
        let mut best = -INFINITE;
        while let Some(index) = (0..rest.len()).max_by_key(|&index| rest[index].0) {
            rest.swap(0, index);
            let Some((&mut (_, cell), others)) = std::mem::take(&mut rest).split_first_mut() else {
                break;
            };
            rest = others;
            let value = self.after(board, cell, depth, (alpha, beta));
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_positions;
    use super::*;
    use crate::game::Evaluate;
    use crate::personality::FixedDepth;
    use crate::search::{SearchLimits, best_move};

    #[test]
    fn replies_are_the_moves_of_the_reference_players() {
        let mut players = [0, 1].map(|model| FixedDepth::new(&MagneticCave::REFERENCE_PLAYERS[model]));
        // Positions of random games, and the games of the two players from some of them.
        for (number, mut position) in random_positions(17, 300).into_iter().enumerate() {
            let plies = if number % 25 == 4 { 60 } else { 1 };
            for ply in 0..plies {
                let replies = [0, 1].map(|model| {
                    let best = best_move(&mut players[model], &position, SearchLimits::depth(DEPTH));
                    let expected = best.map(|best| best.mv);
                    let reply = reply(&MODELS[model], &position, &mut 0);
                    assert_eq!(reply, expected, "{model}: {}", position.fen());
                    reply
                });
                match replies[ply % 2] {
                    Some(mv) => position = position.play(mv),
                    None => break,
                }
            }
        }
    }

    #[test]
    #[ignore = "a measurement: `cargo test --release --lib time_of_a_reply -- --ignored --nocapture`"]
    fn time_of_a_reply() {
        let positions = random_positions(18, 10_000);
        for empty in [20, 30, 40, 50] {
            let positions: Vec<_> = positions
                .iter()
                .filter(|position| position.plies_left() == empty)
                .collect();
            for model in &MODELS {
                let mut nodes = 0;
                let start = std::time::Instant::now();
                for position in &positions {
                    reply(model, position, &mut nodes);
                }
                let count = positions.len().max(1) as u32;
                let time = start.elapsed() / count;
                println!(
                    "{empty} empty cells: {time:?} and {} nodes a reply",
                    nodes / u64::from(count)
                );
            }
        }
    }
}
