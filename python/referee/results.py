"""Result files of `referee match`, and ratings.

>>> from referee import results
>>> games = results.read("examples/course/games.jsonl")
>>> len(games), games[0]
(40, Game 1: ada - fay 1-0 (five))
>>> games.of("emil")[0].detail
'emil answered after 1200.349 ms, 200.349 ms too late'
>>> [(rating.name, rating.points) for rating in results.ratings("examples/course/games.jsonl")][:2]
[('ada', 15.0), ('fay', 13.0)]

The fields of a game are those of the file; `Game.data` has all of them. With pandas,
`games.to_pandas()` is a table of the games, and `games.to_pandas("moves")` one of their moves.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, overload

from .__main__ import find_program
from .engine import Score
from .games import VARIANTS
from .rules import draw

if TYPE_CHECKING:
    import pandas

__all__ = ["Game", "Match", "Rating", "Results", "ratings", "read"]

#: The fields that a record must have.
NEEDED = ["id", "variant", "first", "second", "result", "reason", "start", "moves", "opening_plies"]
#: The formats whose pairings depend on the number of games.
FOLLOW_RESULTS = ("swiss", "knockout", "ladder")
POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


#: The longest line of a result file, in characters; `referee report` reads no longer ones, either.
MAX_LINE = 64 << 20


def printable(text: object) -> str:
    """A text of a file for people: no control characters, and none that nobody sees."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(text))


@dataclass(frozen=True)
class Game:
    """A finished game."""

    id: int
    variant: str
    first: str  # the player who moves first
    second: str
    result: str  # "1-0", "0-1" or "1/2-1/2", as the first player sees it
    reason: str  # a word, such as "five" or "time"
    detail: str  # the reason as a sentence
    start: str  # the position before the moves, as a FEN
    moves: list[str]
    opening_plies: int  # moves that were given
    ms: list[float]  # milliseconds of each move after the opening
    scores: list[Score | None]  # of each move after the opening, as its player saw it
    match: int  # the number of the match in the files that were read, from 1
    data: dict[str, Any] = field(repr=False)  # the whole record

    def __repr__(self) -> str:
        names = f"{printable(self.first)} - {printable(self.second)}"
        return f"Game {self.id}: {names} {self.result} ({printable(self.reason)})"

    @property
    def winner(self) -> str | None:
        """The name of the player who won, None after a draw."""
        return {"1-0": self.first, "0-1": self.second}.get(self.result)

    @property
    def loser(self) -> str | None:
        """The name of the player who lost, None after a draw."""
        return {"1-0": self.second, "0-1": self.first}.get(self.result)

    def points(self, player: str) -> float:
        """1 for a win of this player, 0.5 for a draw, 0 for a loss."""
        if player not in (self.first, self.second):
            raise ValueError(
                f"{player!r} does not play in this game; its players are {self.first!r} and {self.second!r}"
            )
        return POINTS[self.result][[self.first, self.second].index(player)]

    @property
    def movers(self) -> list[str]:
        """The player who made each move. In some games the players do not move in turn."""
        turns = self.data.get("turns")
        if not turns:
            second_begins = self.start.split(" ")[1:2] == ["o"]
            turns = ("21" if second_begins else "12") * len(self.moves)
        return [self.first if turn == "1" else self.second for turn, _ in zip(turns, self.moves)]

    def boards(self, rules: Any = None) -> Iterator[str]:
        """The board before the first move and after each move, as text.

        The rules are those of a class as in `referee.rules`; the built-in games need none.
        """
        if rules is None and self.variant not in VARIANTS:
            raise ValueError(f"the rules of {self.variant} are needed: boards(rules=Game())")
        game = rules or VARIANTS[self.variant]()
        position = game.start() if self.start == "startpos" else game.from_fen(self.start)
        for move in [None, *self.moves]:
            position = position if move is None else game.play(position, move)
            yield game.board(position) if hasattr(game, "board") else draw(*game.grid(position))


class Results(Sequence[Game]):
    """The games of result files, in the order of the files. A game that two files contain counts once.

    `players` are the names of the players: those of the first games first, then those without games yet.
    """

    def __init__(
        self, games: Iterable[Game], headers: list[dict[str, Any]], idle: Iterable[str] = ()
    ) -> None:
        self._games = list(games)
        #: The headers of the files: the players and the settings of the matches.
        self.headers = headers
        names = [name for game in self._games for name in (game.first, game.second)]
        self.players = list(dict.fromkeys([*names, *idle]))

    @overload
    def __getitem__(self, index: int) -> Game: ...

    @overload
    def __getitem__(self, index: slice) -> Results: ...

    def __getitem__(self, index: int | slice) -> Game | Results:
        return Results(self._games[index], self.headers) if isinstance(index, slice) else self._games[index]

    def __len__(self) -> int:
        return len(self._games)

    def __repr__(self) -> str:
        return f"<{len(self)} games of {', '.join(map(printable, self.players))}>"

    def of(self, *players: str) -> Results:
        """The games in which all these players play. Raises ValueError for a name that no player has."""
        known = {*self.players, *(name for header in self.headers for name in engines(header))}
        if unknown := [name for name in players if name not in known]:
            raise ValueError(f"there is no player {unknown[0]!r}; there are {', '.join(sorted(known))}")
        return Results((game for game in self if {game.first, game.second} >= {*players}), self.headers)

    def to_pandas(self, rows: str = "games") -> pandas.DataFrame:
        """A table with a row for each of the games, or of the `moves` after the opening. Needs pandas."""
        import pandas

        if rows == "games":
            names = ["match", *NEEDED, "detail", "winner", "loser"]
            table = [[getattr(game, name) for name in names] for game in self]
            return pandas.DataFrame(table, columns=names)
        if rows != "moves":
            raise ValueError(f"unknown rows {rows!r}; expected games or moves")
        moves = []
        for game in self:
            movers, own = game.movers, game.moves[game.opening_plies :]
            for index, (move, ms, score) in enumerate(zip_longest(own, game.ms, game.scores)):
                ply, text = game.opening_plies + index, None if score is None else str(score)
                moves.append((game.match, game.id, ply + 1, movers[ply], move, ms, text))
        return pandas.DataFrame(moves, columns=["match", "game", "ply", "player", "move", "ms", "score"])


@dataclass(frozen=True)
class Rating:
    """A player in the table of a report. Ratings are in Elo; without enough games they are None."""

    rank: int
    name: str
    points: float
    games: int
    elo: float | None
    low: float | None  # the ends of the 95 % interval
    high: float | None
    data: dict[str, Any] = field(repr=False)  # the whole object of `referee report --json`


@dataclass
class Match:
    """The headers of one match, and its games by their numbers."""

    headers: list[dict[str, Any]]
    games: dict[int, Game] = field(default_factory=dict)
    pairs: float = float("inf")  # the pairs that count after the end of a sequential test

    def players(self) -> list[str]:
        """The names of the players, without those that did not start."""
        headers = self.headers
        if "stages" in headers[0].get("schedule", {}):  # a ladder, whose last header has all players
            headers = [max(reversed(headers), key=lambda header: len(header["engines"]))]
        unfit = {player["name"] for header in headers for player in header.get("unfit", [])}
        return [name for header in headers for name in engines(header) if name not in unfit]


def read(*paths: str | os.PathLike[str]) -> Results:
    """Reads result files. Raises ValueError for a line that is no JSON object; a torn last line is skipped.

    The games are those that `referee report` counts for these files.
    """
    matches: list[Match] = []
    games: dict[tuple[int, int], None] = {}  # in the order of the files
    for path in paths:
        number_of_match = 0  # unknown before the first header
        # A line that is torn within a character is no JSON, either.
        with open(path, encoding="utf-8-sig", errors="replace", opener=open_regular) as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), ""), 1):
                if not line.strip():
                    continue
                try:
                    if len(line) == MAX_LINE and not line.endswith("\n"):
                        raise ValueError("longer than any record")
                    record = json.loads(line, object_pairs_hook=without_copies)
                    if not isinstance(record, dict):
                        raise ValueError(f"expected an object, found {line.strip()[:40]}")
                    if "header" in record or not number_of_match:
                        number_of_match = add_header(matches, record if "header" in record else {})
                    match = matches[number_of_match - 1]
                    if "sprt" in record:
                        match.pairs = int(record["sprt"]["pairs"])
                    elif "moves" in record:
                        found = game(record, number_of_match)
                        known = match.games.setdefault(found.id, found)
                        if "analysis" in record and "analysis" not in known.data:
                            match.games[found.id] = found
                        games[number_of_match, found.id] = None
                except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                    if isinstance(error, json.JSONDecodeError) and not line.endswith("\n"):
                        break  # the match was interrupted while it wrote this line
                    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
                    raise ValueError(f"{os.fspath(path)}, line {number}: {kind}{error}") from error
    counted = (matches[match - 1].games[id] for match, id in games)
    headers = [header for match in matches for header in match.headers if header]
    idle = (name for match in matches for name in match.players())
    return Results(
        (one for one in counted if one.data.get("pair", 0) <= matches[one.match - 1].pairs), headers, idle
    )


def open_regular(path: str, flags: int) -> int:
    """Opens a regular file without waiting. Raises ValueError for a pipe, which may have no writer, or a device."""
    file = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise ValueError(f"{path}: it is a folder, a pipe or a device, not a file")
    return file


def without_copies(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which each name stands once: readers differ in which of two they take."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"duplicate field `{printable(twice)}`")
    return found


def engines(header: dict[str, Any]) -> list[str]:
    """The names of the players of a header."""
    return [player["name"] for player in header.get("engines", [])]


def add_header(matches: list[Match], header: dict[str, Any]) -> int:
    """The number of the match with this header, from 1. Adds a match if there is none."""
    for number, match in enumerate(matches, 1):
        if is_same(match.headers[0], header) or is_same(header, match.headers[0]):
            match.headers.append(header)
            return number
    matches.append(Match([header]))
    return len(matches)


def original(header: dict[str, Any]) -> dict[str, Any]:
    """The header with the programs that the match began with, before changes that the user has accepted."""
    for change in reversed(header.pop("accepted", [])):
        if "rules" in change:
            header["rules"] = change["rules"]
        if "wrappers" in change:
            header.setdefault("wrappers", {}).update(change["wrappers"])
    return header


def is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two headers are of one match: the second may have more games, and a ladder more players."""
    if not one or not other:
        return one == other
    one, other = (original(json.loads(json.dumps(header))) for header in (one, other))
    schedules = [header.get("schedule", {}) for header in (one, other)]
    is_ladder = all("stages" in schedule for schedule in schedules)
    has_book = schedules[0].get("book") and schedules[0].get("book") == schedules[1].get("book")
    for header, schedule in zip((one, other), schedules):
        ignored = ["shard", *(["stages"] if is_ladder else []), *(["openings"] if has_book else [])]
        if schedule.get("format") not in FOLLOW_RESULTS:
            ignored.append("games")
        for name in ignored:
            schedule.pop(name, None)
        for name in ("event", "site", "unfit", "record"):
            header.pop(name, None)
        limits = {name: header.pop(name) for name in ("memory", "max_processes") if name in header}
        for engine in header["engines"]:
            engine.pop("sha256", None)
            if engine.get("cmd") != "human":  # version 0.4 wrote once what is the limit of all programs
                engine.update({**limits, **engine})
        if rules := header.get("rules"):
            rules["cmd"] = [word for word in rules.get("cmd", []) if not word.startswith("timeout=")]
    if is_ladder:
        other["engines"] = other["engines"][: len(one["engines"])]
    return bool(one == other)


@lru_cache(maxsize=1 << 16)
def score_of(text: str) -> Score:
    """`Score.parse`, with one object for each score."""
    return Score.parse(text)


def game(record: dict[str, Any], match: int = 1) -> Game:
    """The game of a record in a result file."""
    missing = [name for name in NEEDED if name not in record]
    if missing:
        raise ValueError(f"the field {missing[0]!r} is missing")
    if record["result"] not in POINTS:
        raise ValueError(f"result: expected {', '.join(POINTS)}, found {record['result']!r}")
    for name in ("moves", "ms", "score"):
        if not isinstance(record.get(name, []), list):
            raise ValueError(f"{name}: expected a list, found {record[name]!r}")
    for name in ("id", "pair", "opening_plies"):
        if not isinstance(record.get(name, 1), int):
            raise ValueError(f"{name}: expected a whole number, found {record[name]!r}")
    facts = max(len(record.get(name, [])) for name in ("ms", "score"))
    if record["opening_plies"] + facts > len(record["moves"]):
        raise ValueError("there are more times or scores than moves")
    # Millions of games have few different moves, scores and words: one object for each.
    for name, value in record.items():
        if type(value) is str:
            record[name] = sys.intern(value)
        elif name in ("moves", "score"):
            record[name] = [sys.intern(text) if type(text) is str else text for text in value]
    scores = [None if score is None else score_of(str(score)) for score in record.get("score", [])]
    fields = {name: record[name] for name in NEEDED}
    return Game(
        **fields,
        detail=record.get("detail", ""),
        ms=record.get("ms", []),
        scores=scores,
        match=match,
        data=record,
    )


def ratings(*paths: str | os.PathLike[str]) -> list[Rating]:
    """The table of `referee report --json`, the best player first.

    Raises ValueError with the message of the program, and for the files of several matches.
    """
    command = [find_program("referee"), "report", "--json", "--", *(os.fspath(path) for path in paths)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if not done.stdout.startswith("{"):
        raise ValueError(done.stderr.strip() or f"referee ended with status {done.returncode}")
    matches = [json.loads(line) for line in done.stdout.splitlines()]
    if len(matches) > 1:
        files = "; ".join(", ".join(match["files"]) for match in matches)
        raise ValueError(f"expected the files of one match, found {len(matches)} matches: {files}")
    table = []
    for player in matches[0]["players"]:
        rating = player.get("rating") or {}
        elo, low, high = (elo_of(rating.get(name)) for name in ("elo", "low", "high"))
        games = player["wins"] + player["ties"] + player["losses"]
        table.append(Rating(player["rank"], player["name"], player["points"], games, elo, low, high, player))
    return table


def elo_of(value: float | str | None) -> float | None:
    """A number of `--json`, which may also be `undefined`, `inf` or `-inf`."""
    return None if value is None or value == "undefined" else float(value)
