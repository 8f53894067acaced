//! Openings from a file, one a line.
//!
//! ```text
//! # Two openings of Magnetic Cave, the second in three ways:
//! xo6/8/8/8/8/8/8/8 x moves h1 h2
//! startpos moves a1 h1 a2
//! moves a1 h1 a2
//! a1 h1 a2
//! ```
//!
//! A line has `startpos` or a FEN, then perhaps `moves` and moves; or moves
//! alone. Blank lines and lines that begin with `#` mean nothing.

use std::collections::HashMap;
use std::path::Path;

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Variant};

use super::opening::{Opening, OpeningError, place_of};
use crate::io::digest::Digest;
use crate::io::files;
use crate::io::text::printable;

/// The longest line of a book, in bytes.
pub const LONGEST_LINE: usize = 64 * 1024;

/// The largest book, in bytes.
pub const LARGEST_BOOK: u64 = 64 * 1024 * 1024;

/// How much of a wrong word is repeated, in characters.
const SHOWN: usize = 40;

/// How much is repeated of what the rules say of a FEN, in characters.
const SHOWN_OF_FEN: usize = 200;

/// What some editors put before the first line of a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The openings of a file without those that lead where another one led.
///
/// They are kept as text and read again when they are asked for: a book takes
/// no more memory than its file.
#[derive(Clone, Debug)]
pub struct Book {
    variant: Variant,
    /// The lines of the openings, one behind the other.
    text: String,
    /// Where each of them ends.
    ends: Vec<u32>,
    digest: Digest,
}

/// What is wrong in a line.
#[derive(Debug)]
struct Flaw {
    /// The character where it goes wrong, from 1.
    column: usize,
    /// What is wrong there.
    why: String,
}

impl Book {
    /// Reads a book, and what the user should know of it.
    ///
    /// # Errors
    /// A sentence that names the file, the line, the column and what is wrong.
    pub fn load(path: &Path, variant: Variant) -> Result<(Book, Option<String>), String> {
        let name = path.display();
        let bytes = files::read(path, LARGEST_BOOK)?.ok_or_else(|| {
            let most = LARGEST_BOOK / (1024 * 1024);
            format!("`{name}` is larger than {most} MiB, the most for a book")
        })?;
        let (book, note) = Book::parse(&bytes, variant).map_err(|error| format!("`{name}`{error}"))?;
        Ok((book, note.map(|note| format!("`{name}`: {note}"))))
    }

    /// The book that these bytes are, and what the user should know of it. The
    /// errors begin with what stands behind the name of the book.
    fn parse(bytes: &[u8], variant: Variant) -> Result<(Book, Option<String>), String> {
        let mut book = Book {
            variant,
            text: String::new(),
            ends: Vec::new(),
            digest: Digest::new(),
        };
        // The line that led to each position, by the position's symmetry key.
        let mut lines = HashMap::new();
        let (mut openings, mut first_repeated) = (0, None);
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1_usize..) {
            if line.len() > LONGEST_LINE {
                let most = LONGEST_LINE / 1024;
                return Err(format!(", line {number} is longer than {most} KiB"));
            }
            let at = |Flaw { column, why }| format!(", line {number}, column {column}: {why}");
            let line = decoded(line).map_err(at)?;
            let Some(opening) = parse_line(line, variant).map_err(at)? else {
                continue;
            };
            openings += 1;
            match lines.insert(opening.end().symmetry_key(), number) {
                None => book.add(line, &opening),
                Some(earlier) => {
                    first_repeated.get_or_insert((number, earlier));
                }
            }
        }
        if openings == 0 {
            return Err(": there is no opening in it".into());
        }
        let note = first_repeated.map(|(line, earlier)| {
            format!(
                "{} of {openings} openings left out because they lead where others led, turned or mirrored \
                 perhaps; the first is line {line}, which leads where line {earlier} led",
                openings - book.ends.len()
            )
        });
        Ok((book, note))
    }

    fn add(&mut self, line: &str, opening: &Opening) {
        self.text.push_str(line.trim());
        // A book is smaller than four GiB.
        self.ends.push(self.text.len() as u32);
        self.digest.add(&opening.position.fen());
        for &one in &opening.moves {
            self.digest.add(" ");
            self.digest.add(&opening.position.move_text(one));
        }
        self.digest.add("\n");
    }

    /// How many distinct openings it has, at least one.
    pub const fn distinct(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The opening with this number, from 1; beyond the last the first comes
    /// again.
    ///
    /// # Errors
    /// None: each was read once before.
    pub fn get(&self, number: u64) -> Result<Opening, OpeningError> {
        let line = place_of(number, self.ends.len()).and_then(|place| self.line(place));
        let opening = parse_line(line.unwrap_or_default(), self.variant);
        let opening = opening.map_err(|flaw| OpeningError::Book(flaw.why))?;
        opening.ok_or_else(|| OpeningError::Book(format!("there is no opening {number}")))
    }

    /// The line of the opening at this place, from 0.
    fn line(&self, place: usize) -> Option<&str> {
        let begin = place
            .checked_sub(1)
            .map_or(Some(&0), |before| self.ends.get(before));
        self.text.get(*begin? as usize..*self.ends.get(place)? as usize)
    }

    /// What tells it from other books.
    pub fn digest(&self) -> String {
        self.digest.to_string()
    }
}

/// A line as text.
fn decoded(line: &[u8]) -> Result<&str, Flaw> {
    let flaw = |before: &[u8], what: &str| Flaw {
        column: String::from_utf8_lossy(before).chars().count() + 1,
        why: format!("{what}; a book is text in UTF-8"),
    };
    if let Some(zero) = line.iter().position(|&byte| byte == 0) {
        return Err(flaw(&line[..zero], "here is a NUL byte"));
    }
    std::str::from_utf8(line).map_err(|error| flaw(&line[..error.valid_up_to()], "this is no UTF-8"))
}

/// A word of a line and the byte where it begins.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Word<'a> {
    /// The words of a line.
    fn all(line: &'a str) -> Vec<Word<'a>> {
        let mut start = 0;
        let pieces = line.split_inclusive(char::is_whitespace).map(|piece| {
            let text = piece.trim_end();
            let word = Word { text, start };
            start += piece.len();
            word
        });
        pieces.filter(|word| !word.text.is_empty()).collect()
    }

    /// An error about the word.
    fn flaw(self, line: &str, why: impl Into<String>) -> Flaw {
        Flaw {
            column: column(line, self.start),
            why: why.into(),
        }
    }

    /// The word as an error repeats it.
    fn shown(self) -> String {
        printable(self.text, SHOWN)
    }
}

/// The number, from 1, of the character that begins at this byte.
fn column(line: &str, start: usize) -> usize {
    line.char_indices()
        .take_while(|(index, _)| *index < start)
        .count()
        + 1
}

/// The opening in a line, if there is one.
fn parse_line(line: &str, variant: Variant) -> Result<Option<Opening>, Flaw> {
    let words = Word::all(line);
    let Some(&first) = words.first().filter(|word| !word.text.starts_with('#')) else {
        return Ok(None);
    };
    let keyword = words.iter().position(|word| word.text == "moves");
    let (head, moves) = match keyword {
        Some(index) => (&words[..index], &words[index + 1..]),
        // Nothing but moves.
        None if first.text != "startpos" && !first.text.contains('/') => (&words[..0], &words[..]),
        None => (&words[..], &words[..0]),
    };
    let start = match head {
        [] => variant.startpos(),
        [word] if word.text == "startpos" => variant.startpos(),
        [word, other, ..] if word.text == "startpos" => {
            let why = format!(
                "expected `moves` or the end of the line, found `{}`",
                other.shown()
            );
            return Err(other.flaw(line, why));
        }
        [.., last] if first.text.contains('/') => parse_fen(line, first, *last, variant)?,
        [word, ..] => {
            let why = format!("expected `startpos`, a FEN or moves, found `{}`", word.shown());
            return Err(word.flaw(line, why));
        }
    };
    let moves_of_opening = parse_moves(line, moves, start.as_ref())?;
    let opening = Opening::new(variant, start, moves_of_opening);
    let end = opening.end();
    if let Some(outcome) = end.outcome() {
        let why = end.explain(outcome);
        return Err(first.flaw(line, format!("the game is over behind this opening: {why}")));
    }
    Ok(Some(opening))
}

/// The position of the FEN from the word `first` to the word `last`.
fn parse_fen(
    line: &str,
    first: Word<'_>,
    last: Word<'_>,
    variant: Variant,
) -> Result<Box<dyn AnyPosition>, Flaw> {
    let fen = &line[first.start..last.start + last.text.len()];
    variant.parse_fen(fen).map_err(|error| {
        let is_of = |other: &&Variant| other.parse_fen(fen).is_ok();
        if let Some(other) = Variant::ALL.iter().find(is_of) {
            let why = format!("this is a FEN of {other}, but the game is {variant}; see --variant");
            return first.flaw(line, why);
        }
        Flaw {
            column: column(line, first.start) + error.character - 1,
            why: format!("no FEN of {variant}: {}", printable(&error.message, SHOWN_OF_FEN)),
        }
    })
}

/// The moves of these words, played from `start`.
fn parse_moves(line: &str, words: &[Word<'_>], start: &dyn AnyPosition) -> Result<Vec<Move>, Flaw> {
    let mut position = start.boxed_clone();
    let mut moves = Vec::new();
    for word in words {
        // What is not printable or too long is no move either.
        let one = position.parse_move(&word.shown());
        let one = one.map_err(|error| word.flaw(line, error.to_string()))?;
        position.play(one);
        moves.push(one);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    const CAVE: Variant = Variant::MagneticCave;

    fn book(text: impl AsRef<[u8]>) -> (Book, Option<String>) {
        Book::parse(text.as_ref(), CAVE).unwrap()
    }

    fn error(text: impl AsRef<[u8]>) -> String {
        Book::parse(text.as_ref(), CAVE).unwrap_err()
    }

    fn openings(book: &Book) -> Vec<String> {
        (1..=book.distinct())
            .map(|number| book.get(number).unwrap().to_string())
            .collect()
    }

    #[test]
    fn an_opening_can_be_written_in_many_ways() {
        let text = "\u{feff}# A book.\r\n\
                    startpos\r\n\
                    \n\
                    \u{20}\tstartpos \tmoves  A1 h1\u{20}\n\
                    moves a1 h1 b1\n\
                    # a1\n\
                    a2\n\
                    8/8/8/8/8/8/8/8 x moves a2 a3\n\
                    xo6/8/8/8/8/8/8/8   x\n\
                    xo6/8/8/8/8/8/8/8 x moves h1";
        let (book, note) = book(text);
        assert_eq!(
            openings(&book),
            [
                "startpos",
                "startpos moves a1 h1",
                "startpos moves a1 h1 b1",
                "startpos moves a2",
                "startpos moves a2 a3",
                "xo6/8/8/8/8/8/8/8 x",
                "xo6/8/8/8/8/8/8/8 x moves h1",
            ]
        );
        assert_eq!(note, None);
        assert_eq!(
            book.get(9).unwrap().to_string(),
            "startpos moves a1 h1",
            "they begin again"
        );
        let (again, _) = super::Book::parse(openings(&book).join("\n").as_bytes(), CAVE).unwrap();
        assert_eq!(openings(&again), openings(&book), "what is written is read");
    }

    #[test]
    fn openings_that_lead_to_images_are_left_out_with_one_note() {
        // Lines 2 to 5 are one opening: another order, and turned.
        let (book, note) = book("a1 h1 a2 h2\na1 a2 h1\nh1 a2 a1\n\na8 a7 h8\nh8 h7 a8\na1 a2 h8\n");
        assert_eq!(
            openings(&book),
            [
                "startpos moves a1 h1 a2 h2",
                "startpos moves a1 a2 h1",
                "startpos moves a1 a2 h8"
            ]
        );
        assert_eq!(
            note.unwrap(),
            "3 of 6 openings left out because they lead where others led, turned or mirrored perhaps; \
             the first is line 3, which leads where line 2 led"
        );
    }

    #[test]
    fn errors_say_in_which_line_and_column() {
        for (text, expected) in [
            ("", ": there is no opening in it"),
            ("# a1\n\n", ": there is no opening in it"),
            (
                "a1\na1 h1 c1",
                ", line 2, column 7: c1 touches neither a wall nor a brick",
            ),
            ("a1 a1", ", line 1, column 4: a1 holds a brick already"),
            (
                "\u{feff}a1 ß i9",
                ", line 1, column 4: `ß` is no move: expected a column",
            ),
            (
                "moves ß1 i9",
                ", line 1, column 7: `ß1` is no move: expected a column",
            ),
            (
                "# ß\r\n\r\na1 i9\r\n",
                ", line 3, column 4: `i9` is no move: expected a column",
            ),
            (
                "startpos a1",
                ", line 1, column 10: expected `moves` or the end of the line, found `a1`",
            ),
            (
                " a1 moves h1",
                ", line 1, column 2: expected `startpos`, a FEN or moves, found `a1`",
            ),
            ("Startpos", ", line 1, column 1: `Startpos` is no move"),
            (
                "8/8/8/8/8/8/8/8 y moves a1",
                ", line 1, column 17: no FEN of magnetic-cave: the side to move is `x` or `o`, found `y`",
            ),
            (
                "a1\n  8/8/8/8/8/8/8 x",
                ", line 2, column 16: no FEN of magnetic-cave: row 1 is missing",
            ),
            (
                "8/8/8/8/8/8/8/8",
                ", line 1, column 16: no FEN of magnetic-cave: the side to move is missing",
            ),
            (
                " xo5/7/7/7/7/7/5xo x 0 40 moves a1b1",
                ", line 1, column 2: this is a FEN of gridlock, but the game is magnetic-cave; see --variant",
            ),
            (
                "a1 h1 a2 h2 a3 h3 a4 h4 a5",
                ", line 1, column 1: the game is over behind this opening: x has five in line, a5 to a1",
            ),
            (
                "a1 h1 a2 h2 a3 h3 a4 h4 a5 h5",
                ", line 1, column 28: h5 cannot be played: the game is over",
            ),
            (
                "xxxxx3/oooo4/8/8/8/8/8/8 o",
                ", line 1, column 1: the game is over behind this opening: x has five in line",
            ),
            (
                "a1 h1\0",
                ", line 1, column 6: here is a NUL byte; a book is text in UTF-8",
            ),
        ] {
            let error = error(text);
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
        assert_eq!(
            error(b"a1\n# \xc3\x9f\xff"),
            ", line 2, column 4: this is no UTF-8; a book is text in UTF-8"
        );
    }

    #[test]
    fn an_error_repeats_little_and_nothing_that_disturbs_a_terminal() {
        let text = format!("\x1b[31m{}", "é".repeat(30_000));
        assert!(error(&text).starts_with(", line 1, column 1: `\u{fffd}[31méé"));
        for text in [
            text.clone(),
            format!("x/ x {text}"),
            format!("startpos {text}"),
            format!("8/8/8/8/8/8/8/8 x {text}"),
        ] {
            let error = error(&text);
            assert!(error.chars().count() < 400 && !error.contains('\x1b'), "{error}");
        }
    }

    #[test]
    fn a_line_has_a_bound() {
        let padded = |length: usize| format!("a1\na2{}\n", " ".repeat(length - 2));
        assert_eq!(book(padded(LONGEST_LINE)).0.distinct(), 2);
        assert_eq!(error(padded(LONGEST_LINE + 1)), ", line 2 is longer than 64 KiB");
    }

    #[test]
    fn the_digest_tells_books_apart_and_nothing_else() {
        let digest = |text: &str| book(text).0.digest();
        // Computed once and written down: resumed matches rely on it.
        assert_eq!(digest("a1 h1\na2"), "1872a5c6a2671abb");
        for same in [
            "# x\r\nmoves A1 H1\r\n\r\n startpos moves a2",
            "a1 h1\na2\na7\nh2\n",
            "8/8/8/8/8/8/8/8 x moves a1 h1\na2",
        ] {
            assert_eq!(digest(same), digest("a1 h1\na2"), "{same}");
        }
        for other in ["a2\na1 h1", "a1 h1", "a1 h1\na2\na3", "a1 h1\na7"] {
            assert_ne!(digest(other), digest("a1 h1\na2"), "{other}");
        }
    }

    #[test]
    fn only_files_of_a_sensible_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        fs::write(&path, "a1\nh1\n").unwrap();
        let (book, note) = Book::load(&path, CAVE).unwrap();
        assert_eq!(book.distinct(), 1);
        let note = note.unwrap();
        assert!(note.contains("book`: 1 of 2 openings left out"), "{note}");

        let error = |path: &Path| Book::load(path, CAVE).unwrap_err();
        assert!(error(folder.path()).ends_with("is no file"));
        let missing = error(&folder.path().join("nowhere"));
        assert!(missing.ends_with("nowhere` cannot be read: No such file or directory (os error 2)"));
        File::create(&path).unwrap().set_len(LARGEST_BOOK + 1).unwrap();
        assert!(error(&path).ends_with("is larger than 64 MiB, the most for a book"));
        fs::write(&path, "a1\na1 h9").unwrap();
        assert!(error(&path).contains("book`, line 2, column 4: `h9` is no move"));
    }
}
