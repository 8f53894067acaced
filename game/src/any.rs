//! Positions of any game as trait objects, for code that needs the rules but
//! not the speed.

use std::fmt;
use std::fmt::Debug;

use super::fen::FenError;
use super::info::{GameInfo, Outcome, Setup};
use super::rules::{Game, MoveError};
use super::variant::Variant;
use crate::board::{Bitboard, Cell, Move, MoveList, Side};
use crate::random::Random;

/// A position of any game. Each method is that of [`Game`] with the same name.
#[allow(missing_docs, clippy::missing_errors_doc)] // documented in `Game`
pub trait AnyPosition: Debug + Send {
    fn info(&self) -> &'static GameInfo;
    fn fen(&self) -> String;
    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn explain(&self, outcome: Outcome) -> String;
    fn legal_moves(&self) -> MoveList;
    fn parse_move(&self, text: &str) -> Result<Move, MoveError>;
    fn parse_piece(&self, text: &str) -> Result<Cell, MoveError>;
    fn move_text(&self, mv: Move) -> String;
    fn cell_text(&self, cell: Cell) -> String;
    fn highlights(&self) -> Bitboard;
    fn note(&self) -> String;
    fn play(&mut self, mv: Move);
    fn key(&self) -> u64;
    fn symmetry_key(&self) -> u64;
    fn plies_left(&self) -> u32;
    fn diagram(&self) -> Diagram;
    fn boxed_clone(&self) -> Box<dyn AnyPosition>;
}

impl Clone for Box<dyn AnyPosition> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A newtype, because [`Game`] and [`AnyPosition`] have methods of equal names.
#[derive(Clone, Debug)]
pub struct Facade<G>(pub G);

impl<G: Game> AnyPosition for Facade<G> {
    fn info(&self) -> &'static GameInfo {
        &G::INFO
    }

    fn fen(&self) -> String {
        self.0.fen()
    }

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn explain(&self, outcome: Outcome) -> String {
        self.0.explain(outcome)
    }

    fn legal_moves(&self) -> MoveList {
        self.0.legal_moves()
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        self.0.parse_move(text)
    }

    fn parse_piece(&self, text: &str) -> Result<Cell, MoveError> {
        self.0.parse_piece(text)
    }

    fn move_text(&self, mv: Move) -> String {
        G::move_text(mv)
    }

    fn cell_text(&self, cell: Cell) -> String {
        G::cell_text(cell)
    }

    fn highlights(&self) -> Bitboard {
        self.0.highlights()
    }

    fn note(&self) -> String {
        self.0.note()
    }

    fn play(&mut self, mv: Move) {
        self.0 = self.0.play(mv);
    }

    fn key(&self) -> u64 {
        self.0.key()
    }

    fn symmetry_key(&self) -> u64 {
        self.0.symmetry_key()
    }

    fn plies_left(&self) -> u32 {
        self.0.plies_left()
    }

    fn diagram(&self) -> Diagram {
        Diagram::of(&self.0)
    }

    fn boxed_clone(&self) -> Box<dyn AnyPosition> {
        Box::new(self.clone())
    }
}

impl Variant {
    /// The protocol's `startpos`.
    pub fn startpos(self) -> Box<dyn AnyPosition> {
        with_game!(self, G => Box::new(Facade(G::startpos())))
    }

    /// As [`Game::random_start`].
    pub fn random_start(self, setup: Setup, random: &mut Random) -> Box<dyn AnyPosition> {
        with_game!(self, G => Box::new(Facade(G::random_start(setup, random))))
    }

    /// Parses a FEN.
    ///
    /// # Errors
    /// As [`Game::from_fen`].
    pub fn parse_fen(self, fen: &str) -> Result<Box<dyn AnyPosition>, FenError> {
        Ok(with_game!(self, G => Box::new(Facade(G::from_fen(fen)?))))
    }
}

// A board as data for drawing, and as plain text.

/// The parts of a drawn board: labels, signs and pieces. `Display` draws them as
/// plain text: labels on all four sides, one line per row, no line break at the
/// end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The label of each column from left to right.
    pub columns: &'static str,
    /// The label of each row from top to bottom.
    pub rows: &'static str,
    /// The signs of both sides, the first player's first.
    pub signs: [char; 2],
    /// The pieces of both sides, the first player's first.
    pub pieces: [Bitboard; 2],
}

impl Diagram {
    /// The sign of an empty cell.
    pub const EMPTY_SIGN: char = '·';

    /// The diagram of `position`.
    pub fn of<G: Game>(position: &G) -> Diagram {
        Diagram {
            columns: G::INFO.columns,
            rows: G::INFO.rows,
            signs: G::INFO.signs,
            pieces: Side::BOTH.map(|side| position.pieces(side)),
        }
    }

    /// The answer to `query grid`: the names of columns and rows, and the cells row by row.
    pub fn grid(&self) -> String {
        let spaced = |words: Vec<char>| {
            words
                .iter()
                .fold(String::new(), |text, word| text + " " + &word.to_string())
        };
        let sign = |cell| self.owner(cell).map_or('.', Side::letter);
        let [columns, rows] = [self.columns, self.rows].map(|labels| labels.chars().collect::<Vec<_>>());
        let cells =
            (0..rows.len() as u8).flat_map(|row| (0..columns.len() as u8).map(move |column| (row, column)));
        let cells = cells.map(|(row, column)| sign(Cell::new(row, column))).collect();
        let [columns, rows, cells] = [columns, rows, cells].map(spaced);
        format!("columns{columns} rows{rows} cells{cells}")
    }

    /// The index of a cell, row by row from the top left.
    pub const fn index(&self, cell: Cell) -> usize {
        cell.row() as usize * self.columns.len() + cell.column() as usize
    }

    /// The side that occupies `cell`.
    pub fn owner(&self, cell: Cell) -> Option<Side> {
        Side::BOTH
            .into_iter()
            .find(|side| self.pieces[side.index()].contains(cell))
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = |f: &mut fmt::Formatter<'_>| {
            f.write_str(" ")?;
            self.columns.chars().try_for_each(|label| write!(f, " {label}"))
        };
        header(f)?;
        for (row, label) in (0..).zip(self.rows.chars()) {
            write!(f, "\n{label}")?;
            for (column, _) in (0..).zip(self.columns.chars()) {
                let sign = self
                    .owner(Cell::new(row, column))
                    .map_or(Diagram::EMPTY_SIGN, |side| self.signs[side.index()]);
                write!(f, " {sign}")?;
            }
            write!(f, " {label}")?;
        }
        f.write_str("\n")?;
        header(f)
    }
}
