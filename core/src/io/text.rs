//! Text for people: wrapping, alignment, durations, and [`printable`] for untrusted text.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::system::files::quote;

pub use lodestone_game::text::{is_printable, printable};
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A path or a name in the file system for people. Anybody may have chosen it, so it is [`printable`], unlike with
/// `display`.
pub trait ShowPath {
    /// The path as text without control characters.
    fn shown(&self) -> String;
}

impl ShowPath for Path {
    fn shown(&self) -> String {
        self.as_os_str().shown()
    }
}

impl ShowPath for OsStr {
    fn shown(&self) -> String {
        printable(&self.to_string_lossy(), usize::MAX)
    }
}

/// The number of terminal columns that a line of text takes (Unicode Standard
/// Annex 11).
pub fn columns(text: &str) -> usize {
    text.width()
}

/// `text` with trailing spaces, at least `width` columns wide.
pub fn padded(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(columns(text)))
}

/// The beginning of `text`, at most `width` columns wide.
pub fn truncated(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, character)| {
        used += character.width().unwrap_or(0);
        used > width
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// `text` with leading spaces, at least `width` columns wide.
pub fn right_aligned(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text))) + text
}

/// `text` in at most `width` columns: its beginning and `…` if it is wider.
pub fn shortened(text: &str, width: usize) -> String {
    if columns(text) <= width {
        text.to_string()
    } else {
        format!("{}…", truncated(text, width.saturating_sub(1)))
    }
}

/// How a line begins that is a command of some services which show the output of programs.
const COMMAND: &str = "::";

/// The words of a line with the spaces behind them. One that would make a command of its line belongs to the word
/// before it.
fn words_of(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut rest = line;
    Box::new(std::iter::from_fn(move || {
        let mut ends = rest.match_indices(' ').map(|(space, _)| space + 1);
        let ends_word = |end: &usize| !rest[*end..].starts_with(' ') && !rest[*end..].starts_with(COMMAND);
        let (word, after) = rest.split_at(ends.find(ends_word).unwrap_or(rest.len()));
        rest = after;
        (!word.is_empty()).then(|| Word::from(word))
    }))
}

/// Wraps each line of `text` between words to at most `width` columns. The lines that
/// continue it have its indentation. A word is never broken, and no line is made that begins with `::`.
pub fn wrap(text: &str, width: usize) -> String {
    let wrap_line = |line: &str| {
        let indentation = &line[..line.len() - line.trim_start_matches(' ').len()];
        let options = Options::new(width.max(1))
            .break_words(false)
            .word_separator(WordSeparator::Custom(words_of))
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit)
            .subsequent_indent(indentation);
        textwrap::fill(line, options)
    };
    text.split('\n').map(wrap_line).collect::<Vec<_>>().join("\n")
}

/// [`wrap`] to 80 columns.
pub fn wrapped(text: &str) -> String {
    wrap(text, 80)
}

/// A duration in seconds with three decimals.
pub fn time(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// A time on a clock: `12:34`, `1:02:03`, or `0:07.3` in the last minute.
pub fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if seconds < 60 {
        format!("0:{rest:02}.{}", left.subsec_millis() / 100)
    } else if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

/// A duration in milliseconds with three decimals.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

/// A speed in nodes per second: `812 nps`, `81 knps` or `8.1 Mnps`.
pub fn speed(nps: u64) -> String {
    match nps {
        0..10_000 => format!("{nps} nps"),
        10_000..1_000_000 => format!("{} knps", nps / 1000),
        _ => format!("{:.1} Mnps", nps as f64 / 1e6),
    }
}

/// A number with its noun: "1 move", "2 moves".
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// "1 ply", "2 plies".
pub(crate) fn counted_plies(count: usize) -> String {
    format!("{count} pl{}", if count == 1 { "y" } else { "ies" })
}

/// "there is 1 core", "there are 2 cores".
pub fn there_are(count: usize, noun: &str) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("there {verb} {}", counted(count, noun))
}

/// The first `most` texts with this separator between them, and the number of the others.
pub fn listed(texts: &[String], most: usize, separator: &str) -> String {
    let text = texts[..texts.len().min(most)].join(separator);
    match texts.len().saturating_sub(most) {
        0 => text,
        more => format!("{text}{separator}and {more} more"),
    }
}

/// The words, quoted where a shell needs it, with spaces between them.
pub fn join(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word, quoted if a shell needs it. Settings such as `st=1` stay as they are.
pub fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "=._-/+:,@%".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    quote(word).unwrap_or_else(|_| word.to_string())
}

/// The same message in one line, for places that escape the ends of lines.
pub fn in_one_line(message: &str) -> String {
    message.replace("?\n  ", "? ").replace("\n  ", "; ")
}

/// The longest list of names in the middle of a message, in bytes: most of a line on a terminal.
const MAX_LIST: usize = 70;

/// A message repeats a word up to this number of characters.
const MAX_QUOTE: usize = 40;

/// The candidate closest to `word`, if it is close; letter case does not matter.
///
/// Close means at most one typing error, or one per four letters of a long word. A typing
/// error is a letter inserted, omitted or replaced, or two adjacent letters swapped.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let allowed = (length / 4).max(1).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// "; did you mean `x`?" for the end of a message; empty if no candidate is close.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, candidates).map_or(String::new(), |meant| format!("; did you mean `{meant}`?"))
}

/// The message about a word that is not one of `names`: "unknown setting `dpeth`; did
/// you mean `depth`? The settings are …" for the kind "setting". A long list is a line of its own. The word may
/// come from anywhere: it is cut, and unprintable characters are escaped.
pub fn unknown(kind: &str, word: &str, names: &[&str]) -> String {
    let hint = hint(word, names.iter().copied());
    let the = if hint.is_empty() { "; the" } else { " The" };
    let word = printable(word, MAX_QUOTE);
    let list = names.join(", ");
    if list.len() > MAX_LIST {
        format!("unknown {kind} `{word}`{hint}\n  {kind}s: {list}")
    } else {
        format!("unknown {kind} `{word}`{hint}{the} {kind}s are {list}")
    }
}

/// The word that is unknown, of a message that begins like [`unknown`] of one of these kinds.
pub fn unknown_word<'a>(message: &'a str, kinds: &[&str]) -> Option<&'a str> {
    let rest = message.strip_prefix("unknown ")?;
    let of_kind = |kind: &&str| rest.strip_prefix(*kind)?.strip_prefix(" `")?.split('`').next();
    kinds.iter().find_map(of_kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_is_found_in_its_message() {
        let message = unknown("key", "strat", &["start"]);
        assert_eq!(unknown_word(&message, &["setting", "key"]), Some("strat"));
        assert_eq!(unknown_word(&message, &["setting"]), None);
    }

    #[test]
    fn numbers_and_lists_are_sentences() {
        assert_eq!(there_are(1, "core"), "there is 1 core");
        assert_eq!(there_are(2, "core"), "there are 2 cores");
        let texts = ["a", "b", "c"].map(String::from);
        assert_eq!(listed(&texts, 3, "; "), "a; b; c");
        assert_eq!(listed(&texts, 1, "; "), "a; and 2 more");
    }

    #[test]
    fn speeds_have_two_or_three_digits() {
        assert_eq!(
            [812, 81_200, 8_120_000].map(speed),
            ["812 nps", "81 knps", "8.1 Mnps"]
        );
    }

    #[test]
    fn clocks_show_tenths_in_the_last_minute() {
        let shown = [0, 7_390, 59_999, 60_000, 754_000, 3_723_000].map(|ms| clock(Duration::from_millis(ms)));
        assert_eq!(shown, ["0:00.0", "0:07.3", "0:59.9", "1:00", "12:34", "1:02:03"]);
    }

    #[test]
    fn shortened_text_fits() {
        assert_eq!(shortened("磁石", 4), "磁石");
        assert_eq!(shortened("磁石", 3), "磁…");
        assert_eq!(right_aligned("磁", 3), " 磁");
    }

    #[test]
    fn wraps_long_text_between_words() {
        let word = "a".repeat(39);
        assert_eq!(
            wrapped(&format!("{word} {word} b c")),
            format!("{word} {word}\nb c")
        );
        assert_eq!(wrapped(&"a".repeat(90)), "a".repeat(90), "words are never broken");
        assert_eq!(wrapped(""), "");
        for (text, expected) in [
            ("one two", "one\ntwo"),
            ("  one two", "  one\n  two"),
            ("one\n\ntwo three\n", "one\n\ntwo\nthree\n"),
            ("a-b-c-d-e-f", "a-b-c-d-e-f"),
            ("磁 石 磁", "磁 石\n磁"),
            ("one two ::error::x six", "one\ntwo ::error::x\nsix"),
            ("one  ::x  :: y", "one  ::x  ::\ny"),
            (" one : ::x", " one\n : ::x"),
        ] {
            assert_eq!(wrap(text, 6), expected);
        }
        assert_eq!(wrap("one two", 0), "one\ntwo");
    }

    #[test]
    fn counts_columns_of_wide_and_combining_characters() {
        assert_eq!(columns("abc"), 3);
        assert_eq!(columns("磁石"), 4);
        assert_eq!(columns("u\u{308}"), 1);
        assert_eq!(padded("磁石", 6), "磁石  ");
        assert_eq!(padded("磁石", 3), "磁石");
        assert_eq!(truncated("磁石", 3), "磁");
        assert_eq!(truncated("u\u{308}ber", 1), "u\u{308}");
        assert_eq!(truncated("abc", 3), "abc");
    }
}

#[cfg(test)]
mod shell_tests {
    use super::*;
    use crate::system::files::{STARTS_SCRIPTS, split_words};

    #[test]
    fn quotes_only_what_a_shell_would_change() {
        let line = ["a", "st=0.5", "-x", "two words", "", "a*", "$HOME"];
        if STARTS_SCRIPTS {
            assert_eq!(join(&line), "a st=0.5 -x 'two words' '' 'a*' '$HOME'");
        } else {
            assert_eq!(join(&line), r#"a st=0.5 -x "two words" "" "a*" "$HOME""#);
        }
        assert_eq!(split_words(&join(&line)).unwrap(), line);
    }
}

#[cfg(test)]
mod suggest_tests {
    use sentences::expect;

    use super::*;

    #[test]
    fn suggests_only_close_words() {
        let keys = ["cmd", "depth", "nodes", "timemargin"];
        for (word, meant) in [
            ("dpeth", Some("depth")),
            ("DEPHT", Some("depth")),
            ("time-margin", Some("timemargin")),
            ("timmargn", Some("timemargin")),
            ("cmf", Some("cmd")),
            ("node", Some("nodes")),
            ("code", None),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(word, keys), meant, "{word}");
        }
        assert_eq!(hint("cmdd", keys), "; did you mean `cmd`?");
        assert_eq!(hint("x", keys), "");
    }

    #[test]
    fn message_lists_the_known_words() {
        expect! {"unknown format `swis`; did you mean `swiss`? The formats are gauntlet, swiss"}
            .assert_eq(&unknown("format", "swis", &["gauntlet", "swiss"]));
        expect! {"unknown format `x`; the formats are gauntlet, swiss"}.assert_eq(&unknown(
            "format",
            "x",
            &["gauntlet", "swiss"],
        ));
        let long = "a".repeat(MAX_QUOTE + 1);
        assert_eq!(
            unknown("format", &format!("\x1b{long}"), &["swiss"]),
            format!("unknown format `\\u{{1b}}{}…`; the formats are swiss", &long[2..])
        );
    }
}
