//! Text laid out for a terminal of any width.

use referee_core::io::text::{columns, padded, wrap};

/// The least width of the second column of a [`Row`] beside the first one.
const MIN_TEXT: usize = 24;

/// The indentation of a text that stands below its first column.
const INDENTATION: usize = 6;

/// A line of a list: a name in the first column and its description in the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name, with its indentation.
    pub name: String,
    /// The description.
    pub text: String,
}

impl Row {
    /// A row with this name and description.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Row {
        Row {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Lays out rows with a common second column, which wraps between words. If there is too
/// little space for it, each description stands below its name.
pub fn table(rows: &[Row], width: usize) -> String {
    let column = rows.iter().map(|row| columns(&row.name)).max().unwrap_or(0) + 2;
    let fits = |row: &Row| column + columns(&row.text) <= width;
    let is_narrow = width < column + MIN_TEXT && !rows.iter().all(fits);
    let indentation = if is_narrow { INDENTATION } else { column };
    let lines = rows.iter().map(|row| {
        if row.text.is_empty() {
            return row.name.clone();
        }
        if fits(row) && !is_narrow {
            return padded(&row.name, column) + &row.text;
        }
        let text = wrap(&row.text, width.saturating_sub(indentation));
        let text = text.replace('\n', &format!("\n{}", " ".repeat(indentation)));
        if is_narrow {
            format!("{}\n{}{text}", row.name, " ".repeat(indentation))
        } else {
            padded(&row.name, column) + &text
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Wraps each line that is wider than `width` between words.
fn fit(text: &str, width: usize) -> String {
    let fit_line = |line: &str| {
        if columns(line) <= width {
            line.to_string()
        } else {
            wrap(line, width)
        }
    };
    text.split('\n').map(fit_line).collect::<Vec<_>>().join("\n")
}

/// Maximum width of text, in columns; longer lines are hard to read. Also the width of text
/// through a pipe.
const MAX_WIDTH: usize = 80;

/// The smallest width that is used.
const MIN_WIDTH: usize = 20;

/// The width of text on a terminal of this width, or through a pipe.
pub fn text_width(terminal: Option<usize>) -> usize {
    terminal.unwrap_or(MAX_WIDTH).clamp(MIN_WIDTH, MAX_WIDTH)
}

/// Lines wrapped between words. In ASCII, other characters become question marks.
pub fn text(lines: &str, width: usize, ascii: bool) -> String {
    // Words that stay together are joined by no-break spaces.
    let text = fit(lines, width).replace('\u{a0}', " ");
    if ascii {
        text.replace(|c: char| !c.is_ascii(), "?")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_wrap_in_their_column_or_stand_below() {
        let rows = [
            Row::new("  hint", "suggests a move"),
            Row::new("  load FILE", "continues a game"),
        ];
        assert_eq!(
            table(&rows, 80),
            "  hint       suggests a move\n  load FILE  continues a game"
        );
        let rows = [Row::new("  hint", "suggests a move to the player who asks")];
        assert_eq!(
            table(&rows, 34),
            "  hint  suggests a move to the\n        player who asks"
        );
        assert_eq!(
            table(&rows, 30),
            "  hint\n      suggests a move to the\n      player who asks"
        );
    }

    #[test]
    fn short_lines_stay_as_they_are() {
        assert_eq!(fit("a   b  \n\ncc dd", 7), "a   b  \n\ncc dd");
        assert_eq!(fit("aaa bbb ccc", 7), "aaa bbb\nccc");
    }
}
