//! The texts of moves and scores, of which a record has many.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The length of a text that needs no memory of its own, in bytes.
const SHORT: usize = 22;

/// A text that is kept in place if it is short. A report reads hundreds of them for each game.
#[derive(Clone)]
pub struct ShortText(Kept);

#[derive(Clone)]
enum Kept {
    /// The number of bytes, and the bytes of a text.
    Here(u8, [u8; SHORT]),
    Apart(Box<str>),
}

impl From<&str> for ShortText {
    fn from(text: &str) -> ShortText {
        let mut bytes = [0; SHORT];
        ShortText(match bytes.get_mut(..text.len()) {
            Some(part) => {
                part.copy_from_slice(text.as_bytes());
                Kept::Here(text.len() as u8, bytes)
            }
            None => Kept::Apart(text.into()),
        })
    }
}

impl From<String> for ShortText {
    fn from(text: String) -> ShortText {
        text.as_str().into()
    }
}

impl ShortText {
    /// The bytes of the text. As a text it is checked again at each use.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Kept::Here(length, bytes) => &bytes[..*length as usize],
            Kept::Apart(text) => text.as_bytes(),
        }
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            // They were the bytes of a text.
            Kept::Here(..) => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
            Kept::Apart(text) => text,
        }
    }
}

impl Borrow<str> for ShortText {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for ShortText {
    fn eq(&self, other: &ShortText) -> bool {
        **self == **other
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for ShortText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for ShortText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ShortText, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = ShortText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ShortText, E> {
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
        assert_eq!(size_of::<ShortText>(), size_of::<String>());
        for length in 0..50 {
            for letter in ["a", "é", "\u{1f600}", "\""] {
                let text = letter.repeat(length);
                let short = ShortText::from(text.as_str());
                assert_eq!(*short, text);
                let json = serde_json::to_string(&text).unwrap();
                assert_eq!(serde_json::to_string(&short).unwrap(), json);
                assert_eq!(serde_json::from_str::<ShortText>(&json).unwrap(), short);
            }
        }
    }
}
