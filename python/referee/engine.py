"""Drives engines and bots, all programs that speak UCI or UGI. The names are those of python-chess.

>>> from referee import Engine, Limit
>>> with Engine("lodestone", variant="magnetic-cave") as engine:
...     result = engine.play(["a8", "h8", "a7", "h7", "a6", "h6", "a5", "h5"], Limit(time=1))
...     print(result.move, result.info.score)
...     for info in engine.analyse(["a8", "h8"], Limit(depth=4), multipv=2):
...         print(info.depth, len(info.pv) > 0)
a4 win 1
4 True
4 True

A position is a list of moves from the start, or from a FEN (`fen=`). Times are seconds.
A wrong argument is a TypeError or a ValueError that names it, and nothing is sent. What goes wrong with
an engine is an `EngineError`:

    EngineError             the engine refuses a position, or has no such option or value
    EngineTimeoutError      no answer in time; the process is killed, because a late answer would
                            be taken for the answer to the next question
    EngineTerminatedError   the process could not be started, or it has ended
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, overload

from ._process import Connection, EngineError, EngineTerminatedError, EngineTimeoutError, Question, logger
from .rules import ERROR, NO_MOVE, RESIGN
from ._values import is_number, line, seconds, shown, whole, words

__all__ = [
    "Analysis",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "Info",
    "Limit",
    "Option",
    "Options",
    "PlayResult",
    "Score",
]

#: The words that differ between the protocols.
WORDS = {
    "uci": ("uci", "uciok", "ucinewgame", ("wtime", "btime", "winc", "binc")),
    "ugi": ("ugi", "ugiok", "uginewgame", ("p1time", "p2time", "p1inc", "p2inc")),
}
#: What engines write where there is no move.
NO_MOVES = (NO_MOVE, "(none)")
#: The kinds of scores, and the numbers that engines report beside them.
SCORES = ("cp", "win", "loss", "draw", "mate")
FACTS = ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time")
#: Numbers beyond this one are not written as values of options.
MAX_NUMBER = 10**100
#: The words of a line `go`, which are no moves.
GO_WORDS = {
    *("searchmoves", "ponder", "infinite", "movetime", "movestogo", "depth", "nodes", "mate", "perft"),
    *WORDS["uci"][3],
    *WORDS["ugi"][3],
}
#: How many reports of a search are kept for its iterator.
MAX_REPORTS = 10_000


@dataclass(frozen=True)
class Limit:
    """The limits of a search. The first one that is reached ends it.

    `time` is for this move, the clocks and increments are those of the first (white) and the second player
    (black), all in seconds. `depth` is in plies, `nodes` are searched positions.

    >>> Limit(time=0.5, depth=6)
    Limit(time=0.5, depth=6)
    """

    time: float | None = None
    depth: int | None = None
    nodes: int | None = None
    white_clock: float | None = None
    black_clock: float | None = None
    white_inc: float | None = None
    black_inc: float | None = None
    remaining_moves: int | None = None

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.__dict__.items() if value is not None)
        return f"Limit({', '.join(given)})"

    def _most(self) -> float | None:
        """The most seconds that the search may take."""
        if self.time is not None:
            return self.time
        clocks = [clock for clock in (self.white_clock, self.black_clock) if clock is not None]
        return max(clocks) if clocks else None


@dataclass(frozen=True)
class Score:
    """A score from the point of view of the side to move.

    `kind` is `cp` (an evaluation in hundredths), `win` or `loss` (proven, in `value`
    plies), `draw` (proven), or `mate` (proven, in own moves, negative for a loss). The quickest win is the
    greatest score, and the quickest loss the least; a draw counts as `cp 0`.

    >>> max(Score("cp", 300), Score("win", 7), Score("win", 5), Score("loss", 4))
    Score(kind='win', value=5)
    """

    kind: str
    value: int

    @property
    def is_proven(self) -> bool:
        """Whether this is a proven result rather than an evaluation."""
        return self.kind != "cp"

    def _rank(self) -> tuple[int, int]:
        if self.kind == "mate":
            plies = 2 * self.value - 1 if self.value > 0 else -2 * self.value
            return (1, -plies) if self.value > 0 else (-1, plies)
        return {"win": (1, -self.value), "loss": (-1, self.value), "draw": (0, 0)}.get(self.kind, (0, self.value))

    def __lt__(self, other: Score) -> bool:
        return self._rank() < other._rank() if isinstance(other, Score) else NotImplemented

    def __le__(self, other: Score) -> bool:
        return self._rank() <= other._rank() if isinstance(other, Score) else NotImplemented

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"

    @classmethod
    def parse(cls, text: str) -> Score:
        """The score of a text such as `cp 12` or `win 3`."""
        kind, value = text.split()
        return cls(kind, int(value))


@dataclass(frozen=True)
class Option:
    """An option that the engine announces. `type` is check, spin, combo, string or button.

    `default` is a bool for a check, a number for a spin, and a text for a combo or a string.
    """

    name: str
    type: str
    default: str | int | float | bool | None = None
    min: int | float | None = None
    max: int | float | None = None
    var: tuple[str, ...] = ()


@dataclass
class Info:
    """What the engine last reported about a line of play. Unknown facts are None."""

    score: Score | None = None
    depth: int | None = None  # plies
    seldepth: int | None = None  # plies
    multipv: int | None = None  # rank of the line, 1 is the best
    nodes: int | None = None
    nps: int | None = None  # nodes a second
    hashfull: int | None = None  # thousandths
    time: float | None = None  # seconds
    pv: list[str] = field(default_factory=list)  # the expected moves
    is_bound: bool = False  # the score is a bound, `lowerbound` or `upperbound`

    @property
    def is_exact(self) -> bool:
        """Whether there is a score, and it is no bound."""
        return self.score is not None and not self.is_bound


class Options(Mapping[str, Option]):
    """The options of an engine, by their names in any letter case."""

    def __init__(self) -> None:
        self._options: dict[str, Option] = {}

    def __getitem__(self, name: str) -> Option:
        return self._options[name.lower() if isinstance(name, str) else name]

    def __iter__(self) -> Iterator[str]:
        return (option.name for option in self._options.values())

    def __len__(self) -> int:
        return len(self._options)

    def __repr__(self) -> str:
        return repr(list(self._options.values()))


@dataclass
class PlayResult:
    """The engine's move, None if the game is over or it resigns; the reply that it expects; its last report."""

    move: str | None
    ponder: str | None
    info: Info
    stopped: bool = False  # `stop` or another call has ended the search before its limit
    resigned: bool = False  # the engine gives the game up


class Search(Question):
    """What is known about a search. The connection's lock guards it."""

    def __init__(self, most: float | None, root_moves: Sequence[str]) -> None:
        super().__init__("bestmove", most, is_search=True)
        self.root_moves = {move.lower() for move in root_moves}
        self.infos: dict[int, Info] = {}
        self.reports: deque[Info] = deque(maxlen=MAX_REPORTS)
        self.result: PlayResult | None = None

    def receive(self, line: str) -> None:
        words = line.split()
        if line.startswith(ERROR):
            self.error = self.error or EngineError(line[len(ERROR) :].strip())
        elif words[:2] == ["info", "string"]:
            logger.info("%s", " ".join(words[2:]))
        elif words[:1] == ["info"]:
            info = parse_info(words[1:])
            known = self.infos.get(info.multipv or 1)
            if info.score is not None or info.pv:
                if info.is_exact or not (known and known.is_exact):
                    self.infos[info.multipv or 1] = info
                self.reports.append(info)
        elif words[:1] == ["bestmove"]:
            self.is_over = True
            words += [NO_MOVE] if len(words) == 1 else []
            ponder = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else NO_MOVE
            resigned = words[1].lower() == RESIGN
            move, reply = (None if word.lower() in NO_MOVES else word for word in (words[1], ponder))
            move = None if resigned else move
            if move and self.root_moves and move.lower() not in self.root_moves:
                self.error = self.error or EngineError(
                    f"root_moves: the engine chose {move}, which is another move"
                )
            self.result = PlayResult(move, reply, self.infos.get(1, Info()), self.is_stopped, resigned)


class Engine:
    """A running engine.

    command: the path or the name of a program, or a list of the program and its arguments
    protocol: "uci" or "ugi"
    variant: the game, such as "gridlock"; None for the engine's default
    timeout: how long the engine may take to start, to get ready, and to answer beyond the time limit of
             a search or after `stop`, in seconds
    popen: arguments for `subprocess.Popen`, such as `cwd`, or a file for `stderr`

    Use the engine in a `with` statement, or end it with `quit`. The programs `lodestone` and `referee` are
    found in the environment of this Python, too. The engine runs in a session of its own, where the system
    has sessions: the keys Ctrl and C do not reach it, and all its processes end with it. There it also ends
    with this program, however that ends.

    An engine searches one position at a time. Each call, from any thread, first ends a search that is still
    running, so that `play` returns early in another thread: its result is `stopped`. For searches side by
    side, start more engines. In a forked process, the object can only be closed, which does nothing.
    """

    def __init__(
        self,
        command: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        protocol: str = "uci",
        variant: str | None = None,
        timeout: float = 10.0,
        **popen: Any,
    ) -> None:
        if not isinstance(protocol, str) or protocol not in WORDS:
            raise ValueError(f"unknown protocol {shown(protocol)}; expected uci or ugi")
        self.command = command_words(command)
        self.protocol, self.timeout = protocol, seconds("timeout", timeout)
        #: What the engine says of itself: `name`, `author`.
        self.id: dict[str, str] = {}
        #: The options that it announces.
        self.options = Options()
        self._unreadable: list[str] = []
        # Held while the engine answers, but not during a search.
        self._turn = threading.RLock()
        # The lines that the engine shows now, None if unknown, and between the calls with `multipv`.
        self._multipv: int | None = 1
        self._own_multipv = 1
        self._connection = Connection.start(self.command, popen)
        self._process = self._connection.process
        # Without `quit`, the engine ends with this object, or with this program.
        weakref.finalize(self, self._connection.kill)
        try:
            self._handshake()
            if variant is not None:
                self.configure({"UCI_Variant": variant})
        except BaseException:
            self.close()
            raise

    @classmethod
    def popen_uci(cls, command: str | os.PathLike[str] | Iterable[str], **settings: Any) -> Engine:
        """The same as `Engine(command)`, under its name in python-chess."""
        return cls(command, **settings)

    # Public methods

    def configure(self, options: Mapping[str, Any]) -> None:
        """Sets options; a button has the value None.

        Raises EngineError if the engine has no such option, does not announce the value, or refuses it.
        """
        if not isinstance(options, Mapping):
            raise TypeError(f"options: expected a dict, such as {{'Hash': 64}}, found {shown(options)}")
        settings = []
        for name, value in options.items():
            if name not in self.options:
                unreadable = "".join(f"; unreadable is {line!r}" for line in self._unreadable)
                raise EngineError(
                    f"there is no option {name!r}; there are {', '.join(self.options)}{unreadable}"
                )
            option = self.options[name]
            settings.append((option.name, option_text(option, value)))
        for name, text in settings:
            is_multipv = name.lower() == "multipv" and text is not None
            if is_multipv:
                self._multipv = None
            self._order(f"setoption name {name}" + ("" if text is None else f" value {text}"))
            if is_multipv:
                self._multipv = self._own_multipv = int(text or 1)

    def ping(self) -> None:
        """Returns when the engine is ready."""
        self._order("")

    def new_game(self) -> None:
        """The next position belongs to another game."""
        self._order(WORDS[self.protocol][2])

    def play(
        self,
        moves: Iterable[str],
        limit: Limit,
        *,
        fen: str | None = None,
        root_moves: Iterable[str] = (),
    ) -> PlayResult:
        """The engine's move after `moves`, perhaps one of `root_moves`.

        Raises EngineError if the engine cannot use `moves`, `fen` or `root_moves`, or reports another error.
        """
        check_limit(limit)
        return self.analysis(moves, limit, fen=fen, root_moves=root_moves)._wait_or_stop()

    @overload
    def analyse(
        self,
        moves: Iterable[str],
        limit: Limit,
        *,
        multipv: None = None,
        fen: str | None = None,
        root_moves: Iterable[str] = (),
    ) -> Info: ...

    @overload
    def analyse(
        self,
        moves: Iterable[str],
        limit: Limit,
        *,
        multipv: int,
        fen: str | None = None,
        root_moves: Iterable[str] = (),
    ) -> list[Info]: ...

    def analyse(
        self,
        moves: Iterable[str],
        limit: Limit,
        *,
        multipv: int | None = None,
        fen: str | None = None,
        root_moves: Iterable[str] = (),
    ) -> Info | list[Info]:
        """The engine's last report, or with `multipv` those on the best lines, the best first.

        An engine that reports nothing gives an empty report, or an empty list. Raises EngineError as `play`,
        and if another call ends the search.
        """
        check_limit(limit)
        analysis = self.analysis(moves, limit, multipv=multipv, fen=fen, root_moves=root_moves)
        if analysis._wait_or_stop().stopped:
            raise EngineError("another call has ended the search")
        return analysis.info if multipv is None else analysis.multipv

    def analysis(
        self,
        moves: Iterable[str],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        fen: str | None = None,
        root_moves: Iterable[str] = (),
    ) -> Analysis:
        """Begins a search: an iterator of its reports. Without a limit, `stop` ends it."""
        limit = Limit() if limit is None else limit
        go = go_words(limit, WORDS[self.protocol][3]) or ["infinite"]
        position = position_line(moves, fen)
        root_moves = words("root_moves", root_moves)
        if no_moves := [word for word in root_moves if word in GO_WORDS]:
            raise ValueError(f"root_moves: expected moves, found {no_moves[0]!r}")
        if root_moves:
            go += ["searchmoves", *root_moves]
        wanted = self._own_multipv if multipv is None else whole("multipv", multipv, 1)
        setting = None
        if wanted != 1 or "MultiPV" in self.options:
            if "MultiPV" not in self.options:
                raise EngineError("the engine has no option MultiPV: it shows one line only")
            option = self.options["MultiPV"]
            setting = f"setoption name {option.name} value {option_text(option, wanted)}"
        with self._turn:
            if setting and wanted != self._multipv:
                self._multipv = None
                self._order(setting)
                self._multipv = wanted
            self._order(position)
            search = Search(None if (most := limit._most()) is None else most + self.timeout, root_moves)
            self._connection.begin(" ".join(["go", *go]), search)
            return Analysis(self, search)

    def query(self, query: str, moves: Iterable[str] = (), *, fen: str | None = None) -> str:
        """The answer of a rules program about a position, or of any engine that speaks UGI.

        >>> with Engine("lodestone", protocol="ugi") as engine:
        ...     engine.query("gameover"), engine.query("p1turn", ["a8"])
        ('false', 'false')
        """
        position, text = position_line(moves, fen), line("query", query)
        with self._turn:
            self._order(position)
            answers = self._order(f"query {text}")
        if not answers:
            raise EngineError(f"the engine does not know `query {query}`")
        return "\n".join(answers)

    def quit(self) -> None:
        """Asks the engine to quit, and kills it if it does not. May be called twice, and from any thread."""
        self._connection.quit()

    close = quit

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # The protocol

    def _handshake(self) -> None:
        greeting = Question(WORDS[self.protocol][1], self.timeout)
        for text in self._connection.ask(WORDS[self.protocol][0], greeting):
            words = text.split()
            if words[0] == "id" and len(words) > 1:
                self.id[words[1]] = " ".join(words[2:])
            elif words[0] == "option":
                option = parse_option(words[1:])
                if option is None:
                    self._unreadable.append(" ".join(words))
                else:
                    self.options._options.setdefault(option.name.lower(), option)
        lines = self.options["MultiPV"].default if "MultiPV" in self.options else None
        if isinstance(lines, int):
            self._multipv = self._own_multipv = lines
        self.ping()

    def _order(self, line: str) -> list[str]:
        """Ends a search, sends a line, and waits until the engine has handled it. Returns its responses."""
        connection = self._connection
        connection.check_owner()
        with self._turn:
            if search := connection.search:
                connection.stop(search, self.timeout)
                connection.wait(search)
                if isinstance(search.error, (EngineTerminatedError, EngineTimeoutError)):
                    raise search.error
            answer = connection.ask(
                f"{line}\nisready" if line else "isready", Question("readyok", self.timeout)
            )
        for reply in answer:
            if reply.startswith(ERROR):
                raise EngineError(reply[len(ERROR) :])
        return [reply[len("response ") :] for reply in answer if reply.split()[0] == "response"]


class Analysis:
    """A search: an iterator of the reports, also in a `with` statement, which stops it at the end.

    >>> with Engine("lodestone") as engine, engine.analysis(["a8"]) as analysis:
    ...     for info in analysis:
    ...         if info.depth == 5:
    ...             break
    >>> analysis.done, analysis.wait().move in analysis.info.pv
    (True, True)

    `info`, `multipv` and `done` do not wait. The iterator waits for reports, and has the last 10,000 that
    it has not returned yet.
    """

    def __init__(self, engine: Engine, search: Search) -> None:
        self._engine, self._search = engine, search  # the engine must not end before the search

    @property
    def info(self) -> Info:
        """The last report on the best line. A score that is only a bound does not replace an exact one."""
        return self._search.infos.get(1, Info())

    @property
    def multipv(self) -> list[Info]:
        """The last reports on all lines, the best first."""
        return [info for _, info in sorted(self._search.infos.copy().items())]

    @property
    def done(self) -> bool:
        """Whether the search is over, also because the engine has ended. Then `wait` returns at once."""
        return self._engine._connection.is_over(self._search)

    def stop(self) -> None:
        """Asks the engine to end the search. May be called from another thread, and twice."""
        self._engine._connection.stop(self._search, self._engine.timeout)

    def wait(self) -> PlayResult:
        """The engine's move, at the end of the search.

        Raises EngineError if the engine has reported an error, such as a wrong move of `root_moves`.
        """
        self._engine._connection.wait(self._search)
        if self._search.error:
            raise self._search.error
        assert self._search.result is not None
        return self._search.result

    def _wait_or_stop(self) -> PlayResult:
        try:
            return self.wait()
        except BaseException:  # such as the keys Ctrl and C
            self.stop()
            raise

    def __iter__(self) -> Iterator[Info]:
        return self

    def __next__(self) -> Info:
        search, connection = self._search, self._engine._connection
        connection.wait(search, lambda: bool(search.reports))
        with connection.lock:
            if search.reports:
                return search.reports.popleft()
        if isinstance(search.error, (EngineTerminatedError, EngineTimeoutError)):
            raise search.error
        raise StopIteration

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        connection = self._engine._connection
        if os.getpid() != connection.owner:
            return
        connection.wait(self._search)
        # An exception of the block is more important, and the end after `quit` is no error.
        if self._search.error and error[0] is None and not connection.is_closed:
            raise self._search.error


def check_limit(limit: Limit) -> None:
    """Raises an exception for a limit that would never end a search."""
    if not go_words(limit, WORDS["uci"][3]):
        raise ValueError("the limit is empty; expected a time, clocks, a depth or nodes")


def go_words(limit: Limit, clocks: Sequence[str]) -> list[str]:
    """The words after `go`. Raises TypeError or ValueError that names the field."""
    if not isinstance(limit, Limit):
        raise TypeError(f"expected a Limit, such as Limit(time=0.1), found {shown(limit)}")
    timed = (
        ("time", "movetime", True),
        ("white_clock", clocks[0], True),
        ("black_clock", clocks[1], True),
        ("white_inc", clocks[2], limit.white_clock is not None),
        ("black_inc", clocks[3], limit.black_clock is not None),
    )
    found = []
    for name, word, has_clock in timed:
        value = getattr(limit, name)
        if value is not None:
            milliseconds = round(seconds(name, value) * 1000)
            if not has_clock:
                raise ValueError(f"{name}: needs a clock, {name.split('_')[0]}_clock")
            found += [word, str(max(1, milliseconds) if name == "time" else milliseconds)]
    for name, word in (("remaining_moves", "movestogo"), ("depth", "depth"), ("nodes", "nodes")):
        value = getattr(limit, name)
        if value is not None:
            found += [word, str(whole(name, value, 1, (1 << 63) - 1 if name == "nodes" else (1 << 31) - 1))]
    if limit.remaining_moves is not None and limit.white_clock is None and limit.black_clock is None:
        raise ValueError("remaining_moves: needs clocks, white_clock and black_clock")
    return found


def command_words(command: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """The program and its arguments. Raises TypeError or ValueError for anything else."""
    words: Iterable[Any] = [command] if isinstance(command, (str, os.PathLike)) else command
    expected = "command: expected a program, or a list of a program and its arguments"
    if isinstance(words, (bytes, Mapping, Set)) or not isinstance(words, Iterable):
        raise TypeError(f"{expected}, found {shown(command)}")
    found = [os.fspath(word) if isinstance(word, os.PathLike) else word for word in words]
    if wrong := [word for word in found if not isinstance(word, str)]:
        raise TypeError(f"{expected}, found {shown(wrong[0])}")
    if not found or not found[0]:
        raise ValueError("the command is empty; expected a program and its arguments")
    return found


def position_line(moves: Iterable[str], fen: str | None) -> str:
    """The line of the protocol for this position. The start may have the name that result files give it."""
    start = (
        "startpos" if fen is None or isinstance(fen, str) and fen == "startpos" else f"fen {line('fen', fen)}"
    )
    if " moves " in f"{start} ":
        raise ValueError(f"fen: expected the moves in `moves`, found {shown(fen)}")
    return " ".join([f"position {start}", *(["moves", *found] if (found := words("moves", moves)) else [])])


def option_text(option: Option, value: Any) -> str | None:
    """A value as `setoption` has it. Raises EngineError for one that the option does not announce."""
    text: Any = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(value, bool) or is_number(value) and abs(value) < MAX_NUMBER:
        text = str(value).lower()
    is_text = isinstance(text, str) and (text or " ").isprintable()
    text = str.__str__(text) if is_text else text
    choices: Sequence[str] = ("true", "false") if option.type == "check" else option.var
    if option.type == "button":
        expected, fits = "None, as for any button", value is None
        text = None
    elif option.type == "spin":
        expected, number_text = spin_text(option, text if is_text else "")
        fits, text = number_text is not None, number_text
    elif choices:
        expected = f"one of {', '.join(choices)}"
        same = [choice for choice in choices if is_text and choice.lower() == text.lower()]
        fits, text = bool(same), text if text in same else "".join(same[:1])
    else:
        expected, fits, text = "any text in one line", is_text, text or "<empty>"
    if not fits:
        raise EngineError(f"option {option.name}: expected {expected}, found {shown(value)}")
    return None if text is None else str(text)


def spin_text(option: Option, text: str) -> tuple[str, str | None]:
    """What a spin option expects, and the number of this text, None if it is another one."""
    bounds = (option.min, option.max)
    is_whole = not any(isinstance(x, float) and math.isfinite(x) for x in (*bounds, option.default))
    expected = "a whole number" if is_whole else "a number"
    expected += "".join(f" {word} {x}" for word, x in zip(("from", "to"), bounds) if x is not None)
    wanted = number(text)
    if is_whole and isinstance(wanted, float) and wanted.is_integer():
        wanted = int(wanted)
    low, high = (limit if x is None else x for x, limit in zip(bounds, (-math.inf, math.inf)))
    fits = wanted is not None and low <= wanted <= high and abs(wanted) != math.inf
    return expected, str(wanted) if fits and (isinstance(wanted, int) or not is_whole) else None


def parse_info(words: Sequence[str]) -> Info:
    """Parses the words after `info`. Unknown words are skipped."""
    info = Info()
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "pv":
            info.pv, rest = rest[::-1], []
        elif word == "string":
            rest = []
        elif word in ("lowerbound", "upperbound"):
            info.is_bound = True
        elif word == "score":
            if rest[-1:] in (["lowerbound"], ["upperbound"]):
                info.is_bound = bool(rest.pop())
            if len(rest) > 1 and rest[-1] in SCORES and isinstance(value := number(rest[-2]), int):
                info.score = Score(rest.pop(), value)
                rest.pop()
        elif word in FACTS:
            value = number(rest[-1] if rest else "")
            if isinstance(value, int) and value >= 0:
                setattr(info, word, value / 1000 if word == "time" else value)
                rest.pop()
    return info


#: The words that begin a part of an option, by its type.
OPTION_KEYS = {
    "button": (),
    "check": ("default",),
    "spin": ("default", "min", "max"),
    "combo": ("default", "var"),
    "string": ("default",),
}


def parse_option(words: Sequence[str]) -> Option | None:
    """Parses the words after `option`: `name N type T …`. None if they announce no option.

    The parts of the type may come in any order, and unknown words are skipped. The word right
    after `var` is part of its value even if it is a key word, and so is a key word that has
    come before.
    """
    words = list(words)
    if words[:1] != ["name"] or "type" not in words[2:-1]:
        return None
    end = words.index("type", 1)
    kind = words[end + 1]
    if end == 1 or kind not in OPTION_KEYS:
        return None
    parts: dict[str, list[str]] = {}
    choices: list[list[str]] = []
    part: list[str] = []
    for word in words[end + 2 :]:
        is_value = bool(choices) and part is choices[-1] and not part
        if word not in OPTION_KEYS[kind] or is_value or word in parts:
            part.append(word)
            continue
        part = []
        if word == "var":
            choices.append(part)
        else:
            parts[word] = part
    default, low, high = " ".join(parts.get("default", [])), "", ""
    typed: dict[str, str | int | float | bool | None] = {"button": None}
    typed["check"] = default.lower().split()[:1] == ["true"]
    if kind == "spin":
        default, low, high = (" ".join(parts.get(key, [])[:1]) for key in OPTION_KEYS[kind])
        if any(text and number(text) is None for text in (default, low, high)):
            return None
        typed["spin"] = number(default)
    values = tuple(" ".join(choice) for choice in choices if choice)
    return Option(" ".join(words[1:end]), kind, typed.get(kind, default), number(low), number(high), values)


def number(text: str) -> int | float | None:
    """The number that a text is, whole if it can be; None if it is none."""
    if not text.isascii() or "_" in text:
        return None
    for read in (int, float):
        try:
            value = read(text)
        except ValueError:
            continue
        return value if value == value else None  # not NaN
    return None
