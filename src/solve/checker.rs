//! Verifies certificates by the rules alone.
//!
//! This file shares no code with the solvers: boards are texts, and the rules of the game are
//! written out again.

use std::collections::HashMap;

use crate::random::Random;
use crate::text::quoted;

/// A board row by row from the top: `.`, `x` or `o`.
type Board = Vec<u8>;

/// The most empty cells of a position whose answer the checker searches.
const MAX_ENDING_CELLS: usize = 16;

/// The number of searched positions that are kept in memory.
const MAX_KNOWN_ENDINGS: usize = 1 << 20;

/// How a certificate proves an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Proof {
    /// By the answers after all moves.
    AllMoves,
    /// By the answer after the move on this cell.
    Move(usize),
    /// By pairs of cells: the other side answers a brick on one cell of a pair with a brick on the
    /// other cell.
    Pairs(Vec<[usize; 2]>),
}

/// A board, the side of the question, and whether it wins.
type Answer = (Board, u8, bool);

/// What was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateReport {
    /// Columns, rows, and bricks in line that win.
    pub size: [usize; 3],
    /// The values that the certificate proves, each with its position.
    pub values: Vec<String>,
    /// The number of answers in the certificate.
    pub answers: usize,
    /// The number of answers that were verified.
    pub verified: usize,
}

/// Verifies a certificate: its values, and all of its answers, or a number of random ones.
///
/// # Errors
/// A sentence: the text is no complete certificate, or an answer is not proven.
pub fn check_certificate(
    text: &str,
    samples: Option<usize>,
    random: &mut Random,
) -> Result<CertificateReport, String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut checker = Checker::new(first).ok_or_else(|| {
        format!(
            "line 1: expected `lodestone certificate 1: WxH, K in line, endings of N cells`, found {}",
            quoted(first)
        )
    })?;
    let mut claims = Vec::new();
    let mut answers = Vec::new();
    let mut is_complete = false;
    for (number, line) in (2..).zip(rest.split_inclusive('\n')) {
        let of_line = |error: String| format!("line {number}: {error}");
        if is_complete {
            return Err(of_line("nothing may follow the line `end`".to_string()));
        }
        let Some(line) = line.strip_suffix('\n') else {
            break;
        };
        if let Some(count) = line.strip_prefix("end ") {
            if count != answers.len().to_string() {
                let error = format!("expected `end {}`, found {}", answers.len(), quoted(line));
                return Err(of_line(error));
            }
            is_complete = true;
        } else if let Some(value) = line.strip_prefix("value ") {
            claims.push((number, value));
        } else {
            let answer = checker.read_answer(line).map_err(of_line)?;
            let place = answers.len();
            if checker.places.insert(answer.0.clone(), place).is_some() {
                return Err(of_line("this answer is given twice".to_string()));
            }
            answers.push((number, answer));
        }
    }
    if !is_complete {
        return Err(
            "the certificate is cut off: its last line must be `end` and the number of answers".to_string(),
        );
    }
    if claims.is_empty() {
        return Err("the certificate proves no value: it has no line `value`".to_string());
    }
    for &(number, claim) in &claims {
        let verdict = checker.check_value(claim);
        verdict.map_err(|error| format!("line {number}: {error}"))?;
    }
    let count = samples.unwrap_or(answers.len()).min(answers.len());
    let mut order: Vec<usize> = (0..answers.len()).collect();
    if count < answers.len() {
        random.shuffle(&mut order);
    }
    for &place in &order[..count] {
        let (number, (answer, proof)) = &answers[place];
        let verdict = checker.check_answer(answer, proof);
        verdict.map_err(|error| format!("line {number}: {error}"))?;
    }
    Ok(CertificateReport {
        size: [checker.width, checker.height, checker.connect],
        values: claims.iter().map(|&(_, claim)| claim.to_string()).collect(),
        answers: answers.len(),
        verified: count,
    })
}

struct Checker {
    width: usize,
    height: usize,
    connect: usize,
    /// Positions with at most this number of empty cells are searched.
    ending: usize,
    lines: Vec<Vec<usize>>,
    places: HashMap<Answer, usize>,
    /// Whether a side wins an ending.
    endings: HashMap<(Board, u8), bool>,
}

impl Checker {
    /// Reads the first line.
    fn new(line: &str) -> Option<Checker> {
        let sizes = line.strip_prefix("lodestone certificate 1: ")?;
        let (board, rest) = sizes.split_once(", ")?;
        let (width, height) = board.split_once('x')?;
        let (connect, rest) = rest.split_once(" in line, endings of ")?;
        let number = |text: &str, max: usize| text.parse().ok().filter(|&number| number <= max);
        let [width, height, connect] = [number(width, 8)?, number(height, 8)?, number(connect, 8)?];
        if [width, height, connect].contains(&0) {
            return None;
        }
        let mut checker = Checker {
            width,
            height,
            connect,
            ending: number(rest.strip_suffix(" cells")?, MAX_ENDING_CELLS)?,
            lines: Vec::new(),
            places: HashMap::new(),
            endings: HashMap::new(),
        };
        checker.add_lines();
        Some(checker)
    }

    fn add_lines(&mut self) {
        for row in 0..self.height {
            for column in 0..self.width {
                for (across, down) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                    let cell = |step: usize| {
                        let column = column.checked_add_signed(across * step as isize)?;
                        let row = row + down * step;
                        (column < self.width && row < self.height).then_some(row * self.width + column)
                    };
                    self.lines
                        .extend((0..self.connect).map(cell).collect::<Option<Vec<usize>>>());
                }
            }
        }
    }

    /// Reads a position: the board and the side to move, as in a FEN.
    fn read_position(&self, text: &str) -> Result<Board, String> {
        let error = || format!("{} is no position of this board", quoted(text));
        let (rows, side) = text.split_once(' ').ok_or_else(error)?;
        let mut board = Board::new();
        for (count, row) in (1..).zip(rows.split('/')) {
            for sign in row.bytes() {
                match sign {
                    b'1'..=b'8' => board.extend([b'.'].repeat(usize::from(sign - b'0'))),
                    b'x' | b'o' => board.push(sign),
                    _ => return Err(error()),
                }
            }
            if board.len() != count * self.width {
                return Err(error());
            }
        }
        let difference = count_of(&board, b'x').checked_sub(count_of(&board, b'o'));
        let is_turn = matches!((difference, side), (Some(0), "x") | (Some(1), "o"));
        if board.len() == self.width * self.height && is_turn {
            Ok(board)
        } else {
            Err(error())
        }
    }

    /// Reads an answer and its proof.
    fn read_answer(&self, line: &str) -> Result<(Answer, Proof), String> {
        let error = || format!("expected an answer, found {}", quoted(line));
        let words: Vec<&str> = line.split(' ').collect();
        let [side, word, rows, mover, ref rest @ ..] = words[..] else {
            return Err(error());
        };
        let wins = match word {
            "wins" => true,
            "holds" => false,
            _ => return Err(error()),
        };
        let side = match side {
            "x" => b'x',
            "o" => b'o',
            _ => return Err(error()),
        };
        let proof = match rest {
            [] => Some(Proof::AllMoves),
            ["pairs", pairs @ ..] => {
                let pair = |pair: &&str| Some([self.cell(pair.get(..2)?)?, self.cell(pair.get(2..)?)?]);
                pairs.iter().map(pair).collect::<Option<_>>().map(Proof::Pairs)
            }
            [name] => self.cell(name).map(Proof::Move),
            _ => None,
        };
        let board = self.read_position(&format!("{rows} {mover}"))?;
        Ok(((board, side, wins), proof.ok_or_else(error)?))
    }

    /// The cell with a name such as `a1`: a letter for the column, the rank from the bottom.
    fn cell(&self, name: &str) -> Option<usize> {
        let &[letter, digit] = name.as_bytes() else {
            return None;
        };
        let column = usize::from(letter.checked_sub(b'a')?);
        let row = self.height.checked_sub(usize::from(digit.checked_sub(b'0')?))?;
        (column < self.width && row < self.height).then_some(row * self.width + column)
    }

    /// A brick needs a wall or another brick beside it in its row.
    fn is_legal(&self, board: &[u8], cell: usize) -> bool {
        let column = cell % self.width;
        board[cell] == b'.'
            && (column == 0 || column == self.width - 1 || board[cell - 1] != b'.' || board[cell + 1] != b'.')
    }

    fn has_line(&self, board: &[u8], side: u8) -> bool {
        let is_complete = |line: &Vec<usize>| line.iter().all(|&cell| board[cell] == side);
        self.lines.iter().any(is_complete)
    }

    /// Whether a side can still complete a line: the other side has no brick in it.
    fn has_open_line(&self, board: &[u8], side: u8) -> bool {
        let is_open = |line: &Vec<usize>| line.iter().all(|&cell| board[cell] != other(side));
        self.lines.iter().any(is_open)
    }

    /// Whether `side` wins, if the rules show it.
    fn evident(&self, board: &[u8], side: u8) -> Option<bool> {
        if self.has_line(board, side) {
            Some(true)
        } else if self.has_line(board, other(side))
            || !self.has_open_line(board, side)
            || !board.contains(&b'.')
        {
            Some(false)
        } else {
            None
        }
    }

    /// Whether `side` wins an ending: plain minimax.
    fn wins(&mut self, board: &mut Board, side: u8) -> bool {
        if let Some(wins) = self.evident(board, side) {
            return wins;
        }
        let key = (board.clone(), side);
        if let Some(&wins) = self.endings.get(&key) {
            return wins;
        }
        let mover = mover(board);
        // The side of the question looks for one winning move, the other side for one that prevents it.
        let mut wins = mover != side;
        for cell in 0..board.len() {
            if self.is_legal(board, cell) {
                board[cell] = mover;
                let after = self.wins(board, side);
                board[cell] = b'.';
                if after != wins {
                    wins = after;
                    break;
                }
            }
        }
        if self.endings.len() >= MAX_KNOWN_ENDINGS {
            self.endings.clear();
        }
        self.endings.insert(key, wins);
        wins
    }

    /// The board with its columns reversed, its rows reversed, both, and neither.
    fn images(&self, board: &[u8]) -> [Board; 4] {
        let upside_down: Board = board.chunks(self.width).rev().flatten().copied().collect();
        let reversed = |board: &[u8]| board.iter().rev().copied().collect::<Board>();
        [
            board.to_vec(),
            reversed(board),
            reversed(&upside_down),
            upside_down,
        ]
    }

    /// Checks that this answer is evident, in the certificate, or right in an ending.
    fn check_known(&mut self, board: &Board, side: u8, wins: bool) -> Result<(), String> {
        let mut known = self.evident(board, side);
        if known.is_none() && count_of(board, b'.') <= self.ending {
            known = Some(self.wins(&mut board.clone(), side));
        }
        let question = || {
            format!(
                "`{} {} {}`",
                char::from(side),
                if wins { "wins" } else { "holds" },
                self.fen(board)
            )
        };
        match known {
            Some(known) if known == wins => Ok(()),
            Some(_) => Err(format!("{} is wrong", question())),
            None => {
                // A side does not win if the other one does.
                let is_listed = self.images(board).into_iter().any(|image| {
                    !wins && self.places.contains_key(&(image.clone(), other(side), true))
                        || self.places.contains_key(&(image, side, wins))
                });
                if is_listed {
                    Ok(())
                } else {
                    Err(format!("{} is missing", question()))
                }
            }
        }
    }

    /// Checks one answer by its proof.
    fn check_answer(&mut self, (board, side, wins): &Answer, proof: &Proof) -> Result<(), String> {
        let mover = mover(board);
        if !board.contains(&b'.') || [b'x', b'o'].iter().any(|&side| self.has_line(board, side)) {
            return Err("the game is over in this position".to_string());
        }
        // The side of the question wants to win, the other side to prevent it.
        let is_own_choice = (mover == *side) == *wins;
        let cells: Vec<usize> = match proof {
            Proof::Pairs(_) if *wins => return Err("pairs cannot prove a win".to_string()),
            Proof::Pairs(pairs) => return self.check_pairs(board, *side, pairs),
            Proof::Move(cell) if is_own_choice && self.is_legal(board, *cell) => vec![*cell],
            Proof::Move(_) if is_own_choice => return Err("the move is illegal".to_string()),
            Proof::Move(_) => {
                return Err("no move is expected: the answer must hold after all moves".to_string());
            }
            Proof::AllMoves if is_own_choice => return Err("the move is missing".to_string()),
            Proof::AllMoves => (0..board.len())
                .filter(|&cell| self.is_legal(board, cell))
                .collect(),
        };
        for cell in cells {
            let mut next = board.clone();
            next[cell] = mover;
            self.check_known(&next, *side, *wins)?;
        }
        Ok(())
    }

    /// Checks that pairs of cells prevent a win of `side`. No two pairs share a cell, and each open
    /// line of `side` contains a pair. The other side can always answer a brick on one cell with a
    /// brick on the other: both are playable now, or they are neighbours in a row.
    fn check_pairs(&self, board: &[u8], side: u8, pairs: &[[usize; 2]]) -> Result<(), String> {
        let mut used = vec![false; board.len()];
        for &[first, second] in pairs {
            for cell in [first, second] {
                if used[cell] || board[cell] != b'.' {
                    return Err(
                        "the cells of the pairs must be empty, and no two pairs may share a cell".to_string(),
                    );
                }
                used[cell] = true;
            }
            let are_neighbours = first / self.width == second / self.width && first.abs_diff(second) == 1;
            let are_playable = [first, second].iter().all(|&cell| self.is_legal(board, cell));
            if !are_neighbours && !are_playable {
                return Err("the cells of a pair must be playable, or neighbours in a row".to_string());
            }
        }
        let is_held = |line: &Vec<usize>| {
            line.iter().any(|&cell| board[cell] == other(side))
                || pairs
                    .iter()
                    .any(|pair| pair.iter().all(|cell| line.contains(cell)))
        };
        if self.lines.iter().all(is_held) {
            Ok(())
        } else {
            Err(format!("an open line of {} contains no pair", char::from(side)))
        }
    }

    /// Checks the line of a value, without its first word.
    fn check_value(&mut self, claim: &str) -> Result<(), String> {
        let (value, position) = claim.split_once(' ').unwrap_or((claim, ""));
        let board = self.read_position(position)?;
        let mover = mover(&board);
        match value {
            "win" => self.check_known(&board, mover, true),
            "loss" => self.check_known(&board, other(mover), true),
            "draw" => {
                self.check_known(&board, b'x', false)?;
                self.check_known(&board, b'o', false)
            }
            _ => Err(format!(
                "expected `win`, `draw` or `loss`, found {}",
                quoted(value)
            )),
        }
    }

    fn fen(&self, board: &[u8]) -> String {
        let mut text = String::new();
        for row in board.chunks(self.width) {
            let mut row = String::from_utf8_lossy(row).into_owned();
            for count in (1..=self.width).rev() {
                row = row.replace(&".".repeat(count), &count.to_string());
            }
            text += if text.is_empty() { "" } else { "/" };
            text += &row;
        }
        format!("{text} {}", char::from(mover(board)))
    }
}

fn other(side: u8) -> u8 {
    if side == b'x' { b'o' } else { b'x' }
}

fn count_of(board: &[u8], sign: u8) -> usize {
    board.iter().map(|&cell| usize::from(cell == sign)).sum()
}

/// The side to move: the first player if both have equal numbers of bricks.
fn mover(board: &[u8]) -> u8 {
    if count_of(board, b'x') == count_of(board, b'o') {
        b'x'
    } else {
        b'o'
    }
}
