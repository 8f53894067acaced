"""Bots, rules programs, engines and result files for `lodestone` and `referee`.

| name | use |
|---|---|
| `Bot` | a bot: a class with one method |
| `rules` | the rules of a game: a class with five methods |
| `games`, `boards` | Magnetic Cave and Gridlock; what games on rectangular boards share |
| `Engine`, `AsyncEngine`, `Limit` | any engine or bot that speaks UCI or UGI |
| `results` | result files and ratings |

The parts are loaded on first use. A bot needs only `bot`, `rules`, `games` and `boards`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import aio, boards, bot, engine, games, results, rules
    from .aio import AsyncAnalysis, AsyncEngine
    from .bot import AnyGame, Bot, Limits
    from .engine import (
        Analysis,
        Engine,
        EngineError,
        EngineTerminatedError,
        EngineTimeoutError,
        Info,
        Limit,
        Option,
        PlayResult,
        Score,
    )

__all__ = [
    "Analysis",
    "AnyGame",
    "AsyncAnalysis",
    "AsyncEngine",
    "Bot",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "Info",
    "Limit",
    "Limits",
    "Option",
    "PlayResult",
    "Score",
    "aio",
    "boards",
    "bot",
    "engine",
    "games",
    "results",
    "rules",
]
HOMES = {"AnyGame": "bot", "Bot": "bot", "Limits": "bot", "AsyncAnalysis": "aio", "AsyncEngine": "aio"}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers know the names from the imports above

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name.islower():
            return importlib.import_module(f"{__name__}.{name}")
        return getattr(importlib.import_module(f"{__name__}.{HOMES.get(name, 'engine')}"), name)
