//! Tables of text that fit a width.

use referee_core::io::text::{columns, padded, printable, right_aligned, shortened};

/// The least width of a column of names.
const MIN_NAME: usize = 4;

/// A column of text.
#[derive(Clone, Debug)]
pub struct Column {
    /// The text above the cells.
    heading: String,
    /// The text of each row.
    cells: Vec<String>,
    /// The columns of text that the widest of them takes.
    width: usize,
}

/// A table in which each row begins with a number and a name.
///
/// If the columns do not fit the width, the table continues below itself: each part repeats
/// numbers and names. Names are shortened only if one further column does not fit.
#[derive(Clone, Debug)]
pub struct TextTable {
    /// The numbers, aligned right.
    pub numbers: Column,
    /// The names, aligned left.
    pub names: Column,
    /// The other columns, aligned right. The columns of a group stay side by side if they
    /// fit.
    pub groups: Vec<Vec<Column>>,
}

impl Column {
    /// A column with the heading and the text of each row.
    pub fn new(heading: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Column {
        let heading = heading.into();
        let cells: Vec<String> = cells
            .into_iter()
            .map(|cell| printable(&cell, usize::MAX))
            .collect();
        let widths = cells.iter().map(|cell| columns(cell));
        let width = widths.fold(columns(&heading), usize::max);
        Column {
            heading,
            cells,
            width,
        }
    }

    /// The heading as row 0, and the cells from row 1.
    fn cell(&self, row: usize) -> &str {
        match row.checked_sub(1) {
            None => &self.heading,
            Some(row) => self.cells.get(row).map_or("", String::as_str),
        }
    }
}

impl TextTable {
    /// The table in at most `width` columns, without a trailing line break.
    pub fn fit(&self, width: usize) -> String {
        let others = self.groups.iter().flatten().map(|column| column.width);
        let widest = others.max().map_or(0, |width| width + 1);
        let room = width.saturating_sub(self.numbers.width + 1 + widest);
        let name_width = self.names.width.min(room.max(MIN_NAME));
        let key_width = self.numbers.width + 1 + name_width;
        let parts = self.parts(width.saturating_sub(key_width));
        let parts: Vec<String> = parts.iter().map(|part| self.part(part, name_width)).collect();
        parts.join("\n\n")
    }

    /// Divides the columns into parts of at most `room` columns of text.
    fn parts(&self, room: usize) -> Vec<Vec<&Column>> {
        let mut parts: Vec<Vec<&Column>> = vec![Vec::new()];
        let mut used = 0;
        for group in &self.groups {
            let whole: usize = group.iter().map(|column| column.width + 1).sum();
            if used + whole > room && whole <= room {
                // The group fits a part of its own.
                used = room;
            }
            for column in group {
                let width = column.width + 1;
                match parts.last_mut() {
                    Some(part) if part.is_empty() || used + width <= room => {
                        used = if part.is_empty() { width } else { used + width };
                        part.push(column);
                    }
                    _ => {
                        parts.push(vec![column]);
                        used = width;
                    }
                }
            }
        }
        parts
    }

    fn part(&self, part: &[&Column], name_width: usize) -> String {
        let rows = 0..=self.names.cells.len();
        let lines = rows.map(|row| {
            let mut line = right_aligned(self.numbers.cell(row), self.numbers.width);
            line.push(' ');
            line += &padded(&shortened(self.names.cell(row), name_width), name_width);
            for column in part {
                line.push(' ');
                line += &right_aligned(column.cell(row), column.width);
            }
            line
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(heading: &str, cells: [&str; 2]) -> Column {
        Column::new(heading, cells.map(String::from))
    }

    fn table(name: &str) -> TextTable {
        TextTable {
            numbers: column("No", ["1", "2"]),
            names: column("Name", [name, "磁石"]),
            groups: vec![
                vec![column("Points", ["7", "12.5"])],
                vec![column("Wins", ["1", "2"]), column("Draws", ["3", "4"])],
            ],
        }
    }

    #[test]
    fn wide_table_is_in_one_part() {
        let wanted = "\
No Name   Points Wins Draws
 1 brandt      7    1     3
 2 磁石     12.5    2     4";
        assert_eq!(table("brandt").fit(27), wanted);
        assert_eq!(table("brandt").fit(usize::MAX), wanted);
    }

    #[test]
    fn narrow_table_continues_below() {
        let wanted = "\
No Name   Points
 1 brandt      7
 2 磁石     12.5

No Name   Wins Draws
 1 brandt    1     3
 2 磁石      2     4";
        for width in 20..27 {
            assert_eq!(table("brandt").fit(width), wanted, "{width}");
        }
        let parts = table("brandt").fit(19);
        assert_eq!(parts.matches("No Name").count(), 3, "{parts}");
    }

    #[test]
    fn name_is_shortened_only_if_no_column_fits_beside_it() {
        let name = "a name of many words";
        assert!(table(name).fit(30).contains(name));
        let short = table(name).fit(20);
        assert!(short.contains(" 1 a name of…      7\n"), "{short}");
        for width in 14..60 {
            let text = table(name).fit(width);
            assert!(text.lines().all(|line| columns(line) <= width), "{width}: {text}");
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        let text = table("a\x1b[31m\nb").fit(80);
        assert!(text.contains("a\\u{1b}[31m\\nb"), "{text}");
    }
}
