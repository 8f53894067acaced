"""A game whose rules are those of a program, which answers queries."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._child import Child, ChildError, framed, words_of
from ._submission import wrapper_folder
from .rules import ERROR, OPTIONAL, RESULTS, TRUTH, attribute

WORDS = {word: result for result, word in RESULTS.items()}


class Asked(NamedTuple):
    """A position: its start, `startpos` or a FEN, and all moves since then."""

    start: str
    moves: tuple[str, ...] = ()


class AskedGame:
    """The rules of a program. What it has said of the last positions is remembered."""

    #: The options that the program announces; each is an attribute.
    options: Mapping[str, Any] = {}

    def __init__(self, command: str | Sequence[str], settings: Mapping[str, Any]) -> None:
        folder = wrapper_folder()
        first, *rest = words_of(command)
        self._command = [str(folder / first) if (folder / first).is_file() else first, *rest]
        self._settings = {**settings}
        self._child: Child | None = None
        self._owner = 0
        self._known: dict[tuple[Asked, str], list[str]] = {}
        self._open()
        self.name = next((line[8:] for line in self._handshake if line.startswith("id name ")), "")
        self.options, defaults = announced(self._handshake)
        for name, default in defaults.items():
            object.__setattr__(self, attribute(name), settings.get(name, default))
        for query in OPTIONAL:
            if self._answers(self.start(), "setup 1" if query == "setup" else query):
                setattr(self, query, getattr(self, "_" + query))
        if hasattr(self, "fen"):
            self.from_fen = self._from_fen

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if option := next((option for option in self.options if attribute(option) == name), None):
            self._settings[option] = value
            self._close()

    def start(self) -> Asked:
        return Asked("startpos")

    def turn(self, position: Asked) -> bool:
        return self._word(position, "p1turn") == "true"

    def moves(self, position: Asked) -> list[str]:
        return self._word(position, "moves").split()

    def play(self, position: Asked, move: str) -> Asked:
        return position._replace(moves=(*position.moves, move))

    def result(self, position: Asked) -> str:
        word = self._word(position, "result")
        if word not in WORDS:
            raise ChildError(f"{self._name()} answered `query result` with `{word}`")
        return WORDS[word]

    # The optional methods

    def _fen(self, position: Asked) -> str:
        return self._word(position, "fen")

    def _from_fen(self, text: str) -> Asked:
        position = Asked("fen " + " ".join(text.split()))
        for line in self._ask(position_line(position)):
            if line.startswith(ERROR):
                raise ValueError(line[len(ERROR) :])
        return position

    def _reason(self, position: Asked) -> str | None:
        word = self._word(position, "reason")
        return None if word == "none" else word

    def _score(self, position: Asked) -> tuple[str, ...]:
        return tuple(self._word(position, "score").split())

    def _grid(self, position: Asked) -> tuple[list[str], list[str], list[str]]:
        words = self._word(position, "grid").split()
        rows, cells = words.index("rows"), words.index("cells")
        names = words.index("names", rows) if "names" in words[rows:cells] else cells
        self.lines, self.cell_names = words[0] == "lines", "".join(words[names + 1 : cells])
        return words[1:rows], words[rows + 1 : names], words[cells + 1 :]

    def _board(self, position: Asked) -> str:
        return "\n".join(self._answers(position, "board"))

    def _setup(self, seed: int) -> Asked:
        return self._from_fen(self._word(self.start(), f"setup {seed}"))

    # The program

    def _word(self, position: Asked, query: str) -> str:
        """The answer in one line."""
        lines = self._answers(position, query)
        if len(lines) != 1:
            raise ChildError(f"{self._name()} gave {len(lines)} answers to `query {query}`: expected one")
        return lines[0]

    def _answers(self, position: Asked, query: str) -> list[str]:
        known = self._known.get((position, query))
        if known is None:
            queries = ["result", "p1turn", "moves"]
            queries = queries if query in queries else [query]
            lines = self._ask(position_line(position), *(f"query {each}\nisready" for each in queries))
            if len(self._known) > 100_000:
                self._known.clear()
            answers: list[list[str]] = [[]]
            for line in lines:
                if line == "readyok":
                    answers.append([])
                elif line.startswith("response"):
                    answers[-1].append(line[len("response ") :])
                elif line.startswith(ERROR):
                    raise ChildError(f"{self._name()} cannot use `{position_line(position)}`: {line[len(ERROR) :]}")
            for each, answer in zip(queries, answers):
                self._known[position, each] = answer
            known = self._known[position, query]
        return known

    def _ask(self, *questions: str) -> list[str]:
        """Asks, and returns all lines of the answer with a `readyok` after each query."""
        self._open()
        assert self._child
        count = 1 + sum(question.endswith("isready") for question in questions)
        self._child.write(framed("lines", "\n".join([*questions, "isready"])))
        return self._lines("readyok", count)[:-1]

    def _lines(self, last: str, count: int = 1) -> list[str]:
        """The lines until the last one has come so many times."""
        assert self._child
        lines: list[str] = []
        while count:
            data = self._child.output.frame("lines", self._child)
            if data is None:
                raise self._child.error("has closed its output")
            lines.append(data.decode(errors="replace").rstrip())
            count -= lines[-1] == last
        return lines

    def _open(self) -> None:
        """Starts the program, also in a process that was forked, which must not use that of its parent."""
        if not self._child or self._owner != os.getpid():
            self._owner = os.getpid()
            self._child = Child(self._command, os.path.dirname(self._command[0]) or ".")
            self._child.write(b"ugi\n")
            self._handshake = self._lines("ugiok")
            for name, value in self._settings.items():
                text = TRUTH[value] if isinstance(value, bool) else value
                self._child.write(framed("lines", f"setoption name {name} value {text}"))
                for line in self._ask():
                    if line.startswith(ERROR):
                        raise ChildError(f"{self._name()}: {line[len(ERROR) :]}")

    def _name(self) -> str:
        return " ".join(self._command)

    def _close(self) -> None:
        """Ends the program; the next question starts it with the present options."""
        self._known.clear()
        if self._child and self._owner == os.getpid():
            self._child.kill()
        self._child = None

    def __del__(self) -> None:
        self._close()


def announced(lines: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the options in these lines, and their defaults.

    >>> announced(["option name size type spin default 7 min 3 max 9"])
    ({'size': range(3, 10)}, {'size': 7})
    """
    options: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for line in lines:
        found = re.fullmatch("option name (.+?) type (spin|check|combo|string)( .*)?", line)
        if not found:
            continue
        name, kind, rest = found[1], found[2], f"{found[3] or ''} "
        texts = re.split(" (?:default|min|max|var) ", rest.rstrip())[1:]
        default = texts[0] if texts else ""
        if kind == "spin":
            options[name], defaults[name] = range(int(texts[1]), int(texts[2]) + 1), int(default)
        elif kind == "check":
            options[name], defaults[name] = bool, default == "true"
        elif kind == "combo":
            options[name], defaults[name] = texts[1:], default
        else:
            options[name], defaults[name] = str, "" if default == "<empty>" else default
    return options, defaults


def position_line(position: Asked) -> str:
    moves = " moves " + " ".join(position.moves) if position.moves else ""
    return f"position {position.start}{moves}"
