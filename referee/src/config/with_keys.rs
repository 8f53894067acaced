//! Options that are a word with `KEY=VALUE` behind it, such as `--openings book.txt order=random`:
//! a list on the command line, a word or a table in a TOML file.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use log::LevelFilter;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serializer};

use super::values::Scalar;
use crate::io::as_text::Text;
use crate::io::key_values::{KeyValues, SEPARATOR, at_least};
use crate::schedule::Format;
use crate::schedule::openings::{OpeningSource, Selection};

/// A word with keys behind it.
pub trait WithKeys: Clone + Sized {
    /// The key of the word in a table of a TOML file.
    const WORD: &'static str;

    /// Reads the word and the keys.
    fn read(word: &str, keys: KeyValues<'_>) -> Result<Self, String>;

    /// The word, and the keys with values that are not the default.
    fn written(&self) -> (String, Vec<(&'static str, String)>);
}

/// Reads a gathered list: the word, then keys and values.
pub fn parse<T: WithKeys>(list: &str) -> Result<T, String> {
    let mut words = list.split(SEPARATOR);
    let word = words.next().unwrap_or_default();
    T::read(word, KeyValues::read(words)?)
}

/// Writes the word alone where it has no keys, otherwise a table.
pub fn serialize<T: WithKeys, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let (word, keys) = value.written();
    if keys.is_empty() {
        return serializer.serialize_str(&word);
    }
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry(T::WORD, &word)?;
    for (key, value) in keys {
        map.serialize_entry(key, &Scalar(value))?;
    }
    map.end()
}

/// Reads the word alone, or a table.
pub fn deserialize<'de, T: WithKeys, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct WordOrTable<T>(PhantomData<T>);

    impl<'de, T: WithKeys> Visitor<'de> for WordOrTable<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a text, or a table with the key `{}`", T::WORD)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            parse(text).map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            let mut table: BTreeMap<String, Scalar> =
                Deserialize::deserialize(MapAccessDeserializer::new(map))?;
            let Some(Scalar(word)) = table.remove(T::WORD) else {
                return Err(A::Error::custom(format!("the key `{}` is missing", T::WORD)));
            };
            let keys = table.iter().map(|(key, Scalar(value))| format!("{key}={value}"));
            let list: Vec<String> = [word].into_iter().chain(keys).collect();
            parse(&list.join(SEPARATOR)).map_err(A::Error::custom)
        }
    }

    deserializer.deserialize_any(WordOrTable(PhantomData))
}

/// The same for a value that may be absent.
pub mod optional {
    use super::{Deserializer, Serializer, WithKeys};

    #[allow(clippy::ref_option)] // the signature that serde calls
    pub fn serialize<T: WithKeys, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, T: WithKeys, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}

/// `--openings`: where the openings of a match come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookOption {
    pub source: OpeningSource,
    /// Which of them, and in which order.
    pub selection: Selection,
}

impl WithKeys for BookOption {
    const WORD: &'static str = "source";

    fn read(word: &str, keys: KeyValues<'_>) -> Result<BookOption, String> {
        let source = word.parse()?;
        let selection = Selection::of_keys(keys)?;
        if matches!(source, OpeningSource::Random(_)) && !selection.is_default() {
            return Err(format!("`{selection}` is for a book, and `{source}` is none"));
        }
        Ok(BookOption { source, selection })
    }

    fn written(&self) -> (String, Vec<(&'static str, String)>) {
        (self.source.to_string(), self.selection.pairs())
    }
}

/// `--format`: who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatOption {
    pub format: Format,
    /// The number of players that meet all others in a gauntlet, but not each other, if given.
    pub seeds: Option<u64>,
}

impl WithKeys for FormatOption {
    const WORD: &'static str = "name";

    fn read(word: &str, keys: KeyValues<'_>) -> Result<FormatOption, String> {
        let format = Format::read(word)?;
        let keys = keys.known(&["seeds"])?;
        let seeds = keys.optional("seeds", |text| at_least(1, text))?;
        if seeds.is_some() && format != Format::Gauntlet {
            return Err("`seeds` is for the format `gauntlet`".into());
        }
        Ok(FormatOption { format, seeds })
    }

    fn written(&self) -> (String, Vec<(&'static str, String)>) {
        let seeds = self.seeds.map(|seeds| ("seeds", seeds.to_string()));
        (self.format.text().to_string(), seeds.into_iter().collect())
    }
}

/// `--pgn` of a match: the file, and tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnOption {
    pub path: PathBuf,
    pub event: Option<String>,
    pub site: Option<String>,
}

impl WithKeys for PgnOption {
    const WORD: &'static str = "file";

    fn read(word: &str, keys: KeyValues<'_>) -> Result<PgnOption, String> {
        let keys = keys.known(&["event", "site"])?;
        let text = |key| keys.optional(key, |text| Ok(text.to_string()));
        Ok(PgnOption {
            path: word.into(),
            event: text("event")?,
            site: text("site")?,
        })
    }

    fn written(&self) -> (String, Vec<(&'static str, String)>) {
        let tags = [("event", &self.event), ("site", &self.site)].into_iter();
        let tags = tags.filter_map(|(key, value)| Some((key, value.clone()?)));
        (self.path.display().to_string(), tags.collect())
    }
}

/// `--log` of a match: the file, and what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOption {
    pub path: PathBuf,
    /// The least important messages.
    pub level: LevelFilter,
    /// Whether every line to and from every engine is logged.
    pub engines: bool,
}

impl WithKeys for LogOption {
    const WORD: &'static str = "file";

    fn read(word: &str, keys: KeyValues<'_>) -> Result<LogOption, String> {
        let keys = keys.known(&["level", "engines"])?;
        let level = |text: &str| match text {
            "error" => Ok(LevelFilter::Error),
            "warn" => Ok(LevelFilter::Warn),
            "info" => Ok(LevelFilter::Info),
            "debug" => Ok(LevelFilter::Debug),
            _ => Err("expected `error`, `warn`, `info` or `debug`".to_string()),
        };
        let engines = |text: &str| match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err("expected `on` or `off`".to_string()),
        };
        Ok(LogOption {
            path: word.into(),
            level: keys.optional("level", level)?.unwrap_or(LevelFilter::Info),
            engines: keys.optional("engines", engines)?.unwrap_or_default(),
        })
    }

    fn written(&self) -> (String, Vec<(&'static str, String)>) {
        let level = self.level.to_string().to_lowercase();
        let level = (self.level != LevelFilter::Info).then_some(("level", level));
        let engines = self.engines.then(|| ("engines", "on".to_string()));
        let keys = level.into_iter().chain(engines).collect();
        (self.path.display().to_string(), keys)
    }
}
