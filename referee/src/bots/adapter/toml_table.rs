//! The keys of a TOML table, with errors that name the line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::io::failure::Failure;
use crate::io::suggest::unknown;
use crate::io::toml_file::TomlFile;

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub struct Located<T> {
    pub value: T,
    pub place: Range<usize>,
}

/// The keys of one table. All of them are known.
#[derive(Debug)]
pub struct TomlTable<'a> {
    file: &'a TomlFile<'a>,
    table: DeTable<'a>,
}

impl<'a> TomlTable<'a> {
    /// The keys outside all tables of a file.
    pub fn of_file(file: &'a TomlFile<'a>, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        let table = DeTable::parse(file.text()).map_err(|error| file.error_of(&error))?;
        TomlTable::new(file, table.into_inner(), known)
    }

    fn new(file: &'a TomlFile<'a>, table: DeTable<'a>, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        let keys = table.iter().map(|(key, _)| key);
        let wrong = keys.filter(|key| !known.contains(&key.get_ref().as_ref()));
        match wrong.min_by_key(|key| key.span().start) {
            Some(key) => Err(file.wrong(&key.span(), &unknown("key", key.get_ref(), known))),
            None => Ok(TomlTable { file, table }),
        }
    }

    /// An error at this place.
    pub fn wrong(&self, place: &Range<usize>, why: &str) -> Failure {
        self.file.wrong(place, why)
    }

    /// An error of the file as a whole.
    pub fn incomplete(&self, why: &str) -> Failure {
        self.file.incomplete(why)
    }

    /// The number of a line, from 1.
    pub fn line(&self, place: &Range<usize>) -> usize {
        self.file.line(place)
    }

    fn take(&mut self, key: &str) -> Option<Spanned<DeValue<'a>>> {
        self.table.remove(key)
    }

    /// A table in this one; empty if it is missing.
    pub fn table(&mut self, key: &str, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        match self.optional_table(key, known)? {
            Some(fields) => Ok(fields),
            None => TomlTable::new(self.file, DeTable::new(), known),
        }
    }

    pub fn optional_table(&mut self, key: &str, known: &[&str]) -> Result<Option<TomlTable<'a>>, Failure> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        match (value.span(), value.into_inner()) {
            (_, DeValue::Table(table)) => TomlTable::new(self.file, table, known).map(Some),
            (place, _) => Err(self.wrong(&place, &format!("expected a table `[{key}]`"))),
        }
    }

    pub fn text(&mut self, key: &str) -> Result<Option<Located<String>>, Failure> {
        self.take(key).map(|value| self.as_text(key, value)).transpose()
    }

    fn as_text(&self, key: &str, value: Spanned<DeValue<'a>>) -> Result<Located<String>, Failure> {
        let place = value.span();
        match value.into_inner() {
            DeValue::String(text) => {
                if let Some(control) = text.chars().find(|sign| sign.is_control() && *sign != '\t') {
                    let shown = control.escape_debug();
                    let why = format!("`{key}` holds a control character (`{shown}`), which cannot be used");
                    return Err(self.wrong(&place, &why));
                }
                let value = text.into_owned();
                Ok(Located { value, place })
            }
            _ => Err(self.wrong(&place, &format!("`{key}` must be a text in quotation marks"))),
        }
    }

    /// A whole number of seconds.
    pub fn seconds(&mut self, key: &str, most: u64) -> Result<Option<u64>, Failure> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let number = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if let Some(number) = number.filter(|number| (1..=most).contains(number)) {
            return Ok(Some(number));
        }
        let why = format!("`{key}` must be a whole number of seconds from 1 to {most}");
        Err(self.wrong(&value.span(), &why))
    }

    /// A text, or a list of texts. A single text has one element.
    pub fn texts(&mut self, key: &str) -> Result<Option<Vec<Located<String>>>, Failure> {
        let Some(items) = self.items(key) else {
            return Ok(None);
        };
        let items = items.into_iter().map(|item| self.as_text(key, item));
        items.collect::<Result<_, _>>().map(Some)
    }

    /// A text or table, or a list of them. Tables have the `known` keys.
    pub fn entries(&mut self, key: &str, known: &[&str]) -> Result<Option<Vec<ListItem<'a>>>, Failure> {
        let Some(items) = self.items(key) else {
            return Ok(None);
        };
        let read = |item: Spanned<DeValue<'a>>| {
            let place = item.span();
            match item.into_inner() {
                DeValue::Table(table) => Ok(ListItem::Table(TomlTable::new(self.file, table, known)?, place)),
                value => Ok(ListItem::Text(self.as_text(key, Spanned::new(place, value))?)),
            }
        };
        items.into_iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// The elements of a list; a single value is a list of one.
    fn items(&mut self, key: &str) -> Option<Vec<Spanned<DeValue<'a>>>> {
        let value = self.take(key)?;
        let place = value.span();
        Some(match value.into_inner() {
            DeValue::Array(items) => items.into_iter().collect(),
            value => vec![Spanned::new(place, value)],
        })
    }
}

/// An element of a list of texts and tables.
#[derive(Debug)]
pub enum ListItem<'a> {
    Text(Located<String>),
    /// A table, and its place.
    Table(TomlTable<'a>, Range<usize>),
}
