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
    from .aio import AsyncEngine
    from .bot import AnyGame, Bot
    from .engine import Engine, EngineError, EngineTerminatedError, Limit

#: The module of each name.
HOMES = {
    "AnyGame": "bot",
    "Bot": "bot",
    "AsyncEngine": "aio",
    "Engine": "engine",
    "EngineError": "engine",
    "EngineTerminatedError": "engine",
    "Limit": "engine",
}
MODULES = ["aio", "boards", "bot", "engine", "games", "results", "rules"]
__all__ = [  # a literal list, for type checkers
    "AnyGame",
    "AsyncEngine",
    "Bot",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "Limit",
    "boards",
    "bot",
    "engine",
    "games",
    "results",
    "rules",
]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in HOMES:
        return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
