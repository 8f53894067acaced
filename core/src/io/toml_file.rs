//! A TOML file and the places of its errors.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use lodestone::text::without_byte_order_mark;

use crate::io::failure::Failure;
use crate::io::text::printable;

/// The maximal length of a file, in bytes.
pub const MAX_LENGTH: u64 = 1 << 20;

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
    /// Reads the file that an option or a command names.
    pub fn read<'a>(path: &'a Path, option: &str) -> Result<TomlFile<'a>, Failure> {
        let unreadable = |error: io::Error| Failure::Usage(format!("{option} {}: {error}", path.display()));
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_LENGTH + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        TomlFile::new(path, &bytes)
    }

    /// A file with this content.
    pub fn new<'a>(path: &'a Path, bytes: &[u8]) -> Result<TomlFile<'a>, Failure> {
        if bytes.len() as u64 > MAX_LENGTH {
            let shown = path.display();
            return Err(Failure::Usage(format!("{shown}: the file is longer than 1 MiB")));
        }
        let bytes = without_byte_order_mark(bytes);
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

    pub fn text(&self) -> &str {
        &self.text
    }

    /// A syntax error, with its line.
    pub fn error_of(&self, error: &toml::de::Error) -> Failure {
        self.wrong(&error.span().unwrap_or_default(), error.message())
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
        let text = format!("{}{place}: {why}", self.path.display());
        Failure::Usage(printable(&text, usize::MAX))
    }
}
