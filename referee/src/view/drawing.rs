//! Boards on a terminal: with marks and colours, upside down, or in plain ASCII.

use std::fmt;

use anstyle::{AnsiColor, Style};
use lodestone_game::board::Side;
use lodestone_game::{Diagram, GameInfo};
use referee_core::game::grid::{Grid, GridCell, Word};
use referee_core::game::{Game, Position};
use referee_core::io::text::{columns, right_aligned};

/// How boards are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardStyle {
    /// ASCII characters only.
    pub ascii: bool,
    /// Colours, which add no information to the signs.
    pub colour: bool,
}

/// A drawn board.
#[derive(Clone, Debug)]
pub struct BoardDrawing {
    board: Board,
    pub info: &'static GameInfo,
    /// Upside down.
    pub flipped: bool,
    /// With capital letters, as the course projects write cells, in games that people read so.
    pub in_capitals: bool,
    /// The indices of the targets of legal moves, drawn as [`OPEN_SIGN`].
    pub open: Vec<usize>,
    pub style: BoardStyle,
}

/// What is drawn.
#[derive(Clone, Debug)]
enum Board {
    /// The cells, and the brackets of those that are marked.
    Grid {
        grid: Grid,
        marks: Vec<Option<Brackets>>,
    },
    /// The board as the rules program writes it; empty if there is none.
    Text(String),
}

/// The sign of an empty cell that is marked as the target of a legal move.
pub const OPEN_SIGN: char = '+';

/// The signs of both sides in ASCII, as in the course projects.
const ASCII_SIGNS: [char; 2] = ['X', 'O'];

/// The sign of an empty cell in ASCII.
const ASCII_EMPTY: char = '-';

impl BoardStyle {
    /// The signs of both sides in this style; `signs` unless it is ASCII.
    pub const fn signs(self, signs: [char; 2]) -> [char; 2] {
        if self.ascii { ASCII_SIGNS } else { signs }
    }

    /// Why a game ended. If the rules ended it, the sentence has the signs of the board for the sides, `x` and `o`.
    pub fn ending(self, info: &GameInfo, reason: &str, text: &str) -> String {
        if !info.end_reasons.iter().any(|own| reason == own.0) {
            return text.into();
        }
        let signs = self.signs(info.signs);
        reworded(text, |word| match word {
            "x" => signs[0].into(),
            "o" => signs[1].into(),
            _ => word.into(),
        })
    }

    const fn empty_sign(self) -> char {
        if self.ascii {
            ASCII_EMPTY
        } else {
            Diagram::EMPTY_SIGN
        }
    }

    /// The sign of a wall in a narrow column or row; `None` in a cell of the board.
    const fn wall_sign(self, in_column: bool, in_row: bool) -> Option<&'static str> {
        Some(match (in_column, in_row) {
            (false, false) => return None,
            (true, false) if self.ascii => "|",
            (true, false) => "│",
            (false, true) if self.ascii => "-",
            (false, true) => "─",
            (true, true) if self.ascii => "+",
            (true, true) => "┼",
        })
    }

    fn coloured(self, sign: impl fmt::Display, colour: Option<AnsiColor>) -> String {
        match colour.filter(|_| self.colour) {
            Some(colour) => {
                let style = Style::new().bold().fg_color(Some(colour.into()));
                format!("{style}{sign}{style:#}")
            }
            None => sign.to_string(),
        }
    }
}

/// A text with other words. Text between backquotes is a quotation and stays.
pub fn reworded(text: &str, change: impl Fn(&str) -> String) -> String {
    let parts = text.split('`').enumerate().map(|(number, part)| {
        let is_quoted = number % 2 == 1;
        if is_quoted {
            return part.to_string();
        }
        let words = part.split_inclusive(|c: char| !c.is_alphanumeric());
        let words = words.map(|word| {
            let length = word.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
            let (word, separator) = word.split_at(length);
            change(word) + separator
        });
        words.collect()
    });
    parts.collect::<Vec<String>>().join("`")
}

/// Whether the first of the locale variables that is set names UTF-8.
pub fn locale_has_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty())
        .unwrap_or_default()
        .to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

impl BoardDrawing {
    /// The board of a position, with its winning line in parentheses.
    pub fn new(position: &dyn Position, style: BoardStyle) -> BoardDrawing {
        let board = match position.grid() {
            Some(grid) => {
                let mut marks = vec![None; grid.cells.len()];
                for cell in position.highlights() {
                    marks[cell] = Some(WINNING);
                }
                Board::Grid { grid, marks }
            }
            None => Board::Text(position.board()),
        };
        BoardDrawing {
            board,
            info: position.info(),
            flipped: false,
            in_capitals: false,
            open: Vec::new(),
            style,
        }
    }

    /// The board of a game after its last move.
    pub fn of_game(game: &Game, style: BoardStyle) -> BoardDrawing {
        let before = game.positions().iter().nth_back(1);
        BoardDrawing::new(game.position(), style).after(before.map(AsRef::as_ref))
    }

    /// Puts the cells that the last move has changed into brackets, unless there is a winning line. Where pieces slide,
    /// the cell that a piece has left is not marked.
    pub fn after(mut self, before: Option<&dyn Position>) -> BoardDrawing {
        if let Board::Grid { grid, marks } = &mut self.board
            && marks.iter().all(Option::is_none)
            && let Some(before) = before.and_then(Position::grid)
        {
            let is_left = |word| self.info.slides && GridCell::of(word) == GridCell::Empty;
            let changes = grid.changes(&before).filter(|(_, word)| !is_left(word));
            changes.for_each(|(index, _)| marks[index] = Some(CHANGED));
        }
        self
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        matches!(&self.board, Board::Text(text) if text.is_empty())
    }
}

/// A cell as it is drawn.
struct Square {
    sign: String,
    colour: Option<AnsiColor>,
    /// They enclose the cell, together with those beside it that have the same.
    brackets: Option<Brackets>,
}

/// The signs before and after a cell.
type Brackets = [char; 2];

/// Brackets of the cells that the last move has changed.
const CHANGED: Brackets = ['[', ']'];

/// Brackets of a winning line.
const WINNING: Brackets = ['(', ')'];

/// The names of the columns and rows, and the cells row by row.
struct Squares {
    columns: Vec<String>,
    rows: Vec<String>,
    cells: Vec<Square>,
}

impl Squares {
    /// A symbol has the letter case of its side, as in the FEN of chess, so it names the side without a colour. One
    /// without letters, such as a height, stands behind the sign of its side.
    fn of_grid(drawing: &BoardDrawing, grid: &Grid, marks: &[Option<Brackets>]) -> Squares {
        let BoardDrawing {
            style, info, open, ..
        } = drawing;
        let width = grid.columns.len();
        let square = |(index, word): (usize, &Word)| {
            let [column, row] = [&grid.columns[index % width], &grid.rows[index / width]];
            let wall = style.wall_sign(Grid::is_narrow(column), Grid::is_narrow(row));
            let (sign, colour) = match (GridCell::of(word), wall) {
                (GridCell::Empty, Some(_)) => (" ".into(), None),
                (GridCell::Piece(side, _), Some(wall)) => (wall.into(), Some(colour_of(side))),
                (GridCell::Word(_), Some(wall)) => (wall.into(), None),
                (GridCell::Empty, None) if open.contains(&index) => {
                    (OPEN_SIGN.into(), Some(AnsiColor::Green))
                }
                (GridCell::Empty, None) => (style.empty_sign().into(), None),
                (GridCell::Word(word), None) => (word.into(), None),
                (GridCell::Piece(side, symbol), None) => {
                    let [first, second] = [symbol.to_uppercase(), symbol.to_lowercase()];
                    let shown = match side {
                        _ if first == second => format!("{}{symbol}", style.signs(info.signs)[side.index()]),
                        Side::First => first,
                        Side::Second => second,
                    };
                    (shown, Some(colour_of(side)))
                }
            };
            Square {
                sign,
                colour,
                brackets: marks[index],
            }
        };
        // The names of narrow columns and rows are not shown.
        let shown = |name: &Word| match name {
            name if Grid::is_narrow(name) => String::new(),
            name => name.to_string(),
        };
        let column = |name: &Word| {
            if drawing.in_capitals {
                info.shown(&shown(name))
            } else {
                shown(name)
            }
        };
        Squares {
            columns: grid.columns.iter().map(column).collect(),
            rows: grid.rows.iter().map(shown).collect(),
            cells: grid.cells.iter().enumerate().map(square).collect(),
        }
    }

    fn lines(&self, drawing: &BoardDrawing) -> Vec<String> {
        let Squares {
            columns: names,
            rows,
            cells,
        } = self;
        let edge = rows.iter().map(|name| columns(name)).max().unwrap_or_default();
        let width = |(column, name): (usize, &String)| {
            let cells = cells.iter().skip(column).step_by(names.len());
            let cells = cells.map(|cell| columns(&cell.sign));
            cells.chain([columns(name)]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = names.iter().enumerate().map(width).collect();
        let rows = rows.iter().zip(cells.chunks(names.len()));
        let mut lines: Vec<String> = rows
            .map(|(label, cells)| line(label, edge, cells.iter().zip(&widths), drawing.style))
            .collect();
        if drawing.flipped {
            lines.reverse();
        }
        if names.iter().any(|name| !name.is_empty()) {
            let names = names.iter().zip(&widths);
            let header = names.fold(" ".repeat(edge), |line, (name, &width)| {
                line + " " + &right_aligned(name, width)
            });
            lines.insert(0, header.clone());
            lines.push(header);
        }
        lines
    }
}

/// A row with its label, `edge` columns wide, on both sides.
fn line<'a>(
    label: &str,
    edge: usize,
    cells: impl Iterator<Item = (&'a Square, &'a usize)>,
    style: BoardStyle,
) -> String {
    let mut line = right_aligned(label, edge);
    let mut left: Option<[char; 2]> = None;
    for (
        Square {
            sign,
            colour,
            brackets,
        },
        width,
    ) in cells
    {
        let spaces = " ".repeat(width - columns(sign));
        // Each bracket is beside its cell.
        line += &match (left, *brackets) {
            (left, Some([open, _])) if left != *brackets => spaces + &String::from(open),
            (Some([_, close]), None) => String::from(close) + &spaces,
            _ => String::from(" ") + &spaces,
        };
        left = *brackets;
        line += &style.coloured(sign, *colour);
    }
    line.push(left.map_or(' ', |[_, close]| close));
    (line + label).trim_end().to_string()
}

const fn colour_of(side: Side) -> AnsiColor {
    match side {
        Side::First => AnsiColor::Cyan,
        Side::Second => AnsiColor::Yellow,
    }
}

impl fmt::Display for BoardDrawing {
    /// One line per row, labels on all four sides, no line end after the last line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let squares = match &self.board {
            Board::Grid { grid, marks } => Squares::of_grid(self, grid, marks),
            Board::Text(text) => return f.write_str(text),
        };
        f.write_str(&squares.lines(self).join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use referee_core::game::{FileGame, Ruleset};

    fn drawing(fen: &str) -> BoardDrawing {
        let position = Ruleset::MAGNETIC_CAVE.parse_fen(fen).unwrap();
        let style = BoardStyle {
            ascii: false,
            colour: false,
        };
        BoardDrawing::new(position.as_ref(), style)
    }

    fn lines(drawing: &BoardDrawing) -> Vec<String> {
        drawing.to_string().lines().map(String::from).collect()
    }

    #[test]
    fn marks_the_last_move_and_the_winning_line() {
        let position = |fen: &str| Ruleset::MAGNETIC_CAVE.parse_fen(fen).unwrap();
        let before = position("8/1xxxxooo/8/o7/8/8/8/8 x");
        let after = |fen: &str| drawing(fen).after(Some(before.as_ref()));
        let board = after("8/1xxxxooo/x7/o7/8/8/8/8 o");
        assert_eq!(lines(&board)[0], "  a b c d e f g h");
        assert_eq!(lines(&board)[3], "6[■]· · · · · · · 6");
        assert_eq!(
            lines(&after("8/1xxxxooo/7x/o7/8/8/8/8 o"))[3],
            "6 · · · · · · ·[■]6"
        );
        let mut board = after("8/xxxxxooo/8/o7/8/8/8/8 o");
        assert_eq!(lines(&board)[2], "7(■ ■ ■ ■ ■)□ □ □ 7");
        board.style.ascii = true;
        assert_eq!(lines(&board)[2], "7(X X X X X)O O O 7");
        assert_eq!(lines(&board)[1], "8 - - - - - - - - 8");
    }

    #[test]
    fn marks_only_the_target_of_a_slide() {
        let start = Ruleset::GRIDLOCK.startpos();
        let after = start.after(&start.parse_move("c4d4").unwrap()).unwrap();
        let board = BoardDrawing::new(after.as_ref(), BoardStyle::default()).after(Some(start.as_ref()));
        assert_eq!(lines(&board)[3], "c · · · · · · · c");
        assert_eq!(lines(&board)[4], "d · · ·[X]· O · d");
    }

    #[test]
    fn flips_the_board() {
        let mut board = drawing("x7/8/8/8/8/8/8/8 o");
        (board.flipped, board.in_capitals) = (true, true);
        assert_eq!(lines(&board)[1], "1 · · · · · · · · 1");
        assert_eq!(lines(&board)[8], "8 ■ · · · · · · · 8");
        assert_eq!(lines(&board)[9], "  A B C D E F G H");
    }

    #[test]
    fn colours_add_no_text() {
        let mut board = drawing("xo6/8/8/8/8/8/8/8 x");
        board.open = vec![2];
        let plain = board.to_string();
        board.style.colour = true;
        let coloured = board.to_string();
        assert!(coloured.contains("\x1b[1m\x1b[36m■\x1b[0m"), "{coloured:?}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
        assert!(plain.contains("8 ■ □ + · · · · · 8"));
    }

    /// The drawing of a grid after another one.
    fn grid(text: &str, before: &str) -> BoardDrawing {
        let [grid, before] = [text, before].map(|text| Grid::read(text).unwrap());
        let mut board = drawing("8/8/8/8/8/8/8/8 x");
        let mut marks = vec![None; grid.cells.len()];
        grid.changes(&before)
            .for_each(|(index, _)| marks[index] = Some(CHANGED));
        board.board = Board::Grid { grid, marks };
        board
    }

    #[test]
    fn draws_a_grid_with_the_cells_that_changed() {
        let names = "columns a b c rows 2 1 cells";
        let mut board = grid(
            &format!("{names} . . x oK xk ."),
            &format!("{names} x . . oK xk ."),
        );
        assert_eq!(lines(&board), ["  a b c", "2[·]·[■]2", "1 k K · 1", "  a b c"]);
        board.flipped = true;
        board.style.ascii = true;
        assert_eq!(lines(&board), ["  a b c", "1 k K - 1", "2[-]-[X]2", "  a b c"]);
        board.style.colour = true;
        let coloured = board.to_string();
        assert!(coloured.contains("\x1b[1m\x1b[33mk\x1b[0m"), "{coloured:?}");
        assert_eq!(strip_str(&coloured).to_string().lines().next(), Some("  a b c"));
    }

    #[test]
    fn symbols_without_letters_have_the_sign_of_their_side() {
        let text = "columns a b c d rows 1 cells x5 o5 5 oK";
        let mut board = grid(text, text);
        assert_eq!(lines(&board), ["   a  b c d", "1 ■5 □5 5 k 1", "   a  b c d"]);
        board.style.ascii = true;
        assert_eq!(lines(&board)[1], "1 X5 O5 5 k 1");
    }

    #[test]
    fn columns_of_a_grid_are_as_wide_as_their_words() {
        let names = "columns a bb rows 10 1 0 cells";
        let board = grid(&format!("{names} 4 17 1 0 4 9"), &format!("{names} 4 16 0 4 4 8"));
        assert_eq!(
            lines(&board),
            ["   a bb", "10 4[17]10", " 1[1  0]1", " 0 4 [9]0", "   a bb"]
        );
    }

    #[test]
    fn a_grid_without_names_has_no_labels() {
        let board = grid("columns 2 rows 2 cells x . . o", "columns 2 rows 2 cells x . . .");
        assert_eq!(lines(&board), [" ■ ·", " ·[□]"]);
    }

    #[test]
    fn a_game_without_a_board_draws_nothing() {
        let game = FileGame::new("pebbles", Some("Pebbles"), None).unwrap();
        let position = game.start("startpos", Vec::new()).unwrap();
        let drawing = BoardDrawing::new(position.as_ref(), BoardStyle::default());
        assert!(drawing.is_empty());
        assert_eq!(drawing.to_string(), "");
        assert!(!self::drawing("8/8/8/8/8/8/8/8 x").is_empty());
    }

    #[test]
    fn reads_the_first_locale_variable_that_is_set() {
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
