//! Magnetic Cave: bricks stick to the side walls and to each other; five in line win.
//!
//! The board is 8×8, columns a–h from left to right, ranks 8 (top) to 1 (bottom). A cell is
//! *playable* if it is empty and touches the left or the right wall or a brick of any
//! colour, to its left or right in the same row. Five or more consecutive bricks of one
//! colour in a row, column or diagonal win at once; a full board without them is a draw.
//!
//! A line of five cells is *open* for a side while it contains no brick of the other side.
//!
//! ```
//! use lodestone_game::{Game, magnetic_cave::MagneticCave};
//!
//! let position = MagneticCave::startpos();
//! assert_eq!(position.legal_moves().len(), 16);
//! let error = position.parse_move("b6").unwrap_err();
//! assert_eq!(error.to_string(), "b6 touches neither a wall nor a brick");
//! ```

pub mod lines;
pub mod reference_players;

use self::lines::{longest_line, winning_starts};
use self::reference_players::{groups, squares};
use super::fen::{Field, board_text};
use super::rules::{ReferencePlayer, Symmetry, least_image};
use super::{EndReason, FenError, Game, GameInfo, MoveError, Outcome, Samples};
use crate::board::{Bitboard, Cell, Move, MoveList, Side, is_subset};
use crate::random::mix;
use crate::text::quoted;

/// A position of Magnetic Cave. The side to move follows from the number of bricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MagneticCave {
    bricks: [Bitboard; 2],
}

/// The cells that touch a wall.
const WALLS: Bitboard = Bitboard(Bitboard::column(0).0 | Bitboard::column(7).0);

/// The symmetries of the rules: ranks reversed, columns reversed, both. Rows and columns
/// cannot be exchanged, because bricks stick along rows only.
const SYMMETRIES: [Symmetry; 3] = [
    |cells| cells.upside_down(8),
    |cells| cells.mirrored(8),
    |cells| cells.upside_down(8).mirrored(8),
];

impl MagneticCave {
    /// The empty cells.
    #[inline]
    pub fn empty(&self) -> Bitboard {
        !self.occupied()
    }

    /// The playable cells, the same for both sides.
    #[inline]
    pub fn playable(&self) -> Bitboard {
        playable(self.occupied())
    }

    /// The cells with a brick.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.bricks[0] | self.bricks[1]
    }

    /// The bricks of the side to move, then those of the other side.
    #[inline]
    pub fn own_and_other(&self) -> (Bitboard, Bitboard) {
        let side = self.side_to_move();
        (self.pieces(side), self.pieces(side.opponent()))
    }
}

/// The playable cells, given the occupied cells.
#[inline]
pub fn playable(occupied: Bitboard) -> Bitboard {
    (occupied.east() | occupied.west() | WALLS) & !occupied
}

impl Game for MagneticCave {
    const INFO: GameInfo = INFO;

    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>] = &[
        ReferencePlayer {
            name: "groups",
            about: "counts lines of one colour",
            evaluate: |position| groups(position.bricks[0], position.bricks[1]),
        },
        ReferencePlayer {
            name: "squares",
            about: "weighs all lines of five",
            evaluate: |position| squares(position.bricks[0], position.bricks[1]),
        },
    ];

    fn startpos() -> Self {
        MagneticCave {
            bricks: [Bitboard::EMPTY; 2],
        }
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        let [board, side] = Field::split(fen, ["the board", "the side to move"])?;
        let bricks = board.board(INFO.rows, 8)?;
        let position = MagneticCave { bricks };
        let mover = side.side()?;
        let [first, second] = bricks.map(Bitboard::count);
        let expected = match mover {
            Side::First => second,
            Side::Second => second + 1,
        };
        if first != expected {
            return Err(side.error(format!(
                "with {mover} to move, x has as many bricks as o{more}; here x has {first} and o has {second}",
                mover = mover.letter(),
                more = if mover == Side::First { "" } else { " and one more" },
            )));
        }
        if !winning_starts(position.pieces(mover)).is_empty() {
            return Err(board.error(format!(
                "{mover} has five in line, so {mover} cannot be to move",
                mover = mover.letter()
            )));
        }
        Ok(position)
    }

    fn fen(&self) -> String {
        format!(
            "{} {}",
            board_text(self.bricks, 8, 8),
            self.side_to_move().letter()
        )
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        Side::BOTH[(self.occupied().count() & 1) as usize]
    }

    #[inline]
    fn pieces(&self, side: Side) -> Bitboard {
        self.bricks[side.index()]
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        // Only the side that moved last can have five.
        let moved_last = self.side_to_move().opponent();
        if !winning_starts(self.pieces(moved_last)).is_empty() {
            Some(Outcome::win(moved_last, FIVE))
        } else if self.empty().is_empty() {
            Some(Outcome::draw(FULL))
        } else {
            None
        }
    }

    #[inline]
    fn generate_moves(&self) -> MoveList {
        self.playable().cells().map(Move::place).collect()
    }

    #[inline]
    fn play(&self, mv: Move) -> Self {
        debug_assert!(self.playable().contains(mv.to()), "{mv:?} in {}", self.fen());
        let mut next = *self;
        next.bricks[self.side_to_move().index()] |= mv.to().into();
        next
    }

    #[inline]
    fn key(&self) -> u64 {
        // Both mixes are bijections, so positions that differ in the bricks of one side
        // only never share a key.
        mix(self.bricks[0].0 ^ mix(!self.bricks[1].0))
    }

    #[inline]
    fn symmetry_key(&self) -> u64 {
        let bricks = least_image(self.bricks, &SYMMETRIES);
        MagneticCave { bricks }.key()
    }

    #[inline]
    fn plies_left(&self) -> u32 {
        self.empty().count()
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let cell = parse_cell(text)?;
        let name = Self::cell_text(cell);
        if self.outcome().is_some() {
            Err(MoveError::Illegal(format!(
                "{name} cannot be played: the game is over"
            )))
        } else if self.occupied().contains(cell) {
            Err(MoveError::Illegal(format!("{name} holds a brick already")))
        } else if !self.playable().contains(cell) {
            Err(MoveError::Illegal(format!(
                "{name} touches neither a wall nor a brick"
            )))
        } else {
            Ok(Move::place(cell))
        }
    }

    fn move_text(mv: Move) -> String {
        Self::cell_text(mv.to())
    }

    fn cell_text(cell: Cell) -> String {
        cell_text(cell)
    }

    fn highlights(&self) -> Bitboard {
        let is_complete = |line: &&Bitboard| self.bricks.iter().any(|&bricks| is_subset(**line, bricks));
        let complete = lines::LINES.iter().filter(is_complete);
        complete.fold(Bitboard::EMPTY, |cells, &line| cells | line)
    }

    fn explain(&self, outcome: Outcome) -> String {
        let line = Side::BOTH
            .into_iter()
            .find_map(|side| Some((side, longest_line(self.pieces(side))?)));
        match (outcome.reason, line) {
            (FIVE, Some((side, line))) => format!(
                "{} has {} in line, {} to {}",
                side.letter(),
                ["five", "six", "seven", "eight"][(line.length as usize).clamp(5, 8) - 5],
                Self::cell_text(line.from),
                Self::cell_text(line.to)
            ),
            _ => "the board is full and neither side has five in line".to_string(),
        }
    }
}

// The facts of Magnetic Cave.

/// Five or more bricks of one colour in line.
pub const FIVE: EndReason = EndReason("five");

/// The board is full.
pub const FULL: EndReason = EndReason("full");

/// See [`GameInfo`].
pub(crate) const INFO: GameInfo = GameInfo {
    name: "magnetic-cave",
    title: "Magnetic Cave",
    summary: "bricks stick to walls and bricks; five in line win",
    rules: &[
        "Two players take turns and put one brick each on a board of 8 by 8 cells: first x, then o.",
        "The left and the right wall are magnets. A brick goes on an empty cell beside a wall, or \
         directly to the left or right of a brick of any colour.",
        "At first a6 and h1 are legal moves. b6 is not: it touches neither a wall nor a brick. \
         After a6 it is legal.",
        "Five or more bricks of one colour in a row, column or diagonal win at once. If the board \
         is full and nobody has five, the game is a tie.",
    ],
    example: (
        "8/3xxxxx/8/8/8/8/8/oooo4 o",
        "Here x wins with five in line, d7 to h7.",
    ),
    columns: "abcdefgh",
    rows: "87654321",
    signs: ['■', '□'],
    colours: Some(["black", "white"]),
    shows_capitals: true,
    move_form: "a cell",
    sample_move: "a6",
    slides: false,
    has_setup: false,
    default_opponent: "squares",
    end_reasons: &[FIVE, FULL],
    // Openings, middle games with threats, an endgame.
    bench: &[
        ("8/8/8/8/8/8/8/8 x", 9),
        ("8/xo6/5xxx/oo6/8/8/o7/8 x", 9),
        ("oo4xx/xo3xox/xox4x/o7/o6o/6oo/xo6/xx4xo x", 10),
        ("xo3ooo/x5xx/ooox2xx/ox4xo/x5ox/ooxo1oxx/ooxxxoox/6xo x", 13),
    ],
    samples: Samples {
        fens: &[
            // The start, and the second player to move.
            "8/8/8/8/8/8/8/8 x",
            "x7/8/8/8/8/8/8/8 o",
            "x6o/x6o/xx4oo/8/8/8/8/8 x",
            "x6o/x6o/xx4oo/7x/8/8/8/8 o",
            // Bricks that touch neither a wall nor another brick support their neighbours, too.
            "8/3x4/8/8/4o3/8/8/8 x",
            // Digits between bricks, and full ranks.
            "o2xx2o/8/oxoxoxox/1x4o1/8/8/8/x6o x",
            "1oxoxoxo/xoxoxox1/8/8/8/8/8/8 x",
        ],
        only_moves: &[
            "1xoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo o",
            "oxoxoxox/oxoxoxox/xoxoxoxo/xox1xoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo o",
            "oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxox1 o",
        ],
        finished: &[
            (
                "startpos",
                &["a8", "h8", "a7", "h7", "a6", "h6", "a5", "h5", "a4"],
            ),
            (
                "oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo x",
                &[],
            ),
        ],
    },
};

/// The name of a cell.
pub(crate) fn cell_text(cell: Cell) -> String {
    let column = char::from(b'a' + cell.column());
    let rank = char::from(b'8' - cell.row());
    format!("{column}{rank}")
}

/// Parses the name of a cell, in any letter case.
pub(crate) fn parse_cell(text: &str) -> Result<Cell, MoveError> {
    match text.to_ascii_lowercase().as_bytes() {
        &[column @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Cell::new(b'8' - rank, column - b'a')),
        _ => Err(MoveError::Malformed(format!(
            "{} is not a move: expected a column from a to h and a rank from 1 to 8, such as a6",
            quoted(text)
        ))),
    }
}
