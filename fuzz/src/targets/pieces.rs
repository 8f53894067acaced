//! What several targets need to read an input and to check an answer.

use lodestone::game::Variant;

/// The input as text, as lines of engines are decoded.
pub fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}

/// The first line of the input, as text.
pub fn line(input: &[u8]) -> String {
    let line = input.split(|&byte| byte == b'\n').next().unwrap_or_default();
    text(line).into_owned()
}

/// Checks that an error is a line that a terminal shows and nothing else, and
/// gives it back.
pub fn one_line(error: impl std::fmt::Display) -> String {
    let error = error.to_string();
    assert!(
        !error.chars().any(char::is_control),
        "a control character in {error:?}"
    );
    assert!(!error.is_empty(), "an error that says nothing");
    error
}

/// What is said of an input for each game.
pub fn of_each(answer: impl FnMut(Variant) -> String) -> String {
    let answers: Vec<String> = Variant::ALL.iter().copied().map(answer).collect();
    answers.join("; ")
}

/// The bytes, each `~` replaced by `letters` letters, not longer than `most` but
/// by one row of them.
pub fn stretched(bytes: &[u8], letters: usize, most: usize) -> Vec<u8> {
    let mut stretched = Vec::new();
    for &byte in bytes {
        match byte {
            b'~' if stretched.len() < most => stretched.resize(stretched.len() + letters, b'a'),
            b'~' => {}
            _ => stretched.push(byte),
        }
    }
    stretched
}
