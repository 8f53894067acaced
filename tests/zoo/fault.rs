//! The faults of the bot, and habits that are no faults.

use clap::ValueEnum;

/// One fault. Its name on the command line is the variant in kebab case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// exits at once
    ExitsAtStart,
    /// does not answer `uci`
    NoUciok,
    /// answers `uci` after 12 seconds
    LateUciok,
    /// answers `uci` with `UCIOK`
    WrongUciok,
    /// never flushes its output
    NeverFlushes,
    /// answers `ugi` with `uciok`
    UciokForUgi,
    /// prints its name and a version before the handshake
    Banner,
    /// prints what it thinks about, without `info string`
    DebugLine,
    /// prints the board after each move
    PrintsBoard,
    /// does not answer `isready`
    NoReadyok,
    /// answers `isready` with `ready`
    WrongReadyok,
    /// exits at its first `go`
    ExitsAtGo,
    /// does not answer `go`
    NoAnswer,
    /// answers `a8` instead of `bestmove a8`
    MoveWithoutBestmove,
    /// answers `Bestmove`
    CapitalBestmove,
    /// answers on standard error
    AnswersOnStderr,
    /// answers with the row and the column as numbers
    NumbersForMove,
    /// does not flush `bestmove`
    UnflushedBestmove,
    /// answers each `go` twice
    TwoBestmoves,
    /// plays a move that is never legal
    AlwaysIllegal,
    /// ignores the moves of `position`
    IgnoresMoves,
    /// plays only the last move of `position`
    LastMoveOnly,
    /// reads at most 255 bytes of a line
    ShortLineBuffer,
    /// exits at a line of more than 255 bytes
    ExitsAtLongLine,
    /// does not reset its board at `ucinewgame`
    KeepsBoard,
    /// ignores a FEN and uses the start position
    OnlyStartpos,
    /// exits at a FEN
    ExitsAtFen,
    /// reads the ranks of a FEN from bottom to top
    FlipsFen,
    /// ignores the moves after a FEN
    IgnoresMovesAfterFen,
    /// always moves the first player's pieces
    IgnoresSideToMove,
    /// plays an illegal move in each hundredth answer
    IllegalEveryHundredth,
    /// exits where fewer than seven moves are legal
    ExitsOnFewMoves,
    /// believes that bricks above or below support a brick
    VerticalSupport,
    /// moves pieces from the right edge to the left edge
    WrapsAroundEdge,
    /// answers `bestmove 0000` to a single legal move
    PassesOnOnlyMove,
    /// takes half a second for each move
    AlwaysHalfSecond,
    /// answers 100 ms after the time of `movetime`
    HundredMsLate,
    /// answers 100 ms late if it has a second or more
    LateAtOneSecond,
    /// ignores `quit`
    IgnoresQuit,
    /// sleeps at the end of input
    SleepsAtEndOfInput,
    /// loops at the end of input
    LoopsAtEndOfInput,
    /// leaves a child process behind
    LeavesChild,
    /// leaves a child process behind in a session of its own
    LeavesChildInSession,
    /// sends no `id`
    NoId,
    /// sends `id` without the word `name`
    IdWithoutName,
    /// exits at `ucinewgame`
    ExitsAtNewGame,
    /// exits at a command that it does not know
    ExitsAtUnknownCommand,
    /// reports a command that it does not know, without `info string`
    ReportsUnknownCommand,
    /// does not recognise a command with CR LF
    NoCrlf,
    /// plays a move in a finished position
    PlaysOnWhenFinished,
    /// does not answer in a finished position
    SilentWhenFinished,
    /// exits in a finished position
    ExitsWhenFinished,
    /// ignores the turn limit
    IgnoresTurnLimit,
    /// takes three seconds for a move by the clock
    IgnoresClock,
    /// takes the opponent's clock for its own
    OpponentsClock,
    /// spends the increment before it is on the clock
    SpendsIncrementEarly,
    /// exits at `winc`
    ExitsAtIncrement,
    /// takes at least 150 ms for a move by the clock
    SlowOnEmptyClock,
    /// takes at least 100 ms for a move
    LongMinimum,
    /// ignores `stop`
    IgnoresStop,
    /// answers `stop` with an illegal move
    IllegalAtStop,
    /// exits at `go infinite`
    ExitsAtInfinite,
    /// answers `stop` with a `bestmove` when no search runs
    AnswersIdleStop,
    /// does not answer `isready` before the search ends
    NoReadyokWhileSearching,
    /// ends its search at `isready`
    IsreadyEndsSearch,
    /// does not read `quit` before the search ends
    IgnoresQuitWhileSearching,
    /// plays an illegal move in its second game
    IllegalInSecondGame,
    /// keeps 1 MB more with each move
    LeaksMemory,
    /// announces a `spin` option without `min` and `max`
    SpinWithoutRange,
    /// announces a default that is no value of the option
    DefaultOutOfRange,
    /// exits at an option's value out of range
    ExitsAtOptionRange,
    /// does not answer any more after an option's value out of range
    HangsAtOptionRange,
    /// ignores `depth`, so that its search does not end
    IgnoresDepth,
    /// exits at `go depth`
    ExitsAtDepth,
    /// ignores `nodes`, so that its search does not end
    IgnoresNodes,
    /// exits at a broken `position`
    ExitsAtBrokenPosition,
    /// does not answer any more after a broken `position`
    HangsAtBrokenPosition,
    /// answers `query p1turn` with the opposite
    WrongTurn,
    /// answers `query result` with the opposite
    WrongResult,
    /// does not answer `query`
    NoResponse,
}

/// A correct but unusual habit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Habit {
    /// none
    Correct,
    /// uses its time but for a twentieth and 10 ms
    UsesItsTime,
    /// starts after half a second
    StartsSlowly,
    /// takes 50 ms for `readyok`
    SlowReadyok,
    /// takes 100 ms to stop
    StopsSlowly,
    /// ends its lines with CR LF
    WritesCrlf,
    /// writes moves in upper case
    UpperCaseMoves,
    /// writes many `info` lines
    WritesInfo,
    /// writes to standard error
    WritesToStderr,
    /// names the expected reply
    NamesReply,
    /// keeps its board between two `position` commands of a game, until `ucinewgame`
    KeepsBoardOfGame,
    /// fills a table of 32 MB within a hundred moves
    FillsTable,
    /// takes and returns memory, as a garbage collector does
    CollectsGarbage,
    /// has a child process, and ends it
    EndsItsChild,
    /// exits at the second game, and starts again for it
    ExitsAtSecondGame,
    /// ends with status 1
    ExitsWithOne,
    /// has no options
    NoOptions,
}
