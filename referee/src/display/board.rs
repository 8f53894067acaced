//! The board as a person sees it: either way up, marked, coloured, in plain
//! ASCII where that is all there is.

use std::fmt;
use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use lodestone::board::{Bitboard, Cell, Move, Side};
use lodestone::game::{AnyPosition, Diagram, GameInfo};

use crate::config::cli::{ColorArg, LookArgs};

/// How boards are drawn on this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Only with the characters that every terminal has.
    pub ascii: bool,
    /// With colours. They never say anything that the signs do not.
    pub colour: bool,
}

/// A position with everything that is to be seen of it.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Who stands where.
    pub diagram: Diagram,
    /// The facts of the game.
    pub info: &'static GameInfo,
    /// The top row is at the bottom.
    pub flipped: bool,
    /// The move that led here, in brackets.
    pub last: Option<Move>,
    /// The line that won, in parentheses.
    pub winning: Bitboard,
    /// Cells to mark as places where the side to move can go.
    pub open: Bitboard,
    /// How it is drawn.
    pub look: Look,
}

/// How an empty cell is drawn where somebody can go.
pub const OPEN_SIGN: char = '+';

/// The signs of both sides in ASCII, as the course projects draw them.
const ASCII_SIGNS: [char; 2] = ['X', 'O'];

/// An empty cell in ASCII.
const ASCII_EMPTY: char = '-';

impl Look {
    /// What the user wants, or else what the terminal can do.
    #[must_use]
    pub fn new(args: LookArgs) -> Look {
        let colour = match args.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            // Looks at NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM.
            ColorArg::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        };
        let ascii = args.ascii || !locale_has_utf8(|name| std::env::var(name).ok());
        Look { ascii, colour }
    }

    /// How the two sides are drawn that are `signs` elsewhere.
    #[must_use]
    pub const fn signs(self, signs: [char; 2]) -> [char; 2] {
        if self.ascii { ASCII_SIGNS } else { signs }
    }

    const fn empty_sign(self) -> char {
        if self.ascii {
            ASCII_EMPTY
        } else {
            Diagram::EMPTY_SIGN
        }
    }
}

/// Whether the first of the variables that rule the characters names UTF-8.
fn locale_has_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty())
        .unwrap_or_default()
        .to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

impl Drawing {
    /// The drawing of a position to which `last` led.
    pub fn new(position: &dyn AnyPosition, last: Option<Move>, look: Look) -> Drawing {
        Drawing {
            winning: position.highlights(),
            diagram: position.diagram(),
            info: position.info(),
            flipped: false,
            last,
            open: Bitboard::EMPTY,
            look,
        }
    }

    fn row(&self, row: u8, label: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{label}")?;
        let columns = self.diagram.columns.len() as u8;
        for column in 0..columns {
            write!(f, "{}", self.gap(row, column, columns))?;
            self.cell(Cell::new(row, column), f)?;
        }
        write!(f, "{}{label}", self.gap(row, columns, columns))
    }

    /// What stands left of a cell: a bracket or nothing.
    fn gap(&self, row: u8, column: u8, columns: u8) -> char {
        let on_board = |column: u8| (column < columns).then(|| Cell::new(row, column));
        let (left, right) = (column.checked_sub(1).and_then(on_board), on_board(column));
        let wins = |cell: Option<Cell>| cell.is_some_and(|cell| self.winning.contains(cell));
        let target = self.last.filter(|_| self.winning.is_empty()).map(Move::to);
        match (wins(left), wins(right)) {
            (false, true) => '(',
            (true, false) => ')',
            _ if target.is_some() && target == right => '[',
            _ if target.is_some() && target == left => ']',
            _ => ' ',
        }
    }

    fn cell(&self, cell: Cell, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, colour) = match self.diagram.owner(cell) {
            Some(side) => (
                self.look.signs(self.diagram.signs)[side.index()],
                Some(colour_of(side)),
            ),
            None if self.open.contains(cell) => (OPEN_SIGN, Some(AnsiColor::Green)),
            None => (self.look.empty_sign(), None),
        };
        match colour.filter(|_| self.look.colour) {
            Some(colour) => {
                let style = Style::new().bold().fg_color(Some(colour.into()));
                write!(f, "{style}{sign}{style:#}")
            }
            None => write!(f, "{sign}"),
        }
    }
}

const fn colour_of(side: Side) -> AnsiColor {
    match side {
        Side::First => AnsiColor::Cyan,
        Side::Second => AnsiColor::Yellow,
    }
}

impl fmt::Display for Drawing {
    /// One line a row, labels on all four sides, no line break at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self
            .diagram
            .columns
            .chars()
            .fold(" ".to_string(), |header, label| {
                header + " " + &self.info.shown(label.encode_utf8(&mut [0; 4]))
            });
        let mut rows: Vec<(u8, char)> = (0..).zip(self.diagram.rows.chars()).collect();
        if self.flipped {
            rows.reverse();
        }
        writeln!(f, "{header}")?;
        for (row, label) in rows {
            self.row(row, label, f)?;
            writeln!(f)?;
        }
        write!(f, "{header}")
    }
}

#[cfg(test)]
mod tests {
    use lodestone::game::Variant;

    use super::*;

    fn drawing(fen: &str) -> Drawing {
        let position = Variant::MagneticCave.parse_fen(fen).unwrap();
        let look = Look {
            ascii: false,
            colour: false,
        };
        Drawing {
            winning: Bitboard::EMPTY,
            ..Drawing::new(position.as_ref(), None, look)
        }
    }

    fn lines(drawing: &Drawing) -> Vec<String> {
        drawing.to_string().lines().map(String::from).collect()
    }

    #[test]
    fn the_last_move_stands_in_brackets_and_the_winning_line_in_parentheses() {
        let mut one = drawing("8/xxxxxooo/o7/8/8/8/8/8 o");
        one.last = Some(Move::place(Cell::new(1, 0)));
        assert_eq!(lines(&one)[0], "  A B C D E F G H");
        assert_eq!(lines(&one)[2], "7[■]■ ■ ■ ■ □ □ □ 7");
        one.last = Some(Move::place(Cell::new(1, 7)));
        assert_eq!(lines(&one)[2], "7 ■ ■ ■ ■ ■ □ □[□]7");
        one.winning = Bitboard(0b11111 << 8);
        assert_eq!(lines(&one)[2], "7(■ ■ ■ ■ ■)□ □ □ 7");
        one.look.ascii = true;
        assert_eq!(lines(&one)[2], "7(X X X X X)O O O 7");
        assert_eq!(lines(&one)[1], "8 - - - - - - - - 8");
    }

    #[test]
    fn a_flipped_board_has_its_first_row_at_the_bottom() {
        let mut one = drawing("x7/8/8/8/8/8/8/8 o");
        one.flipped = true;
        assert_eq!(lines(&one)[1], "1 · · · · · · · · 1");
        assert_eq!(lines(&one)[8], "8 ■ · · · · · · · 8");
        assert_eq!(lines(&one)[9], "  A B C D E F G H");
    }

    #[test]
    fn colours_say_nothing_that_the_signs_do_not() {
        let mut one = drawing("xo6/8/8/8/8/8/8/8 x");
        one.open = Bitboard(0b100);
        let plain = one.to_string();
        one.look.colour = true;
        let coloured = one.to_string();
        assert!(coloured.contains("\x1b[1m\x1b[36m■\x1b[0m"), "{coloured:?}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
        assert!(plain.contains("8 ■ □ + · · · · · 8"));
    }

    #[test]
    fn the_first_variable_that_is_set_names_the_characters() {
        let utf8 = |all: &'static str, ctype: &'static str, lang: &'static str| {
            locale_has_utf8(|name| {
                let value = match name {
                    "LC_ALL" => all,
                    "LC_CTYPE" => ctype,
                    _ => lang,
                };
                Some(value.to_string())
            })
        };
        assert!(utf8("", "", "de_DE.UTF-8"));
        assert!(utf8("C.utf8", "C", "C"));
        assert!(!utf8("C", "C.UTF-8", "C.UTF-8"));
        assert!(!utf8("", "POSIX", "C.UTF-8"));
        assert!(!utf8("", "", ""));
    }
}
