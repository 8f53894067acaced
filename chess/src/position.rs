//! A position with those before it.

use std::rc::Rc;

use cozy_chess::{BitBoard, Board, Color, Move, Piece, Square};
use referee_rules::GameResult;

/// Plies without a capture or a pawn move that end the game.
const FIFTY_MOVES: u32 = 100;

/// The same for games that began after this number.
const SEVENTY_FIVE_MOVES: u32 = 150;

/// A position.
#[derive(Debug)]
pub struct Position {
    pub board: Board,
    /// Plies since the last capture or pawn move. The board's own clock is not used, because it ends at 100.
    pub clock: u32,
    /// The number of the move.
    pub number: u32,
    /// The position before the last move, unless this move was a capture or a pawn move.
    earlier: Option<Rc<Position>>,
    /// The result, and the reason in words.
    pub end: Option<(GameResult, &'static str)>,
}

impl Position {
    pub fn new(board: Board, clock: u32, number: u32, earlier: Option<Rc<Position>>) -> Position {
        let mut position = Position {
            board,
            clock,
            number,
            earlier,
            end: None,
        };
        position.end = position.find_end();
        position
    }

    /// The position after a legal move.
    pub fn after(self: &Rc<Position>, mv: Move) -> Position {
        let mut board = self.board.clone();
        board.play_unchecked(mv);
        let is_capture = self.board.colors(!self.board.side_to_move()).has(mv.to);
        let is_irreversible = is_capture || self.board.piece_on(mv.from) == Some(Piece::Pawn);
        let number = self
            .number
            .saturating_add((self.board.side_to_move() == Color::Black).into());
        if is_irreversible {
            Position::new(board, 0, number, None)
        } else {
            Position::new(board, self.clock.saturating_add(1), number, Some(Rc::clone(self)))
        }
    }

    fn find_end(&self) -> Option<(GameResult, &'static str)> {
        let draw = |reason| Some((GameResult::Draw, reason));
        let can_move = self.board.generate_moves(|_| true);
        if !can_move && !self.board.checkers().is_empty() {
            let is_white = self.board.side_to_move() == Color::Black;
            return Some((GameResult::win(is_white), "checkmate"));
        }
        if Color::ALL.iter().all(|&color| self.cannot_win(color)) {
            return draw("insufficient material");
        }
        match (can_move, self.clock) {
            (false, _) => draw("stalemate"),
            (true, SEVENTY_FIVE_MOVES..) => draw("seventyfive moves"),
            (true, _) if self.is_third() => draw("threefold repetition"),
            (true, FIFTY_MOVES..) => draw("fifty moves"),
            _ => None,
        }
    }

    /// Whether this side has too little to give mate, however the other one plays.
    fn cannot_win(&self, color: Color) -> bool {
        let pieces = |piece| self.board.pieces(piece);
        let (own, other) = (self.board.colors(color), self.board.colors(!color));
        if !(own & (pieces(Piece::Pawn) | pieces(Piece::Rook) | pieces(Piece::Queen))).is_empty() {
            return false;
        }
        if !(own & pieces(Piece::Knight)).is_empty() {
            let helpers = other & !(pieces(Piece::King) | pieces(Piece::Queen));
            return own.len() <= 2 && helpers.is_empty();
        }
        let bishops = pieces(Piece::Bishop);
        if !(own & bishops).is_empty() {
            let are_same = (bishops & BitBoard::DARK_SQUARES).is_empty()
                || (bishops & BitBoard::LIGHT_SQUARES).is_empty();
            return are_same && (pieces(Piece::Pawn) | pieces(Piece::Knight)).is_empty();
        }
        true
    }

    /// Whether the same position has been there twice before.
    fn is_third(&self) -> bool {
        let mut count = 1;
        let mut earlier = self.earlier.as_deref();
        while let Some(position) = earlier {
            count += i32::from(self.board.same_position(&position.board));
            if count == 3 {
                return true;
            }
            earlier = position.earlier.as_deref();
        }
        false
    }

    /// All legal moves.
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(48);
        self.board.generate_moves(|those| {
            moves.extend(those);
            false
        });
        moves
    }

    /// The file of a pawn that can be captured en passant.
    pub fn en_passant(&self) -> Option<Square> {
        let color = self.board.side_to_move();
        let rank = cozy_chess::Rank::Sixth.relative_to(color);
        let target = Square::new(self.board.en_passant()?, rank);
        let pawns =
            self.board.colored_pieces(color, Piece::Pawn) & cozy_chess::get_pawn_attacks(target, !color);
        let can_capture = |from| {
            self.board.is_legal(Move {
                from,
                to: target,
                promotion: None,
            })
        };
        pawns.into_iter().any(can_capture).then_some(target)
    }

    /// Whether a move castles: the king moves to its own rook.
    pub fn is_castling(&self, mv: Move) -> bool {
        self.board.colors(self.board.side_to_move()).has(mv.to)
    }

    /// A legal move as engines write it. In Chess960, the king that castles moves to its rook.
    pub fn word(&self, mv: Move, is_chess960: bool) -> String {
        if !is_chess960 && self.is_castling(mv) {
            let file = if mv.to.file() > mv.from.file() {
                cozy_chess::File::G
            } else {
                cozy_chess::File::C
            };
            let to = Square::new(file, mv.to.rank());
            return Move { to, ..mv }.to_string();
        }
        mv.to_string()
    }

    /// The legal move with this word.
    pub fn find(&self, word: &str, is_chess960: bool) -> Option<Move> {
        let mut mv: Move = word.parse().ok()?;
        let color = self.board.side_to_move();
        if !is_chess960 && mv.from == self.board.king(color) {
            let rights = self.board.castle_rights(color);
            let rook = match (mv.from.file() as i32) - (mv.to.file() as i32) {
                -2 => rights.short,
                2 => rights.long,
                _ => None,
            };
            if let Some(file) = rook {
                mv.to = Square::new(file, mv.from.rank());
            }
        }
        (self.board.is_legal(mv) && self.word(mv, is_chess960) == word).then_some(mv)
    }
}
