//! The words that both grammars share: a reader of words, errors with a column, and the dialects.

use std::fmt;

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

/// Reads a line word by word; ignores white space around words.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    line: &'a str,
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn of(line: &'a str) -> Words<'a> {
        let line = line.trim_end();
        Words { line, rest: line }
    }

    /// The next word; empty at the end of the line.
    fn peek(self) -> &'a str {
        self.rest.split_whitespace().next().unwrap_or_default()
    }

    pub(super) fn is_end(self) -> bool {
        self.peek().is_empty()
    }

    /// Takes the next word.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.next_if(|_| true)
    }

    /// Takes the next word if it fulfils the condition.
    pub(super) fn next_if(&mut self, condition: impl Fn(&str) -> bool) -> Option<&'a str> {
        let word = self.peek();
        if word.is_empty() || !condition(word) {
            return None;
        }
        self.rest = &self.rest.trim_start()[word.len()..];
        Some(word)
    }

    /// Takes the next word if it is this one.
    pub(super) fn accept(&mut self, word: &str) -> bool {
        self.next_if(|found| found == word).is_some()
    }

    /// Takes the next word if it parses as a `T`.
    pub(super) fn parsed<T: std::str::FromStr>(&mut self) -> Option<T> {
        let value = self.peek().parse().ok()?;
        self.word();
        Some(value)
    }

    /// Takes the rest of the line as words.
    pub(super) fn all(&mut self) -> Vec<String> {
        self.rest().split_whitespace().map(str::to_string).collect()
    }

    /// Takes the words up to one of `stops` or the end of the line, at least one, with the white
    /// space between them.
    pub(super) fn until(&mut self, stops: &[&str], expected: &'static str) -> Result<&'a str, ParseError> {
        let before = self.rest;
        while self.next_if(|word| !stops.contains(&word)).is_some() {}
        let words = before[..before.len() - self.rest.len()].trim();
        if words.is_empty() {
            return Err(self.error(expected));
        }
        Ok(words)
    }

    /// Takes the rest of the line, trimmed.
    pub(super) fn rest(&mut self) -> &'a str {
        std::mem::take(&mut self.rest).trim()
    }

    /// Takes exactly this word.
    pub(super) fn expect(&mut self, word: &str, expected: &'static str) -> Result<(), ParseError> {
        if self.accept(word) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    /// The same line from this word of it on.
    pub(super) fn at(self, word: &str) -> Words<'a> {
        let start = word.as_ptr().addr() - self.line.as_ptr().addr();
        Words {
            rest: &self.line[start..],
            ..self
        }
    }

    /// The error for the next word.
    pub(super) fn error(self, expected: &'static str) -> ParseError {
        let at = self.rest.trim_start();
        ParseError {
            column: self.line[..self.line.len() - at.len()].chars().count() + 1,
            expected,
            found: self.peek().to_string(),
        }
    }
}

/// Replaces each run of white space by one space.
pub(super) fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The dialect that client and engine use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The Universal Chess Interface, of chess engines.
    #[default]
    Uci,
    /// The Universal Game Interface, for any game: players are p1 and p2, and the engine
    /// answers `query`.
    Ugi,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 2] = [Dialect::Uci, Dialect::Ugi];

    /// The name of the dialect, which is also the client's first command.
    ///
    /// ```
    /// use lodestone::protocol::Dialect;
    ///
    /// assert_eq!(Dialect::Ugi.name(), "ugi");
    /// assert_eq!(Dialect::Ugi.greeted(), "ugiok");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Uci => "uci",
            Dialect::Ugi => "ugi",
        }
    }

    /// The dialect of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The reply that ends the engine's announcement of its options.
    pub const fn greeted(self) -> &'static str {
        match self {
            Dialect::Uci => "uciok",
            Dialect::Ugi => "ugiok",
        }
    }

    /// The command before each game.
    pub const fn new_game(self) -> &'static str {
        match self {
            Dialect::Uci => "ucinewgame",
            Dialect::Ugi => "uginewgame",
        }
    }

    /// The words of `go` for the first and second player's clock, then for the first and
    /// second player's increment.
    pub const fn clocks(self) -> [&'static str; 4] {
        match self {
            Dialect::Uci => ["wtime", "btime", "winc", "binc"],
            Dialect::Ugi => ["p1time", "p2time", "p1inc", "p2inc"],
        }
    }
}
