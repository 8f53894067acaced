//! A TOML file as keys, values and lines.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::io::failure::Failure;

/// No file is longer, in bytes.
const MAX_LENGTH: u64 = 1 << 20;

/// A file that was read.
#[derive(Debug)]
pub struct Document {
    path: PathBuf,
    /// Its keys, in the order of the file.
    pub entries: Vec<Entry>,
}

/// A key and its value.
#[derive(Debug)]
pub struct Entry {
    /// The key, unquoted.
    pub key: String,
    /// The line where the key stands, from 1.
    pub line: usize,
    /// What stands behind it.
    pub value: Value,
}

/// A value. Numbers are text as it would be typed, so that 0.10 stays 0.10.
#[derive(Debug)]
pub enum Value {
    /// A string or a number; which of them makes no difference.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// A date or time, which nothing takes.
    Date,
    /// An array, or tables with one name in double brackets, each with its line.
    Array(Vec<(usize, Value)>),
    /// A table, however it is written.
    Table(Vec<Entry>),
}

impl Value {
    /// What it is, for a message.
    pub const fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string or number",
            Value::Truth(_) => "a boolean",
            Value::Date => "a date or time",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }
}

impl Document {
    /// Reads a file that `option` names.
    ///
    /// # Errors
    /// Where it cannot be read, is too long or no TOML.
    pub fn read(path: &Path, option: &str) -> Result<Document, Failure> {
        let unreadable = |error: io::Error| Failure::Usage(format!("{option} {}: {error}", path.display()));
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_LENGTH + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        Document::parse(path, bytes)
    }

    /// Takes apart what stands in a file of this name.
    ///
    /// # Errors
    /// Where it is too long or no TOML.
    pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<Document, Failure> {
        let mut document = Document {
            path: path.to_path_buf(),
            entries: Vec::new(),
        };
        if bytes.len() as u64 > MAX_LENGTH {
            return Err(Failure::Usage(format!(
                "{}: the file is longer than 1 MiB",
                path.display()
            )));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = Lines::new(&error.as_bytes()[..good]).last();
            document.wrong(line, "the text is not UTF-8")
        })?;
        let lines = Lines::new(text.as_bytes());
        let table = DeTable::parse(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| lines.of(span.start));
            document.wrong(line, error.message())
        })?;
        document.entries = lines
            .entries(table.get_ref())
            .map_err(|(line, why)| document.wrong(line, why))?;
        Ok(document)
    }

    /// The error that something in a line is wrong.
    pub fn wrong(&self, line: usize, why: &str) -> Failure {
        Failure::Usage(printable(&format!("{}, line {line}: {why}", self.path.display())))
    }

    /// The error that something is missing in the file.
    pub fn incomplete(&self, why: &str) -> Failure {
        Failure::Usage(printable(&format!("{}: {why}", self.path.display())))
    }
}

/// One line without what a terminal would obey: an escaped string may hold any
/// character.
fn printable(message: &str) -> String {
    let mut shown = String::new();
    for letter in message.chars() {
        if letter.is_control() {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

/// The line of an error, and what is wrong there.
type Wrong = (usize, &'static str);

impl Lines {
    fn new(text: &[u8]) -> Lines {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Lines(ends.map(|(end, _)| end + 1).collect())
    }

    /// The number of the line that this byte is in, from 1.
    fn of(&self, byte: usize) -> usize {
        self.0.partition_point(|&start| start <= byte) + 1
    }

    fn last(&self) -> usize {
        self.0.len() + 1
    }

    /// The keys of a table as they stand in the file; `toml` sorts them by name.
    fn entries(&self, table: &DeTable<'_>) -> Result<Vec<Entry>, Wrong> {
        let mut pairs: Vec<(&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        pairs.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
            let line = self.of(key.span().start);
            Ok(Entry {
                key: clean(key.get_ref(), line)?,
                line,
                value: self.value(value)?,
            })
        };
        pairs.into_iter().map(entry).collect()
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Result<Value, Wrong> {
        let line = self.of(value.span().start);
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::Text(clean(text, line)?),
            DeValue::Integer(number) => {
                let decimal = i128::from_str_radix(number.as_str(), number.radix());
                Value::Text(decimal.map_or_else(|_| number.to_string(), |number| number.to_string()))
            }
            DeValue::Float(number) => Value::Text(number.as_str().to_string()),
            DeValue::Boolean(truth) => Value::Truth(*truth),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(array) => {
                let item = |item: &Spanned<DeValue<'_>>| Ok((self.of(item.span().start), self.value(item)?));
                Value::Array(array.iter().map(item).collect::<Result<_, Wrong>>()?)
            }
            DeValue::Table(table) => Value::Table(self.entries(table)?),
        })
    }
}

/// Text without the character that no argument of a program can hold, and which
/// stands between the words of a list.
fn clean(text: &str, line: usize) -> Result<String, Wrong> {
    if text.contains('\0') {
        return Err((line, "a NUL character (`\\u0000`) is allowed nowhere"));
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Document, Failure> {
        Document::parse(Path::new("a.toml"), text.into())
    }

    fn error(bytes: &[u8]) -> String {
        let failure = Document::parse(Path::new("a.toml"), bytes.into()).unwrap_err();
        assert_eq!(failure.exit_status(), 2);
        failure.to_string()
    }

    #[test]
    fn keys_keep_their_order_and_lines() {
        let document = parsed("z = 1\n\n[b]\nk = 1\n[[e]]\nd = 2\nc.y = 1\nc.x = 2\n[[e]]\n[a]\n").unwrap();
        let keys = |entries: &[Entry]| -> Vec<(String, usize)> {
            entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.line))
                .collect()
        };
        let named = |names: &[(&str, usize)]| -> Vec<(String, usize)> {
            names
                .iter()
                .map(|(key, line)| ((*key).to_string(), *line))
                .collect()
        };
        assert_eq!(
            keys(&document.entries),
            named(&[("z", 1), ("b", 3), ("e", 5), ("a", 10)])
        );
        let Value::Array(tables) = &document.entries[2].value else {
            panic!("{document:?}");
        };
        assert_eq!(tables.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [5, 9]);
        let Value::Table(first) = &tables[0].1 else {
            panic!("{tables:?}");
        };
        assert_eq!(keys(first), named(&[("d", 6), ("c", 7)]));
        let Value::Table(dotted) = &first[1].value else {
            panic!("{first:?}");
        };
        assert_eq!(keys(dotted), named(&[("y", 7), ("x", 8)]));
    }

    #[test]
    fn numbers_are_text_as_it_would_be_typed() {
        for (written, text) in [
            ("0.05", "0.05"),
            ("0.10", "0.10"),
            ("1e3", "1e3"),
            ("-7", "-7"),
            ("+7", "7"),
            ("0x10", "16"),
            ("1_000", "1000"),
            ("1_0.5_0", "10.50"),
            ("18446744073709551615", "18446744073709551615"),
            (
                "999999999999999999999999999999999999999999",
                "999999999999999999999999999999999999999999",
            ),
            ("'0.05'", "0.05"),
            (r#""a\"\\\u00e4\n""#, "a\"\\ä\n"),
        ] {
            let document = parsed(&format!("a = {written}")).unwrap();
            let Value::Text(found) = &document.entries[0].value else {
                panic!("{document:?}");
            };
            assert_eq!(found, text, "{written}");
        }
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line() {
        assert_eq!(error(b"a = 1\nb = 2\na = 3\n"), "a.toml, line 3: duplicate key");
        assert!(error(b"\n\na = [1\nb").starts_with("a.toml, line "));
        assert!(error(b"a = 1\nb = \n").starts_with("a.toml, line 2: "));
        assert_eq!(
            error(b"a = 1\nb = '\xff'\n"),
            "a.toml, line 2: the text is not UTF-8"
        );
        for text in [
            "a = 1\nb = \"x\\u0000\"",
            "\n\"x\\u0000\" = 1",
            "\na.\"\\u0000\" = 1",
        ] {
            assert_eq!(
                error(text.as_bytes()),
                "a.toml, line 2: a NUL character (`\\u0000`) is allowed nowhere"
            );
        }
    }

    #[test]
    fn a_message_is_one_line_that_no_terminal_obeys() {
        let document = parsed("").unwrap();
        assert_eq!(
            document.wrong(1, "`\u{1b}[2J\nä`").to_string(),
            "a.toml, line 1: `\\u{1b}[2J\\nä`"
        );
    }

    #[test]
    fn length_and_depth_have_a_bound() {
        let longest = MAX_LENGTH as usize;
        assert!(parsed(&"\n".repeat(longest)).is_ok());
        assert_eq!(
            error(&vec![b'\n'; longest + 1]),
            "a.toml: the file is longer than 1 MiB"
        );
        for deep in ["a.", "[", "{a="] {
            let text = format!("a = {}", deep.repeat(longest / deep.len() - 10));
            assert!(error(text.as_bytes()).starts_with("a.toml, line 1: "), "{deep}");
        }
        let path = format!("{}a = 1", "a.".repeat(longest / 2 - 10));
        assert_eq!(error(path.as_bytes()), "a.toml, line 1: recursion limit");
        let header = format!("[{}a]\n", "a.".repeat(79)).repeat(10);
        assert!(error(header.as_bytes()).starts_with("a.toml, line "));
    }
}
