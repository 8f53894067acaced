"""Agents whose last answer counts when the time is over.

    from referee import Anytime
    from game import Game
    from student_agent import Agent

    class MyBot(Anytime):
        game = Game()

        def search(self, position, answer):
            for move in Agent().better_and_better(position):
                answer(move)

>>> from referee.games import MagneticCave
>>> class First(Anytime):
...     game = MagneticCave()
...     def search(self, position, answer):
...         for move in self.game.moves(position):
...             answer(move)
...         while True:
...             pass
>>> First().best_move(First.game.start(), seconds=0.3)
'h1'
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import warnings
from typing import Any

from ._child import ChildError
from ._errors import explained
from .bot import Bot, Choice

__all__ = ["Anytime"]

#: How often it is seen whether the search was stopped, in seconds.
PAUSE = 0.01


class Anytime(Bot[Any]):
    """A bot whose search is killed when the time is over. Subclasses have the method `search`.

    Each search runs in a process of its own, a copy of this one (not on Windows), so what it changes in its
    objects is gone afterwards, but for `memory`.
    """

    #: What a search has passed to `answer` last. It is empty when a game begins.
    memory: Any = None

    _method = "search"
    _process = 0
    _status = 0

    def search(self, position: Any, answer: Any) -> None:
        """Calls `answer(move)` whenever it has a better move, and may return before it is killed.

        `answer(move, memory)` also sets `self.memory` for the next search.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method search(self, position, answer)")

    def choose(self, position: Any, seconds: float) -> Choice:
        deadline = time.monotonic() + seconds
        reader, writer = os.pipe()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the thread of the input holds nothing that is used
            self._process = os.fork()
        if self._process == 0:
            self._search(position, writer)
        os.close(writer)
        try:
            found, has_ended = self._read(reader, deadline)
            if has_ended:
                self._status = os.waitpid(self._process, 0)[1]
        finally:
            os.close(reader)
            self._kill()
        if not found:
            status = os.waitstatus_to_exitcode(self._status)
            raise ChildError(f"the search ended with status {status} without a move")
        move, self.memory = pickle.loads(found)
        return str(move)

    def run(self) -> None:
        try:
            super().run()
        except ChildError as error:
            sys.exit(str(error))

    def _begin_game(self) -> None:
        self.memory = None
        super()._begin_game()

    def _search(self, position: Any, writer: int) -> None:
        """The process of a search."""
        status = 1
        try:
            os.setsid()

            def answer(move: str, memory: Any = None) -> None:
                data = pickle.dumps((str(move), memory))
                data = len(data).to_bytes(4, "big") + data
                while data:
                    data = data[os.write(writer, data) :]

            self.search(position, answer)
            status = 0
        except BaseException as error:
            more = explained(self, error) or error
            sys.excepthook(type(more), more, error.__traceback__)
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _read(self, reader: int, deadline: float) -> tuple[bytes, bool]:
        """The last answer before the time is over, or a late first one; and whether the search has ended before."""
        data, last, limits = b"", b"", self.limits
        while True:
            left = deadline - time.monotonic() if not limits.infinite and not limits.pondering else PAUSE
            is_over = self.stopped or left <= 0
            pause = 0.0 if is_over and last else min(max(left, 0.001), PAUSE)
            if select.select([reader], [], [], pause)[0]:  # also what was written before the end
                chunk = os.read(reader, 1 << 16)
                if not chunk:
                    return last, True
                data += chunk
                while len(data) >= 4 and len(data) >= (end := 4 + int.from_bytes(data[:4], "big")):
                    last, data = data[4:end], data[end:]
            if is_over and last:
                return last, False

    def _kill(self) -> None:
        """Kills the search, with all that it has started."""
        process, self._process = self._process, 0
        if process:
            for kill in (os.killpg, os.kill):
                try:
                    kill(process, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            try:
                os.waitpid(process, 0)
            except ChildProcessError:
                pass  # it has ended before

    def _close(self) -> None:
        self._kill()
