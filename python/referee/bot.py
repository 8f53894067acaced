"""Bots: a class with the method `choose`. The protocol is here.

    import random
    from referee import Bot

    class MyBot(Bot):
        def choose(self, position, seconds):
            return random.choice(self.game.moves(position))

    if __name__ == "__main__":
        MyBot().run()

This bot plays Magnetic Cave and Gridlock. With `game = Game()` it plays the game of these rules: a class
as in `referee.rules`, with the same options. `python3 -m referee.bot mybot.py:MyBot` runs a bot
without the last two lines; `.py` may be left out.
"""

from __future__ import annotations

import os
import queue
import re
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, Union, cast

from ._errors import agent_functions, calls, explained, source
from ._values import is_number, score_text, shown, whole, words
from ._values import line as one_line
from ._values import seconds as checked_seconds
from .games import VARIANTS, MagneticCave
from .rules import (
    NO_MOVE,
    RESIGN,
    RESULTS,
    Closed,
    Program,
    Refused,
    Rules,
    batches,
    checked_options,
    load,
    name_of,
    quote,
    some,
)

__all__ = ["AnyGame", "Bot", "Choice", "Clock", "Limits"]

P = TypeVar("P")

#: The rules of a bot for all games of `referee.games`, before it is told which one is played.
BOTH_GAMES = MagneticCave()
#: How long `choose` may go on after `quit`, in seconds.
GRACE = 0.5
#: The names in UCI of the limits that have others in UGI.
UCI_NAMES = {"p1time": "wtime", "p2time": "btime", "p1inc": "winc", "p2inc": "binc"}
#: The sides by the values of `UCI_Side`: whether it is the first player's.
SIDES = {"none": None, "p1": True, "p2": False}
#: What a bot can report about its search, beside the score and the moves.
FACTS = ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time")
#: What `choose` returns: a move, perhaps with the expected reply.
Choice = Union[str, "tuple[str, str | None]"]


class AnyGame:
    """No rules, for a bot that has its own: a position is the start, `startpos` or a FEN, and all moves.

    >>> game = AnyGame()
    >>> game.play(game.from_fen("8/8 x"), "a8")
    ('8/8 x', ('a8',))
    """

    name = ""

    def start(self) -> Any:
        return self.from_fen("startpos")

    def from_fen(self, text: str) -> Any:
        return text, ()

    def turn(self, position: Any) -> bool:
        return len(position[1]) % 2 == 0

    def moves(self, position: Any) -> list[str]:
        return []

    def islegal(self, position: Any, move: str) -> bool:
        return True

    def play(self, position: Any, move: str) -> Any:
        return position[0], (*position[1], move)

    def result(self, position: Any) -> str:
        return "*"


class Clock(NamedTuple):
    """The clocks of a game when a search begins, in seconds."""

    #: What is left of the bot's own time, and of its opponent's.
    left: float
    opponent: float | None
    #: What each move adds to them.
    increment: float
    opponent_increment: float
    #: How many moves the time is for; None if it is for the rest of the game.
    moves: int | None


class Limits:
    """The limits of a search, and whether it must end.

    `seconds` are for this move: a part of the clock, less a reserve for the way to the referee; 0.95
    without a time limit. `clock`, `depth` and `nodes` are None without such a limit. `root_moves` are the moves
    to choose from, if not all.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._given = {  # in milliseconds, or numbers
            UCI_NAMES.get(name, name): max(0, int(number))
            for name, number in zip(words, words[1:])
            if re.fullmatch("-?[0-9]{1,15}", number)
        }
        self.depth, self.nodes = self._given.get("depth"), self._given.get("nodes")
        self.root_moves = [*words[words.index("searchmoves") + 1 :]] if "searchmoves" in words else []
        self.pondering = "ponder" in words
        self.infinite = "infinite" in words or not words
        has_time = any(name in self._given for name in ("movetime", "wtime", "btime"))
        self._is_timed = has_time or not (self.depth or self.nodes)
        self.seconds = 0.95
        self.clock: Clock | None = None
        self._began = time.monotonic()  # when the clock began to run
        self._deadline = float("inf")
        self._ended, self._released = threading.Event(), threading.Event()
        if not self.pondering and not self.infinite:
            self._released.set()

    @property
    def stopped(self) -> bool:
        """Whether the search must end: after `stop`, or when the time is over."""
        return self._ended.is_set() or time.monotonic() > self._deadline

    def _begin(self, turn: bool) -> None:
        """Begins the search; `turn` is whether the first player is to move."""
        given = self._given
        sides = "wb" if turn else "bw"
        left, other = (given.get(side + "time") for side in sides)
        extra, others = (given.get(side + "inc", 0) for side in sides)
        most, moves = 1000.0, given.get("movestogo")
        if left is not None:
            most = min(left / 2, left / (moves or 30) + extra)
            opponent = None if other is None else other / 1000
            self.clock = Clock(left / 1000, opponent, extra / 1000, others / 1000, moves)
        most = given.get("movetime", most) / 1000
        self.seconds = most - min(0.05, most / 2)
        self._set_deadline()

    def _set_deadline(self) -> None:
        if self._is_timed and self._released.is_set():
            self._deadline = self._began + self.seconds

    def _ponderhit(self) -> None:
        """The reading thread may call this before the search has begun."""
        if self.pondering:
            self._began = time.monotonic()
            self._released.set()
            self._set_deadline()

    def _stop(self) -> None:
        self._ended.set()
        self._released.set()


class Bot(Generic[P]):
    """A bot. Subclasses have the method `choose`, and may have the other attributes and methods.

    For a type checker, `Bot[P]` is a bot whose game has positions of the type P.
    """

    #: The name and the author for the protocol; the name is by default that of the class.
    name = ""
    author = "unknown"
    #: The rules of the game: an object with the methods of `referee.rules.Rules`, or `AnyGame()`. Without
    #: it, the bot plays the games of `referee.games`, and this is the game of the option `UCI_Variant`.
    game: Rules[P] = cast(Any, BOTH_GAMES)
    #: Attributes that are options of the protocol, with their values: a `range`, a list, `bool` or `str`.
    options: dict[str, Any] = {}
    #: The limits of the present search.
    limits = Limits()
    #: The start of the game, `startpos` or a FEN, and all moves since then.
    game_start = "startpos"
    game_moves: Sequence[str] = ()
    #: Whether the bot is the first player, as in `game.turn`; None if it has not been told yet.
    side: bool | None = None

    #: For messages: the method that asks the agent, and what a program has answered last.
    _method, _heard = "choose", ""
    _is_ending = False

    def choose(self, position: P, seconds: float) -> Choice:
        """A legal move, or a move and the expected reply, within this time; `"resign"` gives the game up.

        A long search ends as soon as `self.stopped` is true.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(self, position, seconds)")

    def best_move(self, position: P, seconds: float = 1.0) -> Choice:
        """What `choose` returns within this time, for tests: `stopped` is true when it is over."""
        self.limits = Limits(["movetime", str(round(checked_seconds("seconds", seconds) * 1000))])
        self.limits._begin(True)
        self.side = bool(self.game.turn(position))
        return self.choose(position, self.limits.seconds)

    def new_game(self) -> None:
        """The next position belongs to another game, in which `side` is the bot's; no clock runs."""

    def game_over(self, position: P, result: str) -> None:
        """A game has ended with this result, such as `"1-0"`, and in this position; no clock runs.

        It is called only if a subclass has it, and if the referee tells how games end.
        """

    @property
    def stopped(self) -> bool:
        """Whether the search must end: after `stop`, or when the time is over."""
        return self.limits.stopped

    @property
    def clock(self) -> Clock | None:
        """The clocks of the game when the search began; None if each move has its own limit."""
        return self.limits.clock

    def info(self, *, score: Any = None, pv: Iterable[str] = (), **facts: float) -> None:
        """Reports on the search: `self.info(depth=3, score=12, nodes=1000, pv=["a8"])`.

        A number is a score in hundredths for the side to move; `"win 3"` is a win within three plies.
        Numbers are rounded. The other facts are `seldepth`, `multipv`, `nps`, `hashfull`, and `time` in seconds.
        """
        if unknown := [name for name in facts if name not in FACTS]:
            raise TypeError(f"info() has no argument {unknown[0]}; expected score, pv, {', '.join(FACTS)}")
        line = ["info"]
        for name, value in facts.items():
            if is_number(value):
                value = round(value * 1000 if name == "time" else value)
            line += [name, str(whole(name, value, 0))]
        if score is not None:
            line += ["score", score_text(score)]
        if moves := words("pv", pv):
            line += ["pv", *moves]
        self._write(" ".join(line))

    def _write(self, line: str) -> None:
        print(line)

    # What `Bridge` does around the methods of a subclass

    def _begin_game(self) -> None:
        self.new_game()

    def _end_game(self, position: Any, result: str) -> None:
        self.game_over(position, result)

    def _wants_result(self) -> bool:
        return type(self).game_over is not Bot.game_over

    def _close(self) -> None:
        """Ends what has been started, at once."""

    def run(self) -> None:
        """Plays until `quit` or the end of the input.

        What this process and its children print goes to stderr, and what they read is empty: the input has the
        lines of the protocol.
        """
        try:
            Player(self).run()
        finally:
            self._close()


class Player(Program):
    """The protocol of a bot. A thread reads the input, so that the bot answers during a search."""

    commands = "uci, ugi, isready, setoption, position, go, stop, query or quit"

    def __init__(self, bot: Bot[Any]) -> None:
        self.bot = bot
        self.has_variants = bot.game is BOTH_GAMES
        self.variant, self.Ponder, self.is_ugi = next(iter(VARIANTS)), False, False
        self.UCI_Side = "none"
        self.lines: queue.SimpleQueue[tuple[bytes, Limits | None] | None] = queue.SimpleQueue()
        self.searches: list[Limits] = []  # each from the reading of `go` to its answer
        self.output_lock = threading.Lock()
        super().__init__(bot.game)
        bot._write = self.write_line  # type: ignore[method-assign]

    def serve(self) -> None:
        threading.Thread(target=self.read, daemon=True).start()
        while (entry := self.lines.get()) is not None:
            line, search = entry
            self.bot.limits = search or Limits()
            if not self.handle(line):
                break
            if search in self.searches:
                self.searches.remove(search)  # the line could not be used
            if self.lines.empty():
                self.flush()
        self.flush()

    def read(self) -> None:
        """The thread that reads the input. It answers what cannot wait for the end of a search."""
        for lines in batches(self.input):
            for line in lines:
                command, *words = line.decode(errors="replace").split() or [""]
                searches = [*self.searches]
                if command == "go":
                    self.searches.append(Limits(words))
                    line = line.decode(errors="replace").encode()
                if command == "isready" and searches:
                    self.write_line("readyok")
                elif command == "ponderhit":
                    for search in searches:
                        search._ponderhit()
                else:
                    self.lines.put((line, self.searches[-1] if command == "go" else None))
                if command in ("stop", "quit"):
                    for search in searches:
                        search._stop()
                if command == "quit" and searches:
                    end_soon(self.bot)
        seconds = 0.0
        for search in [*self.searches]:
            if search._released.is_set() and search._is_timed:
                seconds += search.seconds
            else:
                search._stop()
        if self.searches:
            end_soon(self.bot, seconds)
        self.lines.put(None)

    def write(self, data: bytes) -> None:
        with self.output_lock:
            super().write(data)

    def write_line(self, line: str) -> None:
        try:
            self.write(line.encode() + b"\n")
        except Closed:
            pass

    def exited(self, words: str) -> None:
        self.complain(words)  # on standard error are the bot's own words
        self.flush()

    @property
    def UCI_Variant(self) -> str:
        return self.variant

    @UCI_Variant.setter
    def UCI_Variant(self, variant: str) -> None:
        self.variant = variant
        self.game = self.bot.game = VARIANTS[variant]()
        self.restart()

    @property
    def UCI_Result(self) -> str:
        return ""

    @UCI_Result.setter
    def UCI_Result(self, value: str) -> None:
        result = next((result for result, word in RESULTS.items() if word == value and result != "*"), None)
        if result is None:
            raise Refused(f"option UCI_Result: expected p1win, p2win or draw, found {quote(value)}")
        if not self.refusal:
            self.remember_game()
            self.bot._end_game(self.nodes[-1].position, result)

    def options(self) -> dict[str, tuple[Any, Any]]:
        options = {"UCI_Variant": (self, list(VARIANTS))} if self.has_variants else super().options()
        own = {name: (self.bot, values) for name, values in checked_options(self.bot).items()}
        told: dict[str, tuple[Any, Any]] = {"UCI_Side": (self, [*SIDES])}
        if self.bot._wants_result():
            told["UCI_Result"] = self, str
        return {**options, "Ponder": (self, bool), **told, **own}

    def introduce(self) -> None:
        self.replies += [f"id name {name_of(self.bot)}", f"id author {one_line('author', self.bot.author)}"]

    def on_ugi(self, *words: str) -> None:
        self.is_ugi = True
        super().on_ugi()

    def on_ucinewgame(self, *words: str) -> None:
        self.flush()
        self.bot.side = SIDES[self.UCI_Side]
        self.bot._begin_game()

    on_uginewgame = on_ucinewgame

    def remember_game(self) -> None:
        """Gives the bot the start and the moves of the last `position`."""
        end = self.words.index("moves")
        self.bot.game_start = " ".join(self.words[:end]).removeprefix("fen ")
        self.bot.game_moves = self.words[end + 1 :]

    def on_go(self, *words: str) -> None:
        self.flush()
        bot, node, search = self.bot, self.nodes[-1], self.bot.limits
        choice: Choice = NO_MOVE
        search._begin(self.game.turn(node.position))
        if self.refusal:
            self.complain(f"no move, because the last `position` was refused: {self.refusal}")
        elif node.result == "*":
            self.remember_game()
            bot.side = bool(self.game.turn(node.position))
            try:
                choice = bot.choose(node.position, search.seconds)
            except Exception as error:
                if more := explained(bot, error):
                    raise more.with_traceback(error.__traceback__) from None
                raise
        move, reply = checked(choice, bot)
        if move not in (NO_MOVE, RESIGN) and not node.islegal(move):
            text = f"the bot chose {quote(move)}, which is not a legal move; expected {some(node.moves())}"
            self.complain("; ".join([text, *calls(bot, agent_functions(bot))]))
        search._released.wait()
        self.searches.remove(search)  # before the answer, which the next `isready` may follow at once
        self.replies.append(f"bestmove {move}" + (f" ponder {reply}" if reply and not self.is_ugi else ""))


def checked(choice: Any, bot: Bot[Any]) -> tuple[str, str | None]:
    """What `choose` has returned, as a move and the expected reply. Raises TypeError for anything else."""
    answer = choice if isinstance(choice, tuple) else (choice, None)
    if len(answer) == 2 and all(
        isinstance(word, str) and word.split() == [word] and word.isprintable()
        for word in (answer[0], answer[1] or "-")
    ):
        return str.__str__(answer[0]), answer[1] and str.__str__(answer[1])
    text = f"{bot._method}() returned {shown(choice)}; expected a move, or a move and the expected reply"
    raise TypeError("; ".join([text, *source(bot)]))


def end_soon(bot: Bot[Any], seconds: float = 0.0) -> None:
    """Ends the process after this time, because a bot that ignores `stopped` must not outlive its referee."""

    def end() -> None:
        bot._is_ending = True
        bot._close()
        os._exit(0)

    timer = threading.Timer(seconds + GRACE, end)
    timer.daemon = True
    timer.start()


def main() -> None:
    """`python3 -m referee.bot FILE:CLASS`"""
    load("bot").run()


if __name__ == "__main__":
    from .bot import main as run_main  # not the copy of the classes in `__main__`

    run_main()
