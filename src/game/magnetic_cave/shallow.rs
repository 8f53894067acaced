//! The replies of opponents that search to a small fixed depth, as the course projects do: the
//! [reference players](lodestone_game::magnetic_cave::reference_players), and a course project that counts lines. The search
//! plays for their mistakes.
//!
//! All evaluations are sums over the lines, so each move has a *gain*: what it adds to the
//! difference of the side that plays it. A brick changes the gains on its own lines only. They are
//! kept for all cells and both sides, so the last ply needs no moves: the greatest gain is enough.

use lodestone_game::Game;
use lodestone_game::board::{Bitboard, Cell, Move, Side};
use lodestone_game::magnetic_cave::lines::LINES;
use lodestone_game::magnetic_cave::reference_players::FIVE;
use lodestone_game::magnetic_cave::{MagneticCave, playable};

/// The search depth in plies, as in the course projects.
const DEPTH: u32 = 4;

/// Greater than any value.
const INFINITE: i32 = i32::MAX;

/// An evaluation as a sum over lines. A line has a code: six times the bricks of the first player,
/// plus those of the second.
#[derive(Debug)]
pub(crate) struct LineModel {
    /// By code, the gain of each cell of the line: of the first player in the low byte, of the
    /// second in the high byte.
    gains: [u16; 36],
    /// By side and code, what a brick of the side adds to both gains.
    changes: [[u16; 36]; 2],
    /// What a line of five adds beyond the gains of its last brick.
    five: i32,
    /// The value of a finished game.
    won: Won,
    /// Whether the first of equal moves is the one in the lowest row, not in the highest.
    from_below: bool,
}

/// The value of a finished game.
#[derive(Clone, Copy, Debug)]
enum Won {
    /// Each five counts as [`FIVE`], beside the other lines.
    Sum,
    /// As `Sum`, but at most [`FIVE`], after the last ply of a search; [`FIVE`] before.
    AtMostFive,
    /// Always this value.
    Fixed(i32),
}

/// What a line with one side's bricks only is worth, by their number, beside what five add.
type LinePoints = [u16; 6];

/// The points of `groups`.
const GROUP_POINTS: LinePoints = [0, 1, 2, 3, 4, 5];

/// The points of the best of twelve course projects that were found.
const COUNT_POINTS: LinePoints = [0, 1, 3, 4, 5, 6];

/// What a brick of each side adds to the code of a line.
const STEPS: [u8; 2] = [6, 1];

/// By side, the code of a line of four bricks and an empty cell.
const FOURS: [u8; 2] = [24, 4];

/// The number of lines, as a power of two.
const LINE_SLOTS: usize = 128;

/// `groups`, `squares`, and the course project, whose rows begin above or below.
pub(crate) static MODELS: [LineModel; 4] = [
    LineModel::from_points(GROUP_POINTS, Won::Sum, false),
    LineModel::squares(),
    LineModel::from_points(COUNT_POINTS, Won::AtMostFive, false),
    LineModel::from_points(COUNT_POINTS, Won::AtMostFive, true),
];

impl LineModel {
    /// The model of a sum of such points over the lines with bricks of one side only.
    const fn from_points(points: LinePoints, won: Won, from_below: bool) -> LineModel {
        let mut gains = [0; 36];
        let mut code = 0;
        while code < 36 {
            let (first, second) = (code / 6, code % 6);
            gains[code] = points_gain(&points, first, second) + (points_gain(&points, second, first) << 8);
            code += 1;
        }
        LineModel {
            gains,
            changes: changes(&gains),
            five: FIVE - points[5] as i32,
            won,
            from_below,
        }
    }

    /// The model of `squares`.
    const fn squares() -> LineModel {
        let mut gains = [0; 36];
        let mut code = 0;
        while code < 36 {
            let (first, second) = (code as u16 / 6, code as u16 % 6);
            gains[code] = 2 * first + 1 + ((2 * second + 1) << 8);
            code += 1;
        }
        LineModel {
            gains,
            changes: changes(&gains),
            five: 0,
            won: Won::Fixed(FIVE * 100),
            from_below: false,
        }
    }

    /// The place of a cell in the order of equal moves.
    fn place(&self, cell: usize) -> usize {
        if self.from_below { cell ^ LOWEST_ROW } else { cell }
    }
}

/// The first cell of the lowest row. Cells that differ by these digits are in opposite rows.
const LOWEST_ROW: usize = 56;

/// By side and code, what a brick of the side adds to the gains of this line.
const fn changes(gains: &[u16; 36]) -> [[u16; 36]; 2] {
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
    changes
}

/// The gain of a cell by one line: a further brick in a line without bricks of the opponent, and the
/// end of the opponent's line.
const fn points_gain(points: &LinePoints, own: usize, other: usize) -> u16 {
    (if other == 0 && own < 5 {
        points[own + 1] - points[own]
    } else {
        0
    }) + (if own == 0 { points[other] } else { 0 })
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

/// The move of the opponent that `model` describes: the first one of the greatest value.
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
    moves.sort_by_key(|&(value, cell)| (-value, model.place(cell)));
    let (mut best, mut choice) = (-INFINITE, None);
    for (_, cell) in moves {
        // An earlier move needs only the same value.
        let alpha = match choice {
            Some(choice) if model.place(cell) < model.place(choice) => best - 1,
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

    /// The value of a brick on this cell, which makes five, for the side to move, with this depth left.
    fn won_value(&self, model: &LineModel, cell: usize, depth: u32) -> i32 {
        let sum = || {
            let four = FOURS[self.mover & 1];
            let fives = lines_through(cell)
                .iter()
                .filter(|&&line| self.codes[usize::from(line) % LINE_SLOTS] == four);
            self.own_value() + self.gain(cell) + model.five * fives.count() as i32
        };
        match model.won {
            Won::Sum => sum(),
            Won::AtMostFive if depth == 1 => sum().min(FIVE),
            Won::AtMostFive => FIVE,
            Won::Fixed(value) => value,
        }
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
            return board.won_value(self.model, cell, depth);
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
            let values = wins
                .cells()
                .map(|cell| board.won_value(self.model, cell.index(), depth));
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
    use crate::personality::FixedDepth;
    use crate::search::{SearchLimits, best_move};

    /// The sum of the course project for the side to move.
    fn counted(position: &MagneticCave) -> i32 {
        let mover = position.side_to_move();
        let points = |own: Side| -> i32 {
            let lines = LINES.iter();
            let open = lines.filter(|&&line| (line & position.pieces(own.opponent())).is_empty());
            open.map(|&line| [0, 1, 3, 4, 5, FIVE][(line & position.pieces(own)).count() as usize])
                .sum()
        };
        (points(mover) - points(mover.opponent())).clamp(-FIVE, FIVE)
    }

    /// Its value of a position for the side to move.
    fn counted_search(position: &MagneticCave, depth: u32, (mut alpha, beta): (i32, i32)) -> i32 {
        let value = counted(position);
        if depth == 0 || position.plies_left() == 0 {
            return value;
        }
        if position.outcome().is_some() {
            return FIVE * value.signum();
        }
        for &mv in position.legal_moves().iter() {
            alpha = alpha.max(-counted_search(&position.play(mv), depth - 1, (-beta, -alpha)));
            if alpha >= beta {
                break;
            }
        }
        alpha
    }

    /// Its move, with the rows from above or from below.
    fn counted_reply(position: &MagneticCave, from_below: bool) -> Option<Move> {
        let mut moves: Vec<_> = position.legal_moves().iter().copied().collect();
        moves.sort_by_key(|mv| {
            let (row, column) = (mv.to().index() / 8, mv.to().index() % 8);
            (if from_below { 7 - row } else { row }, column)
        });
        let (mut best, mut choice) = (-INFINITE, None);
        for mv in moves {
            let value = -counted_search(&position.play(mv), DEPTH - 1, (-INFINITE, -best));
            if value > best {
                (best, choice) = (value, Some(mv));
            }
        }
        choice
    }

    /// Positions in which the moves of the course project differ from those it would make if a five
    /// counted the same after each ply.
    const LOST: [&str; 4] = [
        "7o/x4oxx/xoo5/xx4xx/7x/7x/oo5o/oo2xoxo o",
        "oo1xoxxx/ooxxoxxx/xxoo2ox/ox5x/x3ooxo/oxxxooox/ooxoooxx/ooxx1xoo x",
        "xoox1oxo/oo2oxox/oxxx1xxx/xx2xoxo/xxooxoxx/oo4oo/oxxoxoxo/o7 o",
        "6ox/o4xxo/xx5x/x5oo/4oooo/x6o/oxox1xox/xx5o x",
    ];

    mod slow {
        use super::*;

        #[test]
        #[ignore = "slow: .ci/run"]
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
        #[ignore = "slow: .ci/run"]
        fn replies_are_the_moves_of_a_course_project_that_counts_lines() {
            let lost = LOST.map(|fen| MagneticCave::from_fen(fen).unwrap());
            let mut differences = 0;
            for (number, mut position) in random_positions(19, 200).into_iter().chain(lost).enumerate() {
                let plies = if number % 20 == 4 { 60 } else { 1 };
                for ply in 0..plies {
                    if position.outcome().is_some() {
                        break;
                    }
                    let replies = [false, true].map(|from_below| counted_reply(&position, from_below));
                    for (model, expected) in MODELS[2..].iter().zip(replies) {
                        assert_eq!(reply(model, &position, &mut 0), expected, "{}", position.fen());
                    }
                    differences += usize::from(replies[0] != replies[1]);
                    position = position.play(replies[ply % 2].unwrap());
                }
            }
            assert!(differences > 20, "{differences}");
        }
    }
}
