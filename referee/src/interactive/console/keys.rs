//! Text that is typed while an engine thinks.

/// What was typed ahead: whole lines, and the beginning of one.
#[derive(Debug, Default)]
pub struct TypedAhead {
    /// Lines that ended with Enter.
    pub lines: Vec<String>,
    /// The line that has no end yet.
    pub rest: String,
    /// Ctrl-D on an empty line.
    pub has_ended: bool,
    /// Ctrl-C as a key: it was typed before the terminal made signals of it.
    pub is_interrupted: bool,
}

impl TypedAhead {
    /// Interprets typed bytes: Enter, Backspace, Ctrl-C, Ctrl-D and Ctrl-U. Other control
    /// characters and the escape sequences of special keys have no effect.
    pub fn extend(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut keys = text.chars();
        while let Some(key) = keys.next() {
            if key == '\x1b' {
                skip_escape_sequence(&mut keys);
                continue;
            }
            match key {
                '\r' | '\n' => self.lines.push(std::mem::take(&mut self.rest)),
                '\x08' | '\x7f' => {
                    self.rest.pop();
                }
                '\x03' => self.is_interrupted = true,
                '\x15' => self.rest.clear(),
                '\x04' => self.has_ended |= self.rest.is_empty(),
                _ if key.is_control() => {}
                _ => self.rest.push(key),
            }
        }
    }
}

/// Skips the rest of the sequence of a special key: `[` and parameters up to a letter or `~`,
/// or one character.
fn skip_escape_sequence(keys: &mut std::str::Chars<'_>) {
    match keys.next() {
        Some('[') => {
            keys.find(|key| ('\x40'..='\x7e').contains(key));
        }
        // SS3, as some terminals send for arrow keys.
        Some('O') => {
            keys.next();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interprets_typed_keys() {
        let mut typed = TypedAhead::default();
        typed.extend(b"a5\x7f6\rb\x1b[D\x1bOA\x1b[3~");
        typed.extend(b"7");
        assert_eq!(
            (typed.lines.as_slice(), typed.rest.as_str()),
            (&["a6".to_string()][..], "b7")
        );
        typed.extend(b"\x04");
        assert!(!typed.has_ended);
        typed.extend(b"\x15\x04");
        assert!(typed.has_ended && !typed.is_interrupted);
        typed.extend(b"a\x03");
        assert!(typed.is_interrupted);
    }
}
