"""Drives engines and bots, all programs that speak UCI or UGI. The names are those of python-chess.

>>> from lodestone import Engine, Limit
>>> with Engine("lodestone", variant="magnetic-cave") as engine:
...     result = engine.play(["a8", "h8", "a7", "h7", "a6", "h6", "a5", "h5"], Limit(time=1))
...     print(result.move, result.info.score)
...     for info in engine.analyse(["a8", "h8"], Limit(depth=4), multipv=2):
...         print(info.depth, len(info.pv) > 0)
a4 win 1
4 True
4 True

A position is a list of moves from the start, or from a FEN (`fen=`). Times are seconds.
What goes wrong with an engine is an `EngineError`:

    EngineError             the engine refuses an option or a position; the text is its own
    EngineTimeoutError      no answer in time; the process is killed, because a late answer would
                            be taken for the answer to the next question
    EngineTerminatedError   the process could not be started, or it has ended

`AsyncEngine` has the same methods for asyncio.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, overload

from .rules import ERROR, NO_MOVE

#: The words that differ between the protocols.
WORDS = {
    "uci": ("uci", "uciok", "ucinewgame", ("wtime", "btime", "winc", "binc")),
    "ugi": ("ugi", "ugiok", "uginewgame", ("p1time", "p2time", "p1inc", "p2inc")),
}


class EngineError(Exception):
    """Anything that goes wrong with an engine; for a refusal, the text is the engine's own."""


class EngineTimeoutError(EngineError):
    """The engine did not answer in time, and was killed."""


class EngineTerminatedError(EngineError):
    """The engine's process could not be started, or it has ended."""


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

    def _words(self, clocks: Sequence[str]) -> list[str]:
        """The words after `go`."""
        times = (self.white_clock, self.black_clock, self.white_inc, self.black_inc)
        limits: list[tuple[str, float | None]] = [
            ("movetime", None if self.time is None else max(1, round(self.time * 1000))),
            *((name, None if value is None else round(value * 1000)) for name, value in zip(clocks, times)),
            ("movestogo", self.remaining_moves),
            ("depth", self.depth),
            ("nodes", self.nodes),
        ]
        return [word for name, value in limits if value is not None for word in (name, str(value))]

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
    plies), `draw` (proven), or `mate` (proven, in own moves, negative for a loss).
    """

    kind: str
    value: int

    @property
    def is_proven(self) -> bool:
        """Whether this is a proven result rather than an evaluation."""
        return self.kind != "cp"

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
    time: int | None = None  # milliseconds
    pv: list[str] = field(default_factory=list)  # the expected moves
    is_bound: bool = False  # the score is a bound, `lowerbound` or `upperbound`


@dataclass
class PlayResult:
    """The engine's move, None if the game is over; the reply that it expects; its last report."""

    move: str | None
    ponder: str | None
    info: Info


class Engine:
    """A running engine.

    command: the path or the name of a program, or a list of the program and its arguments
    protocol: "uci" or "ugi"
    variant: the game, such as "gridlock"; None for the engine's default
    timeout: how long the engine may take to start, to get ready, and to answer beyond the time limit of
             a search or after `stop`, in seconds
    popen: arguments for `subprocess.Popen`, such as `cwd` and `stderr`

    Use the engine in a `with` statement, or end it with `quit`. The programs `lodestone` and `referee` are
    found in the environment of this Python, too. The engine runs in a session of its own, where the system
    has sessions: the keys Ctrl and C do not reach it, and all its processes end with it.

    Each call ends a search that is still running. Calls from several threads wait for each other.
    """

    def __init__(
        self,
        command: str | os.PathLike[str] | Sequence[str],
        *,
        protocol: str = "uci",
        variant: str | None = None,
        timeout: float = 10.0,
        **popen: Any,
    ) -> None:
        if protocol not in WORDS:
            raise ValueError(f"unknown protocol {protocol!r}; expected uci or ugi")
        self.command = [os.fspath(command)] if isinstance(command, (str, os.PathLike)) else list(command)
        if not self.command:
            raise ValueError("the command is empty; expected a program and its arguments")
        self.protocol, self.timeout = protocol, timeout
        #: What the engine says of itself: `name`, `author`.
        self.id: dict[str, str] = {}
        #: The options that it announces.
        self.options: dict[str, Option] = {}
        self._unreadable: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._analysis: Analysis | None = None
        self._due = 0  # the number of `readyok` that will come
        self._multipv = self._own_multipv = 1  # now, and between the calls with `multipv`
        popen.setdefault("start_new_session", os.name == "posix")
        try:
            self._process = subprocess.Popen(
                [find_program(self.command[0]), *self.command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                **popen,
            )
        except (OSError, ValueError) as error:
            raise EngineTerminatedError(f"cannot start {self.command[0]}: {error}") from error
        # Without `quit`, the engine ends with this object, or with this program.
        self._end = weakref.finalize(self, kill, self._process)
        reader = threading.Thread(target=read_lines, args=(self._process.stdout, self._lines), daemon=True)
        reader.start()
        self._reader = reader
        try:
            self._handshake()
            if variant is not None:
                self.configure({"UCI_Variant": variant})
        except BaseException:
            self.close()
            raise

    @classmethod
    def popen_uci(cls, command: str | os.PathLike[str] | Sequence[str], **settings: Any) -> Engine:
        """The same as `Engine(command)`, under its name in python-chess."""
        return cls(command, **settings)

    # Public methods

    def configure(self, options: Mapping[str, str | int | float | bool | None]) -> None:
        """Sets options; a button has the value None.

        Raises EngineError if the engine has no such option or refuses the value.
        """
        for name, value in options.items():
            known = next((known for known in self.options if known.lower() == name.lower()), None)
            if known is None:
                unreadable = "".join(f"; unreadable is {line!r}" for line in self._unreadable)
                raise EngineError(
                    f"there is no option {name!r}; there are {', '.join(self.options)}{unreadable}"
                )
            text = {True: "true", False: "false"}[value] if isinstance(value, bool) else value
            self._order(
                f"setoption name {known}" + ("" if text is None else f" value {line_of([str(text)])}")
            )
            if known.lower() == "multipv" and text is not None:
                self._multipv = self._own_multipv = int(text)

    def ping(self) -> None:
        """Returns when the engine is ready."""
        self._order("")

    def new_game(self) -> None:
        """The next position belongs to another game."""
        self._order(WORDS[self.protocol][2])

    def play(
        self,
        moves: Sequence[str],
        limit: Limit,
        *,
        fen: str | None = None,
        root_moves: Sequence[str] = (),
    ) -> PlayResult:
        """The engine's move after `moves`, perhaps one of `root_moves`.

        Raises EngineError if the engine cannot use `moves`, `fen` or `root_moves`, or reports another error.
        """
        with self._lock:
            check_limit(limit)
            return self.analysis(moves, limit, fen=fen, root_moves=root_moves).wait()

    @overload
    def analyse(
        self, moves: Sequence[str], limit: Limit, *, multipv: None = None, fen: str | None = None
    ) -> Info: ...

    @overload
    def analyse(
        self, moves: Sequence[str], limit: Limit, *, multipv: int, fen: str | None = None
    ) -> list[Info]: ...

    def analyse(
        self, moves: Sequence[str], limit: Limit, *, multipv: int | None = None, fen: str | None = None
    ) -> Info | list[Info]:
        """The engine's last report, or with `multipv` those on the best lines, the best first.

        An engine that reports nothing gives an empty report, or an empty list.
        """
        with self._lock:
            check_limit(limit)
            analysis = self.analysis(moves, limit, multipv=multipv, fen=fen)
            analysis.wait()
            return analysis.info if multipv is None else analysis.multipv

    def analysis(
        self,
        moves: Sequence[str],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        fen: str | None = None,
        root_moves: Sequence[str] = (),
    ) -> Analysis:
        """Begins a search: an iterator of its reports. Without a limit, `stop` ends it."""
        wanted = self._own_multipv if multipv is None else multipv
        if wanted < 1:
            raise ValueError(f"multipv: expected 1 or more, found {wanted}")
        if wanted != 1 and "MultiPV" not in self.options:
            raise EngineError("the engine has no option MultiPV: it shows one line only")
        limit = limit or Limit()
        words = limit._words(WORDS[self.protocol][3]) or ["infinite"]
        if root_moves:
            words += ["searchmoves", line_of(root_moves)]
        with self._lock:
            if wanted != self._multipv:
                self._order(f"setoption name MultiPV value {wanted}")
                self._multipv = wanted
            self._position(moves, fen)
            self._send(" ".join(["go", *words]))
            self._analysis = Analysis(self, limit._most())
            return self._analysis

    def query(self, query: str, moves: Sequence[str] = (), *, fen: str | None = None) -> str:
        """The answer of a rules program about a position, or of any engine that speaks UGI.

        >>> with Engine("lodestone", protocol="ugi") as engine:
        ...     engine.query("gameover"), engine.query("p1turn", ["a8"])
        ('false', 'false')
        """
        with self._lock:
            self._position(moves, fen)
            answers = self._order(f"query {line_of([query])}")
        if not answers:
            raise EngineError(f"the engine does not know `query {query}`")
        return "\n".join(answers)

    def quit(self) -> None:
        """Asks the engine to quit, and kills it if it does not. May be called twice."""
        assert self._process.stdin is not None
        try:
            with self._process.stdin as stdin:
                stdin.write("quit\n")
        except (OSError, ValueError):
            pass  # It has ended, or was closed before.
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            pass
        self._end()
        self._reader.join(1.0)

    close = quit

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # The protocol

    def _handshake(self) -> None:
        self._send(WORDS[self.protocol][0])
        deadline = time.monotonic() + self.timeout
        end = WORDS[self.protocol][1]
        while True:
            words = self._read(deadline, end).split()
            if words[:1] == [end]:
                break
            if words[:1] == ["id"] and len(words) > 1:
                self.id[words[1]] = " ".join(words[2:])
            elif words[:1] == ["option"]:
                option = parse_option(words[1:])
                if option is None:
                    self._unreadable.append(" ".join(words))
                else:
                    self.options[option.name] = option
        self.ping()

    def _position(self, moves: Sequence[str], fen: str | None) -> None:
        start = "startpos" if fen is None else f"fen {line_of([fen])}"
        self._order(f"position {start} moves {line_of(moves)}" if moves else f"position {start}")

    def _order(self, line: str) -> list[str]:
        """Ends a search, sends a line, and waits until the engine has handled it. Returns its responses."""
        with self._lock:
            if self._analysis:
                self._analysis.stop()
                self._analysis._finish()
            self._due += 1
            self._send(f"{line}\nisready" if line else "isready")
            deadline = time.monotonic() + self.timeout
            refused: str | None = None
            responses = []
            while self._due:  # more than one after a call that an exception has ended
                reply = self._read(deadline, "readyok").strip()
                if reply == "readyok":
                    self._due -= 1
                elif reply.startswith(ERROR):
                    refused = refused or reply[len(ERROR) :]
                elif reply.split()[:1] == ["response"]:
                    responses.append(reply[len("response ") :])
        if refused is not None:
            raise EngineError(refused)
        return responses

    # The process

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EngineTerminatedError(self._how_it_ended()) from error

    def _read(self, deadline: float | None, wanted: str) -> str:
        """The next line, for a caller that waits for the word `wanted`."""
        try:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise queue.Empty  # Also for an engine that never stops writing.
            line = self._lines.get(timeout=left)
        except queue.Empty:
            self._end()
            raise EngineTimeoutError(f"{self.command[0]} did not write `{wanted}` in time") from None
        if line is None:
            self._lines.put(None)  # Also for the next caller.
            raise EngineTerminatedError(self._how_it_ended())
        return line

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return f"{self.command[0]} has closed its output"
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{self.command[0]} has ended with {how}"


class Analysis:
    """A search: an iterator of the reports, also in a `with` statement, which stops it at the end.

    >>> with Engine("lodestone") as engine, engine.analysis(["a8"]) as analysis:
    ...     for info in analysis:
    ...         if info.depth == 5:
    ...             break
    >>> analysis.wait().move in analysis.info.pv
    True
    """

    def __init__(self, engine: Engine, seconds: float | None) -> None:
        self._engine = engine
        self._deadline = None if seconds is None else time.monotonic() + seconds + engine.timeout
        self._infos: dict[int, Info] = {}
        self._result: PlayResult | None = None
        self._error: EngineError | None = None
        self._is_stopped = False

    @property
    def info(self) -> Info:
        """The last report on the best line. A score that is only a bound does not replace an exact one."""
        return self._infos.get(1, Info())

    @property
    def multipv(self) -> list[Info]:
        """The last reports on all lines, the best first."""
        return [self._infos[rank] for rank in sorted(self._infos)]

    def stop(self) -> None:
        """Asks the engine to end the search. May be called from another thread, and twice."""
        if self._engine._analysis is self and not self._is_stopped:
            self._is_stopped = True
            self._deadline = time.monotonic() + self._engine.timeout
            self._engine._lines.put("")  # wakes up a reader that has no deadline
            try:
                self._engine._send("stop")
            except EngineError:
                pass  # the reader finds out how the engine has ended

    def wait(self) -> PlayResult:
        """The engine's move, at the end of the search.

        Raises EngineError if the engine has reported an error, such as a wrong move of `root_moves`.
        """
        self._finish()
        if self._error:
            raise self._error
        assert self._result is not None
        return self._result

    def _finish(self) -> None:
        for _ in self:
            pass

    def __iter__(self) -> Iterator[Info]:
        return self

    def __next__(self) -> Info:
        engine = self._engine
        with engine._lock:
            while engine._analysis is self:
                try:
                    line = engine._read(self._deadline, "bestmove")
                except EngineError as error:
                    engine._analysis, self._error = None, error
                    raise
                words = line.split()
                if line.startswith(ERROR):
                    self._error = self._error or EngineError(line[len(ERROR) :].strip())
                elif words[:1] == ["info"] and words[1:2] != ["string"]:
                    info = parse_info(words[1:])
                    if info.score is not None or info.pv:
                        if not info.is_bound:
                            self._infos[info.multipv or 1] = info
                        return info
                elif words[:1] == ["bestmove"]:
                    move = words[1] if len(words) > 1 else NO_MOVE
                    ponder = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
                    best = None if move in (NO_MOVE, "(none)") else move
                    self._result = PlayResult(best, ponder, self.info)
                    engine._analysis = None
        raise StopIteration

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
        try:
            self._finish()
        except EngineError:
            if error[0] is None:  # an exception of the block is more important
                raise


def check_limit(limit: Limit) -> None:
    """Raises an exception for a limit that would never end a search."""
    if not isinstance(limit, Limit):
        raise TypeError(f"expected a Limit, such as Limit(time=0.1), found {limit!r}")
    if limit == Limit():
        raise ValueError("the limit is empty; expected a time, clocks, a depth or nodes")


def line_of(words: Sequence[str]) -> str:
    """Words as a part of a line of the protocol."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"expected a list of texts, such as ['a8', 'h8'], found {words!r}")
    line = " ".join(words)
    if len(line.splitlines()) > 1:
        raise ValueError(f"expected a text without line ends, found {line!r}")
    return line


def read_lines(output: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    """The thread that reads the output of an engine."""
    try:
        with output:
            for line in output:
                lines.put(line)
    finally:
        lines.put(None)


def kill(process: subprocess.Popen[str]) -> None:
    """Ends an engine and the processes of its session."""
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # all have ended, or it has no session of its own
    process.kill()
    process.wait()


def find_program(name: str) -> str:
    """The path of `lodestone` or `referee` in the environment of this Python; any other name as it is."""
    if name not in ("lodestone", "referee"):
        return name
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    return shutil.which(name, path=os.pathsep.join(places)) or name


def parse_info(words: Sequence[str]) -> Info:
    """Parses the words after `info`. Unknown words are skipped."""
    info = Info()
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "pv":
            info.pv, rest = rest[::-1], []
        elif word in ("lowerbound", "upperbound"):
            info.is_bound = True
        elif word == "score":
            if rest[-1:] in (["lowerbound"], ["upperbound"]):
                info.is_bound = bool(rest.pop())
            if len(rest) > 1 and isinstance(value := number(rest[-2]), int):
                info.score = Score(rest.pop(), value)
                rest.pop()
        elif word in ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time"):
            value = number(rest.pop() if rest else "")
            if isinstance(value, int):
                setattr(info, word, value)
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
