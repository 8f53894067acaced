//! The keys of a TOML table, with errors that name the line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::io::failure::Failure;
use crate::io::suggest::unknown;
use crate::io::toml_file::TomlFile;

/// A text and its place in the file.
type PlacedText = (String, Range<usize>);

/// The keys of one table. All of them are known.
#[derive(Debug)]
pub(super) struct TomlTable<'a> {
    pub file: &'a TomlFile<'a>,
    table: DeTable<'a>,
}

/// An element of a list of texts and tables.
#[derive(Debug)]
pub(super) enum ListItem<'a> {
    Text(PlacedText),
    /// A table, and its place.
    Table(TomlTable<'a>, Range<usize>),
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

    /// A table in this one; empty if it is missing.
    pub fn table(&mut self, key: &str, known: &[&str]) -> Result<TomlTable<'a>, Failure> {
        let (file, table) = (self.file, DeTable::new());
        Ok(self
            .optional_table(key, known)?
            .unwrap_or(TomlTable { file, table }))
    }

    pub fn optional_table(&mut self, key: &str, known: &[&str]) -> Result<Option<TomlTable<'a>>, Failure> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        match (value.span(), value.into_inner()) {
            (_, DeValue::Table(table)) => TomlTable::new(self.file, table, known).map(Some),
            (place, _) => Err(self.file.wrong(&place, &format!("expected a table `[{key}]`"))),
        }
    }

    pub fn text(&mut self, key: &str) -> Result<Option<PlacedText>, Failure> {
        self.table
            .remove(key)
            .map(|value| self.as_text(key, value))
            .transpose()
    }

    /// What `parse` makes of a text and of the number of its line.
    pub fn parsed<T>(
        &mut self,
        key: &str,
        parse: impl FnOnce(&str, usize) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let Some((text, place)) = self.text(key)? else {
            return Ok(None);
        };
        let parsed = parse(&text, self.file.line(&place));
        parsed.map(Some).map_err(|why| self.file.wrong(&place, &why))
    }

    fn as_text(&self, key: &str, value: Spanned<DeValue<'a>>) -> Result<PlacedText, Failure> {
        let place = value.span();
        let why = match value.into_inner() {
            DeValue::String(text) => match text.chars().find(|sign| sign.is_control() && *sign != '\t') {
                None => return Ok((text.into_owned(), place)),
                Some(sign) => format!(
                    "`{key}` holds a control character (`{}`), which cannot be used",
                    sign.escape_debug()
                ),
            },
            _ => format!("`{key}` must be a text in quotation marks"),
        };
        Err(self.file.wrong(&place, &why))
    }

    /// A whole number of seconds.
    pub fn seconds(&mut self, key: &str, most: u64) -> Result<Option<u64>, Failure> {
        let Some(value) = self.table.remove(key) else {
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
        Err(self.file.wrong(&value.span(), &why))
    }

    /// A text, or a list of texts. A single text has one element.
    pub fn texts(&mut self, key: &str) -> Result<Option<Vec<PlacedText>>, Failure> {
        let items = self.items(key);
        items
            .map(|items| items.into_iter().map(|item| self.as_text(key, item)).collect())
            .transpose()
    }

    /// The elements of a list; a single value is a list of one.
    fn items(&mut self, key: &str) -> Option<Vec<Spanned<DeValue<'a>>>> {
        let value = self.table.remove(key)?;
        let place = value.span();
        Some(match value.into_inner() {
            DeValue::Array(items) => items.into_iter().collect(),
            value => vec![Spanned::new(place, value)],
        })
    }

    /// A text or table, or a list of them. Tables have the `known` keys.
    pub fn entries(&mut self, key: &str, known: &[&str]) -> Result<Option<Vec<ListItem<'a>>>, Failure> {
        let items = self.items(key);
        let read = |item: Spanned<DeValue<'a>>| {
            let place = item.span();
            match item.into_inner() {
                DeValue::Table(table) => Ok(ListItem::Table(TomlTable::new(self.file, table, known)?, place)),
                value => Ok(ListItem::Text(self.as_text(key, Spanned::new(place, value))?)),
            }
        };
        items
            .map(|items| items.into_iter().map(read).collect())
            .transpose()
    }
}
