//! Finds boards in the output of a program, and the move between two boards.

use std::ops::Range;

use lodestone_game::board::{Bitboard, Cell, Move, Side};

use super::cell_names::CellNames;

/// Signs that may stand between cells, beside white space.
const SEPARATORS: &str = "|[](){},;:!";

/// Maximum number of lines between two rows of a board, such as `+---+---+`.
const MAX_GAP: usize = 1;

/// How a program draws its board.
#[derive(Clone, Debug)]
pub struct BoardReader {
    /// The signs of the first player, of the second player, and of an empty cell. Each
    /// character of a text is one sign. A space may be a sign of an empty cell.
    signs: [String; 3],
    cells: CellNames,
}

/// The pieces on a board, the first player's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces(pub [Bitboard; 2]);

/// A cell as it is drawn.
type Sign = Option<Side>;

impl BoardReader {
    pub fn new(signs: [String; 3], cells: CellNames) -> Result<BoardReader, String> {
        for (place, key) in ["first", "second", "empty"].into_iter().enumerate() {
            let Some(text) = signs.get(place).filter(|text| !text.is_empty()) else {
                return Err(format!("`{key}` has no symbol"));
            };
            let earlier = signs.iter().take(place);
            let is_taken = |sign: &char| earlier.clone().any(|other| other.contains(*sign));
            if let Some(sign) = text.chars().find(is_taken) {
                return Err(format!(
                    "the symbol `{sign}` of `{key}` already has another meaning"
                ));
            }
        }
        Ok(BoardReader { signs, cells })
    }

    fn sign(&self, character: char) -> Option<Sign> {
        let [first, second, empty] = &self.signs;
        match character {
            _ if first.contains(character) => Some(Some(Side::First)),
            _ if second.contains(character) => Some(Some(Side::Second)),
            _ if empty.contains(character) => Some(None),
            _ => None,
        }
    }

    fn is_blank_empty(&self) -> bool {
        self.signs.iter().any(|signs| signs.contains(' '))
    }

    /// All complete boards in a text, each with its place. A row counts when its line has
    /// ended, or at the end of the text if `is_final`.
    pub fn boards(&self, text: &str, is_final: bool) -> Vec<(Range<usize>, Pieces)> {
        let mut boards = Vec::new();
        let mut rows: Vec<Vec<Sign>> = Vec::new();
        let mut columns: Option<Vec<usize>> = None;
        let (mut start, mut gap, mut at) = (0, 0, 0);
        for line in text.split_inclusive('\n') {
            let place = at..at + line.len();
            at = place.end;
            if !line.ends_with('\n') && !is_final {
                break;
            }
            let line = expand_tabs(line.trim_end_matches('\n'));
            let row = self.row(&line, columns.as_deref(), rows.len());
            if let Some(row) = row {
                if rows.is_empty() {
                    start = place.start;
                }
                rows.push(row);
                gap = 0;
            } else if let Some(header) = self.header(&line) {
                columns = Some(header);
                rows.clear();
            } else {
                gap += 1;
                if gap > MAX_GAP || line.chars().any(char::is_alphanumeric) {
                    rows.clear();
                }
            }
            if rows.len() == self.cells.rows.len() {
                boards.push((start..place.end, pieces(&rows)));
                rows.clear();
            }
        }
        boards
    }

    /// The positions of the names of all columns in a line that has nothing else.
    fn header(&self, line: &str) -> Option<Vec<usize>> {
        let words = line.split_whitespace().map(|word| word.trim_matches('|'));
        if !words.eq(self.cells.columns.iter().map(String::as_str)) {
            return None;
        }
        let signs: Vec<char> = line.chars().collect();
        let mut positions = Vec::new();
        for column in &self.cells.columns {
            let first = column.chars().next()?;
            let from = positions.last().map_or(0, |last| last + 1);
            let at = signs.iter().skip(from).position(|sign| *sign == first)?;
            positions.push(from + at);
        }
        Some(positions)
    }

    /// The cells of a line; `None` if it is no row.
    fn row(&self, line: &str, columns: Option<&[usize]>, index: usize) -> Option<Vec<Sign>> {
        let is_separator =
            |sign| self.sign(sign).is_none() && (sign.is_whitespace() || SEPARATORS.contains(sign));
        if !self.is_blank_empty() {
            // Every cell has a visible sign.
            let signs: Vec<&str> = line
                .split("")
                .filter(|text| !text.chars().all(is_separator))
                .collect();
            self.without_labels(&signs)
        } else if line.contains('|') {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            self.without_labels(&fields)
        } else {
            self.row_below_header(line, columns?, index)
        }
    }

    /// The cells at the positions of the columns' names.
    fn row_below_header(&self, line: &str, columns: &[usize], index: usize) -> Option<Vec<Sign>> {
        let signs: Vec<char> = line.chars().collect();
        let label = self.cells.part(Cell::new(index as u8, 0), "row");
        let line = line.trim_start().to_lowercase();
        let is_labelled = line.starts_with(&label.to_lowercase());
        let sign_at = |at: &usize| self.sign(signs.get(*at).copied().unwrap_or(' '));
        let cells: Option<Vec<Sign>> = columns.iter().map(sign_at).collect();
        cells.filter(|_| is_labelled)
    }

    /// The cells in these parts of a line, of which the first and the last may be labels. An empty part is
    /// an empty cell.
    fn without_labels(&self, parts: &[&str]) -> Option<Vec<Sign>> {
        let sign = |part: &&str| {
            let mut signs = part.chars();
            match (signs.next(), signs.next()) {
                (None, _) => Some(None),
                (Some(sign), None) => self.sign(sign),
                _ => None,
            }
        };
        let width = self.cells.columns.len();
        // A label on the left is more common than one on the right.
        [1, 0].into_iter().find_map(|start| {
            let (left, rest) = parts.split_at_checked(start)?;
            let (cells, right) = rest.split_at_checked(width)?;
            let cells: Vec<Sign> = cells.iter().map(sign).collect::<Option<_>>()?;
            let mut labels = left.iter().chain(right);
            let is_label = |label: &&str| label.chars().all(char::is_alphanumeric);
            (right.len() <= 1 && labels.all(is_label)).then_some(cells)
        })
    }
}

/// A line with spaces instead of tabs, which go to every eighth column.
fn expand_tabs(line: &str) -> String {
    let mut pieces = line.split('\t');
    let mut expanded = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let width = 8 - expanded.chars().count() % 8;
        expanded.extend(std::iter::repeat_n(' ', width));
        expanded.push_str(piece);
    }
    expanded
}

fn pieces(rows: &[Vec<Sign>]) -> Pieces {
    let mut pieces = [Bitboard::EMPTY; 2];
    for (row, signs) in (0..).zip(rows) {
        for (column, sign) in (0..).zip(signs) {
            if let Some(side) = sign {
                pieces[side.index()] = pieces[side.index()] | Cell::new(row, column).into();
            }
        }
    }
    Pieces(pieces)
}

impl Pieces {
    /// The move of `side` that leads to the board `after`: a new piece, or a piece on
    /// another cell, where it may capture. `None` if the boards are equal or differ in another way.
    /// The move may be illegal.
    pub fn move_to(self, after: Pieces, side: Side) -> Option<Move> {
        let [own, other] = [side, side.opponent()].map(|side| (self.0[side.index()], after.0[side.index()]));
        let (left, came) = (own.0 & !own.1, own.1 & !own.0);
        if other.1 != other.0 & !came {
            return None;
        }
        match (left.count(), came.count()) {
            (0, 1) => came.first().map(Move::place),
            (1, 1) => Some(Move::slide(left.first()?, came.first()?)),
            _ => None,
        }
    }

    /// The number of cells that differ.
    pub fn differences(self, other: Pieces) -> u32 {
        let [first, second] = [0, 1].map(|side| self.0[side] ^ other.0[side]);
        Bitboard(first.0 | second.0).count()
    }
}

#[cfg(test)]
mod tests {
    use lodestone_game::random::Random;
    use lodestone_game::{AnyPosition, Variant};
    use proptest::prelude::*;

    use super::*;

    fn reader(variant: Variant, columns: &str, rows: &str, signs: &str) -> BoardReader {
        let mut cells = CellNames::of_protocol(variant);
        cells.set("columns", columns).unwrap();
        cells.set("rows", rows).unwrap();
        BoardReader::new(each(signs), cells).unwrap()
    }

    /// Three signs.
    fn each(signs: &str) -> [String; 3] {
        signs
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    fn of(position: &dyn AnyPosition) -> Pieces {
        Pieces(position.diagram().pieces)
    }

    /// Positions of a random game, from its start to its end.
    fn game(variant: Variant) -> Vec<Box<dyn AnyPosition>> {
        let mut random = Random::new(7);
        let mut positions = vec![variant.startpos()];
        loop {
            let mut position = positions.last().unwrap().clone();
            let Some(&mv) = random.choose(&position.legal_moves()) else {
                return positions;
            };
            position.play(mv);
            positions.push(position);
        }
    }

    /// Draws the rows of a position with these signs: the text before and after each row, and
    /// between two cells.
    fn drawn(
        position: &dyn AnyPosition,
        signs: &str,
        header: &str,
        row: impl Fn(usize, &[&str]) -> String,
    ) -> String {
        let signs = each(signs);
        let diagram = position.diagram();
        let size = diagram.columns.len() as u8;
        let mut text = format!("{header}\n");
        for number in 0..size {
            let cells = (0..size).map(|column| match diagram.owner(Cell::new(number, column)) {
                Some(owner) => signs[owner.index()].as_str(),
                None => &signs[2],
            });
            text += &(row(number as usize, &cells.collect::<Vec<_>>()) + "\n");
        }
        text
    }

    #[test]
    fn recognises_boards_of_many_forms() {
        type Draw = fn(usize, &[&str]) -> String;
        let letters = "  A B C D E F G H";
        let tabs = letters.trim().replace(' ', "\t");
        let tabs = format!("\t{tabs}");
        let forms: [(&str, &str, &str, Draw); 8] = [
            ("plain", "XO.", "", |_, cells| cells.concat()),
            ("tabs", "XO-", "\tA\tB", |row, cells| {
                format!("{}\t{}", row + 1, cells.join("\t"))
            }),
            ("bars", "■□-", letters, |row, cells| {
                format!("{} | {} | {}", row + 1, cells.join(" "), 8 - row)
            }),
            ("brackets", "xo_", "", |_, cells| {
                format!("[{}]", cells.join("] ["))
            }),
            ("digits", "120", "", |row, cells| {
                format!("{row} {}", cells.join(" "))
            }),
            ("blank fields", "XO ", "", |row, cells| {
                format!(
                    "{row} | {} |\n  +---+---+---+---+---+---+---+---+",
                    cells.join(" | ")
                )
            }),
            ("blank below a header", "XO ", &tabs, |row, cells| {
                format!("{}\t{}", row + 1, cells.join("\t"))
            }),
            ("header of spaces", "XO ", letters, |row, cells| {
                format!("{} {}", row + 1, cells.join(" ").trim_end())
            }),
        ];
        for (name, signs, header, draw) in forms {
            let reader = reader(Variant::MagneticCave, "ABCDEFGH", "12345678", signs);
            for position in game(Variant::MagneticCave) {
                let text = drawn(position.as_ref(), signs, header, draw);
                let text = format!("Welcome to the game\n{text}Your move: ");
                let boards = reader.boards(&text, false).into_iter();
                let boards: Vec<Pieces> = boards.map(|(_, board)| board).collect();
                assert_eq!(boards, [of(position.as_ref())], "{name}:\n{text}");
            }
        }
    }

    #[test]
    fn board_is_complete_when_its_last_line_is() {
        let reader = reader(Variant::Gridlock, "1234567", "abcdefg", "XO-");
        let text = drawn(Variant::Gridlock.startpos().as_ref(), "XO-", "", |_, cells| {
            cells.concat()
        });
        let unfinished = text.trim_end();
        assert_eq!(reader.boards(unfinished, false).len(), 0);
        assert_eq!(reader.boards(unfinished, true).len(), 1);
        assert_eq!(reader.boards(&text.repeat(3), false).len(), 3);
        let (place, _) = reader.boards(&text, false).remove(0);
        assert_eq!(&text[place], text.trim_start());
        // Words between two rows belong to no board.
        let torn = text.replacen("-XO--X-\n", "-XO--X-\nhello\n", 1);
        assert_ne!(torn, text);
        assert_eq!(reader.boards(&torn, false).len(), 0);
    }

    #[test]
    fn finds_every_move_of_a_game() {
        for &variant in Variant::ALL {
            let positions = game(variant);
            for (before, after) in positions.iter().zip(positions.iter().skip(1)) {
                let side = before.side_to_move();
                let mv = of(before.as_ref()).move_to(of(after.as_ref()), side);
                let mv = mv.unwrap_or_else(|| panic!("no move from {} to {}", before.fen(), after.fen()));
                let mut played = before.clone();
                assert!(played.legal_moves().contains(&mv));
                played.play(mv);
                assert_eq!(played.fen(), after.fen());
                assert_eq!(
                    of(before.as_ref()).move_to(of(after.as_ref()), side.opponent()),
                    None
                );
                assert_eq!(of(before.as_ref()).move_to(of(before.as_ref()), side), None);
            }
            let [first, last] =
                [positions.first().unwrap(), positions.last().unwrap()].map(|at| of(at.as_ref()));
            assert_eq!(first.move_to(last, Side::First), None, "several moves are none");
        }
    }

    #[test]
    fn rejects_signs_with_two_meanings() {
        let cells = CellNames::of_protocol(Variant::Gridlock);
        let error = |signs: [&str; 3]| BoardReader::new(signs.map(String::from), cells.clone()).unwrap_err();
        assert_eq!(error(["X", "", "-"]), "`second` has no symbol");
        let meaning = "already has another meaning";
        assert_eq!(
            error(["Xx", "Ox", "-"]),
            format!("the symbol `x` of `second` {meaning}")
        );
        assert_eq!(
            error(["X", "O", " X"]),
            format!("the symbol `X` of `empty` {meaning}")
        );
    }

    mod slow {
        use super::*;

        proptest! {
            #[test]
            #[ignore = "slow: .ci/run"]
            fn any_text_is_read_without_panic(text in "[\\x00-\\x7f■□é]{0,400}", lines in "([XO |.\\-1-8A-H\t]{0,20}\n){0,20}") {
                for signs in [["X", "O", "."], ["X", "O", " "], ["1", "2", " -"]] {
                    for &variant in Variant::ALL {
                        let cells = CellNames::of_protocol(variant);
                        let reader = BoardReader::new(signs.map(String::from), cells).unwrap();
                        for text in [&text, &lines] {
                            for (place, _) in reader.boards(text, true) {
                                prop_assert!(text.get(place).is_some());
                            }
                        }
                    }
                }
            }
        }
    }
}
