//! Where games begin: the variant's start or a drawn placement, and perhaps
//! some moves, random ones or those of a book.
//!
//! Openings have numbers, from 1. No two of them lead to the same position, nor
//! to positions that are the same but for turning and mirroring the board:
//! playing them would count the same games twice. A number always stands for
//! the same opening, whatever was asked for before.

mod book;
mod drawn;
mod opening;
mod window;

pub use book::{LARGEST_BOOK, LONGEST_LINE};
pub use drawn::MOST_DRAWS;
pub use opening::{Opening, OpeningError};
pub use window::Window;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use lodestone::game::{Setup, Variant};

use self::book::Book;
use self::drawn::Drawn;

/// Where the moves of an opening come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// So many random moves, 1 to 1000.
    Random(u32),
    /// A book: a file with an opening a line.
    File(PathBuf),
}

/// The most opening moves that can be asked for: more than any game has.
pub const MOST_PLIES: u32 = 1000;

impl FromStr for OpeningSource {
    type Err = String;

    /// `random:PLIES`; anything else is the path of a book.
    fn from_str(text: &str) -> Result<OpeningSource, String> {
        let Some(plies) = text.strip_prefix("random:") else {
            return if text.is_empty() {
                Err("expected `random:PLIES` or the path of a book".into())
            } else {
                Ok(OpeningSource::File(text.into()))
            };
        };
        match plies.parse() {
            Ok(plies @ 1..=MOST_PLIES) => Ok(OpeningSource::Random(plies)),
            _ => Err(format!(
                "expected `random:PLIES` with 1 to {MOST_PLIES} plies; a book of this name is `./{text}`"
            )),
        }
    }
}

impl fmt::Display for OpeningSource {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::Random(plies) => write!(f, "random:{plies}"),
            OpeningSource::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The openings of a match, by their numbers.
#[derive(Clone, Debug)]
pub struct Openings {
    source: Source,
    notes: Vec<String>,
}

#[derive(Clone, Debug)]
enum Source {
    Book(Book),
    Drawn(Drawn),
}

impl Openings {
    /// The openings that `source` stands for. Without a source a game begins
    /// with the variant's start, or with a placement drawn as `setup` says.
    /// `seed` decides what is drawn; a book needs neither.
    ///
    /// # Errors
    /// Where a book is wrong, or no opening can be drawn.
    pub fn new(
        variant: Variant,
        setup: Setup,
        source: Option<&OpeningSource>,
        seed: u64,
    ) -> Result<Openings, OpeningError> {
        let plies = match source {
            None => 0,
            Some(OpeningSource::Random(plies)) => *plies,
            Some(OpeningSource::File(path)) => {
                let (book, note) = Book::load(path, variant).map_err(OpeningError::Book)?;
                return Ok(Openings {
                    source: Source::Book(book),
                    notes: note.into_iter().collect(),
                });
            }
        };
        Ok(Openings {
            source: Source::Drawn(Drawn::new(variant, setup, plies, seed)?),
            notes: Vec::new(),
        })
    }

    /// The opening with this number, from 1. Numbers beyond the distinct ones
    /// begin again with the first.
    ///
    /// # Errors
    /// None that [`Openings::new`] would not have found.
    pub fn get(&mut self, number: u64) -> Result<Opening, OpeningError> {
        match &mut self.source {
            Source::Book(book) => book.get(number),
            Source::Drawn(drawn) => drawn.get(number),
        }
    }

    /// How many distinct ones there are; `None` while drawn ones have not run
    /// out, so that nobody knows.
    #[must_use]
    pub fn distinct(&self) -> Option<u64> {
        match &self.source {
            Source::Book(book) => Some(book.distinct()),
            Source::Drawn(drawn) => drawn.distinct(),
        }
    }

    /// Whether the opening with this number has another, smaller one as well.
    ///
    /// # Errors
    /// As [`Openings::get`].
    pub fn is_used_up(&mut self, number: u64) -> Result<bool, OpeningError> {
        Ok(match &mut self.source {
            Source::Book(book) => number > book.distinct(),
            Source::Drawn(drawn) => !drawn.reach(number),
        })
    }

    /// Sixteen hexadecimal digits that tell one book from another, whatever
    /// their paths: made of the distinct openings in their order. `None` for
    /// drawn ones.
    #[must_use]
    pub fn digest(&self) -> Option<String> {
        match &self.source {
            Source::Book(book) => Some(book.digest()),
            Source::Drawn(_) => None,
        }
    }

    /// What the user should know, a sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

#[cfg(test)]
mod tests {
    use lodestone::protocol::Start;

    use super::*;

    #[test]
    fn a_source_is_read_and_written() {
        for text in ["random:4", "book.txt", "random", "./random:4", "no/such book"] {
            let source: OpeningSource = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
            assert_eq!(matches!(source, OpeningSource::Random(4)), text == "random:4");
        }
        for text in ["random:", "random:0", "random:1001", "random:-1", "random:x"] {
            assert_eq!(
                text.parse::<OpeningSource>(),
                Err(format!(
                    "expected `random:PLIES` with 1 to 1000 plies; a book of this name is `./{text}`"
                ))
            );
        }
        assert!("".parse::<OpeningSource>().is_err());
    }

    #[test]
    fn engines_hear_startpos_only_where_the_game_begins_there() {
        let start = |variant| {
            let source = OpeningSource::Random(2);
            let openings = Openings::new(variant, Setup::default(), Some(&source), 1);
            openings.unwrap().get(1).unwrap().start
        };
        assert_eq!(start(Variant::MagneticCave), Start::Startpos);
        assert!(matches!(start(Variant::Gridlock), Start::Fen(fen) if fen.ends_with(" x 0 40")));
    }

    #[test]
    fn openings_can_go_to_another_thread() {
        fn goes<T: Send>(_: &T) {}
        let openings = Openings::new(Variant::Gridlock, Setup::default(), None, 1).unwrap();
        goes(&openings);
        assert_eq!(openings.digest(), None);
        assert!(openings.notes().is_empty());
    }
}
