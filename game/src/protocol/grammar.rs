//! Parsers that both grammars share, and errors with a column.

use std::fmt;

use nom::bytes::complete::{take_while, take_while1};
use nom::combinator::{eof, recognize, rest, value, verify};
use nom::error::ErrorKind;
use nom::multi::many1;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

use crate::text::quoted;

/// A line that is not part of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The position of the error, in characters from 1.
    pub column: usize,
    /// What the grammar allows there.
    pub(crate) expected: &'static str,
    /// The word that is there; empty at the end of the line.
    pub(crate) found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: expected {}, found ", self.column, self.expected)?;
        match self.found.as_str() {
            "" => f.write_str("the end of the line"),
            found => f.write_str(&quoted(found)),
        }
    }
}

impl std::error::Error for ParseError {}

/// The result of a parser, with the rest of the line.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, Failure<'a>>;

/// Where a parser failed and what it expected there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    rest: &'a str,
    expected: &'static str,
}

impl<'a> nom::error::ParseError<&'a str> for Failure<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        Failure {
            rest,
            expected: "a word",
        }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// Of two alternatives, reports the one that read further.
    fn or(self, other: Self) -> Self {
        if other.rest.len() < self.rest.len() {
            other
        } else {
            self
        }
    }
}

/// Parses a whole line; ignores white space around it.
pub(super) fn parse_line<'a, T>(
    line: &'a str,
    parser: impl Parser<&'a str, Output = T, Error = Failure<'a>>,
) -> Result<T, ParseError> {
    let line = line.trim_end();
    let end = expecting("the end of the line", end);
    match terminated(parser, end).parse(line) {
        Ok((_, value)) => Ok(value),
        Err(nom::Err::Error(failure) | nom::Err::Failure(failure)) => {
            let rest = failure.rest.trim_start();
            let before = &line[..line.len() - rest.len()];
            let found = rest.split_whitespace().next().unwrap_or_default();
            Err(ParseError {
                column: before.chars().count() + 1,
                expected: failure.expected,
                found: found.to_string(),
            })
        }
        // Never happens: all parsers are of the `complete` kind.
        Err(nom::Err::Incomplete(_)) => Err(ParseError {
            column: line.chars().count() + 1,
            expected: "more",
            found: String::new(),
        }),
    }
}

/// Any amount of white space, or none.
fn spaces(input: &str) -> Parsed<'_, &str> {
    take_while(char::is_whitespace).parse(input)
}

/// The end of the line, after white space.
pub(super) fn end(input: &str) -> Parsed<'_, ()> {
    value((), preceded(spaces, eof)).parse(input)
}

/// One word.
pub(super) fn word(input: &str) -> Parsed<'_, &str> {
    preceded(spaces, take_while1(|c: char| !c.is_whitespace())).parse(input)
}

/// Exactly this word, not a longer one.
pub(super) fn keyword<'a>(name: &'static str) -> impl Parser<&'a str, Output = &'a str, Error = Failure<'a>> {
    verify(word, move |found: &str| found == name)
}

/// The rest of the line, trimmed; may be empty.
pub(super) fn rest_of_line(input: &str) -> Parsed<'_, &str> {
    rest.map(str::trim).parse(input)
}

/// One or more words up to one of `stops` or the end of the line, with the white space
/// between them.
pub(super) fn words_until<'a>(
    stops: &'static [&'static str],
) -> impl Parser<&'a str, Output = &'a str, Error = Failure<'a>> {
    recognize(many1(verify(word, move |found: &str| !stops.contains(&found)))).map(str::trim)
}

/// Replaces each run of white space by one space.
pub(super) fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A word that parses as a `T`.
pub(super) fn number<'a, T: std::str::FromStr>(
    expected: &'static str,
) -> impl Parser<&'a str, Output = T, Error = Failure<'a>> {
    expecting(expected, word.map_opt(|found: &str| found.parse().ok()))
}

/// Names what is expected if `parser` fails at its first word.
pub(super) fn expecting<'a, T>(
    expected: &'static str,
    mut parser: impl Parser<&'a str, Output = T, Error = Failure<'a>>,
) -> impl Parser<&'a str, Output = T, Error = Failure<'a>> {
    move |input: &'a str| {
        parser.parse(input).map_err(|error| {
            error.map(|failure| {
                let at_start = failure.rest.trim_start().len() >= input.trim_start().len();
                if at_start {
                    Failure {
                        rest: input,
                        expected,
                    }
                } else {
                    failure
                }
            })
        })
    }
}
