//! A drawn board, as the answer to `query grid` has it.

use std::borrow::Cow;
use std::fmt;

use lodestone_game::Diagram;
use lodestone_game::board::Side;

use crate::io::text::{columns, counted, printable};

/// The most columns, and the most rows.
const MAX_SIDE: usize = 64;

/// The widest name or cell, in columns of a terminal.
const MAX_WORD: usize = 8;

/// The most characters of a wrong word in a message.
const MAX_QUOTED: usize = 40;

/// The word before the format of the names of cells, and what that must have.
const NAMES: &str = "names";
const FORMAT_SLOTS: [&str; 2] = ["{column}", "{row}"];

/// An empty cell.
const EMPTY: &str = ".";

/// A name or a cell. Those of the built-in games are not copied.
pub type Word = Cow<'static, str>;

/// A drawn board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The names of the columns; empty names if they have none.
    pub columns: Vec<Word>,
    /// The names of the rows, from the top.
    pub rows: Vec<Word>,
    /// The words of all cells, row by row from the top left.
    pub cells: Vec<Word>,
    /// How a cell is called, such as `{row},{column}`; `None` for column and row, whichever has letters first.
    pub format: Option<String>,
    /// Whether the cells are the crossings of lines.
    pub has_lines: bool,
}

/// What stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridCell<'a> {
    /// Nothing stands on the cell.
    Empty,
    /// A piece with its symbol, which may be empty.
    Piece(Side, &'a str),
    /// Another word, such as a number of seeds.
    Word(&'a str),
}

impl<'a> GridCell<'a> {
    /// Reads the word of a cell.
    pub fn of(word: &'a str) -> GridCell<'a> {
        let piece = |letter, side| Some(GridCell::Piece(side, word.strip_prefix(letter)?));
        if word == EMPTY {
            return GridCell::Empty;
        }
        piece('x', Side::First)
            .or_else(|| piece('o', Side::Second))
            .unwrap_or(GridCell::Word(word))
    }
}

impl Grid {
    /// Reads `columns NAME… rows NAME… [names FORMAT] cells CELL…`, or the same with `lines` as its first word.
    ///
    /// # Errors
    /// Says what is wrong, and what would be right.
    pub fn read(text: &str) -> Result<Grid, String> {
        let mut words = text.split_whitespace();
        let has_lines = match words.next() {
            Some("columns") => false,
            Some("lines") => true,
            other => return Err(format!("expected `columns` or `lines`, found {}", found(other))),
        };
        let (columns, _) = names(&mut words, "columns", &["rows"])?;
        let (rows, end) = names(&mut words, "rows", &["cells", NAMES])?;
        let format = match end {
            NAMES => Some(format(&mut words)?),
            _ => None,
        };
        let (needed, size) = (columns.len() * rows.len(), [columns.len(), rows.len()]);
        // One more shows that there are too many.
        let cells: Vec<Word> = words.take(needed + 1).map(word).collect::<Result<_, _>>()?;
        if cells.len() != needed {
            let [columns, rows] = [counted(size[0], "column"), counted(size[1], "row")];
            let more = if cells.len() > needed {
                "more"
            } else {
                &cells.len().to_string()
            };
            return Err(format!(
                "{columns} and {rows} need {}, found {more}",
                counted(needed, "cell")
            ));
        }
        Ok(Grid {
            columns,
            rows,
            cells,
            format,
            has_lines,
        })
    }

    /// Whether a column or row with this name is narrow: its cells are places of walls between the others.
    pub fn is_narrow(name: &str) -> bool {
        name.len() > 1 && name.ends_with(['|', '_'])
    }

    /// The names as in an answer, or their number if they are empty.
    fn names(names: &[Word]) -> String {
        match names.first() {
            Some(name) if name.is_empty() => names.len().to_string(),
            _ => names.join(" "),
        }
    }

    /// Whether both boards have the same columns and rows.
    pub fn has_shape_of(&self, other: &Grid) -> bool {
        (&self.columns, &self.rows, &self.format, self.has_lines)
            == (&other.columns, &other.rows, &other.format, other.has_lines)
    }

    /// The cells that differ from those of the board before; none if its shape was another one.
    pub fn changes<'a>(&'a self, before: &'a Grid) -> impl Iterator<Item = (usize, &'a str)> {
        let pairs = self.cells.iter().zip(&before.cells).enumerate();
        pairs
            .filter(|_| self.has_shape_of(before))
            .filter(|(_, (cell, old))| cell != old)
            .map(|(index, (cell, _))| (index, cell.as_ref()))
    }
}

impl From<&Diagram> for Grid {
    /// The board of a built-in game.
    fn from(diagram: &Diagram) -> Grid {
        let names = |labels: &'static str| labels.split_inclusive(|_| true).map(Word::from).collect();
        let [columns, rows]: [Vec<Word>; 2] = [diagram.columns, diagram.rows].map(names);
        let mut cells = vec![Word::from(EMPTY); rows.len() * columns.len()];
        for (pieces, sign) in diagram.pieces.iter().zip(["x", "o"]) {
            for cell in pieces.cells() {
                cells[diagram.index(cell)] = sign.into();
            }
        }
        Grid {
            cells,
            columns,
            rows,
            format: None,
            has_lines: false,
        }
    }
}

/// The format of the names of cells, up to the word `cells`.
fn format<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<String, String> {
    let format = words.next().unwrap_or_default();
    let rest = FORMAT_SLOTS
        .iter()
        .fold(format.to_string(), |text, slot| text.replacen(slot, "", 1));
    if FORMAT_SLOTS.iter().any(|slot| !format.contains(slot))
        || rest.contains(['{', '}'])
        || rest.len() > MAX_WORD
    {
        let format = printable(format, MAX_QUOTED);
        return Err(format!(
            "expected a name such as `{{row}},{{column}}` after `{NAMES}`, found `{format}`"
        ));
    }
    match words.next() {
        Some("cells") => Ok(printable(format, usize::MAX)),
        other => Err(format!(
            "expected `cells` after the name of a cell, found {}",
            found(other)
        )),
    }
}

/// The names up to one of the words `ends`, or as many empty ones as a single number says; and that word.
fn names<'a>(
    words: &mut impl Iterator<Item = &'a str>,
    what: &str,
    ends: &[&'static str],
) -> Result<(Vec<Word>, &'static str), String> {
    let mut names = Vec::new();
    let end = loop {
        match words.next() {
            Some(word) if ends.contains(&word) => {
                break ends.iter().find(|end| **end == word).copied().unwrap_or_default();
            }
            Some(_) if names.len() == MAX_SIDE => {
                return Err(format!("there are more than {MAX_SIDE} {what}"));
            }
            Some(name) => names.push(word(name)?),
            None => return Err(format!("expected `{}` after the names of the {what}", ends[0])),
        }
    };
    let number = match names.as_slice() {
        [] => return Err(format!("expected the names of the {what}, or their number")),
        [number] => number.parse().unwrap_or(1),
        _ => 1,
    };
    match number {
        0 | 1 => Ok((names, end)),
        2..=MAX_SIDE => Ok((vec![Word::default(); number], end)),
        _ => Err(format!("{number} {what} are more than {MAX_SIDE}")),
    }
}

/// The selectors of text and emoji, and the joiner.
const EMOJI_MARKS: [char; 3] = ['\u{fe0e}', '\u{fe0f}', '\u{200d}'];

/// A name or a cell, safe to show.
fn word(text: &str) -> Result<Word, String> {
    // Marks of emoji, which terminals draw in different widths; the signs alone mean the same.
    let plain = text.replace(EMOJI_MARKS, "");
    let text = if plain.is_empty() { text } else { &plain };
    let shown = printable(text, MAX_QUOTED);
    if columns(&shown) > MAX_WORD {
        return Err(format!("`{shown}` is longer than {MAX_WORD} characters"));
    }
    Ok(shown.into())
}

fn found(word: Option<&str>) -> String {
    word.map_or("nothing".into(), |word| {
        format!("`{}`", printable(word, MAX_QUOTED))
    })
}

impl fmt::Display for Grid {
    /// The answer to `query grid` that [`Grid::read`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [columns, rows] = [&self.columns, &self.rows].map(|names| Grid::names(names));
        let first = if self.has_lines { "lines" } else { "columns" };
        write!(f, "{first} {columns} rows {rows}")?;
        let mut format = self.format.iter();
        format.try_for_each(|format| write!(f, " {NAMES} {format}"))?;
        write!(f, " cells {}", self.cells.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::{assert_has, expect};

    #[test]
    fn a_piece_as_emoji_takes_the_columns_of_its_sign() {
        assert_eq!(word("x♟\u{fe0f}").as_deref(), Ok("x♟"));
        assert_eq!(
            word("\u{1f9d9}\u{200d}\u{2642}\u{fe0f}").as_deref(),
            Ok("\u{1f9d9}\u{2642}")
        );
        assert_eq!(word("\u{fe0f}").as_deref(), Ok("\\u{fe0f}"));
    }

    fn words(names: &[&'static str]) -> Vec<Word> {
        names.iter().copied().map(Word::from).collect()
    }

    #[test]
    fn reads_names_and_cells() {
        let grid = Grid::read("columns a b  rows 2 1 cells x . oK 17").unwrap();
        assert_eq!(grid.columns, words(&["a", "b"]));
        assert_eq!(grid.rows, words(&["2", "1"]));
        let cells: Vec<GridCell> = grid.cells.iter().map(|cell| GridCell::of(cell)).collect();
        let expected = [
            GridCell::Piece(Side::First, ""),
            GridCell::Empty,
            GridCell::Piece(Side::Second, "K"),
            GridCell::Word("17"),
        ];
        assert_eq!(cells, expected);
    }

    #[test]
    fn a_number_above_1_stands_for_columns_without_names() {
        let grid = Grid::read("columns 3 rows 1 cells . . .").unwrap();
        assert_eq!(grid.columns, words(&["", "", ""]));
        assert_eq!(grid.rows, words(&["1"]));
        let named = Grid::read("columns 3 4 rows 0 cells . .").unwrap();
        assert_eq!(named.columns, words(&["3", "4"]));
        assert_eq!(named.rows, words(&["0"]));
    }

    #[test]
    fn says_how_a_cell_is_called() {
        let text = "columns 1 2 rows 1 names {row},{column} cells x .";
        let grid = Grid::read(text).unwrap();
        assert_eq!(grid.format.as_deref(), Some("{row},{column}"));
        assert_eq!(grid.to_string(), text);
        assert!(!grid.has_shape_of(&Grid::read("columns 1 2 rows 1 cells x .").unwrap()));
        for wrong in [
            "names cells x .",
            "names {row} cells x .",
            "names {row}{column}{x} cells x .",
        ] {
            let error = Grid::read(&format!("columns 1 2 rows 1 {wrong}")).unwrap_err();
            assert_has(
                &error,
                expect! {"expected a name such as `{row},{column}` after `names`, found `"},
            );
        }
        let error = Grid::read("columns 1 2 rows 1 names {row}{column} x .").unwrap_err();
        expect! {"expected `cells` after the name of a cell, found `x`"}.assert_eq(&error);
    }

    #[test]
    fn rejects_a_wrong_answer() {
        let wide = format!("columns {}rows 1 cells .", "a ".repeat(65));
        for (text, why) in [
            ("", "expected `columns` or `lines`, found nothing"),
            ("8 8 x", "expected `columns` or `lines`, found `8`"),
            (
                "columns rows 1 cells",
                "expected the names of the columns, or their number",
            ),
            ("columns 2", "expected `rows` after the names of the columns"),
            (
                "columns 2 rows 2 . . . .",
                "expected `cells` after the names of the rows",
            ),
            ("columns 65 rows 1 cells .", "65 columns are more than 64"),
            (&wide, "there are more than 64 columns"),
            (
                "columns 2 rows 1 cells .",
                "2 columns and 1 row need 2 cells, found 1",
            ),
            (
                "columns 2 rows 1 cells . . .",
                "2 columns and 1 row need 2 cells, found more",
            ),
            (
                "columns a rows 1 cells 123456789",
                "`123456789` is longer than 8 characters",
            ),
            (
                "columns a rows 1 cells \u{1b}[31m",
                "`\\u{1b}[31m` is longer than 8 characters",
            ),
        ] {
            assert_eq!(Grid::read(text).unwrap_err(), why, "{text}");
        }
    }

    #[test]
    fn changes_are_the_cells_that_differ() {
        let read = |text| Grid::read(text).unwrap();
        let before = read("columns a b rows 1 cells x .");
        let after = read("columns a b rows 1 cells . x");
        assert_eq!(after.changes(&before).collect::<Vec<_>>(), [(0, "."), (1, "x")]);
        assert_eq!(after.changes(&after).count(), 0);
        assert_eq!(after.changes(&read("columns c d rows 1 cells x .")).count(), 0);
    }
}
