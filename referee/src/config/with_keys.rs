//! Options that are a word with `KEY=VALUE` behind it, such as `--openings book.txt order=random`:
//! a list on the command line, a word or a table in a TOML file.

use std::path::{Path, PathBuf};

use log::LevelFilter;
use referee_core::arbiter::OnFault;
use referee_core::io::as_text::Text;
use referee_core::io::key_values::{KeyValues, SEPARATOR, at_least, one_of};
use referee_core::schedule::openings::{OpeningSource, Selection};
use referee_core::schedule::{Format, FormatProperties};

/// A word with keys behind it.
pub trait WithKeys: Clone + Sized {
    const KEYS: &'static [&'static str];

    /// Reads the word and the keys.
    fn read(word: &str, keys: KeyValues<'_>) -> Result<Self, String>;
}

/// The keys of all these options.
pub const ALL_KEYS: [&[&str]; 5] = [
    BookOption::KEYS,
    FormatOption::KEYS,
    OnFault::KEYS,
    PgnOption::KEYS,
    LogOption::KEYS,
];

/// Reads a gathered list: the word, then keys and values.
pub fn parse<T: WithKeys>(list: &str) -> Result<T, String> {
    let mut words = list.split(SEPARATOR);
    let word = words.next().unwrap_or_default();
    if word
        .split_once('=')
        .is_some_and(|(key, _)| T::KEYS.contains(&key))
    {
        return Err(format!("a value such as a file name must come before `{word}`"));
    }
    T::read(word, KeyValues::read(words)?)
}

/// Refuses `file=PATH`, as cutechess and fastchess write it.
fn check_file(word: &str) -> Result<(), String> {
    match word.strip_prefix("file=") {
        Some(file) if !Path::new(word).exists() => Err(format!(
            "there is no file `{word}`; write `{file}`, or `./{word}` for a file of this name"
        )),
        _ => Ok(()),
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
    const KEYS: &'static [&'static str] = &["order", "start", "plies"];

    fn read(word: &str, keys: KeyValues<'_>) -> Result<BookOption, String> {
        check_file(word)?;
        let source = word.parse()?;
        // No book has such a name, so the word need not be like `random`.
        if let (OpeningSource::File(path), Some((_, plies))) = (&source, word.split_once([':', '=']))
            && plies.parse::<u32>().is_ok()
            && !Path::new(path.raw()).exists()
        {
            return Err(format!(
                "there is no file `{word}`; did you mean `random:{plies}`?"
            ));
        }
        let selection = Selection::of_keys(keys)?;
        if matches!(source, OpeningSource::Random(_)) && !selection.is_default() {
            return Err(format!(
                "`{selection}` applies to a book, and `{source}` is not a book"
            ));
        }
        Ok(BookOption { source, selection })
    }
}

impl WithKeys for OnFault {
    const KEYS: &'static [&'static str] = &["limit"];

    fn read(word: &str, keys: KeyValues<'_>) -> Result<OnFault, String> {
        let limit = keys
            .known(Self::KEYS)?
            .optional("limit", |text| at_least(1, text))?;
        match (Text::read(word)?, limit) {
            (OnFault::Random { limit: None }, limit) => Ok(OnFault::Random { limit }),
            (policy, None) => Ok(policy),
            (policy, Some(_)) => Err(format!("`limit` is for `random`, not for `{policy}`")),
        }
    }
}

/// `--format`: who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatOption {
    pub format: Format,
    /// The number of players that meet all others in a gauntlet, but not each other, if given.
    pub seeds: Option<u64>,
    /// The number of rounds of a Swiss tournament or a ladder, if given.
    pub rounds: Option<u64>,
}

impl WithKeys for FormatOption {
    const KEYS: &'static [&'static str] = &["seeds", "rounds"];

    fn read(word: &str, keys: KeyValues<'_>) -> Result<FormatOption, String> {
        let format = Format::read(word)?;
        let keys = keys.known(Self::KEYS)?;
        let number = |key, is_known: fn(&FormatProperties) -> bool| match keys
            .optional(key, |text| at_least(1, text))?
        {
            Some(_) if !is_known(format.properties()) => {
                let formats = Format::ALL.iter().filter(|format| is_known(format.properties()));
                let names: Vec<String> = formats.map(|format| format!("`{format}`")).collect();
                Err(format!("`{key}` is for the format {}", names.join(" or ")))
            }
            number => Ok(number),
        };
        Ok(FormatOption {
            format,
            seeds: number("seeds", |format| format.has_seeds)?,
            rounds: number("rounds", |format| format.has_rounds)?,
        })
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
    const KEYS: &'static [&'static str] = &["event", "site"];

    fn read(word: &str, keys: KeyValues<'_>) -> Result<PgnOption, String> {
        check_file(word)?;
        let keys = keys.known(Self::KEYS)?;
        let text = |key| keys.optional(key, |text| Ok(text.to_string()));
        Ok(PgnOption {
            path: word.into(),
            event: text("event")?,
            site: text("site")?,
        })
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
    const KEYS: &'static [&'static str] = &["level", "engines"];

    fn read(word: &str, keys: KeyValues<'_>) -> Result<LogOption, String> {
        let keys = keys.known(Self::KEYS)?;
        let levels = [
            ("error", LevelFilter::Error),
            ("warn", LevelFilter::Warn),
            ("info", LevelFilter::Info),
            ("debug", LevelFilter::Debug),
        ];
        let level = keys.optional("level", |text| one_of(text, &levels))?;
        let engines = keys.optional("engines", |text| one_of(text, &[("on", true), ("off", false)]))?;
        Ok(LogOption {
            path: word.into(),
            level: level.unwrap_or(LevelFilter::Info),
            engines: engines.unwrap_or_default(),
        })
    }
}
