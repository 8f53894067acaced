//! The targets, each with the properties that it checks.

mod answers;
mod files;
mod rules;
mod session;
mod streams;
mod support;
mod words;

/// A parser of outside input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, also of its folder in the corpus.
    pub name: &'static str,
    /// Parses an input and describes the result. Panics if a property does not hold.
    pub answer: fn(&[u8]) -> String,
}

/// All targets.
pub const TARGETS: [Target; 19] = [
    target("fen", words::fen),
    target("command", words::command),
    target("reply", words::reply),
    target("moves", words::moves),
    target("lines", streams::lines),
    target("answer", answers::answer),
    target("rules", rules::rules),
    target("input", streams::input),
    target("session", session::session),
    target("book", files::book),
    target("config", files::config),
    target("engines", files::engines),
    target("results", files::results),
    target("transcript", files::transcript),
    target("game", files::game),
    target("settings", words::settings),
    target("arguments", words::arguments),
    target("limits", words::limits),
    target("sprt", words::sprt),
];

const fn target(name: &'static str, answer: fn(&[u8]) -> String) -> Target {
    Target { name, answer }
}
