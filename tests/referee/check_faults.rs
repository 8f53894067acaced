//! The check that finds each fault of `tests/faulty`.

/// Fault, options of the command, first check that fails, and a part of its report that names the
/// fault.
pub const FAULTS: &str = "
    exits-at-start | | handshake | ended with exit status 1
    no-uciok | | handshake | did not write `uciok`; it has written nothing at all
    late-uciok | | handshake | did not write `uciok`; it has written nothing at all
    wrong-uciok | | handshake | it wrote `UCIOK`; the answer is `uciok`
    never-flushes | | handshake | wrote `uciok` only at the end of its input: it does not flush its output
    uciok-for-ugi | --proto ugi | handshake | answered `uciok`
    banner | | output | wrote `Faulty 1.0 by the tests`,
    debug-line | | output | wrote `thinking about the position`,
    prints-board | | output | wrote `  a b c d e f g h`,
    no-readyok | | isready | did not write `readyok`; it has written nothing since `isready`
    wrong-readyok | | isready | it wrote `ready`; the answer is `readyok`
    exits-at-go | | startpos | IndexError: list index out of range
    no-answer | | startpos | sent no move within 3.000 s; it has written nothing since `go`
    move-without-bestmove | | startpos | it wrote `a8`; an answer is `bestmove a8`
    capital-bestmove | | startpos | it wrote `Bestmove a8`; an answer is `bestmove a8`, in lower case
    answers-on-stderr | | startpos | it wrote `bestmove a8` to standard error
    numbers-for-move | | startpos | wrote `bestmove 0 3`, which is not a move
    unflushed-bestmove | | startpos | wrote `bestmove` only after more input: it does not flush its output
    two-bestmoves | | startpos | wrote 2 lines `bestmove` for one `go`
    always-illegal | | startpos | played d4, which is illegal
    ignores-moves | | long-game | played a8, which is illegal: a8 holds a brick already
    last-move-only | | long-game | played a8, which is illegal: a8 holds a brick already
    short-line-buffer | --variant gridlock | fen | which is illegal: there is no piece on
    exits-at-long-line | --variant gridlock | fen | IndexError: list index out of range
    keeps-board | | long-game | ; a new process plays a legal move in this position
    only-startpos | | fen | played a8, which is illegal: a8 holds a brick already
    exits-at-fen | | fen | IndexError: list index out of range
    flips-fen | | fen | played a8, which is illegal: a8 holds a brick already
    ignores-moves-after-fen | | fen | played a8, which is illegal: a8 holds a brick already
    ignores-side-to-move | --variant gridlock | long-game | which is illegal: the piece on b4 is the opponent's
    illegal-every-hundredth | | random-positions | played d4, which is illegal: d4 touches neither a wall nor a brick
    exits-on-few-moves | | long-game | IndexError: list index out of range
    vertical-support | | long-game | touches neither a wall nor a brick
    wraps-around-edge | --variant gridlock | startpos | is not next to
    passes-on-only-move | | only-move | `bestmove a8`, the only legal move
    always-half-second | | movetime-200 | ; 7 more answers were late, too
    hundred-ms-late | | movetime | ; 2 more answers were late, too
    late-at-one-second | | movetime | `bestmove` within 3000 ms of `go`
    ignores-quit | | quit | still runs 2 s after `quit`
    sleeps-at-end-of-input | | end-of-input | still runs 2 s after the end of its input
    loops-at-end-of-input | | end-of-input | still runs 2 s after the end of its input
    leaves-child | | no-leftovers | exited and left a process behind
    leaves-child-in-session | | no-leftovers | exited and left a process behind
    no-id | | id | sent no `id name`
    id-without-name | | id | `id Faulty 1.0` is neither `id name …` nor `id author …`
    exits-at-new-game | | startpos | also after `ucinewgame`
    exits-at-unknown-command | | unknown-command | also after `hello`
    reports-unknown-command | | unknown-command | answered an unknown command with
    no-crlf | | crlf | after lines that end with CR LF
    plays-on-when-finished | | finished | played `d4`, but the game is over
    silent-when-finished | | finished | sent no `bestmove`
    exits-when-finished | | finished | IndexError: list index out of range
    ignores-turn-limit | --variant gridlock | finished | but the game is over
    ignores-clock | | increment | `bestmove` within 500 ms of `go`
    opponents-clock | | increment | use the clock of the side to move
    spends-increment-early | | increment | the increment comes after the move
    exits-at-increment | | increment | IndexError: list index out of range
    slow-on-empty-clock | | low-clock | `bestmove` within 60 ms of `go`
    long-minimum | | movetime-50 | `bestmove` within 50 ms of `go`
    ignores-stop | | stop | `bestmove` within 1 s of `stop`
    illegal-at-stop | | stop | wrote `bestmove z9`, which is not a legal move
    exits-at-infinite | | stop | a search until `stop`
    answers-idle-stop | | stop-idle | answered `stop` although it was not searching
    no-readyok-while-searching | | isready-searching | answered only after its search when `isready` came
    isready-ends-search | | isready-searching | ended its search when `isready` came
    ignores-quit-while-searching | | quit-searching | still runs 2 s after `quit`
    illegal-in-second-game | | whole-game | ; a new process plays a legal move in this position
    leaks-memory | | memory | , and did not stop growing
    spin-without-range | | options | `option name Hash type spin default 16`:
    default-out-of-range | | options | the default 0 is not from 1 to 1024
    exits-at-option-range | | option-ranges | IndexError: list index out of range
    hangs-at-option-range | | option-ranges | did not write `readyok`
    ignores-depth | | depth | a search that ends at this limit
    exits-at-depth | | depth | IndexError: list index out of range
    ignores-nodes | | nodes | a search that ends at this limit
    exits-at-broken-position | | broken-position | also after `position`
    hangs-at-broken-position | | broken-position | also after `position`
    wrong-turn | --proto ugi | queries | answered `query p1turn` with `response false`
    wrong-result | --proto ugi | queries | answered `query result` with `response p2win`
    no-response | --proto ugi | queries | answer each `query` with `response`
";

/// Faults that make all checks slow. They are interrupted after the first failed check.
pub const SLOW: [&str; 3] = ["always-half-second", "hundred-ms-late", "long-minimum"];
