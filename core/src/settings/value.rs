//! The value of a setting: a word of a command line, or a field of a result file.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use crate::io::as_text::Text;
use crate::system::files::quote;

/// A value. It serialises as result files have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// `on` or `off`.
    Switch(bool),
    /// A whole number.
    Number(u64),
    /// Any other word.
    Text(String),
    /// Words, quoted as for a shell in one word.
    Words(Vec<String>),
    /// Paths, separated as in PATH in one word.
    Paths(Vec<String>),
    /// Names and values, which have words of their own.
    Pairs(Vec<(String, String)>),
}

impl SettingValue {
    /// The text form of a value.
    pub(super) fn text(value: impl Display) -> SettingValue {
        SettingValue::Text(value.to_string())
    }

    pub(super) fn number(value: impl Into<u64>) -> SettingValue {
        SettingValue::Number(value.into())
    }

    pub(super) fn seconds(time: Duration) -> SettingValue {
        SettingValue::text(time.text())
    }

    pub(super) fn path(path: &Path) -> SettingValue {
        SettingValue::text(path.to_string_lossy())
    }

    pub(super) fn paths(paths: &[PathBuf]) -> SettingValue {
        let shown = paths.iter().map(|path| path.to_string_lossy().into_owned());
        SettingValue::Paths(shown.collect())
    }

    /// What a field of a result file holds; `None` if no setting has such a value.
    pub(super) fn of_file(json: &Json) -> Option<SettingValue> {
        let text = |json: &Json| json.as_str().map(String::from);
        let pair = |json: &Json| match json.as_array()?.as_slice() {
            [name, value] => Some((text(name)?, text(value)?)),
            _ => None,
        };
        Some(match json {
            Json::Bool(is_on) => SettingValue::Switch(*is_on),
            Json::Number(number) => SettingValue::Number(number.as_u64()?),
            Json::String(text) => SettingValue::Text(text.clone()),
            Json::Array(list) if list.iter().all(Json::is_string) => {
                SettingValue::Words(list.iter().filter_map(text).collect())
            }
            Json::Array(list) => SettingValue::Pairs(list.iter().map(pair).collect::<Option<_>>()?),
            Json::Object(_) | Json::Null => return None,
        })
    }

    /// The value as one word; `None` if there is no such word.
    pub fn word(&self) -> Option<String> {
        match self {
            SettingValue::Switch(is_on) => Some(if *is_on { "on" } else { "off" }.into()),
            SettingValue::Number(number) => Some(number.to_string()),
            SettingValue::Text(text) => Some(text.clone()),
            SettingValue::Words(words) => joined(words.iter().map(String::as_str)).ok(),
            SettingValue::Paths(paths) => std::env::join_paths(paths).ok()?.into_string().ok(),
            SettingValue::Pairs(_) => None,
        }
    }

    /// Reads the word.
    pub(super) fn read<T>(&self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, String> {
        read(&self.word().ok_or("expected a text")?)
    }

    /// The items of a list; `split` reads them from one word.
    pub(super) fn list(
        self,
        split: impl FnOnce(&str) -> Result<Vec<String>, String>,
    ) -> Result<Vec<String>, String> {
        match self {
            SettingValue::Words(list) | SettingValue::Paths(list) => Ok(list),
            SettingValue::Text(word) => split(&word),
            SettingValue::Switch(_) | SettingValue::Number(_) | SettingValue::Pairs(_) => {
                Err("expected a list of texts".into())
            }
        }
    }
}

/// Words in one text, for [`split_words`](crate::system::files::split_words).
pub fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Result<String, shlex::QuoteError> {
    let quoted = words.map(quote).collect::<Result<Vec<_>, _>>();
    quoted.map(|words| words.join(" "))
}
