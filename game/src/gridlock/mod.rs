//! Gridlock: a player who cannot move loses; at the turn limit the side with more room
//! wins.
//!
//! The board is 7×7, rows a (top) to g, columns 1 to 7. Each side has the same number of
//! pieces. A turn is one move of one player: one own piece moves to an empty orthogonal
//! neighbour. The *room* of a side is the number of distinct empty cells next to its pieces.
//! A side to move without a legal move loses; this rule comes first. Otherwise, at the turn
//! limit, the side with more room wins; equal room is a draw.
//!
//! ```
//! use lodestone_game::{Game, gridlock::Gridlock};
//!
//! let start = Gridlock::startpos();
//! assert_eq!(start.fen(), "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40");
//! assert_eq!(start.legal_moves().len(), 18);
//! ```

use super::fen::{Field, board_text};
use super::rules::{ReferencePlayer, Symmetry, least_image};
use super::{EndReason, FenError, Game, GameInfo, MoveError, Outcome, Samples, Setup};
use crate::board::{Bitboard, Cell, Move, MoveList, Side};
use crate::random::{Random, mix};
use crate::text::quoted;

/// A position of Gridlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gridlock {
    pieces: [Bitboard; 2],
    side_to_move: Side,
    /// Turns played so far, at most `limit`.
    played: u16,
    /// The turn limit, 1 to [`Setup::MAX_TURNS`].
    limit: u16,
}

/// The board.
pub const BOARD: Bitboard = Bitboard::corner(7, 7);

/// The bits up to the board's last cell.
const BOARD_BITS: u32 = u64::BITS - BOARD.0.leading_zeros();

/// Upper bound on what a move gains for the difference in room. The target has at most three
/// other neighbours, and the cell that the piece leaves becomes empty; both can add room. The
/// target was room, perhaps of both sides.
pub const MAX_GAIN: u32 = 4;

/// The neighbours of each cell of the grid.
pub const NEIGHBOURS: [Bitboard; 64] = {
    let mut neighbours = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        neighbours[index] = Bitboard(1 << index).neighbours();
        index += 1;
    }
    neighbours
};

/// The symmetries of the square, which preserve neighbours and therefore the rules.
pub const SYMMETRIES: [Symmetry; 7] = [
    |cells| cells.upside_down(7),
    |cells| cells.mirrored(7),
    |cells| cells.upside_down(7).mirrored(7),
    Bitboard::transposed,
    |cells| cells.transposed().upside_down(7),
    |cells| cells.transposed().mirrored(7),
    |cells| cells.transposed().upside_down(7).mirrored(7),
];

impl Gridlock {
    /// The same board with this side to move and this many turns left, at most the turn limit.
    #[must_use]
    #[inline]
    pub fn with_turns_left(self, side_to_move: Side, turns: u32) -> Gridlock {
        Gridlock {
            side_to_move,
            played: self.limit.saturating_sub(turns as u16),
            ..self
        }
    }

    /// The empty cells.
    #[inline]
    pub fn empty(&self) -> Bitboard {
        BOARD & !(self.pieces[0] | self.pieces[1])
    }

    /// The room of `side`: the distinct empty cells next to its pieces.
    #[inline]
    pub fn room(&self, side: Side) -> Bitboard {
        self.pieces(side).neighbours() & self.empty()
    }

    /// Calls `visit` with each of these moves of the side to move, and the room of both
    /// sides after it, own room first, until `visit` returns false.
    pub fn room_differences(&self, moves: &[Move], mut visit: impl FnMut(Move, [u32; 2]) -> bool) {
        let (own, empty) = (self.pieces(self.side_to_move), self.empty());
        let beside_other = self.pieces(self.side_to_move.opponent()).neighbours();
        for &mv in moves {
            let both = Bitboard::from(mv.from()) | mv.to().into();
            let (own, empty) = (own ^ both, empty ^ both);
            let (own_room, other_room) = (own.neighbours() & empty, beside_other & empty);
            if !visit(mv, [own_room.count(), other_room.count()]) {
                return;
            }
        }
    }

    /// Why `from` holds no piece of the side to move; `None` if it does.
    fn not_own(&self, from: Cell) -> Option<String> {
        let mover = self.side_to_move;
        let name = Self::cell_text(from);
        if self.pieces(mover.opponent()).contains(from) {
            Some(format!("the piece on {name} is the opponent's"))
        } else if !self.pieces(mover).contains(from) {
            Some(format!("there is no piece on {name}"))
        } else {
            None
        }
    }

    /// The board, the side to move and the turns left, in two numbers. Different positions
    /// have different numbers.
    #[inline]
    pub fn packed(&self) -> [u64; 2] {
        // The board ends with bit 54 (row g, column 7), so nine bits above the pieces of
        // each side are free. Turns and side to move need more, so they are split.
        let rest = (self.plies_left() as u64) << 1 | self.side_to_move as u64;
        [
            self.pieces[0].0 | (rest >> 9) << BOARD_BITS,
            self.pieces[1].0 | rest << BOARD_BITS,
        ]
    }
}

impl Game for Gridlock {
    const INFO: GameInfo = INFO;

    const REFERENCE_PLAYERS: &'static [ReferencePlayer<Self>] = &[ReferencePlayer {
        name: "mobility",
        about: "counts free neighbouring cells",
        // The difference in room, as at the turn limit.
        evaluate: |position| {
            let decided = position
                .outcome()
                .map_or(0, |outcome| outcome.points_for(Side::First));
            let [first, second] = Side::BOTH.map(|side| position.room(side).count() as i32);
            decided * 1000 + first - second
        },
    }];

    fn startpos() -> Self {
        // The assignment's picture INITIAL; its FEN is in the module's example.
        let cells = |rows: [u64; 7]| {
            let bits = (0..).zip(rows).map(|(row, bits)| bits << (8 * row)).sum();
            Bitboard(bits)
        };
        Gridlock {
            pieces: [
                cells([0, 0b010_0010, 0b000_1000, 0, 0b000_0100, 0b001_0000, 0]),
                cells([0b001_0000, 0b000_0100, 0, 0b010_0000, 0b000_0010, 0, 0b000_0100]),
            ],
            side_to_move: Side::First,
            played: 0,
            limit: 40,
        }
    }

    /// Random cells for the pieces of both sides, repeated until both sides can move.
    /// Numbers out of range are clamped.
    fn random_start(setup: Setup, random: &mut Random) -> Self {
        let count = setup.pieces.clamp(1, Setup::MAX_PIECES) as usize;
        let limit = setup.turns.clamp(1, Setup::MAX_TURNS) as u16;
        let mut cells: Vec<Cell> = BOARD.cells().collect();
        loop {
            random.shuffle(&mut cells);
            let gather = |cells: &[Cell]| cells.iter().fold(Bitboard::EMPTY, |all, &cell| all | cell.into());
            let start = Gridlock {
                pieces: [gather(&cells[..count]), gather(&cells[count..2 * count])],
                side_to_move: Side::First,
                played: 0,
                limit,
            };
            if Side::BOTH.iter().all(|&side| !start.room(side).is_empty()) {
                return start;
            }
        }
    }

    fn from_fen(fen: &str) -> Result<Self, FenError> {
        let names = [
            "the board",
            "the side to move",
            "the number of turns played",
            "the turn limit",
        ];
        let [board, side, played, limit] = Field::split(fen, names)?;
        let pieces = board.board(INFO.rows, 7)?;
        let side_to_move = side.side()?;
        let turns = played.number(names[2], 0, Setup::MAX_TURNS)?;
        let turn_limit = limit.number(names[3], 1, Setup::MAX_TURNS)?;
        let [first, second] = pieces.map(Bitboard::count);
        if first != second {
            return Err(board.error(format!(
                "both sides have the same number of pieces; here x has {first} and o has {second}"
            )));
        }
        if !(1..=Setup::MAX_PIECES).contains(&first) {
            return Err(board.error(format!(
                "a side has 1 to {} pieces, here {first}",
                Setup::MAX_PIECES
            )));
        }
        if turns > turn_limit {
            return Err(played.error(format!(
                "{turns} turns cannot have been played: the turn limit is {turn_limit}"
            )));
        }
        Ok(Gridlock {
            pieces,
            side_to_move,
            played: turns as u16,
            limit: turn_limit as u16,
        })
    }

    fn fen(&self) -> String {
        let board = board_text(self.pieces, 7, 7);
        format!(
            "{board} {} {} {}",
            self.side_to_move.letter(),
            self.played,
            self.limit
        )
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        self.side_to_move
    }

    #[inline]
    fn pieces(&self, side: Side) -> Bitboard {
        self.pieces[side.index()]
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        let mover = self.side_to_move;
        if self.room(mover).is_empty() {
            return Some(Outcome::win(mover.opponent(), BLOCKED));
        }
        if self.played < self.limit {
            return None;
        }
        let [first, second] = Side::BOTH.map(|side| self.room(side).count());
        Some(match first.cmp(&second) {
            std::cmp::Ordering::Greater => Outcome::win(Side::First, MOBILITY),
            std::cmp::Ordering::Less => Outcome::win(Side::Second, MOBILITY),
            std::cmp::Ordering::Equal => Outcome::draw(MOBILITY),
        })
    }

    #[inline]
    fn generate_moves(&self) -> MoveList {
        let empty = self.empty();
        let mut moves = MoveList::default();
        // Pieces that are shut in are skipped all at once.
        for from in (self.pieces(self.side_to_move) & empty.neighbours()).cells() {
            for to in (NEIGHBOURS[from.index()] & empty).cells() {
                moves.push(Move::slide(from, to));
            }
        }
        moves
    }

    #[inline]
    fn play(&self, mv: Move) -> Self {
        debug_assert!(
            self.pieces(self.side_to_move).contains(mv.from()),
            "{mv:?} in {}",
            self.fen()
        );
        debug_assert!(self.empty().contains(mv.to()), "{mv:?} in {}", self.fen());
        let mut next = *self;
        let both = Bitboard::from(mv.from()) | mv.to().into();
        let pieces = &mut next.pieces[self.side_to_move.index()];
        *pieces = *pieces ^ both;
        next.side_to_move = self.side_to_move.opponent();
        next.played += 1;
        next
    }

    #[inline]
    fn key(&self) -> u64 {
        let [first, second] = self.packed();
        mix(first ^ mix(!second))
    }

    #[inline]
    fn symmetry_key(&self) -> u64 {
        let pieces = least_image(self.pieces, &SYMMETRIES);
        // The key contains the turns left; the limit adds the turns played.
        let key = Gridlock { pieces, ..*self }.key();
        mix(key ^ mix(self.limit as u64))
    }

    #[inline]
    fn plies_left(&self) -> u32 {
        (self.limit - self.played) as u32
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let (from, to) = parse_move(text)?;
        let [from_name, to_name] = [from, to].map(Self::cell_text);
        let illegal = |why: String| Err(MoveError::Illegal(why));
        if self.outcome().is_some() {
            illegal(format!("{from_name}{to_name} cannot be played: the game is over"))
        } else if let Some(why) = self.not_own(from) {
            illegal(why)
        } else if !Bitboard::from(from).neighbours().contains(to) {
            illegal(format!("{to_name} is not next to {from_name}"))
        } else if !self.empty().contains(to) {
            illegal(format!("{to_name} is occupied"))
        } else {
            Ok(Move::slide(from, to))
        }
    }

    fn parse_piece(&self, text: &str) -> Result<Cell, MoveError> {
        let from = parse_piece(text)?;
        let name = Self::cell_text(from);
        let illegal = |why: String| Err(MoveError::Illegal(why));
        if self.outcome().is_some() {
            illegal(format!("the piece on {name} cannot move: the game is over"))
        } else if let Some(why) = self.not_own(from) {
            illegal(why)
        } else if (Bitboard::from(from).neighbours() & self.empty()).is_empty() {
            illegal(format!("the piece on {name} has no empty neighbour to go to"))
        } else {
            Ok(from)
        }
    }

    fn move_text(mv: Move) -> String {
        Self::cell_text(mv.from()) + &Self::cell_text(mv.to())
    }

    fn cell_text(cell: Cell) -> String {
        cell_text(cell)
    }

    fn highlights(&self) -> Bitboard {
        match self.outcome() {
            Some(Outcome { reason: BLOCKED, .. }) => self.pieces(self.side_to_move),
            _ => Bitboard::EMPTY,
        }
    }

    fn note(&self) -> String {
        let [first, second] = Side::BOTH.map(|side| self.room(side).count());
        let Gridlock { played, limit, .. } = self;
        format!("Turn {played} of {limit}. Space: X {first}, O {second}.")
    }

    fn explain(&self, outcome: Outcome) -> String {
        let [first, second] = Side::BOTH.map(|side| self.room(side).count());
        match outcome.reason {
            BLOCKED => format!("{} has no move", self.side_to_move.letter()),
            _ => format!(
                "turn limit {} reached: x has {first} cells to go to, o has {second}",
                self.limit
            ),
        }
    }
}

// The facts of Gridlock.

/// The side to move has no move.
pub(crate) const BLOCKED: EndReason = EndReason("blocked");

/// The turn limit: the side with more empty cells next to its pieces wins.
pub(crate) const MOBILITY: EndReason = EndReason("mobility");

/// See [`GameInfo`].
pub(crate) const INFO: GameInfo = GameInfo {
    name: "gridlock",
    title: "Gridlock",
    summary: "slide a piece; a player who cannot move loses",
    rules: &[
        "Both players have the same number of pieces, x and o, on random cells of a board of 7 by 7. \
         They take turns; x begins.",
        "In a turn a player moves one own piece to an empty cell above, below, left or right of it. \
         So a piece on g4 can move to g5: type g4g5, or first g4 and then g5.",
        "A player who is to move and cannot move loses.",
        "At the turn limit, the player with more space wins: the empty cells beside the own \
         pieces, each counted once. Equal space is a tie.",
    ],
    example: (
        "xo3ox/ox3ox/6o/7/3x3/7/7 x 40 40",
        "Here the turn limit is reached. The space of x is b3, c2, d4, e3, e5 and f4; that of o is \
         a3, a5, b5, c1, c6 and d7. Both have 6 cells, so it is a tie.",
    ),
    columns: "1234567",
    rows: "abcdefg",
    signs: ['X', 'O'],
    colours: None,
    shows_capitals: false,
    move_form: "two cells, from and to",
    sample_move: "g4g5",
    slides: true,
    has_setup: true,
    default_opponent: "mobility",
    end_reasons: &[BLOCKED, MOBILITY],
    // Few pieces and many, near the turn limit and far from it.
    bench: &[
        ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40", 6),
        ("x5o/7/3x3/7/3o3/7/o5x x 0 20", 8),
        (
            "xo1xo1x/o1x1o1o/1x1o1x1/o1x1x1o/1o1x1o1/x1o1o1x/ox1o1xx o 12 60",
            6,
        ),
        ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 33 40", 7),
    ],
    samples: Samples {
        fens: &[
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40",
            // The side to move and the turns played do not depend on each other.
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 0 40",
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 7 40",
            // One piece, and 24 pieces.
            "x6/7/7/7/7/7/6o x 0 40",
            "xoxoxox/oxoxoxo/xoxoxox/oxo1xox/oxoxoxo/xoxoxox/oxoxoxo o 3 60",
            // The last turn, and a long game.
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 39 40",
            "xo5/7/7/7/7/7/5xo x 999 1000",
        ],
        only_moves: &[
            "xo5/7/7/7/7/7/7 x 0 40",
            "xo5/xo5/7/7/7/7/7 x 12 40",
            "7/7/7/7/7/7/5xo o 39 40",
        ],
        finished: &[
            ("xxo4/xxo4/oo5/7/5oo/4oxx/4oxx x 10 40", &[]),
            ("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 39 40", &["b2a2"]),
        ],
    },
};

/// The name of a cell.
pub(crate) fn cell_text(cell: Cell) -> String {
    let row = char::from(b'a' + cell.row());
    let column = char::from(b'1' + cell.column());
    format!("{row}{column}")
}

/// The cell with this name.
const fn cell(row: u8, column: u8) -> Option<Cell> {
    match (row.to_ascii_lowercase(), column) {
        (row @ b'a'..=b'g', b'1'..=b'7') => Some(Cell::new(row - b'a', column - b'1')),
        _ => None,
    }
}

/// Parses a move to its two cells, in any letter case.
pub(crate) fn parse_move(text: &str) -> Result<(Cell, Cell), MoveError> {
    let cells = match *text.as_bytes() {
        [from_row, from_column, to_row, to_column] => {
            cell(from_row, from_column).zip(cell(to_row, to_column))
        }
        _ => None,
    };
    cells.ok_or_else(|| {
        MoveError::Malformed(format!(
            "{} is not a move: expected two cells, each a row from a to g and a column from 1 to 7, such as \
             g4g5",
            quoted(text)
        ))
    })
}

/// Parses the cell of a piece, in any letter case.
pub(crate) fn parse_piece(text: &str) -> Result<Cell, MoveError> {
    let piece = match *text.as_bytes() {
        [row, column] => cell(row, column),
        _ => None,
    };
    piece.ok_or_else(|| {
        MoveError::Malformed(format!(
            "{} is not a cell: expected a row from a to g and a column from 1 to 7, such as g4",
            quoted(text)
        ))
    })
}
