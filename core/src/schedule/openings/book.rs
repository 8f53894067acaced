//! A book: openings from a file, one per line.
//!
//! ```text
//! # Two openings of Magnetic Cave, the second written in three ways:
//! xo6/8/8/8/8/8/8/8 x moves h1 h2
//! startpos moves a1 h1 a2
//! moves a1 h1 a2
//! a1 h1 a2
//! ```
//!
//! A line has `startpos` or a FEN, optionally followed by `moves` and moves; or only
//! moves. Blank lines and lines that begin with `#` are ignored.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodestone_game::random::Random;

use super::opening::{OpeningError, index_of};
use super::selection::{Order, Selection};
use crate::game::{FarStarts, MoveError, MoveSequence, Position, Ruleset, STARTPOS};
use crate::io::files;
use crate::io::files::{Digest, digest};
use crate::io::interrupt;
use crate::io::text::ShowPath;
use crate::io::text::printable;

/// Maximum length of a line, in bytes.
pub(crate) const MAX_LINE_LENGTH: usize = 64 * 1024;

/// Maximum size of a book, in bytes.
const MAX_BOOK_SIZE: u64 = 64 * 1024 * 1024;

/// The number of openings of a rules program's game that are checked when the book is read. Of a
/// longer book the others are checked when they are played, and left out if they are wrong.
const MAX_CHECKED: usize = 1000;

/// The same for games in the notation of people, about which a program is asked twice as much.
const MAX_CHECKED_GAMES: usize = 100;

/// The most openings that are tried in place of a wrong one.
const MAX_REPLACED: usize = 100;

/// Maximum length of a quoted word in an error message, in characters.
const MAX_QUOTE: usize = 40;

/// Maximum length of a quoted error about a FEN, in characters.
const MAX_FEN_ERROR: usize = 200;

/// The text of a book and where it comes from.
#[derive(Clone, Debug)]
pub struct BookText {
    path: PathBuf,
    /// One opening per line.
    bytes: Vec<u8>,
    /// What a line of `bytes` is in the file.
    unit: Unit,
    places: Places,
}

/// The lines of each game in its file: the first one, and that of each move.
type Places = Arc<[Vec<u32>]>;

/// A game of a file as a line of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameLine {
    /// The opening.
    pub text: String,
    /// The number of its first line in the file, and of that of each move.
    pub lines: Vec<u32>,
}

impl GameLine {
    /// The text in place of a game that is no opening.
    pub const NONE: &str = "#";
}

/// What an opening is in the file of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Line,
    /// A game of a PGN file.
    Game,
    /// One that another program has written, whose moves may be in another notation.
    OtherGame,
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Unit::Line => "line",
            Unit::Game | Unit::OtherGame => "game",
        }
    }

    /// What explains an error.
    fn hint(self, rules: Ruleset) -> &'static str {
        if self != Unit::OtherGame || rules.reads_notation() {
            return "";
        }
        "; another program wrote this PGN, and these rules do not answer `query notation`: \
         write each opening as a line `startpos moves …`, with moves as the rules write them"
    }
}

/// What is wrong in a line, or in its game, and where; to follow the name of the file.
fn place(
    (unit, places): (Unit, &Places),
    line: &[u8],
    number: usize,
    error: LineError,
    rules: Ruleset,
) -> String {
    let LineError { at, why } = error;
    let text = String::from_utf8_lossy(line);
    let before = String::from_utf8_lossy(&line[..at]);
    if unit == Unit::Line {
        let column = before.chars().count() + 1;
        return format!(", line {number}, column {column}: {why}");
    }
    let head = text.split_whitespace().position(|word| word == "moves");
    let mv = before
        .split_whitespace()
        .count()
        .checked_sub(head.unwrap_or_default());
    let lines = places.get(number - 1);
    let in_file = lines.and_then(|lines| lines.get(mv.unwrap_or_default()));
    let in_file = in_file.map_or(String::new(), |line| format!(", line {line}"));
    format!(", game {number}{in_file}: {why}{}", unit.hint(rules))
}

impl BookText {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<BookText, String> {
        let bytes = files::read(path, MAX_BOOK_SIZE)?.ok_or_else(|| {
            let (name, most) = (path.shown(), MAX_BOOK_SIZE / (1024 * 1024));
            format!("`{name}` is larger than {most} MiB, the limit for a book")
        })?;
        Ok(BookText {
            path: path.to_path_buf(),
            bytes,
            unit: Unit::Line,
            places: Places::default(),
        })
    }

    /// The content of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Replaces the content by one line for each game of the file; `is_ours` if this program has written it.
    pub fn with_games(self, games: Vec<GameLine>, is_ours: bool) -> BookText {
        let (texts, places): (Vec<String>, _) = games.into_iter().map(|game| (game.text, game.lines)).unzip();
        let places: Vec<Vec<u32>> = places;
        BookText {
            bytes: texts.join("\n").into_bytes(),
            unit: if is_ours { Unit::Game } else { Unit::OtherGame },
            places: places.into(),
            ..self
        }
    }
}

/// The openings of a file, without those that lead to the same position as an earlier
/// one.
///
/// They are kept as text and parsed again when needed, so a book takes no more memory
/// than its file.
#[derive(Clone, Debug)]
pub struct Book {
    /// The name of the file.
    name: String,
    unit: Unit,
    places: Places,
    pub(super) rules: Ruleset,
    /// The lines of the openings, without separators.
    text: String,
    /// The end of each line in `text`.
    ends: Vec<u32>,
    /// Its number in the file.
    numbers: Vec<u32>,
    /// The indices of lines that turned out to be wrong, each with the one in its place.
    replaced: HashMap<usize, usize>,
    digest: Digest,
    selection: Selection,
    /// The indices of the openings in the order of the match; empty for that of the file.
    order: Vec<u32>,
    /// Of those that were checked.
    far_starts: FarStarts,
}

#[derive(Debug)]
struct LineError {
    /// The byte of the line where it is.
    at: usize,
    why: String,
}

impl LineError {
    fn at(word: &str, line: &str, why: impl Into<String>) -> LineError {
        LineError {
            at: word.as_ptr() as usize - line.as_ptr() as usize,
            why: why.into(),
        }
    }
}

impl Book {
    /// Parses a book. `seed` is that of a random order. The second value is a warning for the
    /// user.
    pub(crate) fn new(
        text: &BookText,
        rules: Ruleset,
        selection: Selection,
        seed: u64,
    ) -> Result<(Book, Option<String>), String> {
        let name = text.path.shown();
        let parsed = Book::parse(text, rules, selection);
        let (mut book, note) = parsed.map_err(|error| format!("`{name}`{error}"))?;
        book.name.clone_from(&name);
        let count = book.distinct_count();
        if selection.start > count {
            return Err(format!(
                "`start={}`: `{name}` has {count} distinct openings",
                selection.start
            ));
        }
        if selection.order == Order::Random {
            book.shuffle(seed);
        }
        Ok((book, note.map(|note| format!("`{name}`: {note}"))))
    }

    /// Orders the openings by the seed (Fisher and Yates, as in Knuth, The Art of Computer
    /// Programming, volume 2, algorithm 3.4.2 P).
    fn shuffle(&mut self, seed: u64) {
        let mut random = Random::new(seed);
        self.order = (0..self.ends.len() as u32).collect();
        for index in (1..self.order.len()).rev() {
            self.order.swap(index, random.below(index as u64 + 1) as usize);
        }
    }

    /// Parses a book. Errors and warnings are to follow the name of the file.
    fn parse(
        text: &BookText,
        rules: Ruleset,
        selection: Selection,
    ) -> Result<(Book, Option<String>), String> {
        let unit = text.unit;
        let mut book = Book {
            name: String::new(),
            unit,
            places: Arc::clone(&text.places),
            rules,
            selection,
            order: Vec::new(),
            text: String::new(),
            ends: Vec::new(),
            numbers: Vec::new(),
            replaced: HashMap::new(),
            digest: Digest::new(),
            far_starts: FarStarts::default(),
        };
        let max_checked = match unit {
            Unit::OtherGame => MAX_CHECKED_GAMES,
            _ => MAX_CHECKED,
        };
        // The line of each end position, by symmetry key.
        let mut lines = HashMap::new();
        let (mut openings, mut first_repeated) = (0, None);
        for (line, number) in text.bytes.split(|&byte| byte == b'\n').zip(1_usize..) {
            interrupt::check().map_err(|signal| format!(": {signal}"))?;
            if line.len() > MAX_LINE_LENGTH {
                let most = MAX_LINE_LENGTH / 1024;
                return Err(format!(", {} {number} is longer than {most} KiB", unit.name()));
            }
            let here = |error| place((unit, &text.places), line, number, error, rules);
            let text = decode(line).map_err(here)?;
            let opening = match rules.variant() {
                None if openings >= max_checked => None,
                _ => parse_line(text, rules, selection.plies).map_err(here)?,
            };
            if opening.is_none() && (openings < max_checked || is_comment(text)) {
                continue;
            }
            openings += 1;
            let key = opening.as_ref().map_or_else(
                || digest([text.trim()]),
                |opening| opening.position().symmetry_key(),
            );
            match lines.insert(key, number) {
                None => book.add(text, number, opening.as_ref()),
                Some(earlier) => {
                    first_repeated.get_or_insert((number, earlier));
                }
            }
        }
        if openings == 0 {
            return Err(": the book has no openings".into());
        }
        let unit = unit.name();
        let repeated = first_repeated.map(|(line, earlier)| {
            let symmetry = match rules.variant() {
                Some(_) => ", possibly rotated or mirrored",
                None => "",
            };
            format!(
                "skipped {} of {openings} openings, which lead to the same position as an earlier one{symmetry}; the \
                 first is {unit} {line}, which repeats {unit} {earlier}",
                openings - book.ends.len(),
            )
        });
        let unchecked = (rules.variant().is_none() && openings > max_checked).then(|| {
            format!(
                "only the first {max_checked} of {openings} openings have been checked; a wrong one behind them is left \
                 out with a warning when it is its turn"
            )
        });
        let notes: Vec<String> = repeated.into_iter().chain(unchecked).collect();
        Ok((book, Some(notes.join("; ")).filter(|note| !note.is_empty())))
    }

    /// Adds a line; without its opening if that is not checked.
    fn add(&mut self, line: &str, number: usize, opening: Option<&MoveSequence>) {
        self.text.push_str(line.trim());
        self.numbers.push(number as u32);
        // `MAX_BOOK_SIZE` is less than 4 GiB.
        self.ends.push(self.text.len() as u32);
        if let Some(opening) = opening {
            self.far_starts.add(opening);
        }
        match opening.filter(|_| self.rules.variant().is_some()) {
            Some(opening) => {
                self.digest.add(opening.first_position().fen());
                for mv in opening.moves() {
                    self.digest.add(" ");
                    self.digest.add(mv);
                }
            }
            None => self.digest.add(line.trim()),
        }
        self.digest.add("\n");
    }

    /// The number of distinct openings, at least 1.
    pub const fn distinct_count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// What of them an engine may not be able to play.
    pub const fn far_starts(&self) -> &FarStarts {
        &self.far_starts
    }

    /// The opening with this number, from 1. After the last they repeat from the first. In place of one that is wrong
    /// comes one from the end of the book, which depends on the number alone, so that all shards and resumed matches
    /// play the same.
    pub fn get(&mut self, number: u64) -> Result<MoveSequence, OpeningError> {
        let none = || OpeningError::Book(format!("there is no opening {number}"));
        let count = self.ends.len();
        let place = index_of(number, count).ok_or_else(none)?;
        let mut first_error = None;
        let others = (0..count.min(MAX_REPLACED)).map(|back| (2 * count - 1 - place - back) % count);
        for place in [place].into_iter().chain(others) {
            let index = index_of(place as u64 + self.selection.start, count).ok_or_else(none)?;
            let index = self.order.get(index).map_or(index, |&index| index as usize);
            match self.opening(index) {
                Ok(opening) => {
                    if let Some((wrong, why)) = first_error
                        && self.replaced.insert(wrong, index).is_none()
                    {
                        let (unit, instead) = (self.unit.name(), self.numbers.get(index).unwrap_or(&0));
                        log::warn!("--openings: {why}; {unit} {instead} is played instead");
                    }
                    return Ok(opening);
                }
                Err(OpeningError::Book(why)) if self.rules.variant().is_none() => {
                    first_error.get_or_insert((index, why));
                }
                Err(error) => return Err(error),
            }
        }
        Err(first_error.map_or_else(none, |(_, why)| OpeningError::Book(why)))
    }

    /// The opening with this index, from 0.
    fn opening(&self, index: usize) -> Result<MoveSequence, OpeningError> {
        let line = self.line(index).unwrap_or_default();
        match parse_line(line, self.rules, self.selection.plies) {
            Ok(Some(opening)) => Ok(opening),
            Ok(None) => Err(OpeningError::Book(format!(
                "`{}` has no opening {}",
                self.name,
                index + 1
            ))),
            Err(error) => {
                interrupt::check().map_err(|signal| OpeningError::Rules(signal.to_string()))?;
                if let Some(why) = self.rules.failure() {
                    return Err(OpeningError::Rules(why));
                }
                let number = self.numbers.get(index).copied().unwrap_or_default() as usize;
                let places = (self.unit, &self.places);
                let place = place(places, line.as_bytes(), number, error, self.rules);
                Err(OpeningError::Book(format!("`{}`{place}", self.name)))
            }
        }
    }

    /// The line of the opening with this index, from 0.
    fn line(&self, index: usize) -> Option<&str> {
        let begin = index
            .checked_sub(1)
            .map_or(Some(&0), |before| self.ends.get(before));
        self.text.get(*begin? as usize..*self.ends.get(index)? as usize)
    }

    /// A hash of the openings, 16 hexadecimal digits.
    pub fn digest(&self) -> String {
        self.digest.to_string()
    }
}

/// Decodes a line as UTF-8.
fn decode(line: &[u8]) -> Result<&str, LineError> {
    let error = |at, what: &str| LineError {
        at,
        why: format!("{what}; a book must be UTF-8 text"),
    };
    if let Some(zero) = line.iter().position(|&byte| byte == 0) {
        return Err(error(zero, "unexpected NUL byte"));
    }
    std::str::from_utf8(line).map_err(|found| error(found.valid_up_to(), "invalid UTF-8"))
}

/// Whether a line is blank or a comment.
fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// Parses a line, with at most `plies` of its moves; `None` for a comment or a blank line.
fn parse_line(line: &str, rules: Ruleset, plies: Option<u32>) -> Result<Option<MoveSequence>, LineError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(&first) = words.first().filter(|_| !is_comment(line)) else {
        return Ok(None);
    };
    let is_fen = |word: &str| match rules.variant() {
        Some(_) => word.contains('/'),
        // What begins with a move is a list of moves.
        None => word != STARTPOS && rules.startpos().parse_written(word).is_err(),
    };
    let keyword = words.iter().position(|word| *word == "moves");
    let (head, moves) = match keyword {
        Some(index) => (&words[..index], &words[index + 1..]),
        // Only moves.
        None if first != STARTPOS && !is_fen(first) => (&words[..0], &words[..]),
        None => (&words[..], &words[..0]),
    };
    let unexpected = |word: &str, what: &str| {
        let found = printable(word, MAX_QUOTE);
        LineError::at(word, line, format!("expected {what}, found `{found}`"))
    };
    let start = match *head {
        [] | ["startpos"] => rules.startpos(),
        ["startpos", other, ..] => return Err(unexpected(other, "`moves` or the end of the line")),
        [.., last] if is_fen(first) => parse_fen(line, first, last, rules)?,
        [word, ..] => return Err(unexpected(word, "`startpos`, a FEN or moves")),
    };
    let moves = plies.map_or(moves, |plies| moves.get(..plies as usize).unwrap_or(moves));
    let mut opening = MoveSequence::new(rules, start);
    for word in moves {
        let failed = |why: String| LineError::at(word, line, why);
        // A word that quoting changes is not a move.
        let mv = opening.position().parse_written(&printable(word, MAX_QUOTE));
        let mv = mv.map_err(|error| match (error, rules.variant()) {
            // The error of a rules program lists what can be played.
            (MoveError::Illegal(why), None) => failed(format!(
                "`{}` cannot be played: {why}",
                printable(word, MAX_QUOTE)
            )),
            (error, _) => failed(error.to_string()),
        })?;
        opening.play(mv).map_err(|stop| failed(stop.to_string()))?;
    }
    let end = opening.position();
    if let Some(outcome) = end.outcome() {
        let why = end.explain(outcome);
        let why = format!("the game is over after this opening: {why}; `plies=N` plays only its first moves");
        return Err(LineError::at(first, line, why));
    }
    Ok(Some(opening))
}

/// Parses the FEN from the word `first` to the word `last`.
fn parse_fen(line: &str, first: &str, last: &str, rules: Ruleset) -> Result<Box<dyn Position>, LineError> {
    let start = LineError::at(first, line, "").at;
    let fen = &line[start..LineError::at(last, line, "").at + last.len()];
    rules.parse_fen(fen).map_err(|error| {
        let is_of = |other: &&Ruleset| rules.variant().is_some() && other.parse_fen(fen).is_ok();
        if let Some(other) = Ruleset::ALL.iter().find(is_of) {
            let why = format!("this is a FEN of {other}, but the game is {rules}; see --variant");
            return LineError::at(first, line, why);
        }
        let before = fen.char_indices().nth(error.character - 1);
        LineError {
            at: start + before.map_or(fen.len(), |(index, _)| index),
            why: format!(
                "not a FEN of {rules}: {}",
                printable(&error.message, MAX_FEN_ERROR)
            ),
        }
    })
}

#[cfg(test)]
mod tests {
    use sentences::{assert_has, assert_rows, expect};
    use std::fs::{self, File};

    use super::*;

    const CAVE: Ruleset = Ruleset::MAGNETIC_CAVE;

    /// A book of which each line is this in its file, where game N begins at line 10 N, and has one move a line.
    fn text_of(text: &str, unit: Unit) -> BookText {
        let game = |(number, text): (u32, &str)| GameLine {
            text: text.into(),
            lines: (0..20).map(|line| 10 * number + line).collect(),
        };
        let of = |bytes: &str| BookText {
            path: "book".into(),
            bytes: bytes.into(),
            unit,
            places: Places::default(),
        };
        match unit {
            Unit::Line => of(text),
            _ => of("").with_games(
                (1..).zip(text.split('\n')).map(game).collect(),
                unit == Unit::Game,
            ),
        }
    }

    fn parse(text: &[u8]) -> Result<(Book, Option<String>), String> {
        let text = BookText {
            bytes: text.to_vec(),
            ..text_of("", Unit::Line)
        };
        Book::parse(&text, CAVE, Selection::default())
    }

    fn book(text: impl AsRef<[u8]>) -> (Book, Option<String>) {
        parse(text.as_ref()).unwrap()
    }

    fn error(text: impl AsRef<[u8]>) -> String {
        parse(text.as_ref()).unwrap_err()
    }

    /// The numbers of the openings, 1 to 5, that a match of `count` pairs plays from a book of
    /// five.
    fn played(selection: Selection, seed: u64, count: u64) -> Vec<u8> {
        let text = text_of("a1 h1\na2 h1\na3 h1\na4 h1\na5 h1", Unit::Line);
        let (mut book, _) = Book::new(&text, CAVE, selection, seed).unwrap();
        let openings = (1..=count).map(|number| book.get(number).unwrap().to_string());
        openings.map(|opening| opening.as_bytes()[16] - b'0').collect()
    }

    #[test]
    fn selects_order_and_start() {
        let from = |order, start| Selection {
            order,
            start,
            plies: None,
        };
        assert_eq!(played(from(Order::Sequential, 4), 1, 7), [4, 5, 1, 2, 3, 4, 5]);
        // Recorded: a resumed match relies on it.
        let shuffled = played(from(Order::Random, 1), 1, 10);
        assert_eq!(shuffled[..5], [4, 2, 1, 3, 5]);
        assert_eq!(shuffled[..5], shuffled[5..], "they repeat in the same order");
        assert_eq!(played(from(Order::Random, 3), 1, 8), shuffled[2..]);
        let others: std::collections::HashSet<Vec<u8>> = (0..500)
            .map(|seed| played(from(Order::Random, 1), seed, 5))
            .collect();
        assert!(others.len() > 100, "{} of 120 orders", others.len());
    }

    #[test]
    fn cuts_openings_before_it_compares_them() {
        let select = |plies| Selection {
            plies: Some(plies),
            ..Selection::default()
        };
        let text = "a1 h1 a2\na1 h1 a3\n\nxo6/8/8/8/8/8/8/8 x moves h1 h2\na1 h1 a2 h2 a3 h3 a4 h4 a5";
        let games = text_of(text, Unit::Game);
        let (book, note) = Book::parse(&games, CAVE, select(2)).unwrap();
        assert_eq!(
            openings(&book),
            ["startpos moves a1 h1", "xo6/8/8/8/8/8/8/8 x moves h1 h2"]
        );
        assert_has(
            note.unwrap(),
            expect! {"; the first is game 2, which repeats game 1"},
        );
        let other = Book::parse(&text_of(text, Unit::Line), CAVE, select(3))
            .unwrap()
            .0;
        assert_ne!(other.digest(), book.digest());
        let error = Book::parse(&games, CAVE, select(9)).unwrap_err();
        expect! {", game 5, line 50: the game is over after this opening: x has five in line, a5 to a1; `plies=N` plays only its first moves"}.assert_eq(&error);
    }

    #[test]
    fn errors_in_a_game_name_its_line() {
        for (text, place) in [
            (
                "startpos moves a1 h1\n#\nstartpos moves a2 h2 a2",
                "game 3, line 33",
            ),
            ("startpos moves i9", "game 1, line 11"),
            ("8/8 x moves a1", "game 1, line 10"),
            ("xo6/8/8/8/8/8/8/8 x moves h1 h1", "game 1, line 12"),
        ] {
            let error = Book::parse(&text_of(text, Unit::Game), CAVE, Selection::default()).unwrap_err();
            assert!(error.starts_with(&format!(", {place}: ")), "{error}");
        }
    }

    fn openings(book: &Book) -> Vec<String> {
        let mut book = book.clone();
        (1..=book.distinct_count())
            .map(|number| book.get(number).unwrap().to_string())
            .collect()
    }

    #[test]
    fn parses_every_way_to_write_an_opening() {
        let text = "# A book.\r\n\
                    startpos\r\n\
                    \n\
                    \u{20}\tstartpos \tmoves  A1 h1\u{20}\n\
                    moves a1 h1 b1\n\
                    # a1\n\
                    a2\n\
                    8/8/8/8/8/8/8/8 x moves a2 a3\n\
                    xo6/8/8/8/8/8/8/8   x\n\
                    xo6/8/8/8/8/8/8/8 x moves h1";
        let (mut book, note) = book(text);
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
            "they repeat"
        );
        let (again, _) = parse(openings(&book).join("\n").as_bytes()).unwrap();
        assert_eq!(openings(&again), openings(&book), "written openings parse");
    }

    #[test]
    fn a_position_is_elsewhere_than_the_start_even_without_moves() {
        for (text, expected) in [
            ("startpos", [false, false]),
            ("startpos moves a1", [true, false]),
            ("xo6/8/8/8/8/8/8/8 x", [true, true]),
        ] {
            let far = book(text).0.far_starts().clone();
            assert_eq!(
                [far.moved, far.placed].map(|found| found.is_some()),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn skips_openings_that_lead_to_symmetric_positions() {
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
        expect! {"skipped 3 of 6 openings, which lead to the same position as an earlier one, possibly rotated or mirrored; the first is line 3, which repeats line 2"}.assert_eq(&note.unwrap());
    }

    #[test]
    fn errors_name_line_and_column() {
        let table = expect![[r#"
            a1 a1 | , line 1, column 4: a1 holds a brick already
            a1 ß i9 | , line 1, column 4: `ß` is not a move: expected a column
            moves ß1 i9 | , line 1, column 7: `ß1` is not a move: expected a column
            # ß¶¶a1 i9¶ | , line 3, column 4: `i9` is not a move: expected a column
            startpos a1 | , line 1, column 10: expected `moves` or the end of the line, found `a1`
            ¶ a1 moves h1 | , line 2, column 2: expected `startpos`, a FEN or moves, found `a1`
            Startpos | , line 1, column 1: `Startpos` is not a move
            8/8/8/8/8/8/8/8 y moves a1
                | , line 1, column 17: not a FEN of magnetic-cave: the side to move is `x` or `o`, found `y`
            a1¶  8/8/8/8/8/8/8 x | , line 2, column 16: not a FEN of magnetic-cave: row 1 is missing
            8/8/8/8/8/8/8/8 | , line 1, column 16: not a FEN of magnetic-cave: the side to move is missing
            a1 h1 a2 h2 a3 h3 a4 h4 a5 h5 | , line 1, column 28: h5 cannot be played: the game is over
            xxxxx3/oooo4/8/8/8/8/8/8 o
                | , line 1, column 1: the game is over after this opening: x has five in line
        "#]];
        assert_rows(table, |[text]| error(text.replace('¶', "\r\n").as_str()));
        assert_eq!(error(""), ": the book has no openings");
        expect! {", line 2, column 4: invalid UTF-8; a book must be UTF-8 text"}
            .assert_eq(&error(b"a1\n# \xc3\x9f\xff"));
    }

    #[test]
    fn errors_quote_little_and_no_control_characters() {
        let text = format!("\x1b[31m{}", "é".repeat(30_000));
        assert!(error(&text).starts_with(", line 1, column 1: `\\u{1b}[31méé"));
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
    fn rejects_a_long_line() {
        let padded = |length: usize| format!("a1\na2{}\n", " ".repeat(length - 2));
        assert_eq!(book(padded(MAX_LINE_LENGTH)).0.distinct_count(), 2);
        assert_eq!(
            error(padded(MAX_LINE_LENGTH + 1)),
            ", line 2 is longer than 64 KiB"
        );
    }

    #[test]
    fn hash_depends_on_the_openings_only() {
        let digest = |text: &str| book(text).0.digest();
        // A recorded value: resumed matches rely on it.
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
    fn rejects_missing_and_large_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let error = |path: &Path| BookText::read(path).unwrap_err();
        assert_has(error(folder.path()), expect! {"it is a folder, not a file"});
        let nowhere = folder.path().join("nowhere");
        let missing = fs::metadata(&nowhere).unwrap_err().to_string();
        assert_has(error(&nowhere), &missing);
        assert_has(error(&nowhere), expect! {"nowhere` cannot be read:"});
        File::create(&path).unwrap().set_len(MAX_BOOK_SIZE + 1).unwrap();
        assert_has(
            error(&path),
            expect! {"is larger than 64 MiB, the limit for a book"},
        );
    }
}
