//! The openings of games: the start of the variant or a random placement, optionally
//! followed by random moves or the moves of a book.
//!
//! Openings are numbered from 1, and a number always means the same opening. No two
//! openings lead to the same position, or to positions that differ only by rotation
//! or reflection: such games would count twice.

mod book;
mod opening;
mod random;
mod selection;

pub use book::{BookText, GameLine};
pub use opening::OpeningError;
pub use random::MAX_ATTEMPTS;
pub use selection::{MAX_PLIES, Selection, Window};

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use lodestone_game::Setup;

use self::book::Book;
use self::random::RandomOpenings;
use crate::game::{FarStarts, MoveSequence, Ruleset};
use crate::io::as_text::Text;
use crate::io::untrusted::Untrusted;

/// Where the moves of an opening come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// This number of random moves, 1 to [`MAX_PLIES`]; 0 for `none`.
    Random(u32),
    /// A book: a file with one opening per line.
    File(Untrusted),
}

impl Text for OpeningSource {
    fn text(&self) -> impl fmt::Display {
        match self {
            OpeningSource::File(path) => path.raw().to_string(),
            random @ OpeningSource::Random(_) => random.to_string(),
        }
    }

    fn read(text: &str) -> Result<OpeningSource, String> {
        text.parse().map_err(|why| format!("openings: {why}"))
    }
}

impl FromStr for OpeningSource {
    type Err = String;

    /// Parses `none`, `random:PLIES` or the path of a book.
    fn from_str(text: &str) -> Result<OpeningSource, String> {
        let plies = match text {
            "none" => return Ok(OpeningSource::Random(0)),
            "random" => Some(""),
            _ => text.strip_prefix("random:"),
        };
        let Some(plies) = plies else {
            return if text.is_empty() {
                Err("expected `random:PLIES`, `none` or the path of a book".into())
            } else {
                Ok(OpeningSource::File(text.into()))
            };
        };
        match plies.parse() {
            Ok(plies @ 1..=MAX_PLIES) => Ok(OpeningSource::Random(plies)),
            _ => Err(format!(
                "expected `random:PLIES` with 1 to {MAX_PLIES} plies; for a book of this name, write `./{text}`"
            )),
        }
    }
}

impl fmt::Display for OpeningSource {
    /// The source for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::Random(0) => f.write_str("none"),
            OpeningSource::Random(plies) => write!(f, "random:{plies}"),
            OpeningSource::File(path) => path.shown().fmt(f),
        }
    }
}

/// The openings of a match.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Those of a book, and a warning for the user.
    Book(Book, Option<String>),
    Random(RandomOpenings),
}

impl Openings {
    /// The openings of `source`. Without a source, games begin at the start of the
    /// variant, or with a random placement if the variant has a setup. A book ignores
    /// `setup` and `seed`.
    pub fn new(
        ruleset: Ruleset,
        setup: Setup,
        source: Option<&OpeningSource>,
        seed: u64,
    ) -> Result<Openings, OpeningError> {
        let plies = match source {
            None => 0,
            Some(OpeningSource::Random(plies)) => *plies,
            Some(OpeningSource::File(path)) => {
                let text = BookText::read(Path::new(path.raw())).map_err(OpeningError::Book)?;
                return Openings::of_book(&text, ruleset, Selection::default(), seed);
            }
        };
        RandomOpenings::new(ruleset, setup, plies, seed).map(Openings::Random)
    }

    /// The selected openings of a book.
    pub fn of_book(
        text: &BookText,
        ruleset: Ruleset,
        selection: Selection,
        seed: u64,
    ) -> Result<Openings, OpeningError> {
        let (book, note) = Book::new(text, ruleset, selection, seed).map_err(OpeningError::Book)?;
        Ok(Openings::Book(book, note))
    }

    /// The rules of their games.
    pub const fn rules(&self) -> Ruleset {
        match self {
            Openings::Book(book, _) => book.rules,
            Openings::Random(random) => random.rules,
        }
    }

    /// What of them an engine may not be able to play.
    pub const fn far_starts(&self) -> &FarStarts {
        match self {
            Openings::Book(book, _) => book.far_starts(),
            Openings::Random(random) => random.far_starts(),
        }
    }

    /// The opening with this number, from 1. After the last distinct opening they
    /// repeat from the first.
    ///
    /// # Errors
    /// The rules sent no answer, or the line of a book that was too long to be checked is wrong, and those that could
    /// take its place, too.
    pub fn get(&mut self, number: u64) -> Result<MoveSequence, OpeningError> {
        match self {
            Openings::Book(book, _) => book.get(number),
            Openings::Random(random) => random.get(number),
        }
    }

    /// The number of distinct openings; `None` for random ones until they run out.
    pub fn distinct_count(&self) -> Option<u64> {
        match self {
            Openings::Book(book, _) => Some(book.distinct_count()),
            Openings::Random(random) => random.distinct_count(),
        }
    }

    /// Whether this number repeats an earlier opening because the distinct ones have run
    /// out.
    pub fn is_repetition(&mut self, number: u64) -> Result<bool, OpeningError> {
        match self {
            Openings::Book(book, _) => Ok(number > book.distinct_count()),
            Openings::Random(random) => Ok(!random.generate_to(number)?),
        }
    }

    /// A hash of a book, 16 hexadecimal digits. It depends on the distinct openings and
    /// their order, not on the path. `None` for random openings.
    pub fn digest(&self) -> Option<String> {
        match self {
            Openings::Book(book, _) => Some(book.digest()),
            Openings::Random(_) => None,
        }
    }

    /// A warning for the user.
    pub fn note(&self) -> Option<&str> {
        match self {
            Openings::Book(_, note) => note.as_deref(),
            Openings::Random(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use sentences::expect;

    use super::*;

    #[test]
    fn parses_and_writes_a_source() {
        for text in [
            "random:4",
            "none",
            "book.txt",
            "./random",
            "./random:4",
            "no/such book",
        ] {
            let source: OpeningSource = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
            assert_eq!(matches!(source, OpeningSource::Random(4)), text == "random:4");
        }
        for text in [
            "random",
            "random:",
            "random:0",
            "random:1001",
            "random:-1",
            "random:x",
        ] {
            let error = text.parse::<OpeningSource>().unwrap_err();
            expect! {"expected `random:PLIES` with 1 to 1000 plies; for a book of this name, write `./random`"}
                .assert_eq(&error.replace(&format!("./{text}"), "./random"));
        }
        assert!("".parse::<OpeningSource>().is_err());
    }

    #[test]
    fn uses_startpos_only_for_the_start_of_the_variant() {
        let start = |ruleset| {
            let source = OpeningSource::Random(2);
            let openings = Openings::new(ruleset, Setup::default(), Some(&source), 1);
            openings.unwrap().get(1).unwrap().to_string()
        };
        assert!(start(Ruleset::MAGNETIC_CAVE).starts_with("startpos moves "));
        assert!(start(Ruleset::GRIDLOCK).contains(" x 0 40 moves "));
    }
}
