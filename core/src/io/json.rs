//! JSON that is safe on a terminal.

use std::io::{self, Write};

use lodestone_game::text::is_printable;
use serde::Serialize;
use serde_json::ser::Formatter;

/// A value as JSON on one line, without a line break at its end. All characters that are not printable are escaped.
pub fn line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::with_capacity(128);
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Printable))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// Escapes more than the standard requires, which is control characters below U+0020.
struct Printable;

impl Formatter for Printable {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        for (at, character) in fragment.char_indices().filter(|(_, sign)| !is_printable(*sign)) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + character.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_is_not_printable_and_nothing_else() {
        let text = "a\"\\\n\x1b\x7fb\u{9b}\u{202e}\u{feff}ü磁\u{1f600}";
        let json = line(&[text]).unwrap();
        assert_eq!(json, r#"["a\"\\\n\u001b\u007fb\u009b\u202e\ufeffü磁😀"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [text]);
        let plain = serde_json::json!({"a": [1, 2.5, null, true], "b": {"c": "d"}});
        assert_eq!(line(&plain).unwrap(), plain.to_string());
    }
}
