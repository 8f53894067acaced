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

/// Bot, outcome, and message or detail. Whether a bot can signal its parent depends on the system. UCI has
/// no queries; `ugi.rs` has the outcomes under UGI.
const FATES: &str = "
    exits-at-start | not started | it ended with exit status 3
    exits-at-uci | not started | it ended with exit status 3
    exits-at-isready | not started | it ended with exit status 3
    never-greets | not started | it sent no `uciok` within 10.000 s
    never-ready | not started | it sent no `readyok` within 10.000 s
    starts-slowly | plays on |
    exits-thinking | crash | ended with exit status 3
    exits-after-its-move | crash | ended with exit status 0
    answers-and-exits | crash | ended with exit status 0
    segfaults | crash | was ended by signal 11 (SIGSEGV)
    answers-twice | plays on |
    answers-early | plays on |
    answers-late | time | too late
    hangs | stall | sent no move within 0.300 s
    talks-and-hangs | stall | sent no move within 0.300 s
    plays-an-illegal-move | illegal | d4
    plays-the-last-move-again | illegal | which is illegal
    shouts | plays on |
    says-more | plays on |
    has-no-line-end | stall | sent no move within 0.300 s
    has-no-line-end-and-exits | crash | ended with exit status 0
    plays-nonsense | garbage | `bestmove e2e4q`, which is not a move: a move is a cell
    plays-nothing | garbage | `bestmove`
    resigns-by-0000 | garbage | 0000
    plays-nul | garbage | not a move
    is-no-text | garbage | not a move
    writes-garbage | plays on |
    never-ends-its-line | garbage | a line longer than 64 KiB
    floods | garbage | more than 8 MiB without an answer
    writes-byte-by-byte | plays on |
    drips-for-ever | stall | sent no move within 0.300 s
    floods-stderr | plays on |
    closes-its-input | stall | sent no move within 0.300 s
    closes-its-output | crash | closed its output
    never-reads | stall | sent no move within 0.300 s
    stops-itself | stall | sent no move within 0.300 s
    ignores-sigterm | plays on |
    refuses-to-quit | plays on |
    leaves-a-child | crash | ended with exit status 0
    leaves-a-stubborn-child | plays on |
    leaves-a-child-with-a-session | plays on |
    forks-on | stall | sent no move within 0.300 s
    eats-memory | stall | sent no move within 0.300 s
    spins | stall | sent no move within 0.300 s
    greets-unasked | plays on |
    is-ready-twice | plays on |
    has-many-options | plays on |
    has-a-strange-name | plays on |
    floods-the-greeting | not started | it wrote more than 8 MiB without an answer
    answers-ucinewgame | plays on |
    exits-at-ucinewgame | crash | ended with exit status 3
    hangs-at-ucinewgame | stall | sent no `readyok` within 1.000 s
    shouts-the-command | stall | sent no move within 0.300 s
    writes-with-tabs | plays on |
    pauses-in-its-move | plays on |
    has-no-move | garbage | `bestmove (none)`, which is not a move:
    colours-its-move | garbage | not a move
    hides-its-move | stall | sent no move within 0.300 s
    answers-on-stderr | stall | sent no move within 0.300 s
    writes-absurd-numbers | plays on |
    becomes-another | stall | sent no move within 0.300 s
    kills-its-group | crash | was ended by signal 9 (SIGKILL)
    kills-its-parent | crash |
    stops-its-parent | crash |
    makes-zombies | plays on |
    leaves-a-daemon | crash | ended with exit status 0
    forks-slowly | stall | sent no move within 0.300 s
    lets-a-child-eat | stall | sent no move within 0.300 s
    greets-in-uci | plays on |
";

/// The resource hogs again, with these options of the command.
const LIMITED: &str = "
    eats-memory | memory=200 | crash | MB of memory, 200 MB are allowed
    lets-a-child-eat | memory=200 | crash | MB of memory, 200 MB are allowed
    forks-on | max-processes=50 | crash | processes, 50 are allowed
    forks-slowly | max-processes=20 | crash | processes, 20 are allowed
";

/// Every bot and its expected outcome.
pub fn fates() -> Vec<(&'static str, Fate)> {
    let rows = FATES.trim().lines().map(|row| row.splitn(3, '|').map(str::trim));
    rows.map(|mut cells| (cells.next().unwrap(), Fate::of(cells)))
        .collect()
}

/// Bots with options of the command, and their expected outcomes.
pub fn limited() -> Vec<(&'static str, &'static str, Fate)> {
    let rows = LIMITED
        .trim()
        .lines()
        .map(|row| row.splitn(4, '|').map(str::trim));
    rows.map(|mut cells| (cells.next().unwrap(), cells.next().unwrap(), Fate::of(cells)))
        .collect()
}

impl Fate {
    /// Reads the word, and the message or detail.
    fn of(mut cells: impl Iterator<Item = &'static str>) -> Fate {
        let mut cell = || cells.next().unwrap_or_default();
        match (cell(), cell()) {
            ("not started", message) => Refused(message),
            ("plays on", "") => Plays,
            (reason, detail) => Loses(reason, detail),
        }
    }

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
