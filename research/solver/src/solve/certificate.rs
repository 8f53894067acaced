//! Certificates: a strategy for each answer, so that `checker.rs` can verify it by the rules alone.
//!
//! A certificate lists answers. If the side that reaches its goal is to move, the answer names a
//! move; the answer after this move is also in the file. If the other side is to move, the answers
//! after all its moves are. A pairing strategy needs no further answers. Answers that the rules
//! show, and those near the end of the game, are left out. The format is in
//! `research/small-boards.md`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use lodestone_game::board::{Bitboard, Cell, Side};
use lodestone_game::text::quoted;

use super::board_position::{BoardPosition, BoardRules, BoardValue};
use super::node::NeedStack;
use super::prover::{KnownAnswers, ProofObserver, Prover};
use super::static_bounds::pairing;

/// The first positions that the search for a move may take for each move. Each further round
/// takes [`BUDGET_FACTOR`] times as many.
const FIRST_BUDGET: u64 = 1;

/// How many times as many positions the next round may take.
const BUDGET_FACTOR: u64 = 64;

/// The beginning of the first line.
const TITLE: &str = "lodestone certificate 1: ";

/// The words of an answer.
const ANSWERS: [&str; 2] = ["holds", "wins"];

/// The word before the pairs of a pairing strategy.
const PAIRS: &str = "pairs";

/// Whether a side wins an unfinished position. The position stands for all its images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CertifiedAnswer {
    bricks: [Bitboard; 2],
    attacker: Side,
    wins: bool,
}

impl CertifiedAnswer {
    fn new(position: &BoardPosition, attacker: Side, wins: bool) -> CertifiedAnswer {
        let bricks = position.least_image().bricks;
        CertifiedAnswer {
            bricks,
            attacker,
            wins,
        }
    }

    /// The side that reaches its goal.
    fn goal(self) -> Side {
        if self.wins {
            self.attacker
        } else {
            self.attacker.opponent()
        }
    }

    /// The answer that implies this one: the opponent wins, so the attacker does not.
    fn stronger(self) -> CertifiedAnswer {
        CertifiedAnswer {
            attacker: self.goal(),
            wins: true,
            ..self
        }
    }
}

/// The answers of certificates that were read.
#[derive(Debug, Default)]
pub struct CertificateEntries {
    /// The moves of the answers, if the side that reaches its goal is to move.
    moves: HashMap<CertifiedAnswer, Option<Cell>>,
    /// The values that the certificates prove.
    claims: Vec<(BoardPosition, BoardValue)>,
}

impl CertificateEntries {
    /// Adds a certificate to the entries. Returns whether the text is one.
    ///
    /// # Errors
    /// A sentence: it is for another board, it is cut off, or a line is wrong.
    pub fn add(&mut self, text: &str, rules: BoardRules) -> Result<bool, String> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        if !first.starts_with(TITLE) {
            return Ok(false);
        }
        // Any endings will do: what is missing is searched.
        if !first.starts_with(&header(rules, "")) {
            let expected = quoted(&header(rules, "N cells"));
            return Err(format!("line 1: expected {expected}, found {}", quoted(first)));
        }
        let mut count = 0_u64;
        for (number, line) in (2..).zip(lines) {
            if line
                .strip_prefix("end ")
                .is_some_and(|end| end == count.to_string())
            {
                return Ok(true);
            }
            let is_answer = self.add_line(line, rules);
            count += u64::from(is_answer.map_err(|error| format!("line {number}: {error}"))?);
        }
        Err(format!(
            "the certificate is cut off: its last line must be `end {count}`"
        ))
    }

    /// Adds a line. Returns whether it is an answer.
    fn add_line(&mut self, line: &str, rules: BoardRules) -> Result<bool, String> {
        let words: Vec<&str> = line.split(' ').collect();
        let [side, word, board, mover, ref proof @ ..] = words[..] else {
            return Err(format!("expected an answer, found {}", quoted(line)));
        };
        let name = proof.first().copied();
        let fen = format!("{board} {mover}");
        let position = BoardPosition::from_fen(rules, &fen).map_err(|error| error.to_string())?;
        if side == "value" && name.is_none() {
            let values = [BoardValue::Win, BoardValue::Draw, BoardValue::Loss];
            let value = values.into_iter().find(|value| value.word() == word);
            let value = value.ok_or_else(|| format!("expected a value, found {}", quoted(word)))?;
            self.claims.push((position, value));
            return Ok(false);
        }
        let attacker = Side::BOTH
            .into_iter()
            .find(|known| known.letter().to_string() == side);
        let attacker = attacker.ok_or_else(|| format!("expected `x` or `o`, found {}", quoted(side)))?;
        let wins = ANSWERS.iter().position(|&known| known == word);
        let wins = wins.ok_or_else(|| format!("expected `wins` or `holds`, found {}", quoted(word)))? == 1;
        let answer = CertifiedAnswer {
            bricks: position.bricks,
            attacker,
            wins,
        };
        let named = |name: &str| {
            let mut cells = position.moves().cells();
            let cell = cells.find(|&cell| position.cell_text(cell) == name);
            cell.ok_or_else(|| format!("{} is not a legal move", quoted(name)))
        };
        if name == Some(PAIRS) {
            // The writer finds pairs itself.
            return Ok(true);
        }
        let cell = name.map(named).transpose()?;
        if cell.is_some() != (answer.goal() == position.side_to_move()) {
            return Err(
                "a move is needed if the side that reaches its goal is to move, and only then".to_string(),
            );
        }
        if answer != CertifiedAnswer::new(&position, attacker, wins) {
            return Err("another mirror image of the position is expected".to_string());
        }
        self.moves.insert(answer, cell);
        Ok(true)
    }

    /// Adds the values that the certificates prove to other known answers.
    pub fn add_claims_to(&self, known: &mut KnownAnswers) {
        for (position, value) in &self.claims {
            if !position.is_finished() {
                for (attacker, wins) in questions(position, *value) {
                    known.add(position, attacker, wins);
                }
            }
        }
    }
}

/// The answers that prove a value.
fn questions(position: &BoardPosition, value: BoardValue) -> Vec<(Side, bool)> {
    let mover = position.side_to_move();
    match value {
        BoardValue::Win => vec![(mover, true)],
        BoardValue::Draw => Side::BOTH.map(|side| (side, false)).to_vec(),
        BoardValue::Loss => vec![(mover.opponent(), true)],
    }
}

/// The first line, with these words at its end.
fn header(rules: BoardRules, endings: &str) -> String {
    format!("{TITLE}{rules}, endings of {endings}")
}

/// The answers that a certificate has.
#[derive(Default)]
struct ListedAnswers {
    /// The bricks, by whether the attacker wins and by the attacker.
    bricks: [[HashSet<[Bitboard; 2]>; 2]; 2],
    count: u64,
}

impl ListedAnswers {
    /// Whether the answer, or one that implies it, is in the certificate.
    fn imply(&self, answer: CertifiedAnswer) -> bool {
        let contains = |answer: CertifiedAnswer| {
            self.bricks[usize::from(answer.wins)][answer.attacker.index()].contains(&answer.bricks)
        };
        contains(answer) || contains(answer.stronger())
    }

    fn insert(&mut self, answer: CertifiedAnswer) {
        self.bricks[usize::from(answer.wins)][answer.attacker.index()].insert(answer.bricks);
        self.count += 1;
    }
}

/// Writes a certificate. The file appears when it is complete.
pub struct CertificateWriter<'a> {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<File>,
    rules: BoardRules,
    ending_cells: u32,
    lines: Vec<Bitboard>,
    known: &'a CertificateEntries,
    listed: ListedAnswers,
    is_finished: bool,
}

impl Drop for CertificateWriter<'_> {
    /// Removes an incomplete file.
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_file(&self.part);
        }
    }
}

impl<'a> CertificateWriter<'a> {
    /// Begins a certificate for a board. Positions with at most `ending_cells` empty cells are not
    /// listed: the checker searches them. The answers of `known` are copied where they are needed.
    ///
    /// # Errors
    /// A sentence: the file cannot be written.
    pub fn create(
        path: &Path,
        (rules, ending_cells): (BoardRules, u32),
        known: &'a CertificateEntries,
    ) -> Result<CertificateWriter<'a>, String> {
        let mut part = OsString::from(path);
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).map_err(|error| cannot_write(&part, &error))?;
        let mut writer = CertificateWriter {
            path: path.to_path_buf(),
            part,
            out: BufWriter::new(file),
            rules,
            ending_cells,
            lines: rules.lines(),
            known,
            listed: ListedAnswers::default(),
            is_finished: false,
        };
        writer.write(&header(rules, &format!("{ending_cells} cells\n")))?;
        Ok(writer)
    }

    /// Adds the proof that a position has this value. Returns whether the proof is complete; if
    /// not, the observer of the prover ended the search.
    ///
    /// # Errors
    /// A sentence: the file cannot be written, or the known answers contradict each other.
    pub fn add_claim<O: ProofObserver>(
        &mut self,
        prover: &mut Prover<'_, O>,
        position: &BoardPosition,
        value: BoardValue,
    ) -> Result<bool, String> {
        self.write(&format!("value {} {}\n", value.word(), position.fen()))?;
        if position.is_finished() {
            return Ok(true);
        }
        let mut open: Vec<CertifiedAnswer> = questions(position, value)
            .into_iter()
            .map(|(attacker, wins)| CertifiedAnswer::new(position, attacker, wins))
            .collect();
        while let Some(answer) = open.pop() {
            prover.report_certified(self.listed.count);
            let position = BoardPosition {
                rules: self.rules,
                bricks: answer.bricks,
            };
            match self.evident(&position, answer.attacker) {
                Some(wins) if wins == answer.wins => continue,
                Some(_) => return Err(contradiction(&position)),
                None => {}
            }
            let is_known = self.known.moves.contains_key(&answer);
            let stronger = answer.stronger();
            if !is_known && stronger != answer && self.known.moves.contains_key(&stronger) {
                open.push(stronger);
                continue;
            }
            if self.listed.imply(answer) || position.empty().count() <= self.ending_cells {
                continue;
            }
            if let Some(pairs) = pairs_of(&position, answer) {
                let names: Vec<String> = pairs.into_iter().map(|pair| self.names(pair)).collect();
                self.list(answer, &position, &format!(" {PAIRS} {}", names.join(" ")))?;
                continue;
            }
            let cells = if answer.goal() == position.side_to_move() {
                let known = self.known.moves.get(&answer).copied().flatten();
                let best = match known {
                    Some(cell) => Some(cell),
                    None => self.find_move(prover, &position, answer)?,
                };
                let Some(best) = best else { return Ok(false) };
                self.list(answer, &position, &format!(" {}", position.cell_text(best)))?;
                best.into()
            } else {
                self.list(answer, &position, "")?;
                position.moves()
            };
            for cell in cells.cells() {
                let next = position.play(cell.into());
                open.push(CertifiedAnswer::new(&next, answer.attacker, answer.wins));
            }
        }
        Ok(true)
    }

    /// Ends the certificate. Returns the number of its answers.
    ///
    /// # Errors
    /// A sentence: the file cannot be written.
    pub fn finish(mut self) -> Result<u64, String> {
        let count = self.listed.count;
        self.write(&format!("end {count}\n"))?;
        let flushed = self.out.flush();
        flushed.map_err(|error| cannot_write(&self.part, &error))?;
        fs::rename(&self.part, &self.path).map_err(|error| cannot_write(&self.path, &error))?;
        self.is_finished = true;
        Ok(count)
    }

    /// Whether the attacker wins, if the rules show it: the game is over, or the attacker has no
    /// open line.
    fn evident(&self, position: &BoardPosition, attacker: Side) -> Option<bool> {
        let [own, other] = [attacker, attacker.opponent()].map(|side| position.bricks[side.index()]);
        let has = |bricks: Bitboard| self.lines.iter().any(|&line| (line & !bricks).is_empty());
        if has(own) {
            return Some(true);
        }
        let has_open_line = self.lines.iter().any(|&line| (line & other).is_empty());
        (!has_open_line || has(other) || position.empty().is_empty()).then_some(false)
    }

    /// A move after which the answer still holds, for the side that reaches its goal: one with a
    /// short proof. `None` if the observer ended the search.
    fn find_move<O: ProofObserver>(
        &self,
        prover: &mut Prover<'_, O>,
        position: &BoardPosition,
        answer: CertifiedAnswer,
    ) -> Result<Option<Cell>, String> {
        for cell in position.moves().cells() {
            let next = position.play(cell.into());
            if self.evident(&next, answer.attacker) == Some(answer.wins) || pairs_of(&next, answer).is_some()
            {
                return Ok(Some(cell));
            }
        }
        // An answer that is listed already costs nothing more.
        for cell in position.moves().cells() {
            let next = CertifiedAnswer::new(&position.play(cell.into()), answer.attacker, answer.wins);
            if self.listed.imply(next) {
                return Ok(Some(cell));
            }
        }
        let mut budget = Some(FIRST_BUDGET);
        let ordered = prover.ordered_moves(position, answer.attacker);
        loop {
            for &cell in &ordered {
                let next = position.play(cell.into());
                let wins = match self.evident(&next, answer.attacker) {
                    Some(wins) => Some(wins),
                    None => prover.wins(&next, answer.attacker, budget),
                };
                if wins == Some(answer.wins) {
                    return Ok(Some(cell));
                }
                if prover.is_ended {
                    return Ok(None);
                }
            }
            match budget {
                Some(positions) => budget = positions.checked_mul(BUDGET_FACTOR),
                None => return Err(contradiction(position)),
            }
        }
    }

    /// Writes an answer and its proof.
    fn list(&mut self, answer: CertifiedAnswer, position: &BoardPosition, proof: &str) -> Result<(), String> {
        self.listed.insert(answer);
        let side = answer.attacker.letter();
        let word = ANSWERS[usize::from(answer.wins)];
        self.write(&format!("{side} {word} {}{proof}\n", position.fen()))
    }

    /// The names of cells.
    fn names(&self, cells: Bitboard) -> String {
        let board = BoardPosition::start(self.rules);
        cells.cells().map(|cell| board.cell_text(cell)).collect()
    }

    fn write(&mut self, text: &str) -> Result<(), String> {
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|error| cannot_write(&self.part, &error))
    }
}

/// The pairs of a pairing strategy that proves this answer for an unfinished position.
fn pairs_of(position: &BoardPosition, answer: CertifiedAnswer) -> Option<Vec<Bitboard>> {
    if answer.wins {
        return None;
    }
    let mut stack = NeedStack::default();
    let node = stack.push_position(*position);
    pairing(&stack, &node, answer.attacker)
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("{}: it cannot be written: {error}", path.display())
}

fn contradiction(position: &BoardPosition) -> String {
    format!(
        "the answers that were read contradict each other at {}",
        position.fen()
    )
}
