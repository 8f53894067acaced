//! Text laid out for a terminal of any width, and the last board, which is drawn again after a
//! change of the width.

use std::time::{Duration, Instant};

use crate::io::running_clock;
use crate::io::text::{clock, columns, padded, wrap};

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
pub fn fit(text: &str, width: usize) -> String {
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
pub const MAX_WIDTH: usize = 80;

/// The smallest width that is used.
const MIN_WIDTH: usize = 20;

/// Moves the cursor to the top left corner and erases the screen (ECMA-48, CUP and ED).
pub const CLEAR_SCREEN: &str = "\x1b[H\x1b[2J";

/// A board with the lines above and below it.
#[derive(Debug)]
pub struct Frame {
    /// Its lines, not wrapped.
    pub lines: String,
    /// Only ASCII characters are shown.
    pub ascii: bool,
}

impl Frame {
    /// Its lines for a terminal of this width.
    pub fn text(&self, width: usize) -> String {
        text(&self.lines, width, self.ascii)
    }
}

/// The width of text on a terminal of this width, or through a pipe.
pub fn text_width(terminal: Option<usize>) -> usize {
    terminal.unwrap_or(MAX_WIDTH).clamp(MIN_WIDTH, MAX_WIDTH)
}

/// Whole lines, wrapped between words. In ASCII, other characters become question marks.
pub fn text(lines: &str, width: usize, ascii: bool) -> String {
    // Words that stay together are joined by no-break spaces.
    let mut text = fit(lines, width).replace('\u{a0}', " ");
    if ascii {
        text = text.replace(|c: char| !c.is_ascii(), "?");
    }
    text + "\n"
}

/// The time that is left when a person is warned.
const URGENT: Duration = Duration::from_secs(10);

/// The clock of a person who is to move.
#[derive(Clone, Copy, Debug)]
pub struct ClockFace {
    /// When the time is over.
    end: Instant,
    /// The time left when the question was asked.
    at_first: Duration,
    /// Whether the last seconds stand out in colour.
    colour: bool,
}

impl ClockFace {
    /// The clock that runs out at this time, optionally with colour.
    pub fn new(end: Instant, colour: bool) -> ClockFace {
        ClockFace {
            end,
            at_first: end.saturating_duration_since(running_clock::now()),
            colour,
        }
    }

    fn left(self) -> Duration {
        self.end.saturating_duration_since(running_clock::now())
    }

    /// The whole seconds left, rounded up.
    pub fn seconds_left(self) -> u64 {
        seconds(self.left())
    }

    /// The time until another second has passed; `None` if no time is left.
    pub fn until_next_second(self) -> Option<Duration> {
        let left = self.left();
        let whole = Duration::from_secs(seconds(left).checked_sub(1)?);
        // The clock must have changed after the wait.
        Some(left.saturating_sub(whole) + Duration::from_millis(1))
    }

    /// The beginning of the prompt: `[4:32] `.
    pub fn prefix(self) -> String {
        format!("[{}] ", time_left(self.left()))
    }

    /// The prompt with the current time. With colour, the last seconds are bold and
    /// red.
    pub fn update(self, prompt: &str) -> String {
        let Some((before, rest)) = prompt.split_once("] ") else {
            return prompt.to_string();
        };
        // A prompt keeps its width while it is shown.
        let width = before.len() - 1;
        let left = self.left();
        let time = format!("[{:>width$}]", time_left(left));
        if self.colour && left <= URGENT {
            format!("\x1b[1;31m{time}\x1b[0m {rest}")
        } else {
            format!("{time} {rest}")
        }
    }

    /// The warning that is due now, with the bell: the last ten seconds have begun since the
    /// question was asked.
    pub fn warning(self) -> Option<String> {
        let is_due = self.at_first > URGENT && self.seconds_left() == URGENT.as_secs();
        is_due.then(|| format!("\x07{} seconds are left.\n", URGENT.as_secs()))
    }
}

/// The whole seconds of a time, rounded up, so that 0 means that no time is left.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A time on a clock: `0:09`, `4:32` or `1:04:32`.
pub fn time_left(time: Duration) -> String {
    clock(Duration::from_secs(seconds(time)), Duration::ZERO)
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

#[cfg(test)]
mod clock_tests {
    use super::*;

    #[test]
    fn rounds_up_to_whole_seconds() {
        for (milliseconds, text) in [
            (0, "0:00"),
            (1, "0:01"),
            (9_000, "0:09"),
            (271_500, "4:32"),
            (3_600_000, "1:00:00"),
        ] {
            assert_eq!(time_left(Duration::from_millis(milliseconds)), text);
        }
    }

    #[test]
    fn keeps_the_width_of_the_prompt() {
        let clock = ClockFace::new(Instant::now() + Duration::from_millis(59_500), true);
        assert_eq!(
            clock.update("[10:00] Ann, your move: "),
            "[ 1:00] Ann, your move: "
        );
        let clock = ClockFace::new(Instant::now() + Duration::from_millis(8_500), true);
        assert_eq!(clock.update("[0:11] Ann: "), "\x1b[1;31m[0:09]\x1b[0m Ann: ");
        let plain = ClockFace {
            colour: false,
            ..clock
        };
        assert_eq!(plain.update("[0:11] Ann: "), "[0:09] Ann: ");
        assert_eq!(clock.warning(), None, "there was never more time");
    }
}
