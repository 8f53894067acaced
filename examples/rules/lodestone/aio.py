"""Engines for asyncio.

>>> import asyncio
>>> from lodestone import AsyncEngine, Limit
>>> async def main():
...     async with await AsyncEngine.start("lodestone") as engine:
...         result = await engine.play(["a8", "h8", "a7", "h7", "a6", "h6", "a5", "h5"], Limit(time=1))
...         print(result.move)
...         async with await engine.analysis(["a8"]) as analysis:
...             async for info in analysis:
...                 if info.depth == 3:
...                     break
...         print((await analysis.wait()).info.depth >= 3)
>>> asyncio.run(main())
a4
True
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, overload

from .engine import Analysis, Engine, EngineTerminatedError, Info, Limit, Option, PlayResult

T = TypeVar("T")


class AsyncEngine:
    """An engine whose methods are coroutines; `AsyncEngine.start` makes one.

    The methods and their arguments are those of `Engine`. Calls wait for each other. A cancelled call ends
    its search first, and leaves the others alone. Each engine has a thread, which waits for its answers.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "engine")
        self._engine: Engine | None = None
        self._has_quit = False

    @classmethod
    async def start(cls, command: str | os.PathLike[str] | Sequence[str], **settings: Any) -> AsyncEngine:
        """Starts an engine; the settings are those of `Engine`."""
        engine = cls()

        def start() -> None:
            engine._engine = Engine(command, **settings)

        try:
            await engine._call(start)
        except BaseException:
            await engine.quit()
            raise
        return engine

    @property
    def _started(self) -> Engine:
        assert self._engine is not None
        return self._engine

    @property
    def id(self) -> dict[str, str]:
        """What the engine says of itself: `name`, `author`."""
        return self._started.id

    @property
    def options(self) -> dict[str, Option]:
        """The options that it announces."""
        return self._started.options

    async def configure(self, options: Mapping[str, str | int | float | bool | None]) -> None:
        await self._call(self._started.configure, options)

    async def ping(self) -> None:
        await self._call(self._started.ping)

    async def new_game(self) -> None:
        await self._call(self._started.new_game)

    async def play(self, moves: Sequence[str], limit: Limit, **settings: Any) -> PlayResult:
        return await self._call(self._started.play, moves, limit, **settings)

    @overload
    async def analyse(
        self, moves: Sequence[str], limit: Limit, *, multipv: None = None, fen: str | None = None
    ) -> Info: ...

    @overload
    async def analyse(
        self, moves: Sequence[str], limit: Limit, *, multipv: int, fen: str | None = None
    ) -> list[Info]: ...

    async def analyse(
        self, moves: Sequence[str], limit: Limit, *, multipv: int | None = None, fen: str | None = None
    ) -> Info | list[Info]:
        if multipv is None:
            return await self._call(self._started.analyse, moves, limit, fen=fen)
        return await self._call(self._started.analyse, moves, limit, multipv=multipv, fen=fen)

    async def analysis(
        self, moves: Sequence[str], limit: Limit | None = None, **settings: Any
    ) -> AsyncAnalysis:
        return AsyncAnalysis(self, await self._call(self._started.analysis, moves, limit, **settings))

    async def query(self, query: str, moves: Sequence[str] = (), *, fen: str | None = None) -> str:
        return await self._call(self._started.query, query, moves, fen=fen)

    async def quit(self) -> None:
        """Asks the engine to quit, and kills it if it does not. May be called twice."""
        self._has_quit = True
        if self._engine:
            await asyncio.get_running_loop().run_in_executor(None, self._engine.close)
        self._executor.shutdown(wait=False)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.quit()

    async def _call(self, function: Callable[..., T], *arguments: Any, **settings: Any) -> T:
        """Calls a method of the engine in its thread."""
        if self._has_quit:
            raise EngineTerminatedError("the engine has quit")
        future = self._executor.submit(functools.partial(function, *arguments, **settings))
        answer = asyncio.wrap_future(future)
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            while not future.done() and not future.cancel():  # it runs, and its search may begin yet
                if self._engine and self._engine._analysis:
                    self._engine._analysis.stop()
                await asyncio.sleep(0.01)
            result: Any = None if future.cancelled() or future.exception() else future.result()
            if isinstance(result, Analysis):
                result.stop()
            answer.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # read, so that asyncio does not report it
            raise


class AsyncAnalysis:
    """A search: an asynchronous iterator of the reports. `async with` stops it at the end."""

    def __init__(self, engine: AsyncEngine, analysis: Analysis) -> None:
        self._engine, self._analysis = engine, analysis

    @property
    def info(self) -> Info:
        """The last report on the best line."""
        return self._analysis.info

    @property
    def multipv(self) -> list[Info]:
        """The last reports on all lines, the best first."""
        return self._analysis.multipv

    def stop(self) -> None:
        """Asks the engine to end the search."""
        self._analysis.stop()

    async def wait(self) -> PlayResult:
        """The engine's move, at the end of the search."""
        return await self._engine._call(self._analysis.wait)

    def __aiter__(self) -> AsyncAnalysis:
        return self

    async def __anext__(self) -> Info:
        info: Info | None = await self._engine._call(next, self._analysis, None)
        if info is None:
            raise StopAsyncIteration
        return info

    async def __aenter__(self) -> AsyncAnalysis:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.stop()
        await self.wait()
