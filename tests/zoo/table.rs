//! The facts about the bots of the zoo.

/// What becomes of a bot.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    /// `not started` (exit status 3), `plays on`, or the reason for which it loses.
    pub verdict: &'static str,
    /// The check that fails first, or `-`.
    pub check: &'static str,
    /// Settings of the player; `variant` is an option of the command; `st` and `tc` are for games only.
    settings: &'static str,
    /// What is left out, and why: `WAY WAY: REASON`.
    without: &'static str,
}

/// The bots by what goes wrong: name | verdict | check | settings | what is left out.
const GROUPS: [(&str, &str); 6] = [
    ("start", START),
    ("answers", ANSWERS),
    ("moves", MOVES),
    ("time", TIME),
    ("processes", PROCESSES),
    ("unseen", UNSEEN),
];

/// The handshake, and the start of a game.
const START: &str = "
    exits-at-start | not started | handshake
    exits-at-uci | not started | handshake
    no-uciok | not started | handshake | starttime=2
    late-uciok | not started | handshake | starttime=2
    wrong-uciok | not started | handshake | starttime=2
    never-flushes | not started | handshake | starttime=2
    uciok-for-ugi | not started | handshake | proto=ugi starttime=2
    asks-for-a-move-at-its-start | not started | handshake | starttime=2
    floods-the-greeting | not started | handshake | starttime=60
    exits-at-isready | not started | isready
    no-readyok | not started | isready | starttime=2
    wrong-readyok | not started | isready | starttime=2
    answers-isready-with-a-move | not started | isready | starttime=2
    exits-at-new-game | crash | startpos
    hangs-at-ucinewgame | stall | startpos | starttime=2
    answers-early | plays on | startpos
    greets-unasked | plays on | id
    is-ready-twice | plays on | output
    has-many-options | plays on | id
    has-a-strange-name | plays on | id
    answers-ucinewgame | plays on | output
    no-id | plays on | id
    id-without-name | plays on | id
    banner | plays on | output
";

/// What it writes in place of an answer, or with it.
const ANSWERS: &str = "
    exits-at-go | crash | startpos
    no-answer | stall | startpos | st=0.3
    move-without-bestmove | stall | startpos | st=0.3
    capital-bestmove | stall | startpos | st=0.3
    answers-on-stderr | stall | startpos | st=0.3
    unflushed-bestmove | stall | startpos | st=0.3
    numbers-for-move | garbage | startpos
    two-bestmoves | plays on | startpos
    exits-thinking | crash | long-game
    exits-after-its-move | crash | long-game
    answers-and-exits | crash | long-game
    prints-a-traceback | crash | long-game
    throws-in-java | crash | long-game
    reports-an-error-and-exits | crash | long-game
    breaks-off-its-answer | crash | long-game
    writes-a-move-and-exits | crash | long-game
    has-no-line-end-and-exits | crash | long-game
    segfaults | crash | long-game
    closes-its-output | crash | long-game
    has-no-line-end | stall | long-game | st=0.3
    asks-for-a-move | stall | long-game | st=0.3
    talks-and-hangs | stall | long-game | st=0.3
    thinks-aloud | stall | long-game | st=0.3
    writes-for-people | stall | long-game | st=0.3
    writes-a-colon | stall | long-game | st=0.3
    prompts-before-its-answer | stall | long-game | st=0.3
    shouts-the-command | stall | long-game | st=0.3
    hides-its-move | stall | long-game | st=0.3
    drips-for-ever | stall | long-game | st=0.3
    plays-nonsense | garbage | long-game
    plays-nothing | garbage | long-game
    resigns-by-0000 | garbage | long-game
    has-no-move | garbage | long-game
    spaces-its-move | garbage | long-game
    colours-its-move | garbage | long-game
    plays-nul | garbage | long-game
    is-no-text | garbage | long-game
    never-ends-its-line | garbage | long-game
    floods | garbage | long-game | | check: a busy machine does not read all of it in the three seconds of a check
    debug-line | plays on | output
    prints-board | plays on | output
    writes-garbage | plays on | output
    talks-to-itself | plays on | output
    shouts | plays on | -
    says-more | plays on | -
    writes-byte-by-byte | plays on | -
    floods-stderr | plays on | -
    writes-with-tabs | plays on | -
    pauses-in-its-move | plays on | -
    writes-absurd-numbers | plays on | -
";

/// Its board, and the rules of the game.
const MOVES: &str = "
    always-illegal | illegal | startpos
    plays-an-illegal-move | illegal | long-game
    plays-the-last-move-again | illegal | long-game
    reports-an-illegal-move | illegal | long-game
    moves-for-the-other-side | illegal | long-game | variant=gridlock
    ignores-moves | illegal | long-game
    last-move-only | illegal | long-game
    vertical-support | illegal | long-game
    short-line-buffer | plays on | fen | variant=gridlock
    exits-at-long-line | plays on | fen | variant=gridlock
    keeps-board | plays on | long-game
    only-startpos | plays on | fen
    exits-at-fen | plays on | fen
    flips-fen | plays on | fen
    ignores-moves-after-fen | plays on | fen
    ignores-side-to-move | plays on | long-game | variant=gridlock
    illegal-every-hundredth | plays on | random-positions
    exits-on-few-moves | plays on | long-game
    wraps-around-edge | plays on | startpos | variant=gridlock
    passes-on-only-move | plays on | only-move
    illegal-in-second-game | plays on | whole-game
    plays-on-when-finished | plays on | finished
    silent-when-finished | plays on | finished
    exits-when-finished | plays on | finished
    ignores-turn-limit | plays on | finished | variant=gridlock
";

/// The clock.
const TIME: &str = "
    hangs | stall | long-game | st=0.3
    answers-late | time | - | st=0.3 | check: a late answer has a second chance, and its first one is in time
    always-half-second | time | movetime-200 | st=0.4
    hundred-ms-late | time | movetime | st=0.3
    late-at-one-second | time | movetime | st=1
    long-minimum | plays on | movetime-50
    ignores-clock | plays on | increment
    opponents-clock | plays on | increment
    spends-increment-early | plays on | increment
    exits-at-increment | plays on | increment
    slow-on-empty-clock | plays on | low-clock
";

/// Processes, descriptors and memory.
const PROCESSES: &str = "
    closes-its-input | stall | long-game | st=0.3
    never-reads | stall | long-game | st=0.3
    stops-itself | stall | long-game | st=0.3
    becomes-another | stall | long-game | st=0.3
    ignores-sigterm | plays on | -
    refuses-to-quit | plays on | quit
    ignores-quit | plays on | quit
    sleeps-at-end-of-input | plays on | end-of-input
    loops-at-end-of-input | plays on | end-of-input
    leaves-child | plays on | no-leftovers
    leaves-child-in-session | plays on | no-leftovers
    leaves-a-child | crash | long-game
    leaves-a-stubborn-child | plays on | no-leftovers
    leaves-a-child-with-a-session | plays on | -
    leaves-a-daemon | crash | long-game
    makes-zombies | plays on | -
    kills-its-group | crash | long-game
    kills-its-parent | crash | long-game
    stops-its-parent | crash | long-game
    spins | stall | long-game | st=0.3
    forks-on | stall | long-game | st=0.3 | check ladder feedback page: it keeps the machine busy, and is a stall like others
    forks-slowly | stall | long-game | st=0.3 | check ladder feedback page: it keeps the machine busy, and is a stall like others
    eats-memory | stall | long-game | st=0.3 | check ladder feedback page: it keeps the machine busy, and is a stall like others
    lets-a-child-eat | stall | long-game | st=0.3 | check ladder feedback page: it keeps the machine busy, and is a stall like others
";

/// What a match never asks for, or does not notice.
const UNSEEN: &str = "
    exits-at-unknown-command | plays on | unknown-command
    reports-unknown-command | plays on | unknown-command
    no-crlf | plays on | crlf
    ignores-stop | plays on | stop
    illegal-at-stop | plays on | stop
    exits-at-infinite | plays on | stop
    answers-idle-stop | plays on | stop-idle
    no-readyok-while-searching | plays on | isready-searching | tc=100
    isready-ends-search | plays on | isready-searching | tc=100
    ignores-quit-while-searching | plays on | quit-searching
    leaks-memory | plays on | memory
    spin-without-range | plays on | options
    default-out-of-range | plays on | options
    exits-at-option-range | plays on | option-ranges
    hangs-at-option-range | plays on | option-ranges
    ignores-depth | plays on | depth
    exits-at-depth | plays on | depth
    ignores-nodes | plays on | nodes
    exits-at-broken-position | plays on | broken-position
    hangs-at-broken-position | plays on | broken-position
    wrong-turn | plays on | queries | proto=ugi
    wrong-result | plays on | queries | proto=ugi
    no-response | plays on | queries | proto=ugi
";

/// The resource hogs again, with a limit each.
const LIMITED: &str = "
    eats-memory | crash | long-game | memory=200
    lets-a-child-eat | crash | long-game | memory=200
    forks-on | crash | long-game | max-processes=50
    forks-slowly | crash | long-game | max-processes=20
";

fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    table.trim().lines().map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let mut cell = || cells.next().unwrap_or_default();
        Row {
            name: cell(),
            verdict: cell(),
            check: cell(),
            settings: cell(),
            without: cell(),
        }
    })
}

/// The bots of a group.
pub fn group(name: &str) -> Vec<Row> {
    let table = GROUPS.into_iter().find(|(group, _)| *group == name);
    table.map_or(Vec::new(), |(_, table)| rows(table).collect())
}

/// All bots.
pub fn all() -> Vec<Row> {
    GROUPS.into_iter().flat_map(|(_, table)| rows(table)).collect()
}

/// The bots that a limit ends, with it.
pub fn limited() -> Vec<Row> {
    rows(LIMITED).collect()
}

impl Row {
    /// The row of this bot.
    pub fn of(name: &str) -> Option<Row> {
        all().into_iter().find(|row| row.name == name)
    }

    /// Its settings in a check, without those of a game.
    pub fn settings(self) -> String {
        let is_general =
            |word: &&str| !["variant", "st", "tc"].contains(&word.split('=').next().unwrap_or_default());
        self.settings
            .split_whitespace()
            .filter(is_general)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Its settings in a game. Only who uses up the time has little of it.
    pub fn settings_of_game(self) -> String {
        let mut words = self.settings.split_whitespace();
        let st = words.find(|word| word.starts_with("st=") || word.starts_with("tc="));
        format!("{} {}", self.settings(), st.unwrap_or("st=60"))
    }

    /// The option of a command that it needs.
    pub fn game(self) -> &'static str {
        if self.settings.contains("variant=gridlock") {
            "--variant gridlock"
        } else {
            ""
        }
    }

    pub fn proto(self) -> &'static str {
        if self.settings.contains("proto=ugi") {
            "ugi"
        } else {
            "uci"
        }
    }

    /// Why it does not meet the referee in this way.
    pub fn is_without(self, way: &str) -> Option<&'static str> {
        let (ways, reason) = self.without.split_once(": ")?;
        ways.split(' ').any(|other| other == way).then_some(reason)
    }
}
