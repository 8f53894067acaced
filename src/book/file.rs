//! The file of a book.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::score::BookScore;
use crate::board::Move;
use crate::game::Game;
use crate::random::checksum;
use crate::score::Score;
use crate::text::{quoted, without_byte_order_mark};

/// The books that the program contains. A browser would have to load them with the engine.
#[cfg(not(target_family = "wasm"))]
const EMBEDDED: &[&str] = &[include_str!("magnetic-cave.book")];
#[cfg(target_family = "wasm")]
const EMBEDDED: &[&str] = &[];

/// The first words of a file.
const MAGIC: &str = "lodestone book 1: ";

/// A move and its value for the side that plays it.
pub type ScoredMove = (Move, BookScore);

/// A book, to look up moves.
#[derive(Clone, Debug)]
pub struct Book {
    /// By the symmetry key of a position.
    entries: HashMap<u64, BookEntry>,
}

/// The best move of a position.
#[derive(Clone, Copy, Debug)]
struct BookEntry {
    /// The symmetry key of the position after the move.
    next: u64,
    value: BookScore,
}

/// A move of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move and the moves that the book expects, at least one.
    pub(crate) line: Vec<Move>,
    /// The value of the position.
    pub(crate) score: Score,
}

impl Book {
    /// The book that the program contains for this game; `None` if there is none.
    pub(crate) fn embedded<G: Game>() -> Option<Book> {
        let text = EMBEDDED
            .iter()
            .find(|text| variant_of(text) == Some(G::INFO.name))?;
        Book::parse::<G>(text).ok()
    }

    /// Reads a file.
    pub(crate) fn open<G: Game>(path: &Path) -> Result<Book, String> {
        let bytes = fs::read(path).map_err(|error| format!("it cannot be read: {error}"))?;
        Book::parse::<G>(&String::from_utf8_lossy(without_byte_order_mark(&bytes)))
    }

    /// Reads the text of a book.
    pub(crate) fn parse<G: Game>(text: &str) -> Result<Book, String> {
        let Some(variant) = variant_of(text) else {
            return Err("it is no book of lodestone".to_string());
        };
        if variant != G::INFO.name {
            return Err(format!(
                "it is a book for {}, not for {}",
                quoted(variant),
                G::INFO.name
            ));
        }
        let (lines, last) = text
            .strip_suffix('\n')
            .and_then(|text| text.rfind('\n'))
            .map_or(("", text), |end| text.split_at(end + 1));
        if last != checksum_line(lines) {
            return Err("it is cut off or damaged: it does not fit its checksum".to_string());
        }
        let mut entries = HashMap::new();
        for (number, line) in (1..).zip(lines.lines()).skip(1) {
            let (position, moves) =
                parse_line::<G>(line).map_err(|error| format!("line {number}: {error}"))?;
            if let Some(&(mv, value)) = moves.first() {
                let next = position.play(mv).symmetry_key();
                entries.insert(position.symmetry_key(), BookEntry { next, value });
            }
        }
        Ok(Book { entries })
    }

    /// The text of a book with these positions, from searches of `nodes` nodes.
    pub fn text<G: Game>(nodes: u64, positions: &[(G, Vec<ScoredMove>)]) -> String {
        let mut text = format!("{MAGIC}{}, {nodes} nodes a search\n", G::INFO.name);
        for (position, moves) in positions {
            let moves: Vec<String> = moves
                .iter()
                .map(|&(mv, score)| format!("{} {score}", G::move_text(mv)))
                .collect();
            let _ = writeln!(text, "{}: {}", position.fen(), moves.join(", "));
        }
        text.push_str(&checksum_line(&text));
        text
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The best move of a position, if the book has the position after it, too: a value that
    /// rests on a single search is not better than the engine's own search.
    pub(crate) fn find<G: Game>(&self, position: &G) -> Option<BookMove> {
        let value = self.entries.get(&position.symmetry_key())?.value;
        let (mut line, mut position) = (Vec::new(), *position);
        let plies_left = position.plies_left();
        while let Some(entry) = self.entries.get(&position.symmetry_key())
            && self.entries.contains_key(&entry.next)
        {
            let leads = |mv: &Move| position.play(*mv).symmetry_key() == entry.next;
            let mv = position.legal_moves().iter().copied().find(leads)?;
            line.push(mv);
            position = position.play(mv);
        }
        let score = value.score(plies_left);
        (!line.is_empty()).then_some(BookMove { line, score })
    }
}

/// The game in the first line of a book.
fn variant_of(text: &str) -> Option<&str> {
    text.strip_prefix(MAGIC)?.split(',').next()
}

fn checksum_line(lines: &str) -> String {
    format!("checksum {:016x}\n", checksum(lines.as_bytes()))
}

fn parse_line<G: Game>(line: &str) -> Result<(G, Vec<ScoredMove>), String> {
    let (fen, moves) = line
        .split_once(": ")
        .ok_or_else(|| format!("expected a FEN, a colon and moves, found {}", quoted(line)))?;
    let position = G::from_fen(fen).map_err(|error| error.to_string())?;
    let moves = moves.split(", ").map(|words| {
        let (mv, score) = words.split_once(' ').unwrap_or((words, ""));
        let mv = position.parse_move(mv).map_err(|error| error.to_string())?;
        Ok((mv, score.parse()?))
    });
    Ok((position, moves.collect::<Result<_, String>>()?))
}
