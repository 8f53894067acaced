//! What is tried, each with the promises that it checks.

mod answers;
mod engines;
mod files;
mod pieces;
mod session;
mod streams;
mod words;

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
