//! Opening books: values of positions near the start, which the engine computes for itself.
//!
//! The command `lodestone-solver book` makes them; the option `OwnBook` plays their moves.
//!
//! A book is a text. The first line names the game and the nodes of a search. Every other line is a
//! position: a FEN, a colon, and moves with their values for the side to move, the best first. The
//! last line is a checksum of all lines before it:
//!
//! ```text
//! lodestone book 1: magnetic-cave, 500000 nodes a search
//! 8/8/8/8/8/8/8/8 x: a6 70, a8 60, a7 31
//! checksum 0123456789abcdef
//! ```
//!
//! A position stands for all its mirror images. A value is in centipawns, or a proven result. It is
//! the value of the position after the move, if the book has that position; else it is that of a
//! search of all moves that lead out of the book.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use lodestone_game::Game;
use lodestone_game::board::Move;
use lodestone_game::random::checksum;
use lodestone_game::score::{Score, Value, WIN};
use lodestone_game::text::{open_regular, quoted, without_byte_order_mark};

/// The books that the program contains. A browser would have to load them with the engine.
#[cfg(not(target_family = "wasm"))]
const EMBEDDED: &[&str] = &[include_str!("book/magnetic-cave.book")];
#[cfg(target_family = "wasm")]
const EMBEDDED: &[&str] = &[];

/// The first words of a file.
const MAGIC: &str = "lodestone book 1: ";

/// The longest book, in bytes: some millions of positions.
const MAX_LENGTH: u64 = 256 << 20;

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
        let unreadable = |error| format!("it cannot be read: {error}");
        let (file, mut bytes) = (open_regular(path).map_err(unreadable)?, Vec::new());
        file.take(MAX_LENGTH + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 > MAX_LENGTH {
            return Err(format!("it is longer than {} MiB", MAX_LENGTH >> 20));
        }
        Book::parse::<G>(&String::from_utf8_lossy(without_byte_order_mark(&bytes)))
    }

    /// Reads the text of a book.
    pub(crate) fn parse<G: Game>(text: &str) -> Result<Book, String> {
        let Some(variant) = variant_of(text) else {
            return Err("it is not an opening book of lodestone".to_string());
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

// The value of a position or a move in a book.

/// A value for the side to move: an evaluation, or a proven result without its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookScore {
    /// Proven: the side to move wins.
    Win,
    /// Proven: with best play the game is drawn.
    Draw,
    /// Proven: the side to move loses.
    Loss,
    /// An evaluation, in centipawns.
    Cp(i32),
}

impl BookScore {
    /// The value as a number; a draw is 0.
    pub const fn value(self) -> Value {
        match self {
            BookScore::Win => WIN,
            BookScore::Draw => 0,
            BookScore::Loss => -WIN,
            BookScore::Cp(value) => value,
        }
    }

    /// Whether this is a proven result.
    pub const fn is_proven(self) -> bool {
        !matches!(self, BookScore::Cp(_))
    }

    /// The same value for the other side.
    #[must_use]
    pub const fn negated(self) -> BookScore {
        match self {
            BookScore::Win => BookScore::Loss,
            BookScore::Draw => BookScore::Draw,
            BookScore::Loss => BookScore::Win,
            BookScore::Cp(value) => BookScore::Cp(-value),
        }
    }

    /// The value of a position, from the values of all its moves: the best one. It is proven if
    /// that is a win, or if all are proven. Without moves it is a draw.
    pub fn best(moves: &[BookScore]) -> BookScore {
        let by_value = |one: &&BookScore, other: &&BookScore| one.compare(**other);
        let best = moves.iter().max_by(by_value).copied();
        match best.unwrap_or(BookScore::Draw) {
            BookScore::Draw if !moves.iter().all(|mv| mv.is_proven()) => BookScore::Cp(0),
            best => best,
        }
    }

    /// Compares by value.
    pub fn compare(self, other: BookScore) -> Ordering {
        self.value().cmp(&other.value())
    }

    /// The score of a position with at most this many plies to the end of the game.
    pub(crate) const fn score(self, plies_left: u32) -> Score {
        match self {
            BookScore::Win => Score::Win(plies_left),
            BookScore::Draw => Score::Draw,
            BookScore::Loss => Score::Loss(plies_left),
            BookScore::Cp(value) => Score::Cp(value),
        }
    }
}

impl From<Score> for BookScore {
    fn from(score: Score) -> BookScore {
        match score {
            Score::Win(_) => BookScore::Win,
            Score::Draw => BookScore::Draw,
            Score::Loss(_) => BookScore::Loss,
            Score::Cp(value) => BookScore::Cp(value),
        }
    }
}

/// The proven results and their words.
const WORDS: [(BookScore, &str); 3] = [
    (BookScore::Win, "win"),
    (BookScore::Draw, "draw"),
    (BookScore::Loss, "loss"),
];

impl fmt::Display for BookScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match WORDS.iter().find(|(score, _)| score == self) {
            Some((_, word)) => f.write_str(word),
            None => write!(f, "{}", self.value()),
        }
    }
}

impl FromStr for BookScore {
    type Err = String;

    /// Parses the text that `Display` writes.
    fn from_str(text: &str) -> Result<BookScore, String> {
        let word = WORDS.iter().find(|(_, word)| *word == text);
        word.map(|&(score, _)| score)
            .or_else(|| text.parse().ok().map(BookScore::Cp))
            .ok_or_else(|| {
                format!(
                    "expected centipawns, `win`, `draw` or `loss`, found {}",
                    quoted(text)
                )
            })
    }
}

#[cfg(test)]
mod score_tests {
    use super::BookScore::{Cp, Draw, Loss, Win};
    use super::*;

    #[test]
    fn a_position_is_proven_by_a_win_or_by_all_moves() {
        for (moves, best) in [
            (&[Cp(-3), Cp(5)][..], Cp(5)),
            (&[Cp(900), Win], Win),
            (&[Loss, Draw], Draw),
            (&[Loss, Loss], Loss),
            (&[Cp(-8), Draw], Cp(0)),
            (&[Cp(8), Draw], Cp(8)),
            (&[Loss, Cp(-700)], Cp(-700)),
        ] {
            assert_eq!(BookScore::best(moves), best, "{moves:?}");
        }
    }

    #[test]
    fn written_values_parse() {
        for score in [Win, Draw, Loss, Cp(0), Cp(-17)] {
            assert_eq!(score.to_string().parse(), Ok(score));
            assert_eq!(score.negated().value(), -score.value());
        }
        assert!("won".parse::<BookScore>().is_err());
    }
}
