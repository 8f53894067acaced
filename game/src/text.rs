//! Untrusted text for people: in error messages, on a terminal, in a line of a file.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Input that an error message repeats is cut to this many characters.
pub const MAX_QUOTE: usize = 40;

/// The byte order mark of UTF-8, which some editors and shells write before a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The byte order marks of UTF-16, which no text in UTF-8 begins with.
const MARKS_OF_UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The beginning of a text file without a byte order mark.
///
/// # Errors
/// The text is UTF-16, as some editors and shells of Windows write it.
pub fn text_start(bytes: &[u8]) -> io::Result<&[u8]> {
    if MARKS_OF_UTF_16.iter().any(|mark| bytes.starts_with(mark)) {
        return Err(io::Error::other("the text is UTF-16; save it as UTF-8"));
    }
    Ok(without_byte_order_mark(bytes))
}

/// `text` without a byte order mark at its beginning.
pub fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Opens a regular file for reading. This never waits: a pipe may have no writer, and another process may hold
/// a lease on a file.
///
/// # Errors
/// There is no such file, or it is a folder, a pipe or a device, which the message says.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    regular(options.read(true).open(path)?)
}

/// The file, if it is a regular one.
///
/// # Errors
/// It is a folder, a pipe or a device, which the message says.
pub fn regular(file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&kind) {
        return Err(io::Error::other(
            "it is a pipe; save what it holds in a file first",
        ));
    }
    let found = if kind.is_dir() { "a folder" } else { "a device" };
    Err(io::Error::other(format!("it is {found}, not a file")))
}

/// Opens a text file, after its byte order mark.
///
/// # Errors
/// It cannot be opened or read.
pub fn open(path: &Path) -> io::Result<BufReader<File>> {
    after_byte_order_mark(open_regular(path)?)
}

/// Reads a text file that has just been opened, after its byte order mark.
///
/// # Errors
/// It cannot be read.
pub fn after_byte_order_mark(file: File) -> io::Result<BufReader<File>> {
    let mut file = BufReader::new(file);
    let begin = file.fill_buf()?;
    let mark = begin.len() - text_start(begin)?.len();
    file.consume(mark);
    Ok(file)
}

/// Makes untrusted text safe for a terminal and for one line of output, as [`Shown`] does: at most `length` characters.
///
/// ```
/// use lodestone_game::text::printable;
///
/// assert_eq!(printable("\x1b[31mred", 8), r"\u{1b}[31mred");
/// assert_eq!(printable("too long", 3), "too…");
/// ```
#[must_use]
pub fn printable(text: &str, length: usize) -> String {
    Shown { text, length }.to_string()
}

/// Untrusted text that is safe for a terminal and for one line of output: escapes (`\n`, `\u{1b}`) stand for
/// characters that are not [printable](is_printable), and for those that would begin a command to the service in whose
/// log the line is: `::` at the beginning of a word, and `##[`, as in the workflows of GitHub.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The text as it is.
    pub text: &'a str,
    /// The largest number of characters that are shown. `…` follows if there are more.
    pub length: usize,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = ' ';
        let mut characters = self.text.char_indices();
        for (at, character) in characters.by_ref().take(self.length) {
            let rest = &self.text[at..];
            if rest.starts_with("##[") || rest.starts_with("::") && before.is_whitespace() {
                write!(f, "{}", character.escape_unicode())?;
            } else if is_printable(character) {
                f.write_char(character)?;
            } else {
                write_escaped(f, character)?;
            }
            before = character;
        }
        if characters.next().is_some() {
            f.write_char('…')
        } else {
            Ok(())
        }
    }
}

/// Writes `\n` and the like, or the number of the character.
fn write_escaped(f: &mut fmt::Formatter<'_>, character: char) -> fmt::Result {
    // Some invisible characters would stay as they are.
    if character.is_ascii() {
        write!(f, "{}", character.escape_debug())
    } else {
        write!(f, "{}", character.escape_unicode())
    }
}

/// Characters that nobody sees, so that two texts would look alike: those with the property
/// `Default_Ignorable_Code_Point` (Unicode 17.0, `DerivedCoreProperties.txt`), the line separators, and the blank
/// pattern of Braille. Some of them also change the direction of text.
const INVISIBLE: [[char; 2]; 18] = [
    ['\u{ad}', '\u{ad}'],
    ['\u{34f}', '\u{34f}'],
    ['\u{61c}', '\u{61c}'],
    ['\u{115f}', '\u{1160}'],
    ['\u{17b4}', '\u{17b5}'],
    ['\u{180b}', '\u{180f}'],
    ['\u{200b}', '\u{200f}'],
    ['\u{2028}', '\u{202e}'],
    ['\u{2060}', '\u{206f}'],
    ['\u{2800}', '\u{2800}'],
    ['\u{3164}', '\u{3164}'],
    ['\u{fe00}', '\u{fe0f}'],
    ['\u{feff}', '\u{feff}'],
    ['\u{ffa0}', '\u{ffa0}'],
    ['\u{fff0}', '\u{fff8}'],
    ['\u{1bca0}', '\u{1bca3}'],
    ['\u{1d173}', '\u{1d17a}'],
    ['\u{e0000}', '\u{e0fff}'],
];

/// Whether a character may be shown as it is. Control characters, line separators,
/// characters that change the direction of text, and invisible ones may not.
#[must_use]
pub fn is_printable(character: char) -> bool {
    let is_in = |[first, last]: [char; 2]| (first..=last).contains(&character);
    !character.is_control() && (character.is_ascii() || !INVISIBLE.into_iter().any(is_in))
}

/// Text in backticks for an error message: short and [`printable`].
pub fn quoted(text: &str) -> String {
    format!("`{}`", printable(text, MAX_QUOTE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_is_not_printable() {
        assert_eq!(printable("a\"'ß\\ü磁", 20), "a\"'ß\\ü磁");
        assert_eq!(printable("u\u{308}\u{1f600}", 20), "u\u{308}\u{1f600}");
        assert_eq!(
            printable("\0\t\r\n\x1b[31m\x7f\u{9b}", 20),
            r"\0\t\r\n\u{1b}[31m\u{7f}\u{9b}"
        );
        for invisible in [
            '\u{61c}',
            '\u{200b}',
            '\u{200f}',
            '\u{2028}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{ad}',
            '\u{1160}',
            '\u{200d}',
            '\u{2800}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{ffa0}',
            '\u{e0041}',
        ] {
            let escape = format!("\\u{{{:x}}}", u32::from(invisible));
            assert_eq!(printable(&invisible.to_string(), 1), escape);
        }
    }

    #[test]
    fn escapes_commands_to_the_service_of_a_log() {
        for (text, shown) in [
            ("::error::x", r"\u{3a}:error::x"),
            ("a\t::set-output name=x", r"a\t\u{3a}:set-output name=x"),
            ("a ##[group]b", r"a \u{23}#[group]b"),
            (
                "std::vector<a::b> #[test] ## :: c",
                r"std::vector<a::b> #[test] ## \u{3a}: c",
            ),
        ] {
            assert_eq!(printable(text, 80), shown);
        }
    }

    #[test]
    fn cuts_long_text() {
        assert_eq!(printable("abc", 3), "abc");
        assert_eq!(printable("abcd", 3), "abc…");
        assert_eq!(quoted(&"a".repeat(40)), format!("`{}`", "a".repeat(40)));
        assert_eq!(quoted(&"a".repeat(41)), format!("`{}…`", "a".repeat(40)));
    }
}
