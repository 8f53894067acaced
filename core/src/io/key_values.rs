//! Lists of `KEY=VALUE`: the one reader of them, for options, TOML files and result files.

use super::text::unknown;

/// Stands between the words of a list that the command line holds as one argument. No argument of
/// a program can hold it.
pub const SEPARATOR: &str = "\0";

/// The message about a wrong value. Lists with commas are a habit of other programs.
pub fn wrong_value(key: &str, value: &str, why: &str) -> String {
    let hint = match value.split_once(',') {
        Some((first, rest)) if rest.contains('=') => {
            format!(
                "; settings are separated by spaces: `{key}={first} {}`",
                rest.replace(',', " ")
            )
        }
        _ => String::new(),
    };
    format!("`{key}={value}`: {why}{hint}")
}

/// A list of `KEY=VALUE`, each key once.
#[derive(Debug)]
pub struct KeyValues<'a>(Vec<(&'a str, &'a str)>);

impl<'a> KeyValues<'a> {
    /// Splits a list into its words.
    pub fn read(words: impl IntoIterator<Item = &'a str>) -> Result<KeyValues<'a>, String> {
        let mut values: Vec<(&str, &str)> = Vec::new();
        for word in words {
            let pair = word.split_once('=');
            let (key, value) = pair.ok_or_else(|| format!("expected KEY=VALUE, found `{word}`"))?;
            if values.iter().any(|(other, _)| *other == key) {
                return Err(format!("`{key}` is given twice"));
            }
            values.push((key, value));
        }
        Ok(KeyValues(values))
    }

    /// A list in one text, with spaces or [`SEPARATOR`] between its words, that has only these
    /// keys.
    pub fn of_text(text: &'a str, keys: &[&str]) -> Result<KeyValues<'a>, String> {
        let words = text.split([' ', '\0']).filter(|word| !word.is_empty());
        KeyValues::read(words)?.known(keys)
    }

    /// The list, if it has only these keys.
    pub fn known(self, keys: &[&str]) -> Result<KeyValues<'a>, String> {
        match self.0.iter().find(|(key, _)| !keys.contains(key)) {
            Some((key, _)) => Err(unknown("key", key, keys)),
            None => Ok(self),
        }
    }

    /// The keys and values, in their order.
    pub fn pairs(&self) -> &[(&'a str, &'a str)] {
        &self.0
    }

    /// The value of a key, if it is there.
    pub fn optional<T>(
        &self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let found = self.0.iter().find(|(other, _)| *other == key);
        found
            .map(|(_, value)| read(value).map_err(|why| wrong_value(key, value, &why)))
            .transpose()
    }

    /// The value of a key that must be there; `example` is a whole list with it.
    pub fn required<T>(
        &self,
        key: &str,
        example: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, String> {
        self.optional(key, read)?
            .ok_or_else(|| format!("`{key}` is missing; example: `{example}`"))
    }
}

/// A whole number of at least `least`.
pub fn at_least<T: TryFrom<u64>>(least: u64, text: &str) -> Result<T, String> {
    let number = text.parse::<u64>().ok().filter(|number| *number >= least);
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("expected a whole number of at least {least}"))
}

/// The value of one of these words.
pub fn one_of<T: Clone>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let (last, others) = words
            .split_last()
            .map_or(("", &[][..]), |(last, others)| (&**last, others));
        format!("expected {} or {last}", others.join(", "))
    })
}
