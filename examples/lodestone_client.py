#!/usr/bin/env python3
"""A client for `lodestone` and for any bot that speaks its protocol.

One file, Python 3.8 or newer, standard library only. Copy it next to your program:

    from lodestone_client import Engine

    with Engine("lodestone", variant="magnetic-cave") as engine:
        engine.set_option("Hash", 64)
        answer = engine.play(["a8", "h8"], seconds=0.5)
        print(answer.move, answer.info.score)
        for line in engine.analyse(["a8", "h8"], seconds=1, lines=3):
            print(line.score, *line.pv)

A position is a list of moves from the start, or from a FEN (`fen=`). Times are seconds.
Every error is an `EngineError`:

    EngineRefused   the engine cannot use an option or a position; it says why
    EngineTimeout   no answer in time; the process is killed, because a late answer would
                    be taken for the answer to the next question
    EngineEnded     the process could not be started, or it has ended

Run the file to see the engine play: `python3 lodestone_client.py lodestone`.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType

#: The move of an engine that has none, because the game is over.
NO_MOVE = "0000"
#: The beginning of an engine's line about something that it cannot use.
ERROR = "info string error: "


class EngineError(Exception):
    """Anything that goes wrong with an engine."""


class EngineRefused(EngineError):
    """The engine cannot use what it was sent. The text is the engine's own."""


class EngineTimeout(EngineError):
    """The engine did not answer in time, and was killed."""


class EngineEnded(EngineError):
    """The engine's process could not be started, or it has ended."""


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


@dataclass(frozen=True)
class Option:
    """An option that the engine announces. `type` is check, spin, combo, string or button."""

    name: str
    type: str
    default: str = ""
    min: int | float | None = None
    max: int | float | None = None
    choices: tuple[str, ...] = ()


@dataclass
class Info:
    """What the engine last reported about a line of play. Unknown facts are None. Answers
    and analyses skip reports whose score is only a bound."""

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
class Answer:
    """The engine's answer: its move, None if the game is over; the reply that it expects;
    and its last report about the move."""

    move: str | None
    ponder: str | None
    info: Info


class Engine:
    """A running engine.

    command: the path of a program, or a list of the program and its arguments
    variant: the game, such as "gridlock"; None for the engine's default
    timeout: how long the engine may take to start, to get ready, and to answer beyond
             the time limit of a search, in seconds

    Close the engine with `close`, or use it in a `with` statement.
    """

    name: str = ""
    author: str = ""
    options: dict[str, Option]

    def __init__(
        self, command: str | Sequence[str], *, variant: str | None = None, timeout: float = 10.0
    ) -> None:
        self.command = [command] if isinstance(command, str) else list(command)
        self.timeout = timeout
        self.options = {}
        self._unreadable: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace"
            )
        except (OSError, ValueError) as error:
            raise EngineEnded(f"cannot start {self.command[0]}: {error}") from error
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()
        try:
            self._handshake()
            if variant is not None:
                self.set_option("UCI_Variant", variant)
        except BaseException:
            self.close()
            raise

    # Public methods

    def set_option(self, name: str, value: str | int | bool | None = None) -> None:
        """Sets an option; a button takes no value.

        Raises EngineRefused if the engine has no such option or refuses the value.
        """
        if name not in self.options:
            unreadable = "".join(f"; unreadable is {line!r}" for line in self._unreadable)
            raise EngineRefused(f"there is no option {name!r}; there are {', '.join(self.options)}{unreadable}")
        text = {True: "true", False: "false"}[value] if isinstance(value, bool) else value
        self._order(f"setoption name {name}" + ("" if text is None else f" value {text}"))

    def new_game(self) -> None:
        """Tells the engine that the next position belongs to another game."""
        self._order("ucinewgame")

    def play(
        self,
        moves: Sequence[str] = (),
        *,
        fen: str | None = None,
        seconds: float | None = None,
        clocks: tuple[float, float] | None = None,
        increments: tuple[float, float] = (0.0, 0.0),
        depth: int | None = None,
        nodes: int | None = None,
        search_moves: Sequence[str] = (),
    ) -> Answer:
        """The engine's move after `moves`.

        At least one limit is needed; the first one that is reached ends the search:
        seconds: for this move
        clocks, increments: of the first and the second player, in seconds
        depth: in plies
        nodes: searched positions
        `search_moves` are the moves to choose from, if not all.

        Raises EngineRefused if the engine cannot play `moves` or read `fen`.
        """
        limits = limit_words(seconds, depth, nodes)
        if clocks is not None:
            for name, value in zip(("wtime", "btime", "winc", "binc"), (*clocks, *increments)):
                limits += [name, str(round(value * 1000))]
        if search_moves and limits:
            limits += ["searchmoves", *search_moves]
        most = seconds if clocks is None else max(clocks)
        self._position(moves, fen)
        return self._search(limits, most)[0]

    def analyse(
        self,
        moves: Sequence[str] = (),
        *,
        fen: str | None = None,
        seconds: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        lines: int = 1,
    ) -> list[Info]:
        """The engine's last reports on the `lines` best lines, the best first.

        The limits are those of `play`. An engine that reports nothing gives an empty list.
        """
        if lines != 1 and "MultiPV" not in self.options:
            raise EngineRefused("the engine has no option MultiPV: it shows one line only")
        self._position(moves, fen)
        if lines != 1:
            self.set_option("MultiPV", lines)
        infos = self._search(limit_words(seconds, depth, nodes), seconds)[1]
        if lines != 1:
            self.set_option("MultiPV", 1)
        return [infos[rank] for rank in sorted(infos)]

    def close(self) -> None:
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
            self._kill()
        self._reader.join(1.0)

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # The protocol

    def _handshake(self) -> None:
        self._send("uci")
        deadline = time.monotonic() + self.timeout
        while True:
            words = self._read(deadline, "uciok").split()
            if words[:1] == ["uciok"]:
                break
            if words[:2] == ["id", "name"]:
                self.name = " ".join(words[2:])
            elif words[:2] == ["id", "author"]:
                self.author = " ".join(words[2:])
            elif words[:1] == ["option"]:
                option = parse_option(words[1:])
                if option is None:
                    self._unreadable.append(" ".join(words))
                else:
                    self.options[option.name] = option
        self._order("isready", is_question=True)

    def _order(self, line: str, *, is_question: bool = False) -> None:
        """Sends a line, and waits until the engine has handled it."""
        self._send(line if is_question else f"{line}\nisready")
        deadline = time.monotonic() + self.timeout
        refused: str | None = None
        while True:
            reply = self._read(deadline, "readyok").strip()
            if reply == "readyok":
                break
            if reply.startswith(ERROR):
                refused = refused or reply[len(ERROR) :]
        if refused is not None:
            raise EngineRefused(refused)

    def _position(self, moves: Sequence[str], fen: str | None) -> None:
        start = "startpos" if fen is None else f"fen {fen}"
        self._order(" ".join(["position", start, *(["moves"] if moves else []), *moves]))

    def _search(self, limits: list[str], seconds: float | None) -> tuple[Answer, dict[int, Info]]:
        """Searches the position, for at most `seconds`: the answer, and the reports by rank."""
        if not limits:
            raise ValueError("a search needs a limit: seconds, clocks, depth or nodes")
        self._send(" ".join(["go", *limits]))
        deadline = None if seconds is None else time.monotonic() + seconds + self.timeout
        infos: dict[int, Info] = {}
        while True:
            words = self._read(deadline, "bestmove").split()
            if words[:1] == ["info"] and words[1:2] != ["string"]:
                info = parse_info(words[1:])
                if (info.score is not None or info.pv) and not info.is_bound:
                    infos[info.multipv or 1] = info
            elif words[:1] == ["bestmove"]:
                move = words[1] if len(words) > 1 else NO_MOVE
                ponder = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
                best = None if move in (NO_MOVE, "(none)") else move
                return Answer(best, ponder, infos.get(1, Info())), infos

    # The process

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        try:
            with self._process.stdout as output:
                for line in output:
                    self._lines.put(line)
        finally:
            self._lines.put(None)

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EngineEnded(self._how_it_ended()) from error

    def _read(self, deadline: float | None, wanted: str) -> str:
        """The next line, for a caller that waits for the word `wanted`."""
        try:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise queue.Empty  # Also for an engine that never stops writing.
            line = self._lines.get(timeout=left)
        except queue.Empty:
            self._kill()
            raise EngineTimeout(f"{self.command[0]} did not write `{wanted}` in time") from None
        if line is None:
            self._lines.put(None)  # Also for the next caller.
            raise EngineEnded(self._how_it_ended())
        return line

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return f"{self.command[0]} has closed its output"
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{self.command[0]} has ended with {how}"

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()


def limit_words(seconds: float | None, depth: int | None, nodes: int | None) -> list[str]:
    """The words for these limits after `go`."""
    milliseconds = None if seconds is None else max(1, round(seconds * 1000))
    limits = {"movetime": milliseconds, "depth": depth, "nodes": nodes}
    return [word for name, value in limits.items() if value is not None for word in (name, str(value))]


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
    come before. `default` is the text that the engine wrote; for a check, `true` or `false`.
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
    if kind == "check":
        default = "true" if default.lower().split()[:1] == ["true"] else "false"
    elif kind == "spin":
        default, low, high = (" ".join(parts.get(key, [])[:1]) for key in OPTION_KEYS[kind])
        if any(text and number(text) is None for text in (default, low, high)):
            return None
    values = tuple(" ".join(choice) for choice in choices if choice)
    return Option(" ".join(words[1:end]), kind, default, number(low), number(high), values)


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


def main() -> None:
    """The engine plays both games against itself."""
    with Engine(sys.argv[1:] or "lodestone") as engine:
        print(f"{engine.name} by {engine.author}")
        option = engine.options.get("UCI_Variant")
        for variant in option.choices if option else ("its game",):
            if option:
                engine.set_option("UCI_Variant", variant)
            engine.new_game()
            moves: list[str] = []
            while True:
                answer = engine.play(moves, seconds=0.02)
                if answer.move is None:
                    break
                moves.append(answer.move)
            print(f"{variant}: {' '.join(moves)}")


if __name__ == "__main__":
    main()
