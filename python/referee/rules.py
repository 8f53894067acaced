"""Turns a class with the rules of a game into a rules program. `Bot` uses the same class.

A game is a class with five methods; positions are values of any type, which methods never change:

    from referee.rules import WIN, run

    class Subtract:                                    # take 1 to 3 sticks; the last one wins
        name = "Subtract"
        def start(self):            return (21, True)  # sticks, and whether the first player is to move
        def turn(self, position):   return position[1]
        def moves(self, position):  return [str(n) for n in (1, 2, 3) if n <= position[0]]
        def play(self, position, move): return (position[0] - int(move), not position[1])
        def result(self, position): return "*" if position[0] else WIN[not position[1]]

    if __name__ == "__main__":
        run(Subtract())

`python3 -m referee.rules FILE:CLASS` runs a class without these two lines.

`play` returns a new position and leaves the old one as it is, with all lists in it. `result` returns
"1-0", "0-1", "1/2-1/2", or "*" for a game that goes on. A move is a word, a `str` without white space; a
pass is a move too. Optional methods, each for one more query of the protocol:

    fen(position), from_fen(text)   text of a position; a game has both or none of them; from_fen raises
                                    ValueError for a wrong text
    reason(position)                why the game is over, in words; None if there is nothing to say
    score(position)                 the points of both players, (34, 30)
    grid(position)                  names of columns, names of rows, and cells from the top left, for a
                                    drawn board: `.` is empty, x and o are pieces of the first and second
                                    player, perhaps with a symbol (`xK`), other words are shown; a column
                                    or row whose name ends in | or _ is narrow, and has the walls between
                                    cells, as in examples/rules/quoridor.py; with `lines = True`, the
                                    cells are the crossings of lines; with `cell_names = "{row},{column}"`,
                                    moves call a cell `2,3` instead of `c2`
    board(position)                 the board as lines of text; the grid if there is no such method
    setup(seed)                     a start position for this seed
    islegal(position, move)         faster than a search in `moves`
    notation(position, move)        a legal move as people write it, `Nf3` for `g1f3`: for PGN, the page and `show`;
                                    a word that means no other move of the position
    parse(position, text)           the legal move that people write as `text`, such as `e1g1` for `0-0`; None or
                                    ValueError if there is none
    proven(position)                the result with perfect play of a game that goes on, as `result` returns it; "*" if it
                                    is not known: for `--prove`

`options = {"size": range(2, 20), "misere": bool, "heaps": str, "rules": ["old", "new"]}` makes these
attributes of the game options of the program; an attribute's value is the default.

What the methods print goes to standard error, and standard input is empty for them: `input()` raises EOFError.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import runpy
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

package = sys.modules.get(__package__ or "")
if package and "Bot" not in getattr(package, "__all__", ()):
    raise ImportError(
        f"there are two packages {__package__!r}: {package.__file__} is of another one than {__file__}. This module "
        f"works under any name: rename its folder before both meet, such as to `refereebot`, and write this name "
        f"in the imports of bot.py and game.py"
    )

from ._errors import exit_words
from ._values import line as one_line
from ._values import shown

P = TypeVar("P")

__all__ = ["DRAW", "NO_MOVE", "RESIGN", "WIN", "Rules", "draw", "game_of", "run"]

MAX_LINE = 1 << 20  # bytes
RESULTS = {"1-0": "p1win", "0-1": "p2win", "1/2-1/2": "draw", "*": "none"}
WIN = {True: "1-0", False: "0-1"}  # WIN[turn]: the result if this side wins
DRAW = "1/2-1/2"
NO_MOVE = "0000"  # the answer to `go` if the game is over
RESIGN = "resign"  # and the one that gives a game up
ERROR = "info string error: "  # the beginning of a line about something that cannot be used
wanted: list[Any] = []  # the game that a call of `game_of` waits for, if there is one
OPTIONAL = ("fen", "reason", "score", "grid", "board", "setup")  # queries that a method with this name answers
TRUTH = {True: "true", False: "false"}
IGNORED = {"", "ucinewgame", "uginewgame", "debug", "register", "stop", "ponderhit", "quit"}


class Rules(Protocol[P]):
    """The five methods of a game. A position is a value of any type P."""

    def start(self) -> P: ...
    def turn(self, position: P, /) -> bool: ...
    def moves(self, position: P, /) -> Sequence[str]: ...
    def play(self, position: P, move: str, /) -> P: ...
    def result(self, position: P, /) -> str: ...


def quote(text: str) -> str:
    """At most 40 characters of a text."""
    return f"`{text[:40]}…`" if len(text) > 40 else f"`{text}`"


def some(words: Sequence[Any]) -> str:
    """The first words of a list."""
    return ", ".join(map(str, words[:8])) + (f" or {len(words) - 8} more" if len(words) > 8 else "")


def listed(moves: Any, method: str = "moves") -> list[str]:
    """The moves that this method returned. Raises TypeError if they are no words."""
    if isinstance(moves, str) or not hasattr(moves, "__iter__"):
        raise TypeError(f"{method}() must return a list of words, such as ['a1', 'b2'], and returned {moves!r}")
    words = list(moves)
    for word in words:
        if not isinstance(word, str) or word.split() != [word]:
            found = repr(word) if isinstance(word, str) else f"{word!r} of type {type(word).__name__}"
            raise TypeError(f"{method}() must return words without white space, such as 'a1', and returned {found}")
    return words


def truth(method: str, value: Any) -> str:
    """The word for what a method returned. Raises TypeError if that is no bool."""
    if value not in (True, False):
        raise TypeError(f"{method}() returned {value!r}; expected True or False")
    return TRUTH[value]


def result_of(method: str, value: Any) -> str:
    """The result that a method returned. Raises TypeError if it is none."""
    if value not in RESULTS:
        raise TypeError(f"{method}() returned {value!r}; expected one of {', '.join(RESULTS)}")
    return str(value)


def given(method: str, value: Any, expected: str) -> Any:
    """What a method returned. Raises TypeError for None, which a method without `return` returns."""
    if value is None:
        raise TypeError(f"{method}() returned None; expected {expected}")
    return value


def text_of(method: str, value: Any, expected: str) -> str:
    """The text that a method returned, also as an object with its own `__str__`. Raises TypeError for values
    whose text is one for programmers, such as b'x' and ['x'].
    """
    plain = (object.__str__, bytes.__str__, bytearray.__str__)
    kinds = (bytes, bytearray, bool, int, float, list, tuple, dict, set, frozenset)
    if value is None or isinstance(value, kinds) and type(value).__str__ in plain:
        raise TypeError(f"{method}() returned {shown(value)}; expected {expected}")
    return str(value)


def grid_words(value: Any) -> list[list[str]]:
    """The names of the columns, the names of the rows and the cells that grid() returned. Raises TypeError if
    they are no words.
    """
    expected = "expected the names of the columns, the names of the rows, and the cells, all of them words"
    parts = [] if isinstance(value, str) or not hasattr(value, "__iter__") else [*value]
    if len(parts) != 3 or not all(hasattr(part, "__iter__") for part in parts):
        raise TypeError(f"grid() returned {shown(value)}; {expected}")
    lists = [[*part] for part in parts]
    for word in (word for part in lists for word in part):
        if not isinstance(word, str) or word.split() != [word]:
            raise TypeError(f"grid() returned {shown(word)} among them; {expected}")
    return lists


def points(value: Any) -> str:
    """The points that score() returned. Raises TypeError if they are not those of two players."""
    words = [] if isinstance(value, str) or not hasattr(value, "__iter__") else [*map(str, value)]
    if len(words) != 2 or any(word.split() != [word] or word == "None" for word in words):
        raise TypeError(f"score() returned {shown(value)}; expected the points of both players, such as (34, 30)")
    return " ".join(words)


class Refused(Exception):
    """A line that cannot be used, and why."""


class Closed(Exception):
    """Nobody reads the answers any more."""


class NoInput(io.RawIOBase):
    """The standard input of the program, while the module reads the lines of the protocol."""

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0

    def readinto(self, buffer: Any, /) -> int:
        reader = sys._getframe(1)  # the messages of a match have only the last lines of a traceback
        place = f"{os.path.basename(reader.f_code.co_filename)}, line {reader.f_lineno}"
        raise EOFError(f"{place} reads standard input, whose lines are those of the protocol")


class Node:
    """A position, with what has been asked about it."""

    def __init__(self, game: Any, position: Any) -> None:
        self.game, self.position = game, position
        self.result = result_of("result", game.result(position))
        self.listed: list[str] | None = None

    def moves(self) -> list[str]:
        if self.listed is None:
            self.listed = [] if self.result != "*" else listed(self.game.moves(self.position))
        return self.listed

    def islegal(self, move: str) -> bool:
        if self.listed is None and self.result == "*" and hasattr(self.game, "islegal"):
            return bool(given("islegal", self.game.islegal(self.position, move), "True or False"))
        return move in self.moves()

    def parsed(self, text: str) -> str:
        """The legal move that people write so, or the word for none."""
        try:
            move = None if self.result != "*" else self.game.parse(self.position, text)
        except ValueError:
            move = None
        return "none" if move is None else listed([move], "parse")[0]

    def play(self, move: str, number: int) -> Node:
        if self.result != "*":
            raise Refused(f"move {number}: {quote(move)} cannot be played: the game is over")
        if not self.islegal(move):
            raise Refused(f"move {number}: {quote(move)} is not a legal move; expected {some(self.moves())}")
        position = self.game.play(self.position, move)
        if position is None or position is self.position:
            raise TypeError("play() must return a new position, and leave the old one as it is")
        return Node(self.game, position)


class Program:
    """A rules program: answers the lines of standard input."""

    commands = "ugi, uci, isready, setoption, position, query or quit"

    def __init__(self, game: Any) -> None:
        self.game = game
        self.replies: list[str] = []
        self.is_busy = False  # with a line
        self.restart()
        self.options()  # a wrong one is found before the first game

    def restart(self) -> None:
        self.words, self.nodes, self.refusal = ["startpos", "moves"], [self.begin(["startpos"])], ""

    def run(self) -> None:
        """Answers until `quit` or the end of the input."""
        # What print(), a child process or a library in C writes must not look like an answer, and what they
        # read must not be a question. No descriptor of the protocol may have the number of a closed one of these.
        while (null := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        self.input, self.output = os.dup(0), os.dup(1)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        sys.stdin, sys.stdout = io.TextIOWrapper(io.BufferedReader(NoInput())), sys.stderr
        try:
            self.serve()
        except Closed:
            pass
        except KeyboardInterrupt:
            if self.is_busy:
                raise

    def serve(self) -> None:
        for lines in batches(self.input):
            running = all(map(self.handle, lines))  # stops at `quit`
            self.flush()
            if not running:
                break

    def flush(self) -> None:
        """Sends the answers to a batch of lines, in one write."""
        answers = "".join(reply + "\n" for reply in self.replies).encode()
        self.replies.clear()
        self.write(answers)

    def write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self.output, data) :]
        except BrokenPipeError:
            raise Closed from None

    def handle(self, line: bytes) -> bool:
        """Executes a line; False after `quit`."""
        command = ""
        self.is_busy = True
        try:
            command, *words = decoded(line).split() or [""]
            handler = getattr(self, "on_" + command, None)
            if handler:
                handler(*words)
            elif command not in IGNORED:
                raise Refused(f"expected {self.commands}, found {quote(command)}")
        except Refused as error:
            self.complain(str(error), line)
        except SystemExit as error:
            self.exited(exit_words(error))
            raise
        self.is_busy = False
        return command != "quit"

    def exited(self, words: str) -> None:
        """Says that the program's own code has ended it."""
        print(words, file=sys.stderr, flush=True)

    def complain(self, text: str, line: bytes = b"") -> None:
        if line.startswith(b"position"):
            self.refusal = text
        escaped = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in " ".join(text.split()))
        self.replies.append(ERROR + escaped)

    def on_isready(self, *words: str) -> None:
        self.replies.append("readyok")

    def on_uci(self, *words: str, last: str = "uciok") -> None:
        self.introduce()
        for name, (owner, values) in self.options().items():
            default = getattr(owner, attribute(name))
            if isinstance(values, range):
                ends = values[0], values[-1]
                kind = f"spin default {default} min {min(ends)} max {max(ends)}"
            elif isinstance(values, (list, tuple)):
                kind = f"combo default {default}" + "".join(f" var {value}" for value in values)
            elif values is bool:
                kind = f"check default {TRUTH[default]}"
            else:
                kind = f"string default {default or '<empty>'}"
            self.replies.append(f"option name {name} type {kind}")
        self.replies.append(last)

    def introduce(self) -> None:
        self.replies.append(f"id name {name_of(self.game)}")

    def options(self) -> dict[str, tuple[Any, Any]]:
        """For each option, the object that has it as an attribute, and its values."""
        return {name: (self.game, values) for name, values in checked_options(self.game).items()}

    def on_ugi(self, *words: str) -> None:
        self.on_uci(last="ugiok")

    def on_setoption(self, *words: str) -> None:
        wanted, _, text = (" ".join(words[1:]) + " ").partition(" value ")
        wanted, text = wanted.strip(), text.strip()
        options = self.options()
        name = next((name for name in options if name.lower() == wanted.lower()), None)
        if words[:1] != ("name",) or name is None:
            raise Refused(f"there is no option {quote(wanted)}; there are: {', '.join(options) or 'none'}")
        owner, values = options[name]
        found: list[Any]
        if isinstance(values, range):
            found = [int(text)] if re.fullmatch("-?[0-9]{1,18}", text) and int(text) in values else []
        elif values is str:
            found = ["" if text == "<empty>" else text]
        else:
            known: Sequence[Any] = [False, True] if values is bool else values
            found = [value for value in known if str(value).lower() == text.lower()]
        if not found:
            raise Refused(f"option {name}: expected {ranged(values)}, found {quote(text)}")
        old = getattr(owner, attribute(name))
        try:
            setattr(owner, attribute(name), found[0])
            if owner is self.game:
                self.restart()
        except ValueError as error:
            setattr(owner, attribute(name), old)
            raise Refused(f"option {name}: {error}") from error

    def on_position(self, *arguments: str) -> None:
        words = [*arguments] if "moves" in arguments else [*arguments, "moves"]
        first = words.index("moves") + 1
        same = len(self.words)  # usually these are the old words and one more
        if words[:same] != self.words:
            same = len(os.path.commonprefix([words, self.words]))
        nodes = self.nodes[: same - first + 1] if same >= first else [self.begin(words[: first - 1])]
        for move in words[first + len(nodes) - 1 :]:
            nodes.append(nodes[-1].play(move, len(nodes)))
        self.words, self.nodes, self.refusal = words, nodes, ""

    def begin(self, words: list[str]) -> Node:
        """The position before the moves."""
        if words == ["startpos"]:
            return Node(self.game, given("start", self.game.start(), "a position"))
        if words[:1] != ["fen"]:
            raise Refused("expected `position startpos` or `position fen TEXT`, then perhaps `moves …`")
        if not hasattr(self.game, "from_fen"):
            raise Refused("this game has no FEN; expected `position startpos`, then perhaps `moves …`")
        text = " ".join(words[1:])
        try:
            position = self.game.from_fen(text)
        except Exception as error:
            kind = "" if isinstance(error, ValueError) else type(error).__name__ + ": "
            raise Refused(f"FEN {quote(text)}: {kind}{error}") from error
        return Node(self.game, given("from_fen", position, "a position, or a ValueError"))

    def on_query(self, *words: str) -> None:
        if self.refusal:
            raise Refused(f"no answer, because the last `position` was refused: {self.refusal}")
        answer = self.answer(*words) if words else None
        if answer is None:
            print(f"unknown query: {quote(' '.join(words))}", file=sys.stderr, flush=True)
        else:
            self.replies.extend(f"response {line}".rstrip() for line in answer.splitlines() or [""])

    def answer(self, query: str, *words: str) -> str | None:
        """The answer to a query; None if there is none."""
        game, node = self.game, self.nodes[-1]
        if query == "gameover":
            return TRUTH[node.result != "*"]
        if query == "p1turn":
            return truth("turn", game.turn(node.position))
        if query == "result":
            return RESULTS[node.result]
        if query == "moves":
            return " ".join(node.moves())
        if query == "notation" and hasattr(game, query):
            moves = [move for move in node.moves() if not words or [move] == [*words]]
            return " ".join(listed([game.notation(node.position, move) for move in moves], "notation"))
        if query == "parse" and hasattr(game, query):
            return node.parsed(" ".join(words))
        if query == "proven" and hasattr(game, query):
            return RESULTS[result_of(query, game.proven(node.position)) if node.result == "*" else node.result]
        if query == "islegal":
            return TRUTH[node.islegal(" ".join(words))]
        if query == "board" and not callable(getattr(game, query, None)) and hasattr(game, "grid"):
            return draw(*grid_words(game.grid(node.position)))
        if query not in OPTIONAL or not callable(getattr(game, query, None)):  # `board` may be an attribute
            return None
        if query == "reason" and node.result == "*":
            return "none"
        if query == "setup":
            if len(words) != 1 or not re.fullmatch("-?[0-9]{1,20}", words[0]):
                raise Refused(f"query setup: expected a whole number, found {quote(' '.join(words))}")
            return self.text(given("setup", game.setup(int(words[0])), "a position"))
        if query == "fen":
            return self.text(node.position)
        value = getattr(game, query)(node.position)
        if query == "grid":
            columns, rows, cells = map(" ".join, grid_words(value))
            first = "lines" if getattr(game, "lines", False) else "columns"
            names = getattr(game, "cell_names", "")
            return f"{first} {columns} rows {rows}{names and ' names ' + names} cells {cells}"
        if query == "score":
            return points(value)
        if query == "reason":  # one that the game does not give is none
            expected = "a text, or None if there is nothing to say"
            return "none" if value is None else " ".join(text_of(query, value, expected).split()) or "none"
        return text_of(query, value, "the lines of the board in one text")

    def text(self, position: Any) -> str:
        """The text of a position."""
        text = text_of("fen", self.game.fen(position), "a string in one line")
        if len(text.splitlines()) != 1:
            raise TypeError(f"fen() returned {shown(text)}; expected a string in one line")
        return text


def decoded(line: bytes) -> str:
    """The text of a line. Raises Refused if it is none."""
    if len(line) > MAX_LINE:
        raise Refused(f"a line has more than {MAX_LINE} bytes")
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"a line is not UTF-8 text: byte {error.start + 1} of it is wrong") from None


def draw(columns: Sequence[str], rows: Sequence[str], cells: Sequence[str]) -> str:
    """A grid as text."""
    walls = {(True, False): "|", (False, True): "-", (True, True): "+"}  # by narrow columns and rows
    width = len(columns)

    def is_narrow(name: str) -> bool:
        return name[1:].endswith(("|", "_"))

    def shown(index: int) -> str:
        kind = is_narrow(columns[index % width]), is_narrow(rows[index // width])
        return cells[index] if kind not in walls else " " if cells[index] == "." else walls[kind]

    texts = [shown(index) for index in range(len(cells))]
    labels = [["" if is_narrow(name) else name for name in names] for names in (columns, rows)]
    size, edge = max(map(len, [*labels[0], *texts])), max(map(len, labels[1]))
    header = " " * edge + "".join(column.rjust(size + 1) for column in labels[0])
    lines = [header]
    for start, label in zip(range(0, len(cells), width), labels[1]):
        row = "".join(text.rjust(size + 1) for text in texts[start : start + width])
        lines.append(f"{label.rjust(edge)}{row} {label}".rstrip())
    return "\n".join([*lines, header])


def batches(file: int) -> Iterator[list[bytes]]:
    """Lists of lines, each with all complete lines that have arrived."""
    rest = b""
    for chunk in iter(lambda: os.read(file, 1 << 16), b""):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[: MAX_LINE + 1]  # enough to see that a line is too long
        if lines:
            yield lines
    if rest:
        yield [rest]


def run(game: Rules[Any]) -> None:
    """Answers questions about the rules of this game until `quit` or the end of the input."""
    if wanted:
        wanted[-1] = game
    else:
        Program(game).run()


def game_of(file: str, *args: str) -> Any:
    """The game of the rules program in this file beside the bot, with these arguments: what it gives `run`.

    Raises TypeError if it runs no game.
    """
    argv, sys.argv = sys.argv, [file, *args]
    wanted.append(None)
    try:
        runpy.run_path(os.path.join(sys.path[0], file), run_name="__main__")
    finally:
        sys.argv, game = argv, wanted.pop()
    if game is None:
        raise TypeError(f"{file} must end with `run(Game())`, where `Game` is the class with its rules")
    return game


def program(command: str | Sequence[str], **options: Any) -> Any:
    """The game of a rules program in any language, which is asked: `program("./rules", size=5)`.

    A relative path is one in the folder of this program. It has the optional methods that the rules program answers.
    Raises `referee.ChildError` if the program cannot be used.
    """
    from ._asked import AskedGame

    return AskedGame(command, options)


def attribute(option: str) -> str:
    """The attribute that has the value of an option."""
    return option.replace(" ", "_")


def checked_options(thing: Any) -> dict[str, Any]:
    """The options of a game or a bot, with their values. Raises TypeError for those that cannot be offered."""
    options: dict[str, Any] = getattr(thing, "options", {})
    if not isinstance(options, dict):
        raise TypeError(f"options: expected a dict, such as {{'depth': range(1, 9)}}, found {shown(options)}")
    known: dict[str, str] = {}  # by the name in lower case, as `setoption` finds options
    for name, values in options.items():
        if not isinstance(name, str) or " ".join(name.split()) != name or not name.isprintable() or not name:
            raise TypeError(f"options: expected names in words, found {shown(name)}")
        if "type" in name.split() or "value" in name.split()[1:]:
            expected = "names without the words `type` and `value`, which end a name"
            raise TypeError(f"options: expected {expected}, found {shown(name)}")
        if (other := known.setdefault(name.lower(), name)) != name:
            raise TypeError(f"option {name}: expected another name, because it is {other} in another letter case")
        if not (values in (bool, str) or isinstance(values, (range, list, tuple)) and values):
            raise TypeError(
                f"option {name}: expected bool, str, a range or a list of values, found {values!r}"
            )
        if isinstance(values, range) and max(abs(values[0]), abs(values[-1])) >= 10**18:
            raise TypeError(f"option {name}: expected numbers of at most 18 digits, found {shown(values)}")
        if isinstance(values, (list, tuple)):
            check_words(name, [*map(str, values)])
        if not hasattr(thing, attribute(name)):
            raise TypeError(f"option {name}: expected an attribute {attribute(name)} with its default")
        default = getattr(thing, attribute(name))
        if not fits(values, default):
            raise TypeError(
                f"option {name}: expected {ranged(values)}, found {shown(default)} in the attribute {attribute(name)}"
            )
    return options


def check_words(option: str, values: list[str]) -> None:
    """Raises TypeError for values of an option that cannot be announced, or not be chosen."""
    for place, value in enumerate(values):
        if not value.strip() or not value.isprintable():
            raise TypeError(f"option {option}: expected values in one line, found {shown(value)}")
        if " ".join(value.split()) != value or "var" in value.split():
            expected = "values with one space between words, and without the word `var`"
            raise TypeError(f"option {option}: expected {expected}, found {shown(value)}")
        if value.lower() in map(str.lower, values[:place]):
            expected = "each value once, whatever its letter case"
            raise TypeError(f"option {option}: expected {expected}, found {shown(value)} again")


def fits(values: Any, default: Any) -> bool:
    """Whether the default of an option is one of its values."""
    if values is str:
        return default is None or isinstance(default, str) and default.isprintable()
    if values is bool:
        return default in (True, False)
    if isinstance(values, range):
        return isinstance(default, int) and not isinstance(default, bool) and default in values
    return default in values


def ranged(values: Any) -> str:
    """The values of an option in words."""
    if values is str:
        return "a string in one line"
    if isinstance(values, range) and values.step == 1:
        return f"{values[0]} to {values[-1]}"
    return some((False, True) if values is bool else values)


def name_of(thing: Any) -> str:
    """The name of a game or a bot."""
    return one_line("name", getattr(thing, "name", None) or type(thing).__name__)


def load(kind: str) -> Any:
    """The instance of a class that the command line names, `FILE:CLASS`. Ends the program if there is none."""
    path, _, name = sys.argv[1].rpartition(":") if len(sys.argv) == 2 else ("", "", "")
    if not path or not name.isidentifier():
        sys.exit(f"usage: python3 -m {__package__}.{kind} FILE:CLASS, such as my{kind}.py:My{kind.capitalize()}")
    file = path if os.path.isfile(path) else path + ".py"
    if not os.path.isfile(file):
        sys.exit(f"{path}: there is no such file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location(os.path.basename(file).rpartition(".")[0], file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        sys.exit(f"{file} has no class {name}")
    return getattr(module, name)()


def main() -> None:
    """`python3 -m referee.rules FILE:CLASS`"""
    run(load("rules"))


if __name__ == "__main__":
    from .rules import main as run_main  # not the copy of the classes in `__main__`

    run_main()
