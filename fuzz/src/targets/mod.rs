//! What is tried, each with the promises that it checks.

mod answers;
mod engines;
mod files;
mod session;
mod streams;
mod words;

use lodestone::game::Variant;

/// Something that reads input from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What it is called; its inputs lie in a folder of this name.
    pub name: &'static str,
    /// Has an input read and says what came of it. Panics where a promise is
    /// broken.
    pub answer: fn(&[u8]) -> String,
}

/// All targets.
pub const TARGETS: [Target; 17] = [
    target("fen", engines::fen),
    target("command", engines::command),
    target("reply", engines::reply),
    target("moves", engines::moves),
    target("lines", streams::lines),
    target("answer", answers::answer),
    target("input", streams::input),
    target("session", session::session),
    target("book", files::book),
    target("config", files::config),
    target("engines", files::engines),
    target("results", files::results),
    target("transcript", files::transcript),
    target("settings", words::settings),
    target("arguments", words::arguments),
    target("limits", words::limits),
    target("sprt", words::sprt),
];

const fn target(name: &'static str, answer: fn(&[u8]) -> String) -> Target {
    Target { name, answer }
}

/// The input as text, as lines of engines are decoded.
fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}

/// The first line of the input, as text.
fn line(input: &[u8]) -> String {
    let line = input.split(|&byte| byte == b'\n').next().unwrap_or_default();
    text(line).into_owned()
}

/// Checks that an error is a line that a terminal shows and nothing else, and
/// gives it back.
fn one_line(error: impl std::fmt::Display) -> String {
    let error = error.to_string();
    assert!(
        !error.chars().any(char::is_control),
        "a control character in {error:?}"
    );
    assert!(!error.is_empty(), "an error that says nothing");
    error
}

/// What is said of an input for each game.
fn of_each(answer: impl FnMut(Variant) -> String) -> String {
    let answers: Vec<String> = Variant::ALL.iter().copied().map(answer).collect();
    answers.join("; ")
}
