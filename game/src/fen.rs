//! Parsing and writing the parts that the FENs of all games share: fields, board
//! rows, and errors with their position.

use std::fmt;

use crate::board::{Bitboard, Cell, Side};
use crate::text::quoted;

/// Why a text is not a FEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError {
    /// The position of the wrong character, from 1; one past the end if
    /// something is missing.
    pub character: usize,
    /// What is wrong, and what is expected.
    pub message: String,
}

impl FenError {
    /// An error at the character with this index, from 0.
    fn at(index: usize, message: impl Into<String>) -> FenError {
        FenError {
            character: index + 1,
            message: message.into(),
        }
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FEN, character {}: {}", self.character, self.message)
    }
}

impl std::error::Error for FenError {}

/// A field of a FEN and its position.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    text: &'a str,
    /// Index of the first character, from 0.
    start: usize,
}

impl<'a> Field<'a> {
    /// Splits `fen` into one field per name. The names appear in errors.
    ///
    /// # Errors
    /// Names the first missing field, or the first extra one.
    pub fn split<const N: usize>(fen: &'a str, names: [&str; N]) -> Result<[Field<'a>; N], FenError> {
        let mut fields = [Field { text: "", start: 0 }; N];
        let mut count = 0;
        let mut characters = 0;
        for piece in fen.split_inclusive(char::is_whitespace) {
            let text = piece.trim_end();
            if !text.is_empty() {
                let Some(field) = fields.get_mut(count) else {
                    let message = format!("nothing may follow {}, found {}", names[N - 1], quoted(text));
                    return Err(FenError::at(characters, message));
                };
                *field = Field {
                    text,
                    start: characters,
                };
                count += 1;
            }
            characters += piece.chars().count();
        }
        match names.get(count) {
            Some(missing) => Err(FenError::at(
                fen.trim_end().chars().count(),
                format!("{missing} is missing"),
            )),
            None => Ok(fields),
        }
    }

    /// An error at the start of the field.
    pub fn error(&self, message: impl Into<String>) -> FenError {
        FenError::at(self.start, message)
    }

    /// Parses a board: rows separated by `/`, each of `x`, `o` and digits for
    /// runs of empty cells. Row `i` has the label `row_labels[i]`; `columns` is 1
    /// to 8.
    ///
    /// # Errors
    /// Names the row and the wrong character.
    pub fn board(&self, row_labels: &str, columns: u8) -> Result<[Bitboard; 2], FenError> {
        let mut pieces = [Bitboard::EMPTY; 2];
        let mut rows = self.text.split('/');
        let mut start = self.start;
        for (row, label) in (0..).zip(row_labels.chars()) {
            let Some(text) = rows.next() else {
                let message = format!("row {label} is missing: {} rows are expected", row_labels.len());
                return Err(FenError::at(start - 1, message));
            };
            read_row(text, start, (row, label), columns, &mut pieces)?;
            start += text.chars().count() + 1;
        }
        match rows.next() {
            Some(_) => Err(FenError::at(
                start - 1,
                format!("the board has {} rows, found one more", row_labels.len()),
            )),
            None => Ok(pieces),
        }
    }

    /// Parses the side to move.
    ///
    /// # Errors
    /// The field is neither `x` nor `o`.
    pub fn side(&self) -> Result<Side, FenError> {
        match self.text {
            "x" => Ok(Side::First),
            "o" => Ok(Side::Second),
            other => Err(self.error(format!("the side to move is `x` or `o`, found {}", quoted(other)))),
        }
    }

    /// Parses an integer from `low` to `high`; `name` appears in the error.
    pub(crate) fn number(&self, name: &str, low: u32, high: u32) -> Result<u32, FenError> {
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        match self.text.parse() {
            Ok(number) if digits && (low..=high).contains(&number) => Ok(number),
            _ => Err(self.error(format!(
                "{name} is a whole number from {low} to {high}, found {}",
                quoted(self.text)
            ))),
        }
    }
}

/// Adds one row of a board to `pieces`. `start` is the index of its first
/// character.
fn read_row(
    text: &str,
    start: usize,
    (row, label): (u8, char),
    columns: u8,
    pieces: &mut [Bitboard; 2],
) -> Result<(), FenError> {
    let mut column = 0;
    let mut after_digit = false;
    for (index, sign) in (start..).zip(text.chars()) {
        let is_digit = sign.is_ascii_digit();
        let width = match sign {
            'x' | 'o' => 1,
            '1'..='9' if !after_digit => sign as u8 - b'0',
            '1'..='9' => {
                return Err(FenError::at(
                    index,
                    format!("row {label}: two digits in a row; a run of empty cells is one digit"),
                ));
            }
            _ => {
                let message = format!(
                    "row {label}: expected `x`, `o` or a digit from 1 to {columns}, found {}",
                    quoted(sign.encode_utf8(&mut [0; 4]))
                );
                return Err(FenError::at(index, message));
            }
        };
        if column + width > columns {
            return Err(FenError::at(
                index,
                format!("row {label} is longer than its {columns} cells"),
            ));
        }
        if !is_digit {
            let side = if sign == 'x' { Side::First } else { Side::Second };
            pieces[side.index()] |= Cell::new(row, column).into();
        }
        column += width;
        after_digit = is_digit;
    }
    if column < columns {
        let message = format!("row {label} has {column} of its {columns} cells");
        return Err(FenError::at(start + text.chars().count(), message));
    }
    Ok(())
}

/// Writes the board field of a FEN.
pub fn board_text(pieces: [Bitboard; 2], rows: u8, columns: u8) -> String {
    let mut text = String::new();
    for row in 0..rows {
        if row > 0 {
            text.push('/');
        }
        let mut run = 0;
        for column in 0..columns {
            let cell = Cell::new(row, column);
            let Some(side) = Side::BOTH
                .into_iter()
                .find(|side| pieces[side.index()].contains(cell))
            else {
                run += 1;
                continue;
            };
            push_run(&mut text, run);
            run = 0;
            text.push(side.letter());
        }
        push_run(&mut text, run);
    }
    text
}

/// Writes a run of `length` empty cells, 0 to 9.
fn push_run(text: &mut String, length: u8) {
    if length > 0 {
        text.push(char::from(b'0' + length));
    }
}
