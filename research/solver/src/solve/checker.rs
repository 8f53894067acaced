//! Verifies certificates by the rules alone.
//!
//! This file shares no code with the solvers: the rules of the game are written out again. A set
//! of cells is a number with one bit for each cell, row by row from the top.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};
use std::ops::Range;

use lodestone_game::random::Random;
use lodestone_game::text::quoted;

/// The most empty cells of a position whose answer the checker searches.
pub const MAX_ENDING_CELLS: usize = 16;

/// The number of searched positions that are kept in memory.
const MAX_KNOWN_ENDINGS: usize = 1 << 20;

/// The least number of empty cells of a position that is kept. A smaller ending is searched in less
/// time than it is found.
const MIN_KNOWN_CELLS: u32 = 8;

/// The first player.
const X: usize = 0;

/// The second player.
const O: usize = 1;

/// The letters of the players.
const LETTERS: [&str; 2] = ["x", "o"];

/// The words of an answer.
const WORDS: [&str; 2] = ["holds", "wins"];

/// The cells of x and of o.
type Bricks = [u64; 2];

/// The number of a line `value`, and its text without the first word.
type ClaimLine = (usize, String);

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

/// Whether a side wins a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedAnswer {
    bricks: Bricks,
    side: usize,
    wins: bool,
}

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

/// The progress of a check. All answers are read before the first one is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckProgress {
    /// The number of answers that were read.
    Read(usize),
    /// The number of answers that were verified, and the number of those to verify.
    Verified(usize, usize),
}

/// Which answers of a certificate are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedAnswers {
    /// All of them.
    All,
    /// Random ones.
    Random {
        /// How many; all if there are fewer.
        count: usize,
        /// The seed that chooses them.
        seed: u64,
    },
    /// One of several parts of equal size. Neighbours in the file are in one part, because they share
    /// endings.
    Part {
        /// The part, from 0.
        index: u32,
        /// The number of parts.
        count: u32,
    },
}

/// Verifies a certificate: its values, and all or some of its answers. `open` opens it, and is
/// called twice: all answers are listed before the first one is verified. Calls `on_progress` after each answer.
///
/// # Errors
/// A sentence: the certificate cannot be read or is incomplete, or an answer is not proven.
pub fn check_certificate<R: BufRead>(
    open: impl Fn() -> io::Result<R>,
    selection: CheckedAnswers,
    on_progress: &mut dyn FnMut(CheckProgress),
) -> Result<CertificateReport, String> {
    let mut lines = Lines::of(open())?;
    let first = lines.next()?.map(|(_, line)| line).unwrap_or_default();
    let mut checker = Checker::new(first.trim_end()).ok_or_else(|| {
        let found = quoted(first.trim_end());
        format!(
            "line 1: expected `lodestone certificate 1: WxH, K in line, endings of N cells`, found {found}"
        )
    })?;
    let (claims, answers) = checker.read_all(&mut lines, on_progress)?;
    for (number, claim) in &claims {
        let verdict = checker.check_value(claim);
        verdict.map_err(|error| format!("line {number}: {error}"))?;
    }
    let mut chosen = ChosenAnswers::new(selection, answers);
    let mut lines = Lines::of(open())?;
    lines.next()?;
    while let Some((number, line)) = lines.next()? {
        if is_answer(&line) && chosen.includes_next() {
            let verdict = checker.check_line(line.trim_end());
            verdict.map_err(|error| format!("line {number}: {error}"))?;
            on_progress(CheckProgress::Verified(chosen.chosen, chosen.count));
        }
    }
    if chosen.seen != answers {
        return Err("it is read twice, and had other answers the second time".to_string());
    }
    Ok(CertificateReport {
        size: [checker.width, checker.height, checker.connect],
        values: claims.into_iter().map(|(_, claim)| claim).collect(),
        answers,
        verified: chosen.chosen,
    })
}

fn is_answer(line: &str) -> bool {
    !line.starts_with("value ") && !line.starts_with("end ")
}

/// The lines of a certificate. A byte that is no UTF-8 is replaced.
struct Lines<R> {
    reader: R,
    bytes: Vec<u8>,
    /// The number of the last line, from 1.
    number: usize,
}

impl<R: BufRead> Lines<R> {
    fn of(reader: io::Result<R>) -> Result<Lines<R>, String> {
        Ok(Lines {
            reader: reader.map_err(|error| cannot_read(&error))?,
            bytes: Vec::new(),
            number: 0,
        })
    }

    /// The next line, with its number and its end.
    fn next(&mut self) -> Result<Option<(usize, Cow<'_, str>)>, String> {
        self.bytes.clear();
        let read = self.reader.read_until(b'\n', &mut self.bytes);
        self.number += 1;
        let is_end = read.map_err(|error| cannot_read(&error))? == 0;
        Ok((!is_end).then(|| (self.number, String::from_utf8_lossy(&self.bytes))))
    }
}

fn cannot_read(error: &io::Error) -> String {
    format!("it cannot be read: {error}")
}

/// Chooses the answers to verify, one after the other.
struct ChosenAnswers {
    /// The places of the answers to choose from.
    range: Range<usize>,
    /// Chooses some of them; without it, all are chosen.
    random: Option<Random>,
    /// How many are verified in the end.
    count: usize,
    /// How many were asked about, and how many of these were chosen.
    seen: usize,
    chosen: usize,
}

impl ChosenAnswers {
    fn new(selection: CheckedAnswers, answers: usize) -> ChosenAnswers {
        let range = match selection {
            CheckedAnswers::Part { index, count } => part(answers, index, count),
            _ => 0..answers,
        };
        let (random, count) = match selection {
            CheckedAnswers::Random { count, seed } => (Some(Random::new(seed)), count.min(answers)),
            _ => (None, range.len()),
        };
        ChosenAnswers {
            range,
            random,
            count,
            seen: 0,
            chosen: 0,
        }
    }

    fn includes_next(&mut self) -> bool {
        let is_chosen = self.range.contains(&self.seen)
            && self.random.as_mut().is_none_or(|random| {
                // Each choice of as many answers has the same probability.
                let left = self.range.end - self.seen;
                random.below(left as u64) < (self.count - self.chosen) as u64
            });
        self.seen += 1;
        self.chosen += usize::from(is_chosen);
        is_chosen
    }
}

/// The answers of one of `count` parts, by their place in the file.
fn part(answers: usize, index: u32, count: u32) -> Range<usize> {
    let [start, end] = [index, index.saturating_add(1)]
        .map(|parts| (answers as u128 * u128::from(parts) / u128::from(count.max(1))) as usize);
    start..end
}

struct Checker {
    width: usize,
    height: usize,
    connect: usize,
    /// Positions with at most this number of empty cells are searched.
    ending: usize,
    lines: Vec<u64>,
    /// The cells beside a wall.
    outer_columns: u64,
    /// The positions that a side does not win, by side, and those that it wins. Each stands for
    /// its mirror images.
    listed: [[HashSet<Bricks>; 2]; 2],
    /// Whether a side wins an ending, by side.
    endings: [HashMap<Bricks, bool>; 2],
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
            outer_columns: (0..height).fold(0, |cells, row| {
                cells | 1 << (row * width) | 1 << (row * width + width - 1)
            }),
            listed: Default::default(),
            endings: Default::default(),
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
                        (column < self.width && row < self.height).then_some(1 << (row * self.width + column))
                    };
                    self.lines
                        .extend((0..self.connect).map(cell).sum::<Option<u64>>());
                }
            }
        }
    }

    /// Reads the lines after the first one, and lists the answers. Returns the values and the
    /// number of answers.
    fn read_all<R: BufRead>(
        &mut self,
        lines: &mut Lines<R>,
        on_progress: &mut dyn FnMut(CheckProgress),
    ) -> Result<(Vec<ClaimLine>, usize), String> {
        let mut claims = Vec::new();
        let mut answers = 0;
        let mut is_complete = false;
        while let Some((number, line)) = lines.next()? {
            let of_line = |error: String| format!("line {number}: {error}");
            if is_complete {
                return Err(of_line("nothing may follow the line `end`".to_string()));
            }
            let Some(line) = line.strip_suffix('\n') else {
                break;
            };
            if let Some(count) = line.strip_prefix("end ") {
                if count != answers.to_string() {
                    let error = format!("expected `end {answers}`, found {}", quoted(line));
                    return Err(of_line(error));
                }
                is_complete = true;
            } else if let Some(value) = line.strip_prefix("value ") {
                claims.push((number, value.to_string()));
            } else {
                let (answer, _) = self.read_answer(line).map_err(of_line)?;
                let image = self.least_image(answer.bricks);
                if !self.listed[usize::from(answer.wins)][answer.side].insert(image) {
                    return Err(of_line("this answer is given twice".to_string()));
                }
                answers += 1;
                on_progress(CheckProgress::Read(answers));
            }
        }
        if !is_complete {
            return Err(
                "the certificate is cut off: its last line must be `end` and the number of answers"
                    .to_string(),
            );
        }
        if claims.is_empty() {
            return Err("the certificate proves no value: it has no line `value`".to_string());
        }
        Ok((claims, answers))
    }

    /// Reads a position: the board and the side to move, as in a FEN.
    fn read_position(&self, rows: &str, mover: &str) -> Result<Bricks, String> {
        let error = || {
            let fen = format!("{rows} {mover}");
            format!("{} is not a position of this board", quoted(fen.trim_end()))
        };
        let mut bricks = [0; 2];
        let mut cell = 0;
        for (count, row) in (1..).zip(rows.split('/')) {
            for sign in row.bytes() {
                let side = match sign {
                    b'1'..=b'8' => {
                        cell += usize::from(sign - b'0');
                        continue;
                    }
                    b'x' => X,
                    b'o' => O,
                    _ => return Err(error()),
                };
                if cell >= self.width * self.height {
                    return Err(error());
                }
                bricks[side] |= 1 << cell;
                cell += 1;
            }
            if cell != count * self.width {
                return Err(error());
            }
        }
        let [first, second] = bricks.map(u64::count_ones);
        let is_turn = match mover {
            "x" => first == second,
            "o" => first == second + 1,
            _ => false,
        };
        if cell == self.width * self.height && is_turn {
            Ok(bricks)
        } else {
            Err(error())
        }
    }

    /// Reads an answer and its proof.
    fn read_answer(&self, line: &str) -> Result<(ListedAnswer, Proof), String> {
        let error = || format!("expected an answer, found {}", quoted(line));
        let words: Vec<&str> = line.split(' ').collect();
        let [side, word, rows, mover, ref rest @ ..] = words[..] else {
            return Err(error());
        };
        let place = |words: [&str; 2], word: &str| words.iter().position(|&known| known == word);
        let wins = place(WORDS, word).ok_or_else(error)? == 1;
        let side = place(LETTERS, side).ok_or_else(error)?;
        let proof = match rest {
            [] => Some(Proof::AllMoves),
            ["pairs", pairs @ ..] => {
                let pair = |pair: &&str| Some([self.cell(pair.get(..2)?)?, self.cell(pair.get(2..)?)?]);
                pairs.iter().map(pair).collect::<Option<_>>().map(Proof::Pairs)
            }
            [name] => self.cell(name).map(Proof::Move),
            _ => None,
        };
        let bricks = self.read_position(rows, mover)?;
        Ok((ListedAnswer { bricks, side, wins }, proof.ok_or_else(error)?))
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

    fn empty(&self, bricks: Bricks) -> u64 {
        let all = u64::MAX >> (64 - self.width * self.height);
        all & !(bricks[X] | bricks[O])
    }

    /// A brick needs a wall or another brick beside it in its row.
    fn legal_moves(&self, bricks: Bricks) -> u64 {
        let filled = bricks[X] | bricks[O];
        // What the shifts move into the next row is in an outer column, which is playable anyway.
        self.empty(bricks) & (self.outer_columns | filled << 1 | filled >> 1)
    }

    /// Whether `side` wins, if the rules show it. Only these lines can be complete or open.
    fn evident(&self, bricks: Bricks, side: usize, lines: &[u64]) -> Option<bool> {
        let (own, others) = (bricks[side], bricks[other(side)]);
        let is_complete = |cells: u64| lines.iter().any(|&line| line & !cells == 0);
        // A side can still complete a line in which the other side has no brick.
        let has_open_line = || lines.iter().any(|&line| line & others == 0);
        if is_complete(own) {
            Some(true)
        } else if is_complete(others) || !has_open_line() || self.empty(bricks) == 0 {
            Some(false)
        } else {
            None
        }
    }

    /// Whether `side` wins an ending: plain minimax. Only these lines can be complete or open.
    fn wins(&mut self, bricks: Bricks, side: usize, lines: &[u64]) -> bool {
        if let Some(wins) = self.evident(bricks, side, lines) {
            return wins;
        }
        let is_kept = self.empty(bricks).count_ones() >= MIN_KNOWN_CELLS;
        if is_kept && let Some(&wins) = self.endings[side].get(&bricks) {
            return wins;
        }
        let moves = self.legal_moves(bricks);
        // All moves are searched. Those on the last cell of a line of either side come first.
        let is_last = |cell: &u64| cell.is_power_of_two();
        let last = |cells: u64| lines.iter().map(move |line| line & !cells).filter(is_last);
        let urgent = bricks.into_iter().flat_map(last).fold(0, |all, cell| all | cell);
        // The side of the question looks for one winning move, the other side for one that prevents it.
        let goal = mover(bricks) == side;
        let is_reached = single_cells(moves & urgent)
            .chain(single_cells(moves & !urgent))
            .any(|cell| self.wins(with_brick(bricks, cell), side, lines) == goal);
        let wins = is_reached == goal;
        if is_kept {
            if self.endings[side].len() >= MAX_KNOWN_ENDINGS {
                self.endings[side].clear();
            }
            self.endings[side].insert(bricks, wins);
        }
        wins
    }

    /// The least of the position, its mirror images (left and right, top and bottom), and both.
    fn least_image(&self, bricks: Bricks) -> Bricks {
        let (width, height) = (self.width, self.height);
        let upside_down = |cells: u64| {
            (0..height).fold(0, |image, row| {
                let row_cells = cells >> (row * width) & (u64::MAX >> (64 - width));
                image | row_cells << ((height - 1 - row) * width)
            })
        };
        let turned = |cells: u64| cells.reverse_bits() >> (64 - width * height);
        let mirrored = bricks.map(upside_down);
        bricks
            .min(mirrored)
            .min(bricks.map(turned))
            .min(mirrored.map(turned))
    }

    /// Checks that this answer is evident, in the certificate, or right in an ending.
    fn check_known(&mut self, bricks: Bricks, side: usize, wins: bool) -> Result<(), String> {
        let mut known = self.evident(bricks, side, &self.lines);
        if known.is_none() && self.empty(bricks).count_ones() as usize <= self.ending {
            // A line with bricks of both sides stays as it is.
            let is_useful = |line: &u64| bricks.iter().any(|cells| line & cells == 0);
            let lines: Vec<u64> = self.lines.iter().copied().filter(is_useful).collect();
            known = Some(self.wins(bricks, side, &lines));
        }
        let is_right = if let Some(known) = known {
            known == wins
        } else {
            let image = self.least_image(bricks);
            // A side does not win if the other one does.
            self.listed[usize::from(wins)][side].contains(&image)
                || !wins && self.listed[1][other(side)].contains(&image)
        };
        if is_right {
            Ok(())
        } else {
            let (letter, word) = (LETTERS[side], WORDS[usize::from(wins)]);
            let error = if known.is_some() { "wrong" } else { "missing" };
            Err(format!("`{letter} {word} {}` is {error}", self.fen(bricks)))
        }
    }

    /// Checks the line of an answer by its proof.
    fn check_line(&mut self, line: &str) -> Result<(), String> {
        let (ListedAnswer { bricks, side, wins }, proof) = self.read_answer(line)?;
        let has_line = |cells: u64| self.lines.iter().any(|line| line & !cells == 0);
        if self.empty(bricks) == 0 || bricks.into_iter().any(has_line) {
            return Err("the game is over in this position".to_string());
        }
        let moves = self.legal_moves(bricks);
        // The side of the question wants to win, the other side to prevent it.
        let is_own_choice = (mover(bricks) == side) == wins;
        let cells = match proof {
            Proof::Pairs(_) if wins => return Err("pairs cannot prove a win".to_string()),
            Proof::Pairs(pairs) => return self.check_pairs(bricks, side, &pairs),
            Proof::Move(cell) if is_own_choice && moves & 1 << cell != 0 => 1 << cell,
            Proof::Move(_) if is_own_choice => return Err("the move is illegal".to_string()),
            Proof::Move(_) => {
                return Err("no move is expected: the answer must hold after all moves".to_string());
            }
            Proof::AllMoves if is_own_choice => return Err("the move is missing".to_string()),
            Proof::AllMoves => moves,
        };
        single_cells(cells).try_for_each(|cell| self.check_known(with_brick(bricks, cell), side, wins))
    }

    /// Checks that pairs of cells prevent a win of `side`. No two pairs share a cell, and each open
    /// line of `side` contains a pair. The other side can always answer a brick on one cell with a
    /// brick on the other: both are playable now, or they are neighbours in a row.
    fn check_pairs(&self, bricks: Bricks, side: usize, pairs: &[[usize; 2]]) -> Result<(), String> {
        let moves = self.legal_moves(bricks);
        let mut free = self.empty(bricks);
        for &[first, second] in pairs {
            for cell in [first, second] {
                if free & 1 << cell == 0 {
                    return Err(
                        "the cells of the pairs must be empty, and no two pairs may share a cell".to_string(),
                    );
                }
                free &= !(1 << cell);
            }
            let are_neighbours = first / self.width == second / self.width && first.abs_diff(second) == 1;
            let are_playable = [first, second].iter().all(|&cell| moves & 1 << cell != 0);
            if !are_neighbours && !are_playable {
                return Err("the cells of a pair must be playable, or neighbours in a row".to_string());
            }
        }
        let is_held = |&line: &u64| {
            line & bricks[other(side)] != 0
                || pairs
                    .iter()
                    .any(|pair| pair.iter().all(|&cell| line & 1 << cell != 0))
        };
        if self.lines.iter().all(is_held) {
            Ok(())
        } else {
            Err(format!("an open line of {} contains no pair", LETTERS[side]))
        }
    }

    /// Checks the line of a value, without its first word.
    fn check_value(&mut self, claim: &str) -> Result<(), String> {
        let (value, position) = claim.split_once(' ').unwrap_or((claim, ""));
        let (rows, side) = position.split_once(' ').unwrap_or((position, ""));
        let bricks = self.read_position(rows, side)?;
        let mover = mover(bricks);
        match value {
            "win" => self.check_known(bricks, mover, true),
            "loss" => self.check_known(bricks, other(mover), true),
            "draw" => {
                self.check_known(bricks, X, false)?;
                self.check_known(bricks, O, false)
            }
            _ => Err(format!(
                "expected `win`, `draw` or `loss`, found {}",
                quoted(value)
            )),
        }
    }

    fn fen(&self, bricks: Bricks) -> String {
        let sign = |cell: usize| match bricks.map(|cells| cells >> cell & 1) {
            [1, _] => LETTERS[X],
            [_, 1] => LETTERS[O],
            _ => ".",
        };
        let row = |row: usize| {
            let cells = row * self.width..(row + 1) * self.width;
            let text: String = cells.map(sign).collect();
            (1..=self.width).rev().fold(text, |text, count| {
                text.replace(&".".repeat(count), &count.to_string())
            })
        };
        let rows: Vec<String> = (0..self.height).map(row).collect();
        format!("{} {}", rows.join("/"), LETTERS[mover(bricks)])
    }
}

fn other(side: usize) -> usize {
    1 - side
}

/// The side to move: the first player if both have equal numbers of bricks.
fn mover([first, second]: Bricks) -> usize {
    if first.count_ones() == second.count_ones() {
        X
    } else {
        O
    }
}

/// The position after the move on `cell`, a set of one cell.
fn with_brick(mut bricks: Bricks, cell: u64) -> Bricks {
    bricks[mover(bricks)] |= cell;
    bricks
}

/// The cells of a set, each as a set of its own.
fn single_cells(mut cells: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let cell = cells & cells.wrapping_neg();
        cells ^= cell;
        (cell != 0).then_some(cell)
    })
}
