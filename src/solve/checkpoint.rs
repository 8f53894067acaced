//! Files of answers, to which a search appends, and from which another one continues.
//!
//! The first line names the board. Every other line is an answer:
//! `SIDE wins|holds WORK NODES MS FEN`: whether SIDE wins the position, the positions that the
//! answer cost, the positions and milliseconds of the whole run so far.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::board_position::BoardPosition;
use super::board_rules::BoardRules;
use crate::board::Side;
use crate::text::quoted;

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
pub struct Checkpoint {
    path: PathBuf,
    file: File,
}

impl Checkpoint {
    /// Opens or creates a file, and reads its answers. A last line without an end, from a run
    /// that was killed, is removed.
    ///
    /// # Errors
    /// A sentence: the file cannot be used, another run uses it, it is for another board, or a
    /// line is wrong.
    pub fn open(path: &Path, rules: BoardRules) -> Result<(Checkpoint, Vec<AnswerLine>), String> {
        let of_file = |error: String| format!("{}: {error}", path.display());
        let cannot = |error: std::io::Error| of_file(format!("it cannot be used: {error}"));
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(path).map_err(cannot)?;
        if file.try_lock().is_err() {
            return Err(of_file("another run uses it".to_string()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        let length = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        let mut answers = Vec::new();
        if length > 0 {
            answers = read_text(&bytes[..length], rules).map_err(of_file)?;
        } else if !bytes.is_empty() && !header(rules).as_bytes().starts_with(&bytes) {
            return Err(of_file("it is no file of `lodestone solve`".to_string()));
        }
        file.set_len(length as u64).map_err(cannot)?;
        file.seek(SeekFrom::End(0)).map_err(cannot)?;
        let mut checkpoint = Checkpoint {
            path: path.to_path_buf(),
            file,
        };
        if length == 0 {
            checkpoint.write(&header(rules))?;
        }
        Ok((checkpoint, answers))
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
        self.write(&format!(
            "{side} {word} {work} {nodes} {millis} {}\n",
            position.fen()
        ))
    }

    fn write(&mut self, text: &str) -> Result<(), String> {
        self.file
            .write_all(text.as_bytes())
            .map_err(|error| format!("{}: it cannot be written: {error}", self.path.display()))
    }
}

/// Reads the answers of a file that another run may still write.
///
/// # Errors
/// As [`Checkpoint::open`].
pub fn read_answers(path: &Path, rules: BoardRules) -> Result<Vec<AnswerLine>, String> {
    let of_file = |error: String| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| of_file(format!("it cannot be read: {error}")))?;
    let length = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |end| end + 1);
    read_text(&bytes[..length], rules).map_err(of_file)
}

/// The words for "does not win" and "wins".
const ANSWERS: [&str; 2] = ["holds", "wins"];

fn header(rules: BoardRules) -> String {
    let BoardRules {
        width,
        height,
        connect,
    } = rules;
    format!("lodestone solve 1: {width}x{height}, {connect} in line\n")
}

fn read_text(bytes: &[u8], rules: BoardRules) -> Result<Vec<AnswerLine>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let expected = header(rules);
    let first = lines.next().unwrap_or_default();
    if first != expected.trim_end() {
        return Err(format!(
            "line 1: expected {}, found {}",
            quoted(expected.trim_end()),
            quoted(first)
        ));
    }
    (2..)
        .zip(lines)
        .map(|(number, line)| parse_answer(line, rules).map_err(|error| format!("line {number}: {error}")))
        .collect()
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
