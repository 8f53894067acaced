//! Text that somebody else wrote: a bot, a rules program, the author of a result file.
//!
//! It has no `Display`, so it cannot become part of a message, a table or a page as it is. [`Untrusted::shown`] makes
//! it safe for one line of a terminal, a log, CSV or Markdown. [`Untrusted::raw`] is for what compares or parses it,
//! or keeps it in a format that escapes it: JSON, or HTML behind its own escapes.

use std::cmp::Ordering;
use std::fmt;
use std::path::Path;

use lodestone_game::text::Shown;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The length of a text that needs no memory of its own, in bytes.
const SHORT: usize = 22;

/// Untrusted text. A short one is kept in place, because a report reads hundreds of them for each game.
#[derive(Clone)]
pub struct Untrusted(Kept);

#[derive(Clone)]
enum Kept {
    /// The number of bytes, and the bytes of a text.
    Here(u8, [u8; SHORT]),
    Apart(Box<str>),
}

impl Untrusted {
    /// The text as it is: to compare, to parse, or for a format that escapes it.
    pub fn raw(&self) -> &str {
        match &self.0 {
            // They were the bytes of a text.
            Kept::Here(..) => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Kept::Apart(text) => text,
        }
    }

    /// The bytes of the text. As a text it is checked again at each use.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Kept::Here(length, bytes) => &bytes[..*length as usize],
            Kept::Apart(text) => text.as_bytes(),
        }
    }

    /// The text for people, on one line.
    pub fn shown(&self) -> Shown<'_> {
        self.cut(usize::MAX)
    }

    /// The same of the first `length` characters, and `…` if there are more.
    pub fn cut(&self, length: usize) -> Shown<'_> {
        Shown {
            text: self.raw(),
            length,
        }
    }

    /// Its lines for people.
    pub fn lines(&self) -> impl Iterator<Item = Shown<'_>> {
        let length = usize::MAX;
        self.raw().lines().map(move |text| Shown { text, length })
    }

    /// The first line for people.
    pub fn first_line(&self) -> String {
        self.lines().next().map_or(String::new(), |line| line.to_string())
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }
}

/// Names and values for a file, whose readers do not trust them.
pub fn untrusted_pairs(pairs: &[(String, String)]) -> Vec<(Untrusted, Untrusted)> {
    let pair = |(name, value): &(String, String)| (name.as_str().into(), value.as_str().into());
    pairs.iter().map(pair).collect()
}

/// A path for a file, whose readers do not trust it.
pub fn untrusted_path(path: &Path) -> Untrusted {
    path.to_string_lossy().into_owned().into()
}

/// Several texts with spaces between them, safe for one line of output.
pub fn joined(texts: &[Untrusted]) -> String {
    let shown = texts.iter().map(|text| text.shown().to_string());
    shown.collect::<Vec<_>>().join(" ")
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Untrusted {
        let mut bytes = [0; SHORT];
        Untrusted(match bytes.get_mut(..text.len()) {
            Some(part) => {
                part.copy_from_slice(text.as_bytes());
                Kept::Here(text.len() as u8, bytes)
            }
            None => Kept::Apart(text.into()),
        })
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Untrusted {
        if text.len() > SHORT {
            Untrusted(Kept::Apart(text.into()))
        } else {
            text.as_str().into()
        }
    }
}

impl Default for Untrusted {
    fn default() -> Untrusted {
        "".into()
    }
}

impl PartialEq for Untrusted {
    fn eq(&self, other: &Untrusted) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Untrusted {}

impl Ord for Untrusted {
    fn cmp(&self, other: &Untrusted) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl PartialOrd for Untrusted {
    fn partial_cmp(&self, other: &Untrusted) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<str> for Untrusted {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Untrusted {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl fmt::Debug for Untrusted {
    /// As for people, in quotation marks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.shown())
    }
}

impl Serialize for Untrusted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.raw())
    }
}

impl<'de> Deserialize<'de> for Untrusted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Untrusted, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = Untrusted;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Untrusted, E> {
                Ok(text.into())
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_lengths_stay_the_same() {
        assert_eq!(size_of::<Untrusted>(), size_of::<String>());
        for length in 0..50 {
            for letter in ["a", "é", "\u{1f600}", "\""] {
                let text = letter.repeat(length);
                let kept = Untrusted::from(text.as_str());
                assert_eq!(kept.raw(), text);
                assert_eq!(Untrusted::from(text.clone()), kept);
                let json = serde_json::to_string(&text).unwrap();
                assert_eq!(serde_json::to_string(&kept).unwrap(), json);
                assert_eq!(serde_json::from_str::<Untrusted>(&json).unwrap(), kept);
            }
        }
    }

    #[test]
    fn shows_no_control_characters() {
        let text = Untrusted::from("a\x1b[31m\n\u{202e}ü磁");
        assert_eq!(text.shown().to_string(), r"a\u{1b}[31m\n\u{202e}ü磁");
        assert_eq!(format!("{text:?}"), r#""a\u{1b}[31m\n\u{202e}ü磁""#);
        assert_eq!(text.cut(2).to_string(), r"a\u{1b}…");
        assert_eq!(Untrusted::from("ab").cut(2).to_string(), "ab");
        assert_eq!(joined(&["a".into(), "b\x07".into()]), r"a b\u{7}");
    }
}
