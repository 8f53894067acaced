//! A TOML file and the places of its errors.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use lodestone_game::text::text_start;
use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;
use referee_core::io::text::{in_one_line, printable};
use referee_core::system::files::{open_regular, unreadable};
use toml::de::DeTable;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// The maximal length of a file, in bytes.
pub const MAX_LENGTH: u64 = 1 << 20;

/// The maximal number of brackets and braces around a place.
const MAX_NESTING: usize = 64;

/// Follows an error about a text like `"C:\new"`, whose `\n` is a line break.
pub const BACKSLASH_HINT: &str =
    "; in double quotes, a backslash begins an escape; in single quotes it does not, as in 'C:\\new'";

/// A TOML file and its text.
#[derive(Debug)]
pub struct TomlFile<'a> {
    path: &'a Path,
    text: String,
}

impl TomlFile<'_> {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<TomlFile<'_>, Failure> {
        let failed = |error: io::Error| Failure::Usage(unreadable(path, &error));
        let mut bytes = Vec::new();
        let file = open_regular(path).map_err(failed)?;
        file.take(MAX_LENGTH + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        TomlFile::new(path, &bytes)
    }

    /// A file with this content.
    pub fn new<'a>(path: &'a Path, bytes: &[u8]) -> Result<TomlFile<'a>, Failure> {
        if bytes.len() as u64 > MAX_LENGTH {
            let shown = path.shown();
            return Err(Failure::Usage(format!("{shown}: the file is longer than 1 MiB")));
        }
        let bytes =
            text_start(bytes).map_err(|error| Failure::Usage(format!("{}: {error}", path.shown())))?;
        let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let (valid, length) = (valid.len(), bytes.len());
        let file = TomlFile {
            path,
            text: String::from_utf8_lossy(bytes).into_owned(),
        };
        if valid < length {
            return Err(file.wrong(&(valid..valid), "the text is not UTF-8"));
        }
        Ok(file)
    }

    /// What the file holds, or its first syntax error, with its line.
    pub fn table(&self) -> Result<DeTable<'_>, Failure> {
        // The parser has a limit of its own, but syntax errors can lift it, and then it overflows its stack.
        let mut open = Vec::new();
        for token in Source::new(&self.text).lex() {
            match token.kind() {
                TokenKind::LeftSquareBracket => open.push(TokenKind::RightSquareBracket),
                TokenKind::LeftCurlyBracket => open.push(TokenKind::RightCurlyBracket),
                kind => drop(open.pop_if(|closing| *closing == kind)),
            }
            if open.len() > MAX_NESTING {
                let place = token.span().start()..token.span().end();
                return Err(self.wrong(&place, "too many brackets are open here"));
            }
        }
        let table = DeTable::parse(&self.text)
            .map_err(|error| self.wrong(&error.span().unwrap_or_default(), error.message()))?;
        Ok(table.into_inner())
    }

    /// An error at this place of the text.
    pub fn wrong(&self, place: &Range<usize>, why: &str) -> Failure {
        let hint = if self.has_escape(place) {
            BACKSLASH_HINT
        } else {
            ""
        };
        self.error(&format!(", line {}", self.line(place)), &format!("{why}{hint}"))
    }

    /// Whether a place is a text in double quotes with an escape other than `\\` and `\"`, or lies in
    /// a wrong escape.
    fn has_escape(&self, place: &Range<usize>) -> bool {
        let in_quotes = self.text.get(place.clone()).unwrap_or_default();
        let in_quotes = in_quotes.replace(r"\\", "").replace("\\\"", "");
        let before = self.text.get(..place.start).unwrap_or_default();
        in_quotes.starts_with('"') && in_quotes.contains('\\')
            || before
                .trim_end_matches(|sign: char| sign.is_ascii_alphanumeric())
                .ends_with('\\')
    }

    /// The number of the line where a part of the text begins, from 1.
    pub fn line(&self, place: &Range<usize>) -> usize {
        let before = self.text.bytes().take(place.start);
        before.filter(|byte| *byte == b'\n').count() + 1
    }

    /// An error of the file as a whole.
    pub fn incomplete(&self, why: &str) -> Failure {
        self.error("", why)
    }

    /// An escaped string may hold any character, so the message is cleaned.
    fn error(&self, place: &str, why: &str) -> Failure {
        let text = format!("{}{place}: {}", self.path.shown(), in_one_line(why));
        Failure::Usage(printable(&text, usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sentences::expect;

    fn table_of(text: &str) -> Result<String, Failure> {
        let file = TomlFile::new(Path::new("a.toml"), text.as_bytes())?;
        file.table().map(|table| format!("{table:?}"))
    }

    #[test]
    fn deep_nesting_is_an_error_also_after_syntax_errors() {
        for text in ["[", "{b=", "[{b="] {
            let deep = format!("\na = {{{}b = {}", "{}".repeat(9999), text.repeat(99_999));
            let error = table_of(&deep).unwrap_err().to_string();
            expect! {"a.toml, line 2: too many brackets are open here"}.assert_eq(&error);
        }
        let nested = format!("a = {}{}", "[".repeat(60), "]".repeat(60));
        table_of(&nested).unwrap();
        table_of(&format!("a = [{}]", "[{b = ']'}],".repeat(9999))).unwrap();
    }
}
