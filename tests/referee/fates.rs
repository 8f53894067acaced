//! The expected outcome of each bot in the zoo, and its time limit.

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

/// Bot, expected outcome, and time limit of the whole command in seconds.
pub const FATES: &[(&str, Fate, f64)] = &[
    (
        "exits-at-start",
        Refused("exits-at-start ended with exit status 3"),
        3.0,
    ),
    (
        "exits-at-uci",
        Refused("exits-at-uci ended with exit status 3"),
        3.0,
    ),
    (
        "exits-at-isready",
        Refused("exits-at-isready ended with exit status 3"),
        3.0,
    ),
    (
        "never-greets",
        Refused("never-greets gave no `uciok` within 10.000 s"),
        13.0,
    ),
    (
        "never-ready",
        Refused("never-ready gave no `readyok` within 10.000 s"),
        13.0,
    ),
    ("starts-slowly", Plays, 8.0),
    ("exits-thinking", Loses("crash", "ended with exit status 3"), 4.0),
    (
        "exits-after-its-move",
        Loses("crash", "ended with exit status 0"),
        4.0,
    ),
    (
        "answers-and-exits",
        Loses("crash", "ended with exit status 0"),
        4.0,
    ),
    (
        "segfaults",
        Loses("crash", "was ended by signal 11 (SIGSEGV)"),
        5.0,
    ),
    ("answers-twice", Plays, 5.0),
    ("answers-early", Plays, 5.0),
    ("answers-late", Loses("time", "too late"), 5.0),
    ("hangs", Loses("stall", "gave no move within 0.300 s"), 5.0),
    (
        "talks-and-hangs",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("plays-an-illegal-move", Loses("illegal", "d4"), 4.0),
    (
        "plays-the-last-move-again",
        Loses("illegal", "which is illegal"),
        4.0,
    ),
    ("shouts", Plays, 5.0),
    ("says-more", Plays, 5.0),
    (
        "has-no-line-end",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    (
        "has-no-line-end-and-exits",
        Loses("crash", "ended with exit status 0"),
        4.0,
    ),
    (
        "plays-nonsense",
        Loses(
            "garbage",
            "`bestmove e2e4q`, which is not a move: a move is a cell",
        ),
        4.0,
    ),
    ("plays-nothing", Loses("garbage", "`bestmove`"), 4.0),
    ("resigns-by-0000", Loses("garbage", "0000"), 4.0),
    ("plays-nul", Loses("garbage", "not a move"), 4.0),
    ("is-no-text", Loses("garbage", "not a move"), 4.0),
    ("writes-garbage", Plays, 5.0),
    (
        "never-ends-its-line",
        Loses("garbage", "a line longer than 64 KiB"),
        4.0,
    ),
    (
        "floods",
        Loses("garbage", "more than 8 MiB without an answer"),
        4.0,
    ),
    ("writes-byte-by-byte", Plays, 8.0),
    (
        "drips-for-ever",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("floods-stderr", Plays, 30.0),
    (
        "closes-its-input",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("closes-its-output", Loses("crash", "closed its output"), 4.0),
    ("never-reads", Loses("stall", "gave no move within 0.300 s"), 5.0),
    ("stops-itself", Loses("stall", "gave no move within 0.300 s"), 5.0),
    ("ignores-sigterm", Plays, 5.0),
    ("refuses-to-quit", Plays, 5.0),
    ("leaves-a-child", Loses("crash", "ended with exit status 0"), 5.0),
    ("leaves-a-stubborn-child", Plays, 5.0),
    ("leaves-a-child-with-a-session", Plays, 8.0),
    ("forks-on", Loses("stall", "gave no move within 0.300 s"), 8.0),
    ("eats-memory", Loses("stall", "gave no move within 0.300 s"), 8.0),
    ("spins", Loses("stall", "gave no move within 0.300 s"), 6.0),
    ("greets-unasked", Plays, 5.0),
    ("is-ready-twice", Plays, 5.0),
    ("has-many-options", Plays, 8.0),
    ("has-a-strange-name", Plays, 5.0),
    (
        "floods-the-greeting",
        Refused("floods-the-greeting wrote more than 8 MiB without an answer"),
        4.0,
    ),
    ("answers-ucinewgame", Plays, 5.0),
    (
        "exits-at-ucinewgame",
        Loses("crash", "ended with exit status 3"),
        5.0,
    ),
    (
        "hangs-at-ucinewgame",
        Loses("stall", "gave no `readyok` within 1.000 s"),
        6.0,
    ),
    (
        "shouts-the-command",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("writes-with-tabs", Plays, 5.0),
    ("pauses-in-its-move", Plays, 8.0),
    (
        "has-no-move",
        Loses("garbage", "`bestmove (none)`, which is not a move: "),
        4.0,
    ),
    ("colours-its-move", Loses("garbage", "not a move"), 4.0),
    (
        "hides-its-move",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    (
        "answers-on-stderr",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    ("writes-absurd-numbers", Plays, 5.0),
    (
        "becomes-another",
        Loses("stall", "gave no move within 0.300 s"),
        5.0,
    ),
    (
        "kills-its-group",
        Loses("crash", "was ended by signal 9 (SIGKILL)"),
        4.0,
    ),
    // Whether it can signal its parent depends on the system.
    ("kills-its-parent", Loses("crash", ""), 4.0),
    ("stops-its-parent", Loses("crash", ""), 5.0),
    ("makes-zombies", Plays, 15.0),
    ("leaves-a-daemon", Loses("crash", "ended with exit status 0"), 5.0),
    ("forks-slowly", Loses("stall", "gave no move within 0.300 s"), 8.0),
    (
        "lets-a-child-eat",
        Loses("stall", "gave no move within 0.300 s"),
        8.0,
    ),
    // UCI has no queries; `ugi.rs` has the outcomes under UGI.
    ("greets-in-uci", Plays, 5.0),
    ("lies-about-the-result", Plays, 5.0),
    ("answers-nonsense", Plays, 5.0),
    ("answers-questions-twice", Plays, 5.0),
    ("answers-no-query", Plays, 5.0),
    ("exits-at-a-query", Plays, 5.0),
    ("hangs-at-a-query", Plays, 5.0),
    ("floods-at-a-query", Plays, 5.0),
];

/// The resource hogs again, with these options of the command.
pub const LIMITED: &[(&str, &str, Fate, f64)] = &[
    (
        "eats-memory",
        "--memory 200",
        Loses("crash", " MB of memory, 200 MB are allowed"),
        8.0,
    ),
    (
        "lets-a-child-eat",
        "--memory 200",
        Loses("crash", " MB of memory, 200 MB are allowed"),
        8.0,
    ),
    (
        "forks-on",
        "--max-processes 50",
        Loses("crash", " processes, 50 are allowed"),
        8.0,
    ),
    (
        "forks-slowly",
        "--max-processes 20",
        Loses("crash", " processes, 20 are allowed"),
        8.0,
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

/// Time per move: some bots need longer.
pub fn settings(animal: &str, fate: Fate) -> &'static str {
    match (animal, fate) {
        ("floods-stderr", _) => "st=20",
        ("hangs-at-ucinewgame", _) => "st=0.3 starttime=1",
        (_, Plays) => "st=3",
        _ => "st=0.3",
    }
}
