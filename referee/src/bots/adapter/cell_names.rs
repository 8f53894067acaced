//! How a program names the cells of its board, and texts with placeholders, such as `{column}{row}`.

use lodestone_game::Variant;
use lodestone_game::board::Cell;
use referee_core::game::grid::Grid;
use referee_core::io::text::unknown;
use regex_lite::Regex;

/// The placeholders of the name of a cell.
const CELL_SLOTS: [&str; 2] = ["column", "row"];

/// The names of columns, rows and cells in a program's own notation.
#[derive(Clone, Debug)]
pub(super) struct CellNames {
    /// From left to right.
    pub columns: Vec<String>,
    /// From top to bottom.
    pub rows: Vec<String>,
    format: TextTemplate,
}

impl CellNames {
    /// The protocol's own names for the cells of a game.
    pub fn of_protocol(variant: Variant) -> CellNames {
        let info = variant.info();
        let names = |labels: &str| labels.chars().map(String::from).collect();
        // Gridlock writes the row first, as its sample move shows.
        let row_first = info.sample_move.starts_with(|sign| info.rows.contains(sign));
        let slots = if row_first { ["row", "column"] } else { CELL_SLOTS };
        CellNames {
            columns: names(info.columns),
            rows: names(info.rows),
            format: TextTemplate::of_slots(&slots),
        }
    }

    /// The names of a rules program for the cells of its grid.
    pub fn of_grid(grid: &Grid, format: &str) -> Option<CellNames> {
        Some(CellNames {
            columns: grid.columns.iter().map(ToString::to_string).collect(),
            rows: grid.rows.iter().map(ToString::to_string).collect(),
            format: TextTemplate::parse(format, &CELL_SLOTS).ok()?,
        })
    }

    /// Replaces the names of the `columns` from left to right or of the `rows` from top to bottom, a
    /// character each, or words with spaces between them; or the `format` of a cell's name.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), String> {
        match key {
            "columns" => self.columns = labels(text, self.columns.len(), key, "from left to right")?,
            "rows" => self.rows = labels(text, self.rows.len(), key, "from top to bottom")?,
            _ => {
                let format = TextTemplate::parse(text, &CELL_SLOTS)?;
                if let Some(missing) = CELL_SLOTS.into_iter().find(|slot| !format.has(slot)) {
                    return Err(format!("`{text}` lacks `{{{missing}}}`"));
                }
                self.format = format;
            }
        }
        Ok(())
    }

    /// The names of all columns or rows.
    fn names(&self, slot: &str) -> &[String] {
        if slot == "column" {
            &self.columns
        } else {
            &self.rows
        }
    }

    /// The name of a cell's column or row.
    pub fn part(&self, cell: Cell, slot: &str) -> String {
        self.part_at(place_of(cell), slot)
    }

    /// The name of the column or row of a place: the indices of its column and row.
    pub fn part_at(&self, (column, row): (usize, usize), slot: &str) -> String {
        let index = if slot == "column" { column } else { row };
        self.names(slot).get(index).cloned().unwrap_or_default()
    }

    pub fn name(&self, cell: Cell) -> String {
        self.name_at(place_of(cell))
    }

    /// The name of the cell at a place.
    pub fn name_at(&self, place: (usize, usize)) -> String {
        self.format.fill(|slot| self.part_at(place, slot))
    }

    /// The cell in the column and row with these names, in any letter case.
    pub fn cell(&self, column: &str, row: &str) -> Option<Cell> {
        let (column, row) = self.place(column, row)?;
        Some(Cell::new(row as u8, column as u8))
    }

    /// The indices of the column and row with these names, in any letter case.
    pub fn place(&self, column: &str, row: &str) -> Option<(usize, usize)> {
        let place = |names: &[String], wanted: &str| {
            let wanted = wanted.trim().to_lowercase();
            names.iter().position(|name| name.to_lowercase() == wanted)
        };
        Some((place(&self.columns, column)?, place(&self.rows, row)?))
    }

    /// A regular expression for the name of a cell, in any letter case. `group` makes the
    /// name of the group for a slot.
    pub fn regex(&self, mut group: impl FnMut(&str) -> String) -> String {
        let parts = self.format.0.iter().map(|part| match part {
            TemplatePart::Text(text) => regex_lite::escape(text),
            TemplatePart::Slot(slot) => self.slot_regex(slot, &group(slot)),
        });
        parts.collect()
    }

    /// A regular expression for a name of a column or row, as a group.
    pub fn slot_regex(&self, slot: &str, group: &str) -> String {
        let mut names: Vec<&String> = self.names(slot).iter().collect();
        // A name may begin with another one.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let names: Vec<String> = names.into_iter().map(|name| regex_lite::escape(name)).collect();
        format!("(?i:(?<{group}>{}))", names.join("|"))
    }
}

/// The indices of the column and row of a cell.
const fn place_of(cell: Cell) -> (usize, usize) {
    (cell.column() as usize, cell.row() as usize)
}

/// The names in a text: its characters, or its words if it has spaces.
fn labels(text: &str, count: usize, key: &str, order: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = if text.contains(char::is_whitespace) {
        text.split_whitespace().map(String::from).collect()
    } else {
        text.chars().map(String::from).collect()
    };
    if names.len() != count {
        return Err(format!(
            "`{key}` has {} names, expected {count}, {order}",
            names.len()
        ));
    }
    for (place, name) in names.iter().enumerate() {
        let is_same = |other: &String| other.to_lowercase() == name.to_lowercase();
        if names.iter().take(place).any(is_same) {
            return Err(format!("`{key}` has the name `{name}` twice"));
        }
    }
    Ok(names)
}

/// A text with placeholders in braces. `{{` and `}}` stand for single braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextTemplate(Vec<TemplatePart>);

/// A piece of a [`TextTemplate`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    /// Text that stays as it is.
    Text(String),
    /// The name of a placeholder.
    Slot(String),
}

impl TextTemplate {
    /// Parses a text whose placeholders are among `allowed`.
    pub fn parse(text: &str, allowed: &[&str]) -> Result<TextTemplate, String> {
        let token = Regex::new(r"\{\{|\}\}|\{([^}]*)\}|[{}]").map_err(|error| error.to_string())?;
        let (mut parts, mut plain, mut end) = (Vec::new(), String::new(), 0);
        for found in token.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            plain.push_str(&text[end..whole.start()]);
            end = whole.end();
            match (whole.as_str(), found.get(1)) {
                (_, Some(name)) => {
                    check_slot(name.as_str(), allowed)?;
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                    parts.push(TemplatePart::Slot(name.as_str().to_string()));
                }
                ("{{", _) => plain.push('{'),
                ("}}", _) => plain.push('}'),
                _ => {
                    return Err(format!(
                        "`{text}` has a single brace; `{{{{` and `}}}}` stand for braces as they are"
                    ));
                }
            }
        }
        parts.push(TemplatePart::Text(plain + &text[end..]));
        Ok(TextTemplate(parts))
    }

    /// Placeholders without text between them.
    pub fn of_slots(names: &[&str]) -> TextTemplate {
        let slots = names.iter().map(|name| TemplatePart::Slot((*name).to_string()));
        TextTemplate(slots.collect())
    }

    /// Whether a placeholder occurs.
    pub fn has(&self, name: &str) -> bool {
        self.slots().any(|slot| slot == name)
    }

    /// The placeholders in their order.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Slot(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }

    /// The text with the values of its placeholders.
    pub fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let texts = self.0.iter().map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Slot(name) => value(name),
        });
        texts.collect()
    }
}

/// Checks the name of a placeholder.
pub(super) fn check_slot(name: &str, allowed: &[&str]) -> Result<(), String> {
    if allowed.contains(&name) {
        return Ok(());
    }
    Err(unknown("placeholder", name, allowed))
}

/// The name of a placeholder that may be short for one about the target.
pub fn full_name(slot: &str) -> &str {
    match slot {
        "cell" => "to",
        "row" => "to_row",
        "column" => "to_column",
        slot => slot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    fn filled(text: &str) -> Result<String, String> {
        let template = TextTemplate::parse(text, &["row", "column"])?;
        Ok(template.fill(|name| format!("<{name}>")))
    }

    #[test]
    fn fills_placeholders_and_keeps_doubled_braces() {
        for (text, expected) in [
            ("", ""),
            ("1", "1"),
            ("{column}{row}", "<column><row>"),
            ("({row}, {column})", "(<row>, <column>)"),
            ("{{{row}}}", "{<row>}"),
            ("ä{{}}ö", "ä{}ö"),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn rejects_unknown_placeholders_and_single_braces() {
        expect! {"unknown placeholder `rwo`; did you mean `row`? The placeholders are row, column"}
            .assert_eq(&filled("{rwo}").unwrap_err());
        for text in ["{", "}", "{row", "a}b", "{row}}"] {
            let why = "has a single brace; `{{` and `}}` stand for braces as they are";
            assert_eq!(filled(text).unwrap_err(), format!("`{text}` {why}"));
        }
    }

    /// The name of a cell, from its row and column.
    type Name = Box<dyn Fn(u8, u8) -> String>;

    fn cells(variant: Variant) -> impl Iterator<Item = Cell> {
        let info = variant.info();
        let (rows, columns) = (info.rows.len() as u8, info.columns.len() as u8);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| Cell::new(row, column)))
    }

    #[test]
    fn protocol_names_are_those_of_the_game() {
        for &variant in Variant::ALL {
            let names = CellNames::of_protocol(variant);
            let position = variant.startpos();
            for cell in cells(variant) {
                assert_eq!(names.name(cell), position.cell_text(cell));
            }
        }
    }

    /// The twin computes each name from the numbers of row and column.
    #[test]
    fn every_notation_names_and_finds_every_cell() {
        let letters = |column: u8| char::from(b'A' + column).to_string();
        let words = "one two three four five six seven eight";
        let word = |column: u8| words.split(' ').nth(column as usize).unwrap();
        let notations: [(&str, &str, &str, Name); 6] = [
            ("ABCDEFGH", "12345678", "{column}{row}", {
                Box::new(move |r, c| letters(c) + &(r + 1).to_string())
            }),
            ("abcdefgh", "87654321", "{row}{column}", {
                Box::new(move |r, c| (8 - r).to_string() + &letters(c).to_lowercase())
            }),
            (
                "01234567",
                "01234567",
                "{row} {column}",
                Box::new(|r, c| format!("{r} {c}")),
            ),
            ("12345678", "hgfedcba", "({row}, {column})", {
                Box::new(move |r, c| format!("({}, {})", char::from(b'h' - r), c + 1))
            }),
            ("1 2 3 4 5 6 7 8", "10 20 30 40 50 60 70 80", "{column}.{row}", {
                Box::new(move |r, c| format!("{}.{}0", c + 1, r + 1))
            }),
            (words, "76543210", "{{{column}/{row}}}", {
                Box::new(move |r, c| format!("{{{}/{}}}", word(c), 7 - r))
            }),
        ];
        for (columns, rows, format, twin) in notations {
            let mut names = CellNames::of_protocol(Variant::MagneticCave);
            names.set("columns", columns).unwrap();
            names.set("rows", rows).unwrap();
            names.set("format", format).unwrap();
            let regex = regex_lite::Regex::new(&format!("^{}$", names.regex(str::to_string))).unwrap();
            for cell in cells(Variant::MagneticCave) {
                let name = names.name(cell);
                assert_eq!(name, twin(cell.row(), cell.column()), "{format}");
                for text in [name.to_uppercase(), name.to_lowercase()] {
                    let parts = regex.captures(&text).unwrap();
                    assert_eq!(names.cell(&parts["column"], &parts["row"]), Some(cell), "{text}");
                }
            }
            assert_eq!(names.cell("9", "x"), None);
        }
    }

    #[test]
    fn rejects_wrong_names() {
        let mut names = CellNames::of_protocol(Variant::Gridlock);
        let mut error = |key: &str, text: &str| names.set(key, text).unwrap_err();
        let columns = "`columns` has 8 names, expected 7, from left to right";
        assert_eq!(error("columns", "12345678"), columns);
        expect! {"`rows` has 6 names, expected 7, from top to bottom"}.assert_eq(&error("rows", "abcdef"));
        assert_eq!(error("rows", "abcdefA"), "`rows` has the name `A` twice");
        assert_eq!(error("format", "{column}"), "`{column}` lacks `{row}`");
        assert!(error("format", "{col}{row}").starts_with("unknown placeholder `col`"));
        assert_eq!(names.name(Cell::new(0, 0)), "a1", "a wrong value changes nothing");
    }
}
