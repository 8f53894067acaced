//! Sentences that outputs and messages must have. `UPDATE_EXPECT=1 cargo test --workspace --no-fail-fast` renews those
//! in [`expect!`], so that better words cost no work. A sentence stands in braces, `expect! {"…"}`: rustfmt would break
//! its line in brackets, and `expect-test` does not find it then.

// Assertions panic, and each snapshot is compared once.
#![allow(clippy::missing_panics_doc, clippy::needless_pass_by_value)]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;

pub use expect_test::{Expect, expect, expect_file};

/// A part of an output: a fact, or a sentence that can be renewed.
pub trait Part {
    /// Asserts that a text has this part. A failure prints where it was looked for.
    #[track_caller]
    fn assert_in(self, text: &str, place: &str);
}

impl<T: AsRef<str> + ?Sized> Part for &T {
    fn assert_in(self, text: &str, place: &str) {
        let part = self.as_ref();
        assert!(text.contains(part), "{part:?} is not in {place}");
    }
}

impl Part for String {
    fn assert_in(self, text: &str, place: &str) {
        self.as_str().assert_in(text, place);
    }
}

/// On one line.
impl Part for Expect {
    fn assert_in(self, text: &str, place: &str) {
        let part = nearest(text, self.data());
        if part != self.data() {
            println!("in {place}");
        }
        assert_once(&self, part);
    }
}

/// Asserts that a text has this part.
#[track_caller]
pub fn assert_has(text: impl AsRef<str>, part: impl Part) {
    part.assert_in(text.as_ref(), text.as_ref());
}

/// Asserts that a text has this sentence, and returns it as the text has it.
#[track_caller]
pub fn sentence_of(text: &str, sentence: &Expect) -> String {
    let part = nearest(text, sentence.data());
    assert_once(sentence, part);
    part.into()
}

/// Asserts for each row of a table that its last cell is a part of what `answer` makes of the others. `|` separates
/// the cells, and a line that begins with `|` continues the row above it.
#[track_caller]
pub fn assert_rows<const N: usize>(table: Expect, answer: impl FnMut([&str; N]) -> String) {
    assert_rows_by('|', table, answer);
}

/// The same with another separator, as for cells of shell code.
#[track_caller]
pub fn assert_rows_by<const N: usize>(
    separator: char,
    table: Expect,
    mut answer: impl FnMut([&str; N]) -> String,
) {
    let text = dedented(table.data());
    let (mut renewed, mut rest) = (String::new(), text.as_str());
    for row in cells(separator, N + 1, &text) {
        let (part, question) = row.split_last().unwrap();
        let question = question.try_into();
        let question: [&str; N] = question.unwrap_or_else(|_| panic!("not {} cells: {row:?}", N + 1));
        let answer = answer(question);
        let begin = rest.len() - (text.len() - (part.as_ptr().addr() - text.as_ptr().addr()));
        renewed = renewed + &rest[..begin] + nearest(&answer, part);
        rest = &rest[begin + part.len()..];
    }
    assert_once(&table, &(renewed + rest));
}

/// Lines of a dialogue: facts, or sentences that can be renewed.
pub trait Script {
    /// Calls `step` for each line, which returns the line as the dialogue has it.
    #[track_caller]
    fn follow(self, step: impl FnMut(&str) -> String);
}

impl<T: AsRef<str> + ?Sized> Script for &T {
    fn follow(self, mut step: impl FnMut(&str) -> String) {
        for line in script_lines(self.as_ref()) {
            assert_eq!(step(line), line);
        }
    }
}

impl Script for Expect {
    fn follow(self, step: impl FnMut(&str) -> String) {
        let text = dedented(self.data());
        let lines: Vec<String> = script_lines(&text).map(step).collect();
        let end = if text.ends_with('\n') { "\n" } else { "" };
        assert_once(&self, &(lines.join("\n") + end));
    }
}

fn script_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Whether sentences are renewed.
pub fn renews() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// The rows of a table whose cells are no sentences.
pub fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let rows = cells('|', N, table).into_iter().map(<[&str; N]>::try_from);
    rows.collect::<Result<_, _>>()
        .unwrap_or_else(|row| panic!("not {N} cells: {row:?}"))
}

/// A row has this many cells. The first one may be empty.
fn cells(separator: char, count: usize, table: &str) -> Vec<Vec<&str>> {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let cells = line.split(separator).map(str::trim);
        match rows.last_mut() {
            Some(row) if line.starts_with(separator) && row.len() < count => row.extend(cells.skip(1)),
            _ => rows.push(cells.collect()),
        }
    }
    rows
}

/// `Expect` can renew a text only once, but a loop may come again.
#[track_caller]
fn assert_once(expected: &Expect, found: &str) {
    static RENEWED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let renews = renews() && dedented(expected.data()) != found;
    if !renews || RENEWED.lock().unwrap().insert(expected.position.to_string()) {
        expected.assert_eq(found);
    }
}

/// The text of an [`Expect`] as it compares it, without the indentation.
fn dedented(text: &str) -> String {
    if !text.contains('\n') {
        return text.into();
    }
    let text = text.strip_prefix('\n').unwrap_or(text);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let indentation = lines.map(|line| line.len() - line.trim_start().len()).min();
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| {
            line.get(indentation.unwrap_or(0)..)
                .unwrap_or(line.trim_start_matches(' '))
        })
        .collect()
}

/// The sentence, if the text has it, or the words of one line that differ least from it. They have a third of its
/// letters, or nothing in the text is meant.
fn nearest<'a>(text: &'a str, sentence: &'a str) -> &'a str {
    let found = if text.contains(sentence) {
        Some((0, sentence))
    } else {
        differs_least(text, sentence)
    };
    found
        .unwrap_or_else(|| panic!("nothing like {sentence:?} is in {text}"))
        .1
}

/// The same in a text that may be wrapped, on one line.
pub fn nearest_wrapped(text: &str, sentence: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = differs_least(&joined, sentence);
    // Other lines stand beside it there, so the words of a line are better unless much is missing.
    let of_line =
        differs_least(text, sentence).filter(|line| whole.is_none_or(|whole| line.0 < 2 * whole.0 + 1));
    let (_, found) = of_line
        .or(whole)
        .unwrap_or_else(|| panic!("nothing like {sentence:?} is in {text}"));
    found.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn differs_least<'a>(text: &'a str, sentence: &str) -> Option<(usize, &'a str)> {
    let letters: Vec<char> = sentence.chars().collect();
    let mut best = (letters.len() * 2 / 3, None);
    for line in text.lines() {
        // For each beginning of the sentence, its least difference from a part of the line that ends here, and where
        // this part begins.
        let mut row: Vec<(usize, usize)> = (0..=letters.len()).map(|length| (length, 0)).collect();
        for (at, found) in line.char_indices() {
            let end = at + found.len_utf8();
            let mut before = std::mem::replace(&mut row[0], (0, end));
            for (index, letter) in letters.iter().enumerate() {
                let same = (before.0 + usize::from(*letter != found), before.1);
                before = row[index + 1];
                let longer = (before.0 + 1, before.1);
                let shorter = (row[index].0 + 1, row[index].1);
                row[index + 1] = same.min(longer).min(shorter);
            }
            let (difference, begin) = row[letters.len()];
            if difference < best.0 {
                best = (difference, Some(whole_words(line, begin..end, sentence)));
            }
        }
    }
    Some((best.0, best.1?))
}

/// The words of a line of which this is a part. What takes the place of a sentence that begins or ends with a tag does
/// so, too.
fn whole_words<'a>(line: &'a str, part: Range<usize>, sentence: &str) -> &'a str {
    let begin = if sentence.starts_with('<') {
        let first = usize::from(line[part.start..].starts_with('<'));
        line[..part.start + first].rfind('<')
    } else {
        line[..part.start].rfind(' ').map(|space| space + 1)
    };
    let end = if sentence.ends_with('>') {
        let last = part.end - usize::from(line[..part.end].ends_with('>'));
        line[last..].find('>').map(|tag| last + tag + 1)
    } else {
        line[part.end..].find(' ').map(|space| part.end + space)
    };
    &line[begin.unwrap_or(0)..end.unwrap_or(line.len())]
}

#[test]
fn finds_the_words_of_a_better_heading() {
    let page = "<h3>Ratings</h3><p>So.</p><h3>Advantage of the first move</h3><p>The first player";
    assert_eq!(
        nearest(page, "<h3>First mover</h3>"),
        "<h3>Advantage of the first move</h3>"
    );
    assert_eq!(nearest(page, "<h3>Rating</h3>"), "<h3>Ratings</h3>");
}

#[test]
fn finds_the_words_of_a_better_sentence() {
    let text = "Usage: x\nreferee: the file `a b` is missing; write it first\n";
    for (sentence, found) in [
        ("the file `a b` is missing", "the file `a b` is missing"),
        ("file `a b` does not exist; write", "file `a b` is missing; write"),
        ("a file `a b` is lacking", "the file `a b` is missing;"),
    ] {
        assert_eq!(nearest(text, sentence), found);
    }
}

#[test]
#[should_panic = "nothing like"]
fn does_not_take_another_sentence() {
    nearest("Usage: x\n", "the file `a b` is missing");
}

#[test]
fn rows_are_compared_with_their_answers() {
    let table = expect![[r#"
        a | b | AB
        c
            | d | CD
        | e | E
    "#]];
    assert_rows(table, |[one, other]| {
        format!("The answer is {one}{other}").to_uppercase()
    });
}

#[test]
#[should_panic = "nothing like"]
fn row_with_another_answer_fails() {
    assert_rows(expect! {"a | it is b"}, |[_]| "c".into());
}
