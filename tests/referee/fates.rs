//! The expected outcome of each bot in the zoo.

use self::Fate::{Loses, Plays, Refused};

/// The expected outcome.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// The command exits with status 3 before the first game, with this message.
    Refused(&'static str),
    /// The bot loses for this reason, with this detail.
    Loses(&'static str, &'static str),
    /// The game ends by the rules.
    Plays,
}

/// Bot and expected outcome.
pub const FATES: &[(&str, Fate)] = &[
    (
        "exits-at-start",
        Refused("exits-at-start ended with exit status 3"),
    ),
    ("exits-at-uci", Refused("exits-at-uci ended with exit status 3")),
    (
        "exits-at-isready",
        Refused("exits-at-isready ended with exit status 3"),
    ),
    (
        "never-greets",
        Refused("never-greets gave no `uciok` within 10.000 s"),
    ),
    (
        "never-ready",
        Refused("never-ready gave no `readyok` within 10.000 s"),
    ),
    ("starts-slowly", Plays),
    ("exits-thinking", Loses("crash", "ended with exit status 3")),
    ("exits-after-its-move", Loses("crash", "ended with exit status 0")),
    ("answers-and-exits", Loses("crash", "ended with exit status 0")),
    ("segfaults", Loses("crash", "was ended by signal 11 (SIGSEGV)")),
    ("answers-twice", Plays),
    ("answers-early", Plays),
    ("answers-late", Loses("time", "too late")),
    ("hangs", Loses("stall", "gave no move within 0.300 s")),
    ("talks-and-hangs", Loses("stall", "gave no move within 0.300 s")),
    ("plays-an-illegal-move", Loses("illegal", "d4")),
    ("plays-the-last-move-again", Loses("illegal", "which is illegal")),
    ("shouts", Plays),
    ("says-more", Plays),
    ("has-no-line-end", Loses("stall", "gave no move within 0.300 s")),
    (
        "has-no-line-end-and-exits",
        Loses("crash", "ended with exit status 0"),
    ),
    (
        "plays-nonsense",
        Loses(
            "garbage",
            "`bestmove e2e4q`, which is not a move: a move is a cell",
        ),
    ),
    ("plays-nothing", Loses("garbage", "`bestmove`")),
    ("resigns-by-0000", Loses("garbage", "0000")),
    ("plays-nul", Loses("garbage", "not a move")),
    ("is-no-text", Loses("garbage", "not a move")),
    ("writes-garbage", Plays),
    (
        "never-ends-its-line",
        Loses("garbage", "a line longer than 64 KiB"),
    ),
    ("floods", Loses("garbage", "more than 8 MiB without an answer")),
    ("writes-byte-by-byte", Plays),
    ("drips-for-ever", Loses("stall", "gave no move within 0.300 s")),
    ("floods-stderr", Plays),
    ("closes-its-input", Loses("stall", "gave no move within 0.300 s")),
    ("closes-its-output", Loses("crash", "closed its output")),
    ("never-reads", Loses("stall", "gave no move within 0.300 s")),
    ("stops-itself", Loses("stall", "gave no move within 0.300 s")),
    ("ignores-sigterm", Plays),
    ("refuses-to-quit", Plays),
    ("leaves-a-child", Loses("crash", "ended with exit status 0")),
    ("leaves-a-stubborn-child", Plays),
    ("leaves-a-child-with-a-session", Plays),
    ("forks-on", Loses("stall", "gave no move within 0.300 s")),
    ("eats-memory", Loses("stall", "gave no move within 0.300 s")),
    ("spins", Loses("stall", "gave no move within 0.300 s")),
    ("greets-unasked", Plays),
    ("is-ready-twice", Plays),
    ("has-many-options", Plays),
    ("has-a-strange-name", Plays),
    (
        "floods-the-greeting",
        Refused("floods-the-greeting wrote more than 8 MiB without an answer"),
    ),
    ("answers-ucinewgame", Plays),
    ("exits-at-ucinewgame", Loses("crash", "ended with exit status 3")),
    (
        "hangs-at-ucinewgame",
        Loses("stall", "gave no `readyok` within 1.000 s"),
    ),
    (
        "shouts-the-command",
        Loses("stall", "gave no move within 0.300 s"),
    ),
    ("writes-with-tabs", Plays),
    ("pauses-in-its-move", Plays),
    (
        "has-no-move",
        Loses("garbage", "`bestmove (none)`, which is not a move: "),
    ),
    ("colours-its-move", Loses("garbage", "not a move")),
    ("hides-its-move", Loses("stall", "gave no move within 0.300 s")),
    ("answers-on-stderr", Loses("stall", "gave no move within 0.300 s")),
    ("writes-absurd-numbers", Plays),
    ("becomes-another", Loses("stall", "gave no move within 0.300 s")),
    (
        "kills-its-group",
        Loses("crash", "was ended by signal 9 (SIGKILL)"),
    ),
    // Whether it can signal its parent depends on the system.
    ("kills-its-parent", Loses("crash", "")),
    ("stops-its-parent", Loses("crash", "")),
    ("makes-zombies", Plays),
    ("leaves-a-daemon", Loses("crash", "ended with exit status 0")),
    ("forks-slowly", Loses("stall", "gave no move within 0.300 s")),
    ("lets-a-child-eat", Loses("stall", "gave no move within 0.300 s")),
    // UCI has no queries; `ugi.rs` has the outcomes under UGI.
    ("greets-in-uci", Plays),
    ("lies-about-the-result", Plays),
    ("answers-nonsense", Plays),
    ("answers-questions-twice", Plays),
    ("answers-no-query", Plays),
    ("exits-at-a-query", Plays),
    ("hangs-at-a-query", Plays),
    ("floods-at-a-query", Plays),
];

/// The resource hogs again, with these settings.
pub const LIMITED: &[(&str, &str, Fate)] = &[
    (
        "eats-memory",
        "memory=200",
        Loses("crash", " MB of memory, 200 MB are allowed"),
    ),
    (
        "lets-a-child-eat",
        "memory=200",
        Loses("crash", " MB of memory, 200 MB are allowed"),
    ),
    (
        "forks-on",
        "max-processes=50",
        Loses("crash", " processes, 50 are allowed"),
    ),
    (
        "forks-slowly",
        "max-processes=20",
        Loses("crash", " processes, 20 are allowed"),
    ),
];

impl Fate {
    /// The word for it in docs/faults.md.
    pub const fn word(self) -> &'static str {
        match self {
            Refused(_) => "not started",
            Loses(reason, _) => reason,
            Plays => "plays on",
        }
    }
}

/// Its settings. Only bots that use up their time have little of it.
pub fn settings(animal: &str, fate: Fate) -> &'static str {
    match (animal, fate) {
        ("hangs-at-ucinewgame", _) => "st=0.3 starttime=1",
        (_, Loses("stall" | "time", _)) => "st=0.3",
        _ => "st=20",
    }
}
