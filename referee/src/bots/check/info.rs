//! What is fixed about a check.

/// How much a check matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckLevel {
    /// A bot that fails it loses games or cannot play. The exit status depends on it.
    Required,
    /// A bot that fails it loses games in some matches, or surprises other clients.
    Recommended,
    /// Parts of the protocol that a match does not need.
    Optional,
}

impl CheckLevel {
    /// The word in `--json` and in headings.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            CheckLevel::Required => "required",
            CheckLevel::Recommended => "recommended",
            CheckLevel::Optional => "optional",
        }
    }
}

/// The facts of a check.
#[derive(Debug)]
pub struct CheckInfo {
    /// Its name, for `--only` and `--json`.
    pub name: &'static str,
    /// How much it matters.
    pub level: CheckLevel,
    /// The heading of its section in `protocol.md`.
    pub section: &'static str,
    /// What a bot does that passes.
    pub title: &'static str,
}

/// The check that starts the bot.
pub const HANDSHAKE: &str = "handshake";

/// The check of move lists.
pub const LONG_GAME: &str = "long-game";

/// The check of positions by FEN.
pub const FEN: &str = "fen";

/// The check that judges the output during all others.
pub const OUTPUT: &str = "output";
