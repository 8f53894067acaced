//! The last board with its lines, which are drawn again after a change of the terminal's size.

use super::layout::fit;

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
    ascii: bool,
}

impl Frame {
    /// A frame without lines.
    pub const fn new(ascii: bool) -> Frame {
        Frame {
            lines: String::new(),
            ascii,
        }
    }

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
