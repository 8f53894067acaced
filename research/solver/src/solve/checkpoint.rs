//! Files of answers, to which a search appends, and from which another one continues.
//!
//! The first line names the board. Every other line is an answer:
//! `SIDE wins|holds WORK NODES MS FEN`: whether SIDE wins the position, the positions that the
//! answer cost, the positions and milliseconds of the whole run so far.

use std::path::Path;

use lodestone_game::board::Side;
use lodestone_game::text::quoted;

use super::board_position::{BoardPosition, BoardRules};
use crate::line_file::{LineFile, read_whole_lines};

/// An answer in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLine {
    /// The position.
    pub position: BoardPosition,
    /// The side of the question.
    pub attacker: Side,
    /// Whether it wins.
    pub wins: bool,
    /// Positions that the answer cost.
    pub work: u64,
    /// Positions of the run so far.
    pub nodes: u64,
    /// Milliseconds of the run so far.
    pub millis: u64,
}

/// A file that belongs to one run at a time.
#[derive(Debug)]
pub struct Checkpoint(LineFile);

impl Checkpoint {
    /// Opens or creates a file, and reads its answers. A last line without an end, from a run
    /// that was killed, is removed.
    ///
    /// # Errors
    /// A sentence: the file cannot be used, another run uses it, it is for another board, or a
    /// line is wrong.
    pub fn open(path: &Path, rules: BoardRules) -> Result<(Checkpoint, Vec<AnswerLine>), String> {
        let mut answers = Vec::new();
        let foreign = "it is not a file of `lodestone-solver solve`";
        let file = LineFile::open(path, &header(rules), foreign, |number, line| {
            answers.push(numbered_answer(number, line, rules)?);
            Ok(())
        })?;
        Ok((Checkpoint(file), answers))
    }

    /// Appends an answer.
    ///
    /// # Errors
    /// A sentence: the file cannot be written.
    pub fn append(&mut self, answer: &AnswerLine) -> Result<(), String> {
        let AnswerLine {
            position,
            attacker,
            wins,
            work,
            nodes,
            millis,
        } = answer;
        let (side, word) = (attacker.letter(), ANSWERS[usize::from(*wins)]);
        self.0.append(&format!(
            "{side} {word} {work} {nodes} {millis} {}",
            position.fen()
        ))
    }
}

/// Reads the answers of a file that another run may still write.
///
/// # Errors
/// As [`Checkpoint::open`].
pub fn read_answers(path: &Path, rules: BoardRules) -> Result<Vec<AnswerLine>, String> {
    let mut answers = Vec::new();
    read_whole_lines(path, &header(rules), |number, line| {
        answers.push(numbered_answer(number, line, rules)?);
        Ok(())
    })?;
    Ok(answers)
}

/// The words for "does not win" and "wins".
const ANSWERS: [&str; 2] = ["holds", "wins"];

fn header(rules: BoardRules) -> String {
    format!("lodestone solve 1: {rules}")
}

fn numbered_answer(number: usize, line: &str, rules: BoardRules) -> Result<AnswerLine, String> {
    parse_answer(line, rules).map_err(|error| format!("line {number}: {error}"))
}

fn parse_answer(line: &str, rules: BoardRules) -> Result<AnswerLine, String> {
    let mut words = line.splitn(6, ' ');
    let mut next = || words.next().unwrap_or_default();
    let side = match next() {
        "x" => Side::First,
        "o" => Side::Second,
        other => return Err(format!("expected `x` or `o`, found {}", quoted(other))),
    };
    let answer = next();
    let Some(wins) = ANSWERS.iter().position(|&known| known == answer) else {
        return Err(format!("expected `wins` or `holds`, found {}", quoted(answer)));
    };
    let mut number = || {
        let text = next();
        let error = |_| format!("expected a whole number, found {}", quoted(text));
        text.parse().map_err(error)
    };
    let [work, nodes, millis] = [number()?, number()?, number()?];
    let position = BoardPosition::from_fen(rules, next()).map_err(|error| error.to_string())?;
    if position.is_finished() {
        return Err("the game is over in this position".to_string());
    }
    Ok(AnswerLine {
        position,
        attacker: side,
        wins: wins == 1,
        work,
        nodes,
        millis,
    })
}
