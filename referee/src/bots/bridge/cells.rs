//! How rules and engine name cells. A move is a text with names of cells in it.

use std::collections::HashMap;

use lodestone_game::board::Side;
use referee_core::io::text::printable;
use referee_core::player::{Protocol, is_pass};

use super::end::BridgeEnd;

/// The most characters of a move in a message.
const MAX_QUOTE: usize = 60;

/// Columns and rows of a board of unknown size.
const MOST: usize = 26;

/// A pass for the referee.
const PASS: &str = "pass";

/// The letters of the rules, from left to right.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// How an engine names cells unless options say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// A letter, from A and without I, and a number: of GTP.
    WithoutI,
    /// The names of the rules: of `XBoard`.
    Same,
    /// The same, with rows from 0 on boards of ten rows: of UCCI.
    FromZero,
    /// The number of the column from the right and the letter of the row from the top: of USI.
    Shogi,
    /// The numbers of column and row from 0, with a comma between them: of Gomocup.
    Numbers,
}

/// What a move is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Cell,
    /// From a cell to another one.
    Step,
    /// The same with letters or signs behind, such as the new piece.
    Promotion,
    /// Two of these, with a comma between them.
    Steps,
    /// Cells with `-`, `:` or `x` between them.
    Cells,
    /// A piece from the hand: `P@e4`, or `P*5e`.
    Drop,
    /// No cell is changed.
    Pass,
    /// Cells and other signs.
    Mixed,
    /// No cell.
    Other,
}

impl Shape {
    /// That of a move with `#` for each cell.
    fn of(form: &str) -> Shape {
        let are = |text: &str, signs: &str| text.chars().all(|sign| signs.contains(sign));
        let is_sign = |sign: char| sign.is_ascii_alphabetic() || "+=".contains(sign);
        let promotion = form.strip_prefix("##").filter(|rest| rest.len() <= 2);
        let (piece, rest) = form.split_at_checked(1).unwrap_or_default();
        match form {
            "#" => Shape::Cell,
            "##" => Shape::Step,
            "#,##" | "##,##" => Shape::Steps,
            _ if promotion.is_some_and(|rest| rest.chars().all(is_sign)) => Shape::Promotion,
            _ if is_pass(form) => Shape::Pass,
            _ if ["@#", "*#"].contains(&rest) && piece.starts_with(is_sign) => Shape::Drop,
            _ if !form.contains('#') => Shape::Other,
            _ if are(form, "#-:x") => Shape::Cells,
            _ => Shape::Mixed,
        }
    }
}

/// What the referee says of the board of the rules; empty without `query grid`.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoardNames {
    /// The names of the columns from left to right.
    pub columns: Vec<String>,
    /// The names of the rows from the top.
    pub rows: Vec<String>,
    /// A move of the start position.
    pub sample: String,
}

/// The names of all cells in both directions.
#[derive(Debug)]
pub(super) struct Cells {
    to_engine: HashMap<String, String>,
    to_rules: HashMap<String, String>,
    /// Whether the rules write the mover's colour in front of a cell, as `OpenSpiel` does: `Ba1`.
    has_colour: bool,
    /// The number of columns, if it is known.
    pub width: Option<usize>,
}

/// What the user has set: the engine's names, as `[cells]` of `adapt.toml` has them.
#[derive(Clone, Debug, Default)]
pub(super) struct CellOptions {
    /// From left to right.
    pub columns: Option<Vec<String>>,
    /// From the top.
    pub rows: Option<Vec<String>>,
    /// With `{column}` and `{row}`.
    pub format: Option<String>,
}

/// Single characters, or words with spaces between them.
pub(super) fn split_names(text: &str) -> Vec<String> {
    if text.contains(' ') {
        text.split_whitespace().map(String::from).collect()
    } else {
        text.chars().map(String::from).collect()
    }
}

impl Cells {
    pub fn new(naming: Naming, board: &BoardNames, options: &CellOptions) -> Cells {
        let is_letter =
            |name: &String| name.len() == 1 && name.starts_with(|sign: char| sign.is_ascii_alphabetic());
        let is_number = |name: &String| name.parse::<usize>().is_ok();
        let has_grid = !board.columns.is_empty() && board.columns.iter().all(is_letter);
        let columns: Vec<String> = if has_grid {
            board.columns.iter().map(|name| name.to_lowercase()).collect()
        } else {
            split_names(LETTERS)
        };
        let has_rows = has_grid && board.rows.iter().all(is_number);
        let (width, height) = match naming {
            Naming::Shogi if !has_grid => (9, 9),
            Naming::FromZero if !has_grid => (9, 10),
            _ if has_rows => (columns.len(), board.rows.len()),
            _ => (columns.len(), MOST),
        };
        // Without a grid, the letters may be the engine's own.
        let naming = if naming == Naming::WithoutI && !has_grid {
            Naming::Same
        } else {
            naming
        };
        let (mut to_engine, mut to_rules) = (HashMap::new(), HashMap::new());
        for (column, letter) in columns.iter().enumerate().take(width) {
            for number in 1..=height {
                let own = format!("{letter}{number}");
                let name = engine_name(naming, options, (column, number), (width, height));
                if let Some(name) = name.or_else(|| Some(own.clone()).filter(|_| options.is_default())) {
                    to_rules.insert(name.to_lowercase(), own.clone());
                    to_engine.insert(own, name);
                }
            }
        }
        let sample = board.sample.to_lowercase();
        let has_colour = sample.strip_prefix('b').is_some_and(|rest| {
            rest == "pass" || to_engine.contains_key(rest) && !to_engine.contains_key(&sample)
        });
        Cells {
            to_engine,
            to_rules,
            has_colour,
            width: has_grid.then_some(width),
        }
    }

    /// A move of the rules in the names of the engine.
    pub fn to_engine(&self, mv: &str) -> (String, Shape) {
        let rest = mv.get(1..).filter(|_| self.has_colour).unwrap_or(mv);
        let (text, form) = replaced(rest, &self.to_engine);
        (text, Shape::of(&form))
    }

    /// A move of the engine in the names of the rules. The referee knows the rules' own name of a pass.
    pub fn to_rules(&self, mv: &str, mover: Side) -> (String, Shape) {
        let (mut text, form) = replaced(mv, &self.to_rules);
        let shape = Shape::of(&form);
        if shape == Shape::Pass {
            return (PASS.to_string(), shape);
        }
        if self.has_colour {
            text.insert(0, if mover == Side::First { 'B' } else { 'W' });
        }
        (text, shape)
    }

    /// A cell as the engine writes it.
    pub fn example(&self) -> &str {
        self.to_engine.get("d4").map_or("D4", String::as_str)
    }
}

impl CellOptions {
    fn is_default(&self) -> bool {
        self.columns.is_none() && self.rows.is_none() && self.format.is_none()
    }
}

/// The engine's name of a cell; `None` if the options have none for it.
fn engine_name(
    naming: Naming,
    options: &CellOptions,
    (column, number): (usize, usize),
    (width, height): (usize, usize),
) -> Option<String> {
    let letter = |index: usize| LETTERS.chars().nth(index).map(String::from);
    let upper = |name: Option<String>| name.map(|name| name.to_uppercase());
    let (own_column, own_row) = match naming {
        Naming::WithoutI => (
            upper(letter(if column < 8 { column } else { column + 1 })),
            Some(number.to_string()),
        ),
        Naming::Same => (letter(column), Some(number.to_string())),
        Naming::FromZero => {
            let first = usize::from(height == 10);
            (letter(column), Some((number - first).to_string()))
        }
        Naming::Shogi => (Some((width - column).to_string()), letter(height - number)),
        Naming::Numbers => (Some(column.to_string()), Some((number - 1).to_string())),
    };
    let column_name = match &options.columns {
        Some(names) => names.get(column).cloned(),
        None => own_column,
    }?;
    let row_name = match &options.rows {
        // From the top, where the number is the greatest.
        Some(names) => names
            .len()
            .checked_sub(number)
            .and_then(|index| names.get(index).cloned()),
        None => own_row,
    }?;
    Some(match (&options.format, naming) {
        (Some(format), _) => format
            .replace("{column}", &column_name)
            .replace("{row}", &row_name),
        (None, Naming::Numbers) => format!("{column_name},{row_name}"),
        (None, _) => format!("{column_name}{row_name}"),
    })
}

/// Replaces the names of cells, the longest one at each place. The second text, the form, has `#` for each.
fn replaced(text: &str, names: &HashMap<String, String>) -> (String, String) {
    /// The longest name of a cell, in bytes.
    const LONGEST: usize = 12;
    let lower = text.to_ascii_lowercase();
    let (mut new, mut form, mut at) = (String::new(), String::new(), 0);
    while at < text.len() {
        let mut ends = (at + 1..=text.len().min(at + LONGEST)).rev();
        let found = ends.find_map(|end| Some((end, names.get(lower.get(at..end)?)?)));
        if let Some((end, name)) = found {
            new.push_str(name);
            form.push('#');
            at = end;
        } else {
            let sign = text[at..].chars().next().unwrap_or_default();
            new.push(sign);
            form.push(sign);
            at += sign.len_utf8().max(1);
        }
    }
    (new, form)
}

/// A move of the rules that the protocol has no text for.
pub(super) fn unsayable(mv: &str, text: &str, protocol: Protocol, expected: &str) -> BridgeEnd {
    let (mv, text, protocol) = (
        printable(mv, MAX_QUOTE),
        printable(text, MAX_QUOTE),
        protocol.title(),
    );
    BridgeEnd::Engine(format!(
        "cannot be told the move `{mv}`: in {protocol} it would be `{text}`, which is not {expected}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_told_by_cells_and_the_signs_between_them() {
        for (form, shape) in [
            ("#", Shape::Cell),
            ("##", Shape::Step),
            ("##q", Shape::Promotion),
            ("##=Q", Shape::Promotion),
            ("##+", Shape::Promotion),
            ("##queen", Shape::Mixed),
            ("##,##", Shape::Steps),
            ("#-#:#", Shape::Cells),
            ("P@#", Shape::Drop),
            ("P*#", Shape::Drop),
            ("@@@@", Shape::Pass),
            ("Pass", Shape::Pass),
            ("0000", Shape::Pass),
            ("#/#", Shape::Mixed),
            ("banana", Shape::Other),
            ("", Shape::Other),
            ("é", Shape::Other),
        ] {
            assert_eq!(Shape::of(form), shape, "{form}");
        }
    }

    #[test]
    fn a_colour_before_a_cell_is_that_of_the_mover() {
        let board = BoardNames {
            sample: "Ba1".into(),
            ..BoardNames::default()
        };
        let cells = Cells::new(Naming::Same, &board, &CellOptions::default());
        let read = [Side::First, Side::Second].map(|mover| cells.to_rules("c4", mover).0);
        assert_eq!(read, ["Bc4", "Wc4"]);
    }
}
