//! Positions as text: FEN, X-FEN and Shredder-FEN are read, also from a line of EPD. X-FEN is written, which is FEN for
//! positions of chess.

use std::fmt::Write;

use cozy_chess::{Board, BoardBuilder, BoardBuilderError, Color, File, Piece, Rank, Square};

use crate::position::Position;

/// Reads a position. The words after the first are optional.
///
/// # Errors
/// The text is not that of a legal position; the error says why.
pub fn read(text: &str, is_chess960: bool) -> Result<Position, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let word = |index: usize, default| words.get(index).copied().unwrap_or(default);
    let mut builder = BoardBuilder::empty();
    read_pieces(&mut builder, word(0, ""))?;
    builder.side_to_move = match word(1, "w") {
        "w" => Color::White,
        "b" => Color::Black,
        other => {
            return Err(format!(
                "expected `w` or `b` for the side to move, found `{other}`"
            ));
        }
    };
    read_castling(&mut builder, word(2, "-"), is_chess960)?;
    builder.en_passant = match word(3, "-") {
        "-" => None,
        name => Some(
            name.parse()
                .map_err(|_| format!("expected a square or `-` for en passant, found `{name}`"))?,
        ),
    };
    let [clock, number] = counters(words.get(4..).unwrap_or_default())?;
    let board = builder.build().map_err(|error| {
        let why = match error {
            BoardBuilderError::InvalidCastlingRights => "the castling rights do not fit the king and rooks",
            BoardBuilderError::InvalidEnPassant => "no pawn can have passed the square for en passant",
            _ => {
                "expected one king a side, at most 16 pieces and 8 pawns a side, no pawn on the first or last rank, \
                 and no check to the side that has moved"
            }
        };
        format!("not a legal position of chess: {why}")
    })?;
    Ok(Position::new(board, clock, number.max(1), None))
}

fn read_pieces(builder: &mut BoardBuilder, text: &str) -> Result<(), String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        return Err(format!("expected 8 ranks of pieces, found {}", rows.len()));
    }
    for (row, &rank) in rows.iter().zip(Rank::ALL.iter().rev()) {
        let wrong = || format!("expected 8 squares in rank {rank}, found `{row}`");
        let mut file = 0;
        for sign in row.chars() {
            if let Some(count @ 1..=8) = sign.to_digit(10) {
                file += count as usize;
                continue;
            }
            let piece: Piece = sign.to_ascii_lowercase().try_into().map_err(|_| wrong())?;
            let color = if sign.is_ascii_uppercase() {
                Color::White
            } else {
                Color::Black
            };
            let square = Square::new(File::try_index(file).ok_or_else(wrong)?, rank);
            *builder.square_mut(square) = Some((piece, color));
            file += 1;
        }
        if file != 8 {
            return Err(wrong());
        }
    }
    Ok(())
}

/// Reads the castling rights: `K` and `Q` are the outermost rooks, and letters of files these rooks.
fn read_castling(builder: &mut BoardBuilder, text: &str, is_chess960: bool) -> Result<(), String> {
    for sign in text.chars().filter(|_| text != "-") {
        let wrong = |why: &str| format!("castling rights `{text}`: {why}");
        let color = if sign.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let rank = Rank::First.relative_to(color);
        let has = |file: &File, piece| builder.square(Square::new(*file, rank)) == Some((piece, color));
        let king = File::ALL.into_iter().find(|file| has(file, Piece::King));
        let king = king.ok_or_else(|| wrong("a king is not on its first rank"))?;
        let mut rooks = File::ALL.into_iter().filter(|file| has(file, Piece::Rook));
        let (rook, is_short) = match sign.to_ascii_lowercase() {
            'k' => (rooks.rfind(|file| *file > king), true),
            'q' => (rooks.find(|file| *file < king), false),
            letter => {
                let file: File = letter
                    .try_into()
                    .map_err(|_| wrong("expected `-` or letters of KQkq"))?;
                (rooks.find(|rook| *rook == file), file > king)
            }
        };
        let rook = rook.ok_or_else(|| wrong("a rook is missing"))?;
        let is_usual = king == File::E && rook == if is_short { File::H } else { File::A };
        if !is_chess960 && !is_usual {
            return Err(wrong("the position needs `option.UCI_Chess960=true`"));
        }
        let rights = builder.castle_rights_mut(color);
        let right = if is_short {
            &mut rights.short
        } else {
            &mut rights.long
        };
        if right.replace(rook).is_some() {
            return Err(wrong("a right is there twice"));
        }
    }
    Ok(())
}

/// Reads the counters, which are operations in a line of EPD.
fn counters(words: &[&str]) -> Result<[u32; 2], String> {
    let number = |text: &str| text.parse::<u32>().ok();
    if let [clock, rest @ ..] = words
        && let Some(clock) = number(clock)
    {
        return match rest {
            [] => Ok([clock, 1]),
            [count, ..] => match number(count) {
                Some(count) if rest.len() == 1 || words.iter().any(|word| word.ends_with(';')) => {
                    Ok([clock, count])
                }
                _ => Err(format!(
                    "expected the number of the move at the end, found `{}`",
                    rest.join(" ")
                )),
            },
        };
    }
    let operation = |name: &str, default: u32| {
        let mut pairs = words.windows(2).filter(|pair| pair[0] == name);
        pairs
            .find_map(|pair| number(pair[1].trim_end_matches(';')))
            .unwrap_or(default)
    };
    match words {
        [first, ..] if !words.iter().any(|word| word.ends_with(';')) => Err(format!(
            "expected plies without a capture or a pawn move, or operations of EPD, found `{first}`"
        )),
        _ => Ok([operation("hmvc", 0), operation("fmvn", 1)]),
    }
}

/// The position as text.
pub fn write(position: &Position) -> String {
    let board = &position.board;
    let mut text = String::with_capacity(80);
    for &rank in Rank::ALL.iter().rev() {
        let mut empty = 0;
        for file in File::ALL {
            let Some((piece, color)) = piece_at(board, Square::new(file, rank)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                let _ = write!(text, "{empty}");
                empty = 0;
            }
            text.push(letter(piece, color));
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        text.push(if rank == Rank::First { ' ' } else { '/' });
    }
    text.push_str(if board.side_to_move() == Color::White {
        "w "
    } else {
        "b "
    });
    write_castling(board, &mut text);
    match position.en_passant() {
        Some(square) => {
            let _ = write!(text, " {square}");
        }
        None => text.push_str(" -"),
    }
    let _ = write!(text, " {} {}", position.clock, position.number);
    text
}

fn write_castling(board: &Board, text: &mut String) {
    let length = text.len();
    for color in [Color::White, Color::Black] {
        let rank = Rank::First.relative_to(color);
        let rooks = board.colored_pieces(color, Piece::Rook) & rank.bitboard();
        let rights = board.castle_rights(color);
        for (right, sign) in [(rights.short, 'k'), (rights.long, 'q')] {
            let Some(file) = right else { continue };
            let is_outer = |rook: Square| {
                if sign == 'k' {
                    rook.file() > file
                } else {
                    rook.file() < file
                }
            };
            let sign = if rooks.into_iter().any(is_outer) {
                file.into()
            } else {
                sign
            };
            text.push(if color == Color::White {
                sign.to_ascii_uppercase()
            } else {
                sign
            });
        }
    }
    if text.len() == length {
        text.push('-');
    }
}

/// What is on a square.
pub fn piece_at(board: &Board, square: Square) -> Option<(Piece, Color)> {
    board.piece_on(square).zip(board.color_on(square))
}

/// A piece as a letter, a capital for White.
pub fn letter(piece: Piece, color: Color) -> char {
    let sign: char = piece.into();
    if color == Color::White {
        sign.to_ascii_uppercase()
    } else {
        sign
    }
}
