//! Moves as people write them: standard algebraic notation.

use cozy_chess::{BitBoard, Color, File, Move, Piece, Rank, Square};

use crate::fen::letter;
use crate::position::Position;

/// A legal move in standard algebraic notation.
pub fn write(position: &Position, mv: Move) -> String {
    let board = &position.board;
    let mut text = String::with_capacity(8);
    let piece = board.piece_on(mv.from).unwrap_or(Piece::Pawn);
    if position.is_castling(mv) {
        text.push_str(if mv.to.file() > mv.from.file() {
            "O-O"
        } else {
            "O-O-O"
        });
    } else {
        let is_capture =
            board.occupied().has(mv.to) || piece == Piece::Pawn && mv.from.file() != mv.to.file();
        if piece == Piece::Pawn {
            if is_capture {
                text.push(mv.from.file().into());
            }
        } else {
            text.push(letter(piece, Color::White));
            push_origin(position, piece, mv, &mut text);
        }
        if is_capture {
            text.push('x');
        }
        text.push_str(&mv.to.to_string());
        if let Some(piece) = mv.promotion {
            text.push('=');
            text.push(letter(piece, Color::White));
        }
    }
    let mut next = board.clone();
    next.play_unchecked(mv);
    if !next.checkers().is_empty() {
        let can_move = next.generate_moves(|_| true);
        text.push(if can_move { '+' } else { '#' });
    }
    text
}

/// Adds as much of the origin as tells the move from those of other pieces.
fn push_origin(position: &Position, piece: Piece, mv: Move, text: &mut String) {
    let board = &position.board;
    let others = board.colored_pieces(board.side_to_move(), piece) & !mv.from.bitboard();
    let mut rivals = BitBoard::EMPTY;
    board.generate_moves_for(others, |those| {
        if those.to.has(mv.to) {
            rivals |= those.from.bitboard();
        }
        false
    });
    if rivals.is_empty() {
        return;
    }
    let shares_rank = !(rivals & mv.from.rank().bitboard()).is_empty();
    let shares_file = !(rivals & mv.from.file().bitboard()).is_empty();
    if shares_rank || !shares_file {
        text.push(mv.from.file().into());
    }
    if shares_file {
        text.push(mv.from.rank().into());
    }
}

/// What people write of a move.
struct Written {
    /// `None` if the whole origin is written, which needs no piece.
    piece: Option<Piece>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Piece>,
}

/// The legal move that people write so, if there is just one: `Nf3`, `Ngf3`, `0-0`, `exd6 e.p.` as a word, `e2-e4`.
pub fn read(position: &Position, text: &str) -> Option<Move> {
    let moves = position.moves();
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    let castling = text.replace('0', "O").to_uppercase();
    if ["O-O", "O-O-O"].contains(&castling.as_str()) {
        let is_short = castling.len() == 3;
        let is_it = |mv: &Move| position.is_castling(*mv) && (mv.to.file() > mv.from.file()) == is_short;
        return moves.into_iter().find(is_it);
    }
    let written = parts(text)?;
    let fits = |mv: &&Move| {
        let is_piece = match written.piece {
            Some(piece) => position.board.piece_on(mv.from) == Some(piece),
            None => written.file.is_some() && written.rank.is_some(),
        };
        is_piece
            && !position.is_castling(**mv)
            && mv.to == written.to
            && mv.promotion == written.promotion
            && written.file.is_none_or(|file| mv.from.file() == file)
            && written.rank.is_none_or(|rank| mv.from.rank() == rank)
    };
    let mut found = moves.iter().filter(fits);
    found.next().filter(|_| found.next().is_none()).copied()
}

/// The parts of a written move, which is read from its end.
fn parts(text: &str) -> Option<Written> {
    let mut signs: Vec<char> = text.chars().filter(|sign| !"x-:=".contains(*sign)).collect();
    let promotion = match signs.last() {
        Some(sign) if sign.is_ascii_alphabetic() => {
            let piece = sign.to_ascii_lowercase().try_into().ok()?;
            signs.pop();
            Some(piece)
        }
        _ => None,
    };
    let rank: Rank = signs.pop()?.try_into().ok()?;
    let file: File = signs.pop()?.try_into().ok()?;
    let to = Square::new(file, rank);
    let rank: Option<Rank> = signs.last().and_then(|sign| (*sign).try_into().ok());
    if rank.is_some() {
        signs.pop();
    }
    let file = signs.last().filter(|sign| sign.is_ascii_lowercase());
    let file: Option<File> = file.and_then(|sign| (*sign).try_into().ok());
    if file.is_some() {
        signs.pop();
    }
    let piece = match signs.as_slice() {
        [] if file.is_some() && rank.is_some() => None,
        [] => Some(Piece::Pawn),
        [sign] if sign.is_ascii_uppercase() => Some(sign.to_ascii_lowercase().try_into().ok()?),
        _ => return None,
    };
    // A pawn stays on its file, unless another one is written.
    let file = file.or((piece == Some(Piece::Pawn)).then(|| to.file()));
    Some(Written {
        piece,
        file,
        rank,
        to,
        promotion,
    })
}
